import assert from 'node:assert/strict'
import test from 'node:test'
import {
  choice,
  type Field,
  flag,
  httpsUrl,
  isPublicHost,
  list,
  listingRef,
  longerThan,
  markdown,
  plainText,
  quoteValue,
  record,
  requiredText,
  slug,
  wholeNumber,
} from '../../../src/listings/fields/text.ts'
import { fc } from '../../support/property.ts'
import { anyCharacter, letters, refused, unlessRefused, wide } from '../refused.ts'

const at: Field = { refusal: 'MALFORMED', field: 'it' }
const refusedHere = (act: () => unknown) => refused('MALFORMED', 'it', act)

test('length counts code points, not UTF-16 code units', () => {
  assert.equal(longerThan(wide(5), 5), false)
  assert.equal(longerThan(wide(6), 5), true)
  assert.equal(plainText(at, wide(5), 5), wide(5))
  refusedHere(() => plainText(at, wide(6), 5))
})

test('property: longerThan agrees with counting every character', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: anyCharacter, maxLength: 40 }),
      fc.nat(20),
      (text, max) => longerThan(text, max) === [...text].length > max,
    ),
  )
})

test('plain text is trimmed, may be empty, and is one line without control characters', () => {
  assert.equal(plainText(at, '  Two words ', 20), 'Two words')
  assert.equal(plainText(at, undefined, 5), '')
  assert.equal(plainText(at, null, 5), '')
  for (const text of [
    'a\nb',
    'a\tb',
    'a\0b',
    'a\x7fb',
    'a\x9fb',
    'a\u2028b',
    'a\u2029b',
    'a\ud800b',
  ])
    refusedHere(() => plainText(at, text, 20))
  for (const value of [1, true, [], {}]) refusedHere(() => plainText(at, value, 20))
})

test('rejects required text without a visible character', () => {
  assert.equal(requiredText(at, ' x ', 5), 'x')
  for (const text of ['', '   ', '\u200b', undefined, null])
    refusedHere(() => requiredText(at, text, 5))
})

test('Markdown is stored exactly as written, with line breaks and tabs', () => {
  const text = '  # Title\r\n\n\t- item  <b>\n'
  assert.equal(markdown(at, text, 100), text)
  assert.equal(markdown(at, letters(10), 10), letters(10))
  refusedHere(() => markdown(at, letters(11), 10))
  for (const bad of ['a\0b', 'a\x1bb', 'a\x0bb', 'a\x85b', 'a\udfffb'])
    refusedHere(() => markdown(at, bad, 100))
})

test('a slug has 1 to 32 lowercase letters, digits and dashes, with no dash first', () => {
  for (const good of ['a', '9', 'a-b', letters(32)]) assert.equal(slug(at, good), good)
  for (const bad of ['', '-a', 'A', 'a_b', 'a b', 'a.b', 'é', 'a\n', letters(33), 5, null])
    refusedHere(() => slug(at, bad))
})

test('accepts an https link and normalizes its scheme, host and port', () => {
  for (const link of [
    'https://example.com',
    'https://example.com/',
    'https://example.com/a?b=c#d',
    'https://example.com:8443/x',
    'https://a.b-c.example/%C3%BC',
  ]) {
    assert.equal(httpsUrl(at, link), link)
  }
  assert.equal(httpsUrl(at, ' HTTPS://Example.COM/Path '), 'https://example.com/Path')
  assert.equal(httpsUrl(at, 'https://example.com:443/x'), 'https://example.com/x')
  assert.equal(httpsUrl(at, 'https://bücher.example/x'), 'https://xn--bcher-kva.example/x')
})

test('rejects a link that is not https or only looks like it', () => {
  const bad = [
    '',
    'http://example.com',
    'ftp://example.com',
    'javascript:alert(1)',
    '//example.com',
    'example.com',
    'https:example.com',
  ]
  bad.push(
    'https:/example.com',
    'https:///example.com',
    'https://',
    'https:\\\\example.com',
    'https://example.com\\@evil.example',
  )
  bad.push(
    'https://exa mple.com',
    'https://example.com/a b',
    'https://exam\tple.com',
    'https://example.com/\0',
  )
  for (const link of bad) refusedHere(() => httpsUrl(at, link))
  for (const value of [undefined, null, 5, {}, ['https://example.com']])
    refusedHere(() => httpsUrl(at, value))
})

