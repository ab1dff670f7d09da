import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loadSnapshot, saveSnapshot } from '../../../src/catalog/search/feed/snapshot.ts'
import type { Document } from '../../../src/catalog/search/index/document.ts'
import {
  advanceMerges,
  applyChanges,
  createIndex,
  type Index,
  searchIndex,
  sizeOf,
} from '../../../src/catalog/search/index/index.ts'
import { planQuery, type SearchQuery } from '../../../src/catalog/search/query/parameters.ts'
import { fieldWeights, matchShifts } from '../../../src/catalog/search/query/ranking.ts'
import { defaultThresholds } from '../../../src/catalog/search/query/scratch.ts'
import { temporaryFolder } from '../../support/app.ts'
import { loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import { oracle } from './oracle.ts'

const RUNS = loopCount({ short: 300, full: 4000 })

// A small vocabulary of similar words, so that all kinds of matches occur.
// biome-ignore format: a table of words reads better in rows
const vocabulary = [
  'star', 'stars', 'start', 'stare', 'sart', 'Café', 'cafe', 'cafes', 'drive', 'driver', 'dive',
  'Straße', 'strasse', 'night', 'nihgt', 'a', 'ab', 'abc', '東京', '東京都', '京都', 'x2', '4x',
  'ökonom', 'okonomy', 'tower', 'defense', 'пригода', 'пригоди', '𐐷𐐶𐐴𐐻', '𐐷𐐶𐐴𐐻𐐲',
  `eins${'zwei'.repeat(9)}`,
]
const tags = ['star', 'tower-defense', 'cozy', 'night', 'sci-fi', 'x2', 'pixel-art']
const some = <T>(values: readonly T[], max: number) =>
  fc.uniqueArray(fc.constantFrom(...values), { maxLength: max })
const text = (max: number) =>
  fc.array(fc.constantFrom(...vocabulary), { maxLength: max }).map((words) => words.join(' '))
const numbered = (n: number) =>
  `00000000-0000-7000-8000-${(n * 7919).toString(16).padStart(12, '0')}`
const uid = fc.integer({ min: 0, max: 24 }).map(numbered)
const owners = ['10000000-0000-7000-8000-000000000000', '10000000-0000-7000-8000-00000000000f']
const version = fc.constantFrom('4', '4.1', '4.2', '4.2.1', '4.3', '5.0')
const engines = ['godot', 'unity', 'bevy']
const renderers = ['forward', 'mobile']
const range = fc.record({
  engine: fc.constantFrom(...engines),
  min_version: fc.option(version),
  max_version: fc.option(version),
  renderer: fc.option(fc.constantFrom(...renderers)),
})

const votes = {
  reviews: fc.constantFrom(0, 2, 3, 10, 200),
  enjoyed: fc.constantFrom(0, 2, 3, 7, 9, 180),
}
const possible = (doc: Document) => ({ ...doc, enjoyed: Math.min(doc.enjoyed, doc.reviews) })

const documents: fc.Arbitrary<Document> = fc.record({
  uid,
  owner_uid: fc.constantFrom(...owners),
  published_us: fc.integer({ min: 1_700_000_000_000_000, max: 1_700_000_000_000_006 }),
  updated_us: fc.integer({ min: 1_700_000_000_000_000, max: 1_700_000_000_000_006 }),
  name: text(3),
  tagline: text(3),
  description: text(8),
  translations: fc.dictionary(
    fc.constantFrom('de', 'pt-BR'),
    fc.record({ tagline: text(3), description: text(8) }),
    { maxKeys: 2 },
  ),
  asset_type: fc.constantFrom('game', 'mod', 'tool'),
  status: fc.constantFrom('released', 'prototype'),
  adult: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  health: fc.constantFrom('problematic', 'healthy', 'unrated'),
  genres: some(['rpg', 'horror', 'puzzle'], 2),
  tags: some(tags, 4),
  tone: some(['cozy', 'dark'], 2),
  inputs: some(['gamepad', 'touch'], 2),
  content_warnings: some(['gore', 'horror'], 1),
  ai_uses: some(['art', 'code'], 2),
  accessibility: some(['subtitles', 'mono-audio'], 2),
  languages: some(['de', 'de-AT', 'pt-BR', 'zh-Hant-TW'], 3).map((codes) =>
    codes.map((code) => ({ code })),
  ),
  session_bucket: fc.option(fc.constantFrom('15m', '1h')),
  net: fc.option(fc.constantFrom('offline', 'online')),
  authorship: fc.option(fc.constantFrom('human', 'agent_heavy')),
  license_kind: fc.option(fc.constantFrom('cc0', 'paid')),
  players_min: fc.option(fc.integer({ min: 1, max: 3 })),
  players_max: fc.option(fc.integer({ min: 3, max: 64 })),
  price_cents: fc.constantFrom(0, 500),
  sale_price_cents: fc.constantFrom(null, null, 250),
  ...votes,
  popularity: fc.constantFrom(0, 0, 1.5, 2951.25, 2951.5),
  engines: some(engines, 2),
  ranges: fc.array(range, { maxLength: 3 }),
  platforms: some(
    ['windows/x86_64', 'windows/arm64', 'linux/x86_64', 'macos/universal', 'web/wasm32'],
    3,
  ),
})
const document = documents.map(possible)

const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 3 })
const values = (known: readonly string[]) =>
  fc.array(fc.constantFrom(...known, ...known, 'nonsense', ' ', known[0]!.toUpperCase()), {
    minLength: 1,
    maxLength: 3,
  })
