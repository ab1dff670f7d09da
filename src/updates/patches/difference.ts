import { constants, zstdCompressSync } from 'node:zlib'
import { LENGTH_BYTES } from './format.ts'

/**
 * Finds how new bytes are made of old ones that are much like them, as Colin Percival's bsdiff
 * does: a recompiled program has most of its code at other addresses, so that few long parts are
 * equal, but many are equal in most of their bytes. Such parts are copied, and the bytes that
 * differ are corrected. Our own, because the program bsdiff needs 17 bytes of memory for each of
 * the old file and ten times as long; a table of short pieces in the place of its suffix array finds
 * as much (npm run bench -- patches).
 */

/** How many bytes a piece has that old and new bytes are compared by. */
const PIECE = 12
/** Of the old bytes, a piece that begins at each so many bytes is remembered. */
const STEP = 4
const MAX_TABLE_BITS = 25
/** By how many equal bytes another place must be better than the one copied from so far. */
const BETTER_BY = 8
const MAX_LOOK_BACK = 64
/** Bytes that repeat would be compared again and again without a limit. */
const MAX_BACKWARDS = 4096
/** So many equal bytes end a run of corrections; ending it costs about as much as they do. */
const MIN_EQUAL_RUN = 2

const MULTIPLIER = 0x9e3779b1
/** What the first byte of a piece adds to its hash. */
const FIRST_WEIGHT = Array.from({ length: PIECE }).reduce<number>(
  (product) => Math.imul(product, MULTIPLIER),
  1,
)

/** Where pieces of old bytes are; of equal ones, the first, which the most bytes follow. */
export type PieceIndex = { bytes: Buffer; places: Int32Array; shift: number }

function hashAt(bytes: Buffer, at: number): number {
  let hash = 0
  for (let i = at; i < at + PIECE; i++) hash = (Math.imul(hash, MULTIPLIER) + bytes[i]!) | 0
  return hash
}

/** The hash of the piece one byte later. */
const nextHash = (hash: number, bytes: Buffer, at: number) =>
  (Math.imul(hash, MULTIPLIER) + bytes[at + PIECE]! - Math.imul(FIRST_WEIGHT, bytes[at]!)) | 0

const slotOf = (hash: number, shift: number) =>
  Math.imul(hash ^ (hash >>> 15), 0x85ebca6b) >>> shift

/** The table of an index that is no longer used saves memory, if it has the right size. */
export function indexPieces(bytes: Buffer, unused?: Int32Array): PieceIndex {
  const wanted = Math.ceil(Math.log2(bytes.length / STEP + 1)) + 1
  const bits = Math.min(MAX_TABLE_BITS, Math.max(8, wanted))
  const shift = 32 - bits
  const places = unused?.length === 2 ** bits ? unused : new Int32Array(2 ** bits)
  places.fill(-1)
  const last = Math.floor((bytes.length - PIECE) / STEP) * STEP
  for (let at = last; at >= 0; at -= STEP) places[slotOf(hashAt(bytes, at), shift)] = at
  return { bytes, places, shift }
}

/** Bytes that grow, with numbers in groups of seven bits. */
class ByteWriter {
  private buffer = Buffer.allocUnsafe(4096)
  private length = 0

  byte(value: number): void {
    if (this.length === this.buffer.length) this.grow(1)
    this.buffer[this.length++] = value
  }

  count(value: number): void {
    let rest = value
    while (rest >= 128) {
      this.byte((rest % 128) | 128)
      rest = Math.floor(rest / 128)
    }
    this.byte(rest)
  }

  /** A number that may be negative. */
  offset(value: number): void {
    this.count(value < 0 ? -2 * value - 1 : 2 * value)
  }

  append(bytes: Buffer): void {
    if (this.length + bytes.length > this.buffer.length) this.grow(bytes.length)
    this.length += bytes.copy(this.buffer, this.length)
  }

  get bytes(): Buffer {
    return this.buffer.subarray(0, this.length)
  }

  private grow(by: number): void {
    const larger = Buffer.allocUnsafe(Math.max(this.buffer.length * 2, this.length + by))
    this.buffer.copy(larger, 0, 0, this.length)
    this.buffer = larger
  }
}

