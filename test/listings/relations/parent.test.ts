import assert from 'node:assert/strict'
import test from 'node:test'
import { assetTypes, visibilities } from '../../../src/listings/fields/fields.ts'
import {
  checkParent,
  type ParentFacts,
  parentAfter,
  parentRule,
  readParent,
} from '../../../src/listings/relations/parent.ts'
import { letters, refused, wide } from '../refused.ts'

const refusedHere = (field: string, act: () => unknown) => refused('INVALID_PARENT', field, act)
const mod = { uid: 'mod-1', asset_type: 'mod' } as const
const facts = (some: Partial<NonNullable<ParentFacts>> = {}): ParentFacts => ({
  uid: 'game-1',
  asset_type: 'game',
  visibility: 'public',
  is_editor: false,
  ...some,
})

test('a parent is forbidden for games and asset packs, optional for applications', () => {
  const rules = {
    game: 'none',
    game_asset: 'none',
    dev_asset: 'none',
    application: 'optional',
    tool: 'required',
    mod: 'required',
    plugin: 'required',
  }
  assert.deepEqual(parentRule, rules)
})

test('a parent is a listing or an external title', () => {
  assert.deepEqual(readParent({ game: ' my-game ' }), { game: 'my-game' })
  const external = { external_name: 'Other Game', external_url: 'https://example.com/other' }
  assert.deepEqual(readParent(external), external)
  assert.deepEqual(readParent({ game: '', ...external }), external)
  assert.deepEqual(readParent({ game: 'my-game', external_name: '', external_url: null }), {
    game: 'my-game',
  })
  assert.equal(readParent(null), null)
})

test('rejects a parent with both forms or neither', () => {
  const both = { game: 'my-game', external_name: 'Other', external_url: 'https://example.com' }
  for (const parent of [
    {},
    both,
    { game: 'a', external_url: 'https://example.com' },
    { game: '' },
    { game: null },
    'my-game',
    5,
    [],
    undefined,
  ]) {
    refusedHere('parent', () => readParent(parent))
  }
  for (const game of ['  ', 5, {}, letters(65)])
    refusedHere('parent.game', () => readParent({ game }))
})

test('an external parent has a name of 1 to 120 characters in one line', () => {
  const named = (external_name: unknown) => () =>
    readParent({ external_name, external_url: 'https://example.com' })
  for (const name of ['x', letters(120), wide(120)])
    assert.deepEqual(named(name)(), { external_name: name, external_url: 'https://example.com' })
  for (const name of ['', ' ', letters(121), wide(121), 'a\nb', undefined, 5])
    refusedHere('parent.external_name', named(name))
})

test('rejects an external parent without an https link', () => {
  const linked = (external_url: unknown) => () =>
    readParent({ external_name: 'Other', external_url })
  for (const url of [
    undefined,
    null,
    '',
    'http://example.com',
    'example.com',
    'https://me@example.com',
    'https://localhost',
    'https://10.0.0.1',
    5,
  ]) {
    refusedHere('parent.external_url', linked(url))
  }
  const of = (length: number) => `https://example.com/${letters(length - 20)}`
  assert.ok(linked(of(255))())
  refusedHere('parent.external_url', linked(of(256)))
})

test('a parent is a game or an application', () => {
  for (const asset_type of assetTypes) {
    const act = () => checkParent(mod, facts({ asset_type }))
    if (asset_type === 'game' || asset_type === 'application') assert.equal(act(), 'game-1')
    else refusedHere('parent.game', act)
  }
})

test('rejects a listing as its own parent', () => {
  const app = { uid: 'app-1', asset_type: 'application' } as const
  refusedHere('parent.game', () =>
    checkParent(app, facts({ uid: 'app-1', asset_type: 'application', is_editor: true })),
  )
  assert.equal(checkParent({ ...app, uid: null }, facts()), 'game-1')
})

test('a parent of another developer must be public, an own one can have any visibility', () => {
  for (const visibility of visibilities) {
    assert.equal(checkParent(mod, facts({ visibility, is_editor: true })), 'game-1')
    if (visibility === 'public') assert.equal(checkParent(mod, facts({ visibility })), 'game-1')
    else refusedHere('parent.game', () => checkParent(mod, facts({ visibility })))
  }
})

test('a hidden parent of another developer is rejected exactly like a missing one', () => {
  const missing = refusedHere('parent.game', () => checkParent(mod, null))
  const hidden = refusedHere('parent.game', () =>
    checkParent(mod, facts({ visibility: 'draft', asset_type: 'tool' })),
  )
  assert.deepEqual([hidden.message, hidden.data], [missing.message, missing.data])
  assert.deepEqual([missing.code, missing.status], [4233, 422])
})

test('changing to a type without a parent removes it, and such a type rejects one', () => {
  for (const asset_type of assetTypes) {
    const has_none = parentRule[asset_type] === 'none'
    if (has_none) refusedHere('parent', () => checkParent({ uid: 'x', asset_type }, facts()))
    assert.equal(parentAfter(asset_type, 'game-1'), has_none ? null : 'game-1')
  }
})
