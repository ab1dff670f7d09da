import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { EventData, eventData } from '../../accounts/security-events/data.ts'
import { eventKinds } from '../../accounts/security-events/kinds.ts'
import { findEvents } from '../../accounts/security-events/queries.ts'
import { pageData, pageQuery, paging, periodOf, periodQuery } from '../../core/http/paging.ts'
import { OneOf, route } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'

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
    ...periodQuery,
    ...pageQuery,
  }),
  data: Type.Object({ items: Type.Array(EventData), ...pageData }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { kind, user_uid, game_uid } = query
    const filter = {
      user_uid,
      game_uid,
      kinds: kind && [kind],
      ...periodOf(query),
    }
    const { rows, total } = await findEvents(sql, filter, window)
    return { items: rows.map(eventData), total, page, page_size }
  },
})