/** The corrections of copied bytes: how many are equal, how many are not, and what those add. */
class CorrectionWriter {
  readonly runs = new ByteWriter()
  readonly values = new ByteWriter()
  private equal = 0
  private corrected = 0
  /** Equal bytes after corrections, as long as they are too few to end the run. */
  private pending = 0

  add(difference: number): void {
    if (difference) {
      for (; this.pending; this.pending--) this.correct(0)
      this.correct(difference)
    } else if (!this.corrected) this.equal++
    else if (++this.pending === MIN_EQUAL_RUN) {
      this.endRun()
      this.equal = this.pending
      this.pending = 0
    }
  }

  private correct(difference: number): void {
    this.values.byte(difference)
    this.corrected++
  }

  endRun(): void {
    this.runs.count(this.equal)
    this.runs.count(this.corrected)
    this.equal = 0
    this.corrected = 0
  }
}

/**
 * Steps that make new bytes: copy so many of the old bytes, with corrections; insert so many; move
 * so far in the old bytes.
 */
class StepWriter {
  private readonly copies = new ByteWriter()
  private readonly inserts = new ByteWriter()
  private readonly moves = new ByteWriter()
  private readonly inserted = new ByteWriter()
  private readonly corrections = new CorrectionWriter()
  private readonly old: Buffer
  private readonly next: Buffer

  constructor(old: Buffer, next: Buffer) {
    this.old = old
    this.next = next
  }

  step({
    at,
    place,
    copied,
    inserted,
    move,
  }: Record<'at' | 'place' | 'copied' | 'inserted' | 'move', number>) {
    const { old, next } = this
    for (let i = 0; i < copied; i++) this.corrections.add((next[at + i]! - old[place + i]!) & 255)
    this.copies.count(copied)
    this.inserts.count(inserted)
    this.moves.offset(move)
    this.inserted.append(next.subarray(at + copied, at + copied + inserted))
  }

  end(): Difference {
    this.corrections.endRun()
    const { copies, inserts, moves, corrections, inserted } = this
    const { runs, values } = corrections
    const streams = [copies, inserts, moves, runs, values, inserted].map(({ bytes }) => bytes)
    return { streams, inserted: inserted.bytes.length }
  }
}

export type Difference = {
  /** Copies, inserts, moves, runs, values, inserted bytes: equal kinds compress best together. */
  streams: Buffer[]
  /** How many of the new bytes are not made of old ones. */
  inserted: number
}

export function findDifference(
  { bytes: old, places, shift }: PieceIndex,
  next: Buffer,
): Difference {
  const steps = new StepWriter(old, next)
  /** Where the bytes that are not written yet begin, and the place they are copied from. */
  let at = 0
  let place = 0
  for (let scan = 0; at < next.length; ) {
    const match = findMatch({ old, places, shift }, next, { scan, at, shift_by: place - at })
    const ahead = forwards(old, next, { at, place, end: match.at })
    const back = match.length ? backwards(old, next, { at, match }) : 0
    const kept = withoutOverlap(old, next, { at, place, match, ahead, back })
    const start = match.at - kept.back
    const from = match.place - kept.back
    const copied = kept.ahead
    steps.step({
      at,
      place,
      copied,
      inserted: start - at - copied,
      move: match.length ? from - place - copied : 0,
    })
    if (!match.length) break
    at = start
    place = from
    scan = match.at + match.length
  }
  return steps.end()
}

/** Equal bytes: where they are in the new and in the old bytes. */
type Match = { at: number; place: number; length: number }

/** How many bytes are equal from there on. */
function equalLength(old: Buffer, place: number, next: Buffer, at: number): number {
  const most = Math.min(old.length - place, next.length - at)
  let length = 0
  while (length < most && old[place + length] === next[at + length]) length++
  return length
}

/**
 * The next place in the old bytes that is clearly better than going on with the current one; without
 * a length at the end of the new bytes.
 */
