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

/** A file up to this size is packed in one task, together with its neighbors. */
const MAX_SMALL_BYTES = BLOCK / 2
const CHECKSUM_PART_BYTES = 32 * BLOCK
/** How many large files are measured before they are packed. */
const MEASURE_AHEAD = 4
const MAX_THREADS = 8
const DIRECTORY_BLOCK_BYTES = BLOCK

export type Packing = { size: number; checksum: string }
export type PackOptions = {
  max_bytes?: number
  signal?: AbortSignal
  onProgress?: (bytes: number) => void
}
type Output = {
  handle: FileHandle
  hash: Hash
  position: number
  max_bytes: number
  signal: AbortSignal | undefined
  records: Buffer[]
  onProgress: (bytes: number) => void
}
/** What must be known of a large file before its first byte is written. */
type Measurement = { deflate: boolean; crc: number }
type Step = { items: Item[] } | { item: Item }

/**
 * Writes a zip. Threads read, checksum and deflate the files; this thread puts the results in
 * order, hashes and writes them. The same items make the same bytes, whatever the number of
 * threads.
 */
export async function packZip(
  items: readonly Item[],
  path: string,
  options: PackOptions = {},
): Promise<Packing> {
  const { max_bytes = Number.POSITIVE_INFINITY, signal, onProgress = () => {} } = options
  const handle = await open(path, 'wx', 0o600)
  const pool = createPool(Math.max(1, Math.min(availableParallelism(), MAX_THREADS)))
  try {
    const output: Output = {
      handle,
      hash: createHash('sha256'),
      position: 0,
      max_bytes,
      signal,
      records: [],
      onProgress,
    }
    await packAll(items, pool, output)
    await writeDirectory(output)
    return { size: output.position, checksum: output.hash.digest('hex') }
  } finally {
    await pool.close()
    await handle.close()
  }
}

/** Groups small neighbors, as many as fit into a slot; large files are steps of their own. */
function* stepsOf(items: readonly Item[]): Generator<Step> {
  let group: Item[] = []
  let used = 0
  for (const item of items) {
    const packed_bytes = item.size + 64 + Buffer.byteLength(item.path)
    if (item.size > MAX_SMALL_BYTES || used + packed_bytes > SLOT) {
      if (group.length) yield { items: group }
      group = []
      used = 0
    }
    if (item.size > MAX_SMALL_BYTES) yield { item }
    else {
      group.push(item)
      used += packed_bytes
    }
  }
  if (group.length) yield { items: group }
}

/** A submitted task; `finish` writes its result, after the results of the tasks before it. */
type PendingWrite = { finish: () => Promise<void> }

/** Tasks are started in order, as many as there are slots; results are used in the same order. */
async function packAll(items: readonly Item[], pool: Pool, output: Output): Promise<void> {
  const queue = createWriteQueue()
  const steps = [...stepsOf(items)]
  const submitted = submitAll(steps, pool, output, queue).then(queue.end, queue.fail)
  // Large files are read before their first byte is written. An abort also ends the wait for that.
  const stop = () => queue.fail(output.signal!.reason)
  output.signal?.addEventListener('abort', stop)
  try {
    for (let write = await queue.next(); write; write = await queue.next()) await write.finish()
    await submitted
  } finally {
    output.signal?.removeEventListener('abort', stop)
  }
}

async function submitAll(
  steps: Step[],
  pool: Pool,
  output: Output,
  queue: WriteQueue,
): Promise<void> {
  const large = steps.flatMap((step) => ('item' in step ? [step.item] : []))
  const measurements: Promise<Measurement>[] = []
  for (const step of steps) {
    while (measurements.length < MEASURE_AHEAD && large.length) {
      const measurement = measureFile(large.shift()!, pool)
      measurement.catch(() => {})
      measurements.push(measurement)
    }
    if ('items' in step) {
      queue.add(await submitFiles(step.items, pool, output))
      continue
    }
    const measurement = await measurements.shift()!
    for await (const write of submitBlocks(step.item, measurement, pool, output)) queue.add(write)
  }
}

type WriteQueue = {
  add: (write: PendingWrite) => void
  end: () => void
  fail: (error: Error) => void
  next: () => Promise<PendingWrite | undefined>
}

