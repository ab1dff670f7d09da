import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../../support/app.ts'
import { type Listing, must } from '../../support/builders.ts'
import { form, type Upload } from '../../support/images.ts'
import type { App } from '../fixtures.ts'

const folder = join(import.meta.dirname, '../../support/videos')
/** Videos of two seconds and 320 × 180 pixels, recorded by a browser. */
export const WEBM = readFileSync(join(folder, 'trailer.webm'))
export const MP4 = readFileSync(join(folder, 'trailer.mp4'))
export const VTT = 'WEBVTT\n\n00:00.000 --> 00:01.500\nThe tide is out.\n'

export const trailersOf = ({ uid }: { uid: string }) =>
  `/api/v1/private/games/${uid}/media/trailers`
export const videoFile = (bytes: Uint8Array): Upload => ({
  name: 'video',
  bytes,
  filename: 'trailer.bin',
})
export const captionsFile = (text: string | Uint8Array): Upload => ({
  name: 'captions',
  bytes: Buffer.from(text as string),
  filename: 'de.vtt',
})
export const posterFile = (bytes: Uint8Array): Upload => ({ name: 'poster', bytes })

/** An MP4 box of this type. */
export function box(type: string, ...contents: Uint8Array[]): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + contents.reduce((sum, { length }) => sum + length, 0))
  return Buffer.concat([size, Buffer.from(type, 'latin1'), ...contents])
}

/** Requests about trailers over HTTP for the tests. */
export function trailerRequests({ post, get, sql }: Pick<App, 'post' | 'get' | 'sql'>) {
  const send = async (
    listing: Listing,
    files: Upload[],
    fields: Record<string, string> = {},
    part = '',
  ) =>
    post(`${trailersOf(listing)}${part}`, undefined, {
      token: listing.owner.token,
      ...(await form(fields, files)),
    })
  const read = async (listing: Listing) => must(await get(trailersOf(listing), listing.owner))
  /** Waits until no video of the listing waits for its scan. */
  const scanned = (listing: Listing) =>
    eventually('the scan', async () => {
      const { trailers } = await read(listing)
      return trailers.every(({ scan }: { scan: string }) => scan !== 'scanning') && trailers
    })
  return {
    send,
    read,
    scanned,
    /** Adds a video and waits for its scan. */
    async clean(listing: Listing, files: Upload[] = [], fields: Record<string, string> = {}) {
      must(await send(listing, [videoFile(WEBM), ...files], fields))
      return (await scanned(listing)).at(-1)
    },
    makeAdult: (uid: string) => sql`update listings set adult = true where uid = ${uid}`,
  }
}
