import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TargetState } from '../../../src/extstore/import/mapping.ts'
import { map, note, reason, tagged, value } from './mapping-fixtures.ts'

test('maps coming soon to the status development', () => {
  const status = (release_date: unknown) => map({ release_date }).status
  assert.deepEqual(
    [value(status({ coming_soon: true })), value(status({ coming_soon: false }))],
    ['development', 'released'],
  )
  for (const bad of [{ coming_soon: 'yes' }, {}, null, 'Soon'])
    assert.match(reason(status(bad))!, /released/)
})

test('shortens name and tagline after a word, and always gives a name', () => {
  assert.equal(value(map({ name: ' Two \n words ' }).name), 'Two words')
  const long = map({ name: 'word '.repeat(40) }).name
  assert.match(value(long) as string, /^(word ){10,}word…$/)
  assert.ok([...(value(long) as string)].length <= 80)
  assert.equal(note(long), 'Shortened to 80 characters')
  assert.equal([...(value(map({ name: '😀'.repeat(81) }).name) as string)].length, 80)
  assert.equal(value(map({ name: 'x'.repeat(80) }).name), 'x'.repeat(80))
  for (const name of [undefined, null, 5, '', ' ', '\u200b\u2800'])
    assert.equal(value(map({ name }).name), 'App')
  assert.equal(value(map({ name: '' }, { app_name: ' ' }).name), 'App 5')
  assert.equal(value(map({ name: 'a\u0000b\u202ec' }).name), 'a b c')
  assert.match(reason(map({ short_description: '' }).tagline)!, /no short description/)
  assert.ok(
    [...(value(map({ short_description: 'y '.repeat(300) }).tagline) as string)].length <= 255,
  )
  assert.match(
    reason(map({ detailed_description: 5, about_the_game: null }).description)!,
    /no long description/,
  )
  assert.equal(
    value(map({ detailed_description: '', about_the_game: 'About' }).description),
    'About',
  )
})

test('maps release date, https links and credits to the press kit', () => {
  assert.equal(value(map({ release_date: { date: 'Q3 2027' } }).release_date), 'Q3 2027')
  assert.match(reason(map({ release_date: { date: 'x'.repeat(33) } }).release_date)!, /at most 32/)
  assert.match(reason(map({ release_date: {} }).release_date)!, /no release date/)
  for (const website of [
    'http://a.example',
    'javascript:x',
    'https://localhost',
    `https://a.example/${'x'.repeat(300)}`,
  ])
    assert.match(reason(map({ website }).website_url)!, /^Not usable here: /)
  for (const website of [null, '', undefined, 5])
    assert.match(reason(map({ website }).website_url)!, /no website/)
  const trailerOf = (movie: object) => map({ movies: [movie] }).trailer_url
  assert.equal(
    value(
      trailerOf({ mp4: { max: 'https://v.example/a.mp4' }, hls_h264: 'https://v.example/b.m3u8' }),
    ),
    'https://v.example/a.mp4',
  )
  assert.equal(
    value(
      trailerOf({
        mp4: { max: 'http://v.example/a.mp4' },
        webm: { max: 'https://v.example/a.webm' },
      }),
    ),
    'https://v.example/a.webm',
  )
  assert.match(reason(trailerOf({ mp4: { max: 'http://v.example/a.mp4' } }))!, /no https link/)
  for (const movies of [undefined, null, [], 'x', [{}], [5]])
    assert.match(reason(map({ movies }).trailer_url)!, /no trailer/)
  const movies = [
    { hls_h264: 'https://v.example/1' },
    { hls_h264: 'https://v.example/2', highlight: true },
  ]
  assert.equal(value(map({ movies }).trailer_url), 'https://v.example/2')
  const credits = (developers: unknown, publishers: unknown, present: Partial<TargetState> = {}) =>
    map({ developers, publishers }, { present }).credits
  assert.deepEqual(value(credits(['A', 'B'], ['B', 'C'])), [
    { name: 'A', role: 'Developer' },
    { name: 'B', role: 'Developer and publisher' },
    { name: 'C', role: 'Publisher' },
  ])
  const existing = {
    credits: [
      { name: 'Old', role: 'Publisher' },
      { name: 'A', role: 'Publisher' },
      { name: 'A', role: 'Art' },
      { name: 'Lee', role: 'Developer' },
      { name: 'Kim', role: 'Music' },
    ],
    imported_credits: [
      { name: 'Old', role: 'Publisher' },
      { name: 'Kim', role: 'Developer' },
    ],
  }
  assert.deepEqual(value(credits(['A'], [], existing)), [
    { name: 'A', role: 'Developer' },
    { name: 'A', role: 'Art' },
    { name: 'Lee', role: 'Developer' },
    { name: 'Kim', role: 'Music' },
  ])
  for (const bad of [null, 'x', [null, 5, '', ' ', 'x'.repeat(81)]])
    assert.match(reason(credits(bad, bad))!, /neither/)
  const crowd = { credits: Array.from({ length: 50 }, (_, i) => ({ name: `P${i}`, role: 'Art' })) }
  assert.equal((value(credits(['A'], ['B'], crowd)) as unknown[]).length, 50)
})

