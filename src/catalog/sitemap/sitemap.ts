import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
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

/** Listings of one file: with as many developers they are what the protocol allows, 50,000 addresses, and far below its 50 MB. */
export const SECTION = 25_000
/** Pages of the service itself that everyone may find. */
export const publicPages = ['/', '/docs/api'] as const
/** So many of the listings made can never be more than one file's worth. */
export const SINGLE_FILE = SECTION - publicPages.length
/** Listings in one JSON answer. */
export const JSON_PAGE = 50_000
const BATCH = 1000

export const XMLNS = 'http://www.sitemaps.org/schemas/sitemap/0.9'

/** The rows of a span, a batch at a time: each batch is read when the one before was taken, and shows what is public at that moment. */
async function* batches(
  { read }: Pick<Core, 'read'>,
  span: Span,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<SitemapRow[]> {
  let { after } = span
  for (let left = most; left > 0; ) {
    const size = Math.min(BATCH, left)
    const from = { ...span, after }
    const rows = await read((sql) => readSitemap(sql, from, size))
    if (rows.length) yield rows
    if (rows.length < size) return
    after = rows.at(-1)!.asset_id
    left -= rows.length
  }
}

const named = ({ username, vanity_name }: SitemapRow) => ({ owner_username: username, vanity_name })
const url = (loc: string, updated_at?: Date) =>
  `<url><loc>${escapeXml(loc)}</loc>${updated_at ? `<lastmod>${updated_at.toISOString()}</lastmod>` : ''}</url>\n`

function urlsOf(addresses: Addresses, row: SitemapRow, press: boolean): string {
  const { username, updated_at, developer_updated_at } = row
  const developer = developer_updated_at
    ? url(developerUrl(addresses, username), developer_updated_at)
    : ''
  return (
    developer +
    url(pageUrl(addresses, named(row)), updated_at) +
    (press ? url(pressUrl(addresses, named(row)), updated_at) : '')
  )
}

const pageUrls = ({ web_url }: Addresses) => publicPages.map((path) => url(web_url + path)).join('')

type Parts = { pages?: boolean; press?: boolean; most?: number }

/** A file of addresses. Nothing when there are none, which the protocol has no file for. */
export async function* urlset(core: Core, span: Span, { pages, press = false, most }: Parts) {
  const open = `${XML_HEAD}<urlset xmlns="${XMLNS}">\n`
  let begun = Boolean(pages)
  if (pages) yield open + pageUrls(core.addresses)
  for await (const rows of batches(core, span, most)) {
    yield (begun ? '' : open) + rows.map((row) => urlsOf(core.addresses, row, press)).join('')
    begun = true
  }
  if (begun) yield '</urlset>\n'
}

const keeping = { cost_factor: 100, max_age_ms: 600_000 }
const keepers = new WeakMap<Core, ReturnType<typeof createRefreshingCache<SectionRow[]>>>()

/** The file of files: which sections there are, and when something in each changed; at most ten minutes old. */
export async function sitemapIndex(core: Core): Promise<string> {
  const keep = keepers.get(core) ?? createRefreshingCache<SectionRow[]>(keeping)
  keepers.set(core, keep)
  const sections = await keep('sections', () =>
    core.read((sql) => readSections(sql, SECTION), core.slow),
  )
  const entry = (name: string, updated_at?: Date) =>
    `<sitemap><loc>${escapeXml(`${core.addresses.web_url}/sitemaps/${name}.xml`)}</loc>${updated_at ? `<lastmod>${updated_at.toISOString()}</lastmod>` : ''}</sitemap>\n`
  const files = sections.map(({ section, updated_at }) => entry(String(section), updated_at))
  return `${XML_HEAD}<sitemapindex xmlns="${XMLNS}">\n${entry('pages')}${files.join('')}</sitemapindex>\n`
}

export const fitsOneFile = async (core: Core) => (await countEverCreated(core.sql)) <= SINGLE_FILE

export const pagesFile = ({ addresses }: Core) =>
  `${XML_HEAD}<urlset xmlns="${XMLNS}">\n${pageUrls(addresses)}</urlset>\n`

/** The span of a section by its number, from 1. */
export const sectionSpan = (section: number): Span => ({
  after: (section - 1) * SECTION,
  up_to: section * SECTION,
})

/** The JSON twin: listings and developers, in the envelope, with the cursor to go on from. */
export async function* sitemapJson(
  core: Core,
  cursor: number,
  page = JSON_PAGE,
): AsyncGenerator<string> {
  const { addresses } = core
  const developers: string[] = []
  let [sent, last] = [0, cursor]
  let before = '{"success":true,"data":{"listings":['
  for await (const rows of batches(core, { after: cursor, up_to: null }, page)) {
    const listings = rows.map((row) => {
      const { uid, vanity_name, username, updated_at, developer_updated_at: changed } = row
      if (changed)
        developers.push(
          JSON.stringify({ username, url: developerUrl(addresses, username), updated_at: changed }),
        )
      const addressed = {
        url: pageUrl(addresses, named(row)),
        press_url: pressUrl(addresses, named(row)),
      }
      return JSON.stringify({ uid, vanity_name, developer: username, ...addressed, updated_at })
    })
    yield before + listings.join(',')
    before = ','
    sent += rows.length
    last = rows.at(-1)!.asset_id
  }
  const next = sent === page ? JSON.stringify(String(last)) : 'null'
  yield `${sent ? '' : before}],"developers":[${developers.join(',')}],"next_cursor":${next}}}`
}
