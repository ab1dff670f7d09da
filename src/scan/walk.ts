import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { breather } from '../core/slices.ts'
import type { Storage } from '../core/storage.ts'
import { inspectZip, type ZipLimits } from '../uploads/inspect.ts'
import { readPart } from '../uploads/parts.ts'
import { type ReadAt, type ZipEntry, ZipError } from '../uploads/zip.ts'
import { type StreamAt, unpack } from '../uploads/zip-entry.ts'

/** Zips within zips are opened so many deep; what is deeper is not called clean. */
export const MAX_DEPTH = 4
const AHEAD = 4 * 1024 * 1024
const MAX_NESTED = 4 * 1024 ** 3

export type Source = { read: ReadAt; stream: StreamAt; size: number }
/** A file, or a folder, whose name ends with a slash. */
export type HashedEntry = { path: string; size: number; sha256: Buffer }
/** What is left of the work one upload may cause. */
type Budget = { entries: number; bytes: number }
type Visit = { add: (path: string, chunk: Uint8Array) => Promise<void>; temp: string; limits: ZipLimits; budget: Budget }

export function fromStorage(storage: Storage, key: string, size: number): Source {
  const stream: StreamAt = async (start, length) => {
    const found = await storage.get(key, { start, end: start + length - 1 })
    if (!found) throw new Error('the object is not there')
    return found.stream
  }
  return {
    size,
    stream,
    read: async (start, length) => (length === 0 ? Buffer.alloc(0) : exactly(await buffer(await stream(start, length)), length)),
  }
}

function exactly(bytes: Buffer, length: number): Buffer {
  if (bytes.length !== length) throw new ZipError('ends too early')
  return bytes
}

/**
 * Unpacks a zip entry by entry, in the order of its bytes, and hands everything on; zips within it too. Answers what the
 * outermost zip holds, with the SHA-256 of each file.
 * Throws a ZipError where the zip is not what its directory promised or asks for more than is allowed.
 */
export async function walkZip(source: Source, { add, temp, limits }: Omit<Visit, 'budget'>): Promise<HashedEntry[]> {
  return walk(source, '', 1, { add, temp, limits, budget: { entries: 2 * limits.max_entries, bytes: limits.max_unpacked } })
}

async function walk(source: Source, prefix: string, depth: number, visit: Visit): Promise<HashedEntry[]> {
  const { entries, start } = await inspectZip(source.read, source.size, visit.limits)
  spend(visit.budget, entries)
  const hashed: HashedEntry[] = []
  const ordered = inByteOrder(entries)
  const [ahead, pause] = [readAhead(source), breather()]
  for (const [index, entry] of ordered.entries()) {
    await pause()
    const end = ordered[index + 1]?.offset ?? start
    const path = prefix + entry.path
    const nested = await readEntry(ahead, entry, end, path, visit, (sha256) => hashed.push({ path: entry.path, size: entry.size, sha256 }))
    if (nested) await walkNested(nested, path, depth, visit)
  }
  return hashed
}

/** As packers write them; sorting what is sorted already would still be a long moment. */
function inByteOrder(entries: ZipEntry[]): ZipEntry[] {
  const sorted = entries.every((entry, index) => index === 0 || entries[index - 1]!.offset <= entry.offset)
  return sorted ? entries : entries.toSorted((a, b) => a.offset - b.offset)
}

/** Small reads one after the other, as a walk makes them, served from one large one. */
function readAhead(source: Source): Source {
  let [from, kept]: [number, Buffer] = [0, Buffer.alloc(0)]
  return {
    ...source,
    async read(start, length) {
      if (start + length > source.size) throw new ZipError('ends too early')
      if (length > AHEAD) return source.read(start, length)
      if (start < from || start + length > from + kept.length) {
        kept = await source.read(start, Math.min(AHEAD, source.size - start))
        from = start
      }
      return kept.subarray(start - from, start - from + length)
    },
  }
}

function spend(budget: Budget, entries: ZipEntry[]) {
  budget.entries -= entries.length
  budget.bytes -= entries.reduce((sum, { size }) => sum + size, 0)
  if (budget.entries < 0 || budget.bytes < 0) throw new ZipError('unpacks to more than is allowed, with the zips within it')
}

/** Hands an entry on, and keeps a copy of it where it is a zip itself. */
async function readEntry(
  source: Source,
  entry: ZipEntry,
  end: number,
  path: string,
  { add, temp }: Visit,
  onHash: (sha256: Buffer) => void,
): Promise<{ file: string; size: number } | undefined> {
  const contents = unpack(entry, end, source)
  let copy: { file: string; handle: FileHandle; size: number } | undefined
  try {
    let step = await contents.next()
    const head: Buffer[] = []
    for (let length = 0; !step.done && length < MAGIC; step = await contents.next()) {
      head.push(step.value)
      length += step.value.length
    }
    if (isZip(Buffer.concat(head))) {
      if (entry.size > MAX_NESTED) throw new ZipError(`holds ${JSON.stringify(path.slice(-80))}, a zip too large to be looked into`)
      const file = join(temp, `${randomUUID()}.nested`)
      copy = { file, handle: await open(file, 'wx', 0o600), size: entry.size }
    }
    const pass = async (chunk: Buffer) => {
      await add(path, chunk)
      await copy?.handle.writeFile(chunk)
    }
    for (const chunk of head) await pass(chunk)
    for (; !step.done; step = await contents.next()) await pass(step.value)
    onHash(step.value)
    await copy?.handle.close()
    return copy
  } catch (error) {
    await copy?.handle.close().catch(() => {})
    if (copy) await rm(copy.file, { force: true })
    throw error
  }
}

/** A stream may bring its first bytes one by one. */
const MAGIC = 4
const isZip = (bytes: Buffer) => bytes.length >= MAGIC && (bytes.readUInt32LE(0) === 0x04034b50 || bytes.readUInt32LE(0) === 0x06054b50)

async function walkNested({ file, size }: { file: string; size: number }, path: string, depth: number, visit: Visit): Promise<void> {
  const handle = await open(file, 'r')
  try {
    if (depth >= MAX_DEPTH) throw new ZipError(`holds zips more than ${MAX_DEPTH} deep`)
    await walk({ ...readPart(handle), size }, `${path} › `, depth + 1, visit)
  } catch (error) {
    if (error instanceof ZipError && !error.message.startsWith('holds zips')) throw new ZipError(`holds ${path}, which ${error.message}`)
    throw error
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}
