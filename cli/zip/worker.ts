import { closeSync, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { FIRST_DOS_TIME, localHeader } from '../../src/core/storage/zip-format.ts'
import { isCompressedFormat, isWorthCompressing } from './stored.ts'
import type { Item } from './tree.ts'

/** Large files are compressed in blocks, each with the previous bytes as its dictionary. */
export const BLOCK = 1024 * 1024
/** Room for a block, and for what packing it may add. */
export const SLOT = BLOCK + 64 * 1024
const BEFORE = 32 * 1024
const SAMPLE = 64 * 1024
const SAMPLES = 4
const LEVEL = 6

export type Packed = {
  at: number
  crc: number
  size: number
  compressed: number
  deflated: boolean
}
/** What a thread is asked to do; the bytes go into the slot that it is given. */
export type Task =
  | { what: 'files'; items: Item[] }
  | { what: 'block'; item: Item; start: number; length: number; deflate: boolean }
  | { what: 'measure'; item: Item }
  | { what: 'sum'; item: Item; start: number; length: number }
export type Done = { used: number; packed: Packed[]; crc: number; deflate: boolean }
export type Ask = { id: number; slot: number; task: Task }
export type Reply = {
  id: number
  done?: Done
  error?: { message: string; code: string | undefined; path: string }
}

const nothing: Done = { used: 0, packed: [], crc: 0, deflate: false }
/** The mark by which the threads of this program know what they are. */
export const ROLE = 'slipway packs a zip'

class Changed extends Error {}

/** Opens a file and sees that it is still what was found. */
function opened<T>({ source, size, changed_ms }: Item, use: (file: number) => T): T {
  const file = openSync(source, 'r')
  try {
    const now = fstatSync(file)
    if (now.size !== size || now.mtimeMs !== changed_ms) throw new Changed()
    return use(file)
  } finally {
    closeSync(file)
  }
}

function fill(file: number, into: Buffer, start: number) {
  for (let read = 0; read < into.length; ) {
    const got = readSync(file, into, read, into.length - read, start + read)
    if (got === 0) throw new Changed()
    read += got
  }
}

const work = Buffer.allocUnsafeSlow(isMainThread ? 0 : BEFORE + BLOCK)

function deflate(
  bytes: Buffer,
  options: { before?: Buffer; last?: boolean; level?: number } = {},
): Buffer {
  const { before, last = true, level = LEVEL } = options
  return deflateRawSync(bytes, {
    level,
    chunkSize: Math.max(1024, Math.min(bytes.length, 256 * 1024)),
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(before?.length ? { dictionary: before } : {}),
  })
}

/** Small files whole, one behind the other, each with its header. */
function packFiles(items: Item[], slot: Buffer): Done {
  let used = 0
  const packed = items.map((item) => {
    const bytes = contents(item)
    const crc = crc32(bytes)
    const smaller = item.kind === 'file' ? smallest(item.path, bytes) : undefined
    const body = smaller ?? bytes
    const { path, kind, executable } = item
    const sizes = {
      crc,
      size: bytes.length,
      compressed: body.length,
      deflated: smaller !== undefined,
    }
    // A fixed time: the same tree makes the same bytes, whenever and wherever it is packed.
    const fixed = { has_descriptor: false, modified: FIRST_DOS_TIME }
    const header = localHeader({ path, kind, executable, ...fixed, ...sizes })
    const at = used
    header.copy(slot, used)
    body.copy(slot, used + header.length)
    used += header.length + body.length
    return { at, ...sizes }
  })
  return { ...nothing, used, packed }
}

function contents(item: Item): Buffer {
  if (item.kind === 'folder') return Buffer.alloc(0)
  if (item.kind === 'link') {
    readlinkSync(item.source)
    return Buffer.from(item.target!)
  }
  return opened(item, (file) => {
    const bytes = work.subarray(0, item.size)
    fill(file, bytes, 0)
    return bytes
  })
}

function smallest(path: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < 32 || isCompressedFormat(path)) return undefined
  // A taste tells whether the whole is worth the while.
  if (
    bytes.length > 4 * SAMPLE &&
    !isWorthCompressing(
      SAMPLE,
      deflate(bytes.subarray(bytes.length >> 1, (bytes.length >> 1) + SAMPLE), { level: 1 }).length,
    )
  )
    return undefined
  const deflated = deflate(bytes)
  return isWorthCompressing(bytes.length, deflated.length) ? deflated : undefined
}

/** Whether a large file gets smaller, by tastes from all over it. */
function measure(item: Item): Done {
  if (isCompressedFormat(item.path)) return nothing
  return opened(item, (file) => {
    let packed = 0
    const sample = work.subarray(0, SAMPLE)
    for (let i = 0; i < SAMPLES; i++) {
      fill(file, sample, Math.floor(((item.size - SAMPLE) * i) / (SAMPLES - 1)))
      packed += deflate(sample, { level: 1 }).length
    }
    return { ...nothing, deflate: isWorthCompressing(SAMPLES * SAMPLE, packed) }
  })
}

function sum(item: Item, start: number, length: number): Done {
  return opened(item, (file) => {
    let crc = 0
    for (let at = 0; at < length; at += BLOCK) {
      const bytes = work.subarray(0, Math.min(BLOCK, length - at))
      fill(file, bytes, start + at)
      crc = crc32(bytes, crc)
    }
    return { ...nothing, crc }
  })
}

function packBlock(
  { item, start, length, deflate: pack }: Extract<Task, { what: 'block' }>,
  slot: Buffer,
): Done {
  return opened(item, (file) => {
    if (!pack) {
      const bytes = slot.subarray(0, length)
      fill(file, bytes, start)
      return { ...nothing, used: length, crc: crc32(bytes) }
    }
    const before = Math.min(start, BEFORE)
    const read = work.subarray(0, before + length)
    fill(file, read, start - before)
    const bytes = read.subarray(before)
    const deflated = deflate(bytes, {
      before: read.subarray(0, before),
      last: start + length === item.size,
    })
    deflated.copy(slot)
    return { ...nothing, used: deflated.length, crc: crc32(bytes) }
  })
}

function run(task: Task, slot: Buffer): Done {
  if (task.what === 'files') return packFiles(task.items, slot)
  if (task.what === 'measure') return measure(task.item)
  return task.what === 'sum' ? sum(task.item, task.start, task.length) : packBlock(task, slot)
}

if (!isMainThread && workerData?.role === ROLE) {
  const slots = (workerData.slots as SharedArrayBuffer[]).map((slot) => Buffer.from(slot))
  parentPort!.on('message', ({ id, slot, task }: Ask) => {
    let reply: Reply
    try {
      reply = { id, done: run(task, slots[slot] ?? Buffer.alloc(0)) }
    } catch (error) {
      const path =
        'items' in task
          ? (
              task.items.find(({ source }) => source === (error as NodeJS.ErrnoException).path) ??
              task.items[0]!
            ).source
          : task.item.source
      const code = error instanceof Changed ? 'CHANGED' : (error as NodeJS.ErrnoException).code
      reply = { id, error: { message: (error as Error).message, code, path } }
    }
    parentPort!.postMessage(reply)
  })
}
