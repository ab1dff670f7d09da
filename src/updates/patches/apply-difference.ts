import { constants, zstdDecompressSync } from 'node:zlib'
import { BadPatch, DIFFERENCE_STREAMS, LENGTH_BYTES, MAX_SEGMENT_BYTES } from './format.ts'

const MAX_WINDOW_LOG = 27

/** Makes the new bytes of a segment of corrections; see docs/updates.md. */
export function applyDifference(frame: Buffer, base: Buffer, size: number): Buffer {
  const [copies, inserts, moves, runs, values, inserted] = readStreams(frame)
  const corrections = new CorrectionReader(new CountReader(runs!), values!)
  const steps = new CountReader(copies!)
  const lengths = new CountReader(inserts!)
  const offsets = new CountReader(moves!)
  const made = Buffer.allocUnsafe(size)
  let at = 0
  let place = 0
  let used = 0
  while (!steps.is_at_end) {
    const copied = steps.count()
    const added = lengths.count()
    if (at + copied + added > size || place < 0 || place + copied > base.length)
      throw new BadPatch('a step leaves its files')
    base.copy(made, at, place, place + copied)
    corrections.correct(made, at, at + copied)
    if (inserted!.copy(made, at + copied, used, used + added) !== added)
      throw new BadPatch('a segment lacks bytes')
    at += copied + added
    used += added
    place += copied + offsets.offset()
  }
  if (at !== size) throw new BadPatch('a segment is shorter than it says')
  return made
}

function readStreams(frame: Buffer): Buffer[] {
  if (frame.length < DIFFERENCE_STREAMS * LENGTH_BYTES) throw new BadPatch('a segment is damaged')
  let at = DIFFERENCE_STREAMS * LENGTH_BYTES
  return Array.from({ length: DIFFERENCE_STREAMS }, (_, index) => {
    const end = at + frame.readUInt32LE(index * LENGTH_BYTES)
    const packed = frame.subarray(at, end)
    at = end
    try {
      return zstdDecompressSync(packed, {
        maxOutputLength: MAX_SEGMENT_BYTES,
        params: { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG },
      })
    } catch {
      throw new BadPatch('a segment is damaged')
    }
  })
}

/** Numbers in groups of seven bits, the lowest first. */
class CountReader {
  private at = 0
  private readonly bytes: Buffer

  constructor(bytes: Buffer) {
    this.bytes = bytes
  }

  get is_at_end(): boolean {
    return this.at === this.bytes.length
  }

  count(): number {
    let value = 0
    for (let factor = 1; factor <= MAX_SEGMENT_BYTES * 128; factor *= 128) {
      const byte = this.bytes[this.at++]
      if (byte === undefined) break
      value += (byte & 127) * factor
      if (byte < 128) return value
    }
    throw new BadPatch('a number of a segment is damaged')
  }

  offset(): number {
    const value = this.count()
    return value % 2 ? -(value + 1) / 2 : value / 2
  }
}

/** Adds corrections to copied bytes; after the last run all bytes are right as they are. */
class CorrectionReader {
  private equal = 0
  private corrected = 0
  private used = 0
  private readonly runs: CountReader
  private readonly values: Buffer

  constructor(runs: CountReader, values: Buffer) {
    this.runs = runs
    this.values = values
  }

  correct(bytes: Buffer, start: number, end: number): void {
    for (let at = start; at < end; ) {
      if (!this.equal && !this.corrected && !this.nextRun()) return
      const skipped = Math.min(this.equal, end - at)
      this.equal -= skipped
      at += skipped
      const count = Math.min(this.corrected, end - at)
      this.corrected -= count
      for (const stop = at + count; at < stop; at++)
        bytes[at] = (bytes[at]! + this.values[this.used++]!) & 255
    }
  }

  private nextRun(): boolean {
    if (this.runs.is_at_end) return false
    this.equal = this.runs.count()
    this.corrected = this.runs.count()
    if (this.used + this.corrected > this.values.length) throw new BadPatch('a segment lacks bytes')
    return true
  }
}
