import { buffer } from 'node:stream/consumers'
import type { Storage } from '../../core/storage/storage.ts'
import { type ReadAt, ZipError } from '../zip/directory.ts'
import type { StreamAt } from '../zip/entry.ts'

/** A zip that is read in places, wherever it is. */
export type ZipSource = { read: ReadAt; stream: StreamAt; size: number }

export function storedZip(storage: Storage, key: string, size: number): ZipSource {
  const stream: StreamAt = async (start, length) => {
    const found = await storage.get(key, { start, end: start + length - 1 })
    if (!found) throw new Error('the object is not there')
    return found.stream
  }
  return {
    size,
    stream,
    read: async (start, length) =>
      length === 0 ? Buffer.alloc(0) : exactly(await buffer(await stream(start, length)), length),
  }
}

function exactly(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new ZipError('ends too early')
  return bytes
}
