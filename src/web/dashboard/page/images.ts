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
import { postButton } from '../../components/secret-field.ts'
import { cropDialog, imageForm } from '../../images/image-form.ts'
import { forwardUpload } from '../forward-upload.ts'
import { formSender, formState, projectForm } from '../project-form.ts'
import {
  type FormResult,
  type ProjectContext,
  projectPage,
  renderSection,
  subsection,
} from '../project-page.ts'
import { moveImage } from './move-image.ts'
import { readOwnTrailers, trailerEditor, trailerRoutes } from './trailers.ts'

type GalleryImage = RouteData<typeof readMediaRoute>['gallery'][number]
type Slot = 'cover' | 'thumbnail' | 'gallery'

const sizeHint = (slot: Slot): LocalText => {
  const { min, max, bytes } = imageSlots[slot]
  const size = ([width, height]: readonly number[]) =>
    t('image-size', { width: String(width), height: String(height) })
  return t('image-rules', { min: size(min), max: size(max), bytes: formatBytes(bytes) })
}

const dropArea = ({ uid, base }: ProjectContext, slot: Slot): Html =>
  imageForm({
    kind: slot,
    upload_url: routePath(uploadMedia.url, { uid }),
    action: `${base}/images/add`,
    rules: imageSlots[slot],
    hint: sizeHint(slot),
    ...(slot === 'gallery' && { multiple: true, fields: altQuestion }),
  })

/** Filled in before an image is chosen, because choosing one sends it. */
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
        ${
          i < images.length - 1 && postButton(t('image-later'), `${base}/images/${image.uid}/later`)
        }
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
  const [media, own_trailers] = await Promise.all([
    readApi(request, readMediaRoute, { params: { uid } }),
    readOwnTrailers(project),
  ])
  const { trailers, trailers_max } = own_trailers
  const urls = [
    media.cover,
    media.thumbnail,
    ...media.gallery.map(({ url }) => url),
    ...trailers.map(({ poster }) => poster),
  ]
  const images = { ...media, pictures: await readPictures(core, urls) }
  return renderSection(project, 'images', {
    title: t('section-images'),
    scripts: ['drop-images.mjs', 'upload-video.mjs'],
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
      ${subsection(
        'trailers',
        t('trailers-of-project', { count: trailers.length, max: trailers_max }),
        trailerEditor(project, own_trailers, { pictures: images.pictures, result }),
        t('trailers-of-project-text'),
      )}
      ${cropDialog}`,
  })
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
  ...trailerRoutes(showImages),
]
