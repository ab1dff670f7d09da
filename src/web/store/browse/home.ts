import { Type } from 'typebox'
import { browserSystem } from '../../../accounts/devices/browser-system.ts'
import { showCard } from '../../../catalog/cards/cards.ts'
import type { CardRow } from '../../../catalog/cards/queries.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import { loadPicks, PICKS } from '../../../catalog/shelves/picks.ts'
import type { ShelfKind } from '../../../catalog/shelves/shelf-rules.ts'
import { loadShelf, SHELF_MAX } from '../../../catalog/shelves/shelves.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import type { homeShelves, StoreSettings } from '../../../core/settings/table.ts'
import { type LocalText, type Text, t } from '../../../core/text/text.ts'
import { FAILING } from '../../../listings/fields/launch-bands.ts'
import type { OperatingSystem } from '../../../listings/fields/platforms.ts'
import { moderationEpoch } from '../../../listings/moderated/epoch.ts'
import type { Currency } from '../../../listings/prices/currencies.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { organizationJsonLd } from '../../brand/logo.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html, richText } from '../../components/html.ts'
import { page } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { inCurrency } from '../card-prices.ts'
import { currencyOf } from '../currency.ts'
import { card, cardList, thumbnailUrls } from './card.ts'
import { moodSection, readMood } from './moods.ts'
import { noCopies, renderOwnCopies } from './own-copies.ts'
import { scene } from './scene.ts'
import { shelfHeader } from './shelf-header.ts'
import { cachedSpotlights } from './spotlight.ts'

type HomeShelf = (typeof homeShelves)[number]
type Shelf = { kind: ShelfKind | typeof PICKS; title: Text; line: Text; more?: string }

/** Only with downloads for the visitor's system, where it is known. */
const quickPlays = (os: OperatingSystem | null): Shelf => ({
  kind: 'tonight',
  title: t('shelf-quick-plays'),
  line: os
    ? t('shelf-quick-plays-on-system', { system: labelOf(os) })
    : t('shelf-quick-plays-text'),
  more: `/search?asset_type=game&session_bucket=15m${os ? `&os=${os}` : ''}`,
})
const otherShelves: Shelf[] = [
  {
    kind: PICKS,
    title: t('shelf-picks'),
    line: t('shelf-picks-text'),
  },
  {
    kind: 'unheard_of',
    title: t('shelf-hidden-gems'),
    line: t('shelf-hidden-gems-text'),
    more: '/search?asset_type=game,application&sort=newest',
  },
  {
    kind: 'new',
    title: t('shelf-new'),
    line: t('shelf-new-text'),
    more: '/search?sort=newest',
  },
  {
    kind: 'recently_updated',
    title: t('shelf-updated'),
    line: t('shelf-updated-text'),
    more: '/search?sort=updated',
  },
  {
    kind: 'tools_and_assets',
    title: t('shelf-for-developers'),
    line: t('shelf-for-developers-text'),
    more: '/search?asset_type=tool,mod,plugin,game_asset,dev_asset',
  },
]
const SHELF_SIZE = 8
const EAGER_IMAGES = 4

/** A card that loads its image at once, and one that waits until it is scrolled to. */
type ShelfCard = { uid: string; eager: Html; lazy: Html }

/** Each shelf is rendered at most a few times a second, however many visitors there are. */
const shelfCache = perCore(() =>
  createRefreshingCache<ShelfCard[]>({ cost_factor: 20, max_age_ms: 10_000 }),
)

/** What the shelves of visitors differ by. */
type Visit = { os: OperatingSystem | null; currency: Currency }

function cachedShelf(core: Core, shelf: Shelf, visit: Visit) {
  const state = [moderationEpoch(core), core.settings.version, core.addresses.web_url]
  const key = [...state, shelf.kind, visit.os, visit.currency].join(' ')
  return shelfCache(core)(key, () => renderCards(core, shelf, visit))
}

/** The shelves that the operators chose, in their order. */
const chosenShelves = ({ settings }: Core, os: OperatingSystem | null): Shelf[] => {
  const shelves = [quickPlays(os), ...otherShelves]
  return settings.current.shelves.flatMap(
    (name: HomeShelf) => shelves.find(({ kind }) => kind === name) ?? [],
  )
}

/** The listings of a shelf; the operators wrote a note about each of their picks. */
async function loadListings(
  core: Core,
  kind: Shelf['kind'],
  os: OperatingSystem | null,
): Promise<(CardRow & { note?: string })[]> {
  if (kind === PICKS) return loadPicks(core, SHELF_MAX)
  const { rows } = await loadShelf(core, kind, { os, limit: SHELF_MAX, now: new Date() })
  return rows.filter(({ health }) => health !== FAILING)
}

/** More than fit, because a listing is on the page once, on the first shelf that has it. */
async function renderCards(
  core: Core,
  { kind }: Shelf,
  { os, currency }: Visit,
): Promise<ShelfCard[]> {
  const rows = await loadListings(core, kind, os)
  const items = rows.map(({ note, ...row }) => ({
    ...showCard(core.addresses, row),
    ...(note && { note }),
  }))
  const listings = await inCurrency(core, currency, items)
  const pictures = await readPictures(core, thumbnailUrls(listings))
  const options = { pictures, heading: 'h3' } as const
  return listings.map((listing) => ({
    uid: listing.uid,
    eager: card(listing, { ...options, eager: true }),
    lazy: card(listing, { ...options, eager: false }),
  }))
}

