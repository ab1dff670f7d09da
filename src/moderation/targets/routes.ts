import { Type } from 'typebox'
import { moderator } from '../../accounts/people/moderator-access.ts'
import { moderationRole } from '../../accounts/people/moderator-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import type { Sql } from '../../core/database/sql.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readLabels } from '../../listings/moderated/label-queries.ts'
import { actions, actionsOf, type TargetType, targetTypes } from '../decisions.ts'
import { readAssignee, readSubjectRecord, readTargetReports } from '../queue/queries.ts'
import { reportKinds } from '../reports/report-input.ts'
import { isSweptFile } from '../sweeps/queries.ts'
import { listParts, type PartType, partsOf, partTypes } from './part-queries.ts'
import { findListingOf, findTarget, isPublished, type Target } from './queries.ts'
import { filesOf, snapshotParts } from './snapshot.ts'
import { readTargetStates } from './state-queries.ts'
import { targetStates } from './states.ts'

const TARGET = '/api/v1/private/moderation/targets/:target_type/:target_id'
const limits = [perAccount(600)]
const count = Type.Integer()
const params = Type.Object({ target_type: OneOf(targetTypes), target_id: Type.String() })

/** Who may decide on a target: the team, others than who asks, or operators. */
const deciders = ['team', 'others', 'operators'] as const

async function readDeciders(
  sql: Sql,
  { user_uid }: Identity,
  { subject_uid, is_operator }: { subject_uid: string | null; is_operator: boolean },
): Promise<(typeof deciders)[number]> {
  if (subject_uid === user_uid) return 'others'
  const is_member = subject_uid !== null && (await moderationRole(sql, subject_uid))
  return is_member && !is_operator ? 'operators' : 'team'
}

const isOperatorOf = async (sql: Sql, { user_uid }: Identity): Promise<boolean> =>
  (await moderationRole(sql, user_uid)) === 'operator'

/** Moderators see no drafts that nobody reported; operators have them in their console. */
const isKnown = async (sql: Sql, target: Target, is_operator: boolean): Promise<boolean> =>
  is_operator || (await isPublished(sql, target)) || (await isSweptFile(sql, target))

const ReportData = Type.Object({
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
  snapshot: Type.Array(Type.Object({ name: Type.String(), values: Type.Array(Type.String()) }), {
    description: 'The target as it was when it was reported',
  }),
  files: Type.Array(
    Type.Object({
      filename: Type.String(),
      size: Type.Number({ description: 'Bytes' }),
      sha256: Type.String(),
      scan: Type.String(),
    }),
    { description: 'The files of a listing at that time' },
  ),
  images: Type.Array(Type.String(), { description: 'The SHA-256 of each image' }),
  created_at: Timestamp,
  decided_at: Nullable(Timestamp),
  action_uid: Nullable(Type.String({ description: 'The decision that closed it' })),
  action: Nullable(OneOf(actions)),
  reporter_reports: Type.Integer({ description: 'Decided reports of the same reporter' }),
  reporter_upheld: Type.Integer({
    description: 'Those of them that led to an action that was not undone',
  }),
})

