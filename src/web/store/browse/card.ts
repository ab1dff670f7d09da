import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { type LaunchBand, UNRATED } from '../../../listings/fields/launch-bands.ts'
import type { ListingSale, Offer } from '../../../listings/prices/offers.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandIcons, bandLabel } from '../../components/badge.ts'
import { formatAmount, formatPrice, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { picture, picturePreload } from '../../components/picture.ts'
import { systemIcons } from '../../components/system-icons.ts'

/** A listing as all lists of the store show it. */
export type Card = {
  vanity_name: string
  name: string
  tagline: string
  asset_type: string
  status?: string
  username: string
  price_cents: number
  sale?: ListingSale | null
  /** The cheapest offer in the currency that the visitor chose, where it is not US dollars. */
  offer?: Offer | undefined
  thumbnail: string
  health?: string
  platforms?: readonly string[]
  playable?: readonly string[]
  adult?: boolean
  /** Shown instead of the tagline. */
  note?: Text
}

const CARD_SIZES = '(max-width: 600px) 92vw, 320px'
const THUMBNAIL_WIDTHS = [160, 320, 640] as const

/** For the first card of a page that has no larger image. */
export const thumbnailPreload = (pictures: Pictures, { thumbnail }: Pick<Card, 'thumbnail'>) =>
  picturePreload(pictures, thumbnail, { sizes: CARD_SIZES, widths: THUMBNAIL_WIDTHS })

/** Has its size before it loads. A listing without an image shows its first letter. */
export function thumbnail(
  { thumbnail, name }: Pick<Card, 'thumbnail' | 'name'>,
  pictures: Pictures,
  { eager = false, first = false, sizes = CARD_SIZES } = {},
): Html {
  const initial = name.trim().charAt(0)
  if (!thumbnail)
    return html`<span class="thumbnail thumbnail-empty" aria-hidden="true">${initial}</span>`
  return picture(pictures, thumbnail, {
    alt: '',
    width: 640,
    height: 360,
    widths: THUMBNAIL_WIDTHS,
    sizes,
    loading: first ? 'first' : eager ? 'eager' : 'lazy',
    class_name: 'thumbnail',
  })
}

export function healthMark(health: string | undefined): Html | string {
  if (health === undefined || health === UNRATED) return ''
  const { tone } = bands[health as LaunchBand]
  const label = bandLabel(health as LaunchBand)
  return html`<span class="mark mark-${tone}">${icon(bandIcons[tone])}${label}</span>`
}

const playableMark = html`<span class="mark">${icon('play')}${t('plays-in-browser')}</span>`

type SalePrice = { percent: number; list: Text; price: Text; lowest: Text | null }

/** What it costs in a sale, and what it cost before; the lowest price of 30 days is required. */
function salePrice({ percent, list, price, lowest }: SalePrice): Html {
  const note = lowest !== null && t('sale-lowest', { price: lowest })
  return html`
    <span class="card-sale">
      <del><span class="sr">${t('price-before')}</span>
        ${list}</del>
      <strong>${price}</strong>
      <span class="badge badge-ok">${t('sale-percent', { percent })}</span>
      ${note && html`<small class="soft">${note}</small>`}
    </span>`
}

const dollarSale = (sale: ListingSale): Html =>
  salePrice({
    percent: sale.percent,
    list: formatPrice(sale.list_price_cents),
    price: formatPrice(sale.price_cents),
    lowest: sale.lowest_price_cents === null ? null : formatPrice(sale.lowest_price_cents),
  })

function offerPrice({ currency, list_minor, price_minor, sale }: Offer): Html {
  const write = (amount: number) => formatAmount(amount, currency)
  if (!sale) return html`<strong>${write(price_minor)}</strong>`
  const lowest = sale.lowest_minor === null ? null : write(sale.lowest_minor)
  return salePrice({
    percent: sale.percent,
    list: write(list_minor),
    price: write(price_minor),
    lowest,
  })
}

function cardPrice({ price_cents, sale, offer }: Card): Html {
  if (offer) return offerPrice(offer)
  return sale ? dollarSale(sale) : html`<strong>${formatPrice(price_cents)}</strong>`
}

/** Price, launch health, whether it can be played at once, and systems. */
export const cardFacts = (listing: Card): Html => {
  const { health, platforms = [], playable = [] } = listing
  const is_playable = playable.includes('browser')
  const systems = is_playable ? platforms.filter((os) => os !== 'web') : platforms
  return html`
    <p class="card-meta">
      ${cardPrice(listing)}
      ${healthMark(health)}
      ${is_playable && playableMark}
      <span class="card-os">${systemIcons(systems)}</span>
    </p>
  `
}

type Heading = 'h2' | 'h3'

type CardOptions = { pictures: Pictures; eager: boolean; first?: boolean; heading: Heading }

export function card(listing: Card, { pictures, eager, first, heading }: CardOptions): Html {
  const { username, vanity_name, asset_type, status } = listing
  const details = [
    username,
    asset_type !== 'game' && labelOf(asset_type),
    status && status !== 'released' && labelOf(status),
  ]
  const name = html`<a href="/${username}/${vanity_name}">${listing.name}</a>`
  return html`
    <article class="card">
      ${thumbnail(listing, pictures, { eager, first })}
      <div class="card-text">
        ${heading === 'h2' ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`}
        <p class="card-developer">${joinTexts(details, ' · ')}</p>
        <p class="card-line">${listing.note ?? listing.tagline}</p>
        ${cardFacts(listing)}
      </div>
    </article>
  `
}

export const thumbnailUrls = (listings: readonly Pick<Card, 'thumbnail'>[]) =>
  listings.map(({ thumbnail }) => thumbnail)

/** `is_top` is for a list at the top of the page, whose first image loads before all else. */
type CardsOptions = { eager?: number; heading?: Heading; is_top?: boolean }

/** The images of the first `eager` cards load at once, those of the others when they come near. */
export const cards = (
  listings: readonly Card[],
  pictures: Pictures,
  { eager = 0, heading = 'h3', is_top = false }: CardsOptions = {},
): Html =>
  cardList(
    listings.map((listing, i) =>
      card(listing, { pictures, eager: i < eager, first: is_top && i === 0, heading }),
    ),
  )

export const cardList = (items: readonly Html[]): Html => html`
  <ul class="cards">${items.map((item) => html`<li>${item}</li>`)}</ul>
`
