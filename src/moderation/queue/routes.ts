import { Type } from 'typebox'
import { moderator } from '../../accounts/people/moderator-access.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, OneOf, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { targetTypes } from '../decisions.ts'
import { reportKinds } from '../reports/report-input.ts'
import { findTarget } from '../targets/queries.ts'
import { assign, readQueue } from './queries.ts'

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

const targetParams = Type.Object({ target_type: OneOf(targetTypes), target_id: Type.String() })

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
    const { target_type, target_id } = params
    const target = (await findTarget(sql, target_type, target_id)) ?? refuse('NOT_FOUND')
    await assign(sql, target, body.to_me ? who.user_uid : null)
    return {}
  },
})

export const queueRoutes = [readQueueRoute, assignRoute]