export const readTargetRoute = route({
  method: 'GET',
  url: TARGET,
  summary: 'For moderators: what a target is now, and the reports about it as it was then',
  description:
    'Open reports come first. Never shows keys, mail addresses, or drafts that nobody reported.',
  auth: moderator,
  limits,
  params,
  data: Type.Object({
    target_type: OneOf(targetTypes),
    target_id: Type.String(),
    target_name: Nullable(Type.String()),
    states: Type.Array(
      Type.Object({
        state: OneOf(targetStates),
        since: Nullable(Timestamp),
        until: Nullable(Timestamp),
      }),
      { description: 'What it is now; several can be true. Empty for a deleted target' },
    ),
    decided_by: OneOf(deciders, {
      description: 'Who may decide: everybody of the team, others than you, or operators',
    }),
    actions: Type.Array(OneOf(actions), { description: 'What can be decided' }),
    labels: Nullable(
      Type.Object({
        adult: Type.Boolean(),
        content_warnings: Type.Array(Type.String()),
        tags: Type.Array(Type.String()),
      }),
    ),
    listing: Nullable(Type.Object({ uid: Uid, name: Type.String() })),
    parts: Type.Array(OneOf(partTypes), { description: 'What of it can be listed and decided on' }),
    assigned_to: Nullable(Type.String()),
    subject: Nullable(
      Type.Object({ username: Type.String(), warnings: count, restrictions: count }),
    ),
    reports: Type.Array(ReportData),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params: { target_type, target_id } }) {
    const target = await findTarget(sql, target_type, target_id)
    // A target that was deleted keeps its reports.
    const key = { type: target_type, id: target?.id ?? target_id }
    const [reports, assigned_to, is_operator] = await Promise.all([
      readTargetReports(sql, key),
      readAssignee(sql, key),
      isOperatorOf(sql, who),
    ])
    const is_known = target !== undefined && (await isKnown(sql, target, is_operator))
    if (!is_known && !reports.length) refuse('NOT_FOUND')
    const states = target ? await readTargetStates(sql, target) : []
    return {
      target_type: key.type,
      target_id: key.id,
      target_name: target?.name ?? null,
      states: states.map(({ state, since, until }) => ({
        state,
        since: since?.toISOString() ?? null,
        until: until?.toISOString() ?? null,
      })),
      // All that is left of a deleted target are its reports.
      actions: target ? [...actionsOf[key.type]] : ['dismiss' as const],
      labels: key.type === 'listing' ? ((await readLabels(sql, key.id)) ?? null) : null,
      parts: is_known ? [...(partsOf[key.type] ?? [])] : [],
      ...(await readAbout(sql, who, { target, is_operator })),
      assigned_to,
      reports: reports.map((report) => ({
        ...report,
        snapshot: snapshotParts(report.snapshot),
        files: filesOf(report.snapshot),
        created_at: report.created_at.toISOString(),
        decided_at: report.decided_at?.toISOString() ?? null,
      })),
    }
  },
})

/** Whom and which listing a target concerns, and who may decide on it. */
async function readAbout(
  sql: Sql,
  who: Identity,
  { target, is_operator }: { target: Target | undefined; is_operator: boolean },
) {
  if (!target) return { subject: null, listing: null, decided_by: 'team' as const }
  const { subject_uid } = target
  const [subject, listing, decided_by] = await Promise.all([
    subject_uid ? readSubjectRecord(sql, subject_uid) : undefined,
    findListingOf(sql, target),
    readDeciders(sql, who, { subject_uid, is_operator }),
  ])
  return { subject: subject ?? null, listing: listing ?? null, decided_by }
}

const hasParts = (type: TargetType, part: PartType) => partsOf[type]?.includes(part) ?? false

export const listPartsRoute = route({
  method: 'GET',
  url: `${TARGET}/parts`,
  summary: 'For moderators: what belongs to a listing, build or person, also if nobody reported it',
  description: 'Each can be decided on by itself. Newest first.',
  auth: moderator,
  limits,
  params,
  query: Type.Object({
    type: OneOf(partTypes, {
      description: 'Which parts; `parts` of the target names those it has',
    }),
    ...pageQuery,
  }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        target_type: OneOf(partTypes),
        target_id: Type.String(),
        name: Type.String({
          description:
            'Of a listing, file, build or tag; of an image its place; of a review its author',
        }),
        text: Type.String(),
        state: OneOf(targetStates),
        sha256: Nullable(Type.String({ description: 'Of an image' })),
        created_at: Nullable(Timestamp),
      }),
    ),
    ...pageData,
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params: { target_type, target_id }, query }) {
    const target = (await findTarget(sql, target_type, target_id)) ?? refuse('NOT_FOUND')
    const is_operator = await isOperatorOf(sql, who)
    if (!hasParts(target_type, query.type) || !(await isKnown(sql, target, is_operator)))
      refuse('NOT_FOUND')
    const { page, page_size, ...window } = paging(query)
    const wanted = { type: query.type, is_operator, ...window }
    const { items, total } = await listParts(sql, target, wanted)
    const parts = items.map(({ target_id, name, text, state, sha256, created_at }) => ({
      target_type: query.type,
      target_id,
      name,
      text,
      state,
      sha256,
      created_at: created_at?.toISOString() ?? null,
    }))
    return { items: parts, total, page, page_size }
  },
})

export const targetRoutes = [readTargetRoute, listPartsRoute]
