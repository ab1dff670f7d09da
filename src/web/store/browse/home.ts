import { showCard } from '../../../catalog/cards/cards.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import type { ShelfKind } from '../../../catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../../catalog/shelves/shelves.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { sessionBuckets, tones } from '../../../listings/fields/fields.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { page } from '../../components/layout.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { cards } from './card.ts'
import { scene } from './scene.ts'

const shown: { kind: ShelfKind; title: string; line: string; more: string }[] = [
  {
    kind: 'tonight',
    title: 'For tonight',
    line: 'A quarter of an hour each, and they start.',
    more: '/search?asset_type=game&session_bucket=15m',
  },
  {
    kind: 'unheard_of',
    title: 'Unheard of',
    line: 'New, finished, and hardly anyone has played them yet.',
    more: '/search?asset_type=game,application&sort=newest',
  },
  {
    kind: 'new',
    title: 'Just launched',
    line: 'In the water since this month.',
    more: '/search?sort=newest',
  },
  {
    kind: 'recently_updated',
    title: 'Back from the yard',
    line: 'Games with a new build.',
    more: '/search?sort=updated',
  },
  {
    kind: 'tools_and_assets',
    title: 'For those who build',
    line: 'Tools, mods, plugins and assets.',
    more: '/search?asset_type=tool,mod,plugin,game_asset,dev_asset',
  },
]
const LIMIT = 8

/** Found and spelled out at most a few times a second, however many ask. */
const keeping = { cost_factor: 20, max_age_ms: 10_000 }
const keepers = new WeakMap<Core, ReturnType<typeof createRefreshingCache<Html>>>()

function shelvesOf(core: Core): Promise<Html> {
  const keep = keepers.get(core) ?? createRefreshingCache<Html>(keeping)
  keepers.set(core, keep)
  return keep(core.addresses.web_url, () => makeShelves(core))
}

async function makeShelves(core: Core): Promise<Html> {
  const now = new Date()
  const found = await Promise.all(
    shown.map(async (one) => ({
      ...one,
      ...(await loadShelf(core, one.kind, { os: null, limit: LIMIT, now: now })),
    })),
  )
  const full = found.filter(({ rows }) => rows.length)
  if (!full.length) return empty
  return html`${full.map(
    (
      { kind, title, line, more, rows },
      i,
    ) => html`<section class="shelf" aria-labelledby="shelf-${kind}">
  <header><h2 id="shelf-${kind}">${title}</h2><p class="soft">${line}</p><a href="${more}">See all<span class="sr"> of ${title}</span></a></header>
  ${cards(
    wholeRows(rows).map((row) => showCard(core.addresses, row)),
    { eager: i === 0 ? 4 : 0 },
  )}
</section>${i === 1 && feel}`,
  )}${full.length < 2 && feel}`
}

/** Four stand in a row on most screens: a lone fifth looks like a mistake. */
const wholeRows = <T>(rows: readonly T[]) =>
  rows.length < LIMIT && rows.length > LIMIT / 2 ? rows.slice(0, LIMIT / 2) : rows

const empty = html`<section class="empty"><h2>The slip is empty</h2>
<p>Nothing has been launched here yet. Publishing takes a page, a few pictures and a zip.</p>
<p><a class="button button-primary" href="/dashboard">Publish the first one</a></p></section>`

const feel = html`<section class="feel" aria-labelledby="feel"><h2 id="feel">What are you in the mood for?</h2>
<ul class="moods">${tones.map((tone) => html`<li><a class="mood mood-${tone}" href="/search?tone=${tone}">${labelOf(tone)}</a></li>`)}</ul>
<p class="eyebrow">And how long do you have?</p>
<ul class="lengths">${sessionBuckets.map((bucket) => html`<li><a href="/search?session_bucket=${bucket}">${labelOf(bucket)}</a></li>`)}</ul></section>`

export const homePage = getPage('/', 'Home', {
  auth: visitor,
  limits: [],
  async handle(input) {
    return page(input, {
      title: 'Slipway: games from the people who made them',
      description:
        'Games, tools, mods and assets, launched by the people who made them: scanned, with their origin, and with how well they start.',
      canonical: '/',
      layout: 'home',
      head: html`<link rel="alternate" type="application/atom+xml" title="New on Slipway" href="/feeds/new.atom">
<link rel="alternate" type="application/atom+xml" title="Updated on Slipway" href="/feeds/updated.atom">`,
      body: html`<section class="hero"><div><h1>Where games go into the water.</h1>
<p class="lede">Launched by the people who made them. Every file scanned, every origin told, and how well it starts said up front.</p>
<p class="row"><a class="button button-primary" href="/search?asset_type=game">Find a game</a><a class="button button-quiet" href="/dashboard">Launch your own</a></p></div>${scene}</section>
${await shelvesOf(input.core)}
<p class="feeds">Follow along: <a href="/feeds/new.atom">new</a> and <a href="/feeds/updated.atom">updated</a> as Atom feeds.</p>`,
    })
  },
})
