import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import {
  constants,
  crc32 as crcOf,
  createDeflateRaw,
  createZstdDecompress,
  deflateRawSync,
} from 'node:zlib'
import { MIB } from '../../core/runtime/units.ts'
import type { Storage } from '../../core/storage/storage.ts'
import {
  dataDescriptor,
  directoryRecord,
  endOfDirectory,
  FIRST_DOS_TIME,
  localHeader,
  type ZipEntry as WrittenEntry,
} from '../../core/storage/zip-format.ts'
import { openFileSink } from '../receive/file-sink.ts'
import { findDataStart, unpack } from '../zip/entry.ts'
import { type Contents, holdContents } from './contents.ts'
import { type DeltaEntry, type EntrySource, MAX_PATCHED_BYTES, treeHash } from './format.ts'
import { InvalidDelta } from './header-rules.ts'
import { type OpenDelta, openDelta } from './read-delta.ts'
import { completeEntries, copiesByFile, type ResolveFiles } from './recorded-copies.ts'
import { asBaseGone, BaseGone, openStoredFiles, type StoredEntry } from './stored-files.ts'

export type ComposeTask = {
  /** The file that the uploader sent. */
  delta_path: string
  /** Where the zip is written. */
  zip_path: string
  /** The start of the names of temporary files. */
  temp_path: string
  max_entries: number
  max_unpacked: number
  max_zip_bytes: number
}
export type ComposedZip = { size: number; checksum: string }

/** The bytes of an entry are not what the uploader said. */
export class WrongBytes extends Error {}
export class TooLarge extends Error {}

const STORED = 0
const LEVEL = 6
const MAX_SMALL_BYTES = 4 * MIB
const SAMPLE_BYTES = 64 * 1024
const SAMPLES = 4
const COPY_BYTES = MIB
const MAX_WINDOW_LOG = 31

/** As in the uploader: deflating must save at least 1/32 of the size. */
const isWorthCompressing = (size: number, deflated: number) => deflated < size - size / 32

/**
 * Writes the zip that a delta describes. Entries that exist are copied as they are compressed, the
 * others are put together from the base and the new bytes. Every entry is compared with its
 * SHA-256.
 */
export async function composeZip(
  storage: Storage,
  task: ComposeTask,
  resolve: ResolveFiles,
): Promise<ComposedZip> {
  const delta = await openDelta(task.delta_path)
  try {
    const { header } = delta
    checkCount(header.entries, task)
    const stored = await resolve(copiesByFile(header))
    const entries = completeEntries(header.entries, stored)
    checkSizes(entries, task)
    if (header.tree_sha256 !== treeHash(entries)) throw new WrongBytes('the tree')
    const find = openStoredFiles(storage, task.max_entries)
    const findEntry = ([file, path]: EntrySource) => find(stored[file]!, path)
    const budget = { bytes: task.max_unpacked }
    const composed = await writeZip(task, entries, (entry, writer) =>
      writeEntry({ delta, findEntry, task, writer, budget }, entry),
    )
    await delta.end()
    return composed
  } finally {
    await delta.close()
  }
}

function checkCount({ length }: unknown[], { max_entries }: ComposeTask) {
  if (length > max_entries)
    throw new InvalidDelta(`has ${length} entries; at most ${max_entries} are allowed`)
}

function checkSizes(entries: DeltaEntry[], { max_unpacked }: ComposeTask) {
  const unpacked = entries.reduce((sum, { size }) => sum + size, 0)
  if (unpacked > max_unpacked)
    throw new InvalidDelta(`unpacks to ${unpacked} bytes; at most ${max_unpacked} are allowed`)
}

type Writer = {
  write: (bytes: Uint8Array) => Promise<void>
  position: () => number
  record: (entry: WrittenEntry) => void
}

