import { type Html, html } from '../../components/html.ts'
import { icon } from '../../components/icons.ts'
import type { ListingPage } from './head.ts'

/** A strip that scrolls and snaps by itself; the module adds buttons, keys and small pictures to jump by. */
export function gallery({ cover, thumbnail, gallery, name }: ListingPage): Html {
  const first = cover || thumbnail
  const pictures = [...(first ? [first] : []), ...gallery.map(({ url }) => url)]
  if (!pictures.length)
    return html`<span class="pic pic-none pic-large" aria-hidden="true">${name.trim().charAt(0)}</span>`
  const alt = (i: number) =>
    i === 0 && first ? `Cover art for ${name}` : `Screenshot ${first ? i : i + 1} of ${name}`
  return html`<picture-gallery class="gallery"><div class="strip" tabindex="0" role="group" aria-roledescription="carousel" aria-label="Pictures of ${name}">${pictures.map(
    (url, i) =>
      html`<a href="${url}" id="picture-${i}"><img src="${url}" alt="${alt(i)}" width="1280" height="720"${i === 0 ? html` fetchpriority="high"` : html` loading="lazy"`} decoding="async"></a>`,
  )}</div>${
    pictures.length > 1 &&
    html`<div class="gallery-bar"><button type="button" class="step" data-step="-1" aria-label="Picture before" hidden>${icon('left')}</button><ol class="thumbs">${pictures.map(
      (url, i) =>
        html`<li><a href="#picture-${i}"${i === 0 && html` aria-current="true"`}><img src="${url}" alt="${alt(i)}" width="160" height="90" loading="lazy" decoding="async"></a></li>`,
    )}</ol><button type="button" class="step" data-step="1" aria-label="Next picture" hidden>${icon('right')}</button></div>`
  }</picture-gallery>`
}
