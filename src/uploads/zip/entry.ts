import { createHash } from 'node:crypto'
import { pipeline, type Readable } from 'node:stream'
import { crc32, createInflateRaw, inflateRawSync } from 'node:zlib'
import { MIB } from '../../core/runtime/units.ts'
import { zipRecordBytes, zipSignatures } from '../../core/storage/zip-format.ts'
import { assertZip, type ReadAt, type ZipEntry, ZipError } from './directory.ts'

const LOCAL = zipSignatures.local_header
export const LOCAL_LENGTH = zipRecordBytes.local_header
const ENCRYPTED = 0x0001
const STORED = 0
/** A data descriptor after an entry: a signature, a checksum and two 64-bit sizes. */
const MAX_DESCRIPTOR = 24
const MAX_GAP = 16 * MIB
const LOCAL_BYTES = Buffer.from('PK\x03\x04', 'latin1')
const SIGNING_BLOCK = Buffer.from('APK Sig Block 42')
/** Entries up to these sizes are unpacked synchronously, in one piece. */
const MAX_SMALL_COMPRESSED = MIB / 4
const MAX_SMALL_UNPACKED = MIB

/** Streams exactly `length` bytes from `start`. */
export type StreamAt = (start: number, length: number) => Promise<Readable>

/** Where the data of an entry begins. Its local header must agree with the directory. */
export async function findDataStart(
  read: ReadAt,
  { offset, raw_name, method, compressed, path }: ZipEntry,
  end: number,
): Promise<number> {
  const mismatch = `holds ${quoteName(path)}, whose local header does not match the directory`
  assertZip(offset + LOCAL_LENGTH + raw_name.length <= end, mismatch)
  const header = await read(offset, LOCAL_LENGTH + raw_name.length)
  assertZip(
    header.readUInt32LE(0) === LOCAL &&
      header.readUInt16LE(8) === method &&
      !(header.readUInt16LE(6) & ENCRYPTED),
    mismatch,
  )
  assertZip(
    header.readUInt16LE(26) === raw_name.length && header.subarray(LOCAL_LENGTH).equals(raw_name),
    mismatch,
  )
  const start = offset + LOCAL_LENGTH + raw_name.length + header.readUInt16LE(28)
  assertZip(start + compressed <= end, mismatch)
  return start
}

/** Reads the target of a symbolic link. */
export async function readLinkTarget(read: ReadAt, entry: ZipEntry, max: number): Promise<Buffer> {
  const unreadable = `holds ${quoteName(entry.path)}, a link that cannot be read`
  assertZip(entry.size <= max && entry.compressed <= 2 * max, unreadable)
  const start = await findDataStart(read, entry, Number.MAX_SAFE_INTEGER)
  const bytes = await read(start, entry.compressed)
  try {
    const unpacked =
      entry.method === STORED ? bytes : inflateRawSync(bytes, { maxOutputLength: max })
    assertZip(unpacked.length === entry.size && crc32(unpacked) === entry.crc32, unreadable)
    return unpacked
  } catch (error) {
    throw error instanceof ZipError ? error : new ZipError(unreadable)
  }
}

/**
 * Yields the unpacked contents of an entry and returns their SHA-256. `end` is where the next entry
 * begins. Throws a ZipError if the contents differ from what the directory says, and never yields
 * more bytes than it says.
 */
export async function* unpack(
  entry: ZipEntry,
  end: number,
  { read, stream }: { read: ReadAt; stream: StreamAt },
): AsyncGenerator<Buffer, Buffer> {
  const name = quoteName(entry.path)
  const start = await findDataStart(read, entry, end)
  if (entry.compressed <= MAX_SMALL_COMPRESSED && entry.size <= MAX_SMALL_UNPACKED) {
    const contents = await unpackSmall(read, start, entry, name)
    await checkGap(read, start + entry.compressed, end)
    if (contents.length) yield contents
    return createHash('sha256').update(contents).digest()
  }
  const hash = createHash('sha256')
  let crc = 0
  let size = 0
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

/**
 * Rejects bytes between entries that could be an entry the directory does not name: unpackers that
 * read from the front would unpack it, but nothing would have scanned it.
 */
async function checkGap(read: ReadAt, from: number, end: number): Promise<void> {
  if (from === end) return
  const message = 'has bytes that belong to no entry'
  assertZip(end - from <= MAX_GAP, message)
  const gap = withoutSigningBlock(withoutFillers(await read(from, end - from)))
  assertZip(
    gap.indexOf(LOCAL_BYTES) < 0 && gap.subarray(MAX_DESCRIPTOR).every((byte) => byte === 0),
    message,
  )
}

/** Android's packer fills the space of removed entries with entries without name and contents. */
function withoutFillers(gap: Buffer): Buffer {
  let rest = gap
  const isFiller = () =>
    rest.length >= LOCAL_LENGTH &&
    rest.readUInt32LE(0) === LOCAL &&
    FILLER_ZEROS.every((at) => rest.readUInt16LE(at) === 0)
  while (isFiller()) rest = rest.subarray(LOCAL_LENGTH + rest.readUInt16LE(28))
  return rest
}
/** The offsets of flags, method, both sizes and the length of the name. */
const FILLER_ZEROS = [6, 8, 18, 20, 22, 24, 26]

/**
 * The signature of an Android package comes before its directory, with its length at both ends.
 * Nothing in it is unpacked.
 */
function withoutSigningBlock(gap: Buffer): Buffer {
  if (gap.length < 32 || !gap.subarray(-16).equals(SIGNING_BLOCK)) return gap
  const length = gap.readBigUInt64LE(gap.length - 24)
  const at = gap.length - 8 - Number(length)
  return at >= 0 && gap.readBigUInt64LE(at) === length ? gap.subarray(0, at) : gap
}

/** A game may have 100,000 small files, and a stream for each would cost more than its contents. */
async function unpackSmall(
  read: ReadAt,
  start: number,
  entry: ZipEntry,
  name: string,
): Promise<Buffer> {
  const packed = await read(start, entry.compressed)
  let contents: Buffer
  try {
    contents =
      entry.method === STORED || entry.compressed === 0
        ? packed
        : inflateRawSync(packed, { maxOutputLength: Math.max(1, entry.size) })
  } catch (error) {
    const too_large = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    const problem = too_large ? 'unpacks to more than it says' : 'cannot be unpacked'
    throw new ZipError(`holds ${name}, which ${problem}`)
  }
  assertZip(contents.length <= entry.size, `holds ${name}, which unpacks to more than it says`)
  assertZip(contents.length === entry.size, `holds ${name}, which unpacks to less than it says`)
  assertZip(
    crc32(contents) === entry.crc32,
    `holds ${name}, whose contents do not match their checksum`,
  )
  return contents
}

function inflate(packed: Readable): Readable {
  const inflater = createInflateRaw({ chunkSize: MIB / 2 })
  // The pipeline passes errors of the source on to the reader of the inflater.
  pipeline(packed, inflater, () => {})
  return inflater
}

const quoteName = (path: string) => JSON.stringify(path.slice(0, 80))
