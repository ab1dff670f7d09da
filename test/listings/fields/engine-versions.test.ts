import assert from 'node:assert/strict'
import test from 'node:test'
import {
  type CompatRange,
  checkCompat,
  compareVersions,
  covers,
  normalizeVersion,
  parseVersion,
} from '../../../src/listings/fields/engine-versions.ts'
import { operatingSystems } from '../../../src/listings/fields/platforms.ts'
import { compatStatus, worstStatus } from '../../../src/listings/relations/engine-compat.ts'
import { fc } from '../../support/property.ts'
import { letters, refused } from '../refused.ts'

const v = (text: string) => parseVersion(text)!
const order = (a: string, b: string) => compareVersions(v(a), v(b))
const inRange = (min_version: string | null, max_version: string | null, version: string) =>
  covers({ min_version, max_version }, v(version))

// Few numbers and words, so that equal, prefixed and adjacent versions are generated often.
const number = fc.constantFrom('0', '1', '2', '9', '10', '010')
const numbers = fc.array(number, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('.'))
const pre = fc.constantFrom('', '', '-beta', '-beta2', '-beta.2', '-beta10', '-rc1', '-1', '-.')
const version = fc.tuple(numbers, pre).map(([release, ending]) => release + ending)

test('a version is one to four numbers and an optional pre-release, in lower case', () => {
  const good = {
    '4': '4',
    '4.2': '4.2',
    'v4.2.1': '4.2.1',
    'V4.3-Beta2': '4.3-beta2',
    ' 1.2.3.4 ': '1.2.3.4',
    '1-rc.1': '1-rc.1',
  }
  for (const [text, normalized] of Object.entries(good))
    assert.equal(normalizeVersion(text), normalized)
  for (const text of [
    '',
    'v',
    'latest',
    '4.',
    '.4',
    '4..2',
    '1.2.3.4.5',
    '4.2-',
    '4.2 beta',
    '4.2-β',
    '4,2',
    'vv4',
    '4.x',
  ])
    assert.equal(normalizeVersion(text), null)
})

test('a version has at most 32 characters', () => {
  assert.equal(normalizeVersion(`1-${letters(30)}`), `1-${letters(30)}`)
  assert.equal(normalizeVersion(`1-${letters(31)}`), null)
})

test('versions are compared as numbers, and a pre-release comes before its release', () => {
  const rising = [
    '0',
    '1.9',
    '1.10',
    '4.2-alpha',
    '4.2-beta2',
    '4.2-beta10',
    '4.2-rc1',
    '4.2',
    '4.2.1',
    '4.3-1',
    '4.3-beta',
    '4.3',
    '10',
  ]
  for (const [i, a] of rising.entries()) {
    for (const [j, b] of rising.entries()) assert.equal(order(a, b), Math.sign(i - j), `${a} ${b}`)
  }
  for (const same of ['4.2.0', '4.2.0.0', 'v4.2', '04.02']) assert.equal(order('4.2', same), 0)
  for (const same of ['4.2.0-beta2', '4.2-beta.2', '4.2-BETA2'])
    assert.equal(order('4.2-beta2', same), 0)
})

test('property: comparing versions is a total order', () => {
  fc.assert(
    fc.property(version, version, version, (a, b, c) => {
      assert.equal(order(a, a), 0)
      assert.ok(Object.is(order(a, b) + 0, -order(b, a) + 0))
      if (order(a, b) <= 0 && order(b, c) <= 0) assert.ok(order(a, c) <= 0)
    }),
    { numRuns: 1000 },
  )
})

test('a maximum without a patch number covers all patches, one without a minor all minors', () => {
  for (const inside of ['4.2', '4.2.9', '4.2.9.1', '4.2.9-beta', '4.1.99', '3.9', '4.2-rc1'])
    assert.equal(inRange(null, '4.2', inside), true, inside)
  for (const outside of ['4.3', '4.3-beta1', '4.10', '5'])
    assert.equal(inRange(null, '4.2', outside), false, outside)
  assert.equal(inRange(null, '4', '4.99.1'), true)
  assert.equal(inRange(null, '4', '5-beta'), false)
  assert.equal(inRange(null, '4.2.3', '4.2.3'), true)
  assert.equal(inRange(null, '4.2.3', '4.2.4'), false)
  assert.equal(inRange(null, '4.2.0', '4.2'), true)
})

test('a pre-release as a maximum covers nothing after it', () => {
  assert.equal(inRange(null, '4.3-beta2', '4.3-beta2'), true)
  assert.equal(inRange(null, '4.3-beta2', '4.3-beta3'), false)
  assert.equal(inRange(null, '4.3-beta2', '4.3'), false)
  assert.equal(inRange(null, '4.3-beta2', '4.2.9'), true)
})

test('a range includes its minimum but not the pre-releases of it', () => {
  assert.equal(inRange('4.2', null, '4.2'), true)
  assert.equal(inRange('4.2', null, '4.2.0'), true)
  assert.equal(inRange('4.2', null, '4.1.9'), false)
  assert.equal(inRange('4.2', null, '4.2-rc1'), false)
  assert.equal(inRange('4.2-rc1', null, '4.2-rc1'), true)
  assert.equal(inRange(null, null, '0'), true)
})

test('property: inRange agrees with a simple implementation', () => {
  const end = fc.option(version, { nil: null })
  const numbersOf = (text: string) => text.split('-')[0]!.split('.').map(Number)
  const isPatchOf = (text: string, max: string) =>
    !max.includes('-') && numbersOf(max).every((part, i) => (numbersOf(text)[i] ?? 0) === part)
  fc.assert(
    fc.property(end, end, version, (min, max, text) => {
      const naive =
        (min === null || order(text, min) >= 0) &&
        (max === null || order(text, max) <= 0 || isPatchOf(text, max))
      assert.equal(inRange(min, max, text), naive)
    }),
    { numRuns: 1000 },
  )
})

