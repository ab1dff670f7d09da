import { covers, parseVersion } from '../../listings/versions.ts'
import { andInto, andNotInto, type Bits, has, lowest, wordsFor } from './bits.ts'
import { ADULT, keys, readRangeKey } from './document.ts'
import { type Plan, TAG_SCORE } from './plan.ts'
import { readKey, readWord, type Segment, termOf, termsFrom, termText, toBytes } from './segment.ts'
import type { Hit } from './terms.ts'

/** Room to work in, as large as the largest segment; one search at a time uses it. */
export type Scratch = {
  size: number
  match: Bits
  other: Bits
  slots: Uint32Array
  weights: Uint8Array
  sums: Uint8Array
  /** Who is left, in the order of slots, and what they have scored. */
  found: Uint32Array
  scores: Uint16Array
}

export function createScratch(size: number): Scratch {
  return {
    size,
    match: new Uint32Array(wordsFor(size)),
    other: new Uint32Array(wordsFor(size)),
    slots: new Uint32Array(size),
    weights: new Uint8Array(size),
    sums: new Uint8Array(size),
    found: new Uint32Array(size),
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
  for (let term = from; term < end; term++) {
    const range = readRangeKey(termText(segment, term))
    const drawn = !renderers.length || range.renderer === null || renderers.includes(range.renderer)
    if (drawn && (!version || covers(range, version))) markTerm(segment, term, scratch)
  }
}

function mark(segment: Segment, key: string, scratch: Scratch) {
  const term = termOf(segment, key)
  if (term >= 0) markTerm(segment, term, scratch)
}

function markTerm(segment: Segment, term: number, { other, slots }: Scratch) {
  const n = readKey(segment, term, slots)
  for (let i = 0; i < n; i++) other[slots[i]! >>> 5]! |= 1 << (slots[i]! & 31)
}

function orRow({ rows }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! |= rows[at + w]!
}

function andNotRow({ rows }: Segment, row: number, bits: Bits, words: number) {
  const at = row * words
  for (let w = 0; w < words; w++) bits[w]! &= ~rows[at + w]!
}

/** Of what is in `match`, what holds every word, with what it scores; answers how many. */
export function score(segment: Segment, plan: Plan, hits: Hit[][], scratch: Scratch): number {
  const order = hits.toSorted((a, b) => postings(segment, a) - postings(segment, b))
  let n = order.length ? firstWord(segment, order[0]!, scratch) : everything(segment, scratch)
  for (const word of order.slice(1)) n = nextWord(segment, word, scratch, n)
  for (const tag of plan.tags) addTag(segment, tag, scratch, n)
  return n
}

const postings = ({ counts }: Segment, hits: Hit[]) => hits.reduce((sum, { term }) => sum + counts[term]!, 0)

function everything({ size }: Segment, { match, found, scores }: Scratch): number {
  let n = 0
  for (let w = 0; w < wordsFor(size); w++) for (let word = match[w]!; word !== 0; word &= word - 1) found[n++] = (w << 5) + lowest(word)
  scores.fill(0, 0, n)
  return n
}

function firstWord(segment: Segment, hits: Hit[], scratch: Scratch): number {
  const { match, slots, weights, found, scores } = scratch
  if (hits.length !== 1) return spread(segment, hits, scratch)
  const { term, shift } = hits[0]!
  const all = readWord(segment, term, slots, weights)
  let n = 0
  for (let i = 0; i < all; i++) {
    const slot = slots[i]!
    if (((match[slot >>> 5]! >>> (slot & 31)) & 1) === 0) continue
    found[n] = slot
    scores[n++] = weights[i]! >> shift
  }
  return n
}

/** Of several words that stand for one, the one that weighs most counts. Leaves the weights by slot in `sums`, and in `other` who has one. */
function gather(segment: Segment, hits: Hit[], { other, slots, weights, sums }: Scratch) {
  other.fill(0, 0, wordsFor(segment.size))
  for (const { term, shift } of hits) {
    const all = readWord(segment, term, slots, weights)
    for (let i = 0; i < all; i++) {
      const slot = slots[i]!
      const weight = weights[i]! >> shift
      const bit = 1 << (slot & 31)
      if ((other[slot >>> 5]! & bit) === 0) {
        other[slot >>> 5]! |= bit
        sums[slot] = weight
      } else if (sums[slot]! < weight) sums[slot] = weight
    }
  }
}

function spread(segment: Segment, hits: Hit[], scratch: Scratch): number {
  const { match, other, sums, found, scores } = scratch
  gather(segment, hits, scratch)
  let n = 0
  for (let w = 0; w < wordsFor(segment.size); w++)
    for (let word = match[w]! & other[w]!; word !== 0; word &= word - 1) {
      const slot = (w << 5) + lowest(word)
      found[n] = slot
      scores[n++] = sums[slot]!
    }
  return n
}

function nextWord(segment: Segment, hits: Hit[], scratch: Scratch, before: number): number {
  const { slots, weights, found, scores, other, sums } = scratch
  let n = 0
  if (hits.length === 1) {
    const { term, shift } = hits[0]!
    const all = readWord(segment, term, slots, weights)
    for (let i = 0, j = 0; i < before; i++) {
      while (j < all && slots[j]! < found[i]!) j++
      if (j === all) break
      if (slots[j] !== found[i]) continue
      scores[n] = scores[i]! + (weights[j]! >> shift)
      found[n++] = found[i]!
    }
    return n
  }
  gather(segment, hits, scratch)
  for (let i = 0; i < before; i++) {
    const slot = found[i]!
    if (!has(other, slot)) continue
    scores[n] = scores[i]! + sums[slot]!
    found[n++] = slot
  }
  return n
}

function addTag(segment: Segment, tag: string, { slots, found, scores }: Scratch, n: number) {
  const term = termOf(segment, keys.tag(tag))
  const all = term < 0 ? 0 : readKey(segment, term, slots)
  for (let i = 0, j = 0; i < n && j < all; i++) {
    while (j < all && slots[j]! < found[i]!) j++
    if (slots[j] === found[i] && j < all) scores[i]! += TAG_SCORE
  }
}
