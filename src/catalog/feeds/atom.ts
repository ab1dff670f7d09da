import type { Addresses } from '../../core/runtime/config.ts'
import { sha256 } from '../../core/security/crypto.ts'
import { matches } from '../../downloads/range-headers.ts'
import { developerUrl, pageUrl } from '../../listings/page/url.ts'
import type { SearchQuery } from '../search/query/parameters.ts'
import { escapeXml as text, XML_HEAD } from '../xml.ts'
import type { FeedRow, FeedSort } from './queries.ts'

export const FEED_LENGTH = 50

/** What a feed is called, where it is, and the page it speaks for. */
export type FeedHead = { title: string; self: string; page: string }
export type Feed = { xml: string; etag: string; updated_at: Date }

/** RFC 4287. The same rows make the same bytes, so that their hash tells whether there is news. */
export function atom(
  addresses: Addresses,
  { title, self, page }: FeedHead,
  rows: readonly FeedRow[],
): Feed {
  // A feed without entries was never updated, and has to say when it was.
  const updated_at = new Date(Math.max(0, ...rows.map((row) => row.updated_at.getTime())))
  const head = [
    `<id>${text(self)}</id>`,
    `<title>${text(title)}</title>`,
    `<updated>${updated_at.toISOString()}</updated>`,
    `<link rel="self" type="application/atom+xml" href="${text(self)}"/>`,
    `<link rel="alternate" type="text/html" href="${text(page)}"/>`,
    '<author><name>Slipway</name></author>',
    '<generator>Slipway</generator>',
  ]
  const entries = rows.map((row) => entry(addresses, row))
  const xml = `${XML_HEAD}<feed xmlns="http://www.w3.org/2005/Atom">\n${[...head, ...entries].join('\n')}\n</feed>\n`
  return { xml, etag: `"${sha256(xml).toString('base64url').slice(0, 27)}"`, updated_at }
}

function entry(
  addresses: Addresses,
  { uid, vanity_name, name, tagline, username, genres, tags, published_at, updated_at }: FeedRow,
): string {
  const categories = new Set([...genres, ...tags])
  return [
    `<entry><id>urn:uuid:${uid}</id>`,
    `<title>${text(name)}</title>`,
    `<published>${published_at.toISOString()}</published><updated>${updated_at.toISOString()}</updated>`,
    `<link rel="alternate" type="text/html" href="${text(pageUrl(addresses, { owner_username: username, vanity_name }))}"/>`,
    `<author><name>${text(username)}</name><uri>${text(developerUrl(addresses, username))}</uri></author>`,
    ...[...categories].map((term) => `<category term="${text(term)}"/>`),
    `<summary>${text(tagline)}</summary></entry>`,
  ].join('\n')
}

/** Whether the reader's copy is the one there is: by its tag if they sent one, else by its date. */
export function isCurrent(
  { etag, updated_at }: Feed,
  headers: { 'if-none-match'?: string; 'if-modified-since'?: string },
): boolean {
  if (headers['if-none-match'] !== undefined) return matches(headers['if-none-match'], etag)
  // Exactly that date: when the newest entry is taken back the date goes back, and that is news as well.
  return headers['if-modified-since'] === updated_at.toUTCString()
}

const alike = (values: string[]) =>
  [...new Set(values.map((value) => value.trim().toLowerCase()).filter(Boolean))].sort().join(',')

/** The feed of a search is the same feed however its parameters were ordered, repeated or spelled. */
export function searchHead({ web_url }: Addresses, query: SearchQuery, sort: FeedSort): FeedHead {
  const { page: _page, page_size: _page_size, facets: _facets, ...asked } = query
  const said = Object.entries({ ...asked, sort: sort === 'newest' ? undefined : sort })
    .map(
      ([name, value]) => [name, Array.isArray(value) ? alike(value) : String(value ?? '')] as const,
    )
    .filter(([, value]) => value !== '')
    .sort(([a], [b]) => (a < b ? -1 : 1))
  const search = said.length ? `?${new URLSearchParams(Object.fromEntries(said))}` : ''
  const title = query.q ? `“${query.q.trim()}” on Slipway` : 'A search on Slipway'
  return {
    title,
    self: `${web_url}/feeds/search.atom${search}`,
    page: `${web_url}/search${search}`,
  }
}
