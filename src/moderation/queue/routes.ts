import { Type } from 'typebox'
import { moderator } from '../../accounts/people/moderator-access.ts'
import type { Sql } from '../../core/database/sql.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readLabels } from '../../listings/moderated/label-queries.ts'
import { actions, actionsOf, type TargetType, targetTypes } from '../decisions.ts'
import { reportKinds } from '../reports/rules.ts'
import { isSweptFile } from '../sweeps/queries.ts'
import { findTarget } from '../target-queries.ts'
import {
  assign,
  isPublished,
  readAssignee,
  readQueue,
  readSubjectRecord,
  readTargetReports,
} from './queries.ts'

const MODERATION = '/api/v1/private/moderation'
const limits = [perAccount(600)]
const count = Type.Integer()

export const readQueueRoute = route({
  method: 'GET',
  url: `${MODERATION}/queue`,
  summary: 'For moderators: targets with open reports, the newest report first',
  auth: moderator,
  limits,
  query: Type.Object(pageQuery),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        target_type: OneOf(targetTypes),
        target_id: Type.String(),
        target_name: Type.String(),
        reports: count,
        kinds: Type.Array(OneOf(reportKinds)),
        first_at: Timestamp,
        newest_at: Timestamp,
        assigned_to: Nullable(Type.String()),
      }),
    ),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { items, total } = await readQueue(sql, window)
    const rows = items.map((row) => ({
      ...row,
      first_at: row.first_at.toISOString(),
      newest_at: row.newest_at.toISOString(),
    }))
    return { items: rows, total, page, page_size }
  },
})

/** A target that was deleted keeps its reports. */
async function keyOf(sql: Sql, type: TargetType, id: string) {
  const target = await findTarget(sql, type, id)
  return { target, key: { type, id: target?.id ?? id } }
}

const textOf = (value: unknown): string =>
  value !== null && typeof value === 'object'
    ? Object.entries(value)
        .map(([name, part]) => `${name}: ${part}`)
        .join(', ')
    : String(value)

const snapshotParts = (snapshot: Record<string, unknown>) =>
  Object.entries(snapshot)
    .map(([name, value]) => ({
      name,
      values: [value]
        .flat()
        .filter((item) => item !== null && item !== '')
        .map(textOf),
    }))
    .filter(({ values }) => values.length > 0)

const targetParams = Type.Object({ target_type: OneOf(targetTypes), target_id: Type.String() })

export const readTargetRoute = route({
  method: 'GET',
  url: `${MODERATION}/targets/:target_type/:target_id`,
  summary: 'For moderators: the reports about a target, as it was when it was reported',
  description: 'Never shows keys, mail addresses, or what nobody reported.',
  auth: moderator,
  limits,
  params: targetParams,
  data: Type.Object({
    target_type: OneOf(targetTypes),
    target_id: Type.String(),
    target_name: Nullable(Type.String()),
    actions: Type.Array(OneOf(actions), { description: 'What can be decided' }),
    labels: Nullable(
      Type.Object({
        adult: Type.Boolean(),
        content_warnings: Type.Array(Type.String()),
        tags: Type.Array(Type.String()),
      }),
    ),
    assigned_to: Nullable(Type.String()),
    subject: Nullable(
      Type.Object({ username: Type.String(), warnings: count, restrictions: count }),
    ),
    reports: Type.Array(
      Type.Object({
        uid: Uid,
        kind: OneOf(reportKinds),
        text: Type.String(),
        urls: Type.Array(Type.String()),
        copyright: Nullable(
          Type.Object({
            work: Type.String(),
            holder: Type.String(),
            signature: Type.String(),
          }),
        ),
        snapshot: Type.Array(
          Type.Object({ name: Type.String(), values: Type.Array(Type.String()) }),
          { description: 'The target as it was when it was reported' },
        ),
        images: Type.Array(Type.String(), { description: 'The SHA-256 of each image' }),
        created_at: Timestamp,
        decided_at: Nullable(Timestamp),
        reporter_reports: Type.Integer({ description: 'Decided reports of the same reporter' }),
        reporter_upheld: Type.Integer({
          description: 'Those of them that led to an action that was not undone',
        }),
      }),
    ),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, params }) {
    const { target, key } = await keyOf(sql, params.target_type, params.target_id)
    const [reports, assigned_to] = await Promise.all([
      readTargetReports(sql, key),
      readAssignee(sql, key),
    ])
    const is_known =
      target && ((await isPublished(sql, target)) || (await isSweptFile(sql, target)))
    if (!is_known && !reports.length) refuse('NOT_FOUND')
    const subject = target?.subject_uid && (await readSubjectRecord(sql, target.subject_uid))
    return {
      target_type: key.type,
      target_id: key.id,
      target_name: target?.name ?? null,
      // All that is left of a deleted target are its reports.
      actions: target ? [...actionsOf[key.type]] : ['dismiss' as const],
      labels: key.type === 'listing' ? ((await readLabels(sql, key.id)) ?? null) : null,
      assigned_to,
      subject: subject || null,
      reports: reports.map((report) => ({
        ...report,
        snapshot: snapshotParts(report.snapshot),
        created_at: report.created_at.toISOString(),
        decided_at: report.decided_at?.toISOString() ?? null,
      })),
    }
  },
})

export const assignRoute = route({
  method: 'PUT',
  url: `${MODERATION}/targets/:target_type/:target_id/assignment`,
  summary: 'For moderators: take a target, or give it back to the queue',
  auth: moderator,
  limits,
  params: targetParams,
  body: Body({ to_me: Type.Boolean({ description: 'false: to nobody' }) }),
  data: Type.Object({}),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, body }) {
    const { target, key } = await keyOf(sql, params.target_type, params.target_id)
    if (!target) refuse('NOT_FOUND')
    await assign(sql, key, body.to_me ? who.user_uid : null)
    return {}
  },
})

export const queueRoutes = [readQueueRoute, readTargetRoute, assignRoute]
