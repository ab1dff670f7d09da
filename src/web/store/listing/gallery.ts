import { type Text, t } from '../../../core/text/text.ts'
import type { Pictures } from '../../../listings/renditions/pictures.ts'
import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import { picture, picturePreload } from '../../components/picture.ts'
import type { ListingPage } from './head.ts'

/** The caption is what the developer says that an image shows. */
type Image = { url: string; alt: Text; caption: string }

/** A strip of images that scrolls and snaps; gallery.mjs adds buttons, keys and thumbnails. */
export function gallery(listing: ListingPage, pictures: Pictures): Html {
  const { name } = listing
  const images = imagesOf(listing)
  if (!images.length)
    return html`
      <span class="thumbnail thumbnail-empty thumbnail-large" aria-hidden="true">
        ${name.trim().charAt(0)}
      </span>
    `
  return html`
    <picture-gallery class="gallery">
      <div class="strip" tabindex="0" role="group" aria-roledescription="${t('carousel')}"
        aria-label="${t('images-of', { name })}">
        ${images.map((image, i) => slide(pictures, image, i))}
      </div>
      ${images.length > 1 && thumbnailBar(images, pictures)}
      ${lightbox(name, images.length)}
    </picture-gallery>
  `
}

/** Opened by gallery.mjs; without script, an image is a link to its original. */
const lightbox = (name: string, count: number): Html => html`
  <dialog class="lightbox" aria-label="${t('images-of', { name })}"
    data-position="${t('image-position', { number: '{number}', count })}">
    <figure>
      <img alt="">
      <figcaption>
        <span class="lightbox-caption"></span>
        <span class="lightbox-position mono" aria-live="polite"></span>
      </figcaption>
    </figure>
    <form method="dialog">
      <button class="step lightbox-close" aria-label="${t('close-image')}">${icon('bad')}</button>
    </form>
    ${count > 1 && lightboxSteps}
  </dialog>
`

export const galleryUrls = (listing: ListingPage) => imagesOf(listing).map(({ url }) => url)

function imagesOf({ cover: cover_url, thumbnail, gallery, name }: ListingPage): Image[] {
  const first = cover_url || thumbnail
  const screenshots = gallery.map(({ url, alt }, i) => ({
    url,
    alt: alt || t('screenshot-alt', { number: i + 1, name }),
    caption: alt,
  }))
  const cover = first && { url: first, alt: t('cover-alt', { name }), caption: '' }
  return cover ? [cover, ...screenshots] : screenshots
}

const slideImage = {
  widths: [640, 1280, 1920],
  sizes: '(max-width: 960px) 100vw, 820px',
} as const

/** For the head of the page, which begins with the first image. */
export function galleryPreload(listing: ListingPage, pictures: Pictures): Html | string {
  const [first] = imagesOf(listing)
  return first ? picturePreload(pictures, first.url, slideImage) : ''
}

/** A link to the original, in full size, which gallery.mjs shows in a dialog. */
function slide(pictures: Pictures, { url, alt, caption }: Image, i: number): Html {
  const image = picture(pictures, url, {
    alt,
    width: 1280,
    height: 720,
    ...slideImage,
    loading: i === 0 ? 'first' : 'lazy',
  })
  return html`<a href="${url}" id="picture-${i}" data-caption="${caption}">${image}</a>`
}

const thumbnailBar = (images: readonly Image[], pictures: Pictures) => html`
  <div class="gallery-bar">
    ${stepButton(-1, t('previous-image'))}
    <ol class="thumbs">${images.map((image, i) => thumbnail(pictures, image, i))}</ol>
    ${stepButton(1, t('next-image'))}
  </div>
`

const stepButton = (step: 1 | -1, label: Text): Html => html`
  <button type="button" class="step" data-step="${step}" aria-label="${label}" hidden>
    ${icon(step < 0 ? 'left' : 'right')}
  </button>
`

const lightboxSteps = html`
  ${stepButton(-1, t('previous-image'))}
  ${stepButton(1, t('next-image'))}
`

function thumbnail(pictures: Pictures, { url, alt }: Image, i: number): Html {
  const image = picture(pictures, url, {
    alt,
    width: 160,
    height: 90,
    widths: [160, 320],
    sizes: '(max-width: 600px) 72px, 96px',
    loading: 'lazy',
    plain: true,
  })
  return html`
    <li>
      <a href="#picture-${i}"${i === 0 && html` aria-current="true"`}>${image}</a>
    </li>
  `
}
