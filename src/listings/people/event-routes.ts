import { Type } from 'typebox'
import { EventData, eventDataFor } from '../../accounts/security-events/data.ts'
import { findEvents } from '../../accounts/security-events/queries.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../listing/edit.ts'
import { GAMES, ListingParams } from '../listing/routes.ts'
import { canManageAdmins } from '../listing/visibility.ts'

export const listListingEventsRoute = route({
  method: 'GET',
  url: `${GAMES}/:uid/security-events`,
  summary: 'What happened to the security of a listing, newest first; only its owner can',
  auth: website,
  limits: [perAccount(120)],
  params: ListingParams,
  query: Type.Object(pageQuery),
  data: Type.Object({ items: Type.Array(EventData), ...pageData }),
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params, query }) {
    const listing = await findForEditor(sql, who, params.uid)
    if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await findEvents(sql, { game_uid: listing.uid }, window)
    const items = rows.map((row) => eventDataFor(who.user_uid, row))
    return { items, total, page, page_size }
  },
})
