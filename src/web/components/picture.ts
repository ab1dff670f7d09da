import type { Text } from '../../core/text/text.ts'
import type { Pictures } from '../../listings/renditions/pictures.ts'
import type { ImageContent } from '../../listings/renditions/queries.ts'
import {
  type RenditionFormat,
  type RenditionWidth,
  renditionPath,
  widthsUpTo,
} from '../../listings/renditions/rendition-rules.ts'
import { type Html, html } from './html.ts'

type PictureParts = {
  alt: Text
  /** The attributes that reserve the space of the image. */
  width: number
  height: number
  /** How wide the layout shows the image, as in the attribute `sizes`. */
  sizes: string
  /** The renditions to choose from. */
  widths: readonly RenditionWidth[]
  /** `lazy` loads when it comes near, `eager` at once, `first` before everything else. */
  loading: 'lazy' | 'eager' | 'first'
  class_name?: string
  /** Small images load at once, so they need no placeholder. */
  plain?: boolean
}

/** Phones get this rendition, however many pixels they have, because data is dear there. */
const PHONE = '(max-width: 600px)'
const PHONE_WIDTH: RenditionWidth = 640
/** People who ask to save data get a small one. */
const SMALL = '(prefers-reduced-data: reduce)'
const SMALL_WIDTH: RenditionWidth = 320

/**
 * An image of a listing in the sizes and formats that suit the screen. Until one is loaded, a tiny
 * copy of it is shown. The original is shown if it is small, cannot be decoded, or has just been
 * replaced.
 */
export function picture(pictures: Pictures, url: string, parts: PictureParts): Html {
  const content = pictures(url)
  const widths = widthsUpTo(content?.width ?? 0).filter((width) => parts.widths.includes(width))
  if (!content || content.preview?.decodable === false || !widths.length)
    return original(url, parts)
  const { sizes, plain } = parts
  const placeholder = !plain && content.preview?.placeholder
  return html`
    <span class="picture">
      ${placeholder && html`<img class="placeholder" src="${placeholder}" alt="" ${size(parts)}>`}
      <picture>
        ${widths.some((width) => width > SMALL_WIDTH) && smallSource(content, widths)}
        ${widths.some((width) => width > PHONE_WIDTH) && phoneSource(content)}
        <source type="image/avif" srcset="${sourceSet(content, widths, 'avif')}" sizes="${sizes}">
        <img src="${pathOf(content, widths.at(-1)!, 'webp')}"
          srcset="${sourceSet(content, widths, 'webp')}" sizes="${sizes}" ${attributes(parts)}>
      </picture>
    </span>
  `
}

/** Lets the browser load an image that is shown first before it has read the page up to it. */
export function picturePreload(
  pictures: Pictures,
  url: string,
  { sizes, widths }: Pick<PictureParts, 'sizes' | 'widths'>,
): Html | string {
  const content = pictures(url)
  const usable = widthsUpTo(content?.width ?? 0).filter((width) => widths.includes(width))
  if (!content || content.preview?.decodable === false || !usable.length) return ''
  const preload = html`rel="preload" as="image" type="image/avif" fetchpriority="high"`
  const other = html`imagesrcset="${sourceSet(content, usable, 'avif')}" imagesizes="${sizes}"`
  if (!usable.some((width) => width > PHONE_WIDTH)) return html`<link ${preload} ${other}>`
  const phone = html`imagesrcset="${pathOf(content, PHONE_WIDTH, 'avif')}"`
  return html`
    <link ${preload} media="${PHONE}" ${phone}>
    <link ${preload} media="not all and ${PHONE}" ${other}>
  `
}

/** The rendition for a place that takes one address, such as the poster of a video. */
export function renditionOf(pictures: Pictures, url: string, max_width: RenditionWidth): string {
  const content = pictures(url)
  if (!content || content.preview?.decodable === false) return url
  const width = widthsUpTo(content.width).findLast((candidate) => candidate <= max_width)
  return width ? pathOf(content, width, 'avif') : url
}

const original = (url: string, parts: PictureParts): Html => html`
  <span class="picture"><img src="${url}" ${attributes(parts)}></span>
`

const size = ({ width, height }: PictureParts): Html => html`width="${width}" height="${height}"`

function attributes(parts: PictureParts): Html {
  const { alt, class_name, loading } = parts
  const priority = {
    lazy: html` loading="lazy"`,
    eager: '',
    first: html` fetchpriority="high"`,
  }[loading]
  const class_attribute = class_name && html`class="${class_name}" `
  return html`${class_attribute}alt="${alt}" ${size(parts)}${priority} decoding="async"`
}

const pathOf = ({ sha256 }: ImageContent, width: RenditionWidth, format: RenditionFormat) =>
  renditionPath({ sha256, width, format })

const phoneSource = (content: ImageContent): Html => html`
  <source media="${PHONE}" type="image/avif" srcset="${pathOf(content, PHONE_WIDTH, 'avif')}">
`

const smallSource = (content: ImageContent, widths: readonly RenditionWidth[]): Html => {
  const width = widths.findLast((candidate) => candidate <= SMALL_WIDTH) ?? widths[0]!
  return html`
    <source media="${SMALL}" type="image/avif" srcset="${pathOf(content, width, 'avif')}">
  `
}

const sourceSet = (
  content: ImageContent,
  widths: readonly RenditionWidth[],
  format: RenditionFormat,
) => widths.map((width) => `${pathOf(content, width, format)} ${width}w`).join(', ')
