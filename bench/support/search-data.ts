import type { Document } from '../../src/catalog/search/index/document.ts'
import { facetNames, type SearchQuery } from '../../src/catalog/search/query/parameters.ts'
import {
  assetTypes,
  authorships,
  contentWarnings,
  genres,
  inputs,
  nets,
  sessionBuckets,
  tones,
  valuesOf,
} from '../../src/listings/fields/fields.ts'

/** A realistic catalog with words and tags by Zipf's law, the same for the same seed. */
export type Random = () => number

export function random(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
  }
}

const syllables = (
  'ba be bi bo bu ka ke ki ko ku ra re ri ro ru sta ste sto mi mo mu la le li lo ' +
  'na ne no pa pe po ta te ti to tra tro vi vo za'
).split(' ')
const WORDS = 60_000
const TAGS = 3_000

/** The word of a rank. Common words are short, as in any language. */
export function word(rank: number): string {
  let text = ''
  for (let rest = rank + syllables.length; rest > 0; rest = Math.floor(rest / syllables.length))
    text += syllables[(rest * 17 + 5) % syllables.length]
  return text
}

const words = Array.from({ length: WORDS }, (_, rank) => word(rank))
const tags = Array.from({ length: TAGS }, (_, rank) =>
  rank % 3 ? word(rank * 7) : `${word(rank)}-${word(rank * 3 + 1)}`,
)

/** A rank by Zipf's law with a slightly heavier tail, by inverting the cumulative sum. */
function zipf(size: number) {
  const sums = new Float64Array(size)
  let sum = 0
  for (let rank = 0; rank < size; rank++) sums[rank] = sum += 1 / (rank + 2.7)
  return (chance: number) => {
    const target = chance * sum
    let low = 0
    let high = size - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (sums[middle]! < target) low = middle + 1
      else high = middle
    }
    return low
  }
}
const wordRank = zipf(WORDS)
const tagRank = zipf(TAGS)

const engines = ['godot', 'unity', 'bevy', 'love', 'defold', 'phaser', 'pygame', 'raylib']
const renderers = ['forward-plus', 'mobile', 'compatibility']
const platforms = [
  'windows/x86_64',
  'linux/x86_64',
  'macos/universal',
  'macos/arm64',
  'windows/arm64',
  'android/arm64',
  'web/wasm32',
]
const licenses = ['cc0', 'cc-by', 'cc-by-sa', 'paid', 'source-available', 'proprietary']
const START = Date.UTC(2020, 0, 1) * 1000

const pick = <T>(next: Random, values: readonly T[]): T =>
  values[Math.floor(next() * values.length)]!
const several = <T>(next: Random, values: readonly T[], max: number): T[] => [
  ...new Set(Array.from({ length: Math.floor(next() * (max + 1)) }, () => pick(next, values))),
]
const text = (next: Random, count: number) =>
  Array.from({ length: count }, () => words[wordRank(next())]!).join(' ')

