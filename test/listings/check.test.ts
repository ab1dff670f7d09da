import assert from 'node:assert/strict'
import test from 'node:test'
import { type AssetType, assetTypes } from '../../src/listings/fields/fields.ts'
import {
  checkListing,
  graceOver,
  type ListingFacts,
  newErrors,
  rules,
} from '../../src/listings/listing/check.ts'
import { fc } from '../support/property.ts'

const complete: ListingFacts = {
  asset_type: 'game',
  tagline: 'One line',
  tags: ['one', 'two', 'three'],
  genres: ['puzzle'],
  inputs: ['gamepad'],
  engines: ['my-engine'],
  session_bucket: '15m',
  net: 'offline',
  players_min: 1,
  players_max: 1,
  has_parent: true,
  cover: { width: 1024, height: 576 },
  thumbnail: { width: 960, height: 540 },
  gallery: 4,
  clean_builds: 1,
  similar: 1,
  editor_package: { has_project_file: false, has_wrapper: true, has_folders: true },
  web_build: { problem: null, detail: '', warnings: [] },
}
const ids = (items: readonly { id: string }[]) => items.map(({ id }) => id)
const packageTypes: AssetType[] = ['plugin', 'dev_asset', 'tool', 'game_asset']
const engineTypes: AssetType[] = ['mod', 'plugin', 'game_asset', 'dev_asset']

/**
 * An independent copy of the rules of the check: rule, types it applies to, and facts that break
 * it.
 */
const table: {
  id: string
  level: 'errors' | 'warnings'
  on: readonly AssetType[]
  broken: Partial<ListingFacts>[]
}[] = [
  { id: 'tags', level: 'errors', on: assetTypes, broken: [{ tags: [] }, { tags: ['one', 'two'] }] },
  { id: 'genre', level: 'errors', on: ['game'], broken: [{ genres: [] }] },
  { id: 'session_length', level: 'errors', on: ['game'], broken: [{ session_bucket: null }] },
  {
    id: 'player_count',
    level: 'errors',
    on: ['game'],
    broken: [
      { players_min: null },
      { players_max: null },
      { players_min: null, players_max: null },
    ],
  },
  { id: 'network_mode', level: 'errors', on: ['game'], broken: [{ net: null }] },
  { id: 'input', level: 'errors', on: ['game'], broken: [{ inputs: [] }] },
  { id: 'engine', level: 'errors', on: engineTypes, broken: [{ engines: [] }] },
  { id: 'parent', level: 'errors', on: ['tool', 'mod', 'plugin'], broken: [{ has_parent: false }] },
  { id: 'gallery', level: 'errors', on: assetTypes, broken: [{ gallery: 3 }, { gallery: 0 }] },
  {
    id: 'cover',
    level: 'errors',
    on: assetTypes,
    broken: [
      { cover: null },
      { cover: { width: 1023, height: 576 } },
      { cover: { width: 1100, height: 1000 } },
    ],
  },
  {
    id: 'thumbnail',
    level: 'errors',
    on: assetTypes,
    broken: [{ thumbnail: null }, { thumbnail: { width: 2048, height: 1152 } }],
  },
  { id: 'clean_build', level: 'errors', on: assetTypes, broken: [{ clean_builds: 0 }] },
  {
    id: 'tagline',
    level: 'warnings',
    on: assetTypes,
    broken: [{ tagline: '' }, { tagline: '  ' }],
  },
  { id: 'similar', level: 'warnings', on: assetTypes, broken: [{ similar: 0 }] },
  {
    id: 'editor_wrapper',
    level: 'warnings',
    on: packageTypes,
    broken: [
      { editor_package: { has_project_file: false, has_wrapper: false, has_folders: true } },
    ],
  },
  {
    id: 'editor_folders',
    level: 'warnings',
    on: packageTypes,
    broken: [true, false].map((has_project_file) => ({
      editor_package: { has_project_file, has_wrapper: true, has_folders: false },
    })),
  },
  ...(
    [
      ['web_index', 'no_index', 'web/Index.html'],
      ['web_files', 'too_many_files', '20001'],
      ['web_size', 'too_large', '2147483649'],
      ['web_file_size', 'file_too_large', 'game.data'],
    ] as const
  ).map(([id, problem, detail]) => ({
    id,
    level: 'warnings' as const,
    on: assetTypes,
    broken: [{ web_build: { problem, detail, warnings: [] } }],
  })),
  ...(['absolute', 'case'] as const).map((kind) => ({
    id: kind === 'absolute' ? 'web_paths' : 'web_case',
    level: 'warnings' as const,
    on: assetTypes,
    broken: [
      {
        web_build: {
          problem: null,
          detail: '',
          warnings: [{ kind, file: 'index.html', reference: '/Game.js', entry: 'game.js' }],
        },
      },
    ],
  })),
]

test('the check has exactly the rules of this table', () => {
  assert.deepEqual(ids(rules), ids(table))
})

test('a complete listing of every type is ready and passes every rule that applies', () => {
  for (const asset_type of assetTypes) {
    const report = checkListing({ ...complete, asset_type })
    assert.deepEqual([report.ready, report.errors, report.warnings], [true, [], []])
    assert.deepEqual(ids(report.passes), ids(table.filter(({ on }) => on.includes(asset_type))))
  }
})

