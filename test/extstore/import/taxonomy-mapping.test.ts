import assert from 'node:assert/strict'
import { test } from 'node:test'
import fixtures from '../../../sim/extstore-fixtures.json' with { type: 'json' }
import { nameTags, readTagNames, readTagWeights } from '../../../src/extstore/client/store-page.ts'
import type { TargetState } from '../../../src/extstore/import/mapping.ts'
import {
  categoryMeanings,
  categoryMeaningsByName,
  descriptorMeanings,
  genreMeanings,
  genreTags,
  inputTags,
  ratingWords,
  toneTags,
  warningTags,
} from '../../../src/extstore/import/mapping-tables.ts'
import { guessSession, slugsOf } from '../../../src/extstore/import/taxonomy-mapping.ts'
import { contentWarnings, genres, inputs, tones } from '../../../src/listings/fields/fields.ts'
import { checkTaxonomy } from '../../../src/listings/fields/taxonomy.ts'
import { map, note, reason, tagged, value } from './mapping-fixtures.ts'

test('the mapping tables are complete and use only existing values', () => {
  const count = (table: object) => Object.values(table).flat().length
  assert.deepEqual(
    [
      Object.keys(genreMeanings).length,
      Object.keys(categoryMeanings).length,
      Object.keys(descriptorMeanings).length,
    ],
    [29, 31, 4],
  )
  assert.deepEqual(
    [count(genreTags), count(toneTags), count(inputTags), count(warningTags)],
    [158, 31, 5, 12],
  )
  for (const genre of Object.keys(genreTags))
    assert.ok(
      genres.some((name) => name === genre),
      genre,
    )
  for (const tone of Object.keys(toneTags))
    assert.ok(
      tones.some((name) => name === tone),
      tone,
    )
  for (const input of Object.keys(inputTags))
    assert.ok(
      inputs.some((name) => name === input),
      input,
    )
  assert.deepEqual(Object.keys(ratingWords).toSorted(), [...contentWarnings].toSorted())
  const all = [genreMeanings, categoryMeanings, categoryMeaningsByName, descriptorMeanings].flatMap(
    (table) => Object.values(table),
  )
  for (const { genres: g = [], tags = [], inputs: i = [], content_warnings = [] } of all) {
    const filled = tags.length ? { tags: [...tags, 'a', 'b'] } : {}
    checkTaxonomy(
      { genres: g, inputs: i, content_warnings, ...filled },
      { players_min: null, players_max: null },
    )
  }
  for (const slug of Object.values(genreTags).flat())
    assert.deepEqual(slugsOf(tagged(slug)), [slug])
})

test('converts tag names to slugs', () => {
  const pairs = {
    "Beat 'em up": 'beat-em-up',
    'Point & Click': 'point-click',
    'Action RPG': 'action-rpg',
    '4X': '4x',
    '1990’s': '1990s',
    'Café Society': 'cafe-society',
    'Rogue-like': 'rogue-like',
  }
  for (const [name, slug] of Object.entries(pairs)) assert.deepEqual(slugsOf(tagged(name)), [slug])
  for (const bad of ['', '!!!', '日本語']) assert.deepEqual(slugsOf(tagged(bad)), [])
  assert.deepEqual(slugsOf(tagged('Action', 'ACTION', '!!', 'Indie')), ['action', 'indie'])
})

test('maps genres from specific tags, then broad tags, then store genres, at most three', () => {
  assert.deepEqual(value(map({}, { tags: tagged('Action', 'Metroidvania', 'Indie') }).genres), [
    'platformer',
    'action',
  ])
  assert.deepEqual(
    value(map({}, { tags: tagged('Roguelike Deckbuilder', 'Survival Horror') }).genres),
    ['card', 'roguelike', 'horror'],
  )
  assert.deepEqual(
    value(
      map({
        genres: [
          { id: '25', description: 'Adventure' },
          { id: '3', description: 'RPG' },
        ],
      }).genres,
    ),
    ['adventure', 'rpg'],
  )
  assert.deepEqual(value(map({ genres: [{ id: 1, description: 'Action' }] }).genres), ['action'])
  assert.match(
    reason(map({ genres: [{ id: '23' }, { id: '999' }, { id: 'constructor' }] }).genres)!,
    /no genre/,
  )
})

test('maps tags by weight, at most 20, and adds genres and categories if fewer than three', () => {
  const many = Array.from({ length: 25 }, (_, i) => `Tag ${i}`)
  assert.deepEqual(
    value(map({}, { tags: tagged(...many) }).tags),
    many.slice(0, 20).map((name) => name.toLowerCase().replace(' ', '-')),
  )
  assert.deepEqual(value(map({}, { tags: tagged('Cozy', 'Farming Sim', 'Cats') }).tags), [
    'cozy',
    'farming-sim',
    'cats',
  ])
  assert.deepEqual(value(map({}, { tags: tagged('Cats') }).tags), [
    'cats',
    'action',
    'indie',
    'single-player',
    'online-co-op',
  ])
  const workshop = {
    categories: [
      { id: 30, description: 'A Workshop' },
      { id: 22, description: 'Achievements' },
    ],
    genres: [{ id: '23', description: 'Indie' }],
  }
  assert.deepEqual(value(map(workshop, { tags: tagged('Cats') }).tags), [
    'cats',
    'indie',
    'moddable',
  ])
  assert.match(
    reason(map({ genres: [], categories: [] }, { tags: tagged('Cats', 'Dogs') }).tags)!,
    /fewer than 3/,
  )
  assert.match(reason(map({}, { tags: null }).tags)!, /Sync again later/)
})