export const uidOf = (n: number) => {
  const hex = (0x0190_0000_0000 + n).toString(16).padStart(12, '0')
  const hash = ((n * 2654435761) % 2 ** 32).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${hash}`
}
export const ownerOf = (n: number) => uidOf(100_000_000 + (n % 100_000))

/** Of a fifth of the listings; not random, so that the other fields stay as they were. */
const votes = (n: number) => {
  const reviews = n % 5 ? 0 : (n * 31) % 400
  return { reviews, enjoyed: Math.floor((reviews * ((n * 17) % 100)) / 100) }
}

export function listing(n: number): Document {
  const next = random(n * 7919 + 1)
  const players_min = 1 + Math.floor(next() * 2)
  return {
    uid: uidOf(n),
    owner_uid: ownerOf(n),
    translations: {},
    // Roughly in the order of creation, because drafts are published later.
    published_us: START + n * 150_000_000 + Math.floor(next() * 3_600_000_000),
    updated_us: START + n * 150_000_000 + Math.floor(next() * 7 * 86_400_000_000),
    name: text(next, 2 + Math.floor(next() * 3)),
    tagline: text(next, 8),
    description: text(next, 30 + Math.floor(next() * 30)),
    asset_type: next() < 0.7 ? 'game' : pick(next, assetTypes),
    status: 'released',
    adult: next() < 0.03,
    health:
      next() < 0.05 ? 'problematic' : pick(next, ['excellent', 'healthy', 'mixed', 'unrated']),
    genres: [...new Set([pick(next, genres), ...several(next, genres, 2)])],
    tags: [
      ...new Set(Array.from({ length: 4 + Math.floor(next() * 6) }, () => tags[tagRank(next())]!)),
    ],
    tone: several(next, tones, 3),
    languages: [],
    accessibility: [],
    inputs: several(next, inputs, 2),
    content_warnings: several(next, contentWarnings, 2),
    ai_uses: next() < 0.3 ? several(next, valuesOf('ai_uses'), 2) : [],
    session_bucket: pick(next, sessionBuckets),
    net: pick(next, nets),
    authorship: next() < 0.5 ? pick(next, authorships) : null,
    license_kind: next() < 0.3 ? pick(next, licenses) : null,
    players_min,
    players_max: players_min + Math.floor(next() ** 3 * 16),
    price_cents: next() < 0.6 ? 0 : 999,
    ...votes(n),
    popularity: n % 3 ? 2900 + ((n * 7919) % 100_000) / 1000 : 0,
    engines: next() < 0.8 ? [pick(next, engines)] : [],
    ranges: next() < 0.25 ? [range(next)] : [],
    platforms: [
      ...new Set(
        Array.from(
          { length: 1 + Math.floor(next() * 2) },
          () => platforms[Math.floor(next() ** 2 * platforms.length)]!,
        ),
      ),
    ],
  }
}

function range(next: Random) {
  const minor = Math.floor(next() * 6)
  const max = minor + Math.floor(next() * 4)
  return {
    engine: pick(next, engines),
    min_version: next() < 0.8 ? `4.${minor}` : null,
    max_version: next() < 0.6 ? `4.${max}` : null,
    renderer: next() < 0.5 ? pick(next, renderers) : null,
  }
}

const wordBetween = (next: Random, from: number, end: number) =>
  word(from + Math.floor(next() * (end - from)))
const twoWords = (next: Random, from: number, end: number) =>
  `${wordBetween(next, from, end)} ${wordBetween(next, from, end)}`
const commonTag = (next: Random, max: number) => tags[Math.floor(next() * max)]!

/** The query shapes of the benchmark, with different words each time. */
export const shapes: Record<string, (next: Random) => SearchQuery> = {
  'rare word': (next) => ({ q: wordBetween(next, 30_000, 60_000) }),
  'less common word': (next) => ({ q: wordBetween(next, 1_000, 3_000) }),
  'common word': (next) => ({ q: wordBetween(next, 40, 120) }),
  'very common word': (next) => ({ q: wordBetween(next, 0, 8) }),
  'two words': (next) => ({ q: twoWords(next, 200, 2_000) }),
  'two common words': (next) => ({ q: twoWords(next, 0, 30) }),
  // Two letters away from a word, so that the fuzzy search is tried in full.
  'no hit': (next) => ({ q: `${wordBetween(next, 0, 60_000)}qq` }),
  'three tags': (next) => ({ tags: Array.from({ length: 3 }, () => commonTag(next, 200)) }),
  'three filters with exclusion': (next) => ({
    genres: [pick(next, genres)],
    session_bucket: [pick(next, sessionBuckets)],
    exclude_tags: [commonTag(next, 50)],
    exclude_warnings: ['gore'],
  }),
  'word with filters': (next) => ({
    q: wordBetween(next, 40, 400),
    asset_type: ['game'],
    os: ['linux'],
    tone: [pick(next, tones)],
  }),
  'players with os and arch': (next) => ({
    players: 1 + Math.floor(next() * 4),
    os: [pick(next, ['windows', 'linux'])],
    arch: ['x86_64'],
  }),
  'engine with version and renderer': (next) => ({
    engine: [pick(next, engines)],
    engine_version: `4.${Math.floor(next() * 6)}`,
    renderer: [pick(next, renderers)],
  }),
  'browse page 1': () => ({}),
  'browse page 50': () => ({ page: 50 }),
  newest: () => ({ sort: 'newest' }),
}

const facetsWithoutTags = facetNames.filter((facet) => facet !== 'tags')
/** The queries of the browse page, with facet counts. */
export const browsing: Record<string, (next: Random) => SearchQuery> = {
  'browse with facet counts': () => ({ facets: facetsWithoutTags }),
  'word with facet counts': (next) => ({
    q: wordBetween(next, 40, 400),
    facets: facetsWithoutTags,
  }),
  'browse with tag counts': () => ({ facets: ['tags'] }),
}
