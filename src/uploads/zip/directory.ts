import { isUtf8 } from 'node:buffer'
import { forEachInSlices } from '../../core/runtime/event-loop.ts'
import type { Explanation, Reason } from '../../core/runtime/reasons.ts'
import { MIB } from '../../core/runtime/units.ts'
import {
  MAX_ZIP_BYTES,
  MAX_ZIP_ENTRIES,
  zipRecordBytes,
  zipSignatures,
} from '../../core/storage/zip-format.ts'

/** Reads exactly `length` bytes from `start`. */
export type ReadAt = (start: number, length: number) => Promise<Buffer>

export type ZipEntry = {
  /** As written, with / between folders and at the end of a folder. */
  path: string
  /** The name in the Unicode extra field that some tools add; checked like the first. */
  unicode_path: string | undefined
  flags: number
  method: number
  crc32: number
  compressed: number
  size: number
  /** Where its local header begins. */
  offset: number
  /** The bytes of the name, which its local header must repeat. */
  raw_name: Buffer
  is_symlink: boolean
  /** Type and permissions as on Unix; 0 if the zip was made elsewhere. */
  mode: number
}

export type Directory = { entries: ZipEntry[]; start: number }
/** The central directory: how many entries it has, and where it is. */
export type DirectoryLocation = { count: number; length: number; start: number }

/** The part of a path that a reason quotes. */
const MAX_QUOTED = 80

/** Reasons with the path of an entry as their only value. */
type EntryReason =
  | 'zip_encrypted'
  | 'zip_compression'
  | 'zip_name'
  | 'zip_twice'
  | 'zip_link'
  | 'zip_case_link'

const DAMAGED: Reason = { id: 'zip_damaged' }

/** Why a zip is rejected; the message completes "The zip …". */
export class ZipError extends Error {
  readonly reason: Reason

  constructor(message: string, reason = DAMAGED) {
    super(message)
    this.reason = reason
  }

  get explanation(): Explanation {
    return { message: `The zip ${this.message}`, reasons: [this.reason] }
  }
}

const END_LENGTH = zipRecordBytes.end_of_directory
const LOCATOR_LENGTH = 20
const END64_LENGTH = 56
const ENTRY_LENGTH = zipRecordBytes.directory_record
const MAX_COMMENT = 0xffff
/** The directory is held in memory, and a file of 5 GiB could be all directory. */
const MAX_DIRECTORY_BYTES = 64 * MIB
const MAX_DISK = 0xffff
const ZIP64_EXTRA = 0x0001
const UNICODE_PATH_EXTRA = 0x7075
const UTF8_FLAG = 0x0800
const SYMLINK = 0o120000
const TYPE_BITS = 0o170000

/** Takes the parts of a reason, because creating one for each of many entries is slow. */
export function assertZip(
  condition: unknown,
  why: string,
  id?: EntryReason,
  path = '',
): asserts condition {
  if (condition) return
  const quoted = path
    .slice(0, MAX_QUOTED)
    .toWellFormed()
    .replace(/\p{Cc}/gu, '\ufffd')
  throw new ZipError(why, id && { id, values: { path: quoted } })
}

/**
 * Finds the central directory. Parsing is strict: anything that two programs could read differently
 * is rejected.
 */
export async function findDirectory(
  read: ReadAt,
  size: number,
  { max_entries }: { max_entries: number },
): Promise<DirectoryLocation> {
  const { count, length, start } = await readEnd(read, size)
  if (count > max_entries)
    throw new ZipError(`holds ${count} entries; at most ${max_entries} are allowed`, {
      id: 'zip_entries',
      values: { count, max: max_entries },
    })
  assertZip(length >= count * ENTRY_LENGTH, 'has a directory that is too short for its entries')
  if (length > MAX_DIRECTORY_BYTES)
    throw new ZipError(
      `has a directory of ${length} bytes; at most ${MAX_DIRECTORY_BYTES} are allowed`,
    )
  return { count, length, start }
}

/** Reads the directory at once: reading 200,000 entries one by one would take many seconds. */
export async function readEntries(
  read: ReadAt,
  { count, length, start }: DirectoryLocation,
): Promise<Directory> {
  const bytes = await read(start, length)
  const entries: ZipEntry[] = []
  let at = 0
  await forEachInSlices(count, () => {
    at += readEntry(bytes, at, start, entries)
  })
  assertZip(at === length, 'has a directory that is longer or shorter than it says')
  return { entries, start }
}

