import { randomUUID } from 'node:crypto'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldWhenSlow } from '../core/runtime/event-loop.ts'
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
import type { ZipSource } from '../uploads/zip/zip-source.ts'

/** Zips within zips are opened so many deep; what is deeper is not called clean. */
export const MAX_DEPTH = 4
const AHEAD = 4 * 1024 * 1024
const MAX_NESTED = 4 * 1024 ** 3

/** A file, or a folder, whose name ends with a slash. */
export type HashedEntry = { path: string; size: number; sha256: Buffer }
/** What is left of the work one upload may cause. */
type Budget = { entries: number; bytes: number }
type Visit = {
  add: (path: string, chunk: Uint8Array) => Promise<void>
  temp: string
  limits: ZipLimits
  budget: Budget
}

/**
 * Unpacks a zip entry by entry, in the order of its bytes, and hands everything on; zips within it too. Answers what the
 * outermost zip holds, with the SHA-256 of each file.
 * Throws a ZipError where the zip is not what its directory promised or asks for more than is allowed.
 */
export async function walkZip(
  source: ZipSource,
  { add, temp, limits }: Omit<Visit, 'budget'>,
): Promise<HashedEntry[]> {
  return walk(source, '', 1, {
    add,
    temp,
    limits,
    budget: { entries: 2 * limits.max_entries, bytes: limits.max_unpacked },
  })
}

async function walk(
  source: ZipSource,
  prefix: string,
  depth: number,
  visit: Visit,
  allow_prefix = false,
): Promise<HashedEntry[]> {
  const { entries, start } = await inspectZip(source.read, source.size, {
    ...visit.limits,
    allow_prefix,
  })
  spend(visit.budget, entries)
  const hashed: HashedEntry[] = []
  const ordered = inByteOrder(entries)
  const [ahead, pause] = [readAhead(source), yieldWhenSlow()]
  for (const [index, entry] of ordered.entries()) {
    await pause()
    const end = ordered[index + 1]?.offset ?? start
    const path = prefix + entry.path
    const found = await readEntry(ahead, entry, end, path, visit)
    hashed.push({ path: entry.path, size: entry.size, sha256: found.sha256 })
    if (found.is_zip) await walkNested(found.copy, path, depth, visit)
    else if (found.may_be_zip)
      await walkNested(await copyEntry(ahead, entry, end, path, visit.temp), path, depth, visit)
  }
  return hashed
}

/** As packers write them; sorting what is sorted already would still be a long moment. */
function inByteOrder(entries: ZipEntry[]): ZipEntry[] {
  const sorted = entries.every(
    (entry, index) => index === 0 || entries[index - 1]!.offset <= entry.offset,
  )
  return sorted ? entries : entries.toSorted((a, b) => a.offset - b.offset)
}

/** Small reads one after the other, as a walk makes them, served from one large one. */
function readAhead(source: ZipSource): ZipSource {
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
  if (budget.entries < 0 || budget.bytes < 0)
    throw new ZipError('unpacks to more than is allowed, with the zips within it')
}

type Copy = { file: string; size: number }
/** What an entry is: a zip, of which there is a copy now; or something that ends like one. */
type Found = { sha256: Buffer } & (
  | { is_zip: true; copy: Copy }
  | { is_zip: false; may_be_zip: boolean }
)

/** Hands an entry on, and keeps a copy of it where it is a zip itself. */
async function readEntry(
  source: ZipSource,
  entry: ZipEntry,
  end: number,
  path: string,
  { add, temp }: Visit,
): Promise<Found> {
  const contents = unpack(entry, end, source)
  let step = await contents.next()
  const head: Buffer[] = []
  for (let length = 0; !step.done && length < MAGIC; step = await contents.next()) {
    head.push(step.value)
    length += step.value.length
  }
  const tail = keepTail()
  const pass = async (write: (chunk: Buffer) => unknown) => {
    for (const chunk of head) await Promise.all([add(path, chunk), write(chunk)])
    for (; !step.done; step = await contents.next())
      await Promise.all([add(path, step.value), write(step.value)])
    return step.value
  }
  if (!isZip(Buffer.concat(head))) {
    const sha256 = await pass(tail.add)
    return { sha256, is_zip: false, may_be_zip: mayEndWithZip(tail.bytes()) }
  }
  const { copy, result } = await writeCopy(entry, path, temp, pass)
  return { sha256: result, is_zip: true, copy }
}

/** Unpacked again: that it ends like a zip is known at its end, and few files do. */
async function copyEntry(
  source: ZipSource,
  entry: ZipEntry,
  end: number,
  path: string,
  temp: string,
): Promise<Copy> {
  const { copy } = await writeCopy(entry, path, temp, async (write) => {
    for await (const chunk of unpack(entry, end, source)) await write(chunk)
  })
  return copy
}

async function writeCopy<T>(
  { size }: ZipEntry,
  path: string,
  temp: string,
  pass: (write: (chunk: Buffer) => unknown) => Promise<T>,
): Promise<{ copy: Copy; result: T }> {
  if (size > MAX_NESTED)
    throw new ZipError(
      `holds ${JSON.stringify(path.slice(-80))}, a zip too large to be looked into`,
    )
  const file = join(temp, `${randomUUID()}.nested`)
  const handle: FileHandle = await open(file, 'wx', 0o600)
  try {
    const result = await pass((chunk) => handle.writeFile(chunk))
    await handle.close()
    return { copy: { file, size }, result }
  } catch (error) {
    await handle.close().catch(() => {})
    await rm(file, { force: true })
    throw error
  }
}

/** The last bytes of what went by. */
function keepTail() {
  let [kept, length]: [Buffer[], number] = [[], 0]
  return {
    add(chunk: Buffer) {
      kept.push(chunk)
      length += chunk.length
      while (length - kept[0]!.length >= TAIL_LENGTH) length -= kept.shift()!.length
    },
    bytes: () => (kept.length === 1 ? kept[0]! : Buffer.concat(kept)).subarray(-TAIL_LENGTH),
  }
}

/** A stream may bring its first bytes one by one. */
const MAGIC = 4
const isZip = (bytes: Buffer) =>
  bytes.length >= MAGIC &&
  (bytes.readUInt32LE(0) === 0x04034b50 || bytes.readUInt32LE(0) === 0x06054b50)

async function walkNested(
  { file, size }: Copy,
  path: string,
  depth: number,
  visit: Visit,
): Promise<void> {
  const handle = await open(file, 'r')
  try {
    const whole = { ...zipFileReader(handle), size }
    if (isZip(await whole.read(0, Math.min(size, MAGIC))))
      return await walkDeeper(whole, path, depth, visit)
    const appended = await findAppendedZip(whole.read, size)
    if (appended) await walkDeeper(within(whole, appended), path, depth, visit, true)
  } finally {
    await handle.close()
    await rm(file, { force: true })
  }
}

async function walkDeeper(
  source: ZipSource,
  path: string,
  depth: number,
  visit: Visit,
  allow_prefix = false,
): Promise<void> {
  if (depth >= MAX_DEPTH) throw new ZipError(`holds zips more than ${MAX_DEPTH} deep`)
  try {
    await walk(source, `${path} › `, depth + 1, visit, allow_prefix)
  } catch (error) {
    if (error instanceof ZipError && !error.message.startsWith('holds zips'))
      throw new ZipError(`holds ${path}, which ${error.message}`)
    throw error
  }
}

const within = (
  { read, stream }: ZipSource,
  { start, end }: { start: number; end: number },
): ZipSource => ({
  size: end - start,
  read: (from, length) => read(start + from, length),
  stream: (from, length) => stream(start + from, length),
})
