import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { assertZip, type ReadAt, type ZipEntry, ZipError } from './directory.ts'

const LOCAL = 0x04034b50
export const LOCAL_LENGTH = 30
const ENCRYPTED = 0x0001
const STORED = 0
const MIB = 1024 * 1024
/** What may follow the bytes of an entry: a signature, a checksum and two sizes of 64 bits. */
const DESCRIPTOR = 24
const MAX_GAP = 16 * MIB
const LOCAL_BYTES = Buffer.from('PK\x03\x04', 'latin1')
const SIGNING_BLOCK = Buffer.from('APK Sig Block 42')
/** What is unpacked in one piece: a moment's work. */
const SMALL = MIB / 4
const SMALL_UNPACKED = MIB

/** A stream of exactly these bytes. */
export type StreamAt = (start: number, length: number) => Promise<Readable>

/** Where the bytes of an entry begin; its own header must say what the directory says. */
export async function dataStart(
  read: ReadAt,
  { offset, raw_name, method, compressed, path }: ZipEntry,
  end: number,
): Promise<number> {
  const wrong = `holds ${JSON.stringify(path.slice(0, 80))}, whose own header does not match the directory`
  assertZip(offset + LOCAL_LENGTH + raw_name.length <= end, wrong)
  const header = await read(offset, LOCAL_LENGTH + raw_name.length)
  assertZip(
    header.readUInt32LE(0) === LOCAL &&
      header.readUInt16LE(8) === method &&
      !(header.readUInt16LE(6) & ENCRYPTED),
    wrong,
  )
  assertZip(
    header.readUInt16LE(26) === raw_name.length && header.subarray(LOCAL_LENGTH).equals(raw_name),
    wrong,
  )
  const start = offset + LOCAL_LENGTH + raw_name.length + header.readUInt16LE(28)
  assertZip(start + compressed <= end, wrong)
  return start
}

/** A whole entry that must be small. */
export async function readSmall(read: ReadAt, entry: ZipEntry, max: number): Promise<Buffer> {
  const why = `holds ${JSON.stringify(entry.path.slice(0, 80))}, a link that cannot be read`
  assertZip(entry.size <= max && entry.compressed <= 2 * max, why)
  const start = await dataStart(read, entry, Number.MAX_SAFE_INTEGER)
  const bytes = await read(start, entry.compressed)
  try {
    const unpacked =
      entry.method === STORED ? bytes : inflateRawSync(bytes, { maxOutputLength: max })
    assertZip(unpacked.length === entry.size && crc32(unpacked) === entry.crc32, why)
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
    await checkGap(read, start + entry.compressed, end)
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
        assertZip(size <= entry.size, `holds ${name}, which unpacks to more than it says`)
        crc = crc32(chunk, crc)
        hash.update(chunk)
        yield chunk
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code?.startsWith('Z_'))
        throw new ZipError(`holds ${name}, which cannot be unpacked`)
      throw error
    } finally {
      packed.destroy()
      unpacked.destroy()
    }
  }
  assertZip(size === entry.size, `holds ${name}, which unpacks to less than it says`)
  assertZip(crc === entry.crc32, `holds ${name}, whose contents do not match their checksum`)
  await checkGap(read, start + entry.compressed, end)
  return hash.digest()
}

/** Programs that read from the front unpack an entry the directory does not name, and nobody looked at it. */
async function checkGap(read: ReadAt, from: number, end: number): Promise<void> {
  if (from === end) return
  const why = 'has bytes that belong to no entry'
  assertZip(end - from <= MAX_GAP, why)
  const gap = withoutSigning(withoutFillers(await read(from, end - from)))
  assertZip(
    gap.indexOf(LOCAL_BYTES) < 0 && gap.subarray(DESCRIPTOR).every((byte) => byte === 0),
    why,
  )
}

/** Android's packer fills the place of what it took out with entries that have no name and no contents. */
function withoutFillers(gap: Buffer): Buffer {
  let rest = gap
  const isFiller = () =>
    rest.length >= LOCAL_LENGTH &&
    rest.readUInt32LE(0) === LOCAL &&
    EMPTY_AT.every((at) => rest.readUInt16LE(at) === 0)
  while (isFiller()) rest = rest.subarray(LOCAL_LENGTH + rest.readUInt16LE(28))
  return rest
}
/** Flags, method, both sizes and the length of the name. */
const EMPTY_AT = [6, 8, 18, 20, 22, 24, 26]

/** The signature of an Android package stands before its directory, with its length at both ends; of it nothing is unpacked. */
function withoutSigning(gap: Buffer): Buffer {
  if (gap.length < 32 || !gap.subarray(-16).equals(SIGNING_BLOCK)) return gap
  const length = gap.readBigUInt64LE(gap.length - 24)
  const at = gap.length - 8 - Number(length)
  return at >= 0 && gap.readBigUInt64LE(at) === length ? gap.subarray(0, at) : gap
}

/** In one piece: a game may be a hundred thousand small files, and a stream for each costs more than its contents. */
async function unpackSmall(
  read: ReadAt,
  start: number,
  entry: ZipEntry,
  name: string,
): Promise<Buffer> {
  const packed = await read(start, entry.compressed)
  let whole: Buffer
  try {
    whole =
      entry.method === STORED || entry.compressed === 0
        ? packed
        : inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
  } catch (error) {
    const larger = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw new ZipError(
      `holds ${name}, which ${larger ? 'unpacks to more than it says' : 'cannot be unpacked'}`,
    )
  }
  assertZip(whole.length <= entry.size, `holds ${name}, which unpacks to more than it says`)
  assertZip(whole.length === entry.size, `holds ${name}, which unpacks to less than it says`)
  assertZip(
    crc32(whole) === entry.crc32,
    `holds ${name}, whose contents do not match their checksum`,
  )
  return whole
}

function inflate(packed: Readable): Readable {
  const inflater = createInflateRaw({ chunkSize: MIB / 2 })
  // Errors of the source reach the reader through the inflater.
  pipeline(packed, inflater, () => {})
  return inflater
}
