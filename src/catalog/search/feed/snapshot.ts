import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { HOUR_MS, MIB } from '../../../core/runtime/units.ts'
import { sha256 } from '../../../core/security/crypto.ts'
import { bitmapRows } from '../index/document.ts'
import type { Segment } from '../index/segment.ts'
import { fieldWeights } from '../query/ranking.ts'
import type { Position } from './queries.ts'

/**
 * The files that define what the arrays of a snapshot mean and which facts of a listing go into
 * them. A snapshot written by another version of any of them is not used.
 */
const definitionFiles = [
  'catalog/search/index/bitset.ts',
  'catalog/search/index/document.ts',
  'catalog/search/merge/merge.ts',
  'catalog/search/query/fuzzy-terms.ts',
  'catalog/search/query/ranking.ts',
  'catalog/search/index/postings.ts',
  'catalog/search/feed/queries.ts',
  'catalog/search/result-rows.ts',
  'catalog/search/index/segment.ts',
  'catalog/search/feed/snapshot.ts',
  'catalog/search/query/tokenize.ts',
  'catalog/cards/queries.ts',
  'downloads/popularity-queries.ts',
  'library/approval.ts',
  'library/review-queries.ts',
  'listings/editions/queries.ts',
  'listings/prices/queries.ts',
  'listings/prices/offers.ts',
  'listings/prices/sale-rules.ts',
  'listings/prices/currencies.ts',
  'listings/listing/launch-band-queries.ts',
  'listings/listing/visibility-queries.ts',
  'builds/channels/build-order.ts',
  'builds/builds/editor-package.ts',
  'listings/fields/queries.ts',
  'listings/fields/fields.ts',
  'listings/fields/table.ts',
  'listings/fields/languages.ts',
  'listings/fields/editor.ts',
  'listings/fields/editor-versions.ts',
]
const src = join(import.meta.dirname, '../../..')
const migrations = join(src, '../migrations')
const sources = [
  ...definitionFiles.map((name) => join(src, name)),
  // Views define some of the fields.
  ...readdirSync(migrations)
    .sort()
    .map((name) => join(migrations, name)),
].map((path) => readFileSync(path, 'utf8'))
const format_hash = sha256(
  JSON.stringify([...sources, [...bitmapRows.keys()], fieldWeights]),
).toString('hex')
const FILE = 'index.snapshot'
const CHUNK_BYTES = 4 * MIB
/** No snapshot takes this long to write, so an older temporary file belongs to a killed process. */
const ABANDONED_AFTER_MS = HOUR_MS

export type Snapshot = {
  /** The database that it belongs to. */
  identity: string
  position: Position
  due: [uid: string, at: number][]
  segments: Segment[]
}

const arrayTypes = {
  live: Int32Array,
  uids: Uint8Array,
  by_uid: Uint32Array,
  published: Float64Array,
  updated: Float64Array,
  released: Float64Array,
  ratings: Uint8Array,
  popularity: Float64Array,
  approval: Float64Array,
  names: Uint8Array,
  name_offsets: Uint32Array,
  bitmaps: Int32Array,
  terms: Uint8Array,
  term_offsets: Uint32Array,
  counts: Uint32Array,
  postings: Uint8Array,
  posting_offsets: Uint32Array,
  fuzzy_filter: Int32Array,
} as const satisfies Record<Exclude<keyof Segment, 'size' | 'live_count'>, unknown>
type ArrayName = keyof typeof arrayTypes
const names = Object.keys(arrayTypes) as ArrayName[]

type Header = Omit<Snapshot, 'segments'> & {
  format_hash: string
  segments: { size: number; live_count: number; lengths: number[] }[]
}

/**
 * Writes a snapshot atomically: to a temporary file that is synced and renamed. Segments may change
 * while it is written.
 */
