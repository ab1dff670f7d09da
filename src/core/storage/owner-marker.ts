import { buffer } from 'node:stream/consumers'
import { isUuid } from '../security/crypto.ts'
import type { Storage } from './storage.ts'

/** Outside of the prefixes of all modules. */
export const OWNER_KEY = 'store-owner'

export type OwnerMarker = { catalog_uid: string; token: string }

const NOTE =
  'Slipway: the database that these objects belong to. Do not change or remove this file; ' +
  'see docs/backup.md'

/** The marker of a store, null if there is none; one that cannot be read is nobody's. */
export async function readMarker(storage: Storage): Promise<OwnerMarker | null> {
  const object = await storage.get(OWNER_KEY)
  if (!object) return null
  try {
    const { catalog_uid, token } = JSON.parse((await buffer(object.stream)).toString())
    if (isUuid(catalog_uid) && isUuid(token)) return { catalog_uid, token }
  } catch (error) {
    if (!(error instanceof SyntaxError || error instanceof TypeError)) throw error
  }
  return { catalog_uid: '', token: '' }
}

export async function writeMarker(storage: Storage, marker: OwnerMarker): Promise<void> {
  const text = JSON.stringify({ note: NOTE, ...marker, written_at: new Date() }, null, 2)
  await storage.put(OWNER_KEY, Buffer.from(`${text}\n`))
}
