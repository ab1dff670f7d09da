import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import {
  dataDescriptor,
  directoryRecord,
  endOfDirectory,
  FIRST_DOS_TIME,
  localHeader,
  type ZipEntry,
} from '../../src/core/storage/zip-format.ts'
import { combineCrc32 } from './crc32.ts'
import { createPool, type Pool } from './pool.ts'
import type { Item } from './tree.ts'
import { BLOCK, SLOT } from './worker.ts'

/** A file up to this size is packed whole, together with its neighbours. */
const SMALL = BLOCK / 2
const SUM_PART = 32 * BLOCK
/** How many large files are looked at before it is their turn. */
const LOOK_AHEAD = 4
const MOST_THREADS = 8
const DIRECTORY_PIECE = BLOCK

export type Packing = { size: number; checksum: string }
export type PackOptions = {
  max_bytes?: number
  signal?: AbortSignal
  onProgress?: (bytes: number) => void
}
type Out = {
  handle: FileHandle
  hash: Hash
  at: number
  max_bytes: number
  signal: AbortSignal | undefined
  records: Buffer[]
  written: (bytes: number) => void
}
/** What a large file needs to have known before its first byte is written. */
type Look = { deflate: boolean; crc: number }
type Step = { items: Item[] } | { item: Item }

/**
 * Writes a zip. Threads read, sum and deflate; here the pieces are put in order, hashed and written, both at once. The same items make
 * the same bytes, however many threads there are.
 */
export async function packZip(
  items: readonly Item[],
  path: string,
  options: PackOptions = {},
): Promise<Packing> {
  const { max_bytes = Number.POSITIVE_INFINITY, signal, onProgress: written = () => {} } = options
  const handle = await open(path, 'wx', 0o600)
  const pool = createPool(Math.max(1, Math.min(availableParallelism(), MOST_THREADS)))
  try {
    const out: Out = {
      handle,
      hash: createHash('sha256'),
      at: 0,
      max_bytes,
      signal,
      records: [],
      written,
    }
    await packAll(items, pool, out)
    await writeDirectory(out)
    return { size: out.at, checksum: out.hash.digest('hex') }
  } finally {
    await pool.close()
    await handle.close()
  }
}

/** Small neighbours together, as many as a slot holds; large ones alone. */
export function* steps(items: readonly Item[]): Generator<Step> {
  let together: Item[] = []
  let used = 0
  for (const item of items) {
    const room = item.size + 64 + Buffer.byteLength(item.path)
    if (item.size > SMALL || used + room > SLOT) {
      if (together.length) yield { items: together }
      together = []
      used = 0
    }
    if (item.size > SMALL) yield { item }
    else {
      together.push(item)
      used += room
    }
  }
  if (together.length) yield { items: together }
}

/** A piece under way: to be finished when it is its turn. */
type Running = { finish: () => Promise<void> }

/** Tasks are started in order, as many as there are slots; results are used in the same order. */
async function packAll(items: readonly Item[], pool: Pool, out: Out): Promise<void> {
  const line = createLine()
  const giving = giveAll([...steps(items)], pool, out, line).then(line.end, line.fail)
  // Large files are read once before their first byte is written: who waits for that is woken too.
  const stop = () => line.fail(out.signal!.reason)
  out.signal?.addEventListener('abort', stop)
  try {
    for (let running = await line.next(); running; running = await line.next())
      await running.finish()
    await giving
  } finally {
    out.signal?.removeEventListener('abort', stop)
  }
}

async function giveAll(plan: Step[], pool: Pool, out: Out, line: Line): Promise<void> {
  const large = plan.flatMap((step) => ('item' in step ? [step.item] : []))
  const looks: Promise<Look>[] = []
  for (const step of plan) {
    while (looks.length < LOOK_AHEAD && large.length) {
      const look = lookAt(large.shift()!, pool)
      look.catch(() => {})
      looks.push(look)
    }
    if ('items' in step) {
      line.add(await giveFiles(step.items, pool, out))
      continue
    }
    for await (const running of giveBlocks(step.item, await looks.shift()!, pool, out))
      line.add(running)
  }
}

type Line = {
  add: (running: Running) => void
  end: () => void
  fail: (error: Error) => void
  next: () => Promise<Running | undefined>
}

/** A queue whose taker waits for what is not there yet. */
function createLine(): Line {
  const ready: Running[] = []
  let ended = false
  let failure: Error | undefined
  let wake = () => {}
  return {
    add(running) {
      ready.push(running)
      wake()
    },
    end() {
      ended = true
      wake()
    },
    fail(error) {
      failure = error
      wake()
    },
    async next() {
      while (!ready.length && !ended && !failure)
        await new Promise<void>((resolve) => {
          wake = resolve
        })
      if (failure) throw failure
      return ready.shift()
    },
  }
}

