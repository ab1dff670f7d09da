import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { isSomeZip, type ReadAt, type ZipEntry, ZipError } from './zip.ts'

const LOCAL = 0x04034b50
export const LOCAL_LENGTH = 30
const ENCRYPTED = 0x0001
const STORED = 0
const MIB = 1024 * 1024
/** What is unpacked in one piece: a moment's work. */
const SMALL = MIB / 4
const SMALL_UNPACKED = MIB

/** A stream of exactly these bytes. */
export type StreamAt = (start: number, length: number) => Promise<Readable>

/** Where the bytes of an entry begin; its own header must say what the directory says. */
export async function dataStart(read: ReadAt, { offset, raw_name, method, compressed, path }: ZipEntry, end: number): Promise<number> {
  const wrong = `holds ${JSON.stringify(path.slice(0, 80))}, whose own header does not match the directory`
  isSomeZip(offset + LOCAL_LENGTH + raw_name.length <= end, wrong)
  const header = await read(offset, LOCAL_LENGTH + raw_name.length)
  isSomeZip(header.readUInt32LE(0) === LOCAL && header.readUInt16LE(8) === method && !(header.readUInt16LE(6) & ENCRYPTED), wrong)
  isSomeZip(header.readUInt16LE(26) === raw_name.length && header.subarray(LOCAL_LENGTH).equals(raw_name), wrong)
  const start = offset + LOCAL_LENGTH + raw_name.length + header.readUInt16LE(28)
  isSomeZip(start + compressed <= end, wrong)
  return start
}

/** A whole entry that must be small. */
export async function readSmall(read: ReadAt, entry: ZipEntry, max: number): Promise<Buffer> {
  const why = `holds ${JSON.stringify(entry.path.slice(0, 80))}, a link that cannot be read`
  isSomeZip(entry.size <= max && entry.compressed <= 2 * max, why)
  const start = await dataStart(read, entry, Number.MAX_SAFE_INTEGER)
  const bytes = await read(start, entry.compressed)
  try {
    const unpacked = entry.method === STORED ? bytes : inflateRawSync(bytes, { maxOutputLength: max })
    isSomeZip(unpacked.length === entry.size && crc32(unpacked) === entry.crc32, why)
    return unpacked
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError(why)
  }
}

/**
 * The contents of an entry as they unpack, never more than the directory promised. `end` is where the next entry begins. Throws a
 * ZipError when what comes out is not what the directory says: fewer bytes, more bytes, or others.
 */
export async function* unpack(
  entry: ZipEntry,
  end: number,
  { read, stream }: { read: ReadAt; stream: StreamAt },
): AsyncGenerator<Buffer, Buffer> {
  const name = JSON.stringify(entry.path.slice(0, 80))
  const start = await dataStart(read, entry, end)
  if (entry.compressed <= SMALL && entry.size <= SMALL_UNPACKED) {
    const whole = await unpackSmall(read, start, entry, name)
    if (whole.length) yield whole
    return createHash('sha256').update(whole).digest()
  }
  const hash = createHash('sha256')
  let [crc, size] = [0, 0]
  if (entry.compressed > 0) {
    const packed = await stream(start, entry.compressed)
    const unpacked = entry.method === STORED ? packed : inflate(packed)
    try {
      for await (const chunk of unpacked as AsyncIterable<Buffer>) {
        size += chunk.length
        isSomeZip(size <= entry.size, `holds ${name}, which unpacks to more than it says`)
        crc = crc32(chunk, crc)
        hash.update(chunk)
        yield chunk
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_')) throw new ZipError(`holds ${name}, which cannot be unpacked`)
      throw error
    } finally {
      packed.destroy()
      unpacked.destroy()
    }
  }
  isSomeZip(size === entry.size, `holds ${name}, which unpacks to less than it says`)
  isSomeZip(crc === entry.crc32, `holds ${name}, whose contents do not match their checksum`)
  return hash.digest()
}

/** In one piece: a game may be a hundred thousand small files, and a stream for each costs more than its contents. */
async function unpackSmall(read: ReadAt, start: number, entry: ZipEntry, name: string): Promise<Buffer> {
  const packed = await read(start, entry.compressed)
  let whole: Buffer
  try {
    whole =
      entry.method === STORED || entry.compressed === 0 ? packed : inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
  } catch (error) {
    const larger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new ZipError(`holds ${name}, which ${larger ? 'unpacks to more than it says' : 'cannot be unpacked'}`)
  }
  isSomeZip(whole.length <= entry.size, `holds ${name}, which unpacks to more than it says`)
  isSomeZip(whole.length === entry.size, `holds ${name}, which unpacks to less than it says`)
  isSomeZip(crc32(whole) === entry.crc32, `holds ${name}, whose contents do not match their checksum`)
  return whole
}

function inflate(packed: Readable): Readable {
  const inflater = createInflateRaw({ chunkSize: MIB / 2 })
  // Errors of the source reach the reader through the inflater.
  pipeline(packed, inflater, () => {})
  return inflater
}
