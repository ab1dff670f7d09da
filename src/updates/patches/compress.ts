import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { type FileHandle, open, rm, writeFile } from 'node:fs/promises'
import { constants, zstdCompressSync } from 'node:zlib'
import { chunksOf } from '../../builds/deltas/chunking.ts'
import { MIB } from '../../core/runtime/units.ts'
import { unpackSegment } from './apply.ts'
import { findDifference, indexPieces, type PieceIndex, packDifference } from './difference.ts'
import { MAX_BASE_BYTES, MAX_SEGMENT_BYTES, type Segment } from './format.ts'

/** The first pass is quick, so that players have a patch soon; the second one finds more. */
export type Pass = 1 | 2

const {
  ZSTD_c_compressionLevel,
  ZSTD_c_windowLog,
  ZSTD_c_hashLog,
  ZSTD_c_chainLog,
  ZSTD_c_contentSizeFlag,
} = constants

/** The bits that number so many positions. */
const bitsFor = (count: number) => Math.max(1, Math.ceil(Math.log2(Math.max(2, count))))
const clamp = (value: number, least: number, most: number) => Math.min(most, Math.max(least, value))

type Tuning = { level: number; table_bits: number }

/**
 * The tables of the compressor must have room for the positions of the old bytes; those of its
 * levels are for a window of a few MiB, and would forget most of a large file.
 */
const tunings: Record<'small' | 'large', Record<Pass, Tuning>> = {
  small: { 1: { level: 9, table_bits: 22 }, 2: { level: 19, table_bits: 23 } },
  large: { 1: { level: 5, table_bits: 23 }, 2: { level: 12, table_bits: 23 } },
}
/** Up to this size together, new and old bytes are compressed in this process. */
const SMALL_BYTES = 4 * MIB

function compressHere(bytes: Buffer, base: Buffer, pass: Pass): Buffer {
  const together = bytes.length + base.length
  const { level, table_bits } = tunings[together <= SMALL_BYTES ? 'small' : 'large'][pass]
  const bits = clamp(bitsFor(together), 12, table_bits)
  return zstdCompressSync(bytes, {
    pledgedSrcSize: bytes.length,
    params: {
      [ZSTD_c_compressionLevel]: level,
      [ZSTD_c_contentSizeFlag]: 1,
      [ZSTD_c_windowLog]: clamp(bitsFor(bytes.length), 17, 26),
      [ZSTD_c_hashLog]: bits,
      [ZSTD_c_chainLog]: bits,
    },
    ...(base.length > 0 && { dictionary: base }),
  })
}

const PROGRAM_LEVELS: Record<Pass, string> = { 1: '-6', 2: '-19' }
/** Where programs usually are; the settings of the service are not known here. */
const PROGRAM_PATH = '/usr/local/bin:/usr/bin:/bin:/opt/homebrew/bin'
const MAX_PROGRAM_MS = 20 * 60_000

/**
 * The program zstd finds long matches anywhere in the old bytes in a tenth of the time that the one
 * in Node needs. Undefined where it is not installed or cannot do it.
 */
function compressByProgram(bytes: Buffer, base_file: string, pass: Pass): Buffer | undefined {
  const { status, stdout } = spawnSync(
    'zstd',
    [
      '-q',
      '-c',
      PROGRAM_LEVELS[pass],
      '--single-thread',
      // Players compare files with their SHA-256, so another checksum would only cost them time.
      '--no-check',
      '--long=27',
      `--patch-from=${base_file}`,
      `--stream-size=${bytes.length}`,
    ],
    {
      input: bytes,
      env: { PATH: PROGRAM_PATH },
      stdio: ['pipe', 'pipe', 'ignore'],
      maxBuffer: 2 * MAX_SEGMENT_BYTES,
      timeout: MAX_PROGRAM_MS,
      killSignal: 'SIGKILL',
    },
  )
  return status === 0 && stdout.length ? stdout : undefined
}

let is_installed: boolean | undefined

function hasProgram(): boolean {
  is_installed ??=
    spawnSync('zstd', ['--version'], { env: { PATH: PROGRAM_PATH }, stdio: 'ignore' }).status === 0
  return is_installed
}

/** How large segments and their bases are. */
type Sizes = { segment: number; base: number }
const programSizes: Sizes = { segment: MAX_SEGMENT_BYTES, base: MAX_BASE_BYTES }
/** Tables for larger ones would need too much memory. */
const ownSizes: Sizes = { segment: 16 * MIB, base: 32 * MIB }

