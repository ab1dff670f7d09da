import { covers, parseVersion } from '../../listings/versions.ts'
import { andInto, andNotInto, type Bits, has, lowest, wordsFor } from './bits.ts'
import { ADULT, keys, type Range, readRangeKey } from './document.ts'
import { type Plan, TAG_SCORE } from './plan.ts'
import { readWord, type Segment, termOf, termsFrom, termText, toBytes } from './segment.ts'
import type { Hit } from './terms.ts'

/** Room to work in, as large as the largest segment; one search at a time uses it. */
export type Scratch = {
  size: number
  /** Who is left. */
  match: Bits
  other: Bits
  /** What the last word weighs, and what all words and tags score, by slot: of those who are left. */
  weights: Uint8Array
  scores: Uint16Array
}

export function createScratch(size: number): Scratch {
  const words = wordsFor(size)
  return {
    size,
    match: new Uint32Array(words),
    other: new Uint32Array(words),
    weights: new Uint8Array(size),
    scores: new Uint16Array(size),
  }
}

/** Leaves in `match` the slots that every filter of the plan lets through. */
export function filter(segment: Segment, plan: Plan, scratch: Scratch) {
  const words = wordsFor(segment.size)
  const { match, other } = scratch
  match.set(segment.live)
  if (!plan.adult) andNotRow(segment, ADULT, match, words)
  for (const group of plan.include) {
    other.fill(0, 0, words)
    for (const row of group) orRow(segment, row, other, words)
    andInto(match, other, words)
  }
  for (const row of plan.exclude) andNotRow(segment, row, match, words)
  if (plan.tags.length) {
    other.fill(0, 0, words)
    for (const tag of plan.tags) mark(segment, keys.tag(tag), scratch)
    andInto(match, other, words)
  }
  if (plan.exclude_tags.length) {
    other.fill(0, 0, words)
    for (const tag of plan.exclude_tags) mark(segment, keys.tag(tag), scratch)
    andNotInto(match, other, words)
  }
  if (plan.owners.length) {
    other.fill(0, 0, words)
    for (const uid of plan.owners) mark(segment, keys.owner(uid), scratch)
    andInto(match, other, words)
  }
  if (plan.editors) {
    other.fill(0, 0, words)
    for (const minor of plan.editors) mark(segment, keys.editor(minor), scratch)
    andInto(match, other, words)
  }
  filterEngines(segment, plan, scratch)
}

/** Made with it or declaring it; asked for a version or renderer, only declarations count, and one of them must cover all that is asked. */
function filterEngines(segment: Segment, plan: Plan, scratch: Scratch) {
  const { engines, engine_version, renderers } = plan
  const words = wordsFor(segment.size)
  if (!engines.length && engine_version === null && !renderers.length) return
  scratch.other.fill(0, 0, words)
  if (engine_version === null && !renderers.length) for (const engine of engines) mark(segment, keys.engine(engine), scratch)
  else for (const start of engines.length ? engines.map(keys.rangesOf) : [keys.ranges]) markRanges(segment, start, plan, scratch)
  andInto(scratch.match, scratch.other, words)
}

function markRanges(segment: Segment, start: string, { engine_version, renderers }: Plan, scratch: Scratch) {
  const version = engine_version === null ? null : parseVersion(engine_version)
  const [from, end] = termsFrom(segment, toBytes(start))
  const covered = new Map<string, boolean>()
  for (let term = from; term < end; term++) {
    const range = rangeOf(segment, term)
    if (renderers.length && range.renderer !== null && !renderers.includes(range.renderer)) continue
    // Many listings and engines declare the same ends.
    const ends = `${range.min_version} ${range.max_version}`
    if (version && !covered.has(ends)) covered.set(ends, covers(range, version))
    if (!version || covered.get(ends)) markTerm(segment, term, scratch)
  }
}

/** Ranges are read from their keys once for each segment. */
const rangesRead = new WeakMap<Segment, Map<number, Range>>()

function rangeOf(segment: Segment, term: number): Range {
  const read = rangesRead.get(segment) ?? new Map<number, Range>()
  rangesRead.set(segment, read)
  const range = read.get(term) ?? readRangeKey(termText(segment, term))
  read.set(term, range)
  return range
}

function mark(segment: Segment, key: string, scratch: Scratch) {
  const term = termOf(segment, key)
  if (term >= 0) markTerm(segment, term, scratch)
}

