import assert from 'node:assert/strict'
import type { startApp } from '../../support/app.ts'
import { type Listing, makePublic } from '../../support/builders.ts'
import { form, picture, type Upload } from '../../support/images.ts'

export type App = Awaited<ReturnType<typeof startApp>>
export type Media = {
  game_uid: string
  cover: string
  thumbnail: string
  gallery: { uid: string; url: string; position: number; alt: string }[]
  gallery_max: number
}

export const emptyMedia = ({ uid }: { uid: string }): Media => ({
  game_uid: uid,
  cover: '',
  thumbnail: '',
  gallery: [],
  gallery_max: 20,
})
export const mediaOf = ({ uid }: { uid: string }) => `/api/v1/private/games/${uid}/media`
export const galleryUids = ({ gallery }: Media) => gallery.map(({ uid }) => uid)
export const hashOf = (url: string) => url.match(/[0-9a-f]{64}/)![0]

/** Image requests over HTTP for the tests. */
export function mediaRequests({ post, get, put, del, sql }: App) {
  const upload = async (
    listing: Listing,
    fields: Record<string, string>,
    files: Upload[],
    options = {},
  ) =>
    post(mediaOf(listing), undefined, {
      token: listing.owner.token,
      ...(await form(fields, files, options)),
    })
  const screenshots = async (count: number): Promise<Upload[]> =>
    Promise.all(
      Array.from({ length: count }, async () => ({
        bytes: await picture(1280, 720, { format: 'jpeg' }),
      })),
    )
  return {
    upload,
    screenshots,
    read: async (listing: Listing): Promise<Media> =>
      (await get(mediaOf(listing), { token: listing.owner.token })).body.data,
    order: (listing: Listing, order: unknown) =>
      put(`${mediaOf(listing)}/order`, { order }, { token: listing.owner.token }),
    remove: (listing: Listing, image: string) =>
      del(`${mediaOf(listing)}/${image}`, { token: listing.owner.token }),
    publish: ({ uid }: Listing) => makePublic(sql, uid),
  }
}

export function assertConsistent(media: Media) {
  assert.deepEqual(
    media.gallery.map(({ position }) => position),
    media.gallery.map((_, index) => index),
    'the positions have gaps',
  )
  assert.equal(new Set(media.gallery.map(({ uid }) => uid)).size, media.gallery.length)
  assert.ok(media.gallery.length <= 20)
}
