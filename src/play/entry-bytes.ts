import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Core } from '../core/runtime/core.ts'
import { KIB } from '../core/runtime/units.ts'
import { DamagedObject } from '../core/storage/verified.ts'
import { zipRecordBytes, zipSignatures } from '../core/storage/zip-format.ts'
import type { EntryTable, PlayEntry } from './entries.ts'

/** Entries up to this size are read at once, together with their header. */
const SMALL_BYTES = 64 * KIB
/** Most headers in a zip have no more extra fields than this. */
const EXTRA_BYTES = 128

/** Where the bytes of an entry begin, which only the header before them says. */
const dataStarts = new WeakMap<PlayEntry, number>()

export const isSmall = ({ compressed }: PlayEntry) => compressed <= SMALL_BYTES

/** The bytes of a small entry as they are in the zip. */
export async function readSmall(core: Core, table: EntryTable, entry: PlayEntry): Promise<Buffer> {
  const { offset, compressed, name_length } = entry
  const length = zipRecordBytes.local_header + name_length + EXTRA_BYTES + compressed
  const block = await readAt(core, table, offset, Math.min(length, table.size - offset))
  const start = dataStart(block, entry)
  if (start + compressed <= block.length)
    // A copy, because the block would stay in memory with it.
    return Buffer.from(block.subarray(start, start + compressed))
  return readAt(core, table, offset + start, compressed)
}

/** Streams the bytes of an entry as they are in the zip, or a part of them. */
export async function streamEntry(
  core: Core,
  table: EntryTable,
  entry: PlayEntry,
  from = 0,
  to = entry.compressed - 1,
): Promise<Readable> {
  let start = dataStarts.get(entry)
  if (start === undefined) {
    const header = await readAt(core, table, entry.offset, zipRecordBytes.local_header)
    start = entry.offset + dataStart(header, entry)
    dataStarts.set(entry, start)
  }
  const { storage } = core
  const object = await storage.get(table.key, { start: start + from, end: start + to })
  if (object?.size === table.size) return object.stream
  object?.stream.destroy()
  throw new DamagedObject(table.key)
}

/** Where the bytes begin after the start of the header. */
function dataStart(header: Buffer, { name_length, method }: PlayEntry): number {
  const is_header =
    header.length >= zipRecordBytes.local_header &&
    header.readUInt32LE(0) === zipSignatures.local_header &&
    header.readUInt16LE(8) === method &&
    header.readUInt16LE(26) === name_length
  if (!is_header) throw new DamagedObject('A header is not where the directory says')
  return zipRecordBytes.local_header + name_length + header.readUInt16LE(28)
}

async function readAt({ storage }: Core, table: EntryTable, start: number, length: number) {
  if (length === 0) return Buffer.alloc(0)
  const object = await storage.get(table.key, { start, end: start + length - 1 })
  if (!object) throw new DamagedObject(table.key)
  const bytes = await buffer(object.stream)
  if (bytes.length !== length) throw new DamagedObject(table.key)
  return bytes
}
