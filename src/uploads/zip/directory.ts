import { isUtf8 } from 'node:buffer'
import { forEachInSlices } from '../../core/runtime/event-loop.ts'

/** Reads exactly these bytes; anywhere they may be. */
export type ReadAt = (start: number, length: number) => Promise<Buffer>

export type ZipEntry = {
  /** As written, with / between folders; a folder ends with one. */
  path: string
  /** The other spelling some tools add; checked like the first. */
  unicode_path: string | undefined
  flags: number
  method: number
  crc32: number
  compressed: number
  size: number
  /** Where its own header begins. */
  offset: number
  /** The name as bytes: its own header must repeat them. */
  raw_name: Buffer
  is_symlink: boolean
}

export type Directory = { entries: ZipEntry[]; start: number }
/** How many entries, and which bytes list them. */
export type Place = { count: number; length: number; start: number }
export type DirectoryLimits = { max_entries: number }

/** Why a zip is not one we take; the message completes "The zip …". */
export class ZipError extends Error {}

const END = 0x06054b50
const END_LENGTH = 22
const LOCATOR = 0x07064b50
const LOCATOR_LENGTH = 20
const END64 = 0x06064b50
const END64_LENGTH = 56
const ENTRY = 0x02014b50
const ENTRY_LENGTH = 46
const MAX_COMMENT = 0xffff
/** What the names and notes of all entries may take: the directory is held in memory, and a file of 5 GB could be all directory. */
export const MAX_DIRECTORY = 64 * 1024 * 1024
const FULL16 = 0xffff
const FULL32 = 0xffffffff
const ZIP64_EXTRA = 0x0001
const UNICODE_PATH_EXTRA = 0x7075
const UTF8_FLAG = 0x0800
const SYMLINK = 0o120000
const TYPE_BITS = 0o170000

export function assertZip(condition: unknown, why: string): asserts condition {
  if (!condition) throw new ZipError(why)
}

/**
 * Where the central directory is; it is read strictly: whatever two programs could understand differently is refused. Read in one piece rather than
 * entry by entry, which for 200,000 of them is the difference between a moment and many seconds.
 */
export async function findDirectory(
  read: ReadAt,
  size: number,
  { max_entries }: DirectoryLimits,
): Promise<Place> {
  const { count, length, start } = await readEnd(read, size)
  if (count > max_entries)
    throw new ZipError(`holds ${count} entries; at most ${max_entries} are taken`)
  assertZip(length >= count * ENTRY_LENGTH, 'has a directory that is too short for its entries')
  if (length > MAX_DIRECTORY)
    throw new ZipError(`has a directory of ${length} bytes; at most ${MAX_DIRECTORY} are taken`)
  return { count, length, start }
}

export async function readEntries(
  read: ReadAt,
  { count, length, start }: Place,
): Promise<Directory> {
  const bytes = await read(start, length)
  const entries: ZipEntry[] = []
  let at = 0
  await forEachInSlices(count, () => {
    at += readEntry(bytes, at, start, entries)
  })
  assertZip(at === length, 'has a directory of another length than it says')
  return { entries, start }
}

/** So many bytes at the end of a file hold the end of its directory, if it is a zip. */
export const TAIL_LENGTH = LOCATOR_LENGTH + END_LENGTH + MAX_COMMENT

async function readEnd(read: ReadAt, size: number): Promise<Place> {
  assertZip(size >= END_LENGTH, 'is too short to be one')
  const tail_start = Math.max(0, size - TAIL_LENGTH)
  const tail = await read(tail_start, size - tail_start)
  const at = lastSignature(tail)
  assertZip(
    at >= 0 && at + END_LENGTH + tail.readUInt16LE(at + 20) === tail.length,
    'has no end of directory where it must be',
  )
  const end = {
    count: tail.readUInt16LE(at + 10),
    length: tail.readUInt32LE(at + 12),
    start: tail.readUInt32LE(at + 16),
  }
  const disks = [tail.readUInt16LE(at + 4), tail.readUInt16LE(at + 6)]
  assertZip(
    tail.readUInt16LE(at + 8) === end.count && disks.every((disk) => disk === 0 || disk === FULL16),
    'is a part of a split one',
  )
  const locator_at = at - LOCATOR_LENGTH
  const has64 = locator_at >= 0 && tail.readUInt32LE(locator_at) === LOCATOR
  if (!has64)
    assertZip(
      end.count < FULL16 && end.length < FULL32 && end.start < FULL32,
      'lacks its 64-bit end of directory',
    )
  const found = has64
    ? await readEnd64(read, tail, locator_at, tail_start + locator_at, end)
    : { ...end, end_at: tail_start + at }
  assertZip(
    found.start + found.length === found.end_at,
    'has a directory that is not where it says',
  )
  return found
}

function lastSignature(tail: Buffer): number {
  for (let at = tail.length - END_LENGTH; at >= 0; at--)
    if (tail.readUInt32LE(at) === END) return at
  return -1
}

/** Whether the end of a file may be that of a zip, whatever stands before it. */
export const mayEndWithZip = (tail: Buffer) => lastSignature(tail) >= 0

