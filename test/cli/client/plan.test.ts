import assert from 'node:assert/strict'
import { linkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { checkPaths, foldsCase } from '../../../cli/client/paths.ts'
import { planParts } from '../../../cli/client/remote-zip.ts'
import type { ZipEntry } from '../../../src/uploads/zip/directory.ts'
import { temporaryFolder } from '../../support/app.ts'
import { fc } from '../../support/property.ts'

const MIB = 1024 * 1024

test('the parts of a plan cover every needed entry once, in order and without overlap', () => {
  const lengths = fc.array(fc.integer({ min: 1, max: 12 * MIB }), { minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(lengths, fc.infiniteStream(fc.boolean()), (sizes, choices) => {
      let offset = 0
      const all = sizes.map((size, n) => {
        const entry = { path: String(n), offset, compressed: size - 1 } as ZipEntry
        offset += size
        return entry
      })
      const needed = all.filter(() => choices.next().value)
      const parts = planParts(needed, all, offset)
      assert.deepEqual(
        parts.flatMap(({ entries }) => entries),
        needed,
      )
      for (const [n, { start, end, entries, is_large }] of parts.entries()) {
        assert.ok(n === 0 || start > parts[n - 1]!.end)
        assert.equal(start, entries[0]!.offset)
        assert.ok(end >= entries.at(-1)!.offset + entries.at(-1)!.compressed)
        assert.ok(is_large ? entries.length === 1 : end - start < 16 * MIB)
      }
    }),
  )
})

test('paths that leave the folder or cannot be written are refused', () => {
  const check = (path: string, platform: NodeJS.Platform = 'linux', link?: string) =>
    checkPaths(
      [{ path, size: 1, mode: 0o644, sha256: '', ...(link !== undefined && { link }) }],
      false,
      platform,
    )
  for (const path of ['a', 'a/b c/ü', 'folder/', '.hidden', 'a..b', 'con.txt', 'aa:b']) check(path)
  for (const path of ['', '/a', '../a', 'a/../b', 'a//b', './a', 'a\\b', 'a\u0000', 'C:/a', 'a/..'])
    assert.throws(() => check(path), Error, path)
  for (const path of ['con.txt', 'a/NUL', 'aa:b', 'what?'])
    assert.throws(() => check(path, 'win32'), Error, path)
  for (const link of ['b', '../b', 'x/../y']) check('a/l', 'linux', link)
  for (const link of ['', '/etc', '../../b', '..', 'C:/x', 'a\\b'])
    assert.throws(() => check('l', 'linux', link), Error, link)
})

test('files inside a link, and names that a disk cannot tell apart, are refused', () => {
  const entry = (path: string, link?: string) => ({
    path,
    size: 1,
    mode: 0o644,
    sha256: '',
    ...(link && { link }),
  })
  assert.throws(() => checkPaths([entry('a', 'b'), entry('a/file')], false))
  const same = [entry('Data/a'), entry('data/A')]
  const through_link = [entry('Data', 'b'), entry('data/a')]
  for (const both of [same, through_link]) {
    checkPaths(both, false)
    assert.throws(() => checkPaths(both, true))
  }
})

test('whether a disk ignores letter case is probed', async (t) => {
  const folder = temporaryFolder(t)
  const path = join(folder, 'name')
  writeFileSync(path, '')
  assert.equal(await foldsCase(path), false, 'this disk does')
  writeFileSync(join(folder, 'NAME'), '')
  assert.equal(await foldsCase(path), false, 'another file has the other name')
  rmSync(join(folder, 'NAME'))
  // As a disk that does not would have it: the same file under both names.
  linkSync(path, join(folder, 'NAME'))
  assert.equal(await foldsCase(path), true)
  assert.equal(await foldsCase(join(folder, 'missing')), false)
})
