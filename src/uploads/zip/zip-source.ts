import { buffer } from 'node:stream/consumers'
import type { Storage } from '../../core/storage/storage.ts'
import { type ReadAt, ZipError } from './directory.ts'
import type { StreamAt } from './entry.ts'

/** A zip with random access, wherever it is stored. */
export type ZipSource = { read: ReadAt; stream: StreamAt; size: number }

export function storedZip(storage: Storage, key: string, size: number): ZipSource {
  const stream: StreamAt = async (start, length) => {
    const object = await storage.get(key, { start, end: start + length - 1 })
    if (!object) throw new Error('the object does not exist')
    return object.stream
  }
  async function read(start: number, length: number): Promise<Buffer> {
    if (length === 0) return Buffer.alloc(0)
    const bytes = await buffer(await stream(start, length))
    if (bytes.length !== length) throw new ZipError('ends too early')
    return bytes
  }
  return { size, stream, read }
}
