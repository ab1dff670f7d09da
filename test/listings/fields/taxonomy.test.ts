import assert from 'node:assert/strict'
import test from 'node:test'
import * as words from '../../../src/listings/fields/fields.ts'
import { listingFields } from '../../../src/listings/fields/table.ts'
import { checkTaxonomy, normalizeTag, type Players } from '../../../src/listings/fields/taxonomy.ts'
import { fc } from '../../support/property.ts'
import { anyCharacter, letters, refused, unlessRefused, wide } from '../refused.ts'

const none: Players = { players_min: null, players_max: null }
const check = (patch: Record<string, unknown>, current: Players = none) =>
  checkTaxonomy(patch, current)
const refusedHere = (field: string, patch: Record<string, unknown>, current: Players = none) =>
  refused('INVALID_TAXONOMY', field, () => check(patch, current))
const many = (count: number) => Array.from({ length: count }, (_, n) => `tag-${n}`)

test('the lists are exactly those in sections 1.2 and 1.3 of docs/interface.md', () => {
  assert.deepEqual(words.assetTypes, [
    'game',
    'application',
    'tool',
    'mod',
    'plugin',
    'game_asset',
    'dev_asset',
  ])
  assert.deepEqual(words.visibilities, ['draft', 'owner', 'invisible', 'public'])
  assert.deepEqual(words.statuses, ['released', 'development', 'prototype'])
  assert.equal(
    words.genres.join(', '),
    'action, adventure, arcade, card, casual, fighting, horror, idle, management, platformer, ' +
      'puzzle, racing, rhythm, roguelike, rpg, sandbox, shooter, simulation, sports, stealth, ' +
      'strategy, survival, tower-defense, visual-novel, educational, tool, utility, other',
  )
  assert.equal(
    words.tones.join(', '),
    'cozy, dark, funny, relaxing, tense, wholesome, weird, serious, chaotic',
  )
  assert.equal(words.inputs.join(', '), 'keyboard_mouse, gamepad, touch, vr, motion')
  assert.equal(
    words.contentWarnings.join(', '),
    'violence, gore, sexual, nudity, language, drugs, gambling, horror, flashing_lights',
  )
  assert.equal(words.sessionBuckets.join(', '), '15m, 1h, 3h, endless')
  assert.equal(words.nets.join(', '), 'offline, local, online, local_online')
  assert.deepEqual(listingFields.authorship.values, {
    human: 'Made by people',
    human_agent: 'People with AI agents',
    agent_heavy: 'Mostly AI agents',
  })
  assert.equal(words.valuesOf('ai_uses').join(', '), 'art, audio, code, text, voice, runtime')
  assert.equal(
    words.valuesOf('accessibility').join(', '),
    'subtitles, remappable-controls, colorblind-safe, screen-reader, one-handed, no-flashing, ' +
      'adjustable-difficulty, adjustable-text-size, mono-audio, pause-anytime',
  )
})

const listFields = [
  { field: 'genres', of: words.genres, max: 3 },
  { field: 'tone', of: words.tones, max: 3 },
  { field: 'inputs', of: words.inputs, max: 5 },
  { field: 'content_warnings', of: words.contentWarnings, max: 9 },
  { field: 'ai_uses', of: words.valuesOf('ai_uses'), max: 6 },
  { field: 'accessibility', of: words.valuesOf('accessibility'), max: 10 },
] as const

for (const { field, of, max } of listFields) {
  test(`${field} accepts up to ${max} different values and preserves their order`, () => {
    for (const value of of) assert.deepEqual(check({ [field]: [value] }), { [field]: [value] })
    const most = of.slice(0, max).reverse()
    assert.deepEqual(check({ [field]: most }), { [field]: most })
    assert.deepEqual(check({ [field]: [...most, most[0]] }), { [field]: most })
    assert.deepEqual(check({ [field]: [] }), { [field]: [] })
    if (of.length > max) refusedHere(field, { [field]: of.slice(0, max + 1) })
  })

  test(`${field} rejects a value outside its list and names it`, () => {
    const refusal = refusedHere(field, { [field]: [of[0], 'sparkly'] })
    assert.match(refusal.message, /"sparkly" is not one of /)
    assert.deepEqual([refusal.code, refusal.status], [4071, 422])
    for (const value of [of[0]!.toUpperCase(), ` ${of[0]}`, '', 5, null, {}])
      refusedHere(field, { [field]: [value] })
    for (const value of [of[0], null, {}, 1]) refusedHere(field, { [field]: value })
  })
}

const choiceFields = [
  { field: 'session_bucket', of: words.sessionBuckets },
  { field: 'net', of: words.nets },
  { field: 'authorship', of: words.authorships },
] as const

for (const { field, of } of choiceFields) {
  test(`${field} accepts one value of its list, or null to clear it`, () => {
    for (const value of of) assert.deepEqual(check({ [field]: value }), { [field]: value })
    assert.deepEqual(check({ [field]: null }), { [field]: null })
    for (const value of ['sparkly', '', of[0]!.toUpperCase(), [of[0]], 5, true])
      refusedHere(field, { [field]: value })
  })
}

test('tags become lowercase slugs, with single dashes for spaces and underscores', () => {
  const samples = {
    'Turn Based': 'turn-based',
    turn_based: 'turn-based',
    ' Co-Op ': 'co-op',
    '\tx\n': 'x',
    'a _- b': 'a-b',
    _x_: 'x',
    '2D': '2d',
  }
  for (const [text, tag] of Object.entries(samples)) assert.equal(normalizeTag(text), tag)
  for (const text of ['', ' ', '-', '___', 'café', 'c++', 'a/b', 'a.b', 'a\nb', 'a\tb', '日本'])
    assert.equal(normalizeTag(text), null)
})

