import { closeSync, fstatSync, openSync, readlinkSync, readSync } from 'node:fs'
import { isMainThread, parentPort, workerData } from 'node:worker_threads'
import { constants, crc32, deflateRawSync } from 'node:zlib'
import { FIRST_DOS_TIME, localHeader } from '../../src/core/storage/zip-format.ts'
import { isCompressedFormat, isWorthCompressing } from './stored.ts'
import type { Item } from './tree.ts'

/** Large files are compressed in blocks, each with the previous bytes as its dictionary. */
export const BLOCK = 1024 * 1024
/** The bytes of a block, and those that packing it may add. */
export const SLOT = BLOCK + 64 * 1024
const DICTIONARY_BYTES = 32 * 1024
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
/** Packed bytes are written to the slot of the message. */
export type Task =
  | { kind: 'files'; items: Item[] }
  | { kind: 'block'; item: Item; start: number; length: number; deflate: boolean }
  | { kind: 'measure'; item: Item }
  | { kind: 'checksum'; item: Item; start: number; length: number }
export type TaskResult = { used: number; packed: Packed[]; crc: number; deflate: boolean }
export type TaskMessage = { id: number; slot: number; task: Task }
export type Reply = {
  id: number
  result?: TaskResult
  error?: { message: string; code: string | undefined; path: string }
}

const emptyResult: TaskResult = { used: 0, packed: [], crc: 0, deflate: false }
/** Marks the worker threads of this program. */
export const ROLE = 'slipway zip worker'

class FileChanged extends Error {}

/** Opens a file after checking that it has not changed since the tree was read. */
function withFile<T>({ source, size, changed_ms }: Item, use: (file: number) => T): T {
  const file = openSync(source, 'r')
  try {
    const stats = fstatSync(file)
    if (stats.size !== size || stats.mtimeMs !== changed_ms) throw new FileChanged()
    return use(file)
  } finally {
    closeSync(file)
  }
}

function fill(file: number, buffer: Buffer, start: number) {
  for (let filled = 0; filled < buffer.length; ) {
    const read = readSync(file, buffer, filled, buffer.length - filled, start + filled)
    if (read === 0) throw new FileChanged()
    filled += read
  }
}

/** Reused by every task of the thread. */
const scratch = Buffer.allocUnsafeSlow(isMainThread ? 0 : DICTIONARY_BYTES + BLOCK)

function deflate(
  bytes: Buffer,
  options: { dictionary?: Buffer; last?: boolean; level?: number } = {},
): Buffer {
  const { dictionary, last = true, level = LEVEL } = options
  return deflateRawSync(bytes, {
    level,
    chunkSize: Math.max(1024, Math.min(bytes.length, 256 * 1024)),
    finishFlush: last ? constants.Z_FINISH : constants.Z_SYNC_FLUSH,
    ...(dictionary?.length ? { dictionary } : {}),
  })
}

/** Packs small files into the slot, one after the other, each with its header. */
function packFiles(items: Item[], slot: Buffer): TaskResult {
  let used = 0
  const packed = items.map((item) => {
    const bytes = contents(item)
    const crc = crc32(bytes)
    const compressed = item.kind === 'file' ? compressIfSmaller(item.path, bytes) : undefined
    const body = compressed ?? bytes
    const { path, kind, executable } = item
    const sizes = {
      crc,
      size: bytes.length,
      compressed: body.length,
      deflated: compressed !== undefined,
    }
    // A fixed time, so that the same tree makes the same bytes, whenever and wherever it is packed.
    const fixed = { has_descriptor: false, modified: FIRST_DOS_TIME }
    const header = localHeader({ path, kind, executable, ...fixed, ...sizes })
    const at = used
    header.copy(slot, used)
    body.copy(slot, used + header.length)
    used += header.length + body.length
    return { at, ...sizes }
  })
  return { ...emptyResult, used, packed }
}

