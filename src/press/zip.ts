import type { ServerResponse } from 'node:http'
import { addAbortSignal, type Readable } from 'node:stream'
import { crc32 } from 'node:zlib'
import { releaseBuffer } from '../core/storage/release-buffer.ts'

/** Bytes of a known size that are opened when their turn comes. Without their checksum it is made on the way, told, and follows them. */
type Opened = {
  name: string
  size: number
  open: () => Promise<Readable>
  crc?: number
  learnt?: (crc: number) => Promise<void>
}
/** Or bytes at hand. */
export type ZipEntry = { name: string; bytes: Uint8Array } | Opened
type Written = { name: Buffer; flags: number; crc: number; size: number; offset: number }

const LOCAL_HEADER = 30
const DESCRIPTOR = 16
const DIRECTORY_ENTRY = 46
const END = 22
const MAX_SIZE = 0xffff_ffff
const MAX_ENTRIES = 0xffff
const UTF8_NAME = 0x0800
const CRC_FOLLOWS = 0x0008
const STORED = 0
const VERSION = 20
const MADE_ON_UNIX = 3 << 8
const PLAIN_FILE = 0o100644

/** Exactly how long the zip of these entries is: nothing is compressed, so it is known before a byte is read. */
export function zipSize(entries: readonly ZipEntry[]): number {
  return entries.reduce((total, entry) => {
    const overhead = LOCAL_HEADER + DIRECTORY_ENTRY + 2 * Buffer.byteLength(entry.name)
    return (
      total +
      overhead +
      ('bytes' in entry
        ? entry.bytes.length
        : entry.size + (entry.crc === undefined ? DESCRIPTOR : 0))
    )
  }, END)
}

/**
 * Writes entries as a zip to an answer whose head is set, no faster than the receiver takes it. Stored: images do not compress. Written here
 * because the checksum has to be native to keep up; with the zip library's own, in JavaScript, it was three times slower.
 * A receiver that goes away is no error; whatever else ends it early cuts the connection, as the promised length cannot be kept.
 */
export async function sendZip(
  response: ServerResponse,
  entries: readonly ZipEntry[],
  modified: Date,
): Promise<void> {
  if (zipSize(entries) > MAX_SIZE || entries.length > MAX_ENTRIES)
    throw new RangeError('too large for a plain zip')
  const gone = new AbortController()
  response.once('close', () => gone.abort())
  try {
    for await (const piece of pieces(entries, dosTime(modified), gone.signal)) {
      await written(response, piece, gone)
      releaseBuffer(piece)
    }
    response.end()
  } catch (error) {
    response.destroy()
    if (!gone.signal.aborted) throw error
  }
}

/** A write that fails is a receiver that left. */
function written(
  response: ServerResponse,
  piece: Uint8Array,
  gone: AbortController,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  response.write(piece, (error) => {
    if (!error) return resolve()
    gone.abort()
    reject(error)
  })
  return promise
}

async function* pieces(
  entries: readonly ZipEntry[],
  time: number,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const written: Written[] = []
  let offset = 0
  for (const entry of entries) {
    const name = Buffer.from(entry.name)
    if ('bytes' in entry) {
      const done = {
        name,
        flags: UTF8_NAME,
        crc: crc32(entry.bytes),
        size: entry.bytes.length,
        offset,
      }
      yield Buffer.concat([localHeader(done, time), entry.bytes])
      offset += LOCAL_HEADER + name.length + done.size
      written.push(done)
    } else if (entry.crc !== undefined) {
      const done = { name, flags: UTF8_NAME, crc: entry.crc, size: entry.size, offset }
      yield localHeader(done, time)
      yield* copy(entry, gone)
      offset += LOCAL_HEADER + name.length + done.size
      written.push(done)
    } else {
      const done = { name, flags: UTF8_NAME | CRC_FOLLOWS, crc: 0, size: entry.size, offset }
      yield localHeader({ ...done, size: 0 }, time)
      done.crc = yield* copy(entry, gone)
      await entry.learnt?.(done.crc)
      yield descriptor(done)
      offset += LOCAL_HEADER + name.length + done.size + DESCRIPTOR
      written.push(done)
    }
  }
  const directory = Buffer.concat(written.map((one) => directoryEntry(one, time)))
  yield Buffer.concat([directory, endRecord(written.length, directory.length, offset)])
}

/** The bytes of an entry; answers their checksum where it was not known. One that is not as long as was said would break the length already sent. */
async function* copy(
  { name, size, open, crc: known }: Opened,
  gone: AbortSignal,
): AsyncGenerator<Uint8Array, number> {
  const source = addAbortSignal(gone, await open())
  let crc = 0
  let left = size
  for await (const piece of source as AsyncIterable<Uint8Array>) {
    left -= piece.length
    if (left < 0) break
    if (known === undefined) crc = crc32(piece, crc)
    yield piece
  }
  if (left !== 0)
    throw new Error(
      `${name} has ${left < 0 ? 'more' : 'fewer'} than the ${size} bytes it was said to have`,
    )
  return crc
}

function localHeader({ name, flags, crc, size }: Written, time: number): Buffer {
  return Buffer.concat([
    u32(0x04034b50),
    u16(VERSION, flags, STORED),
    u32(time, crc, size, size),
    u16(name.length, 0),
    name,
  ])
}

function descriptor({ crc, size }: Written): Buffer {
  return u32(0x08074b50, crc, size, size)
}

function directoryEntry({ name, flags, crc, size, offset }: Written, time: number): Buffer {
  const lengths = u16(name.length, 0, 0, 0, 0)
  const head = [
    u32(0x02014b50),
    u16(MADE_ON_UNIX | VERSION, VERSION, flags, STORED),
    u32(time, crc, size, size),
    lengths,
  ]
  return Buffer.concat([...head, u32(PLAIN_FILE * 0x10000, offset), name])
}

function endRecord(entries: number, directory_size: number, directory_offset: number): Buffer {
  return Buffer.concat([
    u32(0x06054b50),
    u16(0, 0, entries, entries),
    u32(directory_size, directory_offset),
    u16(0),
  ])
}

const u16 = (...values: number[]) => littleEndian(2, values)
const u32 = (...values: number[]) => littleEndian(4, values)

function littleEndian(width: number, values: number[]): Buffer {
  const bytes = Buffer.alloc(width * values.length)
  for (const [index, value] of values.entries()) bytes.writeUIntLE(value, index * width, width)
  return bytes
}

/** Date above time, as the format has them since 1980; in UTC, so that the same kit is the same bytes everywhere. */
export function dosTime(moment: Date): number {
  const year = Math.min(Math.max(moment.getUTCFullYear() - 1980, 0), 127)
  const date = (year << 9) | ((moment.getUTCMonth() + 1) << 5) | moment.getUTCDate()
  const time =
    (moment.getUTCHours() << 11) | (moment.getUTCMinutes() << 5) | (moment.getUTCSeconds() >> 1)
  return date * 0x10000 + time
}
