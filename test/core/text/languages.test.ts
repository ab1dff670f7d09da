import assert from 'node:assert/strict'
import { test } from 'node:test'
import { acceptedLanguage } from '../../../src/core/text/languages.ts'
import { fc } from '../../support/property.ts'

const offered = ['en', 'de']

for (const [header, language] of [
  [undefined, 'en'],
  ['', 'en'],
  ['de', 'de'],
  ['de-AT', 'de'],
  ['DE-ch', 'de'],
  ['fr, de;q=0.5', 'de'],
  ['en;q=0.5, de;q=0.9', 'de'],
  ['de;q=0.5, en;q=0.9', 'en'],
  ['de;q=0, en', 'en'],
  ['de;q=0', 'en'],
  ['fr', 'en'],
  ['*', 'en'],
  ['deu', 'en'],
  ['de;q=x', 'en'],
] as const)
  test(`Accept-Language ${header === undefined ? 'missing' : `"${header}"`} gives ${language}`, () =>
    assert.equal(acceptedLanguage(header, offered), language))

test('a store with one language answers in it, and its first language is the default', () => {
  assert.equal(acceptedLanguage('de', ['en']), 'en')
  assert.equal(acceptedLanguage('fr', ['de', 'en']), 'de')
})

test('the most specific of the offered languages answers', () => {
  assert.equal(acceptedLanguage('en-XA', ['en', 'en-XA']), 'en-XA')
  assert.equal(acceptedLanguage('en', ['en', 'en-XA']), 'en')
  assert.equal(acceptedLanguage('en-GB', ['en', 'en-XA']), 'en')
})

test('any header gives an offered language', () => {
  fc.assert(
    fc.property(fc.string(), (header) =>
      assert.ok(offered.includes(acceptedLanguage(header, offered))),
    ),
  )
})