test('a tag that is too long still maps to a genre', () => {
  const fields = map(
    { genres: [] },
    { tags: tagged('Music-Based Procedural Generation', 'Cats', 'Dogs', 'Birds') },
  )
  assert.deepEqual(value(fields.genres), ['rhythm'])
  assert.deepEqual(value(fields.tags), ['cats', 'dogs', 'birds'])
})

test('reads weights and names of tags and ignores invalid entries', () => {
  const weights = readTagWeights(fixtures['GetItems.v1'].body, 1234560)!
  const names = readTagNames(fixtures['GetTagList.v1'].body)!
  assert.deepEqual(nameTags(weights, names), [
    { name: 'Platformer', weight: 310 },
    { name: 'Indie', weight: 220 },
    { name: 'Relaxing', weight: 150 },
  ])
  assert.equal(readTagWeights(fixtures['GetItems.v1'].body, 1), undefined)
  for (const bad of [
    {},
    { response: null },
    { response: { store_items: 'x' } },
    { response: { store_items: [{ appid: 1 }] } },
  ])
    assert.equal(readTagWeights(bad as any, 1), undefined)
  const odd = [
    { tagid: 'x', weight: 1 },
    null,
    { tagid: 2, weight: 'heavy' },
    { tagid: 3, weight: 5 },
    { weight: 5 },
  ]
  assert.deepEqual(
    [...readTagWeights({ response: { store_items: [{ appid: 1, tags: odd }] } }, 1)!],
    [
      [2, 0],
      [3, 5],
    ],
  )
  assert.equal(readTagNames({ response: {} }), undefined)
  assert.deepEqual(
    [...readTagNames({ response: { tags: [{ tagid: 1, name: 5 }, { tagid: 2, name: 'b' }, 7] } })!],
    [[2, 'b']],
  )
})

test('maps tone from tags, at most three', () => {
  assert.deepEqual(value(map({}, { tags: tagged('Noir', 'Comedy', 'Cozy', 'Thriller') }).tone), [
    'dark',
    'funny',
    'cozy',
  ])
  assert.match(reason(map({}, { tags: tagged('Cats') }).tone)!, /mood/)
})

test('maps inputs, with keyboard and mouse unless the page is VR only', () => {
  const categories = (...ids: number[]) => ({
    categories: ids.map((id) => ({ id, description: 'x' })),
    controller_support: undefined,
  })
  assert.deepEqual(value(map(categories()).inputs), ['keyboard_mouse'])
  assert.deepEqual(value(map(categories(28)).inputs), ['keyboard_mouse', 'gamepad'])
  assert.deepEqual(value(map({ categories: [], controller_support: 'partial' }).inputs), [
    'keyboard_mouse',
    'gamepad',
  ])
  assert.deepEqual(value(map(categories(54)).inputs), ['vr'])
  assert.deepEqual(value(map(categories(53, 52)).inputs), ['keyboard_mouse', 'vr', 'motion'])
  assert.deepEqual(
    value(
      map({ categories: [{ id: 71, description: 'Touch Only Option' }], controller_support: 5 })
        .inputs,
    ),
    ['keyboard_mouse', 'touch'],
  )
  assert.deepEqual(value(map(categories(), { tags: tagged('Controller') }).inputs), [
    'keyboard_mouse',
    'gamepad',
  ])
})

test('maps players and network from single-player, local and online categories', () => {
  const of = (ids: number[], present: Partial<TargetState> = {}, more = {}) => {
    const fields = map(
      { categories: ids.map((id) => ({ id, description: 'x' })), ...more },
      { present },
    )
    return [fields.players_min, fields.players_max, fields.net].map(value)
  }
  assert.deepEqual(of([2]), [1, 1, 'offline'])
  assert.deepEqual(of([2, 38]), [1, 4, 'online'])
  assert.deepEqual(of([36]), [2, 4, 'online'])
  assert.deepEqual(of([2, 24]), [1, 4, 'local'])
  assert.deepEqual(of([24, 36]), [2, 4, 'local_online'])
  assert.deepEqual(of([1]), [2, 4, 'online'])
  assert.deepEqual(of([20]), [2, 64, 'online'])
  assert.deepEqual(of([2], {}, { genres: [{ id: '29' }] }), [1, 64, 'online'])
  // The store does not state the number of players, so an existing plausible number stays.
  assert.deepEqual(of([2, 38], { players_max: 12 }), [1, 12, 'online'])
  assert.deepEqual(of([2, 38], { players_max: 1 }), [1, 4, 'online'])
  assert.deepEqual(of([2], { players_max: 12 }), [1, 1, 'offline'])
  const unknown = map({ categories: [{ id: 22, description: 'x' }] })
  for (const field of ['players_min', 'players_max', 'net'] as const)
    assert.match(reason(unknown[field])!, /single-player or multiplayer/)
  assert.match(note(map().players_max)!, /4 is assumed/)
  assert.match(note(map({}, { present: { players_max: 9 } }).players_max)!, /Your value is kept/)
})

test('guesses the session length with a note, and never replaces a value', () => {
  assert.deepEqual(
    [
      guessSession(['puzzle']),
      guessSession(['rpg', 'puzzle']),
      guessSession(['sandbox']),
      guessSession(['horror']),
      guessSession([]),
    ],
    ['15m', '3h', 'endless', '1h', '1h'],
  )
  assert.match(note(map().session_bucket)!, /guess/)
  assert.match(
    reason(map({}, { present: { session_bucket: '3h' } }).session_bucket)!,
    /Your value is kept/,
  )
})