function findMatch(
  { old, places, shift }: { old: Buffer; places: Int32Array; shift: number },
  next: Buffer,
  { scan: start, at, shift_by }: { scan: number; at: number; shift_by: number },
): Match {
  const last = next.length - PIECE
  let scan = start
  let hash = scan <= last ? hashAt(next, scan) : 0
  const skip = (count: number) => {
    if (count === 1 && scan < last) hash = nextHash(hash, next, scan)
    scan += count
    if (count > 1 && scan <= last) hash = hashAt(next, scan)
  }
  while (scan <= last) {
    const current = scan + shift_by
    const equal = current >= 0 && current < old.length ? equalLength(old, current, next, scan) : 0
    if (equal >= PIECE) {
      skip(equal)
      continue
    }
    const place = places[slotOf(hash, shift)]!
    const length = place >= 0 && place !== current ? equalLength(old, place, next, scan) : 0
    if (length < PIECE) {
      skip(1)
      continue
    }
    let back = 0
    const most = Math.min(MAX_LOOK_BACK, scan - at, place)
    while (back < most && old[place - back - 1] === next[scan - back - 1]) back++
    const match = { at: scan - back, place: place - back, length: length + back }
    if (match.length > equalBytes(old, next, match, shift_by) + BETTER_BY) return match
    // All pieces of this match lead to the same place.
    skip(length - PIECE + 1)
  }
  return { at: next.length, place: 0, length: 0 }
}

/** How many of the new bytes are equal to the old ones at the current place. */
function equalBytes(old: Buffer, next: Buffer, { at, length }: Match, shift_by: number): number {
  let count = 0
  const end = Math.min(at + length, old.length - shift_by)
  for (let i = Math.max(at, -shift_by); i < end; i++) if (old[i + shift_by] === next[i]) count++
  return count
}

/** How many bytes to copy on from the current place: as many as are equal more often than not. */
function forwards(
  old: Buffer,
  next: Buffer,
  { at, place, end }: { at: number; place: number; end: number },
): number {
  const most = Math.min(end - at, old.length - place)
  let balance = 0
  let best = 0
  let length = 0
  for (let i = 0; i < most; ) {
    balance += old[place + i] === next[at + i] ? 1 : -1
    i++
    if (balance > best) {
      best = balance
      length = i
    }
  }
  return length
}

/** The same before a match. */
function backwards(old: Buffer, next: Buffer, { at, match }: { at: number; match: Match }): number {
  const most = Math.min(match.at - at, match.place, MAX_BACKWARDS)
  let balance = 0
  let best = 0
  let length = 0
  for (let i = 1; i <= most; i++) {
    balance += old[match.place - i] === next[match.at - i] ? 1 : -1
    if (balance > best) {
      best = balance
      length = i
    }
  }
  return length
}

type Meeting = { at: number; place: number; match: Match; ahead: number; back: number }

/** Where copies from both sides overlap, they meet where the most bytes are equal. */
function withoutOverlap(
  old: Buffer,
  next: Buffer,
  { at, place, match, ahead, back }: Meeting,
): { ahead: number; back: number } {
  const first = match.at - back
  const overlap = at + ahead - first
  if (overlap <= 0) return { ahead, back }
  let balance = 0
  let best = 0
  let length = 0
  for (let i = 0; i < overlap; i++) {
    const byte = next[first + i]
    if (byte === old[place + first - at + i]) balance++
    if (byte === old[match.place - back + i]) balance--
    if (balance >= best) {
      best = balance
      length = i + 1
    }
  }
  return { ahead: ahead - overlap + length, back: back - length }
}

const { ZSTD_c_compressionLevel, ZSTD_c_windowLog } = constants

/** The lengths of the compressed streams, 32 bits each, and the streams. */
export function packDifference({ streams }: Difference, level: number): Buffer {
  const packed = streams.map((bytes) =>
    zstdCompressSync(bytes, {
      pledgedSrcSize: bytes.length,
      params: { [ZSTD_c_compressionLevel]: level, [ZSTD_c_windowLog]: 26 },
    }),
  )
  const lengths = Buffer.alloc(packed.length * LENGTH_BYTES)
  for (const [index, { length }] of packed.entries())
    lengths.writeUInt32LE(length, index * LENGTH_BYTES)
  return Buffer.concat([lengths, ...packed])
}
