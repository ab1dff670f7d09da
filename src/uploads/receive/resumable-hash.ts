import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createCache } from '../../core/runtime/cache.ts'
import { MIB } from '../../core/runtime/units.ts'

const MAX_CACHED = 1000
/** Hashes of unfinished uploads, so that the next chunk need not hash the earlier ones again. */
const hashes = createCache<{ size: number; hash: Hash }>({ max_entries: MAX_CACHED })

export function cacheHash(file_uid: string, size: number, hash: Hash): void {
  hashes.set(file_uid, { size, hash })
}

export function dropHash(file_uid: string): void {
  hashes.delete(file_uid)
}

/**
 * The hash of the first bytes of an upload. If another process received them, they are read from
 * the disk, which may take long; `renewIfDue` then keeps the lease of the session.
 */
export async function resumeHash(
  file_uid: string,
  path: string,
  size: number,
  renewIfDue: () => Promise<void> | undefined,
): Promise<Hash> {
  const cached = hashes.get(file_uid)
  if (cached?.size === size) return cached.hash.copy()
  const hash = createHash('sha256')
  if (size === 0) return hash
  for await (const block of createReadStream(path, { end: size - 1, highWaterMark: MIB })) {
    await renewIfDue()
    hash.update(block)
  }
  return hash
}