function contents(item: Item): Buffer {
  if (item.kind === 'folder') return Buffer.alloc(0)
  if (item.kind === 'link') {
    readlinkSync(item.source)
    return Buffer.from(item.target!)
  }
  return withFile(item, (file) => {
    const bytes = scratch.subarray(0, item.size)
    fill(file, bytes, 0)
    return bytes
  })
}

function compressIfSmaller(path: string, bytes: Buffer): Buffer | undefined {
  if (bytes.length < 32 || isCompressedFormat(path)) return undefined
  // A sample from the middle shows whether compressing the rest is worth its time.
  if (bytes.length > 4 * SAMPLE) {
    const middle = bytes.length >> 1
    const sample = deflate(bytes.subarray(middle, middle + SAMPLE), { level: 1 })
    if (!isWorthCompressing(SAMPLE, sample.length)) return undefined
  }
  const deflated = deflate(bytes)
  return isWorthCompressing(bytes.length, deflated.length) ? deflated : undefined
}

/** Decides by samples whether a large file is deflated. */
function measure(item: Item): TaskResult {
  if (isCompressedFormat(item.path)) return emptyResult
  return withFile(item, (file) => {
    let packed = 0
    const sample = scratch.subarray(0, SAMPLE)
    for (let i = 0; i < SAMPLES; i++) {
      fill(file, sample, Math.floor(((item.size - SAMPLE) * i) / (SAMPLES - 1)))
      packed += deflate(sample, { level: 1 }).length
    }
    return { ...emptyResult, deflate: isWorthCompressing(SAMPLES * SAMPLE, packed) }
  })
}

function checksum(item: Item, start: number, length: number): TaskResult {
  return withFile(item, (file) => {
    let crc = 0
    for (let at = 0; at < length; at += BLOCK) {
      const bytes = scratch.subarray(0, Math.min(BLOCK, length - at))
      fill(file, bytes, start + at)
      crc = crc32(bytes, crc)
    }
    return { ...emptyResult, crc }
  })
}

function packBlock(
  { item, start, length, deflate: is_deflated }: Extract<Task, { kind: 'block' }>,
  slot: Buffer,
): TaskResult {
  return withFile(item, (file) => {
    if (!is_deflated) {
      const bytes = slot.subarray(0, length)
      fill(file, bytes, start)
      return { ...emptyResult, used: length, crc: crc32(bytes) }
    }
    const dictionary_bytes = Math.min(start, DICTIONARY_BYTES)
    const read = scratch.subarray(0, dictionary_bytes + length)
    fill(file, read, start - dictionary_bytes)
    const bytes = read.subarray(dictionary_bytes)
    const deflated = deflate(bytes, {
      dictionary: read.subarray(0, dictionary_bytes),
      last: start + length === item.size,
    })
    deflated.copy(slot)
    return { ...emptyResult, used: deflated.length, crc: crc32(bytes) }
  })
}

function run(task: Task, slot: Buffer): TaskResult {
  if (task.kind === 'files') return packFiles(task.items, slot)
  if (task.kind === 'measure') return measure(task.item)
  return task.kind === 'checksum'
    ? checksum(task.item, task.start, task.length)
    : packBlock(task, slot)
}

if (!isMainThread && workerData?.role === ROLE) {
  const slots = (workerData.slots as SharedArrayBuffer[]).map((slot) => Buffer.from(slot))
  parentPort!.on('message', ({ id, slot, task }: TaskMessage) => {
    let reply: Reply
    try {
      reply = { id, result: run(task, slots[slot] ?? Buffer.alloc(0)) }
    } catch (error) {
      const { message, code } = error as NodeJS.ErrnoException
      const path = failedPath(task, error as NodeJS.ErrnoException)
      const reason = error instanceof FileChanged ? 'CHANGED' : code
      reply = { id, error: { message, code: reason, path } }
    }
    parentPort!.postMessage(reply)
  })
}

/** The file that a task failed on: the one that the error names, or else the first. */
function failedPath(task: Task, error: NodeJS.ErrnoException): string {
  if (!('items' in task)) return task.item.source
  const failed = task.items.find(({ source }) => source === error.path)
  return (failed ?? task.items[0]!).source
}
