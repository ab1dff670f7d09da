import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { crc32 } from 'node:zlib'
import { combineCrc32, slowCrc32 } from '../../cli/zip/crc32.ts'
import { packZip, ZipTooLarge } from '../../cli/zip/pack.ts'
import { readTree } from '../../cli/zip/tree.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import {
  directoryRecord,
  endOfDirectory,
  FIRST_DOS_TIME,
} from '../../src/core/storage/zip-format.ts'
import { findDirectory, readEntries } from '../../src/uploads/zip/directory.ts'
import { inspectZip } from '../../src/uploads/zip/inspect.ts'
import { temporaryFolder } from '../support/app.ts'
import { IS_FULL_RUN, loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { needs } from '../support/system-packages.ts'
import { sha256 } from '../uploads/zips.ts'
import { tree } from './slipway.ts'

const limits = { max_entries: 1e6, max_unpacked: 1e12 }

async function pack(t: TestContext, folder: string, name = 'a.zip') {
  const path = join(temporaryFolder(t), name)
  const made = await packZip(readTree(folder).items, path)
  const bytes = statSync(path).size
  assert.equal(made.size, bytes)
  return { path, ...made }
}

const directory = (path: string) => {
  const bytes = readFileSync(path)
  return inspectZip(
    async (start, length) => bytes.subarray(start, start + length),
    bytes.length,
    limits,
  )
}

/** Asserts that another program unpacks the zip to the same folder. */
function assertUnzipsTo(t: TestContext, path: string, folder: string) {
  const out = temporaryFolder(t)
  execFileSync('unzip', ['-q', path, '-d', out])
  assert.equal(
    spawnSync('diff', ['-r', '--no-dereference', folder, out], { encoding: 'utf8' }).stdout,
    '',
  )
  const modes = (root: string) =>
    execFileSync('find', ['.', '-printf', '%p %y %m %l\n'], { cwd: root, encoding: 'utf8' })
      .split('\n')
      .sort()
      .slice(2)
  assert.deepEqual(modes(out), modes(folder))
}

/**
 * A folder with tiny, empty, compressible, incompressible, already compressed and executable files,
 * and with links.
 */
function mixedTree(t: TestContext): string {
  const folder = tree(t, {
    'bin/play': '#!/bin/sh\necho play\n',
    'data/empty.txt': '',
    'data-before.txt': 'its name sorts between a folder and what is in it',
    'data/levels/1.txt': 'a level of some length, '.repeat(400),
    'data/long.txt': 'a line that is there again and again, with a number \n'.repeat(70_000),
    'data/noise.bin': randomBytes(3 * MIB + 17),
    'data/half.bin': Buffer.concat([randomBytes(MIB), Buffer.alloc(2 * MIB)]),
    'data/block.txt': 'x'.repeat(MIB),
    'music/tune.ogg': randomBytes(700_000),
    'music/zeros.ogg': Buffer.alloc(2 * MIB),
    'nothing/': '',
    'üñí/ルール.txt': 'names of all kinds',
  })
  chmodSync(join(folder, 'bin/play'), 0o755)
  symlinkSync('levels', join(folder, 'data/current'))
  symlinkSync('../bin/play', join(folder, 'data/start'))
  return folder
}

test('a packed folder unpacks with its modes and links, and the server accepts it', async (t) => {
  if (!needs(t, 'unzip')) return
  const folder = mixedTree(t)
  const { path, checksum } = await pack(t, folder)
  assertUnzipsTo(t, path, folder)
  assert.equal(sha256(readFileSync(path)), checksum)
  assert.match(execFileSync('unzip', ['-t', path], { encoding: 'utf8' }), /No errors detected/)
  const { entries } = await directory(path)
  const method = (name: string) => entries.find((entry) => entry.path === name)!.method
  assert.deepEqual(
    ['data/noise.bin', 'music/tune.ogg', 'music/zeros.ogg', 'bin/play'].map(method),
    [0, 0, 0, 0],
    'an incompressible file was compressed',
  )
  assert.deepEqual(
    ['data/long.txt', 'data/levels/1.txt', 'data/block.txt', 'data/half.bin'].map(method),
    [8, 8, 8, 8],
  )
  assert.deepEqual(
    entries.map(({ path }) => path),
    entries
      .map(({ path }) => path)
      .toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))),
  )
  assert.ok(
    entries.some((entry) => entry.path === 'nothing/'),
    'an empty folder is missing',
  )
})

