import type { Bits } from './bitset.ts'

/**
 * The lists of a segment: distances between slots, in words each followed by the weight there. Every loop over them is here, and spells the reading of a distance
 * out instead of calling for it: these are where a search spends its time, and each stays one small loop over whole numbers.
 */
type Lists = { postings: Uint8Array; posting_offsets: Uint32Array }

/** Writes one posting and answers where the next begins. A weight below zero is none. */
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

/** A distance takes at most four bytes, as long as there are fewer than 2^28 slots. */
export const MAX_POSTING_BYTES = 5

/** The slots of a word and its weights there; answers how many. */
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

/** The slots of a key; answers how many. */
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

/** Marks the slots of a key. */
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

/** How many slots of a key are marked. */
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

/** Adds so much at each slot of a key, and keeps the greatest sum of each word of bits. */
export function addAtKey(
  { postings, posting_offsets }: Lists,
  term: number,
  much: number,
  sums: Uint16Array,
  most: Uint16Array,
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
    const sum = sums[slot]! + much
    sums[slot] = sum
    if (most[slot >>> 5]! < sum) most[slot >>> 5] = sum
  }
}

/** Marks the slots of a word. The weights there, shifted, stay where they are greater than what there was; `most` has the greatest of each word of bits. */
export function scatterWord(
  { postings, posting_offsets }: Lists,
  term: number,
  less: number,
  bits: Bits,
  weights: Uint8Array,
  most: Uint8Array,
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
    const weight = postings[at++]! >> less
    const w = slot >>> 5
    bits[w]! |= 1 << (slot & 31)
    if (weights[slot]! < weight) weights[slot] = weight
    if (most[w]! < weight) most[w] = weight
  }
}

/** Marks the slots of a word, and writes its weights down in their order and the greatest of each word of bits. */
export function readDense(
  { postings, posting_offsets }: Lists,
  term: number,
  bits: Bits,
  weights: Uint8Array,
  most: Uint8Array,
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
    if (most[w]! < weight) most[w] = weight
  }
}

/** As `scatterWord`, but only at slots that are marked already. */
export function scatterWordMarked(
  { postings, posting_offsets }: Lists,
  term: number,
  less: number,
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
    const weight = postings[at++]! >> less
    if ((marks[slot >>> 5]! >>> (slot & 31)) & 1 && weights[slot]! < weight) weights[slot] = weight
  }
}

/** Whether a slot of a word stands in `some`, and not in the row of `rows` that begins there, if one does. */
export function hasVisiblePosting(
  { postings, posting_offsets }: Lists,
  term: number,
  some: Bits,
  rows: Bits,
  row_at: number | undefined,
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
    const out = row_at === undefined ? 0 : rows[row_at + w]!
    if (((some[w]! & ~out) >>> (slot & 31)) & 1) return true
  }
  return false
}
