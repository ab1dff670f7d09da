import assert from 'node:assert/strict'
import test from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { checkPressKit, imagesForZip, type PressKit } from '../../src/press/kit-rules.ts'
import { letters, refused, unlessRefused, wide } from '../listings/refused.ts'
import { fc } from '../support/property.ts'
import { emptyKit, times } from './kits.ts'

const site = 'https://example.com'
const refusedHere = (field: string, kit: unknown) =>
  refused('INVALID_PRESS_KIT', field, () => checkPressKit(kit))

test('missing fields are cleared', () => {
  assert.deepEqual(checkPressKit({}), emptyKit)
  assert.deepEqual(
    checkPressKit(Object.fromEntries(Object.keys(emptyKit).map((field) => [field, null]))),
    emptyKit,
  )
  assert.deepEqual(checkPressKit({ history: 'x' }), { ...emptyKit, history: 'x' })
})

test('a full kit is returned unchanged', () => {
  const kit: PressKit = {
    release_date: 'Spring 2027',
    website_url: 'https://example.com',
    press_email: 'press@example.com',
    trailer_url: 'https://video.example/watch?v=1#t=5',
    history: '# Us\r\n\nSince 2019',
    features: ['One', 'Two'],
    awards: ['Best, 2026'],
    links: [{ label: 'Wiki', url: 'https://example.com/wiki' }],
    quotes: [
      { quote: 'Good', source: 'A paper', url: '' },
      { quote: 'Fine', source: 'B', url: 'https://b.example/x' },
    ],
    credits: [
      { name: 'Ann', role: 'Code' },
      { name: 'Bo', role: '' },
    ],
  }
  assert.deepEqual(checkPressKit(kit), kit)
})

test('rejects a body that is not a kit, and unknown fields', () => {
  for (const body of [null, [], 'x', undefined]) refusedHere('press', body)
  for (const field of ['team', 'website', 'toString']) refusedHere(field, { [field]: '' })
  const refusal = refusedHere('press', 5)
  assert.deepEqual([refusal.code, refusal.status], [4235, 422])
})

test('the release date is one line of up to 32 characters', () => {
  assert.equal(checkPressKit({ release_date: wide(32) }).release_date, wide(32))
  for (const release_date of [letters(33), wide(33), 'a\nb', 2027])
    refusedHere('release_date', { release_date })
})

for (const field of ['website_url', 'trailer_url'] as const) {
  test(`${field} is an https link of up to 255 characters, or empty`, () => {
    const of = (length: number) => `https://example.com/${letters(length - 20)}`
    for (const url of ['', site, of(255)]) assert.equal(checkPressKit({ [field]: url })[field], url)
    for (const url of [
      'http://example.com',
      'example.com',
      'javascript:alert(1)',
      'https://localhost',
      'https://me@example.com',
      of(256),
      5,
    ])
      refusedHere(field, { [field]: url })
  })
}

test('the press contact is a valid email address, or empty', () => {
  const at64 = `${letters(64)}@example.com`
  const long = (length: number) => `a@${`${letters(60)}.`.repeat(5).slice(0, length - 6)}.com`
  for (const email of [
    '',
    'a@b.co',
    'A_1@B.Co',
    "o'neil+press@sub.example.com",
    'a.b@xn--bcher-kva.example',
    at64,
  ])
    assert.equal(checkPressKit({ press_email: email }).press_email, email)
  assert.equal(long(254).length, 254)
  assert.equal(checkPressKit({ press_email: long(254) }).press_email, long(254))
  const bad = [
    'a',
    'a@',
    '@b.co',
    'a@b',
    'a b@c.co',
    'a@b..co',
    'a@-b.co',
    'a@b.c',
    '.a@b.co',
    'a.@b.co',
    'a..b@c.co',
    'a@b@c.co',
    'a@b.co@c',
    'a@b.local',
    'Ann <a@b.co>',
    'a@b.co, c@d.co',
    'a@[127.0.0.1]',
    'a\n@b.co',
    `a${at64}`,
    long(255),
    5,
  ]
  for (const press_email of bad) refusedHere('press_email', { press_email })
})