test('the same tree makes the same bytes for any timestamps and creation order', async (t) => {
  const files = { 'b/x.txt': 'x'.repeat(5000), 'a.txt': 'a', 'c.bin': Buffer.alloc(3 * MIB, 'abc') }
  const first = tree(t, files)
  const second = tree(t, Object.fromEntries(Object.entries(files).reverse()))
  utimesSync(join(second, 'a.txt'), 1, 1)
  chmodSync(join(second, 'a.txt'), 0o600)
  const { checksum } = await pack(t, first)
  assert.equal((await pack(t, second)).checksum, checksum)
  chmodSync(join(second, 'a.txt'), 0o755)
  assert.notEqual((await pack(t, second)).checksum, checksum)
})

test('any folder survives packing and unpacking', async (t) => {
  if (!needs(t, 'unzip')) return
  const name = fc
    .stringMatching(/^[a-zA-Z0-9 _.ü-]{1,12}$/)
    .filter((text) => text.trim() === text && !/^\.+$/.test(text) && text !== '.slipwayignore')
  const body = fc.oneof(
    fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
    fc
      .integer({ min: 0, max: 1_500_000 })
      .map((size) => Buffer.alloc(size, 'the same words again ')),
    fc.integer({ min: 500_000, max: 1_100_000 }).map((size) => randomBytes(size)),
  )
  const entry = fc.record({
    path: fc.array(name, { minLength: 1, maxLength: 3 }),
    body,
    executable: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 12 }), async (entries) => {
      const folder = temporaryFolder(t)
      for (const { path, body, executable } of entries) {
        const file = join(folder, ...path)
        try {
          mkdirSync(dirname(file), { recursive: true })
          writeFileSync(file, body)
          chmodSync(file, executable ? 0o755 : 0o644)
        } catch {
          // The name already belongs to a folder or a file.
        }
      }
      const { path } = await pack(t, folder)
      assertUnzipsTo(t, path, folder)
      await directory(path)
      rmSync(folder, { recursive: true })
    }),
    { numRuns: loopCount({ short: 5, full: 12 }) },
  )
})

// Compressing so much takes half a minute. The sizes themselves are covered below.
const testInFullRun = IS_FULL_RUN ? test : () => {}

testInFullRun('a file over 4 GiB is packed as zip64, and other programs read it', async (t) => {
  if (!needs(t, 'unzip')) return
  const folder = temporaryFolder(t)
  const size = 4 * 1024 * MIB + 5
  const file = openSync(join(folder, 'huge.bin'), 'w')
  ftruncateSync(file, size)
  writeSync(file, 'end', size - 3)
  closeSync(file)
  writeFileSync(join(folder, 'z.txt'), 'behind it')
  const { path } = await pack(t, folder)
  const { entries } = await directory(path)
  assert.deepEqual(
    entries.map((entry) => [entry.path, entry.size]),
    [
      ['huge.bin', size],
      ['z.txt', 9],
    ],
  )
  assert.match(execFileSync('unzip', ['-p', path, 'z.txt'], { encoding: 'utf8' }), /^behind it$/)
  assert.match(execFileSync('unzip', ['-l', path], { encoding: 'utf8' }), /4294967301 .* huge\.bin/)
})

test('more than 65,535 entries use the zip64 end of directory', async (t) => {
  if (!needs(t, 'unzip')) return
  const items = Array.from({ length: 66_000 }, (_, i) => ({
    path: `${i}/`,
    source: '',
    kind: 'folder' as const,
    size: 0,
    executable: true,
    changed_ms: 0,
  }))
  const path = join(temporaryFolder(t), 'a.zip')
  await packZip(items, path)
  assert.equal((await directory(path)).entries.length, 66_000)
  assert.match(
    execFileSync('unzip', ['-l', path], { encoding: 'utf8', maxBuffer: 64 * MIB }),
    /66000 files/,
  )
})

