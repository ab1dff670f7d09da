import { createHash } from 'node:crypto'
import type { Listed, Storage } from '../core/storage.ts'
import { AdminError, type Run } from './command.ts'

const AT_ONCE = 4

export type Moved = { copied: number; there: number; bytes: number }

/**
 * Copies every object to another store, and reads each back: what it says it has is what was sent. Objects are put whole or not at all, so one that is there with
 * its size was copied before, and a move that was interrupted goes on. Nothing is removed.
 */
export async function copyObjects(from: Storage, to: Storage, { progress, signal }: Pick<Run, 'progress' | 'signal'>): Promise<Moved> {
  const moved: Moved = { copied: 0, there: 0, bytes: 0 }
  const objects = from.list('')[Symbol.asyncIterator]()
  const lane = async () => {
    for (let next = await objects.next(); !next.done; next = await objects.next()) {
      signal.throwIfAborted()
      if (await copyOne(from, to, next.value)) moved.copied++
      else moved.there++
      moved.bytes += next.value.size
      progress(`${moved.copied + moved.there} objects, ${moved.bytes} bytes`)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  return moved
}

async function copyOne(from: Storage, to: Storage, { key, size }: Listed): Promise<boolean> {
  if ((await to.stat(key))?.size === size) return false
  const found = await from.get(key)
  // Removed since it was listed.
  if (!found) return false
  const sent = createHash('sha256')
  await to.put(key, hashed(found.stream, sent))
  if ((await hashOf(to, key)) === sent.digest('hex')) return true
  await to.remove(key)
  throw new AdminError(`${key} came out different from how it went in. It was removed again; look at the network and the store, then go on`)
}

async function* hashed(stream: AsyncIterable<Uint8Array>, hash: { update(bytes: Uint8Array): unknown }): AsyncGenerator<Uint8Array> {
  for await (const bytes of stream) {
    hash.update(bytes)
    yield bytes
  }
}

async function hashOf(storage: Storage, key: string): Promise<string | undefined> {
  const found = await storage.get(key)
  if (!found) return undefined
  const hash = createHash('sha256')
  for await (const bytes of found.stream) hash.update(bytes as Uint8Array)
  return hash.digest('hex')
}
