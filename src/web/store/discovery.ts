import type { FastifyRequest } from 'fastify'
import { isReservedUsername } from '../../accounts/people/usernames.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Discovery } from '../../payments/orders/discovery.ts'

/** The headers by which browsers say where a visitor comes from. */
export const DISCOVERY_VARY = 'Referer, Sec-Fetch-Site'

/**
 * How a visitor came to a listing, by the page that their browser names. Only the word is kept, and
 * in the page itself: no cookie follows the visitor.
 */
export function discoveryOf(
  { headers, url }: Pick<FastifyRequest, 'headers' | 'url'>,
  { web_url, base_url }: Pick<Addresses, 'web_url' | 'base_url'>,
): Discovery {
  const referrer = URL.parse(headers.referer ?? '')
  const fetch_site = headers['sec-fetch-site']
  if (!referrer) return withoutReferrer(fetch_site)
  const own = [web_url, base_url].map((address) => new URL(address).host)
  if (!own.includes(referrer.host)) return 'external'
  return fromPage(referrer, new URL(url, web_url).pathname)
}

/** Sites can hide their address, but browsers still say that another site led here. */
function withoutReferrer(fetch_site: string | string[] | undefined): Discovery {
  if (fetch_site === 'cross-site' || fetch_site === 'same-site') return 'external'
  return fetch_site === 'same-origin' ? 'other' : 'direct'
}

function fromPage({ pathname, searchParams }: URL, listing_path: string): Discovery {
  const [first = '', second, third] = pathname.split('/').slice(1)
  if (first === '') return 'home'
  if (first === 'search')
    return searchParams.has('tags') && !searchParams.get('q') ? 'tag' : 'search'
  // The widget is a page of the store, but stands on another site.
  if (third === 'embed') return 'external'
  if (pathname === listing_path || pathname.startsWith(`${listing_path}/`)) return 'other'
  if (isReservedUsername(first)) return 'other'
  return second ? 'listing' : 'developer'
}