const seldom = <T>(value: fc.Arbitrary<T>) =>
  fc.integer({ min: 0, max: 15 }).chain((n) => (n < 1 ? value : fc.constant(undefined)))

const typed = fc.oneof(
  text(3),
  fc.constantFrom(
    'st',
    'sta',
    'strae',
    'drver',
    'ngiht',
    'caf',
    'towe',
    'xtar',
    'satr',
    'okonom',
    '東',
    '京',
    'sttar star',
    'приода',
    'приогда',
    '𐐷𐐴𐐻𐐲',
    '𐐶𐐷𐐴𐐻',
    'einszwei',
    'ab ab',
    'abcd',
  ),
)
const query: fc.Arbitrary<SearchQuery> = fc.record({
  q: maybe(typed),
  asset_type: seldom(values(['game', 'mod'])),
  genres: seldom(values(['rpg', 'horror'])),
  tags: seldom(values(tags)),
  tone: seldom(values(['cozy', 'dark'])),
  ai_uses: seldom(values(['art', 'code'])),
  accessibility: seldom(values(['subtitles', 'mono-audio'])),
  languages: seldom(values(['de', 'DE-at', 'pt', 'zh-hant', 'fr', 'not a code'])),
  session_bucket: seldom(values(['15m', '1h'])),
  net: seldom(values(['offline', 'online'])),
  authorship: seldom(values(['human', 'agent_heavy'])),
  os: seldom(values(['windows', 'linux', 'macos', 'web'])),
  arch: seldom(values(['x86_64', 'arm64', 'universal'])),
  exclude_types: seldom(values(['game', 'tool'])),
  exclude_genres: seldom(values(['rpg', 'puzzle'])),
  exclude_tone: seldom(values(['cozy', 'dark'])),
  exclude_tags: seldom(values(tags)),
  exclude_warnings: seldom(values(['gore', 'horror'])),
  exclude_ai_uses: seldom(values(['art', 'code'])),
  players: seldom(fc.constantFrom(0, 1, 2, 3, 4, 64, 65)),
  engine: seldom(values(engines)),
  engine_version: seldom(fc.oneof(version, fc.constantFrom('4.2.9', '3.9', 'latest'))),
  renderer: seldom(values(renderers)),
  license: seldom(values(['cc0', 'paid'])),
  price: seldom(values(['free', 'paid'])),
  on_sale: seldom(values(['true', 'false'])),
  max_price: seldom(fc.constantFrom(-1, 0, 249, 250, 499, 500, 1_000_000_000)),
  rating: seldom(values(['60', '70', '80', '90'])),
  owner: seldom(fc.array(fc.constantFrom(...owners), { maxLength: 2 })),
  sort: maybe(
    fc.constantFrom('relevance', 'newest', 'updated', 'popular', 'top_rated', 'name', 'other'),
  ),
  reverse: maybe(fc.boolean()),
  page: seldom(fc.constantFrom(-1, 0, 1, 2, 3, 1_000_000)),
  page_size: maybe(fc.constantFrom(0, 1, 3, 50, 500)),
})

type Step =
  | { kind: 'publish'; docs: Document[] }
  | { kind: 'hide'; uids: string[] }
  | { kind: 'search'; query: SearchQuery; adult: boolean }
  | { kind: 'merge'; slices: number }
  | { kind: 'restart' }
const search = fc.record({ kind: fc.constant('search' as const), query, adult: fc.boolean() })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('publish' as const),
      docs: fc.array(document, { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('hide' as const),
      uids: fc.array(uid, { minLength: 1, maxLength: 4 }),
    }),
  },
  { weight: 6, arbitrary: search },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('merge' as const),
      slices: fc.integer({ min: 1, max: 12 }),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ kind: 'restart' as const }) },
)

const identity = 'a database'
const position = { snapshot: '1:1:', at: new Date(0), running_since: '', timeline: '' }