for (const { id, level, on, broken } of table) {
  const types = on.length === assetTypes.length ? 'every type' : on.join(', ')
  test(`reports ${id} in the ${level} of ${types}`, () => {
    for (const asset_type of assetTypes) {
      for (const change of broken) {
        const report = checkListing({ ...complete, asset_type, ...change })
        const applies = on.includes(asset_type)
        assert.deepEqual(ids(report[level]), applies ? [id] : [])
        assert.equal(report.ready, !(applies && level === 'errors'))
        assert.equal(ids(report.passes).includes(id), false)
      }
    }
  })
}

test('every item of the report names its field and says what to do', () => {
  const nothing: ListingFacts = {
    ...complete,
    tagline: '',
    tags: [],
    genres: [],
    inputs: [],
    engines: [],
    session_bucket: null,
    net: null,
    players_min: null,
    players_max: null,
    has_parent: false,
    cover: null,
    thumbnail: null,
    gallery: 0,
    clean_builds: 0,
    similar: 0,
    editor_package: null,
    web_build: null,
  }
  for (const asset_type of assetTypes) {
    const { ready, errors, warnings, passes } = checkListing({ ...nothing, asset_type })
    assert.equal(ready, false)
    assert.deepEqual(passes, [])
    for (const item of [...errors, ...warnings]) {
      assert.deepEqual(Object.keys(item), ['id', 'field', 'message'])
      assert.match(item.message, /^[A-Z][^\n]{10,}$/)
      assert.ok(item.field)
    }
  }
})

test('what is wrong with a build for browsers is reported with the names of its files', () => {
  const details = (web_build: ListingFacts['web_build']) =>
    Object.fromEntries(
      checkListing({ ...complete, web_build }).warnings.map(({ id, details }) => [id, details]),
    )
  const reference = { file: 'index.html', reference: '/Game.js' }
  assert.deepEqual(
    details({
      problem: 'too_large',
      detail: String(3 * 1024 ** 3),
      warnings: [
        { kind: 'absolute', ...reference },
        { kind: 'case', ...reference, entry: 'game.js' },
      ],
    }),
    {
      web_size: ['3.0 GiB'],
      web_paths: ['index.html: /Game.js'],
      web_case: ['index.html: /Game.js → game.js'],
    },
  )
  assert.deepEqual(details({ problem: 'no_index', detail: '', warnings: [] }), {
    web_index: undefined,
  })
  const many = Array.from({ length: 30 }, (_, n) => ({
    kind: 'case' as const,
    ...reference,
    entry: `game-${n}.js`,
  }))
  assert.equal(details({ problem: null, detail: '', warnings: many }).web_case!.length, 10)
})

test('newErrors returns exactly the errors that an edit adds', () => {
  const report = (some: Partial<ListingFacts>) => checkListing({ ...complete, ...some })
  assert.deepEqual(newErrors(report({}), report({ genres: [], net: null })), [
    'genre',
    'network_mode',
  ])
  assert.deepEqual(newErrors(report({ genres: [] }), report({ genres: [], net: null })), [
    'network_mode',
  ])
  assert.deepEqual(newErrors(report({ genres: [] }), report({})), [])
  assert.deepEqual(newErrors(report({}), report({ tagline: '', similar: 0 })), [])
  assert.deepEqual(
    newErrors(report({ has_parent: false }), report({ asset_type: 'mod', has_parent: false })),
    ['parent'],
  )
})

test('property: edits that add no error keep a ready listing ready', () => {
  const change = fc.record(
    {
      asset_type: fc.constantFrom(...assetTypes),
      tags: fc.constantFrom<string[]>([], ['a', 'b', 'c']),
      genres: fc.constantFrom<ListingFacts['genres']>([], ['action']),
      engines: fc.constantFrom<string[]>([], ['e']),
      net: fc.constantFrom(null, 'online' as const),
      has_parent: fc.boolean(),
      gallery: fc.nat(5),
      tagline: fc.constantFrom('', 'x'),
    },
    { requiredKeys: [] },
  )
  fc.assert(
    fc.property(fc.array(change, { maxLength: 8 }), (changes) => {
      let facts = complete
      for (const some of changes) {
        const next = { ...facts, ...some }
        if (newErrors(checkListing(facts), checkListing(next)).length === 0) facts = next
        assert.equal(checkListing(facts).ready, true)
      }
    }),
  )
})

const day = (text: string) => new Date(text)

test('pages that were public when the check began have a grace period of 30 days', () => {
  const check_since = day('2025-03-01T00:00:00Z')
  const public_since = day('2025-02-01T00:00:00Z')
  assert.equal(
    graceOver({ check_since, public_since, now: day('2025-03-30T23:59:59.999Z') }),
    false,
  )
  assert.equal(graceOver({ check_since, public_since, now: day('2025-03-31T00:00:00Z') }), true)
})

test('pages published after the check began have no grace period', () => {
  const check_since = day('2025-03-01T00:00:00Z')
  const now = day('2026-01-01T00:00:00Z')
  assert.equal(graceOver({ check_since, public_since: check_since, now }), true)
  assert.equal(
    graceOver({ check_since, public_since: day('2025-03-01T00:00:00.001Z'), now }),
    false,
  )
  assert.equal(graceOver({ check_since, public_since: null, now }), false)
})

test('without a configured date the grace rule is off', () => {
  assert.equal(
    graceOver({ check_since: null, public_since: day('2020-01-01'), now: day('2030-01-01') }),
    false,
  )
})
