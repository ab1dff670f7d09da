import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldWhenSlow } from '../core/runtime/event-loop.ts'
import { GIB } from '../core/runtime/units.ts'
import { zipSignatures } from '../core/storage/zip-format.ts'
import { zipFileReader } from '../uploads/receive/part-files.ts'
import {
  findAppendedZip,
  mayEndWithZip,
  TAIL_LENGTH,
  type ZipEntry,
  ZipError,
} from '../uploads/zip/directory.ts'
import { unpack } from '../uploads/zip/entry.ts'
import { inspectZip, type ZipLimits } from '../uploads/zip/inspect.ts'
import { readAhead, type ZipSource } from '../uploads/zip/zip-source.ts'

/** How deep nested zips are opened; deeper ones fail the scan. */
export const MAX_DEPTH = 4
const MAX_NESTED_BYTES = 4 * GIB

/** A file, or a folder, whose path ends with a slash. */
export type HashedEntry = { path: string; size: number; sha256: Buffer }
/** How many more entries and bytes one upload may unpack. */
type Budget = { entries: number; bytes: number }
type WalkContext = {
  /** Receives the unpacked bytes of every file. */
  add: (path: string, chunk: Uint8Array) => Promise<void>
  temp: string
  limits: ZipLimits
  budget: Budget
  /** The entries of zips within the zip, by their path in it. */
  nested: HashedEntry[]
}
/** The entries of the outermost zip, and those of the zips within it. */
export type WalkedZip = { entries: HashedEntry[]; nested: HashedEntry[] }

/**
 * Unpacks a zip and the zips within it, entry by entry in the order of their bytes, and passes the
 * contents to `add`. Returns the entries with their SHA-256.
 * Throws a ZipError if the zip does not match its directory or exceeds a limit.
 */
export async function walkZip(
  source: ZipSource,
  { add, temp, limits }: Omit<WalkContext, 'budget' | 'nested'>,
): Promise<WalkedZip> {
  const budget = { entries: 2 * limits.max_entries, bytes: limits.max_unpacked }
  const nested: HashedEntry[] = []
  const context = { add, temp, limits, budget, nested }
  return { entries: await walkEntries(source, context, { prefix: '', depth: 1 }), nested }
}

/** The zip that is walked: its path within the outermost zip, and how deep it is nested. */
type Level = { prefix: string; depth: number; allow_prefix?: boolean }

async function walkEntries(
  source: ZipSource,
  context: WalkContext,
  { prefix, depth, allow_prefix = false }: Level,
): Promise<HashedEntry[]> {
  const { entries, start } = await inspectZip(source.read, source.size, {
    ...context.limits,
    allow_prefix,
  })
  spend(context.budget, entries)
  const hashed: HashedEntry[] = []
  const ordered = inByteOrder(entries)
  const buffered = readAhead(source)
  const pause = yieldWhenSlow()
  for (const [index, entry] of ordered.entries()) {
    await pause()
    const end = ordered[index + 1]?.offset ?? start
    const path = prefix + entry.path
    const located = { source: buffered, entry, end, path }
    const contents = await readEntry(located, context)
    hashed.push({ path: entry.path, size: entry.size, sha256: contents.sha256 })
    if (contents.is_zip) await walkNested(contents.copy, context, { path, depth })
    else if (contents.may_be_zip)
      await walkNested(await copyEntry(located, context.temp), context, { path, depth })
  }
  return hashed
}

/** Most zips are in this order already, and sorting many entries is slow. */
function inByteOrder(entries: ZipEntry[]): ZipEntry[] {
  const sorted = entries.every(
    (entry, index) => index === 0 || entries[index - 1]!.offset <= entry.offset,
  )
  return sorted ? entries : entries.toSorted((a, b) => a.offset - b.offset)
}

function spend(budget: Budget, entries: ZipEntry[]) {
  budget.entries -= entries.length
  budget.bytes -= entries.reduce((sum, { size }) => sum + size, 0)
  if (budget.entries < 0 || budget.bytes < 0)
    throw new ZipError('unpacks to more than is allowed, with the zips within it')
}

/** An entry, where its bytes end in the zip, and its path within the outermost zip. */
type LocatedEntry = { source: ZipSource; entry: ZipEntry; end: number; path: string }
type TempCopy = { file: string; size: number }
/** A zip has been copied to a temporary file; any other file may still end with a zip. */
type Contents = { sha256: Buffer } & (
  | { is_zip: true; copy: TempCopy }
  | { is_zip: false; may_be_zip: boolean }
)

