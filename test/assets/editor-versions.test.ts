import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  chooseVersion,
  editorOf,
  editorWords,
  firstMinors,
  isFor,
  minorWords,
  readEditor,
} from '../../src/listings/fields/editor-versions.ts'
import { covers, parseVersion } from '../../src/listings/fields/engine-versions.ts'
import { fc } from '../support/property.ts'

const range = (min_version: string | null, max_version: string | null) => ({
  min_version,
  max_version,
})
const build = (engine_version: string | null) => ({ engine_version })
const parseEditor = (text: string) => readEditor(text)!

test('an editor version is read as major.minor; patch and pre-release are ignored, junk is rejected', () => {
  for (const text of ['3.2', '3.2.3', 'v3.2', ' 3.2 ', '3.2-beta1', '3.2.3.stable'])
    assert.deepEqual(readEditor(text), { major: 3, minor: 2 }, text)
  assert.deepEqual(readEditor('4'), { major: 4, minor: 99 })
  for (const text of [
    '',
    'x',
    '3.x',
    '.3',
    '-3.2',
    '99.1',
    '3.2e5',
    '3.100',
    '99999999999999999999.1',
    '3,2',
    '٣.٢',
  ])
    assert.equal(readEditor(text), null, text)
  assert.deepEqual(editorOf('GodotEngine/3.2.3.stable.custom_build (X11)'), { major: 3, minor: 2 })
  for (const text of [
    undefined,
    '',
    'curl/8.1',
    'Mozilla/5.0 GodotEngine/3.2',
    'GodotEngine/three',
  ])
    assert.equal(editorOf(text), null)
})

test('a version X.Y covers every release from X.0 to X.Y of that major', () => {
  const works = (
    ranges: ReturnType<typeof range>[],
    builds: ReturnType<typeof build>[],
    version: string,
  ) => isFor(firstMinors(ranges, builds), parseEditor(version))
  const table: [boolean, ReturnType<typeof range>[], ReturnType<typeof build>[], string][] = [
    [true, [], [build('3.2')], '3.2'],
    [true, [], [build('3.0.6')], '3.2'],
    [true, [], [build('3.2.9')], '3.2'],
    [false, [], [build('3.3')], '3.2'],
    [false, [], [build('2.1')], '3.2'],
    [false, [], [build('4.0')], '3.2'],
    [true, [], [build('3')], '3.0'],
    [true, [range('3.0', '3.5')], [], '3.2'],
    [true, [range('3.2', null)], [], '3.2'],
    [true, [range('3.2.3', null)], [], '3.2'],
    [false, [range('3.3', null)], [], '3.2'],
    [true, [range('3.3', null)], [], '4.0'],
    [true, [range(null, '3.1')], [], '3.2'],
    [false, [range(null, '2.9')], [], '3.2'],
    [true, [range(null, null)], [], '3.2'],
    [true, [range('2.1', '4.1')], [], '3.0'],
    [false, [range('3.5', '4.1')], [], '3.2'],
    [true, [range('3.5', '4.1')], [], '4.9'],
    [false, [range('3.5', '4.0-beta2')], [], '4.0'],
    [true, [range('4.1', '4.2'), range('3.0', '3.1')], [], '3.4'],
    [false, [], [build(null)], '3.2'],
  ]
  for (const [fits, ranges, builds, version] of table)
    assert.equal(works(ranges, builds, version), fits, JSON.stringify([ranges, builds, version]))
})

test('property: the first minors of a range match a scan of every release', () => {
  const number = fc.integer({ min: 0, max: 5 })
  const version = fc
    .tuple(number, number, fc.option(number))
    .map(([a, b, c]) => (c === null ? `${a}.${b}` : `${a}.${b}.${c}`))
  const ends = fc
    .tuple(fc.option(version), fc.option(version))
    .filter(([min, max]) => min === null || covers(range(null, max), parseVersion(min)!))
  fc.assert(
    fc.property(ends, number, number, ([min, max], major, minor) => {
      const releases = Array.from({ length: minor + 1 }, (_, m) =>
        Array.from({ length: 7 }, (_, p) => parseVersion(`${major}.${m}.${p}`)!),
      ).flat()
      const is_covered = releases.some((release) => covers(range(min, max), release))
      assert.equal(isFor(firstMinors([range(min, max)], []), { major, minor }), is_covered)
    }),
    { numRuns: 2000 },
  )
})

test('property: the search terms of a package match exactly the editors it is compatible with', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(6), fc.nat(9))),
      fc.nat(6),
      fc.nat(9),
      (made, major, minor) => {
        const first = firstMinors(
          [],
          made.map(([a, b]) => build(`${a}.${b}`)),
        )
        const words = minorWords(first)
        assert.equal(
          editorWords({ major, minor }).some((word) => words.includes(word)),
          isFor(first, { major, minor }),
        )
      },
    ),
  )
})

test('picks the newest version that is compatible with the editor', () => {
  const versions = [
    { name: '3.0', engine_version: '4.2' },
    { name: '2.5', engine_version: null },
    { name: '2.0', engine_version: '3.5' },
    { name: '1.0', engine_version: '3.2' },
  ]
  const chosen = (
    version: string | null,
    ranges = [] as ReturnType<typeof range>[],
    of = versions,
  ) => chooseVersion(of, ranges, version === null ? null : parseEditor(version))?.name
  assert.equal(chosen(null), '3.0', 'who does not say gets the newest')
  assert.equal(chosen('4.3'), '3.0')
  assert.equal(chosen('3.6'), '2.0')
  assert.equal(chosen('3.2'), '1.0')
  assert.equal(chosen('3.1'), undefined)
  assert.equal(
    chosen('3.2', [range('3.0', null)]),
    '2.5',
    'the listing speaks for versions that say nothing',
  )
  assert.equal(
    chosen(
      '3.1',
      [range('3.0', null)],
      versions.filter(({ engine_version }) => engine_version),
    ),
    '2.0',
    'the same major before any other',
  )
  assert.equal(chosen('5.0', [range('3.0', null)], versions.slice(0, 1)), '3.0')
  assert.equal(chosen('5.0', [range('3.0', '4.9')]), undefined)
  assert.equal(chosen('3.2', [], []), undefined)
})
