import type { Bits } from './bitset.ts'

/**
 * The posting lists of a segment: slots as variable-length deltas, in lists of words each followed
 * by the weight. All loops over them are in this file, and each decodes deltas inline instead of
 * calling a function: a search spends its time here, and V8 compiles small integer loops best. For
 * the same reason they take plain parameters, however many, and no options object.
 */
type Lists = { postings: Uint8Array; posting_offsets: Uint32Array }

/** Writes one posting and returns the offset of the next. A negative weight is not written. */
export function writePosting(
  postings: Uint8Array,
  at: number,
  distance: number,
  weight: number,
): number {
  let rest = distance
  let end = at
  while (rest > 127) {
    postings[end++] = (rest & 127) | 128
    rest >>>= 7
  }
  postings[end++] = rest
  if (weight >= 0) postings[end++] = weight
  return end
}

/** A delta takes at most four bytes as long as there are fewer than 2^28 slots. */
export const MAX_POSTING_BYTES = 5

/** Reads the slots and weights of a word; returns how many. */
export function readWord(
  { postings, posting_offsets }: Lists,
  term: number,
  slots: Uint32Array,
  weights: Uint8Array,
): number {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  let n = 0
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    slots[n] = slot
    weights[n++] = postings[at++]!
  }
  return n
}

/** Reads the slots of a key; returns how many. */
export function readKey(
  { postings, posting_offsets }: Lists,
  term: number,
  slots: Uint32Array,
): number {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  let n = 0
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    slots[n++] = slot
  }
  return n
}

/** Sets the bits of the slots of a key. */
export function markKey({ postings, posting_offsets }: Lists, term: number, bits: Bits) {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    bits[slot >>> 5]! |= 1 << (slot & 31)
  }
}

/** How many slots of a key are set in `bits`. */
export function countMarked(
  { postings, posting_offsets }: Lists,
  term: number,
  bits: Bits,
): number {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  let n = 0
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    n += (bits[slot >>> 5]! >>> (slot & 31)) & 1
  }
  return n
}

/** Adds an amount at each slot of a key and keeps the greatest sum of each block. */
export function addAtKey(
  { postings, posting_offsets }: Lists,
  term: number,
  amount: number,
  sums: Uint16Array,
  block_max: Uint16Array,
) {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    const sum = sums[slot]! + amount
    sums[slot] = sum
    if (block_max[slot >>> 5]! < sum) block_max[slot >>> 5] = sum
  }
}

/**
 * Sets the bits of the slots of a word. Where its shifted weight exceeds the weight so far, it
 * replaces it; `block_max` keeps the greatest weight of each block.
 */
export function scatterWord(
  { postings, posting_offsets }: Lists,
  term: number,
  weight_shift: number,
  bits: Bits,
  weights: Uint8Array,
  block_max: Uint8Array,
) {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    const weight = postings[at++]! >> weight_shift
    const w = slot >>> 5
    bits[w]! |= 1 << (slot & 31)
    if (weights[slot]! < weight) weights[slot] = weight
    if (block_max[w]! < weight) block_max[w] = weight
  }
}

/**
 * Sets the bits of the slots of a word, and writes its weights in slot order and the greatest
 * weight of each block.
 */
export function readDense(
  { postings, posting_offsets }: Lists,
  term: number,
  bits: Bits,
  weights: Uint8Array,
  block_max: Uint8Array,
) {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  let n = 0
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    const weight = postings[at++]!
    const w = slot >>> 5
    weights[n++] = weight
    bits[w]! |= 1 << (slot & 31)
    if (block_max[w]! < weight) block_max[w] = weight
  }
}

/** Like `scatterWord`, but only at slots whose bits are set. */
export function scatterWordMarked(
  { postings, posting_offsets }: Lists,
  term: number,
  weight_shift: number,
  marks: Bits,
  weights: Uint8Array,
) {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    const weight = postings[at++]! >> weight_shift
    if ((marks[slot >>> 5]! >>> (slot & 31)) & 1 && weights[slot]! < weight) weights[slot] = weight
  }
}

/**
 * Whether any slot of a word is in `accepted` and not in the bitmap at `rejected_offset`, if given.
 */
export function hasVisiblePosting(
  { postings, posting_offsets }: Lists,
  term: number,
  accepted: Bits,
  bitmaps: Bits,
  rejected_offset: number | undefined,
): boolean {
  const end = posting_offsets[term + 1]!
  let at = posting_offsets[term]!
  let slot = -1
  while (at < end) {
    let byte = postings[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = postings[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    at++
    const w = slot >>> 5
    const rejected = rejected_offset === undefined ? 0 : bitmaps[rejected_offset + w]!
    if (((accepted[w]! & ~rejected) >>> (slot & 31)) & 1) return true
  }
  return false
}