async function writeZip(
  { zip_path, max_zip_bytes }: ComposeTask,
  entries: DeltaEntry[],
  writeOne: (entry: DeltaEntry, writer: Writer) => Promise<void>,
): Promise<ComposedZip> {
  const sink = await openFileSink(zip_path)
  const records: Buffer[] = []
  const writer: Writer = {
    async write(bytes) {
      if (sink.written + bytes.length > max_zip_bytes) throw new TooLarge()
      await sink.write(bytes)
    },
    position: () => sink.written,
    record: (entry) => records.push(directoryRecord(entry)),
  }
  try {
    for (const entry of entries) await writeOne(entry, writer)
    const start = sink.written
    for (const record of records) await writer.write(record)
    await writer.write(endOfDirectory(records.length, start, sink.written - start))
    await sink.finish()
    return { size: sink.written, checksum: sink.hash.digest('hex') }
  } finally {
    await sink.close()
  }
}

type EntryContext = {
  delta: OpenDelta
  findEntry: (source: EntrySource) => Promise<StoredEntry>
  task: ComposeTask
  writer: Writer
  /** How many more bytes of bases may be unpacked: small entries could refer to a large one. */
  budget: { bytes: number }
}

async function writeEntry(context: EntryContext, entry: DeltaEntry): Promise<void> {
  if (entry.copy) return copyEntry(context, entry, await context.findEntry(entry.copy))
  if (entry.kind === 'folder') return writeSmall(context.writer, entry, Buffer.alloc(0))
  if (entry.kind === 'link') {
    const target = Buffer.from(entry.target!)
    if (sha256(target) !== entry.sha256) throw new WrongBytes(entry.path)
    return writeSmall(context.writer, entry, target)
  }
  const contents = await assemble(context, entry)
  try {
    if (contents.sha256 !== entry.sha256) throw new WrongBytes(entry.path)
    if (entry.size <= MAX_SMALL_BYTES)
      await writeSmall(context.writer, entry, await contents.read(0, entry.size), contents.crc)
    else await writeLarge(context.writer, entry, contents)
  } finally {
    await contents.close()
  }
}

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

const fixedFields = ({ path, kind, executable }: DeltaEntry) => ({
  path,
  kind,
  executable: executable === true,
  // As the uploader writes it, so that the same tree makes the same zip.
  modified: FIRST_DOS_TIME,
})

/** Copies the compressed bytes of an entry, after it was unpacked and compared once. */
async function copyEntry(
  { writer }: EntryContext,
  entry: DeltaEntry,
  { source, entry: stored, end }: StoredEntry,
): Promise<void> {
  if (stored.size !== entry.size) throw new WrongBytes(entry.path)
  const digest = await asBaseGone(async () => {
    const unpacking = unpack(stored, end, source)
    for (;;) {
      const step = await unpacking.next()
      if (step.done) return step.value.toString('hex')
    }
  })
  if (digest !== entry.sha256) throw new BaseGone(`${entry.path} has changed`)
  const { compressed, size, crc32: crc, method } = stored
  const fields = { ...fixedFields(entry), has_descriptor: false, deflated: method !== STORED }
  const offset = writer.position()
  await writer.write(localHeader({ ...fields, crc, size, compressed }))
  const start = await asBaseGone(() => findDataStart(source.read, stored, end))
  for (let at = 0; at < compressed; at += COPY_BYTES) {
    const block = await source.read(start + at, Math.min(COPY_BYTES, compressed - at))
    // The block may be part of a buffer that is read ahead, which the sink must not release.
    await writer.write(Buffer.from(block))
  }
  writer.record({ ...fields, crc, size, compressed, offset })
}

async function writeSmall(
  writer: Writer,
  entry: DeltaEntry,
  bytes: Buffer,
  crc = crcOf(bytes),
): Promise<void> {
  const packed =
    entry.kind === 'file' && bytes.length >= 32
      ? deflateRawSync(bytes, { level: LEVEL })
      : undefined
  const deflated = packed !== undefined && isWorthCompressing(bytes.length, packed.length)
  const body = deflated ? packed : bytes
  const fields = { ...fixedFields(entry), has_descriptor: false, deflated }
  const sizes = { crc, size: bytes.length, compressed: body.length }
  const offset = writer.position()
  await writer.write(localHeader({ ...fields, ...sizes }))
  await writer.write(Buffer.from(body))
  writer.record({ ...fields, ...sizes, offset })
}

