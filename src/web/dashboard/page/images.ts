import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { type LocalText, t } from '../../../core/text/text.ts'
import { galleryLimits, imageSlots, MAX_ALT } from '../../../listings/media/image-rules.ts'
import {
  deleteMedia,
  describeMedia,
  orderMedia,
  readMediaRoute,
  uploadMedia,
} from '../../../listings/media/routes.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { callApi, readApi } from '../../call.ts'
import { fieldValue, formMessage } from '../../components/form.ts'
import { formatBytes } from '../../components/format.ts'
import { type Html, hiddenText, html, richText } from '../../components/html.ts'
import { picture } from '../../components/picture.ts'
import { scriptTexts } from '../../components/script-texts.ts'
import { postButton } from '../../components/secret-field.ts'
import { forwardUpload } from '../forward-upload.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'

type GalleryImage = RouteData<typeof readMediaRoute>['gallery'][number]
type Slot = 'cover' | 'thumbnail' | 'gallery'
const IMAGE_TYPES = 'image/png,image/jpeg,image/gif,image/webp'

const sizeHint = (slot: Slot): LocalText => {
  const { min, max, bytes } = imageSlots[slot]
  const size = ([width, height]: readonly number[]) =>
    t('image-size', { width: String(width), height: String(height) })
  return t('image-rules', { min: size(min), max: size(max), bytes: formatBytes(bytes) })
}

/** The texts of drop-images.mjs. */
const imageTexts = scriptTexts({
  pixels: t('image-pixels', { width: '{width}', height: '{height}' }),
  not_image: t('image-not-image'),
  too_small: t('image-too-small', { size: '{size}', min: '{min}' }),
  too_wide: t('image-too-wide', { size: '{size}', max: '{max}' }),
  wrong_ratio: t('image-wrong-ratio', { size: '{size}', example: '{example}' }),
  too_many_bytes: t('image-too-many-bytes', { size: '{size}', max: '{max}' }),
  named: t('image-named', { file: '{file}', problems: '{problems}' }),
  failed: t('image-failed', { status: '{status}' }),
  unreachable: t('image-unreachable'),
  result: t('crop-result', { size: '{size}' }),
})

/** A drop area for images; without JavaScript it is a file input with a button. */
function dropArea({ uid, base }: ProjectContext, slot: Slot): Html {
  const is_gallery = slot === 'gallery'
  return html`
    <drop-images data-url="${routePath(uploadMedia.url, { uid })}" data-kind="${slot}"
      data-rules="${JSON.stringify(imageSlots[slot])}" data-texts="${imageTexts}">
      <form class="drop" method="post" enctype="multipart/form-data" action="${base}/images/add">
        <input type="hidden" name="kind" value="${slot}">
        ${is_gallery && altQuestion}
        <label for="file-${slot}">
          ${t(is_gallery ? 'image-drop-several' : 'image-drop')}
        </label>
        <input id="file-${slot}" type="file" name="file"
          accept="${IMAGE_TYPES}" required${is_gallery && html` multiple`}>
        <p class="hint">${sizeHint(slot)}</p>
        <p class="error-text" role="alert" hidden></p>
        <button type="button" class="button button-ink button-small crop-button" hidden>
          ${t('crop-open')}
        </button>
        <button class="button button-quiet button-small">${t('image-upload')}</button>
      </form>
    </drop-images>`
}

/** Asked before an image is chosen, because choosing one sends it. */
const altQuestion = html`
  <div class="field">
    <label for="new-alt">${t('image-alt')}</label>
    <input id="new-alt" name="alt" maxlength="${MAX_ALT}" aria-describedby="new-alt-hint">
    <p class="hint" id="new-alt-hint">${t('image-alt-hint')}</p>
  </div>`

/** The text of an image, which can be changed. */
const altForm = (base: string, { uid, alt, position }: GalleryImage): Html => html`
  <form class="alt-form" method="post" action="${base}/images/${uid}/alt">
    <label for="alt-${uid}">
      ${richText('image-alt-of', { number: position + 1, hidden: hiddenText })}
    </label>
    <div class="line">
      <input id="alt-${uid}" name="alt" maxlength="${MAX_ALT}" value="${alt}">
      <button class="button button-quiet button-small">${t('image-alt-save')}</button>
    </div>
  </form>`

const cropSlider = (name: string, label: LocalText): Html => html`
  <div class="field">
    <label for="crop-${name}">${label}</label>
    <input id="crop-${name}" type="range" name="${name}">
  </div>`

/** Where crop-image.mjs lets people choose a part of an image. */
const cropDialog = html`
  <dialog class="crop-dialog" aria-labelledby="crop-title">
    <form method="dialog">
      <h2 id="crop-title">${t('crop-title')}</h2>
      <p class="hint">${t('crop-text')}</p>
      <canvas role="img" aria-label="${t('crop-canvas')}"></canvas>
      ${cropSlider('width', t('crop-width'))}
      ${cropSlider('x', t('crop-x'))}
      ${cropSlider('y', t('crop-y'))}
      <p class="hint"><output></output></p>
      <div class="row">
        <button class="button button-primary" value="crop">${t('crop-upload')}</button>
        <button class="button button-quiet" value="">${t('cancel')}</button>
      </div>
    </form>
  </dialog>`

