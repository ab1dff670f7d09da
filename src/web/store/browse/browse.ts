import { Type } from 'typebox'
import { isLargeCatalog } from '../../../catalog/catalog-size.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import { readParameters, type SearchQuery } from '../../../catalog/search/query/parameters.ts'
import { type FacetCounts, MAX_DEPTH } from '../../../catalog/search/query/plan.ts'
import { find, search, type Viewer } from '../../../catalog/search/search.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perIp } from '../../../core/security/limits.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page } from '../../components/layout.ts'
import { type PageOfList, pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { cards } from './card.ts'
import { type Asked, askedOf, chips, facetsWanted, rail, tagsOf, urlWith } from './filters.ts'

const PAGE_SIZE = 24
const sorts = { relevance: 'Best match', newest: 'Newest', updated: 'Lately updated', name: 'Name' }

export const browsePage = getPage('/search', 'Browse and search the store', {
  auth: visitor,
  limits: [perIp(300)],
  query: Type.Object({}, { additionalProperties: true }),
  async handle(input) {
    const sent = input.query as Record<string, unknown>
    const asked = askedOf(sent)
    const is_large = await isLargeCatalog(input.core)
    const wanted = {
      ...readParameters({ ...sent, facets: facetsWanted(is_large) }),
      page_size: PAGE_SIZE,
    }
    const found =
      is_large && isEverything(asked)
        ? await browseAll(input, wanted)
        : await search(input.core, wanted, input.who)
    const title = headline(asked)
    const items = found.items.map((item) => ({ ...item, username: item.developer.username }))
    return page(input, {
      title: `${title} · Slipway`,
      description: `${formatCount(found.total, 'listing')} on Slipway.`,
      // One address for what is shown, whatever else was in the link; only the plain list is worth finding.
      canonical: urlWith(asked, {}),
      noindex: Object.keys(asked).length > 1,
      q: wanted.q,
      layout: 'browse',
      head: html`<link rel="alternate" type="application/atom+xml" title="${title}" href="/feeds/search.atom${urlWith(asked, { page: undefined }).slice('/search'.length)}">`,
      body: html`<h1>${title}</h1>
<div class="browse-top"><p class="soft" role="status">${formatCount(found.total, 'listing')}</p>${sortMenu(asked)}
<button class="button button-quiet rail-open" popovertarget="filters">${icon('sliders')}Filters</button></div>
${chips(asked)}
<div class="browse-grid">${rail(asked, is_large ? { ...found.facets, tags: tagsOf(found.items) } : (found.facets ?? {}))}
<section aria-label="Results">${items.length ? cards(items, { eager: 6, heading: 'h2' }) : nothing(asked)}${resultPager(asked, found)}</section></div>`,
    })
  },
})

const isEverything = (asked: Asked) =>
  Object.keys(asked).every((name) => name === 'sort' || name === 'page')

/** Counting a whole large catalog takes longer than finding a page of it, and the counts are the same on all pages: they are kept for a while. */
async function browseAll(
  { core, who }: { core: Core; who: Viewer },
  { facets, ...wanted }: SearchQuery,
) {
  const keep =
    keepers.get(core) ??
    createRefreshingCache<FacetCounts>({ cost_factor: 200, max_age_ms: 60_000 })
  keepers.set(core, keep)
  const sees_adult = who?.show_adult ?? false
  const [found, counts] = await Promise.all([
    search(core, wanted, who),
    keep(
      String(sees_adult),
      async () => (await find(core, { facets }, sees_adult, { offset: 0, limit: 1 })).facets ?? {},
    ),
  ])
  return { ...found, facets: counts }
}
const keepers = new WeakMap<Core, ReturnType<typeof createRefreshingCache<FacetCounts>>>()

const headline = ({ q }: Asked) => (q?.length ? `“${q[0]}”` : 'Browse')

function sortMenu(asked: Asked): Html {
  const now = asked.sort?.[0] ?? 'relevance'
  const link = ([sort, label]: [string, string]) =>
    html`<a href="${urlWith(asked, { sort: sort === 'relevance' ? undefined : [sort], page: undefined })}"${sort === now && html` aria-current="true"`}>${label}</a>`
  return html`<nav class="sorts" aria-label="Order">${Object.entries(sorts).map(link)}</nav>`
}

const nothing = (asked: Asked): Html => html`<div class="empty"><h2>Nothing is like that</h2>
<p>Take a filter away, or look for fewer words.</p><p><a class="button button-quiet" href="${urlWith({ q: asked.q ?? [] }, {})}">Without filters</a> <a class="button button-quiet" href="/search">Everything</a></p></div>`

const resultPager = (asked: Asked, { total, ...found }: PageOfList) =>
  pager((page) => urlWith(asked, { page: page === 1 ? undefined : [String(page)] }), {
    ...found,
    total: Math.min(total, MAX_DEPTH),
  })