export async function saveSnapshot(folder: string, { segments, ...rest }: Snapshot): Promise<void> {
  // The position matches the deletions made so far, not those made while the file is written.
  const copies = segments.map((segment) => ({ ...segment, live: segment.live.slice() }))
  const descriptions = copies.map(({ size, live_count, ...arrays }) => ({
    size,
    live_count,
    lengths: names.map((name) => arrays[name].length),
  }))
  await mkdir(folder, { recursive: true })
  await removeAbandoned(folder)
  const path = join(folder, `${FILE}.${randomBytes(6).toString('hex')}`)
  const file = await open(path, 'wx')
  try {
    const header = Buffer.from(
      JSON.stringify({ ...rest, format_hash, segments: descriptions } satisfies Header),
    )
    const length = Buffer.alloc(8)
    length.writeDoubleLE(header.length)
    let checksum = 0
    for (const bytes of [
      length,
      header,
      ...copies.flatMap((segment) => names.map((name) => bytesOf(segment[name]))),
    ])
      checksum = await writeAll(file, bytes, checksum)
    const end = Buffer.alloc(4)
    end.writeUInt32LE(checksum)
    await file.write(end)
    await file.sync()
    await file.close()
    await rename(path, join(folder, FILE))
  } catch (error) {
    await file.close().catch(() => {})
    await rm(path, { force: true })
    throw error
  }
}

async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (!name.startsWith(`${FILE}.`)) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Date.now() }))
    if (Date.now() - mtimeMs > ABANDONED_AFTER_MS) await rm(path, { force: true })
  }
}

const bytesOf = ({
  buffer,
  byteOffset,
  byteLength,
}: Uint8Array | Int32Array | Uint32Array | Float64Array) =>
  new Uint8Array(buffer, byteOffset, byteLength)

async function writeAll(file: FileHandle, bytes: Uint8Array, checksum: number): Promise<number> {
  let running = checksum
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
    const chunk = bytes.subarray(at, at + CHUNK_BYTES)
    running = crc32(chunk, running)
    for (let written = 0; written < chunk.length; )
      written += (await file.write(chunk, written)).bytesWritten
  }
  return running
}

/** The snapshot of this database, if there is a valid one. */
export async function loadSnapshot(
  folder: string,
  identity: string,
): Promise<Snapshot | undefined> {
  let file: FileHandle
  try {
    file = await open(join(folder, FILE), 'r')
  } catch {
    return undefined
  }
  try {
    return await readSnapshot(file, identity)
  } finally {
    await file.close()
  }
}

async function readSnapshot(file: FileHandle, identity: string): Promise<Snapshot | undefined> {
  const { size } = await file.stat()
  const checksum = { value: 0 }
  const length = await readAll(file, Buffer.alloc(8), checksum)
  const bytes = length?.readDoubleLE() ?? 0
  if (!(bytes > 0 && bytes < size)) return undefined
  const header = parse(await readAll(file, Buffer.alloc(bytes), checksum))
  if (header?.format_hash !== format_hash || header.identity !== identity) return undefined
  // Check the sizes before allocating what a damaged header claims.
  const sizes = header.segments.flatMap(({ lengths }) =>
    names.map((name, i) => arrayTypes[name].BYTES_PER_ELEMENT * lengths[i]!),
  )
  const total = sizes.reduce((sum, bytes) => sum + bytes, 0)
  if (length!.length + bytes + total + 4 !== size) return undefined
  const segments: Segment[] = []
  for (const { size, live_count, lengths } of header.segments) {
    const arrays: Record<string, Uint8Array | Int32Array | Uint32Array | Float64Array> = {}
    for (const [i, name] of names.entries()) {
      const array = new arrayTypes[name](lengths[i]!)
      if (!(await readAll(file, bytesOf(array), checksum))) return undefined
      arrays[name] = array
    }
    segments.push({ size, live_count, ...(arrays as Omit<Segment, 'size' | 'live_count'>) })
  }
  const end = Buffer.alloc(4)
  const computed = checksum.value
  if (!(await readAll(file, end, checksum)) || end.readUInt32LE() !== computed) return undefined
  const { position, due } = header
  return { identity, position: { ...position, at: new Date(position.at) }, due, segments }
}

function parse(bytes: Buffer | undefined): Header | undefined {
  try {
    return bytes && JSON.parse(bytes.toString())
  } catch {
    return undefined
  }
}

/** Fills the buffer. Undefined if the file ends before. */
async function readAll<T extends Uint8Array>(
  file: FileHandle,
  bytes: T,
  checksum: { value: number },
): Promise<T | undefined> {
  for (let at = 0; at < bytes.length; ) {
    const { bytesRead } = await file.read(bytes, at, Math.min(CHUNK_BYTES, bytes.length - at))
    if (bytesRead === 0) return undefined
    checksum.value = crc32(bytes.subarray(at, at + bytesRead), checksum.value)
    at += bytesRead
  }
  return bytes
}
