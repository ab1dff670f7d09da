import assert from 'node:assert/strict'
import { test } from 'node:test'
import { languageCodes } from '../../../src/listings/fields/languages.ts'
import { checkTaxonomy } from '../../../src/listings/fields/taxonomy.ts'
import { fc } from '../../support/property.ts'
import { refused, unlessRefused } from '../refused.ts'

const check = (languages: unknown) =>
  checkTaxonomy({ languages }, { players_min: null, players_max: null }).languages
const rejects = (field: string, languages: unknown) =>
  refused('INVALID_TAXONOMY', field, () => check(languages))
const spoken = (code: string) => ({ code, interface: false, audio: true, subtitles: false })
const letters = 'abcdefghijklmnopqrstuvwxyz'.split('')
const codes = letters.flatMap((a) => letters.map((b) => `q${a}${b}`))

test('stores language codes in canonical form', () => {
  const samples = {
    de: 'de',
    DE: 'de',
    ' pt-br ': 'pt-BR',
    'ZH-hant-tw': 'zh-Hant-TW',
    'es-419': 'es-419',
    'de-1996': 'de-1996',
    iw: 'he',
    cmn: 'zh',
    fil: 'fil',
  }
  for (const [text, code] of Object.entries(samples))
    assert.equal(languageCodes.normalize(text), code, text)
})

test('text that is not a BCP 47 language code has no canonical form', () => {
  const samples = ['', ' ', 'd', 'german', 'english', 'de_AT', 'de-', '-de', 'de--AT', 'de-A', 'd3']
  const extended = ['de-u-co-phonebk', 'x-klingon', 'de-x-private', 'i-klingon', '*', 'de,fr', 'dé']
  const long = `de${'-variants'.repeat(4)}`
  for (const text of [...samples, ...extended, long])
    assert.equal(languageCodes.normalize(text), null, text)
})

test('a code matches itself and every broader code', () => {
  assert.deepEqual(languageCodes.withBroader('de'), ['de'])
  assert.deepEqual(languageCodes.withBroader('zh-Hant-TW'), ['zh', 'zh-Hant', 'zh-Hant-TW'])
})

test('a language has a code and flags, and a missing flag is off', () => {
  assert.deepEqual(check([{ code: 'de', interface: true, audio: true, subtitles: true }]), [
    { code: 'de', interface: true, audio: true, subtitles: true },
  ])
  assert.deepEqual(check([{ code: 'PT-br', subtitles: true }]), [
    { code: 'pt-BR', interface: false, audio: false, subtitles: true },
  ])
  assert.deepEqual(check([]), [])
})

test('a listing has up to 40 languages, in the given order', () => {
  const most = codes.slice(0, 40).map(spoken)
  assert.deepEqual(check(most), most)
  const { message } = rejects('languages', codes.slice(0, 41).map(spoken))
  assert.match(message, /at most 40; this list has 41/)
})

test('rejects a language without a flag', () => {
  const { message } = rejects('languages[1]', [spoken('de'), { code: 'fr' }])
  assert.match(message, /set at least one of interface, audio, subtitles/)
  rejects('languages[0]', [{ code: 'fr', interface: false, audio: false, subtitles: false }])
})

test('rejects a code that is sent twice, in whatever spelling', () => {
  const { message } = rejects('languages[1].code', [spoken('he'), spoken('IW')])
  assert.match(message, /he is already languages\[0\]/)
  rejects('languages[2].code', [spoken('de'), spoken('fr'), { code: 'DE', interface: true }])
  assert.equal(check([spoken('de'), spoken('de-AT')])?.length, 2)
})

test('rejects malformed codes, flags that are not booleans and unknown flags', () => {
  const { message } = rejects('languages[0].code', [spoken('german')])
  assert.match(message, /"german" is not a BCP 47 language code, such as de or pt-BR/)
  for (const code of [undefined, null, 5, {}, ['de']])
    rejects('languages[0].code', [{ code, audio: true }])
  for (const audio of ['true', 1, null, {}])
    rejects('languages[0].audio', [{ code: 'de', interface: true, audio }])
  assert.match(
    rejects('languages[0]', [{ code: 'de', voice: true }]).message,
    /there is no flag "voice"; the flags are interface, audio, subtitles/,
  )
})

test('rejects anything but a list of objects', () => {
  for (const value of [null, 'de', {}, 5, true]) rejects('languages', value)
  for (const entry of [null, 'de', 5, []]) rejects('languages[0]', [entry])
})

test('property: any input is rejected or gives languages that pass again unchanged', () => {
  const code = fc.oneof(fc.constantFrom('de', 'DE', 'pt-br', 'iw', 'german', ''), fc.string())
  const entry = fc.record(
    { code, interface: fc.boolean(), audio: fc.boolean(), subtitles: fc.boolean() },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.oneof(fc.array(entry, { maxLength: 4 }), fc.anything()), (languages) => {
      const first = unlessRefused(() => check(languages))
      if (first) assert.deepEqual(check(first), first)
    }),
  )
})