/** The end of the directory of a zip is within this many bytes of the end of the file. */
export const TAIL_LENGTH = LOCATOR_LENGTH + END_LENGTH + MAX_COMMENT

async function readEnd(read: ReadAt, size: number): Promise<DirectoryLocation> {
  assertZip(size >= END_LENGTH, 'is too short to be a zip')
  const tail_start = Math.max(0, size - TAIL_LENGTH)
  const tail = await read(tail_start, size - tail_start)
  const at = lastSignature(tail)
  assertZip(
    at >= 0 && at + END_LENGTH + tail.readUInt16LE(at + 20) === tail.length,
    'has no end of directory at its end',
  )
  const end = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  }
  const disks = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)]
  assertZip(
    tail.readUInt16LE(at + 8) === end.count &&
      disks.every((disk) => disk === 0 || disk === MAX_DISK),
    'is one part of a split zip',
  )
  const locator_at = at - LOCATOR_LENGTH
  const has64 = locator_at >= 0 && tail.readUInt32LE(locator_at) === zipSignatures.zip64_locator
  if (!has64)
    assertZip(
      end.count < MAX_ZIP_ENTRIES && end.length < MAX_ZIP_BYTES && end.start < MAX_ZIP_BYTES,
      'lacks its 64-bit end of directory',
    )
  const location = has64
    ? await readEnd64(read, readLocator(tail, tail_start, locator_at), end)
    : { ...end, end_at: tail_start + at }
  assertZip(
    location.start + location.length === location.end_at,
    'has a directory that is not where it says',
  )
  return location
}

function lastSignature(tail: Buffer): number {
  for (let at = tail.length - END_LENGTH; at >= 0; at--)
    if (tail.readUInt32LE(at) === zipSignatures.end_of_directory) return at
  return -1
}

/** Whether a file with these last bytes may end with a zip, whatever comes before it. */
export const mayEndWithZip = (tail: Buffer) => lastSignature(tail) >= 0

/**
 * Finds a zip that follows other bytes, as in a self-extracting program. Unpackers find it from its
 * end, so a single byte before a zip must not hide it. Undefined if there is no directory.
 */
export async function findAppendedZip(
  read: ReadAt,
  size: number,
): Promise<{ start: number; end: number } | undefined> {
  const tail_start = Math.max(0, size - TAIL_LENGTH)
  const tail = await read(tail_start, size - tail_start)
  const at = lastSignature(tail)
  if (at < 0) return undefined
  const end = Math.min(size, tail_start + at + END_LENGTH + tail.readUInt16LE(at + 20))
  let directory = {
    end: tail_start + at,
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  }
  const wide_at = directory.end - LOCATOR_LENGTH - END64_LENGTH
  const has_locator =
    at >= LOCATOR_LENGTH && tail.readUInt32LE(at - LOCATOR_LENGTH) === zipSignatures.zip64_locator
  if (wide_at >= 0 && has_locator) {
    const wide = await read(wide_at, END64_LENGTH)
    if (wide.readUInt32LE(0) === zipSignatures.zip64_end)
      directory = { end: wide_at, length: readUInt64(wide, 40), start: readUInt64(wide, 48) }
  }
  const directory_at = directory.end - directory.length
  const start = directory_at - directory.start
  const is_zip =
    start >= 0 &&
    directory.length >= ENTRY_LENGTH &&
    (await read(directory_at, 4)).readUInt32LE(0) === zipSignatures.directory_record
  return is_zip ? { start, end } : undefined
}

/** The position of the zip64 locator in the file, and of the zip64 end that it points at. */
type Locator = { position: number; end_at: number }

const readLocator = (tail: Buffer, tail_start: number, at: number): Locator => ({
  position: tail_start + at,
  end_at: readUInt64(tail, at + 8),
})

