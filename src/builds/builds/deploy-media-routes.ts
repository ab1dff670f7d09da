import { Type } from 'typebox'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Checked, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { enforceListingCheck } from '../../listings/listing/edit.ts'
import { type Listing, lockListing } from '../../listings/listing/queries.ts'
import {
  addNewImages,
  orderImages,
  readMedia,
  removeImage,
  takeChange,
} from '../../listings/media/edit.ts'
import { readUpload, uploadSeconds } from '../../listings/media/form.ts'
import { galleryOrder, MediaData, mediaForm } from '../../listings/media/schema.ts'
import { deployKey } from '../keys/schemes.ts'

const url = '/api/v1/tool/media'

/** The image routes of the website, for build machines: they act on the game of the deploy key. */
export const toolMediaRoutes = [
  route({
    method: 'GET',
    url,
    summary: 'Read the images of the game',
    auth: deployKey,
    data: MediaData,
    handle: ({ core, sql, who }) => readMedia(core, sql, who.game_uid),
  }),
  route({
    method: 'POST',
    url,
    summary:
      'Add images: a multipart form with kind, position (gallery) and up to ten parts named file',
    description: 'Images that the gallery already holds, compared by content, are not added again.',
    auth: deployKey,
    raw_body: true,
    stores_files: 'listing',
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
    async handle({ core, who: { game_uid }, request }) {
      await takeChange(core, game_uid)
      const upload = await readUpload(core, game_uid, request.raw)
      return editMedia(core, game_uid, (tx, listing) => addNewImages(core, tx, listing, upload))
    },
  }),
  route({
    method: 'PUT',
    url: `${url}/order`,
    summary: 'Reorder the gallery',
    auth: deployKey,
    body: Body({ order: Type.Optional(Checked(galleryOrder)) }),
    data: MediaData,
    errors: ['NOT_FOUND', 'INVALID_ORDER', 'LISTING_CHECK_FAILED'],
    async handle({ core, who: { game_uid }, body }) {
      await takeChange(core, game_uid)
      return editMedia(core, game_uid, (tx, listing) => orderImages(tx, listing, body.order))
    },
  }),
  route({
    method: 'DELETE',
    url: `${url}/:image`,
    summary: 'Delete a gallery image by its uid, or the cover or thumbnail by that name',
    auth: deployKey,
    params: Type.Object({ image: Type.String() }),
    data: MediaData,
    errors: ['NOT_FOUND', 'IMAGE_REQUIRED', 'LISTING_CHECK_FAILED'],
    async handle({ core, who: { game_uid }, params }) {
      await takeChange(core, game_uid)
      return editMedia(core, game_uid, (tx, listing) => removeImage(tx, listing, params.image))
    },
  }),
]

/** Edits the listing like a person would, with the same checks, but without an editor. */
async function editMedia(
  core: Core,
  game_uid: string,
  edit: (tx: Tx, listing: Listing) => Promise<void>,
) {
  return transact(core.sql, async (tx) => {
    const listing = (await lockListing(tx, game_uid, null)) ?? refuse('NOT_FOUND')
    await enforceListingCheck(tx, listing, () => edit(tx, listing))
    return readMedia(core, tx, game_uid)
  })
}