test('history is Markdown of up to 8000 characters, kept as written', () => {
  assert.equal(checkPressKit({ history: ` ${wide(7999)}` }).history, ` ${wide(7999)}`)
  for (const history of [letters(8001), wide(8001), 'a\0', 5]) refusedHere('history', { history })
})

for (const field of ['features', 'awards'] as const) {
  test(`${field} are up to 20 lines of up to 200 characters`, () => {
    assert.equal(checkPressKit({ [field]: times(20, wide(200)) })[field].length, 20)
    refusedHere(field, { [field]: times(21, 'x') })
    for (const entry of [letters(201), wide(201), 'a\nb', 5, null, {}])
      refusedHere(`${field}[1]`, { [field]: ['x', entry] })
    for (const value of ['x', {}, 5]) refusedHere(field, { [field]: value })
  })
}

test('ignores empty lines', () => {
  assert.deepEqual(
    checkPressKit({ features: ['', 'One', '  '], links: [''], quotes: [' '], credits: [''] }),
    {
      ...emptyKit,
      features: ['One'],
    },
  )
  assert.equal(checkPressKit({ awards: ['', ...times(20, 'x')] }).awards.length, 20)
})

const lists = [
  { field: 'links', max: 20, entry: { label: 'L', url: site } },
  { field: 'quotes', max: 20, entry: { quote: 'Q', source: 'S', url: '' } },
  { field: 'credits', max: 50, entry: { name: 'N', role: 'R' } },
] as const

for (const { field, max, entry } of lists) {
  test(`a kit has at most ${max} ${field}`, () => {
    assert.deepEqual(checkPressKit({ [field]: times(max, entry) })[field], times(max, entry))
    refusedHere(field, { [field]: times(max + 1, entry) })
    for (const value of ['x | y', {}, 5]) refusedHere(field, { [field]: value })
    for (const value of [5, null, []]) refusedHere(`${field}[1]`, { [field]: [entry, value] })
  })
}

const parts = [
  { field: 'links', part: 'label', entry: { url: site }, max: 80, required: true },
  { field: 'quotes', part: 'quote', entry: { source: 'S' }, max: 500, required: true },
  { field: 'quotes', part: 'source', entry: { quote: 'Q' }, max: 120, required: true },
  { field: 'credits', part: 'name', entry: { role: 'R' }, max: 80, required: true },
  { field: 'credits', part: 'role', entry: { name: 'N' }, max: 80, required: false },
] as const

for (const { field, part, entry, max, required } of parts) {
  test(`${part} of ${field} has ${required ? 1 : 0} to ${max} characters in one line`, () => {
    const kit = (value: unknown) => ({ [field]: [{ ...entry, [part]: value }] })
    assert.ok(checkPressKit(kit(wide(max))))
    for (const value of [wide(max + 1), 'a\nb', 5]) refusedHere(`${field}[0].${part}`, kit(value))
    for (const value of ['', '  ', undefined]) {
      if (required) refusedHere(`${field}[0].${part}`, kit(value))
      else assert.ok(checkPressKit(kit(value)))
    }
  })
}

test('rejects an entry whose link is not https, and names it', () => {
  const link = { label: 'L', url: site }
  for (const url of ['http://example.com', '', undefined, 'x'])
    refusedHere('links[3].url', { links: [link, link, link, { label: 'L', url }] })
  for (const url of ['http://example.com', 'x', 5])
    refusedHere('quotes[0].url', { quotes: [{ quote: 'Q', source: 'S', url }] })
})