test('maps the undiscounted price in US dollars or free, and skips anything else', () => {
  const price = (price_overview: unknown, more = {}, present: Partial<TargetState> = {}) =>
    map({ price_overview, ...more }, { present }).price_cents
  assert.equal(value(price({ currency: 'USD', initial: 1499, final: 1199 })), 1499)
  assert.equal(value(price(undefined, { is_free: true })), 0)
  assert.equal(value(price({ currency: 'USD', initial: 99 })), 99)
  assert.equal(value(price({ currency: 'USD', initial: 50_000 })), 50_000)
  for (const initial of [98, 50_001])
    assert.match(reason(price({ currency: 'USD', initial }))!, /^Not usable here: .*99 to 50000/)
  assert.match(reason(price({ currency: 'EUR', initial: 1499 }))!, /US dollars/)
  for (const bad of [
    undefined,
    null,
    [],
    {},
    { currency: 'USD', initial: '1499' },
    { currency: 'USD', initial: 14.99 },
    { currency: 'USD', initial: -1 },
    { initial: 5 },
  ])
    assert.match(reason(price(bad))!, /no price/)
  assert.match(
    reason(price({ currency: 'USD', initial: 1499 }, {}, { has_editions: true }))!,
    /editions/,
  )
  assert.match(
    reason(price({ currency: 'USD', initial: 1499 }, {}, { anonymous_downloads: true }))!,
    /without an account/,
  )
  assert.equal(value(price(undefined, { is_free: true }, { anonymous_downloads: true })), 0)
})

test('maps content warnings, and sets the adult mark but never removes it', () => {
  const bare = { content_descriptors: { ids: [] }, ratings: null }
  const warnings = (data: object, tags: string[] = []) =>
    value(map({ ...bare, ...data }, { tags: tagged(...tags) }).content_warnings)
  assert.deepEqual(warnings({ content_descriptors: { ids: [2] } }), ['violence', 'gore'])
  assert.deepEqual(warnings({ content_descriptors: { ids: ['1', 5, null, 'x'] } }), [
    'sexual',
    'nudity',
  ])
  assert.deepEqual(warnings({ genres: [{ id: '74' }] }), ['gore'])
  assert.deepEqual(warnings({}, ['Gambling', 'Psychological Horror']), ['gambling', 'horror'])
  const rating = (descriptors: string) => warnings({ ratings: { esrb: { descriptors } } })
  assert.deepEqual(rating('Mild Language\r\nUse of Alcohol and Tobacco\nFear'), [
    'language',
    'drugs',
    'horror',
  ])
  assert.deepEqual(rating('Photosensitivity warning'), ['flashing_lights'])
  assert.match(reason(map({ ...bare, genres: [] }).content_warnings)!, /no content warnings/)
  const adult = (ids: unknown, present = {}) =>
    map({ content_descriptors: { ids } }, { present }).adult
  for (const id of [3, 4]) assert.equal(value(adult([id])), true)
  for (const ids of [[1], [2], [5], [], null]) assert.equal(value(adult(ids)), false)
  assert.match(reason(adult([], { adult: true }))!, /never removes/)
  assert.equal(value(adult([3], { adult: true })), true)
})

test('the store link is the page of the app', () => {
  assert.equal(value(map().store_link), 'https://store.steampowered.com/app/5/')
})