/** Passes an entry to `add`, and copies it to a temporary file if it is a zip. */
async function readEntry(
  { source, entry, end, path }: LocatedEntry,
  { add, temp }: WalkContext,
): Promise<Contents> {
  const chunks = unpack(entry, end, source)
  let step = await chunks.next()
  const head: Buffer[] = []
  for (let length = 0; !step.done && length < MAGIC_BYTES; step = await chunks.next()) {
    head.push(step.value)
    length += step.value.length
  }
  const tail = tailBuffer()
  const forward = async (write: (chunk: Buffer) => unknown) => {
    for (const chunk of head) await Promise.all([add(path, chunk), write(chunk)])
    for (; !step.done; step = await chunks.next())
      await Promise.all([add(path, step.value), write(step.value)])
    return step.value
  }
  if (!isZip(Buffer.concat(head))) {
    const sha256 = await forward(tail.add)
    return { sha256, is_zip: false, may_be_zip: mayEndWithZip(tail.bytes()) }
  }
  const { copy, result } = await writeCopy({ entry, path }, temp, forward)
  return { sha256: result, is_zip: true, copy }
}

/** Unpacks an entry again: that it may end with a zip is known only at its end, and is rare. */
async function copyEntry(
  { source, entry, end, path }: LocatedEntry,
  temp: string,
): Promise<TempCopy> {
  const { copy } = await writeCopy({ entry, path }, temp, async (write) => {
    for await (const chunk of unpack(entry, end, source)) await write(chunk)
  })
  return copy
}

async function writeCopy<T>(
  { entry: { size }, path }: Pick<LocatedEntry, 'entry' | 'path'>,
  temp: string,
  forward: (write: (chunk: Buffer) => unknown) => Promise<T>,
): Promise<{ copy: TempCopy; result: T }> {
  if (size > MAX_NESTED_BYTES)
    throw new ZipError(`contains ${JSON.stringify(path.slice(-80))}, a zip too large to scan`)
  const file = join(temp, `${randomUUID()}.nested`)
  const handle: FileHandle = await open(file, 'wx', 0o600)
  try {
    const result = await forward((chunk) => handle.writeFile(chunk))
    await handle.close()
    return { copy: { file, size }, result }
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(file, { force: true })
    throw error
  }
}

/** Remembers the last bytes of a stream. */
function tailBuffer() {
  const chunks: Buffer[] = []
  let length = 0
  return {
    add(chunk: Buffer) {
      chunks.push(chunk)
      length += chunk.length
      while (length - chunks[0]!.length >= TAIL_LENGTH) length -= chunks.shift()!.length
    },
    bytes: () => (chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks)).subarray(-TAIL_LENGTH),
  }
}

const MAGIC_BYTES = 4
/** A zip begins with an entry or, if empty, with the end of its directory. */
function isZip(bytes: Buffer): boolean {
  if (bytes.length < MAGIC_BYTES) return false
  const magic = bytes.readUInt32LE(0)
  return magic === zipSignatures.local_header || magic === zipSignatures.end_of_directory
}

/** Where a zip lies within the outermost zip. */
type Nesting = { path: string; depth: number; allow_prefix?: boolean }

async function walkNested(
  { file, size }: TempCopy,
  context: WalkContext,
  nesting: Nesting,
): Promise<void> {
  const handle = await open(file, 'r')
  try {
    const source = { ...zipFileReader(handle), size }
    if (isZip(await source.read(0, Math.min(size, MAGIC_BYTES))))
      return await walkDeeper(source, context, nesting)
    const appended = await findAppendedZip(source.read, size)
    if (appended)
      await walkDeeper(slice(source, appended), context, { ...nesting, allow_prefix: true })
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}

class TooDeep extends ZipError {}

async function walkDeeper(
  source: ZipSource,
  context: WalkContext,
  { path, depth, allow_prefix = false }: Nesting,
): Promise<void> {
  if (depth >= MAX_DEPTH) throw new TooDeep(`contains zips more than ${MAX_DEPTH} deep`)
  const prefix = `${path} › `
  try {
    const entries = await walkEntries(source, context, { prefix, depth: depth + 1, allow_prefix })
    for (const entry of entries) context.nested.push({ ...entry, path: prefix + entry.path })
  } catch (error) {
    if (error instanceof ZipError && !(error instanceof TooDeep))
      throw new ZipError(`contains ${path}, which ${error.message}`)
    throw error
  }
}

const slice = (
  { read, stream }: ZipSource,
  { start, end }: { start: number; end: number },
): ZipSource => ({
  size: end - start,
  read: (from, length) => read(start + from, length),
  stream: (from, length) => stream(start + from, length),
})
