import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { etagMatches, FILE_POLICY } from '../../core/http/file-headers.ts'
import { anyone, Body, Checked, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { editListing, findForEditor } from '../listing/edit.ts'
import type { Listing } from '../listing/queries.ts'
import {
  addImages,
  describeImage,
  orderImages,
  readMedia,
  removeImage,
  takeChange,
} from './edit.ts'
import { readUpload, uploadSeconds } from './form.ts'
import { MAX_ALT } from './image-rules.ts'
import { findContent } from './queries.ts'
import { galleryOrder, MediaData, mediaForm } from './schema.ts'
import { imageEndings, imageKey } from './url.ts'

const url = '/api/v1/private/games/:uid/media'
const params = Type.Object({ uid: Type.String() })
const mayWrite = developer('mcp:catalog.write')

export const readMediaRoute = route({
  method: 'GET',
  url,
  summary: 'List the images of one of your listings',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params,
  data: MediaData,
  errors: ['NOT_FOUND'],
  handle: async ({ core, sql, who, params }) =>
    readMedia(core, sql, (await findForEditor(sql, who, params.uid)).uid),
})

export const uploadMedia = route({
  method: 'POST',
  url,
  summary: 'Add images: multipart, with kind, position (gallery) and up to ten parts named file',
  auth: website,
  params,
  raw_body: true,
  stores_files: 'account',
  described: mediaForm,
  receive_seconds: uploadSeconds,
  data: MediaData,
  errors: [
    'NOT_FOUND',
    'FILE_MISSING',
    'INVALID_MEDIA',
    'IMAGE_REJECTED',
    'GALLERY_FULL',
    'LISTING_CHECK_FAILED',
    'STORAGE_QUOTA_EXCEEDED',
  ],
  async handle({ core, sql, who, params, request }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    await takeChange(core, uid)
    const upload = await readUpload(core, uid, request.raw)
    return change(core, who, uid, (tx, listing) => addImages(core, tx, listing, upload))
  },
})

export const orderMedia = route({
  method: 'PUT',
  url: `${url}/order`,
  summary: 'Reorder the gallery',
  auth: mayWrite,
  params,
  body: Body({ order: Type.Optional(Checked(galleryOrder)) }),
  data: MediaData,
  errors: ['NOT_FOUND', 'INVALID_ORDER', 'LISTING_CHECK_FAILED'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    await takeChange(core, uid)
    return change(core, who, uid, (tx, listing) => orderImages(tx, listing, body.order))
  },
})

export const describeMedia = route({
  method: 'PATCH',
  url: `${url}/:image`,
  summary: 'Say what a gallery image shows, for people who cannot see it',
  auth: mayWrite,
  params: Type.Object({ uid: Type.String(), image: Type.String() }),
  body: Body({
    alt: Checked(
      Type.String({ maxLength: MAX_ALT, description: 'What it shows; empty removes the text' }),
    ),
  }),
  data: MediaData,
  errors: ['NOT_FOUND', 'INVALID_MEDIA'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    await takeChange(core, uid)
    return change(core, who, uid, (tx, listing) =>
      describeImage(tx, listing, { image: params.image, alt: body.alt }),
    )
  },
})

export const deleteMedia = route({
  method: 'DELETE',
  url: `${url}/:image`,
  summary: 'Delete a gallery image by its uid, or the cover or thumbnail by that name',
  auth: mayWrite,
  params: Type.Object({ uid: Type.String(), image: Type.String() }),
  data: MediaData,
  errors: ['NOT_FOUND', 'IMAGE_REQUIRED', 'LISTING_CHECK_FAILED'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    await takeChange(core, uid)
    return change(core, who, uid, (tx, listing) => removeImage(tx, listing, params.image))
  },
})

async function change(
  core: Core,
  who: Identity,
  uid: string,
  work: (tx: Tx, listing: Listing) => Promise<void>,
) {
  const media = await editListing(core, who, uid, async (tx, listing) => {
    await work(tx, listing)
    return readMedia(core, tx, uid)
  })
  crashPoint('image-recorded')
  return media
}

/**
 * Serves an image to anyone, whatever the visibility of the listing or profile. The name is the hash of the
 * content, so only someone who has seen the image can know it. This allows shared caches to store
 * images.
 */
const serveImage = route({
  method: 'GET',
  url: '/media/images/:name',
  summary: 'Read an image of a listing or profile',
  role: 'web',
  auth: anyone,
  params: Type.Object({ name: Type.String() }),
  envelope: false,
  produces: 'image/*',
  cache: 'public, max-age=31536000, immutable',
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params, request, reply }) {
    const [, sha256, ending] =
      params.name.match(/^([0-9a-f]{64})\.([a-z]+)$/) ?? refuse('NOT_FOUND')
    const content = await findContent(sql, sha256!)
    if (!content || imageEndings[content.type] !== ending) refuse('NOT_FOUND')
    const etag = `"${sha256}"`
    reply.headers({ etag, 'content-security-policy': FILE_POLICY })
    if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send()
    const object = (await core.storage.get(imageKey(sha256!))) ?? refuse('NOT_FOUND')
    return reply
      .headers({ 'content-type': content.type, 'content-length': object.size })
      .send(object.stream)
  },
})

export const mediaRoutes = [
  readMediaRoute,
  uploadMedia,
  orderMedia,
  describeMedia,
  deleteMedia,
  serveImage,
]
