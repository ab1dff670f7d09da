import { Type } from 'typebox'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { route } from '../../core/http/route.ts'
import { perAccount } from '../../core/security/limits.ts'
import { website } from '../sessions/schemes.ts'
import { EventData, eventDataFor } from './data.ts'
import { findEvents } from './queries.ts'

export const listOwnEventsRoute = route({
  method: 'GET',
  url: '/api/v1/private/account/security-events',
  summary: 'What happened to the security of your account, newest first',
  auth: website,
  limits: [perAccount(120)],
  query: Type.Object(pageQuery),
  data: Type.Object({ items: Type.Array(EventData), ...pageData }),
  async handle({ sql, who: { user_uid }, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await findEvents(sql, { user_uid }, window)
    return { items: rows.map((row) => eventDataFor(user_uid, row)), total, page, page_size }
  },
})
