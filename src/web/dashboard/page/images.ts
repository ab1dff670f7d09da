import { routePath } from '../../../core/http/call.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { MIB } from '../../../core/runtime/units.ts'
import { galleryLimits, imageSlots } from '../../../listings/media/image-rules.ts'
import {
  deleteMedia,
  orderMedia,
  readMediaRoute,
  uploadMedia,
} from '../../../listings/media/routes.ts'
import { type Pictures, readPictures } from '../../../listings/renditions/pictures.ts'
import { callApi, readApi } from '../../call.ts'
import { formMessage } from '../../components/form.ts'
import { type Html, html } from '../../components/html.ts'
import { picture } from '../../components/picture.ts'
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

const sizeHint = (slot: Slot) => {
  const { min, max, bytes } = imageSlots[slot]
  return `16:9, ${min.join(' × ')} to ${max.join(' × ')} pixels, up to ${bytes / MIB} MB`
}

/** A drop area for images; without JavaScript it is a file input with a button. */
function dropArea({ uid, base }: ProjectContext, slot: Slot): Html {
  const is_gallery = slot === 'gallery'
  return html`
    <drop-images data-url="${routePath(uploadMedia.url, { uid })}" data-kind="${slot}">
      <form class="drop" method="post" enctype="multipart/form-data" action="${base}/images/add">
        <input type="hidden" name="kind" value="${slot}">
        <label for="file-${slot}">
          ${is_gallery ? 'Drop images here or choose files' : 'Drop an image here or choose a file'}
        </label>
        <input id="file-${slot}" type="file" name="file"
          accept="${IMAGE_TYPES}" required${is_gallery && html` multiple`}>
        <p class="hint">${sizeHint(slot)}</p>
        <p class="error-text" role="alert" hidden></p>
        <button class="button button-quiet button-small">Upload</button>
      </form>
    </drop-images>`
}

type Images = RouteData<typeof readMediaRoute> & { pictures: Pictures }

function imageSlot(project: ProjectContext, slot: 'cover' | 'thumbnail', images: Images): Html {
  const { base, listing } = project
  const url = images[slot]
  const image = html`
    <figure class="shot">
      ${picture(images.pictures, url, {
        alt: `The ${slot} of ${listing.name}`,
        width: 480,
        height: 270,
        widths: [320, 640, 1280],
        sizes: '(max-width: 760px) 92vw, 480px',
        loading: 'eager',
      })}
      ${postButton('Remove', `${base}/images/${slot}/remove`)}
    </figure>`
  return html`
    <div class="slot">
      ${url ? image : html`<p class="soft">No image yet.</p>`}
      ${dropArea(project, slot)}
    </div>`
}

function gallery(project: ProjectContext, { gallery: images, pictures }: Images): Html {
  const { uid, base } = project
  const galleryItem = ({ uid: image_uid, url }: GalleryImage, i: number) => html`
    <li class="shot" data-uid="${image_uid}">
      ${picture(pictures, url, {
        alt: `Gallery image ${i + 1}`,
        width: 320,
        height: 180,
        widths: [320, 640],
        sizes: '(max-width: 760px) 92vw, 320px',
        loading: 'lazy',
      })}
      <div class="row">
        ${i > 0 && postButton('Earlier', `${base}/images/${image_uid}/earlier`)}
        ${i < images.length - 1 && postButton('Later', `${base}/images/${image_uid}/later`)}
        ${postButton('Remove', `${base}/images/${image_uid}/remove`)}
      </div>
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
    title: 'Images',
    scripts: ['drop-images.mjs'],
    body: html`
      ${formMessage(formState(result, 'images', {}))}
      ${subsection(
        'cover',
        'Cover',
        imageSlot(project, 'cover', images),
        'The large image at the top of your page and in link previews.',
      )}
      ${subsection(
        'thumbnail',
        'Thumbnail',
        imageSlot(project, 'thumbnail', images),
        'Shown in lists and on shelves.',
      )}
      ${subsection(
        'gallery',
        `Gallery (${media.gallery.length} of ${media.gallery_max})`,
        gallery(project, images),
        `A public page needs at least ${galleryLimits.min}. Drag to reorder, or use the buttons.`,
      )}`,
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
      done: 'Image moved',
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
    done: 'Images added',
    back: 'images',
  }),
  moveForm('earlier', -1),
  moveForm('later', 1),
  projectForm('images/:image/remove', 'Remove an image', sendToImage(deleteMedia), {
    form: 'images',
    show: showImages,
    done: 'Image removed',
    back: 'images',
  }),
]
