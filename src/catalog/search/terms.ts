import { has } from './bits.ts'
import { ADULT, shifts } from './document.ts'
import { MIN_PREFIX, MIN_TYPO, type Plan } from './plan.ts'
import { lowerBound, type Segment, startsWith, termOf, termsFrom, termText, toBytes } from './segment.ts'

/** A word of the dictionary that stands for one that was typed; `shift` is what its weight loses. */
export type Hit = { term: number; shift: number }

/** For each word and each segment, what it finds there. A word that nobody may see anywhere is looked for once more with one letter off. */
export function resolveWords(segments: readonly Segment[], { words, adult }: Plan): Hit[][][] {
  return words.map((word, i) => {
    const as_prefix = i === words.length - 1
    const direct = segments.map((segment) => hitsOf(segment, word, as_prefix))
    const seen = segments.some((segment, s) => direct[s]!.some(({ term }) => anyVisible(segment, term, adult)))
    return seen || letters(word) < MIN_TYPO ? direct : segments.map((segment) => nearHits(segment, word))
  })
}

const letters = (word: string) => [...word].length

function hitsOf(segment: Segment, word: string, as_prefix: boolean): Hit[] {
  if (!as_prefix || letters(word) < MIN_PREFIX) {
    const term = termOf(segment, word)
    return term < 0 ? [] : [{ term, shift: shifts.exact }]
  }
  const start = toBytes(word)
  const [from, end] = termsFrom(segment, start)
  const hits: Hit[] = []
  for (let term = from; term < end; term++) {
    const exact = segment.term_at[term + 1]! - segment.term_at[term]! === start.length
    hits.push({ term, shift: exact ? shifts.exact : shifts.prefix })
  }
  return hits
}

function anyVisible({ post, post_at, live, rows, size }: Segment, term: number, adult: boolean): boolean {
  const words = (size + 31) >>> 5
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
    at++
    if (has(live, slot) && (adult || ((rows[ADULT * words + (slot >>> 5)]! >>> (slot & 31)) & 1) === 0)) return true
  }
  return false
}

/**
 * The words one edit away, the first letter kept: a letter too many, one missing, one wrong, or two neighbours swapped. For every place the
 * dictionary itself says which letters can stand there, so that this costs the same in every script.
 */
function nearHits(segment: Segment, word: string): Hit[] {
  const typed = [...word]
  const found = new Set<number>()
  const take = (text: string) => {
    const term = termOf(segment, text)
    if (term >= 0) found.add(term)
  }
  for (let i = 1; i <= typed.length; i++) {
    const before = typed.slice(0, i).join('')
    const rest = typed.slice(i)
    // No word begins so, and hence none that is right up to here.
    const [from, end] = termsFrom(segment, toBytes(before))
    if (from === end) break
    for (const letter of nextLetters(segment, before)) {
      take(before + letter + rest.join(''))
      if (rest.length) take(before + letter + rest.slice(1).join(''))
    }
    if (rest.length) take(before + rest.slice(1).join(''))
    if (rest.length > 1) take(before + rest[1] + rest[0] + rest.slice(2).join(''))
  }
  return [...found].map((term) => ({ term, shift: shifts.typo }))
}

function nextLetters(segment: Segment, before: string): string[] {
  const start = toBytes(before)
  const found: string[] = []
  for (let term = lowerBound(segment, start); term < segment.counts.length && startsWith(segment, term, start); ) {
    const letter = [...termText(segment, term).slice(before.length)][0]
    if (letter === undefined) term++
    else {
      found.push(letter)
      term = lowerBound(segment, Uint8Array.from([...toBytes(before + letter), 0xff]), term)
    }
  }
  return found
}