async function writeLarge(writer: Writer, entry: DeltaEntry, contents: Contents): Promise<void> {
  const { crc, size } = contents
  const deflated = await isCompressible(contents)
  const fields = { ...fixedFields(entry), has_descriptor: deflated, deflated }
  const offset = writer.position()
  const sizes = { crc, size, compressed: deflated ? 0 : size }
  await writer.write(localHeader({ ...fields, ...sizes }))
  const start = writer.position()
  if (deflated) {
    const deflating = createDeflateRaw({ level: LEVEL, chunkSize: MIB / 2 })
    const feeding = pipeline(Readable.from(contents.blocks(), { objectMode: false }), deflating)
    feeding.catch(() => {})
    for await (const packed of deflating as AsyncIterable<Buffer>) await writer.write(packed)
    await feeding
    sizes.compressed = writer.position() - start
    await writer.write(dataDescriptor({ ...fields, ...sizes }))
  } else for await (const block of contents.blocks()) await writer.write(Buffer.from(block))
  writer.record({ ...fields, ...sizes, offset })
}

/** By samples, because deflating a large file for nothing takes long. */
async function isCompressible({ size, read }: Contents): Promise<boolean> {
  let packed = 0
  for (let index = 0; index < SAMPLES; index++) {
    const at = Math.floor(((size - SAMPLE_BYTES) * index) / (SAMPLES - 1))
    packed += deflateRawSync(await read(at, SAMPLE_BYTES), { level: 1 }).length
  }
  return isWorthCompressing(SAMPLES * SAMPLE_BYTES, packed)
}

/** Puts the contents of an entry together. */
async function assemble(context: EntryContext, entry: DeltaEntry): Promise<Contents> {
  const { delta, task } = context
  const { size, parts, patch } = entry
  const path = `${task.temp_path}.new`
  if (!entry.base || (!parts && patch === undefined))
    return requireContents(entry, holdContents(delta.take(size), size, path))
  const base = await unpackBase(context, entry.base)
  try {
    const source =
      patch === undefined ? joinParts(delta, base, parts!) : applyPatch(delta, base, patch)
    return await requireContents(entry, holdContents(source, size, path))
  } finally {
    await base.close()
  }
}

async function requireContents(
  { path }: DeltaEntry,
  holding: Promise<Contents | undefined>,
): Promise<Contents> {
  const contents = await holding
  if (!contents) throw new WrongBytes(path)
  return contents
}

async function unpackBase(
  { findEntry, task, budget }: EntryContext,
  base: EntrySource,
): Promise<Contents> {
  const { source, entry, end } = await findEntry(base)
  budget.bytes -= entry.size
  if (budget.bytes < 0) throw new InvalidDelta('refers to more bytes than a zip may unpack to')
  const contents = await asBaseGone(() =>
    holdContents(unpack(entry, end, source), entry.size, `${task.temp_path}.base`),
  )
  if (!contents) throw new BaseGone('The base has changed')
  return contents
}

async function* joinParts(
  delta: OpenDelta,
  base: Contents,
  parts: number[],
): AsyncGenerator<Buffer> {
  for (let index = 0; index < parts.length; index += 3) {
    yield* delta.take(parts[index]!)
    const start = parts[index + 1] ?? 0
    const length = parts[index + 2] ?? 0
    if (start + length > base.size) throw new InvalidDelta('refers to bytes that do not exist')
    for (let at = 0; at < length; at += COPY_BYTES)
      yield await base.read(start + at, Math.min(COPY_BYTES, length - at))
  }
}

async function* applyPatch(
  delta: OpenDelta,
  base: Contents,
  length: number,
): AsyncGenerator<Buffer> {
  if (base.size > MAX_PATCHED_BYTES) throw new InvalidDelta('patches a file that is too large')
  const dictionary = Buffer.concat(await Array.fromAsync(base.blocks()))
  const unpacking = createZstdDecompress({
    dictionary,
    params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
  })
  const feeding = pipeline(delta.patch(length), unpacking)
  feeding.catch(() => {})
  try {
    yield* unpacking as AsyncIterable<Buffer>
    await feeding
  } catch {
    throw new InvalidDelta('has a patch that cannot be applied')
  }
}
