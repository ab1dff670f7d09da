import { type LaunchBand, UNRATED } from '../../../listings/fields/launch-bands.ts'
import { bands } from '../../../telemetry/health/bands.ts'
import { bandIcons } from '../../components/badge.ts'
import { formatPrice, labelOf, shortPlatformLabel } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'

/** A listing as every list of the store shows it. */
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
}

export const listingPath = (username: string, vanity_name: string) => `/${username}/${vanity_name}`

/** A picture that keeps its room before it is there; a listing without one shows its first letter. */
export const thumbnail = (
  { thumbnail, name }: Pick<Card, 'thumbnail' | 'name'>,
  eager = false,
): Html =>
  thumbnail
    ? html`<img class="pic" src="${thumbnail}" alt="" width="640" height="360"${!eager && html` loading="lazy"`} decoding="async">`
    : html`<span class="pic pic-none" aria-hidden="true">${name.trim().charAt(0)}</span>`

export function healthMark(health: string | undefined): Html | string {
  if (health === undefined || health === UNRATED) return ''
  const { tone, label } = bands[health as LaunchBand]
  return html`<span class="mark mark-${tone}">${icon(bandIcons[tone])}${label}</span>`
}

export function card(
  one: Card,
  { eager = false, heading = 'h3' }: { eager?: boolean; heading?: 'h2' | 'h3' } = {},
): Html {
  const kind = one.asset_type === 'game' ? '' : labelOf(one.asset_type)
  const status = one.status === 'released' || !one.status ? '' : labelOf(one.status)
  const name = html`<a href="${listingPath(one.username, one.vanity_name)}">${one.name}</a>`
  return html`<article class="card">
${thumbnail(one, eager)}
<div class="card-text">${heading === 'h2' ? html`<h2>${name}</h2>` : html`<h3>${name}</h3>`}
<p class="card-maker">${[one.username, kind, status].filter(Boolean).join(' · ')}</p>
<p class="card-line">${one.tagline}</p>
<p class="card-meta"><strong>${formatPrice(one.price_cents)}</strong>${healthMark(one.health)}<span class="card-os">${(one.platforms ?? []).map(shortPlatformLabel).join(' / ')}</span></p></div>
</article>`
}

export const cards = (
  some: readonly Card[],
  options: { eager?: number; heading?: 'h2' | 'h3' } = {},
): Html =>
  html`<ul class="cards">${some.map((one, i) => html`<li>${card(one, { eager: i < (options.eager ?? 0), heading: options.heading })}</li>`)}</ul>`
