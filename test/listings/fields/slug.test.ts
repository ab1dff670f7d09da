import assert from 'node:assert/strict'
import test from 'node:test'
import { checkVanityName, numberedSlug, slugFrom } from '../../../src/listings/fields/slug.ts'
import { fc } from '../../support/property.ts'
import { anyCharacter, letters, refused } from '../refused.ts'

const refusedHere = (value: unknown) =>
  refused('MALFORMED', 'vanity_name', () => checkVanityName(value))

test('a vanity name has 1 to 64 lowercase letters and digits, separated by single dashes', () => {
  for (const name of ['a', '2048', 'my-game', 'a-1-b', letters(64)])
    assert.equal(checkVanityName(name), name)
  for (const name of [
    '',
    'My-game',
    'a_b',
    'a b',
    '-a',
    'a-',
    'a--b',
    'é',
    'a.b',
    'a/b',
    'a\n',
    letters(65),
    5,
    null,
    undefined,
  ])
    refusedHere(name)
})

test('rejects a vanity name that looks like a uid', () => {
  for (const uid of [
    '0190a8f2-7b3c-7def-8123-456789abcdef',
    '00000000-0000-0000-0000-000000000000',
  ])
    refusedHere(uid)
  assert.equal(
    checkVanityName('0190a8f2-7b3c-7def-8123-456789abcde'),
    '0190a8f2-7b3c-7def-8123-456789abcde',
  )
  assert.equal(
    checkVanityName('g190a8f2-7b3c-7def-8123-456789abcdef'),
    'g190a8f2-7b3c-7def-8123-456789abcdef',
  )
})

/** Paths of the site, and words that look like one. */
const reserved = ['press', 'new', 'edit', 'embed', 'about', 'dashboard', 'null', 'www']

test('rejects reserved words as vanity names', () => {
  for (const name of reserved) refusedHere(name)
  assert.equal(checkVanityName('press-on'), 'press-on')
})

test('a title becomes a readable slug', () => {
  const samples = {
    'Ærø: Café del Mar!': 'aero-cafe-del-mar',
    "Dragon's Straße": 'dragons-strasse',
    'Łódź Đà Nẵng': 'lodz-da-nang',
    '  --Two   Words--  ': 'two-words',
    'ﬁne ①': 'fine-1',
    日本語: 'untitled',
    '': 'untitled',
    '🎲': 'untitled',
    Press: 'press-page',
  }
  for (const [title, slug] of Object.entries(samples)) assert.equal(slugFrom(title), slug)
  assert.equal(slugFrom('日本', 'game'), 'game')
  assert.equal(
    slugFrom('0190A8F2-7B3C-7DEF-8123-456789ABCDEF'),
    '0190a8f2-7b3c-7def-8123-456789abcdef-page',
  )
})

test('property: the slug of any title is a valid vanity name, with and without a number', () => {
  const title = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 90 }),
    fc.string({ unit: fc.constantFrom('a', '-', ' ', 'É', 'ß'), maxLength: 90 }),
    fc.constantFrom(...reserved),
  )
  fc.assert(
    fc.property(title, fc.integer({ min: 1, max: 5000 }), (text, n) => {
      assert.equal(checkVanityName(slugFrom(text)), slugFrom(text))
      if (n > 1) assert.ok(checkVanityName(numberedSlug(slugFrom(text), n)).endsWith(`-${n}`))
    }),
  )
})

test('numbered names leave the first unchanged and shorten long ones to fit the number', () => {
  assert.equal(numberedSlug('name', 1), 'name')
  assert.equal(numberedSlug('name', 2), 'name-2')
  assert.equal(numberedSlug(letters(64), 12), `${letters(61)}-12`)
  assert.equal(numberedSlug(`${letters(61)}-bc`, 2), `${letters(61)}-2`)
})