/** Values that both the 32-bit and the 64-bit end give must agree. */
async function readEnd64(read: ReadAt, { position, end_at }: Locator, end: DirectoryLocation) {
  assertZip(end_at + END64_LENGTH <= position, 'has no 64-bit end of directory where it says')
  const bytes = await read(end_at, END64_LENGTH)
  assertZip(
    bytes.readUInt32LE(0) === zipSignatures.zip64_end &&
      end_at + 12 + readUInt64(bytes, 4) === position,
    'has no 64-bit end of directory where it says',
  )
  const location = {
    count: readUInt64(bytes, 32),
    length: readUInt64(bytes, 40),
    start: readUInt64(bytes, 48),
  }
  const agrees = (small: number, full: number, wide: number) => small === full || small === wide
  assertZip(
    readUInt64(bytes, 24) === location.count &&
      agrees(end.count, MAX_ZIP_ENTRIES, location.count) &&
      agrees(end.length, MAX_ZIP_BYTES, location.length) &&
      agrees(end.start, MAX_ZIP_BYTES, location.start),
    'has two ends of directory that disagree',
  )
  return { ...location, end_at }
}

/** Appends the entry to the list and returns its length in the directory. */
function readEntry(
  bytes: Buffer,
  at: number,
  directory_start: number,
  entries: ZipEntry[],
): number {
  assertZip(
    at + ENTRY_LENGTH <= bytes.length && bytes.readUInt32LE(at) === zipSignatures.directory_record,
    'has a broken directory',
  )
  const name_length = bytes.readUInt16LE(at + 28)
  const extra_length = bytes.readUInt16LE(at + 30)
  const length = ENTRY_LENGTH + name_length + extra_length + bytes.readUInt16LE(at + 32)
  assertZip(at + length <= bytes.length, 'has a broken directory')
  const extra_at = at + ENTRY_LENGTH + name_length
  const raw_name = bytes.subarray(at + ENTRY_LENGTH, extra_at)
  const extra = readExtraFields(bytes.subarray(extra_at, extra_at + extra_length))
  const flags = bytes.readUInt16LE(at + 8)
  const mode = bytes.readUInt32LE(at + 38) >>> 16
  const entry = {
    path: decodeName(raw_name, flags),
    unicode_path: readUnicodePath(extra.get(UNICODE_PATH_EXTRA)),
    flags,
    method: bytes.readUInt16LE(at + 10),
    crc32: bytes.readUInt32LE(at + 16),
    ...readSizes(bytes, at, extra.get(ZIP64_EXTRA)),
    raw_name,
    // Whichever system made it: unpackers disagree about which systems have symbolic links.
    is_symlink: (mode & TYPE_BITS) === SYMLINK,
    mode,
  }
  assertZip(entry.offset < directory_start, 'has an entry that is outside the file')
  entries.push(entry)
  return length
}

/** A size that does not fit into 32 bits is in the 64-bit extra field, in a fixed order. */
function readSizes(
  bytes: Buffer,
  at: number,
  wide: Buffer | undefined,
): Pick<ZipEntry, 'size' | 'compressed' | 'offset'> {
  let read = 0
  const next = (small: number) => {
    if (small !== MAX_ZIP_BYTES) return small
    assertZip(wide && wide.length >= read + 8, 'has an entry whose size is missing')
    read += 8
    return readUInt64(wide, read - 8)
  }
  const size = next(bytes.readUInt32LE(at + 24))
  const compressed = next(bytes.readUInt32LE(at + 20))
  const offset = next(bytes.readUInt32LE(at + 42))
  return { size, compressed, offset }
}

function readExtraFields(bytes: Buffer): Map<number, Buffer> {
  const fields = new Map<number, Buffer>()
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt16LE(at + 2)
    // Some packers leave padding that is no field.
    if (end > bytes.length) break
    const id = bytes.readUInt16LE(at)
    assertZip(
      !fields.has(id) || (id !== ZIP64_EXTRA && id !== UNICODE_PATH_EXTRA),
      'has an entry with two sizes or two names',
    )
    fields.set(id, bytes.subarray(at + 4, end))
    at = end
  }
  return fields
}

function decodeName(raw: Buffer, flags: number): string {
  if (isUtf8(raw)) return raw.toString('utf8')
  assertZip((flags & UTF8_FLAG) === 0, 'has a name marked as UTF-8 that is not UTF-8')
  return raw.toString('latin1')
}

/** The path follows one byte of version and a checksum of four bytes. */
function readUnicodePath(field: Buffer | undefined): string | undefined {
  if (!field || field.length < 5) return undefined
  assertZip(isUtf8(field.subarray(5)), 'has a name marked as UTF-8 that is not UTF-8')
  return field.subarray(5).toString('utf8')
}

function readUInt64(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  assertZip(value <= BigInt(Number.MAX_SAFE_INTEGER), 'gives a size that no file can have')
  return Number(value)
}
