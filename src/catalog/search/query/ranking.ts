import type { Document } from '../index/document.ts'
import { tokenize } from './tokenize.ts'

/**
 * How much a word of a field contributes to the score of a listing. A field outweighs all lesser
 * fields together, and the sum fits into one byte.
 */
export const fieldWeights = {
  name: 96,
  whole_name: 64,
  tag: 48,
  tagline: 24,
  description: 4,
  /** Repetitions of a word in the description beyond this number do not count. */
  description_times: 3,
} as const

/**
 * How many bits a weight is shifted right by. A term that only begins with the typed word counts
 * half, a term one edit away a quarter. The least weight stays above zero.
 */
export const matchShifts = { exact: 0, prefix: 1, fuzzy: 2 } as const

/** A listing that has a tag of the filter scores as if the tag had been a word of the query. */
export const TAG_SCORE = fieldWeights.tag

/** Added to every listing without launch problems. It is greater than any sum of weights. */
export const HEALTH_BOOST = 65_536

/** The words of a listing, each with its weight there. */
export function impactsOf(doc: Document): Map<string, number> {
  const impacts = new Map<string, number>()
  const add = (word: string, weight: number) => impacts.set(word, (impacts.get(word) ?? 0) + weight)
  const name = tokenize(doc.name)
  for (const word of new Set(name))
    add(word, fieldWeights.name + Math.floor(fieldWeights.whole_name / name.length))
  for (const word of new Set(doc.tags.flatMap(tokenize))) add(word, fieldWeights.tag)
  // A word counts once for the texts of all languages, so that the sum fits into one byte.
  const texts = [doc, ...Object.values(doc.translations)]
  for (const word of new Set(texts.flatMap(({ tagline }) => tokenize(tagline))))
    add(word, fieldWeights.tagline)
  const times = new Map<string, number>()
  for (const word of texts.flatMap(({ description }) => tokenize(description)))
    times.set(word, (times.get(word) ?? 0) + 1)
  for (const [word, count] of times)
    add(word, fieldWeights.description * Math.min(count, fieldWeights.description_times))
  return impacts
}