test('a tag has at most 32 characters after normalization', () => {
  assert.equal(normalizeTag(letters(32)), letters(32))
  assert.equal(normalizeTag(letters(33)), null)
  assert.equal(normalizeTag(`${letters(16)}    ${letters(15)}`)?.length, 32)
  assert.equal(normalizeTag(`${letters(16)}    ${letters(16)}`), null)
})

test('property: normalizing a tag is idempotent and gives a slug or nothing', () => {
  const near = fc.string({
    unit: fc.constantFrom('a', 'B', '9', ' ', '_', '-', 'é'),
    maxLength: 40,
  })
  fc.assert(
    fc.property(fc.oneof(near, fc.string({ unit: anyCharacter })), (text) => {
      const tag = normalizeTag(text)
      if (tag === null) return
      assert.match(tag, /^[a-z0-9]+(-[a-z0-9]+)*$/)
      assert.ok(tag.length <= 32)
      assert.equal(normalizeTag(tag), tag)
    }),
  )
})

test('a listing has 3 to 20 different tags, or none', () => {
  for (const count of [0, 3, 20])
    assert.deepEqual(check({ tags: many(count) }), { tags: many(count) })
  for (const count of [1, 2, 21]) refusedHere('tags', { tags: many(count) })
  assert.deepEqual(check({ tags: [...many(20), 'Tag 3', 'tag_4'] }), { tags: many(20) })
  refusedHere('tags', { tags: ['one', 'One', 'two', ' two'] })
})

test('the error names a tag that cannot become a slug', () => {
  assert.match(refusedHere('tags', { tags: ['one', 'two', 'drei!'] }).message, /"drei!"/)
  for (const tags of [['one', 'two', 3], ['one', 'two', null], 'one,two,three', null, { 0: 'one' }])
    refusedHere('tags', { tags })
})

test('engines are up to 5 slugs of any name', () => {
  const five = ['a', 'my-engine', '4x', letters(32), 'e-']
  assert.deepEqual(check({ engines: five }), { engines: five })
  assert.deepEqual(check({ engines: [...five, 'a'] }), { engines: five })
  assert.deepEqual(check({ engines: [] }), { engines: [] })
  refusedHere('engines', { engines: [...five, 'six'] })
  for (const engine of ['', '-a', 'My', 'a b', letters(33), 1, null])
    refusedHere('engines', { engines: [engine] })
})

for (const field of ['players_min', 'players_max']) {
  test(`${field} is a whole number from 1 to 64, or null to clear it`, () => {
    for (const value of [1, 2, 63, 64, null])
      assert.deepEqual(check({ [field]: value }), { [field]: value })
    for (const value of [
      0,
      65,
      -1,
      1.5,
      '4',
      '',
      Number.NaN,
      Number.POSITIVE_INFINITY,
      true,
      [],
      {},
    ])
      refusedHere(field, { [field]: value })
  })
}

test('rejects players_min above players_max, whichever was set first', () => {
  assert.deepEqual(check({ players_min: 4, players_max: 4 }), { players_min: 4, players_max: 4 })
  refusedHere('players_min', { players_min: 5, players_max: 4 })
  check({ players_min: 4 }, { players_min: 1, players_max: 4 })
  refusedHere('players_min', { players_min: 5 }, { players_min: 1, players_max: 4 })
  check({ players_max: 2 }, { players_min: 2, players_max: 4 })
  refusedHere('players_min', { players_max: 1 }, { players_min: 2, players_max: 4 })
  check({ players_min: 60, players_max: null }, { players_min: 1, players_max: 4 })
  check({ players_min: null, players_max: 1 }, { players_min: 2, players_max: 4 })
})

test('authorship_credit is one line of up to 120 characters; empty or null clears it', () => {
  assert.deepEqual(check({ authorship_credit: wide(120) }), { authorship_credit: wide(120) })
  assert.deepEqual(check({ authorship_credit: ' Ann & Bo ' }), { authorship_credit: 'Ann & Bo' })
  for (const value of ['', '  ', null])
    assert.deepEqual(check({ authorship_credit: value }), { authorship_credit: null })
  for (const value of [letters(121), wide(121), 'a\nb', 'a\0', 5, []])
    refusedHere('authorship_credit', { authorship_credit: value })
})

test('leaves omitted fields unchanged and rejects unknown fields', () => {
  assert.deepEqual(check({}), {})
  assert.deepEqual(check({ net: undefined, tone: ['dark'] }), { tone: ['dark'] })
  for (const field of ['genre', 'toString', '__proto__', 'constructor'])
    refusedHere(field, JSON.parse(`{"${field}": []}`))
})

test('property: any input is rejected or gives a taxonomy that passes again unchanged', () => {
  const fields = [
    'genres',
    'tags',
    'tone',
    'inputs',
    'content_warnings',
    'engines',
    'session_bucket',
    'net',
    'players_min',
    'players_max',
    'authorship',
    'authorship_credit',
    'ai_uses',
    'languages',
    'accessibility',
  ]
  const word = fc.constantFrom<unknown>(
    'action',
    'horror',
    'dark',
    'vr',
    'art',
    'Local',
    'local',
    '15m',
    'human',
    'a b',
    null,
    3,
    65,
  )
  const value = fc.oneof(word, fc.array(word, { maxLength: 5 }), fc.anything())
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), value), (patch) => {
      const first = unlessRefused(() => check(patch))
      if (first) assert.deepEqual(check(first), first)
    }),
  )
})