test('rejects a link with a user name or password', () => {
  for (const link of [
    'https://me@example.com/',
    'https://me:pw@example.com/',
    'https://@example.com/',
    'https://:@example.com/',
  ]) {
    refusedHere(() => httpsUrl(at, link))
  }
  assert.equal(httpsUrl(at, 'https://example.com/@me'), 'https://example.com/@me')
})

test('rejects a link to a local name or an IP address', () => {
  const hosts = [
    'localhost',
    'example',
    '127.0.0.1',
    '0x7f.1',
    '2130706433',
    '[::1]',
    'printer.local',
    'db.internal',
    'a.localhost',
    'example.com.',
    'a_b.example',
    '-a.example',
    'a..example',
  ]
  for (const host of hosts) refusedHere(() => httpsUrl(at, `https://${host}/x`))
})

test('a link has at most 255 characters', () => {
  const of = (length: number) =>
    `https://example.com/${letters(length - 'https://example.com/'.length)}`
  assert.equal(httpsUrl(at, of(255)).length, 255)
  refusedHere(() => httpsUrl(at, of(256)))
})

test('property: every accepted link is stable, https, on a named host, and short enough', () => {
  const links = fc.oneof(
    fc.webUrl({ validSchemes: ['https', 'http'], withFragments: true, withQueryParameters: true }),
    fc.string({ unit: anyCharacter }).map((rest) => `https://example.com${rest}`),
  )
  fc.assert(
    fc.property(links, (link) => {
      const normalized = unlessRefused(() => httpsUrl(at, link))
      if (normalized === null) return
      const url = new URL(normalized)
      assert.equal(url.protocol, 'https:')
      assert.equal(url.username + url.password, '')
      assert.match(url.hostname, /\.[a-z][a-z0-9-]*$/)
      assert.ok(normalized.length <= 255)
      assert.equal(httpsUrl(at, normalized), normalized)
    }),
  )
})

test('a listing is identified by a uid or a vanity name', () => {
  assert.equal(listingRef(at, ' my-game '), 'my-game')
  assert.equal(listingRef(at, letters(64)), letters(64))
  for (const bad of ['', '  ', letters(65), 'a\0b', 7, null]) refusedHere(() => listingRef(at, bad))
})

test('error messages shorten the values they repeat', () => {
  assert.equal(quoteValue('x'), '"x"')
  assert.equal(quoteValue(letters(40)), `"${letters(40)}"`)
  assert.equal(quoteValue(letters(41)), `"${letters(40)}…"`)
  assert.equal(quoteValue(wide(40)), `"${wide(40)}"`)
  assert.equal(quoteValue(wide(41)), `"${wide(40)}…"`)
  assert.deepEqual(
    [quoteValue(null), quoteValue([1]), quoteValue({ a: 1 }), quoteValue(5), quoteValue(undefined)],
    ['null', 'a list', 'an object', '5', 'undefined'],
  )
})

test('a host name has labels of up to 63 characters and a top-level domain of letters', () => {
  for (const host of [
    'a.co',
    'ab.example',
    `${letters(63)}.example`,
    'a1.b-2.example',
    `a.${letters(63)}`,
    'a.xn--p1ai',
  ])
    assert.equal(isPublicHost(host), true, host)
  for (const host of [
    'a.c',
    `${letters(64)}.example`,
    `a.${letters(64)}`,
    'a.c0m',
    'a-.example',
    'A.example',
    'example',
    '',
  ])
    assert.equal(isPublicHost(host), false, host)
})

test('lists, objects, choices, numbers and flags are not coerced from other types', () => {
  assert.deepEqual(list(at, [1]), [1])
  for (const value of [null, {}, 'a', undefined]) refusedHere(() => list(at, value))
  assert.deepEqual(record(at, { a: 1 }), { a: 1 })
  for (const value of [null, [], 'a', 5, undefined]) refusedHere(() => record(at, value))
  assert.equal(choice(at, 'b', ['a', 'b']), 'b')
  for (const value of ['c', 'A', '', null, ['a']]) refusedHere(() => choice(at, value, ['a', 'b']))
  for (const value of [2, 3, 4]) assert.equal(wholeNumber(at, value, 2, 4), value)
  for (const value of [1, 5, 2.5, '3', null, Number.NaN])
    refusedHere(() => wholeNumber(at, value, 2, 4))
  for (const value of [true, false]) assert.equal(flag(at, value), value)
  for (const value of ['true', 1, 0, null, undefined]) refusedHere(() => flag(at, value))
})