async function giveFiles(items: Item[], pool: Pool, out: Out): Promise<Running> {
  const { done, slot } = await pool.run({ what: 'files', items })
  const finish = async () => {
    const { used, packed } = await done
    const base = out.at
    await write(out, pool.slot(slot).subarray(0, used))
    pool.free(slot)
    for (const [i, { at, ...sizes }] of packed.entries())
      record(out, items[i]!, { ...sizes, offset: base + at })
    out.written(items.reduce((sum, { size }) => sum + size, 0))
  }
  return { finish }
}

/** A stored file needs its CRC first, so it is read twice; a deflated one has its sizes after it. */
async function lookAt(item: Item, pool: Pool): Promise<Look> {
  const { deflate } = await pool.ask({ what: 'measure', item })
  if (deflate) return { deflate, crc: 0 }
  const parts = Array.from({ length: Math.ceil(item.size / SUM_PART) }, (_, i) => ({
    start: i * SUM_PART,
    length: Math.min(SUM_PART, item.size - i * SUM_PART),
  }))
  const sums = await Promise.all(parts.map((part) => pool.ask({ what: 'sum', item, ...part })))
  return {
    deflate,
    crc: sums.reduce((crc, sum, i) => combineCrc32(crc, sum.crc, parts[i]!.length), 0),
  }
}

async function* giveBlocks(
  item: Item,
  { deflate, crc }: Look,
  pool: Pool,
  out: Out,
): AsyncGenerator<Running> {
  const { path, kind, executable, size } = item
  const entry: ZipEntry = {
    path,
    kind,
    executable,
    deflated: deflate,
    has_descriptor: deflate,
    modified: FIRST_DOS_TIME,
    crc,
    size,
    compressed: deflate ? 0 : size,
    offset: 0,
  }
  let summed = 0
  for (let start = 0; start < size; start += BLOCK) {
    const length = Math.min(BLOCK, size - start)
    const { done, slot } = await pool.run({ what: 'block', item, start, length, deflate })
    const is_last = start + length === size
    const finish = async () => {
      if (start === 0) {
        entry.offset = out.at
        await write(out, localHeader(entry))
      }
      const block = await done
      await write(out, pool.slot(slot).subarray(0, block.used))
      pool.free(slot)
      summed = combineCrc32(summed, block.crc, length)
      if (deflate) entry.compressed += block.used
      out.written(length)
      if (is_last) await endEntry(out, item, entry, summed)
    }
    yield { finish }
  }
}

async function endEntry(out: Out, item: Item, entry: ZipEntry, summed: number) {
  if (entry.has_descriptor) {
    entry.crc = summed
    await write(out, dataDescriptor(entry))
  } else if (entry.crc !== summed) throw new ChangedWhileReading(item.source)
  out.records.push(directoryRecord(entry))
}

/** Between the sum and the bytes a file became another, though its time and size did not. */
export class ChangedWhileReading extends Error {
  readonly path: string
  constructor(path: string) {
    super(`${path} changed while it was being packed`)
    this.path = path
  }
}

/** Found while packing, before the disk is filled with what nobody takes. */
export class ZipTooLarge extends Error {
  readonly max_bytes: number
  constructor(max_bytes: number) {
    super('the zip is too large')
    this.max_bytes = max_bytes
  }
}

function record(
  out: Out,
  { path, kind, executable }: Item,
  sizes: Pick<ZipEntry, 'crc' | 'size' | 'compressed' | 'deflated' | 'offset'>,
) {
  const fixed = { has_descriptor: false, modified: FIRST_DOS_TIME }
  out.records.push(directoryRecord({ path, kind, executable, ...fixed, ...sizes }))
}

/** The system writes while we hash. */
async function write(out: Out, bytes: Buffer): Promise<void> {
  out.signal?.throwIfAborted()
  if (out.at + bytes.length > out.max_bytes) throw new ZipTooLarge(out.max_bytes)
  const writing = writeAll(out.handle, bytes, out.at)
  writing.catch(() => {})
  out.hash.update(bytes)
  out.at += bytes.length
  await writing
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten
}

async function writeDirectory(out: Out): Promise<void> {
  const start = out.at
  let piece: Buffer[] = []
  let length = 0
  for (const each of out.records) {
    piece.push(each)
    length += each.length
    if (length < DIRECTORY_PIECE) continue
    await write(out, Buffer.concat(piece))
    piece = []
    length = 0
  }
  await write(out, Buffer.concat(piece))
  await write(out, endOfDirectory(out.records.length, start, out.at - start))
}
