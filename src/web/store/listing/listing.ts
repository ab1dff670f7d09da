import { Type } from 'typebox'
import type { Theme } from '../../../accounts/people/themes.ts'
import { isSameUsername } from '../../../accounts/people/usernames.ts'
import type { Identity } from '../../../accounts/sessions/identity.ts'
import { itemOf } from '../../../catalog/cards/search-item.ts'
import { freshRows } from '../../../catalog/search/result-rows.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { refuse } from '../../../core/runtime/errors.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { singleFlight } from '../../../core/runtime/single-flight.ts'
import type { Language } from '../../../core/text/languages.ts'
import { readReviews } from '../../../library/review-queries.ts'
import { reviewSummary } from '../../../library/reviews.ts'
import { isIndexable } from '../../../listings/listing/visibility.ts'
import { openPage, showPage } from '../../../listings/page/page.ts'
import { seenAdultChildren } from '../../../listings/page/parent-and-children.ts'
import { type PageState, readPage } from '../../../listings/page/queries.ts'
import { pageUrl } from '../../../listings/page/url.ts'
import type { Currency } from '../../../listings/prices/currencies.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { canSell } from '../../../payments/orders/can-sell.ts'
import type { Discovery } from '../../../payments/orders/discovery.ts'
import { hasClosedAnnouncement } from '../../brand/announcement.ts'
import { html } from '../../components/html.ts'
import {
  type Context,
  onStore,
  page,
  pageHeaders,
  renderPage,
  withNotice,
} from '../../components/layout.ts'
import { takeNotice } from '../../flash-message.ts'
import { languageOf } from '../../language.ts'
import { countPage, getPage } from '../../page-routes.ts'
import { themeOf } from '../../theme.ts'
import { visitor } from '../../visitor.ts'
import { thumbnailUrls } from '../browse/card.ts'
import { inCurrency } from '../card-prices.ts'
import { currencyOf } from '../currency.ts'
import { DISCOVERY_VARY, discoveryOf } from '../discovery.ts'
import { trailerFrames, trailerUrls } from '../trailers/section.ts'
import { chooseText, type TextChoice, withTexts } from '../translation.ts'
import { gatePage, isGated } from './adult-gate.ts'
import { type ListingView, listingBody } from './body.ts'
import { galleryPreload, galleryUrls } from './gallery.ts'
import { listingHead, listingJsonLd } from './head.ts'
import { type CachedPage, cachedPage, cachePage, sendCachedPage } from './page-cache.ts'
import { personalParts } from './personal.ts'
import { type Device, deviceOf } from './primary-file.ts'

const REVIEW_COUNT = 5
const MAX_ATTEMPTS = 10
const params = Type.Object({ username: Type.String(), vanity_name: Type.String() })

async function readListingView(
  core: Core,
  { uid, viewer, currency }: { uid: string; viewer: Identity | null; currency: Currency },
): Promise<(ListingView & { freshness: string }) | undefined> {
  const [row, { items, votes }] = await Promise.all([
    readPage(core.sql, uid, null),
    readReviews(core.sql, uid, { limit: REVIEW_COUNT, offset: 0 }),
  ])
  if (!row) return undefined
  const rows = await freshRows(
    core,
    row.similar.map(({ uid }) => uid),
    row.adult,
  )
  const similar_items = row.similar.flatMap(({ uid }) => {
    const row = rows.get(uid)
    return row ? [{ ...itemOf(core.addresses, row, false), username: row.username }] : []
  })
  const similar = await inCurrency(core, currency, similar_items)
  const seen_adult = await seenAdultChildren(core.sql, viewer, [row])
  const listing = { ...showPage(core.addresses, row, seen_adult(uid)), indexable: isIndexable(row) }
  const urls = [...galleryUrls(listing), ...trailerUrls(listing), ...thumbnailUrls(similar)]
  return {
    listing,
    similar,
    pictures: await readPictures(core, urls),
    reviews: items,
    summary: reviewSummary(votes),
    url: pageUrl(core.addresses, {
      owner_username: listing.developer.username,
      vanity_name: listing.vanity_name,
    }),
    plays_builds: core.addresses.play_url !== undefined,
    is_for_sale: listing.price_cents > 0 && (await canSell(core, uid)),
    freshness: row.freshness,
  }
}

const pageParts = (core: Core, view: ListingView) => ({
  title: onStore(core, view.listing.name),
  description: view.listing.tagline,
  canonical: `/${view.listing.developer.username}/${view.listing.vanity_name}`,
  noindex: !view.listing.indexable,
  head: html`
    ${galleryPreload(view.listing, view.pictures)}
    ${listingHead(core, view.listing)}
  `,
  json_ld: view.listing.indexable ? listingJsonLd(core.addresses, view) : undefined,
  scripts: ['gallery.mjs', 'copy.mjs'],
  frames: trailerFrames(view.listing),
  layout: 'listing',
})

/** The first button downloads the file for the system of the visitor. */
const VARY = `${visitor.vary}, User-Agent`
/** The button that buys also says how the visitor came here. */
const PRICED_VARY = `${VARY}, ${DISCOVERY_VARY}`
const varyOf = ({ is_priced }: PageState) => (is_priced ? PRICED_VARY : VARY)