/**
 * The bytes of a zip that follows others, as in a program that unpacks itself, and as a byte put before it would hide it: unpackers find it from its
 * end. Nothing where its directory is not there.
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
  if (wide_at >= 0 && at >= LOCATOR_LENGTH && tail.readUInt32LE(at - LOCATOR_LENGTH) === LOCATOR) {
    const wide = await read(wide_at, END64_LENGTH)
    if (wide.readUInt32LE(0) === END64)
      directory = { end: wide_at, length: whole(wide, 40), start: whole(wide, 48) }
  }
  const directory_at = directory.end - directory.length
  const start = directory_at - directory.start
  const is_zip =
    start >= 0 &&
    directory.length >= ENTRY_LENGTH &&
    (await read(directory_at, 4)).readUInt32LE(0) === ENTRY
  return is_zip ? { start, end } : undefined
}

/** Where both ends say the same thing they must agree. */
async function readEnd64(
  read: ReadAt,
  tail: Buffer,
  locator_at: number,
  file_at: number,
  end: Place,
) {
  const end_at = whole(tail, locator_at + 8)
  assertZip(end_at + END64_LENGTH <= file_at, 'has no 64-bit end of directory where it says')
  const bytes = await read(end_at, END64_LENGTH)
  assertZip(
    bytes.readUInt32LE(0) === END64 && end_at + 12 + whole(bytes, 4) === file_at,
    'has no 64-bit end of directory where it says',
  )
  const found = { count: whole(bytes, 32), length: whole(bytes, 40), start: whole(bytes, 48) }
  const agrees = (small: number, full: number, wide: number) => small === full || small === wide
  assertZip(
    whole(bytes, 24) === found.count &&
      agrees(end.count, FULL16, found.count) &&
      agrees(end.length, FULL32, found.length) &&
      agrees(end.start, FULL32, found.start),
    'has two ends of directory that disagree',
  )
  return { ...found, end_at }
}

/** Answers how many bytes the entry takes. */
function readEntry(
  bytes: Buffer,
  at: number,
  directory_start: number,
  entries: ZipEntry[],
): number {
  assertZip(
    at + ENTRY_LENGTH <= bytes.length && bytes.readUInt32LE(at) === ENTRY,
    'has a broken directory',
  )
  const [name_length, extra_length] = [bytes.readUInt16LE(at + 28), bytes.readUInt16LE(at + 30)]
  const length = ENTRY_LENGTH + name_length + extra_length + bytes.readUInt16LE(at + 32)
  assertZip(at + length <= bytes.length, 'has a broken directory')
  const raw_name = bytes.subarray(at + ENTRY_LENGTH, at + ENTRY_LENGTH + name_length)
  const extra = readExtra(
    bytes.subarray(at + ENTRY_LENGTH + name_length, at + ENTRY_LENGTH + name_length + extra_length),
  )
  const flags = bytes.readUInt16LE(at + 8)
  const mode = bytes.readUInt32LE(at + 38) >>> 16
  const entry = {
    path: nameOf(raw_name, flags),
    unicode_path: unicodePath(extra.get(UNICODE_PATH_EXTRA)),
    flags,
    method: bytes.readUInt16LE(at + 10),
    crc32: bytes.readUInt32LE(at + 16),
    ...readSizes(bytes, at, extra.get(ZIP64_EXTRA)),
    raw_name,
    // Whatever system it says it was made on: unpackers do not agree on which of them have links.
    is_symlink: (mode & TYPE_BITS) === SYMLINK,
  }
  assertZip(entry.offset < directory_start, 'has an entry outside of it')
  entries.push(entry)
  return length
}

/** A size that does not fit stands in the 64-bit field, in a fixed order, and only then. */
function readSizes(
  bytes: Buffer,
  at: number,
  wide: Buffer | undefined,
): Pick<ZipEntry, 'size' | 'compressed' | 'offset'> {
  let read = 0
  const next = (small: number) => {
    if (small !== FULL32) return small
    assertZip(wide && wide.length >= read + 8, 'has an entry whose size is missing')
    read += 8
    return whole(wide, read - 8)
  }
  const size = next(bytes.readUInt32LE(at + 24))
  const compressed = next(bytes.readUInt32LE(at + 20))
  const offset = next(bytes.readUInt32LE(at + 42))
  return { size, compressed, offset }
}

function readExtra(bytes: Buffer): Map<number, Buffer> {
  const found = new Map<number, Buffer>()
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readUInt16LE(at + 2)
    // Padding that is no field, as some packers leave it.
    if (end > bytes.length) break
    const id = bytes.readUInt16LE(at)
    assertZip(
      !found.has(id) || (id !== ZIP64_EXTRA && id !== UNICODE_PATH_EXTRA),
      'has an entry with two sizes or names',
    )
    found.set(id, bytes.subarray(at + 4, end))
    at = end
  }
  return found
}

function nameOf(raw: Buffer, flags: number): string {
  if (isUtf8(raw)) return raw.toString('utf8')
  assertZip((flags & UTF8_FLAG) === 0, 'has a name that is not the UTF-8 it says')
  return raw.toString('latin1')
}

/** One byte of version and a checksum stand before it. */
function unicodePath(field: Buffer | undefined): string | undefined {
  if (!field || field.length < 5) return undefined
  assertZip(isUtf8(field.subarray(5)), 'has a name that is not the UTF-8 it says')
  return field.subarray(5).toString('utf8')
}

function whole(bytes: Buffer, at: number): number {
  const value = bytes.readBigUInt64LE(at)
  assertZip(value <= BigInt(Number.MAX_SAFE_INTEGER), 'names a size no file has')
  return Number(value)
}
