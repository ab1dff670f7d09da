import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type AssetType,
  assetTypes,
  licenseKinds,
  visibilities,
} from '../../../src/listings/fields/fields.ts'
import {
  checkDependencies,
  checkLicense,
  checkSimilar,
  type DependencyKind,
  dependencyKinds,
  readDependencies,
  readSimilar,
  type Target,
} from '../../../src/listings/relations/relations.ts'
import { refused } from '../refused.ts'

const me = { uid: 'me', asset_type: 'game' } as const
const target = (uid: string, asset_type: AssetType = 'game'): Target => ({
  uid,
  asset_type,
  visibility: 'public',
})
const names = (count: number) => Array.from({ length: count }, (_, n) => `game-${n}`)

const notSimilar = (field: string, act: () => unknown) => refused('INVALID_SIMILAR', field, act)

test('accepts up to 10 similar titles', () => {
  assert.deepEqual(readSimilar(names(10)), names(10))
  assert.deepEqual(readSimilar([]), [])
  notSimilar('games', () => readSimilar(names(11)))
  for (const value of [null, 'a', {}, undefined]) notSimilar('games', () => readSimilar(value))
  for (const value of ['', 5, null, {}]) notSimilar('games[1]', () => readSimilar(['a', value]))
})

test('similar titles preserve their order', () => {
  assert.deepEqual(checkSimilar(me, [target('c'), target('a'), target('b')]), ['c', 'a', 'b'])
  assert.deepEqual(checkSimilar(me, []), [])
})

test('rejects the listing itself or a duplicate as a similar title', () => {
  const refusal = notSimilar('games[1]', () => checkSimilar(me, [target('a'), target('me')]))
  assert.deepEqual([refusal.code, refusal.status], [4072, 422])
  notSimilar('games[2]', () => checkSimilar(me, [target('a'), target('b'), target('a')]))
})

test('similar titles must be public games', () => {
  for (const visibility of visibilities) {
    const act = () => checkSimilar(me, [{ uid: 'a', asset_type: 'game', visibility }])
    if (visibility === 'public') assert.deepEqual(act(), ['a'])
    else notSimilar('games[0]', act)
  }
  for (const asset_type of assetTypes.filter((type) => type !== 'game'))
    notSimilar('games[0]', () => checkSimilar(me, [target('a', asset_type)]))
})

test('a hidden title is rejected exactly like a missing one', () => {
  const missing = notSimilar('games[0]', () => checkSimilar(me, [null]))
  const hidden = notSimilar('games[0]', () =>
    checkSimilar(me, [{ uid: 'a', asset_type: 'tool', visibility: 'draft' }]),
  )
  assert.equal(hidden.message, missing.message)
})

const notDependency = (path: string, act: () => unknown) =>
  refused('INVALID_DEPENDENCY', `dependencies${path}`, act)

test('accepts up to 50 dependencies, each with a game and a kind', () => {
  const many = (count: number) => names(count).map((game) => ({ game, kind: 'uses' }))
  assert.deepEqual(readDependencies(many(50)), many(50))
  assert.deepEqual(readDependencies([{ game: 'a', kind: 'supports', name: 'extra' }]), [
    { game: 'a', kind: 'supports' },
  ])
  const refusal = notDependency('', () => readDependencies(many(51)))
  assert.deepEqual([refusal.code, refusal.status], [4229, 422])
  for (const value of [null, {}, 'a']) notDependency('', () => readDependencies(value))
  for (const value of [null, 'a', []]) notDependency('[0]', () => readDependencies([value]))
  for (const game of [undefined, '', 5])
    notDependency('[0].game', () => readDependencies([{ game, kind: 'uses' }]))
  for (const kind of [undefined, '', 'needs', 'Uses', 5])
    notDependency('[0].kind', () => readDependencies([{ game: 'a', kind }]))
})

const allowedTargets: Record<DependencyKind, AssetType[]> = {
  uses: ['game_asset', 'dev_asset', 'plugin'],
  supports: ['game', 'application', 'tool'],
  made_with: ['tool'],
}

for (const kind of dependencyKinds) {
  test(`${kind} accepts the types ${allowedTargets[kind].join(', ')}`, () => {
    for (const asset_type of assetTypes) {
      const act = () =>
        checkDependencies({ uid: 'me', asset_type: 'mod' }, [
          { kind, target: target('a', asset_type) },
        ])
      if (allowedTargets[kind].includes(asset_type)) assert.deepEqual(act(), [{ uid: 'a', kind }])
      else notDependency('[0].game', act)
    }
  })
}

test('only mods and plugins have supports links; every type has the other kinds', () => {
  for (const asset_type of assetTypes) {
    const from = (kind: DependencyKind, linked: Target) => () =>
      checkDependencies({ uid: 'me', asset_type }, [{ kind, target: linked }])
    if (asset_type === 'mod' || asset_type === 'plugin') assert.ok(from('supports', target('a'))())
    else notDependency('[0].kind', from('supports', target('a')))
    assert.ok(from('uses', target('a', 'plugin'))())
    assert.ok(from('made_with', target('a', 'tool'))())
  }
})

test('a dependency must be another, public listing', () => {
  const plugin = { uid: 'me', asset_type: 'plugin' } as const
  notDependency('[0].game', () =>
    checkDependencies(plugin, [{ kind: 'uses', target: target('me', 'plugin') }]),
  )
  const missing = notDependency('[0].game', () =>
    checkDependencies(plugin, [{ kind: 'uses', target: null }]),
  )
  for (const visibility of visibilities.filter((name) => name !== 'public')) {
    const hidden = notDependency('[0].game', () =>
      checkDependencies(plugin, [
        { kind: 'uses', target: { uid: 'a', asset_type: 'plugin', visibility } },
      ]),
    )
    assert.equal(hidden.message, missing.message)
  }
})

test('rejects the same link twice, and accepts two kinds of link to one listing', () => {
  const mod = { uid: 'me', asset_type: 'mod' } as const
  const tool = target('a', 'tool')
  assert.equal(
    checkDependencies(mod, [
      { kind: 'supports', target: tool },
      { kind: 'made_with', target: tool },
    ]).length,
    2,
  )
  notDependency('[1]', () =>
    checkDependencies(mod, [
      { kind: 'made_with', target: tool },
      { kind: 'made_with', target: tool },
    ]),
  )
})

test('a license kind is one of six, or null', () => {
  assert.equal(licenseKinds.join(', '), 'cc0, cc-by, cc-by-sa, paid, source-available, proprietary')
  for (const kind of [...licenseKinds, null]) assert.equal(checkLicense(kind), kind)
  for (const kind of ['mit', '', 'CC0', 5, undefined, []])
    refused('INVALID_LICENSE', 'license_kind', () => checkLicense(kind))
})
