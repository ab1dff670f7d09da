import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

type Image = { url: string; alt: string }

/** A strip of images that scrolls and snaps; gallery.mjs adds buttons, keys and thumbnails. */
export function gallery(listing: ListingPage): Html {
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
      <div class="strip" tabindex="0" role="group" aria-roledescription="carousel"
        aria-label="Images of ${name}">
        ${images.map(slide)}
      </div>
      ${images.length > 1 && thumbnailBar(images)}
    </picture-gallery>
  `
}

function imagesOf({ cover, thumbnail, gallery, name }: ListingPage): Image[] {
  const first = cover || thumbnail
  const screenshots = gallery.map(({ url }, i) => ({
    url,
    alt: `Screenshot ${i + 1} of ${name}`,
  }))
  return first ? [{ url: first, alt: `Cover art for ${name}` }, ...screenshots] : screenshots
}

function slide({ url, alt }: Image, i: number): Html {
  const loading = i === 0 ? html`fetchpriority="high"` : html`loading="lazy"`
  return html`
    <a href="${url}" id="picture-${i}">
      <img src="${url}" alt="${alt}" width="1280" height="720" ${loading} decoding="async">
    </a>
  `
}

const thumbnailBar = (images: readonly Image[]) => html`
  <div class="gallery-bar">
    <button type="button" class="step" data-step="-1" aria-label="Previous image" hidden>
      ${icon('left')}
    </button>
    <ol class="thumbs">${images.map(thumbnail)}</ol>
    <button type="button" class="step" data-step="1" aria-label="Next image" hidden>
      ${icon('right')}
    </button>
  </div>
`

const thumbnail = ({ url, alt }: Image, i: number) => html`
  <li>
    <a href="#picture-${i}"${i === 0 && html` aria-current="true"`}>
      <img src="${url}" alt="${alt}" width="160" height="90" loading="lazy" decoding="async">
    </a>
  </li>
`
