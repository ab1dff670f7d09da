import type { Core } from '../../core/runtime/core.ts'
import {
  type BrandImage,
  type BrandImages,
  brandImagePath,
  type IconSize,
  iconPath,
} from '../../core/settings/brand-images.ts'
import type { StoreSettings } from '../../core/settings/table.ts'
import { assetUrl } from '../assets.ts'
import { type Html, html } from '../components/html.ts'
import { icon } from '../components/icons.ts'

/** A logo that is wider than this contains the name of the store. */
const WIDE = 2

/** What the header of pages says the store is: its logo and its name. */
export function brandMark(
  { logo }: BrandImages,
  { store_name }: Pick<StoreSettings, 'store_name'>,
): Html {
  if (!logo) return html`${icon('mark')}<span>${store_name}</span>`
  const is_wide = logo.width > WIDE * logo.height
  return html`
    ${logoImage(logo, is_wide ? store_name : '')}${!is_wide && html`<span>${store_name}</span>`}`
}

const logoImage = (logo: BrandImage, alt: string): Html => html`
  <img class="brand-logo" src="${brandImagePath('logo', logo)}" alt="${alt}"
    width="${logo.width}" height="${logo.height}">`

/** The address of an icon of the store. */
export const iconUrl = ({ favicon }: BrandImages, size: IconSize): string =>
  favicon ? iconPath(favicon, size) : assetUrl(`icon-${size}.png`)

/** The address of the icon as SVG, if there is one. */
export function vectorIconUrl({ favicon }: BrandImages): string | undefined {
  if (!favicon) return assetUrl('icon.svg')
  return favicon.type === 'image/svg+xml' ? brandImagePath('favicon', favicon) : undefined
}

/** The icons of a page, for browsers and for home screens. */
export function iconLinks({ settings: { images } }: Core): Html {
  const vector = vectorIconUrl(images)
  return html`
    <link rel="icon" sizes="32x32" type="image/png" href="${iconUrl(images, 32)}">
    ${vector && html`<link rel="icon" sizes="any" type="image/svg+xml" href="${vector}">`}
    <link rel="apple-touch-icon" sizes="180x180" href="${iconUrl(images, 180)}">
  `
}

/** Who runs the store, for search engines; undefined without a logo to show. */
export function organizationJsonLd({ settings, addresses }: Core): object | undefined {
  const { logo } = settings.images
  if (!logo) return undefined
  return {
    '@context': 'https://schema.org',
    '@type': 'Organization',
    name: settings.current.store_name,
    url: `${addresses.web_url}/`,
    logo: addresses.web_url + brandImagePath('logo', logo),
  }
}
