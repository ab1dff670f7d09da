import { joinTexts, type Text } from '../../../core/text/text.ts'
import { type LaunchBand, UNRATED } from '../../../listings/fields/launch-bands.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandIcons, bandLabel } from '../../components/badge.ts'
import { formatPrice, labelOf, shortPlatformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { picture } from '../../components/picture.ts'

/** A listing as all lists of the store show it. */
export type Card = {
  vanity_name: string
  name: string
  tagline: string
  asset_type: string
  status?: string
  username: string
  price_cents: number
  thumbnail: string
  health?: string
  platforms?: readonly string[]
  adult?: boolean
  /** Shown instead of the tagline. */
  note?: Text
}

const CARD_SIZES = '(max-width: 600px) 92vw, 320px'

/** Has its size before it loads. A listing without an image shows its first letter. */
export function thumbnail(
  { thumbnail, name }: Pick<Card, 'thumbnail' | 'name'>,
  pictures: Pictures,
  { eager = false, sizes = CARD_SIZES } = {},
): Html {
  const initial = name.trim().charAt(0)
  if (!thumbnail)
    return html`<span class="thumbnail thumbnail-empty" aria-hidden="true">${initial}</span>`
  return picture(pictures, thumbnail, {
    alt: '',
    width: 640,
    height: 360,
    widths: [160, 320, 640],
    sizes,
    loading: eager ? 'eager' : 'lazy',
    class_name: 'thumbnail',
  })
}

export function healthMark(health: string | undefined): Html | string {
  if (health === undefined || health === UNRATED) return ''
  const { tone } = bands[health as LaunchBand]
  const label = bandLabel(health as LaunchBand)
  return html`<span class="mark mark-${tone}">${icon(bandIcons[tone])}${label}</span>`
}

/** Price, launch health and systems. */
export const cardFacts = ({ price_cents, health, platforms = [] }: Card): Html => html`
  <p class="card-meta">
    <strong>${formatPrice(price_cents)}</strong>
    ${healthMark(health)}
    <span class="card-os">${joinTexts(platforms.map(shortPlatformLabel), ' / ')}</span>
  </p>
`

type Heading = 'h2' | 'h3'

type CardOptions = { pictures: Pictures; eager: boolean; heading: Heading }

export function card(listing: Card, { pictures, eager, heading }: CardOptions): Html {
  const { username, vanity_name, asset_type, status } = listing
  const details = [
    username,
    asset_type !== 'game' && labelOf(asset_type),
    status && status !== 'released' && labelOf(status),
  ]
  const name = html`<a href="/${username}/${vanity_name}">${listing.name}</a>`
  return html`
    <article class="card">
      ${thumbnail(listing, pictures, { eager })}
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

/** The images of the first `eager` cards load at once, those of the others when they come near. */
export const cards = (
  listings: readonly Card[],
  pictures: Pictures,
  { eager = 0, heading = 'h3' }: { eager?: number; heading?: Heading } = {},
): Html => html`
  ${cardList(listings.map((listing, i) => card(listing, { pictures, eager: i < eager, heading })))}
`

export const cardList = (items: readonly Html[]): Html => html`
  <ul class="cards">${items.map((item) => html`<li>${item}</li>`)}</ul>
`