const discoveryIn = ({ core, request }: Context, { is_priced }: PageState) =>
  is_priced ? discoveryOf(request, core.addresses) : undefined

type Reader = {
  language: Language
  theme: Theme
  device: Device
  translation: TextChoice
  closed_announcement: boolean
  currency: Currency
  discovery: Discovery | undefined
}

const pagesInFlight = perCore(() => singleFlight<CachedPage | undefined>())

type PublicPage = { key: string; state: PageState; reader: Reader }

/** After a change, all who open the page at that moment share one rendering. */
const sharedPage = (core: Core, page: PublicPage) =>
  pagesInFlight(core)(`${page.key} ${page.state.freshness}`, () => renderPublicPage(core, page))

/** The page as signed-out visitors see it, rendered once for each version of its data. */
async function renderPublicPage(
  core: Core,
  { key, state, reader }: PublicPage,
): Promise<CachedPage | undefined> {
  const { uid, freshness } = state
  const original = await readListingView(core, { uid, viewer: null, currency: reader.currency })
  // The listing changed between the two reads and may have become private.
  if (original?.freshness !== freshness) return undefined
  const { language, theme, closed_announcement, currency, discovery } = reader
  const view = { ...withTexts(original, reader.translation), currency, discovery }
  const parts = { ...pageParts(core, view), body: listingBody(view, reader.device) }
  return cachePage(core, key, {
    freshness,
    text: renderPage(
      { core, who: null, language, theme, next: parts.canonical, closed_announcement },
      parts,
    ),
    username: view.listing.developer.username,
    headers: { ...pageHeaders(core, parts), vary: varyOf(state) },
  })
}

function cacheKey(uid: string, reader: Reader): string {
  const { language, theme, translation, closed_announcement } = reader
  const { os, is_arm } = reader.device
  const text = [translation?.code, translation?.is_original]
  const visit = [reader.currency, reader.discovery]
  return [uid, language, theme, os, is_arm, closed_announcement, ...visit, ...text].join(' ')
}

type TextQuery = { query: { text?: unknown } }

async function readViewOf(
  input: Context & TextQuery,
  state: PageState,
  username: string,
): Promise<ListingView> {
  const currency = currencyOf(input.request)
  const view = await readListingView(input.core, { uid: state.uid, viewer: input.who, currency })
  if (!view || !isSameUsername(view.listing.developer.username, username))
    return refuse('NOT_FOUND')
  const translated = withTexts(view, chooseText(input, state, input.query.text))
  return { ...translated, currency, discovery: discoveryIn(input, state) }
}

async function personalPage(
  context: Context & TextQuery & { who: Identity },
  state: PageState,
  username: string,
) {
  const view = await readViewOf(context, state, username)
  const personal = await personalParts(context, state, view.listing)
  const body = listingBody(view, readerDevice(context, state), personal)
  return page(context, { ...pageParts(context.core, view), body })
}

function readerDevice({ request, reply }: Context, state: PageState): Device {
  reply.header('vary', varyOf(state))
  return deviceOf(request.headers['user-agent'])
}

export const listingPage = getPage('/:username/:vanity_name', 'The page of a listing', {
  auth: visitor,
  limits: [],
  params,
  query: Type.Object({ text: Type.Optional(Type.Unknown()) }),
  async handle(input) {
    const { core, who, params, reply, request } = input
    for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
      const state = await openPage(core, who, params.vanity_name.toLowerCase())
      if (isGated(who, state)) {
        await readViewOf(input, state, params.username)
        return gatePage(input, request.url)
      }
      if (who) {
        await countPage(core, request)
        return personalPage({ ...input, who }, state, params.username)
      }
      const reader = {
        language: languageOf(request),
        theme: themeOf(request),
        device: deviceOf(request.headers['user-agent']),
        translation: chooseText(input, state, input.query.text),
        closed_announcement: hasClosedAnnouncement(core, request),
        currency: currencyOf(request),
        discovery: discoveryIn(input, state),
      }
      const key = cacheKey(state.uid, reader)
      const cached =
        cachedPage(core, key, state.freshness) ?? (await sharedPage(core, { key, state, reader }))
      if (!cached) continue
      if (!isSameUsername(cached.username, params.username)) refuse('NOT_FOUND')
      if (cached.username !== params.username || state.vanity_name !== params.vanity_name)
        return reply.redirect(`/${cached.username}/${state.vanity_name}`, 301)
      reply.headers(cached.headers)
      const notice = takeNotice(input)
      return notice
        ? reply.send(withNotice(cached.text, notice, reader.language))
        : sendCachedPage(request, reply, cached)
    }
    return refuse('UNAVAILABLE')
  },
})

/** For links that contain only the uid or the name of a listing. */
export const listingRedirect = getPage('/games/:game_id', 'Redirect to the page of a listing', {
  auth: visitor,
  params: Type.Object({ game_id: Type.String() }),
  async handle({ core, who, params, reply }) {
    const { uid } = await openPage(core, who, params.game_id)
    const { developer, vanity_name } = (await readPage(core.sql, uid, null)) ?? refuse('NOT_FOUND')
    return reply.redirect(`/${developer.username}/${vanity_name}`, 302)
  },
})
