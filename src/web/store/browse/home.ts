import { showCard } from '../../../catalog/cards/cards.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import type { ShelfKind } from '../../../catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../../catalog/shelves/shelves.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { sessionBuckets, tones } from '../../../listings/fields/fields.ts'
import type { OperatingSystem } from '../../../listings/fields/versions.ts'
import { readPictures } from '../../../listings/renditions/pictures.ts'
import { browserSystem } from '../../browser-system.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { page } from '../../components/layout.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { cards, thumbnailUrls } from './card.ts'
import { scene } from './scene.ts'

type Shelf = { kind: ShelfKind; title: string; line: string; more: string }

/** Only with downloads for the visitor's system, where it is known. */
const quickPlays = (os: OperatingSystem | null): Shelf => ({
  kind: 'tonight',
  title: 'Quick plays',
  line: `Games for 15 minutes that start reliably${os ? ` on ${labelOf(os)}` : ''}.`,
  more: `/search?asset_type=game&session_bucket=15m${os ? `&os=${os}` : ''}`,
})
const otherShelves: Shelf[] = [
  {
    kind: 'unheard_of',
    title: 'Hidden gems',
    line: 'New and finished, and hardly anyone has played them yet.',
    more: '/search?asset_type=game,application&sort=newest',
  },
  {
    kind: 'new',
    title: 'Just launched',
    line: 'Released this month.',
    more: '/search?sort=newest',
  },
  {
    kind: 'recently_updated',
    title: 'Recently updated',
    line: 'Games with a new build.',
    more: '/search?sort=updated',
  },
  {
    kind: 'tools_and_assets',
    title: 'For developers',
    line: 'Tools, mods, plugins and assets.',
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
      <a href="${more}">See all<span class="sr"> of ${title}</span></a>
    </header>
    ${listings}
  </section>
`

/** Most screens show rows of four; a few listings on a second row would look like a mistake. */
const wholeRows = <T>(rows: readonly T[]) =>
  rows.length < SHELF_SIZE && rows.length > SHELF_SIZE / 2 ? rows.slice(0, SHELF_SIZE / 2) : rows

const emptyStore = html`
  <section class="empty">
    <h2>Nothing here yet</h2>
    <p>Be the first: all it takes is a page, a few images and a ZIP file.</p>
    <p><a class="button button-primary" href="/dashboard">Publish a game</a></p>
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
    <h2 id="feel">What are you in the mood for?</h2>
    <ul class="moods">${tones.map(mood)}</ul>
    <p class="eyebrow">And how much time do you have?</p>
    <ul class="lengths">${sessionBuckets.map(sessionLength)}</ul>
  </section>
`

const feedLink = (title: string, url: string) => html`
  <link rel="alternate" type="application/atom+xml" title="${title}" href="${url}">
`

const hero = html`
  <section class="hero">
    <div>
      <h1>Where games go into the water.</h1>
      <p class="lede">
        Games from the people who made them. Every file is scanned and shows where it came from,
        and you see how reliably a game starts before you download it.
      </p>
      <p class="row">
        <a class="button button-primary" href="/search?asset_type=game">Find a game</a>
        <a class="button button-quiet" href="/dashboard">Publish your own</a>
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
      title: 'Slipway: games from the people who made them',
      description:
        'Games, tools, mods and assets from the people who made them. Every file is scanned and ' +
        'shows where it came from and how reliably it starts.',
      canonical: '/',
      layout: 'home',
      head: html`
        ${feedLink('New on Slipway', '/feeds/new.atom')}
        ${feedLink('Updated on Slipway', '/feeds/updated.atom')}
      `,
      body: html`
        ${hero}
        ${shelves}
        <p class="feeds">
          Atom feeds: <a href="/feeds/new.atom">new</a>,
          <a href="/feeds/updated.atom">updated</a>
        </p>
      `,
    })
  },
})