const refusedHere = (field: string, ranges: unknown) =>
  refused('INVALID_COMPAT', field, () => checkCompat(ranges))

test('an engine range needs an engine, and everything else is optional', () => {
  const open: CompatRange = {
    engine: 'my-engine',
    min_version: null,
    max_version: null,
    renderer: null,
    platform: null,
  }
  assert.deepEqual(checkCompat([{ engine: 'my-engine' }]), [open])
  assert.deepEqual(
    checkCompat([
      { engine: 'my-engine', min_version: '', max_version: null, renderer: '', platform: '' },
    ]),
    [open],
  )
  const full = {
    engine: 'e',
    min_version: 'v4.1',
    max_version: '4.3-Beta2',
    renderer: 'forward-plus',
    platform: ' Mac ',
  }
  assert.deepEqual(checkCompat([full]), [
    {
      engine: 'e',
      min_version: '4.1',
      max_version: '4.3-beta2',
      renderer: 'forward-plus',
      platform: 'macos',
    },
  ])
  assert.deepEqual(checkCompat([]), [])
  for (const engine of [undefined, null, '', 'My Engine', letters(33), 4])
    refusedHere('ranges[0].engine', [{ engine }])
})

test('a listing has at most 10 engine ranges', () => {
  const ranges = (count: number) => Array.from({ length: count }, () => ({ engine: 'e' }))
  assert.equal(checkCompat(ranges(10)).length, 10)
  const refusal = refusedHere('ranges', ranges(11))
  assert.deepEqual([refusal.code, refusal.status], [4230, 422])
  for (const value of [null, {}, 'e', undefined]) refusedHere('ranges', value)
  for (const value of [null, 'e', []]) refusedHere('ranges[1]', [{ engine: 'e' }, value])
})

test('rejects a version without numbers, an invalid renderer and an unknown platform', () => {
  for (const bad of ['latest', 'v', 4.2, {}, '1.2.3.4.5']) {
    refusedHere('ranges[0].min_version', [{ engine: 'e', min_version: bad }])
    refusedHere('ranges[0].max_version', [{ engine: 'e', max_version: bad }])
  }
  for (const renderer of ['Forward+', letters(33), 1])
    refusedHere('ranges[0].renderer', [{ engine: 'e', renderer }])
  for (const platform of operatingSystems)
    assert.equal(checkCompat([{ engine: 'e', platform }])[0]?.platform, platform)
  for (const platform of ['amiga', 'any', 'toString', 1])
    refusedHere('ranges[0].platform', [{ engine: 'e', platform }])
})

test('rejects a minimum above its maximum, and accepts one within it', () => {
  const range = (min_version: string, max_version: string) => [
    { engine: 'e', min_version, max_version },
  ]
  for (const [min, max] of [
    ['4.2', '4.2'],
    ['4.2.5', '4.2'],
    ['4.9', '4'],
    ['4.2-beta', '4.2'],
    ['4.2', '4.2.0'],
  ] as const) {
    assert.equal(checkCompat(range(min, max)).length, 1)
  }
  for (const [min, max] of [
    ['4.3', '4.2'],
    ['4.2.1', '4.2.0'],
    ['4.2', '4.2-beta'],
    ['4.10', '4.9'],
  ] as const)
    refusedHere('ranges[0].min_version', range(min, max))
})

const range = (some: Partial<CompatRange> = {}): CompatRange => ({
  engine: 'e',
  min_version: '4.1',
  max_version: '4.2',
  renderer: null,
  platform: null,
  ...some,
})
const build = { engine: 'e', engine_version: '4.2.3', os: 'linux' }

test('a mod is compatible with a build when one of its ranges covers the engine version', () => {
  assert.equal(compatStatus([range()], build), 'compatible')
  assert.equal(
    compatStatus(
      [range({ max_version: '4.1' }), range({ min_version: '4.2', max_version: null })],
      build,
    ),
    'compatible',
  )
  assert.equal(compatStatus([range({ platform: 'linux' })], build), 'compatible')
})

test('a mod is incompatible when it has ranges for the engine and none matches', () => {
  assert.equal(compatStatus([range({ max_version: '4.1' })], build), 'incompatible')
  assert.equal(
    compatStatus(
      [range({ platform: 'windows' }), range({ platform: 'linux', max_version: '4.1' })],
      build,
    ),
    'incompatible',
  )
})

test('compatibility is unknown without an engine version or a range for the engine', () => {
  assert.equal(compatStatus([range()], { ...build, engine_version: null }), 'unknown')
  assert.equal(compatStatus([range()], { ...build, engine_version: 'custom' }), 'unknown')
  assert.equal(compatStatus([range({ engine: 'other' })], build), 'unknown')
  assert.equal(compatStatus([range()], { ...build, engine: null }), 'unknown')
  assert.equal(compatStatus([range({ platform: 'windows' })], build), 'unknown')
  assert.equal(compatStatus([range({ platform: 'windows' })], { ...build, os: null }), 'unknown')
  assert.equal(compatStatus([], build), 'unknown')
})

test('the overall status is the worst of all platforms', () => {
  assert.equal(worstStatus(['compatible', 'compatible']), 'compatible')
  assert.equal(worstStatus(['compatible', 'unknown']), 'unknown')
  assert.equal(worstStatus(['unknown', 'incompatible', 'compatible']), 'incompatible')
  assert.equal(worstStatus([]), 'unknown')
})