test('the server reads sizes and offsets on both sides of 4 GiB', async () => {
  const edge = fc.integer({ min: -3, max: 3 }).map((step) => 0xffffffff + step)
  const number = fc.oneof(
    edge,
    fc.integer({ min: 0, max: 100 }),
    fc.integer({ min: 0, max: 2 ** 40 }),
  )
  const entry = fc.record({
    size: number,
    compressed: number,
    offset: number,
    has_descriptor: fc.boolean(),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 5 }), number, async (entries, start) => {
      const fixed = {
        path: 'a',
        kind: 'file',
        executable: false,
        deflated: true,
        modified: FIRST_DOS_TIME,
        crc: 7,
      } as const
      const records = Buffer.concat(entries.map((sizes) => directoryRecord({ ...fixed, ...sizes })))
      const end = start + 2 ** 41
      const bytes = Buffer.concat([records, endOfDirectory(entries.length, end, records.length)])
      const read = async (from: number, length: number) =>
        bytes.subarray(from - end, from - end + length)
      const tail = async (from: number, length: number) =>
        from >= end
          ? read(from, length)
          : Buffer.concat([Buffer.alloc(end - from), bytes]).subarray(0, length)
      const place = await findDirectory(tail, end + bytes.length, limits)
      const { entries: parsed } = await readEntries(tail, place)
      assert.deepEqual(
        parsed.map(({ size, compressed, offset }) => ({ size, compressed, offset })),
        entries.map(({ size, compressed, offset }) => ({ size, compressed, offset })),
      )
    }),
  )
})

test('a file that changes or disappears before it is packed is noticed', async (t) => {
  for (const change of [
    (path: string) => writeFileSync(path, 'other bytes'),
    (path: string) => rmSync(path),
    (path: string) => utimesSync(path, 1, 1),
  ]) {
    const folder = tree(t, { 'a.txt': 'first', 'large.bin': randomBytes(2 * MIB) })
    for (const name of ['a.txt', 'large.bin']) {
      const { items } = readTree(folder)
      change(join(folder, name))
      await assert.rejects(
        packZip(items, join(temporaryFolder(t), 'a.zip')),
        (error: Error) =>
          /changed while it was being packed/.test(error.message) && error.message.includes(name),
      )
      writeFileSync(join(folder, name), 'back')
    }
  }
})

test('packing stops when the zip is too large', async (t) => {
  const folder = tree(t, { 'a.bin': randomBytes(3 * MIB) })
  const { items } = readTree(folder)
  const { size } = await packZip(items, join(temporaryFolder(t), 'a.zip'))
  await packZip(items, join(temporaryFolder(t), 'a.zip'), { max_bytes: size })
  const path = join(temporaryFolder(t), 'a.zip')
  await assert.rejects(packZip(items, path, { max_bytes: 2 * MIB }), ZipTooLarge)
  assert.ok(statSync(path).size <= 2 * MIB)
})

test('packing stops when it is aborted', async (t) => {
  const { items } = readTree(
    tree(t, { 'a.bin': randomBytes(3 * MIB), 'b.bin': randomBytes(3 * MIB) }),
  )
  const path = join(temporaryFolder(t), 'a.zip')
  const ending = new AbortController()
  await assert.rejects(
    packZip(items, path, { signal: ending.signal, onProgress: () => ending.abort() }),
    { name: 'AbortError' },
  )
  assert.ok(statSync(path).size <= 2 * MIB)
})

test('combined CRCs equal the CRC of the whole, and ours equals Node’s', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 3000 }), fc.uint8Array({ maxLength: 3000 }), (a, b) => {
      assert.equal(slowCrc32(a), crc32(a))
      assert.equal(slowCrc32(b, crc32(a)), crc32(b, crc32(a)))
      assert.equal(combineCrc32(crc32(a), crc32(b), b.length), crc32(Buffer.concat([a, b])))
    }),
  )
})