type Base = { bytes: Buffer; file: string; index?: PieceIndex; unused_table?: Int32Array }
type Effort = { pass: Pass; use_program: boolean; without_difference: boolean }
type Packed = Pick<Segment, 'kind'> & { frame: Buffer }

/** Frames of both compressors are applied alike. */
function compressFrame(bytes: Buffer, base: Base, { pass, use_program }: Effort): Packed {
  const by_program =
    use_program && bytes.length + base.bytes.length > SMALL_BYTES
      ? compressByProgram(bytes, base.file, pass)
      : undefined
  return { frame: by_program ?? compressHere(bytes, base.bytes, pass) }
}

const DIFFERENCE_LEVELS: Record<Pass, number> = { 1: 9, 2: 19 }
/** If more of a file is new, a frame may be smaller than the difference. */
const MAX_INSERTED = 0.25

/** The smaller one of a frame and a difference. Of large files that are much alike, only that. */
function compressSegment(bytes: Buffer, base: Base, effort: Effort): Packed {
  if (effort.without_difference || !base.bytes.length) return compressFrame(bytes, base, effort)
  base.index ??= indexPieces(base.bytes, base.unused_table)
  const difference = findDifference(base.index, bytes)
  const packed: Packed = {
    kind: 'difference',
    frame: packDifference(difference, DIFFERENCE_LEVELS[effort.pass]),
  }
  const is_large = bytes.length + base.bytes.length > SMALL_BYTES
  if (is_large && difference.inserted <= bytes.length * MAX_INSERTED) return packed
  const other = compressFrame(bytes, base, effort)
  return packed.frame.length < other.frame.length ? packed : other
}

export type Compression = {
  old_file: string
  new_file: string
  /** The frames are appended to it; beside it a part of the old file may be written. */
  out: string
  pass: Pass
  /** Without the program zstd, even if it is installed. */
  only_here?: boolean
  /** Differences are smaller, but take longer. */
  without_difference?: boolean
}

/**
 * Appends the segments of a file to `out`, each applied and compared with the new bytes before it
 * is written.
 */
export async function compressFile(compression: Compression): Promise<Segment[]> {
  const { old_file, new_file, out, pass, only_here = false } = compression
  const { without_difference = false } = compression
  const use_program = !only_here && hasProgram()
  const effort = { pass, use_program, without_difference }
  const sizes = use_program ? programSizes : ownSizes
  const [old, next, target] = await Promise.all([
    open(old_file, 'r'),
    open(new_file, 'r'),
    open(out, 'a', 0o600),
  ])
  const base_file = `${out}.base`
  try {
    const [{ size: old_size }, { size: new_size }] = await Promise.all([old.stat(), next.stat()])
    // Used again for each segment: how soon the runtime would free them is not known.
    const base_buffer = Buffer.allocUnsafeSlow(Math.min(sizes.base, old_size))
    const segment_buffer = Buffer.allocUnsafeSlow(Math.min(sizes.segment, new_size))
    const segments: Segment[] = []
    let base: Base = { bytes: Buffer.alloc(0), file: old_file }
    let base_start = -1
    for (const { start, size, base_at, base_size } of await planSegments(old, next, sizes)) {
      const bytes = await fill(segment_buffer.subarray(0, size), next, start)
      if (base_at !== base_start) {
        const used = withoutMagic(await fill(base_buffer.subarray(0, base_size), old, base_at))
        const is_whole = used.length === old_size
        const unused_table = base.index?.places ?? base.unused_table
        base = {
          bytes: used,
          file: is_whole ? old_file : base_file,
          ...(unused_table && { unused_table }),
        }
        if (!is_whole) await writeFile(base_file, used, { mode: 0o600 })
      }
      base_start = base_at
      const { kind, frame } = compressSegment(bytes, base, effort)
      await checkSegment({ kind, size }, frame, base.bytes, bytes)
      await target.writeFile(frame)
      const skipped = base_size - base.bytes.length
      segments.push({
        ...(kind && { kind }),
        size,
        base: [base_at + skipped, base.bytes.length],
        length: frame.length,
      })
    }
    return segments
  } finally {
    await Promise.all([old.close(), next.close(), target.close(), rm(base_file, { force: true })])
  }
}

const DICTIONARY_MAGIC = Buffer.from([0x37, 0xa4, 0x30, 0xec])

