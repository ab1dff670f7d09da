import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { createCache } from '../../core/runtime/cache.ts'

/** Hashes of uploads under way, so that the next chunk goes on from the last. */
const MAX_CACHED = 1000
const kept = createCache<{ size: number; hash: Hash }>({ max_entries: MAX_CACHED })

export function keepHash(file_uid: string, size: number, hash: Hash): void {
  kept.set(file_uid, { size, hash })
}

export function forgetHash(file_uid: string): void {
  kept.delete(file_uid)
}

/** The hash of the first bytes of an upload; read from the disk where this process did not receive them itself, which may take long. */
export async function hashSoFar(
  file_uid: string,
  path: string,
  size: number,
  progress: () => Promise<void> | undefined,
): Promise<Hash> {
  const known = kept.get(file_uid)
  if (known?.size === size) return known.hash.copy()
  const hash = createHash('sha256')
  if (size > 0)
    for await (const block of createReadStream(path, {
      end: size - 1,
      highWaterMark: 1024 * 1024,
    })) {
      await progress()
      hash.update(block)
    }
  return hash
}
