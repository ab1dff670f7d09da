import { Type } from 'typebox'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { itemOf } from '../../../catalog/cards/search-item.ts'
import { freshRows } from '../../../catalog/search/result-rows.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { readReviews } from '../../../library/review-queries.ts'
import { reviewSummary } from '../../../library/reviews.ts'
import { isIndexable } from '../../../listings/listing/visibility.ts'
import { openPage, showPage } from '../../../listings/page/page.ts'
import { type PageState, readPage } from '../../../listings/page/queries.ts'
import { type Context, page, renderPage, setPageHeaders } from '../../components/layout.ts'
import { hasNotice } from '../../flash-message.ts'
import { countPage, getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { listingBody, type Shown } from './body.ts'
import { listingHead, listingJsonLd } from './head.ts'
import { type KeptPage, keepPage, keptPage, sendKept } from './page-cache.ts'
import { personalPart } from './personal.ts'

const REVIEWS = 5
const TRIES = 10
const params = Type.Object({ username: Type.String(), vanity_name: Type.String() })

/** Everything the page of a listing shows to everyone who may open it. */
export async function readShown(
  core: Core,
  uid: string,
): Promise<(Shown & { freshness: string }) | undefined> {
  const [row, { items, votes }] = await Promise.all([
    readPage(core.sql, uid, null),
    readReviews(core.sql, uid, { limit: REVIEWS, offset: 0 }),
  ])
  if (!row) return undefined
  const rows = await freshRows(
    core,
    row.similar.map(({ uid }) => uid),
    row.adult,
  )
  const similar = row.similar.flatMap(({ uid }) => {
    const found = rows.get(uid)
    return found ? [{ ...itemOf(core.addresses, found), username: found.username }] : []
  })
  const listing = { ...showPage(core.addresses, row), indexable: isIndexable(row) }
  return {
    listing,
    similar,
    reviews: items,
    summary: reviewSummary(votes),
    freshness: row.freshness,
  }
}

const partsOf = (core: Core, shown: Shown) => ({
  title: `${shown.listing.name} on Slipway`,
  description: shown.listing.tagline,
  canonical: `/${shown.listing.developer.username}/${shown.listing.vanity_name}`,
  noindex: !shown.listing.indexable,
  head: listingHead(core.addresses, shown.listing),
  json_ld: shown.listing.indexable ? listingJsonLd(core.addresses, shown) : undefined,
  scripts: ['gallery.mjs', 'copy.mjs', 'platform.mjs'],
  layout: 'listing',
})

/** The page as everyone sees it, made once for each of its versions. */
async function everyonesPage(
  core: Core,
  { uid, freshness }: PageState,
): Promise<KeptPage | undefined> {
  const known = keptPage(core, uid, freshness)
  if (known) return known
  const shown = await readShown(core, uid)
  // Changed between the two looks: it may not be anybody's to see any more.
  if (shown?.freshness !== freshness) return undefined
  const text = renderPage(
    { core, who: null },
    { ...partsOf(core, shown), body: listingBody(shown) },
  )
  return keepPage(core, uid, {
    freshness,
    text,
    username: shown.listing.developer.username,
    noindex: !shown.listing.indexable,
  })
}

async function ownPage(context: Context & { who: Identity }, state: PageState, username: string) {
  const shown = await readShown(context.core, state.uid)
  if (!shown || !isSame(shown.listing.developer.username, username)) return refuse('NOT_FOUND')
  const personal = await personalPart(context, state, shown.listing)
  return page(context, { ...partsOf(context.core, shown), body: listingBody(shown, personal) })
}

const isSame = (one: string, other: string) => one.toLowerCase() === other.toLowerCase()

export const listingPage = getPage('/:username/:vanity_name', 'The page of a listing', {
  auth: visitor,
  limits: [],
  params,
  async handle(input) {
    const { core, who, params, reply, request } = input
    for (let tries = 0; tries < TRIES; tries++) {
      const state = await openPage(core, who, params.vanity_name.toLowerCase())
      if (isGated(who, state)) return gatePage(input, request.url)
      if (who || hasNotice(request)) {
        await countPage(core, request)
        return who
          ? ownPage({ ...input, who }, state, params.username)
          : noticePage(input, state, params.username)
      }
      const kept = await everyonesPage(core, state)
      if (!kept) continue
      if (!isSame(kept.username, params.username)) refuse('NOT_FOUND')
      if (kept.username !== params.username || state.vanity_name !== params.vanity_name)
        return reply.redirect(`/${kept.username}/${state.vanity_name}`, 301)
      setPageHeaders(input, { noindex: kept.noindex })
      return sendKept(request, reply, kept)
    }
    return refuse('UNAVAILABLE')
  },
})

/** Signed out, but there is something to say. */
async function noticePage(context: Context, { uid }: PageState, username: string) {
  const shown = await readShown(context.core, uid)
  if (!shown || !isSame(shown.listing.developer.username, username)) return refuse('NOT_FOUND')
  return page(context, { ...partsOf(context.core, shown), body: listingBody(shown) })
}

/** A listing by its uid or name alone, as links that know no more have it. */
export const findListing = getPage('/games/:game_id', 'To the page of a listing', {
  auth: visitor,
  params: Type.Object({ game_id: Type.String() }),
  async handle({ core, who, params, reply }) {
    const { uid } = await openPage(core, who, params.game_id)
    const { developer, vanity_name } = (await readPage(core.sql, uid, null)) ?? refuse('NOT_FOUND')
    return reply.redirect(`/${developer.username}/${vanity_name}`, 302)
  },
})
