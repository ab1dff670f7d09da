// Content-defined chunks, as in FastCDC: a chunk ends where a rolling hash of the last 32 bytes
// has zeros at the bits of a mask. Bytes that are inserted or removed move the boundaries of the
// chunks they touch, and no others. Where chunks end is part of the protocol between the uploader
// and the service: changing the table, the masks or the sizes below makes old signatures useless.
// No imports: the uploader bundles this file.

export interface ChunkSizes {
  // A chunk is never shorter, except the last.
  min: number
  // Around this length the condition for a boundary becomes weaker. A power of two.
  average: number
  // A chunk is never longer.
  max: number
}

export const chunkSizes: ChunkSizes = { min: 2 * 1024, average: 8 * 1024, max: 64 * 1024 }

// How many bits stricter the mask is before the average length, and weaker after it.
const NORMALIZATION = 2

// 256 random numbers that never change (splitmix32 from a fixed seed).
const gear = (() => {
  const table = new Int32Array(256)
  let state = 0x51_1b_8a_47
  for (let index = 0; index < table.length; index++) {
    state = (state + 0x9e_37_79_b9) | 0
    let mixed = state ^ (state >>> 16)
    mixed = Math.imul(mixed, 0x21_f0_aa_ad)
    mixed ^= mixed >>> 15
    mixed = Math.imul(mixed, 0x73_5a_2d_97)
    table[index] = mixed ^ (mixed >>> 15)
  }
  return table
})()

// The high bits of the hash depend on the most bytes.
const highBits = (count: number) => (-1 << (32 - count)) | 0

export interface ChunkBoundaries {
  /**
   * Reads `data` from `from` to the end of the current chunk: the index after its last byte, or -1
   * if the chunk goes on after `data`. Call it again with that index for the next chunk.
   */
  next(data: Uint8Array, from?: number): number
}

/**
 * Finds the ends of chunks in a stream of bytes. It keeps the position in the current chunk and
 * the rolling hash, and no bytes: memory does not grow with the input.
 */
export function chunkBoundaries(sizes: ChunkSizes = chunkSizes): ChunkBoundaries {
  const bits = Math.round(Math.log2(sizes.average))
  const strict = highBits(bits + NORMALIZATION)
  const weak = highBits(bits - NORMALIZATION)
  let length = 0
  let rolling = 0

  function cut(end: number): number {
    length = 0
    rolling = 0
    return end
  }

  return {
    next(data, from = 0) {
      const start = from - length
      const skip = start + sizes.min
      const middle = Math.min(data.length, start + sizes.average)
      const end = Math.min(data.length, start + sizes.max)
      let hash = rolling
      // The hash covers 32 bytes, so it is the same whether or not it has seen those before them.
      let index = Math.max(from, skip - 32)
      for (; index < skip && index < end; index++) {
        hash = ((hash << 1) + (gear[data[index] as number] as number)) | 0
      }
      for (; index < middle; index++) {
        hash = ((hash << 1) + (gear[data[index] as number] as number)) | 0
        if ((hash & strict) === 0) return cut(index + 1)
      }
      for (; index < end; index++) {
        hash = ((hash << 1) + (gear[data[index] as number] as number)) | 0
        if ((hash & weak) === 0) return cut(index + 1)
      }
      if (end === start + sizes.max) return cut(end)
      rolling = hash
      length = data.length - start
      return -1
    },
  }
}

/** The lengths of the chunks of bytes that are in memory. */
export function chunkLengths(data: Uint8Array, sizes: ChunkSizes = chunkSizes): number[] {
  const boundaries = chunkBoundaries(sizes)
  const lengths: number[] = []
  let from = 0
  while (from < data.length) {
    const end = boundaries.next(data, from)
    const next = end < 0 ? data.length : end
    lengths.push(next - from)
    from = next
  }
  return lengths
}

/** The chunks of a stream, one after the other. Holds at most one chunk that is not complete. */
export async function* chunksOf(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  sizes: ChunkSizes = chunkSizes,
): AsyncGenerator<Uint8Array> {
  const boundaries = chunkBoundaries(sizes)
  let parts: Uint8Array[] = []
  for await (const data of source) {
    let from = 0
    while (from < data.length) {
      const end = boundaries.next(data, from)
      parts.push(data.subarray(from, end < 0 ? data.length : end))
      if (end < 0) break
      yield joined(parts)
      parts = []
      from = end
    }
  }
  if (parts.length > 0) yield joined(parts)
}

function joined(parts: Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0] as Uint8Array
  const whole = new Uint8Array(parts.reduce((total, part) => total + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
