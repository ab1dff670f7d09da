import { buffer } from 'node:stream/consumers'
import { MIB } from '../../core/runtime/units.ts'
import type { Storage } from '../../core/storage/storage.ts'
import { type ReadAt, ZipError } from './directory.ts'
import type { StreamAt } from './entry.ts'

const READ_AHEAD_BYTES = 4 * MIB

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

/** Serves consecutive small reads from one large read. */
export function readAhead(source: ZipSource): ZipSource {
  let from = 0
  let buffer: Buffer = Buffer.alloc(0)
  return {
    ...source,
    async read(start, length) {
      if (start + length > source.size) throw new ZipError('ends too early')
      if (length > READ_AHEAD_BYTES) return source.read(start, length)
      if (start < from || start + length > from + buffer.length) {
        buffer = await source.read(start, Math.min(READ_AHEAD_BYTES, source.size - start))
        from = start
      }
      return buffer.subarray(start - from, start - from + length)
    },
  }
}
