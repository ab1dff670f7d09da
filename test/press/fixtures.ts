import { createHash, randomUUID } from 'node:crypto'
import { imageKey } from '../../src/listings/media/url.ts'
import type { startApp } from '../support/app.ts'

type App = Awaited<ReturnType<typeof startApp>>
export type Image = {
  slot: 'cover' | 'thumbnail' | 'gallery'
  bytes: Buffer
  type?: string
  position?: number
  size?: number
}

/** Images of any bytes and size, which an upload would refuse; the press kit only copies them. */
export async function addImages(
  { sql, core }: App,
  game_uid: string,
  images: Image[],
): Promise<string[]> {
  const names: string[] = []
  for (const { slot, bytes, type = 'image/png', position = 0, size = bytes.length } of images) {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    await core.storage.put(imageKey(sha256), bytes)
    const row = {
      uid: randomUUID(),
      game_uid,
      slot,
      position,
      sha256,
      type,
      width: 1920,
      height: 1080,
      size,
    }
    await sql`insert into listing_images ${sql(row)}`
    names.push(sha256)
  }
  return names
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
  await sql`
    insert into listing_admins (game_uid, user_uid, accepted_at)
    values (${game_uid}, ${person.uid}, ${accepted ? new Date() : null})`
  return person
}
