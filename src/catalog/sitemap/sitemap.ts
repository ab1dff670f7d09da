import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { developerUrl, pageUrl, pressUrl } from '../../listings/page/url.ts'
import { countEverCreated } from '../cards/queries.ts'
import { createRefreshingCache } from '../refreshing-cache.ts'
import { escapeXml, XML_HEAD } from '../xml.ts'
import {
  readSections,
  readSitemap,
  type SectionRow,
  type SitemapRow,
  type Span,
} from './queries.ts'

/**
 * Listings per file. With as many developers they reach the limit of the protocol, 50,000 URLs, and
 * stay far below its 50 MB.
 */
export const SECTION_SIZE = 25_000
/** Pages of the service itself that search engines may index. */
const publicPages = ['/', '/docs/api'] as const
/** A catalog with at most this many listings ever created fits into one file. */
const MAX_SINGLE_FILE = SECTION_SIZE - publicPages.length
/** Listings per JSON response. */
const JSON_PAGE_SIZE = 50_000
const BATCH = 1000

const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/**
 * The rows of a span in batches. Each batch is read when the previous one has been consumed, and
 * has what is public at that time.
 */
async function* batches(
  { read }: Pick<Core, 'read'>,
  span: Span,
  max_listings = Number.POSITIVE_INFINITY,
): AsyncGenerator<SitemapRow[]> {
  let { after } = span
  for (let remaining = max_listings; remaining > 0; ) {
    const size = Math.min(BATCH, remaining)
    const from = { ...span, after }
    const rows = await read((sql) => readSitemap(sql, from, size))
    if (rows.length) yield rows
    if (rows.length < size) return
    after = rows.at(-1)!.asset_id
    remaining -= rows.length
  }
}

const pathOf = ({ username, vanity_name }: SitemapRow) => ({
  owner_username: username,
  vanity_name,
})
const location = (url: string, updated_at?: Date) =>
  `<loc>${escapeXml(url)}</loc>` +
  (updated_at ? `<lastmod>${updated_at.toISOString()}</lastmod>` : '')
const urlEntry = (url: string, updated_at?: Date) => `<url>${location(url, updated_at)}</url>\n`

function urlsOf(addresses: Addresses, row: SitemapRow, press: boolean): string {
  const { username, updated_at, developer_updated_at } = row
  const developer = developer_updated_at
    ? urlEntry(developerUrl(addresses, username), developer_updated_at)
    : ''
  return (
    developer +
    urlEntry(pageUrl(addresses, pathOf(row)), updated_at) +
    (press ? urlEntry(pressUrl(addresses, pathOf(row)), updated_at) : '')
  )
}

const pageUrls = ({ web_url }: Addresses) =>
  publicPages.map((path) => urlEntry(web_url + path)).join('')

type UrlsetOptions = { pages?: boolean; press?: boolean; max_listings?: number }

/**
 * A sitemap file. It yields nothing when there are no URLs, because the protocol has no empty file.
 */
export async function* urlset(
  core: Core,
  span: Span,
  { pages, press = false, max_listings }: UrlsetOptions,
) {
  // Sent with the first rows, so that a database that does not answer can still be reported.
  let open = `${XML_HEAD}<urlset xmlns="${XMLNS}">\n${pages ? pageUrls(core.addresses) : ''}`
  let begun = false
  for await (const rows of batches(core, span, max_listings)) {
    yield open + rows.map((row) => urlsOf(core.addresses, row, press)).join('')
    open = ''
    begun = true
  }
  if (begun || pages) yield `${open}</urlset>\n`
}

const refreshPolicy = { cost_factor: 100, max_age_ms: 600_000 }
const sectionsOf = perCore(() => createRefreshingCache<SectionRow[]>(refreshPolicy))

/** The sitemap index: the sections and their last changes, at most ten minutes old. */
export async function sitemapIndex(core: Core): Promise<string> {
  const sections = await sectionsOf(core)('sections', () =>
    core.read((sql) => readSections(sql, SECTION_SIZE), core.slow),
  )
  const entry = (name: string, updated_at?: Date) =>
    `<sitemap>${location(`${core.addresses.web_url}/sitemaps/${name}.xml`, updated_at)}</sitemap>\n`
  const files = sections.map(({ section, updated_at }) => entry(String(section), updated_at))
  return [
    `${XML_HEAD}<sitemapindex xmlns="${XMLNS}">\n`,
    entry('pages'),
    ...files,
    '</sitemapindex>\n',
  ].join('')
}

export const fitsOneFile = async (core: Core) =>
  (await countEverCreated(core.sql)) <= MAX_SINGLE_FILE

export const pagesFile = ({ addresses }: Core) =>
  `${XML_HEAD}<urlset xmlns="${XMLNS}">\n${pageUrls(addresses)}</urlset>\n`

/** The span of a section by its number, starting with 1. */
export const sectionSpan = (section: number): Span => ({
  after: (section - 1) * SECTION_SIZE,
  up_to: section * SECTION_SIZE,
})

/**
 * The sitemap as JSON: listings and developers in the envelope, with the cursor to continue from.
 */
export async function* sitemapJson(
  core: Core,
  cursor: number,
  page = JSON_PAGE_SIZE,
): AsyncGenerator<string> {
  const { addresses } = core
  const developers: string[] = []
  let sent = 0
  let last = cursor
  let before = '{"success":true,"data":{"listings":['
  for await (const rows of batches(core, { after: cursor, up_to: null }, page)) {
    const listings = rows.map((row) => {
      const { uid, vanity_name, username, updated_at, developer_updated_at: changed } = row
      if (changed)
        developers.push(
          JSON.stringify({ username, url: developerUrl(addresses, username), updated_at: changed }),
        )
      return JSON.stringify({
        uid,
        vanity_name,
        developer: username,
        url: pageUrl(addresses, pathOf(row)),
        press_url: pressUrl(addresses, pathOf(row)),
        updated_at,
      })
    })
    yield before + listings.join(',')
    before = ','
    sent += rows.length
    last = rows.at(-1)!.asset_id
  }
  const next = sent === page ? JSON.stringify(String(last)) : 'null'
  yield `${sent ? '' : before}],"developers":[${developers.join(',')}],"next_cursor":${next}}}`
}