type Images = RouteData<typeof readMediaRoute> & { pictures: Pictures }

function imageSlot(project: ProjectContext, slot: 'cover' | 'thumbnail', images: Images): Html {
  const { base, listing } = project
  const url = images[slot]
  const image = html`
    <figure class="shot">
      ${picture(images.pictures, url, {
        alt: t(slot === 'cover' ? 'image-cover-alt' : 'image-thumbnail-alt', {
          name: listing.name,
        }),
        width: 480,
        height: 270,
        widths: [320, 640, 1280],
        sizes: '(max-width: 760px) 92vw, 480px',
        loading: 'eager',
      })}
      ${postButton(t('image-remove'), `${base}/images/${slot}/remove`)}
    </figure>`
  return html`
    <div class="slot">
      ${url ? image : html`<p class="soft">${t('image-none')}</p>`}
      ${dropArea(project, slot)}
    </div>`
}

function gallery(project: ProjectContext, { gallery: images, pictures }: Images): Html {
  const { uid, base } = project
  const galleryItem = (image: GalleryImage, i: number) => html`
    <li class="shot" data-uid="${image.uid}">
      ${picture(pictures, image.url, {
        alt: image.alt || t('image-gallery-alt', { number: i + 1 }),
        width: 320,
        height: 180,
        widths: [320, 640],
        sizes: '(max-width: 760px) 92vw, 320px',
        loading: 'lazy',
      })}
      <div class="row">
        ${i > 0 && postButton(t('image-earlier'), `${base}/images/${image.uid}/earlier`)}
        ${i < images.length - 1 && postButton(t('image-later'), `${base}/images/${image.uid}/later`)}
        ${postButton(t('image-remove'), `${base}/images/${image.uid}/remove`)}
      </div>
      ${altForm(base, image)}
    </li>`
  return html`
    <ol class="gallery" data-order="${routePath(orderMedia.url, { uid })}">
      ${images.map(galleryItem)}
    </ol>
    ${dropArea(project, 'gallery')}`
}

export async function showImages(project: ProjectContext, result: FormResult) {
  const { core, request, uid } = project
  const media = await readApi(request, readMediaRoute, { params: { uid } })
  const urls = [media.cover, media.thumbnail, ...media.gallery.map(({ url }) => url)]
  const images = { ...media, pictures: await readPictures(core, urls) }
  return renderSection(project, 'images', {
    title: t('section-images'),
    scripts: ['drop-images.mjs'],
    body: html`
      ${formMessage(formState(result, 'images', {}))}
      ${subsection(
        'cover',
        t('image-cover'),
        imageSlot(project, 'cover', images),
        t('image-cover-text'),
      )}
      ${subsection(
        'thumbnail',
        t('image-thumbnail'),
        imageSlot(project, 'thumbnail', images),
        t('image-thumbnail-text'),
      )}
      ${subsection(
        'gallery',
        t('image-gallery', { count: media.gallery.length, max: media.gallery_max }),
        gallery(project, images),
        t('image-gallery-text', { min: galleryLimits.min }),
      )}
      ${cropDialog}`,
  })
}

/** The order with an image moved one place earlier or later. */
export function moveImage(order: string[], uid: string, by: -1 | 1): string[] {
  const from = order.indexOf(uid)
  const to = from + by
  if (from < 0 || to < 0 || to >= order.length) return order
  const moved = [...order]
  moved[from] = order[to]!
  moved[to] = uid
  return moved
}

const moveForm = (name: 'earlier' | 'later', by: -1 | 1) =>
  projectForm(
    `images/:image/${name}`,
    `Move an image ${name} in the gallery`,
    ({ request, uid, listing, params }) => {
      const current = listing.gallery.map((image) => image.uid)
      const body = { order: moveImage(current, params.image!, by) }
      return callApi(request, orderMedia, { params: { uid }, body })
    },
    {
      form: 'images',
      show: showImages,
      done: t('image-moved'),
      back: 'images#gallery',
    },
  )

const sendToImage = formSender(({ uid, params }) => ({ uid, image: params.image! }))

export const imageRoutes = [
  projectPage('images', 'The images of a project', showImages),
  forwardUpload('images/add', 'Add images to a project', {
    to: uploadMedia,
    form: 'images',
    show: showImages,
    done: t('images-added'),
    back: 'images',
  }),
  moveForm('earlier', -1),
  moveForm('later', 1),
  projectForm(
    'images/:image/alt',
    'Say what a gallery image shows',
    sendToImage(describeMedia, (sent) => ({ alt: fieldValue(sent, 'alt') })),
    {
      form: 'images',
      show: showImages,
      done: t('image-alt-saved'),
      back: 'images#gallery',
    },
  ),
  projectForm('images/:image/remove', 'Remove an image', sendToImage(deleteMedia), {
    form: 'images',
    show: showImages,
    done: t('image-removed'),
    back: 'images',
  }),
]
