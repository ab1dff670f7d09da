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
 * The hash of the first bytes of an upload. Those that other processes received since the last
 * chunk of this one are read from the disk. Acknowledged bytes never change, so what this process
 * has hashed before is not read again: otherwise an upload whose chunks go to several processes
 * would be read anew with every chunk. After a restart it takes long once; `renewIfDue` then keeps
 * the lease of the session.
 */
export async function resumeHash(
  file_uid: string,
  path: string,
  size: number,
  renewIfDue: () => Promise<void> | undefined,
): Promise<Hash> {
  const cached = hashes.get(file_uid)
  const is_usable = cached !== undefined && cached.size <= size
  const hash = is_usable ? cached.hash.copy() : createHash('sha256')
  const start = is_usable ? cached.size : 0
  if (start === size) return hash
  const missing = createReadStream(path, { start, end: size - 1, highWaterMark: MIB })
  for await (const block of missing) {
    await renewIfDue()
    hash.update(block)
  }
  return hash
}
