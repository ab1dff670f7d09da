import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { EventData, eventData } from '../../accounts/security-events/data.ts'
import { eventKinds } from '../../accounts/security-events/kinds.ts'
import { findEvents } from '../../accounts/security-events/queries.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { OneOf, route } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'

const Day = (description: string) =>
  Type.Optional(Type.String({ format: 'date', description: `${description}, as 2027-01-31` }))

export const listEventsRoute = route({
  method: 'GET',
  url: '/api/v1/private/operations/security-events',
  summary: 'For operators: what happened to the security of accounts and listings, newest first',
  auth: operator,
  limits: [perAccount(120, { bucket: 'operations security events' })],
  query: Type.Object({
    kind: Type.Optional(OneOf(eventKinds, { description: 'Only events of this kind' })),
    user_uid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only events of this account' }),
    ),
    game_uid: Type.Optional(
      Type.String({ format: 'uuid', description: 'Only events of this listing' }),
    ),
    from: Day('The first day in UTC'),
    to: Day('The last day in UTC'),
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(EventData), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { kind, user_uid, game_uid, from, to } = query
    const filter = {
      user_uid,
      game_uid,
      kinds: kind && [kind],
      since: from ? startOf(from) : undefined,
      until: to ? dayAfter(to) : undefined,
    }
    const { rows, total } = await findEvents(sql, filter, window)
    return { items: rows.map(eventData), total, page, page_size }
  },
})

const startOf = (day: string) => new Date(`${day}T00:00:00Z`)
function dayAfter(day: string): Date {
  const date = startOf(day)
  date.setUTCDate(date.getUTCDate() + 1)
  return date
}