/** Bytes that begin like a trained dictionary would be read as one. */
function withoutMagic(base: Buffer): Buffer {
  let used = base
  while (used.subarray(0, 4).equals(DICTIONARY_MAGIC)) used = used.subarray(1)
  return used
}

async function checkSegment(
  segment: Pick<Segment, 'kind' | 'size'>,
  frame: Buffer,
  base: Buffer,
  bytes: Buffer,
): Promise<void> {
  const made = await unpackSegment(segment, frame, base)
  if (!made.equals(bytes))
    throw new Error('A segment of a patch does not unpack to the bytes it was made of')
}

export const readExactly = (handle: FileHandle, start: number, size: number) =>
  fill(Buffer.allocUnsafe(size), handle, start)

/** Reads as many bytes as the buffer has room for, and returns it. */
async function fill(buffer: Buffer, handle: FileHandle, start: number): Promise<Buffer> {
  for (let at = 0; at < buffer.length; ) {
    const { bytesRead } = await handle.read(buffer, at, buffer.length - at, start + at)
    if (!bytesRead) throw new Error('A file ended too early')
    at += bytesRead
  }
  return buffer
}

type PlannedSegment = { start: number; size: number; base_at: number; base_size: number }

/** Each segment, with the part of the old file that has the most of its chunks. */
async function planSegments(
  old: FileHandle,
  next: FileHandle,
  sizes: Sizes,
): Promise<PlannedSegment[]> {
  const [{ size: old_size }, { size: new_size }] = await Promise.all([old.stat(), next.stat()])
  const starts = Array.from(
    { length: Math.ceil(new_size / sizes.segment) },
    (_, index) => index * sizes.segment,
  )
  const sizeAt = (start: number) => Math.min(sizes.segment, new_size - start)
  if (old_size <= sizes.base)
    return starts.map((start) => ({
      start,
      size: sizeAt(start),
      base_at: 0,
      base_size: old_size,
    }))
  const base_starts = await findBases(old, next, { old_size, new_size, ...sizes })
  return starts.map((start, index) => ({
    start,
    size: sizeAt(start),
    base_at: base_starts[index]!,
    base_size: Math.min(sizes.base, old_size - base_starts[index]!),
  }))
}

const NOWHERE = -1
const BUCKET_BYTES = 4 * MIB
const largeChunks = { min: 16 * 1024, average: 64 * 1024, max: 256 * 1024 }

async function* chunkHashes(handle: FileHandle): AsyncGenerator<{ key: number; length: number }> {
  const stream = handle.createReadStream({ start: 0, autoClose: false, highWaterMark: MIB })
  for await (const chunk of chunksOf(stream, largeChunks))
    yield {
      key: createHash('sha1').update(chunk).digest().readUIntBE(0, 6),
      length: chunk.length,
    }
}

/**
 * Where the base of each segment starts, if the old file is larger than one. Chunks are found by
 * their contents, so data that moved within a large archive is found too.
 */
async function findBases(
  old: FileHandle,
  next: FileHandle,
  { old_size, new_size, segment, base }: Sizes & { old_size: number; new_size: number },
): Promise<number[]> {
  const places = new Map<number, number>()
  let at = 0
  for await (const { key, length } of chunkHashes(old)) {
    // What is there several times, such as zeros, says nothing about a place.
    places.set(key, places.has(key) ? NOWHERE : at)
    at += length
  }
  const buckets = Math.ceil(old_size / BUCKET_BYTES)
  const count = Math.ceil(new_size / segment)
  const width = base / BUCKET_BYTES
  const votes = Array.from({ length: count }, () => new Float64Array(buckets))
  at = 0
  for await (const { key, length } of chunkHashes(next)) {
    const place = places.get(key)
    if (place !== undefined && place !== NOWHERE)
      votes[Math.floor(at / segment)]![Math.floor(place / BUCKET_BYTES)]! += length
    at += length
  }
  const last = Math.max(0, buckets - width)
  return votes.map((own, index) => {
    const middle = ((index + 0.5) / count) * buckets - width / 2
    let best = clamp(Math.round(middle), 0, last)
    let most = sumOf(own, best, width)
    for (let start = 0; start <= last; start++) {
      const sum = sumOf(own, start, width)
      if (sum <= most) continue
      best = start
      most = sum
    }
    return best * BUCKET_BYTES
  })
}

const sumOf = (votes: Float64Array, start: number, width: number) =>
  votes.subarray(start, start + width).reduce((sum, bytes) => sum + bytes, 0)
