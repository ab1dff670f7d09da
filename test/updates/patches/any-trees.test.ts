import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { treeFolder } from '../../../cli/client/record.ts'
import { stageVersion } from '../../../cli/client/stage/stage.ts'
import { GIB, MIB } from '../../../src/core/runtime/units.ts'
import { applyEntry } from '../../../src/updates/patches/apply.ts'
import { readExactly } from '../../../src/updates/patches/compress.ts'
import { startCompressor } from '../../../src/updates/patches/compressor.ts'
import { treeOf } from '../../cli/client/fixtures.ts'
import { temporaryFolder } from '../../support/app.ts'
import { IS_FULL_RUN, loopCount } from '../../support/loop-count.ts'
import { peakMemory } from '../../support/memory.ts'
import { fc } from '../../support/property.ts'
import { noise } from './noise.ts'
import {
  expectedTree,
  patchBetween,
  type Release,
  type ReleasePatch,
  releaseOf,
  signedOf,
  storeOf,
  type TreeFile,
} from './releases.ts'

const PAIRS = loopCount({ short: 30, full: 2000 })

/** Pieces that files share, so that some are much alike, within a tree and between two. */
const pieces = [
  ...[1, 40, 700, 3000, 9000, 20_000].map((size) => noise(`piece ${size}`, size)),
  Buffer.alloc(5000),
  Buffer.from('text that repeats '.repeat(200)),
  // The first bytes of a dictionary that was trained.
  Buffer.from([0x37, 0xa4, 0x30, 0xec, 1, 2, 3, 4]),
]
const contents = fc
  .array(
    fc.oneof(
      { weight: 3, arbitrary: fc.constantFrom(...pieces) },
      fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
    ),
    { maxLength: 6 },
  )
  .map((parts) => Buffer.concat(parts))
const names = ['game', 'b.pak', 'data/b.pak', 'data/c.pak', 'data/v1.7.pak', 'data/v1.8.pak']
const file = fc.record({
  name: fc.constantFrom(...names, 'data/deep/level.dat', 'mods/level.dat'),
  body: contents,
  mode: fc.constantFrom(0o100644, 0o100755, 0o100600),
  method: fc.constantFrom(0, 8),
})
const link = fc.record({
  name: fc.constantFrom('current', 'data/latest'),
  body: fc.constantFrom('game', 'b.pak', 'nowhere').map((target) => Buffer.from(target)),
  mode: fc.constant(0o120777),
  method: fc.constant(0),
})
const emptyFolder = fc.record({
  name: fc.constantFrom('saves/', 'data/empty/'),
  body: fc.constant(Buffer.alloc(0)),
  mode: fc.constant(0o40755),
  method: fc.constant(0),
})
const tree = fc.uniqueArray(
  fc.oneof({ weight: 6, arbitrary: file }, link, emptyFolder) as fc.Arbitrary<TreeFile>,
  { selector: ({ name }) => name, maxLength: 10 },
)

test(`any tree becomes any other through a patch, ${PAIRS} times`, async (t) => {
  const parent = temporaryFolder(t)
  let patched = 0
  const stage = async (
    release: Release,
    folder: string,
    patch?: ReleasePatch,
    current?: string,
  ) => {
    const { api, requested } = storeOf(release, patch)
    const signed = signedOf(release, patch)
    const { id } = await stageVersion({
      ...{ api, folder, signed, current, name: '' },
      step: 'update',
    })
    return { id, tree: treeOf(treeFolder(folder, id)), requested }
  }
  await fc.assert(
    fc.asyncProperty(tree, tree, async (before, after) => {
      const folder = join(parent, randomUUID())
      mkdirSync(folder)
      const [old, next] = [releaseOf(before), releaseOf(after)]
      const patch = await patchBetween(old, next, folder)
      const first = await stage(old, join(folder, 'game'))
      assert.deepEqual(first.tree, expectedTree(old))
      const second = await stage(next, join(folder, 'game'), patch, first.id)
      assert.deepEqual(second.tree, expectedTree(next))
      if (patch && second.requested.some((path) => path.includes('/patches/'))) patched++
      rmSync(folder, { recursive: true })
    }),
    { numRuns: PAIRS },
  )
  assert.ok(patched > PAIRS / 20, `only ${patched} of ${PAIRS} updates used a patch`)
  t.diagnostic(`${patched} of ${PAIRS} updates used a patch`)
})

const LARGE = IS_FULL_RUN ? 4 * GIB + 300 * MIB : 34 * MIB

test('a file larger than a base is patched from where its data was, in bounded memory', async (t) => {
  const folder = temporaryFolder(t)
  const old_file = join(folder, 'old')
  const new_file = join(folder, 'new')
  const out = join(folder, 'out')
  const block = noise('block', 300_000)
  /** A sparse file with a few blocks, each at another place and with other bytes. */
  const write = async (path: string, size: number, shift: number) => {
    const handle = await open(path, 'w')
    await handle.truncate(size)
    for (let n = 0; n < 6; n++) {
      const at = Math.floor((size / 7) * (((n + shift) % 6) + 0.5))
      await handle.write(
        block.map((byte) => byte ^ (n * 37)),
        0,
        block.length,
        at,
      )
    }
    await handle.close()
  }
  await write(old_file, LARGE, 0)
  await write(new_file, LARGE + 12_345, 1)
  const compressor = await startCompressor(new AbortController().signal)
  const segments = await compressor.compress({
    ...{ old_file, new_file, out },
    pass: 1,
    // Without the program, bases are smaller, and so may be the file.
    only_here: !IS_FULL_RUN,
  })
  const peak = peakMemory(compressor.pid) / 1e6
  compressor.stop()
  const packed = segments.reduce((sum, { length }) => sum + length, 0)
  // At most one block was too far away from the others of its segment.
  assert.ok(packed < 1.5 * block.length, `${packed} bytes for blocks that moved`)
  assert.ok(peak < 600, `${peak} MB`)
  const [base, frames, expected] = await Promise.all([open(old_file), open(out), open(new_file)])
  let at = 0
  const made = applyEntry(
    { offset: 0, segments },
    {
      readBase: (start, size) => readExactly(base, start, size),
      readFrames: (start, size) => readExactly(frames, start, size),
    },
  )
  for await (const bytes of made) {
    assert.ok(bytes.equals(await readExactly(expected, at, bytes.length)), `differs near ${at}`)
    at += bytes.length
  }
  assert.equal(at, LARGE + 12_345)
  await Promise.all([base.close(), frames.close(), expected.close()])
  t.diagnostic(`${packed} bytes, ${Math.round(peak)} MiB`)
})
