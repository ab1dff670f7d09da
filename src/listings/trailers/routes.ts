import { Type } from 'typebox'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { Body, Checked, route, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { crashPoint } from '../../core/runtime/crash-point.ts'
import { type ErrorName, Refusal } from '../../core/runtime/errors.ts'
import { editListing, findForEditor } from '../listing/edit.ts'
import type { Listing } from '../listing/queries.ts'
import { takeChange } from '../media/edit.ts'
import {
  addOutsideVideo,
  addTrailer,
  changeTrailer,
  orderTrailers,
  readTrailers,
  removeCaptions,
  removePoster,
  removeTrailer,
} from './edit.ts'
import { readTrailerForm, removeUpload, type TrailerUpload, uploadSeconds } from './form.ts'
import { TrailersData, trailerForm, trailerPartsForm } from './schema.ts'
import { trailerLimits } from './trailer-rules.ts'

const url = '/api/v1/private/games/:uid/media/trailers'
const params = Type.Object({ uid: Type.String() })
const trailerParams = Type.Object({ uid: Type.String(), trailer: Type.String() })
const mayWrite = developer('mcp:catalog.write')

export const readTrailersRoute = route({
  method: 'GET',
  url,
  summary: 'List the trailers of one of your listings',
  auth: developer('mcp:read', 'mcp:catalog.write'),
  params,
  data: TrailersData,
  errors: ['NOT_FOUND'],
  handle: async ({ core, sql, who, params }) =>
    readTrailers(core, sql, (await findForEditor(sql, who, params.uid)).uid),
})

const uploadErrors: ErrorName[] = [
  'NOT_FOUND',
  'FILE_MISSING',
  'INVALID_MEDIA',
  'IMAGE_REJECTED',
  'STORAGE_QUOTA_EXCEEDED',
]

const upload = {
  method: 'POST',
  auth: website,
  raw_body: true,
  stores_files: 'account',
  receive_seconds: uploadSeconds,
  data: TrailersData,
} as const

export const uploadTrailer = route({
  ...upload,
  url,
  summary: 'Add a video as a trailer; it is public once it is scanned',
  params,
  described: trailerForm,
  errors: [...uploadErrors, 'GALLERY_FULL'],
  handle: ({ core, who, params, request }) =>
    receive(core, who, { game: params.uid, request }, (tx, listing, sent) =>
      addTrailer(core, tx, listing, sent),
    ),
})

export const changeTrailerRoute = route({
  ...upload,
  url: `${url}/:trailer`,
  summary: 'Change the title, video, poster or captions of a trailer; send what changes',
  params: trailerParams,
  described: trailerPartsForm,
  errors: uploadErrors,
  handle: ({ core, who, params, request }) =>
    receive(core, who, { game: params.uid, request }, (tx, listing, sent) =>
      changeTrailer(core, tx, listing, { trailer: params.trailer, upload: sent }),
    ),
})

export const addOutsideVideoRoute = route({
  method: 'POST',
  url: `${url}/outside`,
  summary: 'Add a video on YouTube, Vimeo or PeerTube as a trailer',
  auth: mayWrite,
  params,
  body: Body({
    url: Checked(Type.String({ description: 'The https address of the video' })),
    title: Type.Optional(Checked(Type.String({ maxLength: trailerLimits.title }))),
  }),
  data: TrailersData,
  errors: ['NOT_FOUND', 'INVALID_MEDIA', 'GALLERY_FULL'],
  handle: ({ core, who, params, body }) =>
    change(core, who, params.uid, (tx, listing) =>
      addOutsideVideo(tx, listing, { url: body.url, title: body.title }),
    ),
})

export const orderTrailersRoute = route({
  method: 'PUT',
  url: `${url}/order`,
  summary: 'Reorder the trailers',
  auth: mayWrite,
  params,
  body: Body({
    order: Type.Optional(
      Checked(Type.Array(Uid, { description: 'The uid of every trailer, exactly once' })),
    ),
  }),
  data: TrailersData,
  errors: ['NOT_FOUND', 'INVALID_ORDER'],
  handle: ({ core, who, params, body }) =>
    change(core, who, params.uid, (tx, listing) => orderTrailers(tx, listing, body.order)),
})

export const deleteTrailerRoute = route({
  method: 'DELETE',
  url: `${url}/:trailer`,
  summary: 'Delete a trailer',
  auth: mayWrite,
  params: trailerParams,
  data: TrailersData,
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) =>
    change(core, who, params.uid, (tx, listing) => removeTrailer(tx, listing, params.trailer)),
})

export const deletePosterRoute = route({
  method: 'DELETE',
  url: `${url}/:trailer/poster`,
  summary: 'Delete the poster of a trailer',
  auth: mayWrite,
  params: trailerParams,
  data: TrailersData,
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) =>
    change(core, who, params.uid, (tx, listing) => removePoster(tx, listing, params.trailer)),
})

export const deleteCaptionsRoute = route({
  method: 'DELETE',
  url: `${url}/:trailer/captions/:language`,
  summary: 'Delete the captions of a trailer in one language',
  auth: mayWrite,
  params: Type.Object({ ...trailerParams.properties, language: Type.String() }),
  data: TrailersData,
  errors: ['NOT_FOUND'],
  handle: ({ core, who, params }) =>
    change(core, who, params.uid, (tx, listing) => removeCaptions(tx, listing, params)),
})

type Edit = (tx: Tx, listing: Listing) => Promise<void>

async function change(core: Core, who: Identity, game: string, edit: Edit) {
  const { uid } = await findForEditor(core.sql, who, game)
  await takeChange(core, uid)
  return editTrailers(core, who, uid, edit)
}

const editTrailers = (core: Core, who: Identity, uid: string, edit: Edit) =>
  editListing(core, who, uid, async (tx, listing) => {
    await edit(tx, listing)
    return readTrailers(core, tx, uid)
  })

type Request = { raw: Parameters<typeof readTrailerForm>[2] }

/** Reads a form and changes the listing. If that is refused, the video of the form is removed. */
async function receive(
  core: Core,
  who: Identity,
  { game, request }: { game: string; request: Request },
  edit: (tx: Tx, listing: Listing, sent: TrailerUpload) => Promise<void>,
) {
  const { uid } = await findForEditor(core.sql, who, game)
  await takeChange(core, uid)
  const sent = await readTrailerForm(core, uid, request.raw)
  try {
    const trailers = await editTrailers(core, who, uid, (tx, listing) => edit(tx, listing, sent))
    crashPoint('trailer-recorded')
    return trailers
  } catch (error) {
    // After any other failure the change may have been saved; the sweep knows.
    if (error instanceof Refusal) await removeUpload(core.storage, uid, sent)
    throw error
  }
}

export const trailerRoutes = [
  readTrailersRoute,
  uploadTrailer,
  addOutsideVideoRoute,
  orderTrailersRoute,
  changeTrailerRoute,
  deleteTrailerRoute,
  deletePosterRoute,
  deleteCaptionsRoute,
]
