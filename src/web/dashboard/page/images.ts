import { galleryLimits, imageSlots } from '../../../listings/media/image-rules.ts'
import { read } from '../../call.ts'
import { formMessage } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { sendOn } from '../forward-upload.ts'
import {
  type Desk,
  deskForm,
  deskPage,
  type Filled,
  formOf,
  roomPage,
  section,
} from '../project-page.ts'

type Media = {
  cover: string
  thumbnail: string
  gallery: { uid: string; url: string; position: number }[]
  gallery_max: number
}
const MB = 1024 * 1024
type Slot = 'cover' | 'thumbnail' | 'gallery'

const sizes = (slot: Slot) => {
  const { min, max, bytes: most } = imageSlots[slot]
  return `16:9, ${min.join(' × ')} to ${max.join(' × ')} pixels, up to ${most / MB} MB`
}

/** A place to drop pictures on; without script, a field and a button. */
const drop = (desk: Desk, slot: Slot, several: boolean): Html =>
  html`<drop-images data-url="${desk.api}/media" data-kind="${slot}"><form class="drop" method="post" enctype="multipart/form-data" action="${desk.base}/images/add">
<input type="hidden" name="kind" value="${slot}"><label for="file-${slot}">${several ? 'Drop pictures here, or choose them' : 'Drop a picture here, or choose one'}</label>
<input id="file-${slot}" type="file" name="file" accept="image/png,image/jpeg,image/gif,image/webp" required${several && html` multiple`}>
<p class="hint">${sizes(slot)}</p><p class="wrong" role="alert" hidden></p><button class="button button-quiet button-small">Upload</button></form></drop-images>`

const single = (desk: Desk, slot: 'cover' | 'thumbnail', url: string): Html =>
  html`<div class="slot">${
    url
      ? html`<figure class="shot"><img src="${url}" width="480" height="270" alt="The ${slot} of ${desk.listing.name}">${postButton('Remove', `${desk.base}/images/${slot}/remove`)}</figure>`
      : html`<p class="soft">None yet.</p>`
  }${drop(desk, slot, false)}</div>`

const gallery = (desk: Desk, { gallery: images }: Media): Html =>
  html`<ol class="gallery" data-order="${desk.api}/media/order">${images.map(
    (
      { uid, url },
      i,
    ) => html`<li class="shot" data-uid="${uid}"><img src="${url}" width="320" height="180" alt="Picture ${i + 1} of the gallery" loading="lazy"><div class="row">
${i > 0 && postButton('Earlier', `${desk.base}/images/${uid}/earlier`)}${i < images.length - 1 && postButton('Later', `${desk.base}/images/${uid}/later`)}${postButton('Remove', `${desk.base}/images/${uid}/remove`)}</div></li>`,
  )}</ol>${drop(desk, 'gallery', true)}`

export async function showImages(desk: Desk, filled: Filled) {
  const media = await read<Media>(desk.request, `${desk.api}/media`)
  return roomPage(desk, 'images', {
    title: 'Images',
    scripts: ['drop-images.mjs'],
    body: html`<h1>Images</h1>${formMessage(formOf(filled, 'images', {}))}
${section('cover', 'Cover', single(desk, 'cover', media.cover), 'The large picture on top of your page, and of share cards.')}
${section('thumbnail', 'Thumbnail', single(desk, 'thumbnail', media.thumbnail), 'What lists and shelves show.')}
${section('gallery', `Gallery, ${media.gallery.length} of ${media.gallery_max}`, gallery(desk, media), `At least ${galleryLimits.min} before the page can be public. Drag them into order, or use the buttons.`)}`,
  })
}

/** The order with one image a place earlier or later. */
export function moved(order: string[], uid: string, by: -1 | 1): string[] {
  const at = order.indexOf(uid)
  const to = at + by
  if (at < 0 || to < 0 || to >= order.length) return order
  const next = [...order]
  ;[next[at], next[to]] = [next[to]!, next[at]!]
  return next
}

const move = (name: 'earlier' | 'later', by: -1 | 1) =>
  deskForm(`images/:image/${name}`, `Put an image ${name}`, {
    form: 'images',
    show: showImages,
    send: ({ api, listing, params }) => ({
      method: 'PUT',
      url: `${api}/media/order`,
      body: {
        order: moved(
          listing.gallery.map(({ uid }) => uid),
          params.image!,
          by,
        ),
      },
    }),
    done: 'Moved',
    back: 'images#gallery',
  })

export const imageRoutes = [
  deskPage('images', 'The images of a project', showImages),
  sendOn('images/add', 'Add images to a project', {
    to: ({ api }) => `${api}/media`,
    form: 'images',
    show: showImages,
    done: 'Added',
    back: 'images',
  }),
  move('earlier', -1),
  move('later', 1),
  deskForm('images/:image/remove', 'Remove an image', {
    form: 'images',
    show: showImages,
    send: ({ api, params }) => ({
      method: 'DELETE',
      url: `${api}/media/${encodeURIComponent(params.image!)}`,
    }),
    done: 'Removed',
    back: 'images',
  }),
]