/** The shelves without listings that are already on the page, whose uids are in `uids_on_page`. */
async function renderShelves(core: Core, visit: Visit, uids_on_page: Set<string>): Promise<Html[]> {
  const shelves = chosenShelves(core, visit.os)
  const filled = await Promise.all(
    shelves.map((shelf) =>
      cachedShelf(core, shelf, shelf.kind === 'tonight' ? visit : { ...visit, os: null }),
    ),
  )
  const sections: Html[] = []
  shelves.forEach((shelf, s) => {
    const rest = filled[s]!.filter(({ uid }) => !uids_on_page.has(uid))
    if (!rest.length) return
    // What the operators picked is shown in full.
    const row = shelf.kind === PICKS ? rest : wholeRows(rest.slice(0, SHELF_SIZE))
    for (const { uid } of row) uids_on_page.add(uid)
    const is_first = sections.length === 0
    const items = row.map(({ eager, lazy }, i) => (is_first && i < EAGER_IMAGES ? eager : lazy))
    sections.push(shelfSection(shelf, items))
  })
  return sections
}

const shelfSection = ({ kind, title, line, more }: Shelf, items: Html[]): Html => html`
  <section class="shelf" aria-labelledby="shelf-${kind}">
    ${shelfHeader({ id: `shelf-${kind}`, title, line, more })}
    ${cardList(items)}
  </section>
`

/** Most screens show rows of four; a few listings on a second row would look like a mistake. */
const wholeRows = <T>(rows: readonly T[]) =>
  rows.length < SHELF_SIZE && rows.length > SHELF_SIZE / 2 ? rows.slice(0, SHELF_SIZE / 2) : rows

const emptyStore = html`
  <section class="empty">
    ${scene}
    <h2>${t('store-empty')}</h2>
    <p>${t('store-empty-text')}</p>
    <p><a class="button button-primary" href="/dashboard">${t('publish-game')}</a></p>
  </section>
`

const feedLink = (title: Text, url: string) => html`
  <link rel="alternate" type="application/atom+xml" title="${title}" href="${url}">
`

/** The name of the store and its tagline, or ours without one. */
export const homeTitle = ({ store_name: store, tagline }: StoreSettings): LocalText =>
  tagline ? t('home-title-tagline', { store, tagline }) : t('home-title', { store })

/** People who are signed in know the place, so they see only its name. */
const intro = ({ hero_title, hero_text, tagline }: StoreSettings, is_known: boolean) => html`
  <header class="intro">
    <h1>${hero_title || t('home-heading')}</h1>
    ${!is_known && html`<p>${hero_text || tagline || t('home-text')}</p>`}
  </header>
`

export const homePage = getPage('/', 'Home', {
  auth: visitor,
  limits: [],
  query: Type.Object({ tone: Type.Optional(Type.Unknown()) }),
  async handle(input) {
    const { core, who, request, reply, query } = input
    const os = browserSystem(request.headers['user-agent'] ?? '') ?? null
    const currency = currencyOf(request)
    const [spotlights, own, moods] = await Promise.all([
      cachedSpotlights(core, currency),
      who ? renderOwnCopies(core, who, currency) : noCopies,
      moodSection(core, who, readMood(query.tone)),
    ])
    const { hero_image } = core.settings.current
    const spotlight = hero_image ? spotlights.find(({ uid }) => !own.uids.includes(uid)) : undefined
    const uids_on_page = new Set([...own.uids, ...(spotlight ? [spotlight.uid] : [])])
    const shelves = await renderShelves(core, { os, currency }, uids_on_page)
    const is_empty = uids_on_page.size === 0 && spotlights.length === 0
    const { store_name: store, tagline } = core.settings.current
    const saves_data = request.headers['save-data'] === 'on'
    reply.header('vary', `${visitor.vary}, User-Agent, Save-Data`)
    return page(input, {
      title: homeTitle(core.settings.current),
      description: tagline || t('home-description'),
      canonical: '/',
      json_ld: organizationJsonLd(core),
      layout: 'home',
      head: html`
        ${!saves_data && spotlight?.preload}
        ${feedLink(t('feed-new-title', { store }), '/feeds/new.atom')}
        ${feedLink(t('feed-updated-title', { store }), '/feeds/updated.atom')}
      `,
      body: html`
        ${intro(core.settings.current, who !== null)}
        ${spotlight?.section}
        ${own.section}
        ${is_empty ? emptyStore : shelves.slice(0, 2)}
        ${!is_empty && moods}
        ${shelves.slice(2)}
        <p class="feeds">
          ${richText('home-feeds', {
            new: linkTo('/feeds/new.atom'),
            updated: linkTo('/feeds/updated.atom'),
          })}
        </p>
      `,
    })
  },
})
