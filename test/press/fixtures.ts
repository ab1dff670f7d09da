import { randomUUID } from 'node:crypto'
import { imageKey } from '../../src/listings/media/url.ts'
import type { startApp } from '../support/app.ts'
import { addAdmin } from '../support/builders.ts'
import { sha256 } from '../uploads/zips.ts'

type App = Awaited<ReturnType<typeof startApp>>
export type Image = {
  slot: 'cover' | 'thumbnail' | 'gallery'
  bytes: Buffer
  type?: string
  position?: number
  size?: number
  width?: number
  height?: number
}

/** Adds images without the checks of an upload, so that they may have any bytes and size. */
export async function addImages(
  { sql, core }: App,
  game_uid: string,
  images: Image[],
): Promise<string[]> {
  const hashes: string[] = []
  for (const { bytes, ...fields } of images) {
    const hash = sha256(bytes)
    await core.storage.put(imageKey(hash), bytes)
    const row = {
      uid: randomUUID(),
      game_uid,
      position: 0,
      type: 'image/png',
      width: 1920,
      height: 1080,
      size: bytes.length,
      ...fields,
      sha256: hash,
    }
    await sql`insert into listing_images ${sql(row)}`
    hashes.push(hash)
  }
  return hashes
}

/** Sets fields directly; other tests cover what publishing requires. */
export async function show(
  { sql }: App,
  uid: string,
  fields: { visibility?: string; adult?: boolean; indexable?: boolean; name?: string },
) {
  await sql`update listings set ${sql(fields)} where uid = ${uid}`
}

export async function published(app: App, fields: Parameters<typeof show>[2] = {}) {
  const listing = await app.a.listing()
  await show(app, listing.uid, { visibility: 'public', ...fields })
  return listing
}

export async function admin({ sql, a }: App, game_uid: string, accepted: boolean) {
  const person = await a.user()
  await addAdmin(sql, game_uid, person.uid, accepted)
  return person
}
