import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import type { Item } from '../zip/tree.ts'
import { unreadable } from '../zip/tree.ts'

export type HashedItem = Item & { sha256: string }

const BLOCK = 1024 * 1024

export async function* readBlocks(path: string, signal: AbortSignal): AsyncGenerator<Buffer> {
  try {
    for await (const block of createReadStream(path, { highWaterMark: BLOCK })) {
      signal.throwIfAborted()
      yield block as Buffer
    }
  } catch (error) {
    throw (error as NodeJS.ErrnoException).code ? unreadable(path, error) : error
  }
}

export async function hashFile(path: string, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  for await (const block of readBlocks(path, signal)) hash.update(block)
  return hash.digest('hex')
}

/** The items with the SHA-256 of what their entries contain. */
export async function hashItems(
  items: readonly Item[],
  signal: AbortSignal,
  onProgress: (bytes: number) => void,
): Promise<HashedItem[]> {
  const hashed: HashedItem[] = []
  let done = 0
  for (const item of items) {
    const sha256 =
      item.kind === 'file'
        ? await hashFile(item.source, signal)
        : createHash('sha256')
            .update(item.target ?? '')
            .digest('hex')
    hashed.push({ ...item, sha256 })
    done += item.size
    onProgress(done)
  }
  return hashed
}
