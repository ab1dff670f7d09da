import type { Static } from 'typebox'
import type { Addresses } from '../../../core/runtime/config.ts'
import type { PageData } from '../../../listings/page/schema.ts'
import { developerUrl, pageUrl } from '../../../listings/page/url.ts'
import { formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import type { Shown } from './body.ts'

export type ListingPage = Static<typeof PageData>
type Picture = { url: string; alt: string }

/** Cover before thumbnail, and only what others may fetch. */
function shareImage({
  cover,
  thumbnail,
  name,
}: Pick<ListingPage, 'cover' | 'thumbnail' | 'name'>): Picture | undefined {
  const url = cover || thumbnail
  if (!url || url.length > 2048) return undefined
  return { url, alt: `${cover ? 'Cover art' : 'Thumbnail'} for ${name}` }
}

/** What chats and feeds show of a link. */
export function shareCard(
  title: string,
  description: string,
  url: string,
  picture?: Picture,
): Html {
  return html`<meta property="og:type" content="website"><meta property="og:site_name" content="Slipway"><meta property="og:title" content="${title}"><meta property="og:description" content="${description}"><meta property="og:url" content="${url}">
<meta name="twitter:card" content="summary_large_image"><meta name="twitter:title" content="${title}"><meta name="twitter:description" content="${description}">
${picture && html`<meta property="og:image" content="${picture.url}"><meta property="og:image:alt" content="${picture.alt}"><meta name="twitter:image" content="${picture.url}"><meta name="twitter:image:alt" content="${picture.alt}">`}`
}

export function listingHead(addresses: Addresses, listing: ListingPage): Html {
  const url = pageUrl(addresses, {
    owner_username: listing.developer.username,
    vanity_name: listing.vanity_name,
  })
  return html`${shareCard(`${listing.name} on Slipway`, listing.tagline, url, shareImage(listing))}
<link rel="alternate" type="application/atom+xml" title="${listing.developer.username} on Slipway" href="/${listing.developer.username}/feed.atom">
${listing.indexable && html`<link rel="alternate" type="text/plain" title="In plain text" href="/${listing.developer.username}/${listing.vanity_name}/llms.txt">`}`
}

const played = new Set(['game', 'mod', 'plugin'])

/** As schema.org has it; what a listing does not labelOf is left out. */
export function listingJsonLd(addresses: Addresses, { listing, summary }: Shown): object {
  const { name, tagline, cover, thumbnail, developer, vanity_name, parent } = listing
  const is_played = played.has(listing.asset_type)
  const os = listing.platforms.map(labelOf)
  const on_service = parent && 'game' in parent ? parent.game : undefined
  return {
    '@context': 'https://schema.org',
    '@type': is_played ? 'VideoGame' : 'SoftwareApplication',
    name,
    url: pageUrl(addresses, { owner_username: developer.username, vanity_name }),
    ...(tagline && { description: tagline }),
    ...((cover || thumbnail) && { image: cover || thumbnail }),
    author: {
      '@type': 'Person',
      name: developer.username,
      url: developerUrl(addresses, developer.username),
    },
    ...(listing.genres.length && {
      [is_played ? 'genre' : 'applicationSubCategory']: listing.genres.map(labelOf),
    }),
    applicationCategory: is_played ? 'GameApplication' : 'DeveloperApplication',
    ...(os.length && { operatingSystem: os.join(', '), ...(is_played && { gamePlatform: os }) }),
    ...(is_played &&
      formatPlayers(listing.players_min, listing.players_max) && {
        numberOfPlayers: {
          '@type': 'QuantitativeValue',
          minValue: listing.players_min,
          maxValue: listing.players_max,
        },
      }),
    keywords: [...listing.tags, ...listing.community_tags].join(', '),
    offers: {
      '@type': 'Offer',
      price: (listing.price_cents / 100).toFixed(2),
      priceCurrency: 'USD',
      availability: 'https://schema.org/InStock',
    },
    ...(summary.count && {
      aggregateRating: {
        '@type': 'AggregateRating',
        ratingValue: summary.quality_avg,
        ratingCount: summary.count,
        bestRating: 5,
        worstRating: 1,
      },
    }),
    ...(on_service && {
      isBasedOn: {
        '@type': 'VideoGame',
        name: on_service.name,
        url: `${addresses.web_url}/games/${on_service.uid}`,
      },
    }),
    ...(listing.published_at && { datePublished: listing.published_at.slice(0, 10) }),
    dateModified: listing.updated_at.slice(0, 10),
  }
}