// Vary the thresholds, because a small catalog would only exercise some of the code paths.
const limit = fc.constantFrom(0, 3, Number.POSITIVE_INFINITY)
const set = fc
  .record({ dense_above: limit, small_up_to: limit })
  .map(({ dense_above, small_up_to }) => ({
    dense_above: () => dense_above,
    small_up_to: () => small_up_to,
  }))
const thresholds = fc.oneof({ weight: 4, arbitrary: set }, fc.constant(defaultThresholds))
const tuning = fc.record({ max_immediate_merge: fc.constantFrom(0, 512), thresholds })

async function restarted(
  { segments, max_immediate_merge, thresholds }: Index,
  folder: string,
): Promise<Index> {
  await saveSnapshot(folder, { identity, position, due: [], segments })
  return createIndex((await loadSnapshot(folder, identity))!.segments, {
    max_immediate_merge,
    thresholds,
  })
}

function check(index: Index, docs: Document[], query: SearchQuery, adult: boolean) {
  const { total, uids, scores } = searchIndex(index, planQuery(query, adult))
  const expected = oracle(docs, query, adult)
  assert.deepEqual(
    { total, uids, scores },
    { total: expected.total, uids: expected.uids, scores: expected.scores },
  )
}

test('index searches match the oracle through edits, merges and restarts', async (t) => {
  const folder = temporaryFolder(t)
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 4, maxLength: 30 }),
      tuning,
      async (steps, tuned) => {
        let index = createIndex([], tuned)
        const truth = new Map<string, Document>()
        for (const step of steps) {
          if (step.kind === 'publish') {
            applyChanges(
              index,
              step.docs.map((doc) => ({ uid: doc.uid, doc })),
            )
            for (const doc of step.docs) truth.set(doc.uid, doc)
          } else if (step.kind === 'hide') {
            applyChanges(
              index,
              step.uids.map((uid) => ({ uid, doc: null })),
            )
            for (const uid of step.uids) truth.delete(uid)
          } else if (step.kind === 'merge')
            for (let n = 0; n < step.slices; n++) advanceMerges(index, 0)
          else if (step.kind === 'restart') index = await restarted(index, folder)
          else check(index, [...truth.values()], step.query, step.adult)
          assert.equal(sizeOf(index), truth.size)
        }
      },
    ),
    { numRuns: RUNS },
  )
})

/** A catalog in two segments, and the searches to run on it. */
const largeCatalog = (min: number, max: number) => {
  const docs = fc
    .array(document, { minLength: min, maxLength: max })
    .map((docs) => docs.map((doc, n) => ({ ...doc, uid: numbered(n) })))
  return fc.property(
    docs,
    fc.array(search, { minLength: 12, maxLength: 12 }),
    tuning,
    (docs, searches, tuned) => {
      const index = createIndex([], tuned)
      for (const part of [docs.slice(0, 40), docs.slice(40)])
        applyChanges(
          index,
          part.map((doc) => ({ uid: doc.uid, doc })),
        )
      for (const { query, adult } of searches) check(index, docs, query, adult)
    },
  )
}

test('results beyond one page match the oracle in large catalogs', () => {
  fc.assert(largeCatalog(65, 160), { numRuns: RUNS / 20 })
  fc.assert(largeCatalog(350, 600), { numRuns: RUNS / 100 })
})

test('suggestions leave out rare completions where there are many', () => {
  const [sample] = fc.sample(document, { numRuns: 1, seed: 1 })
  const docs = Array.from({ length: 35_000 }, (_, n) => {
    const letters = Array.from(String(n).padStart(5, '0'), (digit) => 'abcdefghij'[Number(digit)])
    const rare = `st${letters.join('')}x st${letters.join('')}y`
    const more = n < 20 ? 'stone' : n === 20 ? 'st' : ''
    const texts = { name: `${rare} ${more}`, tagline: '', description: '', translations: {} }
    return { ...sample!, ...texts, uid: numbered(n), adult: false, tags: [] }
  })
  const index = createIndex()
  applyChanges(
    index,
    docs.map((doc) => ({ uid: doc.uid, doc })),
  )
  const plan = planQuery({ q: 'st' }, false)
  assert.equal(searchIndex(index, plan).total, docs.length)
  // 70,000 postings of rare words are more than are read; the word itself always counts.
  assert.equal(searchIndex(index, { ...plan, only_frequent_completions: true }).total, 21)
  const narrower = { ...planQuery({ q: 'stb' }, false), only_frequent_completions: true }
  assert.equal(searchIndex(index, narrower).total, 10_000)
})

test('every field weight stays above zero after every shift', () => {
  // With a weight of zero, a listing that contains the word would count as one that does not.
  for (const weight of Object.values(fieldWeights))
    for (const shift of Object.values(matchShifts))
      assert.ok(weight >> shift > 0 || weight === fieldWeights.description_times)
})