test('a link may be one line: Label | https://…', () => {
  const of = (line: string) => checkPressKit({ links: [line] }).links
  assert.deepEqual(of('Wiki | https://example.com/wiki'), [
    { label: 'Wiki', url: 'https://example.com/wiki' },
  ])
  assert.deepEqual(of('News|Blog|https://example.com'), [{ label: 'News|Blog', url: site }])
  refusedHere('links[0]', { links: ['https://example.com'] })
  refusedHere('links[0].label', { links: [' | https://example.com'] })
  refusedHere('links[0].url', { links: ['Wiki | http://example.com'] })
})

test('a quote may be one line: Quote | Source | https://…, the link optional', () => {
  const of = (line: string) => checkPressKit({ quotes: [line] }).quotes
  assert.deepEqual(of('Good | A paper | https://example.com'), [
    { quote: 'Good', source: 'A paper', url: site },
  ])
  assert.deepEqual(of('Good | A paper'), [{ quote: 'Good', source: 'A paper', url: '' }])
  assert.deepEqual(of('Good | A paper | '), [{ quote: 'Good', source: 'A paper', url: '' }])
  assert.deepEqual(of('So | so | A paper'), [{ quote: 'So | so', source: 'A paper', url: '' }])
  refusedHere('quotes[0]', { quotes: ['Good'] })
  refusedHere('quotes[0].url', { quotes: ['Good | A paper | http://example.com'] })
  refusedHere('quotes[0].source', { quotes: ['Good | '] })
})

test('a credit may be one line: Name | Role', () => {
  const of = (line: string) => checkPressKit({ credits: [line] }).credits
  assert.deepEqual(of('Ann | Code'), [{ name: 'Ann', role: 'Code' }])
  assert.deepEqual(of('Ann'), [{ name: 'Ann', role: '' }])
  refusedHere('credits[0]', { credits: ['Ann | Code | Art'] })
  refusedHere('credits[0].name', { credits: [' | Code'] })
})

test('any input is rejected or gives a kit that passes again unchanged', () => {
  const text = fc.constantFrom(
    'x',
    'a | b',
    'Q | S | https://example.com',
    site,
    'http://example.com',
    'a@b.co',
    '',
    ' ',
  )
  const value = fc.oneof(
    text,
    fc.array(
      fc.oneof(
        text,
        fc.record({ label: text, url: text, quote: text, source: text, name: text, role: text }),
      ),
      { maxLength: 3 },
    ),
    fc.anything(),
  )
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...Object.keys(emptyKit)), value), (body) => {
      const kit = unlessRefused(() => checkPressKit(body))
      if (kit) assert.deepEqual(checkPressKit(kit), kit)
    }),
    { numRuns: 500 },
  )
})

test('the press zip leaves out images over 16 MB', () => {
  assert.deepEqual(imagesForZip([{ bytes: 16 * MIB }, { bytes: 16 * MIB + 1 }, { bytes: 1 }]), [
    { bytes: 16 * MIB },
    { bytes: 1 },
  ])
})

test('the press zip takes at most 64 MB of images, and later ones that still fit', () => {
  const four = times(4, { bytes: 16 * MIB })
  assert.deepEqual(imagesForZip(four), four)
  assert.deepEqual(imagesForZip([...four, { bytes: 1 }]), four)
  const three = four.slice(1)
  assert.deepEqual(
    imagesForZip([...three, { bytes: 10 * MIB }, { bytes: 7 * MIB }, { bytes: 6 * MIB }]),
    [...three, { bytes: 10 * MIB }, { bytes: 6 * MIB }],
  )
})

test('the press zip keeps the order and omits images only because of a limit', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 20 * MIB }), { maxLength: 25 }), (sizes) => {
      const images = sizes.map((bytes, position) => ({ bytes, position }))
      const included = imagesForZip(images)
      const total = included.reduce((sum, { bytes }) => sum + bytes, 0)
      assert.ok(total <= 64 * MIB)
      assert.deepEqual(
        included,
        images.filter((image) => included.includes(image)),
      )
      for (const image of images.filter((candidate) => !included.includes(candidate)))
        assert.ok(image.bytes > 16 * MIB || total + image.bytes > 64 * MIB)
    }),
  )
})
