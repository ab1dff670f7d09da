import type { Static } from 'typebox'
import type { Addresses } from '../../../core/runtime/config.ts'
import type { Core } from '../../../core/runtime/core.ts'
import { type Text, t } from '../../../core/text/text.ts'
import type { ReviewSummary } from '../../../library/reviews.ts'
import type { PageData } from '../../../listings/page/schema.ts'
import { developerUrl, pageUrl } from '../../../listings/page/url.ts'
import { decimalAmount } from '../../../listings/prices/currencies.ts'
import { formatPlayers, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { onStore } from '../../components/layout.ts'
import { cheapestOffer } from '../offer-price.ts'
import type { ListingView } from './body.ts'

export type ListingPage = Static<typeof PageData>
type Image = { url: string; alt: Text }

const MAX_IMAGE_URL = 2048

/** The cover, else the thumbnail, unless its address is too long for readers of share cards. */
function shareImage(listing: Pick<ListingPage, 'cover' | 'thumbnail' | 'name'>): Image | undefined {
  const { cover, thumbnail, name } = listing
  const url = cover || thumbnail
  if (!url || url.length > MAX_IMAGE_URL) return undefined
  return { url, alt: cover ? t('cover-alt', { name }) : t('thumbnail-alt', { name }) }
}

type ShareCard = { title: Text; description: Text; url: string; image?: Image | undefined }

/** The preview that chats and social networks show of a link. */
export function shareCard({ settings }: Core, { title, description, url, image }: ShareCard): Html {
  return html`
    <meta property="og:type" content="website">
    <meta property="og:site_name" content="${settings.current.store_name}">
    <meta property="og:title" content="${title}">
    <meta property="og:description" content="${description}">
    <meta property="og:url" content="${url}">
    <meta name="twitter:card" content="summary_large_image">
    <meta name="twitter:title" content="${title}">
    <meta name="twitter:description" content="${description}">
    ${image && shareCardImage(image)}
  `
}

const shareCardImage = ({ url, alt }: Image) => html`
  <meta property="og:image" content="${url}">
  <meta property="og:image:alt" content="${alt}">
  <meta name="twitter:image" content="${url}">
  <meta name="twitter:image:alt" content="${alt}">
`

export function listingHead(core: Core, listing: ListingPage): Html {
  const { username } = listing.developer
  const path = `/${username}/${listing.vanity_name}`
  const url = pageUrl(core.addresses, {
    owner_username: username,
    vanity_name: listing.vanity_name,
  })
  return html`
    ${shareCard(core, {
      title: onStore(core, listing.name),
      description: listing.tagline,
      url,
      image: shareImage(listing),
    })}
    <link rel="alternate" type="application/atom+xml" title="${onStore(core, username)}"
      href="/${username}/feed.atom">
    ${listing.indexable && plainTextLink(path)}
  `
}

const plainTextLink = (path: string) => html`
  <link rel="alternate" type="text/plain" title="${t('plain-text')}" href="${path}/llms.txt">
`

/** Structured data is in English. */
const englishLabel = (value: string): string => String(labelOf(value))

const playedTypes = new Set(['game', 'mod', 'plugin'])

/** Structured data of schema.org; fields that a listing leaves empty are left out. */
export function listingJsonLd(addresses: Addresses, { listing, summary }: ListingView): object {
  const { name, tagline, cover, thumbnail, developer, vanity_name } = listing
  return {
    '@context': 'https://schema.org',
    '@type': playedTypes.has(listing.asset_type) ? 'VideoGame' : 'SoftwareApplication',
    name,
    url: pageUrl(addresses, { owner_username: developer.username, vanity_name }),
    ...(tagline && { description: tagline }),
    ...((cover || thumbnail) && { image: cover || thumbnail }),
    author: {
      '@type': 'Person',
      name: developer.username,
      url: developerUrl(addresses, developer.username),
    },
    ...(playedTypes.has(listing.asset_type) ? gameJsonLd(listing) : applicationJsonLd(listing)),
    keywords: [...listing.tags, ...listing.community_tags].join(', '),
    ...offersJsonLd(listing),
    ...ratingJsonLd(summary),
    ...parentJsonLd(addresses, listing),
    ...trailerJsonLd(listing),
    ...(listing.published_at && { datePublished: listing.published_at.slice(0, 10) }),
    dateModified: listing.updated_at.slice(0, 10),
  }
}

/** The cheapest offer in every currency; search engines want to know until when a sale runs. */
function offersJsonLd({ offers }: ListingPage): object {
  const codes = [...new Set(offers.map(({ currency }) => currency))]
  const list = codes.flatMap((code) => {
    const offer = cheapestOffer({ offers }, code)
    if (offer?.currency !== code) return []
    const { currency, price_minor, sale } = offer
    return {
      '@type': 'Offer',
      price: decimalAmount(price_minor, currency),
      priceCurrency: currency,
      ...(sale && { priceValidUntil: sale.ends_at }),
      availability: 'https://schema.org/InStock',
    }
  })
  return { offers: list.length === 1 ? list[0] : list }
}

/** As search engines know it. */
const WEB_BROWSER = 'Web browser'

/** A build for browsers is played in one, or it is only a file to download. */
const gamePlatforms = ({ platforms, playable }: ListingPage): string[] => [
  ...platforms.filter((os) => os !== 'web').map(englishLabel),
  ...(playable.includes('browser') ? [WEB_BROWSER] : []),
]

function gameJsonLd(listing: ListingPage): object {
  const { genres, platforms, players_min, players_max } = listing
  const os = platforms.map(englishLabel)
  const played_on = gamePlatforms(listing)
  return {
    ...(genres.length && { genre: genres.map(englishLabel) }),
    applicationCategory: 'GameApplication',
    ...(os.length && { operatingSystem: os.join(', ') }),
    ...(played_on.length && { gamePlatform: played_on }),
    ...(formatPlayers(players_min, players_max) && {
      numberOfPlayers: {
        '@type': 'QuantitativeValue',
        minValue: players_min,
        maxValue: players_max,
      },
    }),
  }
}

const applicationJsonLd = ({ genres, platforms }: ListingPage): object => ({
  ...(genres.length && { applicationSubCategory: genres.map(englishLabel) }),
  applicationCategory: 'DeveloperApplication',
  ...(platforms.length && { operatingSystem: platforms.map(englishLabel).join(', ') }),
})

const ratingJsonLd = ({ count, quality_avg }: ReviewSummary): object =>
  count
    ? {
        aggregateRating: {
          '@type': 'AggregateRating',
          ratingValue: quality_avg,
          ratingCount: count,
          bestRating: 5,
          worstRating: 1,
        },
      }
    : {}

/** Search engines want a name, an image and a date; a trailer without an image is left out. */
function trailerJsonLd({ name, tagline, cover, thumbnail, trailers }: ListingPage): object {
  const videos = trailers.flatMap((trailer) => {
    const image = trailer.poster || cover || thumbnail
    if (!image) return []
    const { title, url, kind, embed_url, duration_seconds, uploaded_at } = trailer
    return {
      '@type': 'VideoObject',
      name: title || String(t('trailer-of', { name })),
      description: tagline || name,
      thumbnailUrl: image,
      uploadDate: uploaded_at,
      ...(kind === 'file' ? { contentUrl: url } : { embedUrl: embed_url }),
      ...(duration_seconds !== null && { duration: `PT${duration_seconds}S` }),
    }
  })
  return videos.length ? { trailer: videos } : {}
}

const parentJsonLd = ({ web_url }: Addresses, { parent_game }: ListingPage): object =>
  parent_game
    ? {
        isBasedOn: {
          '@type': 'VideoGame',
          name: parent_game.name,
          url: `${web_url}/games/${parent_game.uid}`,
        },
      }
    : {}
