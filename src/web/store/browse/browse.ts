import { Type } from 'typebox'
import { isLargeCatalog } from '../../../catalog/catalog-size.ts'
import { createRefreshingCache } from '../../../catalog/refreshing-cache.ts'
import { readParameters, type SearchQuery } from '../../../catalog/search/query/parameters.ts'
import { type FacetCounts, MAX_DEPTH } from '../../../catalog/search/query/plan.ts'
import { find, search, type Viewer } from '../../../catalog/search/search.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { perCore } from '../../../core/runtime/per-core.ts'
import { perIp } from '../../../core/security/limits.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { formatCount } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { page, withStoreName } from '../../components/layout.ts'
import { type PageOfList, pager } from '../../components/pager.ts'
import { getPage } from '../../page-routes.ts'
import { visitor } from '../../visitor.ts'
import { inCurrency } from '../card-prices.ts'
import { currencyOf } from '../currency.ts'
import { type Card, cards, thumbnailPreload, thumbnailUrls } from './card.ts'
import {
  activeFilters,
  DEFAULT_SORT,
  type Filters,
  facetsToCount,
  filterRail,
  parseFilters,
  searchUrl,
  sorts,
  tagsOf,
  unfilteredUrl,
} from './filters.ts'
import { searchHints } from './search-hints.ts'

const PAGE_SIZE = 24

export const browsePage = getPage('/search', 'Browse and search the store', {
  auth: visitor,
  limits: [perIp(300)],
  query: Type.Object({}, { additionalProperties: true }),
  async handle(input) {
    const filters = parseFilters(input.query as Record<string, unknown>)
    const { query, results, facets } = await findListings(input, filters)
    const last = Math.ceil(Math.min(results.total, MAX_DEPTH) / PAGE_SIZE)
    if (last > 0 && results.page > last) return input.reply.redirect(pageUrl(filters, last), 302)
    const [items, pictures, hints] = await Promise.all([
      inCurrency(input.core, currencyOf(input.request), results.items),
      readPictures(input.core, thumbnailUrls(results.items)),
      searchHints(input, filters, results),
    ])
    const [q] = filters.q ?? []
    const title = q ? t('search-title', { q }) : t('nav-browse')
    const count = formatCount(results.total, 'listing')
    return page(input, {
      title: withStoreName(input.core, title),
      description: t('browse-description', {
        count: results.total,
        store: input.core.settings.current.store_name,
      }),
      // One canonical address per search. Only unfiltered lists are indexed.
      canonical: searchUrl(filters),
      noindex: Object.keys(filters).length > 1,
      q: query.q,
      layout: 'browse',
      scripts: ['filters.mjs'],
      skip: html`<a class="skip" href="#results">${t('skip-to-results')}</a>`,
      head: html`
        ${results.items[0] && thumbnailPreload(pictures, results.items[0])}
        ${feedLink(title, filters)}
      `,
      body: html`
        <h1>${title}</h1>
        <div class="browse-top">
          <p class="soft" role="status">${count}</p>
          ${sortMenu(filters)}
          <button class="button button-quiet rail-open" popovertarget="filters">
            ${icon('sliders')}${t('filters-title')}
          </button>
        </div>
        ${activeFilters(filters)}
        <div class="browse-grid">
          ${filterRail(filters, facets, results.total)}
          <section id="results" tabindex="-1" aria-label="${t('search-results')}">
            ${hints}
            ${resultCards(items, filters, pictures)}
            ${resultPager(filters, results)}
          </section>
        </div>
      `,
    })
  },
})

type BrowseInput = { core: Core; who: Viewer }

/** The results of a search and the numbers for its filters. */
async function findListings({ core, who }: BrowseInput, filters: Filters) {
  const is_large = await isLargeCatalog(core)
  const query = {
    ...readParameters({ ...filters, facets: facetsToCount(is_large) }),
    page_size: PAGE_SIZE,
    count_alternatives: true,
  }
  const results =
    is_large && hasNoFilters(filters)
      ? await browseAll({ core, who }, query)
      : await search(core, query, who)
  const facets = is_large
    ? { ...results.facets, tags: tagsOf(results.items) }
    : (results.facets ?? {})
  return { query, results, facets }
}

const hasNoFilters = (filters: Filters) =>
  Object.keys(filters).every((name) => name === 'sort' || name === 'page')

/**
 * The complete catalog. Counting all of a large one takes longer than finding a page of it, and
 * the counts are the same on all pages, so they are cached.
 */
async function browseAll(
  { core, who }: { core: Core; who: Viewer },
  { facets, ...query }: SearchQuery,
) {
  const sees_adult = who?.show_adult ?? false
  const countFacets = async () =>
    (await find(core, { facets }, sees_adult, { offset: 0, limit: 1 })).facets ?? {}
  const [results, counts] = await Promise.all([
    search(core, query, who),
    facetCache(core)(String(sees_adult), countFacets),
  ])
  return { ...results, facets: counts }
}
const facetCache = perCore(() =>
  createRefreshingCache<FacetCounts>({ cost_factor: 200, max_age_ms: 60_000 }),
)

function feedLink(title: Text, filters: Filters): Html {
  const query = searchUrl(filters, { page: undefined }).slice('/search'.length)
  return html`
    <link rel="alternate" type="application/atom+xml" title="${title}"
      href="/feeds/search.atom${query}">
  `
}

function sortMenu(filters: Filters): Html {
  const current = filters.sort?.[0] ?? DEFAULT_SORT
  // Without words to match, the order is that of the catalog.
  const labels = filters.q ? sorts : { ...sorts, [DEFAULT_SORT]: t('sort-recommended') }
  const link = ([sort, label]: [string, Text]) => {
    const url = searchUrl(filters, {
      sort: sort === DEFAULT_SORT ? undefined : [sort],
      page: undefined,
    })
    return html`<a href="${url}"${sort === current && html` aria-current="true"`}>${label}</a>`
  }
  return html`
    <nav class="sorts" aria-label="${t('sort-label')}">
      ${Object.entries(labels).map(link)}
    </nav>
  `
}

type Item = Awaited<ReturnType<typeof search>>['items'][number] & Pick<Card, 'offer'>

const resultCards = (items: readonly Item[], filters: Filters, pictures: Pictures): Html =>
  items.length
    ? cards(
        items.map((item) => ({ ...item, username: item.developer.username })),
        pictures,
        { eager: 6, heading: 'h2', is_top: true },
      )
    : noResults(filters)

const noResults = (filters: Filters): Html => html`
  <div class="empty">
    <h2>${t('no-results')}</h2>
    <p>${t('no-results-text')}</p>
    <p>
      <a class="button button-quiet" href="${unfilteredUrl(filters)}">
        ${t('filters-clear')}
      </a>
      <a class="button button-quiet" href="/search">${t('browse-everything')}</a>
    </p>
  </div>
`

const pageUrl = (filters: Filters, page: number) =>
  searchUrl(filters, { page: page === 1 ? undefined : [String(page)] })

const resultPager = (filters: Filters, { total, page, page_size }: PageOfList) =>
  pager((page) => pageUrl(filters, page), { total: Math.min(total, MAX_DEPTH), page, page_size })
