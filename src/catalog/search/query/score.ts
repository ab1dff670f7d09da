import { andInto, type Bits, orInto, wordsFor } from '../index/bitset.ts'
import { type Dense, denseOf, weightAt } from '../index/dense-postings.ts'
import { keys } from '../index/document.ts'
import { addAtKey, scatterWord } from '../index/postings.ts'
import { type Segment, termOf } from '../index/segment.ts'
import type { QueryPlan } from './plan.ts'
import { TAG_SCORE } from './ranking.ts'
import type { Scratch, WordWeights } from './scratch.ts'
import type { TermMatch } from './terms.ts'

/** What stands for one word that was typed: of all that stand for it, the one that weighs most at a slot counts there. */
type Part = { dense: { list: Dense; shift: number }[]; laid: WordWeights | undefined }

/** Where scores come from. They are summed up only where somebody asks. */
export type Scores = {
  parts: Part[]
  /** Tags that many have, and what the others come to, by slot. */
  tags: Bits[]
  sums: Uint16Array | undefined
  /** For each word of bits, what no score within it exceeds. */
  bounds: Uint16Array
}

/** Leaves in `match` only what holds every word. */
export function score(
  segment: Segment,
  plan: QueryPlan,
  hits: readonly TermMatch[][],
  scratch: Scratch,
): Scores {
  const words = wordsFor(segment.size)
  const { bounds, match, other } = scratch
  bounds.fill(0, 0, words)
  const parts = hits.map((word, i) => {
    other.fill(0, 0, words)
    const part = gather(segment, word, i, scratch)
    andInto(match, other, words)
    addBounds(part, scratch, words)
    return part
  })
  return { parts, ...scoreTags(segment, plan, scratch), bounds }
}

/** Leaves in `other` who has any of the words. */
function gather(
  segment: Segment,
  hits: readonly TermMatch[],
  place: number,
  scratch: Scratch,
): Part {
  const words = wordsFor(segment.size)
  const part: Part = { dense: [], laid: undefined }
  for (const { term, shift } of hits) {
    const list = denseOf(segment, term, scratch)
    if (list) {
      orInto(scratch.other, list.bits, words)
      part.dense.push({ list, shift })
    } else {
      part.laid ??= scratch.lay(place, segment.size)
      scatterWord(segment, term, shift, scratch.other, part.laid.weights, part.laid.most)
    }
  }
  return part
}

function addBounds({ dense, laid }: Part, { bounds, most }: Scratch, words: number) {
  most.fill(0, 0, words)
  if (laid) raise(most, laid.most, 0, words)
  for (const { list, shift } of dense) raise(most, list.most, shift, words)
  for (let w = 0; w < words; w++) bounds[w]! += most[w]!
}

function raise(most: Uint8Array, other: Uint8Array, shift: number, words: number) {
  for (let w = 0; w < words; w++) {
    const weight = other[w]! >> shift
    if (most[w]! < weight) most[w] = weight
  }
}

/** So many tags are looked up where a score is asked for; of more, it is quicker to write down the sums. */
const LOOKED_UP = 6

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
    const list = term < 0 || tags.length === LOOKED_UP ? undefined : denseOf(segment, term, scratch)
    if (list) tags.push(list.bits)
    else if (term >= 0) rarer.push(term)
  }
  for (const bits of tags)
    for (let w = 0; w < words; w++) if (bits[w] !== 0) scratch.bounds[w]! += TAG_SCORE
  if (!rarer.length) return { tags, sums: undefined }
  const { sums, most } = scratch.sum(segment.size)
  for (const term of rarer) addAtKey(segment, term, TAG_SCORE, sums, most)
  for (let w = 0; w < words; w++) scratch.bounds[w]! += most[w]!
  return { tags, sums }
}

/** The score of a slot that matches, given as a word of bits and a bit of it. */
export function scoreAt({ parts, tags, sums }: Scores, w: number, bit: number): number {
  const slot = (w << 5) + bit
  let score = sums === undefined ? 0 : sums[slot]!
  for (let i = 0; i < tags.length; i++) score += ((tags[i]![w]! >>> bit) & 1) * TAG_SCORE
  for (let i = 0; i < parts.length; i++) score += partAt(parts[i]!, w, bit)
  return score
}

function partAt({ dense, laid }: Part, w: number, bit: number): number {
  let most = laid === undefined ? 0 : laid.weights[(w << 5) + bit]!
  for (let i = 0; i < dense.length; i++) {
    const weight = weightAt(dense[i]!.list, w, bit) >> dense[i]!.shift
    if (most < weight) most = weight
  }
  return most
}
