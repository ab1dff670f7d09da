import assert from 'node:assert/strict'
import { test } from 'node:test'
import fixtures from '../../../sim/extstore-fixtures.json' with { type: 'json' }
import { readConfig } from '../../../src/core/runtime/config.ts'
import {
  nameTags,
  readStorePage,
  readTagNames,
  readTagWeights,
} from '../../../src/extstore/client/store-page.ts'
import {
  type Candidate,
  candidates,
  type StoreData,
  type TargetState,
} from '../../../src/extstore/import/mapping.ts'
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
import { newTarget } from '../../../src/extstore/import/target.ts'
import { guessSession, slugsOf } from '../../../src/extstore/import/taxonomy-mapping.ts'
import { contentWarnings, genres, inputs, tones } from '../../../src/listings/fields/fields.ts'
import { checkTaxonomy } from '../../../src/listings/fields/taxonomy.ts'
import { priceRules } from '../../../src/listings/listing/store-rules.ts'

const example = Object.values(fixtures.appdetails.body)[0]!.data as Record<string, unknown>
const newListing: TargetState = newTarget.state
const tagged = (...names: string[]) => names.map((name, i) => ({ name, weight: 100 - i }))

/** Maps the example page with the given fields replaced. */
function map(
  data: Record<string, unknown> = {},
  {
    tags = [] as StoreData['tags'] | null,
    present = {} as Partial<TargetState>,
    app_name = 'App',
  } = {},
) {
  const page = readStorePage({ ...example, ...data })
  const store_data: StoreData = {
    app: { app_id: 5, app_name, url: 'https://store.steampowered.com/app/5/' },
    page,
    tags: tags ?? undefined,
    tagline: page.short_text,
    description: { text: page.long_text, cut: false },
    images: undefined,
  }
  return candidates(store_data, { ...newListing, ...present }, priceRules(readConfig({})))
}
const value = (found: Candidate) => ('value' in found ? found.value : undefined)
const reason = (found: Candidate) => ('skip' in found ? found.skip : undefined)
const note = (found: Candidate) => ('note' in found ? found.note : undefined)

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
      genres.some((one) => one === genre),
      genre,
    )
  for (const tone of Object.keys(toneTags))
    assert.ok(
      tones.some((one) => one === tone),
      tone,
    )
  for (const input of Object.keys(inputTags))
    assert.ok(
      inputs.some((one) => one === input),
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
  const found = map(
    { genres: [] },
    { tags: tagged('Music-Based Procedural Generation', 'Cats', 'Dogs', 'Birds') },
  )
  assert.deepEqual(value(found.genres), ['rhythm'])
  assert.deepEqual(value(found.tags), ['cats', 'dogs', 'birds'])
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
    const found = map(
      { categories: ids.map((id) => ({ id, description: 'x' })), ...more },
      { present },
    )
    return [found.players_min, found.players_max, found.net].map(value)
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
  const untold = map({ categories: [{ id: 22, description: 'x' }] })
  for (const field of ['players_min', 'players_max', 'net'] as const)
    assert.match(reason(untold[field])!, /single-player or multiplayer/)
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
  const film = (movie: object) => map({ movies: [movie] }).trailer_url
  assert.equal(
    value(film({ mp4: { max: 'https://v.example/a.mp4' }, hls_h264: 'https://v.example/b.m3u8' })),
    'https://v.example/a.mp4',
  )
  assert.equal(
    value(
      film({ mp4: { max: 'http://v.example/a.mp4' }, webm: { max: 'https://v.example/a.webm' } }),
    ),
    'https://v.example/a.webm',
  )
  assert.match(reason(film({ mp4: { max: 'http://v.example/a.mp4' } }))!, /no https link/)
  for (const movies of [undefined, null, [], 'x', [{}], [5]])
    assert.match(reason(map({ movies }).trailer_url)!, /no trailer/)
  const two = [
    { hls_h264: 'https://v.example/1' },
    { hls_h264: 'https://v.example/2', highlight: true },
  ]
  assert.equal(value(map({ movies: two }).trailer_url), 'https://v.example/2')
  const credits = (developers: unknown, publishers: unknown, present: Partial<TargetState> = {}) =>
    map({ developers, publishers }, { present }).credits
  assert.deepEqual(value(credits(['A', 'B'], ['B', 'C'])), [
    { name: 'A', role: 'Developer' },
    { name: 'B', role: 'Developer and publisher' },
    { name: 'C', role: 'Publisher' },
  ])
  const there = {
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
  assert.deepEqual(value(credits(['A'], [], there)), [
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
