import assert from 'node:assert/strict'
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import type { Entry, SignedManifest } from '../../../cli/client/manifest.ts'
import { treeFolder } from '../../../cli/client/record.ts'
import { stageVersion } from '../../../cli/client/stage.ts'
import type { StoreApi } from '../../../cli/client/store-api.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { GIB, MIB } from '../../../src/core/runtime/units.ts'
import { applyEntry } from '../../../src/updates/patches/apply.ts'
import { chooseBases } from '../../../src/updates/patches/choose-bases.ts'
import { compressFile, readExactly } from '../../../src/updates/patches/compress.ts'
import { startCompressor } from '../../../src/updates/patches/compressor.ts'
import { PATCH_FORMAT } from '../../../src/updates/patches/format.ts'
import { composePatch } from '../../../src/updates/patches/make.ts'
import { openStoredEntries } from '../../../src/updates/patches/stored-entries.ts'
import { treeOf } from '../../cli/client/fixtures.ts'
import { temporaryFolder } from '../../support/app.ts'
import { IS_FULL_RUN, loopCount } from '../../support/loop-count.ts'
import { fc } from '../../support/property.ts'
import { zip } from '../../uploads/zips.ts'
import { noise } from './fixtures.ts'

const PAIRS = loopCount({ short: 60, full: 2000 })

type TreeFile = { name: string; body: Buffer; mode: number; method: number }

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

const isLink = ({ mode }: TreeFile) => mode === 0o120777
const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const entryOf = (item: TreeFile): Entry => ({
  path: item.name,
  size: item.body.length,
  mode: item.mode & 0o777,
  sha256: hashOf(item.body),
  ...(isLink(item) && { link: item.body.toString('utf8') }),
})

type Release = { uid: string; entries: Entry[]; bytes: Buffer; files: TreeFile[] }
const releaseOf = (files: TreeFile[]): Release => ({
  uid: randomUUID(),
  entries: files.map(entryOf),
  bytes: zip(files),
  files,
})

const expectedTree = ({ files }: Release) =>
  Object.fromEntries(
    files.flatMap((item) => {
      const steps = item.name.split('/').slice(0, -1)
      const folders = steps.map((_, n) => [`${steps.slice(0, n + 1).join('/')}/`, ''])
      const permissions = (item.mode & 0o777).toString(8)
      const value = isLink(item)
        ? `-> ${item.body}`
        : `${permissions} ${item.body.toString('latin1')}`
      return item.name.endsWith('/') ? folders : [...folders, [item.name, value]]
    }),
  )

const entriesOf = ({ uid, bytes }: Release) =>
  openStoredEntries(
    {
      config: { zip_max_entries: 1000 },
      storage: {
        get: async (_: string, { start, end }: { start: number; end: number }) => ({
          stream: Readable.from([bytes.subarray(start, end + 1)]),
        }),
      },
    } as unknown as Core,
    { uid, object_uid: uid, game_uid: uid, size: bytes.length, os: 'linux' },
  )

const ignore = () => {}
const ui = {
  note: ignore,
  warn: ignore,
  print: ignore,
  hide: ignore,
  scrub: (text: string) => text,
  progress: () => ({ at: ignore, step: ignore, hide: ignore, end: ignore }),
}

/** A store that sends the zip of a release and its patch. */
function storeOf(release: Release, patch: Buffer | undefined) {
  const requested: string[] = []
  const api = {
    settings: {},
    ui,
    signal: new AbortController().signal,
    get: async (path: string) => {
      requested.push(path)
      return { url: path, expires_at: '2999-01-01T00:00:00Z' }
    },
    range: async (url: string, start: number, end: number) =>
      Readable.from([
        (url.includes('/patches/') ? patch! : release.bytes).subarray(start, end + 1),
      ]),
  } as unknown as StoreApi
  return { api, requested }
}

function signedOf({ uid, entries, bytes }: Release, patch?: { from: Release; bytes: Buffer }) {
  const patches = patch && [
    {
      patch_uid: uid,
      from_file: patch.from.uid,
      size: patch.bytes.length,
      sha256: hashOf(patch.bytes),
      format: PATCH_FORMAT,
    },
  ]
  const file = { file_uid: uid, size: bytes.length, sha256: hashOf(bytes), os: '', arch: '' }
  return {
    manifest: { game_uid: uid, build_id: uid, version: '1', file, patches },
    signature: '',
    entries,
  } as unknown as SignedManifest
}

async function patchBetween(old: Release, next: Release, folder: string) {
  const changed = chooseBases(old.entries as never, next.entries as never)
  const [old_zip, new_zip] = await Promise.all([entriesOf(old), entriesOf(next)])
  const made = await composePatch(
    { from_file: old.uid, to_file: next.uid },
    { changed: changed as never, old_zip, new_zip, folder, pass: 1, compress: compressFile },
  )
  return made && { from: old, bytes: readFileSync(made.path) }
}

test(`any tree becomes any other through a patch, ${PAIRS} times`, async (t) => {
  const parent = temporaryFolder(t)
  let patched = 0
  const stage = async (
    release: Release,
    folder: string,
    patch?: Parameters<typeof signedOf>[1],
    current?: string,
  ) => {
    const { api, requested } = storeOf(release, patch?.bytes)
    const signed = signedOf(release, patch)
    const { id } = await stageVersion({ api, folder, signed, current, label: '' })
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

/** The largest memory of a process so far, in MiB. */
const peakOf = (pid: number) =>
  Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024

const LARGE = IS_FULL_RUN ? 4 * GIB + 300 * MIB : 40 * MIB

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
  const compressor = startCompressor(new AbortController().signal)
  const segments = await compressor.compress({
    ...{ old_file, new_file, out },
    pass: 1,
    // Without the program, bases are smaller, and so may be the file.
    only_here: !IS_FULL_RUN,
  })
  const peak = peakOf(compressor.pid)
  compressor.stop()
  const packed = segments.reduce((sum, { length }) => sum + length, 0)
  // At most one block was too far away from the others of its segment.
  assert.ok(packed < 1.5 * block.length, `${packed} bytes for blocks that moved`)
  assert.ok(peak < 600, `${peak} MiB`)
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
