import { andInto, type Bits, orInto, wordsFor } from '../index/bitset.ts'
import { type DensePostings, denseOf, weightAt } from '../index/dense-postings.ts'
import { keys } from '../index/document.ts'
import { addAtKey, scatterWord } from '../index/postings.ts'
import { type Segment, termOf } from '../index/segment.ts'
import type { QueryPlan } from './plan.ts'
import { TAG_SCORE } from './ranking.ts'
import type { Scratch, WordWeights } from './scratch.ts'
import type { TermMatch } from './terms.ts'

/** The postings of all terms that match one typed word. At each slot the greatest weight counts. */
type WordPostings = {
  dense: { list: DensePostings; shift: number }[]
  sparse: WordWeights | undefined
}

/** What scores are computed from. A score is summed up only for slots that may reach the page. */
export type Scores = {
  words_postings: WordPostings[]
  /** Bitmaps of frequent tags; the summed scores of all others are in `sums`, by slot. */
  tags: Bits[]
  sums: Uint16Array | undefined
  /** An upper bound of the scores within each block. */
  bounds: Uint16Array
}

/** Narrows `scratch.match` to the slots that contain every word. */
export function score(
  segment: Segment,
  plan: QueryPlan,
  matches: readonly TermMatch[][],
  scratch: Scratch,
): Scores {
  const words = wordsFor(segment.size)
  const { bounds, match, temp } = scratch
  bounds.fill(0, 0, words)
  const words_postings = matches.map((word, i) => {
    temp.fill(0, 0, words)
    const part = gatherPostings(segment, word, i, scratch)
    andInto(match, temp, words)
    addBounds(part, scratch, words)
    return part
  })
  return { words_postings, ...scoreTags(segment, plan, scratch), bounds }
}

/** The slots that contain every word, as bits of their own. */
export function slotsWithWords(
  segment: Segment,
  matches: readonly TermMatch[][],
  scratch: Scratch,
): Bits {
  const words = wordsFor(segment.size)
  const slots: Bits = segment.live.slice(0, words)
  matches.forEach((word, i) => {
    scratch.temp.fill(0, 0, words)
    gatherPostings(segment, word, i, scratch)
    andInto(slots, scratch.temp, words)
  })
  return slots
}

/** Sets `scratch.temp` to the slots that contain any of the terms. */
function gatherPostings(
  segment: Segment,
  matches: readonly TermMatch[],
  word_index: number,
  scratch: Scratch,
): WordPostings {
  const words = wordsFor(segment.size)
  const part: WordPostings = { dense: [], sparse: undefined }
  for (const { term, shift } of matches) {
    const list = denseOf(segment, term, scratch)
    if (list) {
      orInto(scratch.temp, list.bits, words)
      part.dense.push({ list, shift })
    } else {
      part.sparse ??= scratch.wordWeights(word_index, segment.size)
      scatterWord(segment, term, shift, scratch.temp, part.sparse.weights, part.sparse.block_max)
    }
  }
  return part
}

function addBounds({ dense, sparse }: WordPostings, { bounds, block_max }: Scratch, words: number) {
  block_max.fill(0, 0, words)
  if (sparse) raiseBlockMax(block_max, sparse.block_max, 0, words)
  for (const { list, shift } of dense) raiseBlockMax(block_max, list.block_max, shift, words)
  for (let w = 0; w < words; w++) bounds[w]! += block_max[w]!
}

function raiseBlockMax(block_max: Uint8Array, temp: Uint8Array, shift: number, words: number) {
  for (let w = 0; w < words; w++) {
    const weight = temp[w]! >> shift
    if (block_max[w]! < weight) block_max[w] = weight
  }
}

/** Up to this many tags are looked up for each score; for more, it is faster to add up sums. */
const MAX_DENSE_TAGS = 6

function scoreTags(
  segment: Segment,
  plan: QueryPlan,
  scratch: Scratch,
): Pick<Scores, 'tags' | 'sums'> {
  const words = wordsFor(segment.size)
  const tags: Bits[] = []
  const rarer: number[] = []
  for (const tag of plan.tags) {
    const term = termOf(segment, keys.tag(tag))
    const list =
      term < 0 || tags.length === MAX_DENSE_TAGS ? undefined : denseOf(segment, term, scratch)
    if (list) tags.push(list.bits)
    else if (term >= 0) rarer.push(term)
  }
  for (const bits of tags)
    for (let w = 0; w < words; w++) if (bits[w] !== 0) scratch.bounds[w]! += TAG_SCORE
  if (!rarer.length) return { tags, sums: undefined }
  const { sums, block_max } = scratch.tagSums(segment.size)
  for (const term of rarer) addAtKey(segment, term, TAG_SCORE, sums, block_max)
  for (let w = 0; w < words; w++) scratch.bounds[w]! += block_max[w]!
  return { tags, sums }
}

/** The score of a matching slot, given by block and bit. */
export function scoreAt({ words_postings, tags, sums }: Scores, w: number, bit: number): number {
  const slot = (w << 5) + bit
  let score = sums === undefined ? 0 : sums[slot]!
  for (let i = 0; i < tags.length; i++) score += ((tags[i]![w]! >>> bit) & 1) * TAG_SCORE
  for (let i = 0; i < words_postings.length; i++)
    score += weightOfWordAt(words_postings[i]!, w, bit)
  return score
}

function weightOfWordAt({ dense, sparse }: WordPostings, w: number, bit: number): number {
  let block_max = sparse === undefined ? 0 : sparse.weights[(w << 5) + bit]!
  for (let i = 0; i < dense.length; i++) {
    const weight = weightAt(dense[i]!.list, w, bit) >> dense[i]!.shift
    if (block_max < weight) block_max = weight
  }
  return block_max
}
