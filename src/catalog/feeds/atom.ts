import { etagMatches } from '../../core/http/file-headers.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { PRODUCT_NAME } from '../../core/settings/table.ts'
import { developerUrl, pageUrl } from '../../listings/page/url.ts'
import { listingSale } from '../../listings/prices/offers.ts'
import { priceText } from '../price-text.ts'
import type { SearchQuery } from '../search/query/parameters.ts'
import { escapeXml as text, XML_HEAD } from '../xml.ts'
import type { FeedRow, FeedSort } from './queries.ts'

export const FEED_LENGTH = 50

/** The title and URL of a feed, and the page that it belongs to. */
export type FeedHead = { title: string; self: string; page: string }
/** What a feed says about the store. */
type FeedStore = Pick<Core, 'addresses'> & { settings: Pick<Core['settings'], 'current'> }
export type Feed = { xml: string; etag: string; updated_at: Date }

/**
 * RFC 4287. The same rows always make the same bytes, so that the hash shows whether anything is
 * new.
 */
export function atom(
  { addresses, settings }: FeedStore,
  { title, self, page }: FeedHead,
  rows: readonly FeedRow[],
): Feed {
  const { store_name, powered_by } = settings.current
  // A feed must have an update time, even without entries.
  const updated_at = new Date(Math.max(0, ...rows.map((row) => row.updated_at.getTime())))
  const head = [
    `<id>${text(self)}</id>`,
    `<title>${text(title)}</title>`,
    `<updated>${updated_at.toISOString()}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${text(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${text(page)}"/>`,
    `<author><name>${text(store_name)}</name></author>`,
    ...(powered_by ? [`<generator>${PRODUCT_NAME}</generator>`] : []),
  ]
  const entries = rows.map((row) => entry(addresses, row))
  const body = [...head, ...entries].join('\n')
  const xml = `${XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">\n${body}\n</feed>\n`
  return { xml, etag: `"${sha256(xml).toString('base64url').slice(0, 27)}"`, updated_at }
}

/** What a listing is, and what it costs unless it is free. */
function summary({ tagline, price_cents, sale_facts }: FeedRow): string {
  if (price_cents === 0) return tagline
  return [tagline, priceText(price_cents, listingSale(sale_facts))].filter(Boolean).join(' · ')
}

function entry(addresses: Addresses, row: FeedRow): string {
  const { uid, vanity_name, name, username, genres, tags, published_at, updated_at } = row
  const categories = new Set([...genres, ...tags])
  const url = pageUrl(addresses, { owner_username: username, vanity_name })
  const author_url = developerUrl(addresses, username)
  return [
    `<entry><id>urn:uuid:${uid}</id>`,
    `<title>${text(name)}</title>`,
    `<published>${published_at.toISOString()}</published>` +
      `<updated>${updated_at.toISOString()}</updated>`,
    `<link rel="alternate" type="text/html" href="${text(url)}"/>`,
    `<author><name>${text(username)}</name><uri>${text(author_url)}</uri></author>`,
    ...[...categories].map((term) => `<category term="${text(term)}"/>`),
    `<summary>${text(summary(row))}</summary></entry>`,
  ].join('\n')
}

/** Whether the client's copy is current: by its entity tag if it sent one, or else by its date. */
export function isCurrent(
  { etag, updated_at }: Feed,
  headers: { 'if-none-match'?: string; 'if-modified-since'?: string },
): boolean {
  if (headers['if-none-match'] !== undefined) return etagMatches(headers['if-none-match'], etag)
  // The dates must be equal: when the newest entry is hidden the date goes back, which is a change
  // too.
  return headers['if-modified-since'] === updated_at.toUTCString()
}

const canonicalList = (values: string[]) =>
  [...new Set(values.map((value) => value.trim().toLowerCase()).filter(Boolean))].sort().join(',')

/** The canonical URL of a search feed, however its parameters were ordered, repeated or spelled. */
export function searchHead(
  { addresses: { web_url }, settings }: FeedStore,
  query: SearchQuery,
  sort: FeedSort,
): FeedHead {
  const { page: _page, page_size: _page_size, facets: _facets, ...filters } = query
  const parameters = Object.entries({ ...filters, sort: sort === 'newest' ? undefined : sort })
    .map(
      ([name, value]) =>
        [name, Array.isArray(value) ? canonicalList(value) : String(value ?? '')] as const,
    )
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const search = parameters.length ? `?${new URLSearchParams(Object.fromEntries(parameters))}` : ''
  const { store_name } = settings.current
  const title = `${query.q ? `“${query.q.trim()}”` : 'Search'} on ${store_name}`
  return {
    title,
    self: `${web_url}/feeds/search.atom${search}`,
    page: `${web_url}/search${search}`,
  }
}
