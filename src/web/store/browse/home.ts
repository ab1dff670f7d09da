import { showCard } from '../../../catalog/cards/cards.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import type { ShelfKind } from '../../../catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../../catalog/shelves/shelves.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { sessionBuckets, tones } from '../../../listings/fields/fields.ts'
import type { OperatingSystem } from '../../../listings/fields/versions.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { browserSystem } from '../../browser-system.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { page } from '../../components/layout.ts'
import { linkTo } from '../../components/link.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { cards, thumbnailUrls } from './card.ts'
import { scene } from './scene.ts'

type Shelf = { kind: ShelfKind; title: Text; line: Text; more: string }

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

/** The first shelf of the page loads its images at once, the others when they are scrolled to. */
type RenderedShelf = { first: Html; later: Html }

/** Each shelf is rendered at most a few times a second, however many visitors there are. */
const shelfCache = perCore(() =>
  createRefreshingCache<RenderedShelf | null>({ cost_factor: 20, max_age_ms: 10_000 }),
)

async function renderShelves(core: Core, os: OperatingSystem | null): Promise<Html> {
  const shelves = await Promise.all([
    cachedShelf(core, quickPlays(os), os),
    ...otherShelves.map((shelf) => cachedShelf(core, shelf, null)),
  ])
  const filled = shelves.filter((shelf) => shelf !== null)
  if (!filled.length) return emptyStore
  const sections = filled.map(({ first, later }, i) => (i === 0 ? first : later))
  return html`${sections.slice(0, 2)}${moodSection}${sections.slice(2)}`
}

const cachedShelf = (core: Core, shelf: Shelf, os: OperatingSystem | null) =>
  shelfCache(core)(`${core.addresses.web_url} ${shelf.kind} ${os}`, () =>
    renderShelf(core, shelf, os),
  )

/** Null for a shelf without listings, which is not shown. */
async function renderShelf(
  core: Core,
  shelf: Shelf,
  os: OperatingSystem | null,
): Promise<RenderedShelf | null> {
  const { rows } = await loadShelf(core, shelf.kind, { os, limit: SHELF_SIZE, now: new Date() })
  if (!rows.length) return null
  const listings = wholeRows(rows).map((row) => showCard(core.addresses, row))
  const pictures = await readPictures(core, thumbnailUrls(listings))
  return {
    first: shelfSection(shelf, cards(listings, pictures, { eager: EAGER_IMAGES })),
    later: shelfSection(shelf, cards(listings, pictures, { eager: 0 })),
  }
}

const shelfSection = ({ kind, title, line, more }: Shelf, listings: Html): Html => html`
  <section class="shelf" aria-labelledby="shelf-${kind}">
    <header>
      <h2 id="shelf-${kind}">${title}</h2>
      <p class="soft">${line}</p>
      <a href="${more}">${richText('shelf-see-all', { title, hidden: hiddenText })}</a>
    </header>
    ${listings}
  </section>
`

/** Most screens show rows of four; a few listings on a second row would look like a mistake. */
const wholeRows = <T>(rows: readonly T[]) =>
  rows.length < SHELF_SIZE && rows.length > SHELF_SIZE / 2 ? rows.slice(0, SHELF_SIZE / 2) : rows

const emptyStore = html`
  <section class="empty">
    <h2>${t('store-empty')}</h2>
    <p>${t('store-empty-text')}</p>
    <p><a class="button button-primary" href="/dashboard">${t('publish-game')}</a></p>
  </section>
`

const mood = (tone: string) => html`
  <li><a class="mood mood-${tone}" href="/search?tone=${tone}">${labelOf(tone)}</a></li>
`
const sessionLength = (bucket: string) => html`
  <li><a href="/search?session_bucket=${bucket}">${labelOf(bucket)}</a></li>
`
const moodSection = html`
  <section class="mood-panel" aria-labelledby="feel">
    <h2 id="feel">${t('mood-question')}</h2>
    <ul class="moods">${tones.map(mood)}</ul>
    <p class="eyebrow">${t('time-question')}</p>
    <ul class="lengths">${sessionBuckets.map(sessionLength)}</ul>
  </section>
`

const feedLink = (title: Text, url: string) => html`
  <link rel="alternate" type="application/atom+xml" title="${title}" href="${url}">
`

const hero = html`
  <section class="hero">
    <div>
      <h1>${t('home-heading')}</h1>
      <p class="lede">${t('home-text')}</p>
      <p class="row">
        <a class="button button-primary" href="/search?asset_type=game">${t('find-game')}</a>
        <a class="button button-quiet" href="/dashboard">${t('home-publish')}</a>
      </p>
    </div>
    ${scene}
  </section>
`

export const homePage = getPage('/', 'Home', {
  auth: visitor,
  limits: [],
  async handle(input) {
    const system = browserSystem(input.request.headers['user-agent'] ?? '')
    const shelves = await renderShelves(input.core, system ?? null)
    input.reply.header('vary', `${visitor.vary}, User-Agent`)
    return page(input, {
      title: t('home-title'),
      description: t('home-description'),
      canonical: '/',
      layout: 'home',
      head: html`
        ${feedLink(t('feed-new-title'), '/feeds/new.atom')}
        ${feedLink(t('feed-updated-title'), '/feeds/updated.atom')}
      `,
      body: html`
        ${hero}
        ${shelves}
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