function markTerm({ post, post_at }: Segment, term: number, { other }: Scratch) {
  const end = post_at[term + 1]!
  let at = post_at[term]!
  let slot = -1
  while (at < end) {
    let byte = post[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = post[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    other[slot >>> 5]! |= 1 << (slot & 31)
  }
}

function orRow({ rows }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! |= rows[at + w]!
}

function andNotRow({ rows }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! &= ~rows[at + w]!
}

/**
 * Leaves in `match` only what holds every word. What it scores is in `weights` if a single word is all there is to score by (then this
 * answers true), else in `scores`.
 */
export function score(segment: Segment, plan: Plan, hits: Hit[][], scratch: Scratch): boolean {
  const { match, other, scores } = scratch
  const words = wordsFor(segment.size)
  const order = hits.toSorted((a, b) => postings(segment, a) - postings(segment, b))
  const by_weight = hits.length === 1 && !plan.tags.length
  if (!by_weight) scores.fill(0, 0, segment.size)
  for (const word of order) {
    gather(segment, word, scratch)
    andInto(match, other, words)
    if (!by_weight) addWeights(words, scratch)
  }
  for (const tag of plan.tags) addTag(segment, tag, scratch)
  return by_weight
}

/** The part of a segment up to which what a word finds is looked at one by one, instead of by rows of bits. */
const FEW = 1 / 512
const MOST_IN_SMALL = 4

/** Whether a search is for one rare word, and by nothing that only lists of slots know. */
export function isSparse(segment: Segment, plan: Plan, hits: Hit[][]): boolean {
  const { tags, exclude_tags, owners, engines, engine_version, renderers, editors, facets } = plan
  if (hits.length !== 1 || engine_version !== null || editors || facets.length) return false
  if (tags.length || exclude_tags.length || owners.length || engines.length || renderers.length) return false
  return hits[0]!.length < 64 && postings(segment, hits[0]!) <= Math.max(MOST_IN_SMALL, segment.size * FEW)
}

/** Who of the few that hold the word passes the filters, in the order of slots, and what it weighs there. */
export function sparse(segment: Segment, plan: Plan, hits: readonly Hit[]): { slot: number; weight: number }[] {
  const best = new Map<number, number>()
  const slots = new Uint32Array(postings(segment, hits))
  const weights = new Uint8Array(slots.length)
  for (const { term, shift } of hits) {
    const n = readWord(segment, term, slots, weights)
    for (let i = 0; i < n; i++) best.set(slots[i]!, Math.max(best.get(slots[i]!) ?? 0, weights[i]! >> shift))
  }
  return [...best]
    .filter(([slot]) => passes(segment, plan, slot))
    .map(([slot, weight]) => ({ slot, weight }))
    .sort((a, b) => a.slot - b.slot)
}

function passes({ live, rows, size }: Segment, { adult, include, exclude }: Plan, slot: number): boolean {
  const words = wordsFor(size)
  const stands = (row: number) => ((rows[row * words + (slot >>> 5)]! >>> (slot & 31)) & 1) === 1
  return has(live, slot) && (adult || !stands(ADULT)) && include.every((group) => group.some(stands)) && !exclude.some(stands)
}

const postings = ({ counts }: Segment, hits: readonly Hit[]) => hits.reduce((sum, { term }) => sum + counts[term]!, 0)

/** Of several words that stand for one, the one that weighs most counts. Leaves in `other` who has any, and in `weights` how much. */
function gather(segment: Segment, hits: Hit[], scratch: Scratch) {
  const { counts, size } = segment
  scratch.other.fill(0, 0, wordsFor(size))
  const largest = hits.reduce<Hit | undefined>((a, b) => (a && counts[a.term]! >= counts[b.term]! ? a : b), undefined)
  if (largest) layWord(segment, largest, scratch)
  for (const hit of hits) if (hit !== largest) overlayWord(segment, hit, scratch)
}

/** The first one, on empty ground. */
function layWord({ post, post_at }: Segment, { term, shift: less }: Hit, { other, weights }: Scratch) {
  const end = post_at[term + 1]!
  let at = post_at[term]!
  let slot = -1
  while (at < end) {
    let byte = post[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = post[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    weights[slot] = post[at++]! >> less
    other[slot >>> 5]! |= 1 << (slot & 31)
  }
}

function overlayWord({ post, post_at }: Segment, { term, shift: less }: Hit, { other, weights }: Scratch) {
  const end = post_at[term + 1]!
  let at = post_at[term]!
  let slot = -1
  while (at < end) {
    let byte = post[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = post[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    const weight = post[at++]! >> less
    const bit = 1 << (slot & 31)
    if ((other[slot >>> 5]! & bit) === 0 || weights[slot]! < weight) weights[slot] = weight
    other[slot >>> 5]! |= bit
  }
}

function addWeights(words: number, { match, weights, scores }: Scratch) {
  for (let w = 0; w < words; w++)
    for (let word = match[w]!; word !== 0; word &= word - 1) {
      const slot = (w << 5) + lowest(word)
      scores[slot]! += weights[slot]!
    }
}

function addTag(segment: Segment, tag: string, { scores }: Scratch) {
  const term = termOf(segment, keys.tag(tag))
  if (term < 0) return
  const { post, post_at } = segment
  const end = post_at[term + 1]!
  let at = post_at[term]!
  let slot = -1
  while (at < end) {
    let byte = post[at++]!
    let distance = byte & 127
    for (let shift = 7; byte > 127; shift += 7) {
      byte = post[at++]!
      distance |= (byte & 127) << shift
    }
    slot += distance
    scores[slot]! += TAG_SCORE
  }
}