/** A queue whose `next` waits until there is an entry, or until the queue ends or fails. */
function createWriteQueue(): WriteQueue {
  const ready: PendingWrite[] = []
  let ended = false
  let failure: Error | undefined
  let wake = () => {}
  return {
    add(write) {
      ready.push(write)
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

async function submitFiles(items: Item[], pool: Pool, output: Output): Promise<PendingWrite> {
  const { done, slot } = await pool.run({ kind: 'files', items })
  const finish = async () => {
    const { used, packed } = await done
    const base = output.position
    await write(output, pool.slot(slot).subarray(0, used))
    pool.free(slot)
    for (const [i, { at, ...sizes }] of packed.entries())
      addRecord(output, items[i]!, { ...sizes, offset: base + at })
    output.onProgress(items.reduce((sum, { size }) => sum + size, 0))
  }
  return { finish }
}

/**
 * The header of a stored file contains its CRC, so the file is read twice. The CRC and sizes of a
 * deflated file follow its bytes.
 */
async function measureFile(item: Item, pool: Pool): Promise<Measurement> {
  const { deflate } = await pool.call({ kind: 'measure', item })
  if (deflate) return { deflate, crc: 0 }
  const count = Math.ceil(item.size / CHECKSUM_PART_BYTES)
  const parts = Array.from({ length: count }, (_, i) => ({
    start: i * CHECKSUM_PART_BYTES,
    length: Math.min(CHECKSUM_PART_BYTES, item.size - i * CHECKSUM_PART_BYTES),
  }))
  const results = await Promise.all(
    parts.map((part) => pool.call({ kind: 'checksum', item, ...part })),
  )
  return {
    deflate,
    crc: results.reduce((crc, result, i) => combineCrc32(crc, result.crc, parts[i]!.length), 0),
  }
}

async function* submitBlocks(
  item: Item,
  { deflate, crc }: Measurement,
  pool: Pool,
  output: Output,
): AsyncGenerator<PendingWrite> {
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
  let actual_crc = 0
  for (let start = 0; start < size; start += BLOCK) {
    const length = Math.min(BLOCK, size - start)
    const { done, slot } = await pool.run({ kind: 'block', item, start, length, deflate })
    const is_last = start + length === size
    const finish = async () => {
      if (start === 0) {
        entry.offset = output.position
        await write(output, localHeader(entry))
      }
      const block = await done
      await write(output, pool.slot(slot).subarray(0, block.used))
      pool.free(slot)
      actual_crc = combineCrc32(actual_crc, block.crc, length)
      if (deflate) entry.compressed += block.used
      output.onProgress(length)
      if (is_last) await endEntry(output, item, entry, actual_crc)
    }
    yield { finish }
  }
}

async function endEntry(output: Output, item: Item, entry: ZipEntry, actual_crc: number) {
  if (entry.has_descriptor) {
    entry.crc = actual_crc
    await write(output, dataDescriptor(entry))
  } else if (entry.crc !== actual_crc) throw new ChangedWhileReading(item.source)
  output.records.push(directoryRecord(entry))
}

/** The contents of a file changed between two reads, although its time and size did not. */
export class ChangedWhileReading extends Error {
  readonly path: string
  constructor(path: string) {
    super(path)
    this.path = path
  }
}

/** Thrown while packing, as soon as the limit is exceeded. */
export class ZipTooLarge extends Error {
  readonly max_bytes: number
  constructor(max_bytes: number) {
    super()
    this.max_bytes = max_bytes
  }
}

function addRecord(
  output: Output,
  { path, kind, executable }: Item,
  sizes: Pick<ZipEntry, 'crc' | 'size' | 'compressed' | 'deflated' | 'offset'>,
) {
  const fixed = { has_descriptor: false, modified: FIRST_DOS_TIME }
  output.records.push(directoryRecord({ path, kind, executable, ...fixed, ...sizes }))
}

/** Hashes the bytes while the system writes them. */
async function write(output: Output, bytes: Buffer): Promise<void> {
  output.signal?.throwIfAborted()
  if (output.position + bytes.length > output.max_bytes) throw new ZipTooLarge(output.max_bytes)
  const writing = writeAll(output.handle, bytes, output.position)
  writing.catch(() => {})
  output.hash.update(bytes)
  output.position += bytes.length
  await writing
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, position + done)).bytesWritten
}

async function writeDirectory(output: Output): Promise<void> {
  const start = output.position
  let block: Buffer[] = []
  let length = 0
  for (const record of output.records) {
    block.push(record)
    length += record.length
    if (length < DIRECTORY_BLOCK_BYTES) continue
    await write(output, Buffer.concat(block))
    block = []
    length = 0
  }
  await write(output, Buffer.concat(block))
  const end = endOfDirectory(output.records.length, start, output.position - start)
  await write(output, end)
}
