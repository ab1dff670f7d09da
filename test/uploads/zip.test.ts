import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fromBuffer } from 'yauzl'
import { ZipFile } from 'yazl'
import { readConfig } from '../../src/core/runtime/config.ts'
import { type ReadAt, ZipError } from '../../src/uploads/zip/directory.ts'
import { inspectZip, zipLimits } from '../../src/uploads/zip/inspect.ts'
import { fc } from '../support/property.ts'
import { EICAR, extraField, u64, type ZipEntry, zip } from './zips.ts'

const reading =
  (bytes: Buffer): ReadAt =>
  async (start, length) =>
    bytes.subarray(start, start + length)
const standard = zipLimits(readConfig({}))
const inspect = (bytes: Buffer, limits = standard) =>
  inspectZip(reading(bytes), bytes.length, limits)
const rejected = (bytes: Buffer, why: RegExp, limits = standard) =>
  assert.rejects(
    inspect(bytes, limits),
    (error) => error instanceof ZipError && why.test(error.message),
  )

test('accepts folders, empty files, an empty zip, a comment and stored entries', async () => {
  const entries: ZipEntry[] = [
    { name: 'bin/' },
    { name: 'bin/game', body: 'x'.repeat(1000) },
    { name: 'empty' },
    { name: 'raw', body: 'abc', method: 0 },
  ]
  const { entries: read } = await inspect(zip(entries))
  assert.deepEqual(
    read.map(({ path, size }) => [path, size]),
    [
      ['bin/', 0],
      ['bin/game', 1000],
      ['empty', 0],
      ['raw', 3],
    ],
  )
  assert.equal((await inspect(zip([]))).entries.length, 0)
  assert.equal((await inspect(zip(entries, { comment: 'made by hand' }))).entries.length, 4)
  assert.equal((await inspect(zip(entries, { wide: {} }))).entries.length, 4)
})

test('rejects a name that could leave the target folder', async () => {
  for (const name of [
    '../x',
    'a/../../x',
    'a/..',
    '/etc/passwd',
    'C:/x',
    'c:x',
    'a\\b',
    '..\\x',
    '\\\\host\\x',
    './x',
    'a//b',
    'a/./b',
    'a\0b',
    'a\nb',
    '',
  ])
    await rejected(zip([{ name, body: 'x' }]), /holds/)
  for (const name of ['..x', 'a..b', 'x..', '...', 'a/b c/d', 'Ünï/コード'] as const)
    assert.equal((await inspect(zip([{ name, body: 'x' }]))).entries[0]!.path, name)
  const other = (path: string) =>
    zip([{ name: 'a', extra: extraField(0x7075, Buffer.alloc(5), Buffer.from(path)) }])
  await rejected(other('../a'), /holds/)
  assert.equal((await inspect(other('b'))).entries.length, 1)
  await rejected(zip([{ name: 'x'.repeat(1025) }]), /too long/)
  assert.equal((await inspect(zip([{ name: 'x'.repeat(1024) }]))).entries.length, 1)
})

const link = (name: string, body: string, method = 0): ZipEntry => ({
  name,
  body,
  method,
  mode: 0o120777,
})

test('rejects a symbolic link that leads out of the zip', async () => {
  for (const target of [
    '../x',
    '/etc',
    'a/../../..',
    '..',
    'C:/x',
    '',
    'x\0y',
    'down/../x',
    '..\\x',
  ])
    await rejected(zip([link('l', target)]), /leads out/)
  await rejected(zip([link('a/b/l', '../../../x')]), /leads out/)
  for (const [name, target] of [
    ['l', 'x'],
    ['a/l', '../x'],
    ['a/b/l', '../../x/y'],
    ['F/Versions/Current', 'A'],
    ['l', './x'],
  ] as const)
    for (const method of [0, 8]) await inspect(zip([link(name, target, method)]))
  await rejected(zip([link('l', 'x'.repeat(5000))]), /cannot be read/)
  await rejected(zip([{ ...link('l', 'x'), size: 900 }]), /size|read/)
  await rejected(zip([link('d', 'elsewhere'), { name: 'd/file' }]), /inside/)
  for (const host of [0, 5, 16, 19, 30])
    await rejected(zip([{ ...link('l', '/etc'), host }]), /leads out/)
  const also = (path: string) => ({ extra: extraField(0x7075, Buffer.alloc(5), Buffer.from(path)) })
  await rejected(zip([{ ...link('a/b/c/l', '../../..'), ...also('l') }]), /leads out/)
  await rejected(
    zip([
      { ...link('a/l', 'x'), ...also('l') },
      { name: 'z/evil', ...also('l/evil') },
    ]),
    /inside/,
  )
  await rejected(
    zip([
      { name: 'a', ...also('c') },
      { name: 'b', ...also('c') },
    ]),
    /twice/,
  )
  await inspect(
    zip([
      { ...link('a/l', '../x'), ...also('ä/l') },
      { name: 'x', ...also('x') },
    ]),
  )
})

/** Pairs of names that are the same on the disks of Windows or macOS. */
const SAME_NAMES = [
  ['data', 'Data'],
  ['straße', 'STRASSE'],
  ['caf\u00e9', 'cafe\u0301'],
  ['CAF\u00c9', 'cafe\u0301'],
  ['ΟΔΟΣ', 'οδος'],
  ['οδοσ', 'οδος'],
  ['ﬁle', 'FILE'],
  ['data', 'data.'],
  ['data', 'DATA. .'],
  ['\u212b', '\u00e5'],
] as const

test('rejects a link at the place of another entry on disks that ignore letter case', async () => {
  for (const pair of SAME_NAMES)
    for (const [a, b] of [pair, [...pair].reverse()] as [string, string][]) {
      const why = /same place as a link/
      await rejected(zip([link(a, 'elsewhere'), { name: `${b}/file` }]), why)
      await rejected(zip([{ name: `x/${b}/y/file` }, link(`x/${a}`, 'y')]), why)
      await rejected(zip([link(a, 'elsewhere'), { name: `${b}/` }]), why)
      await rejected(zip([{ name: b, body: 'x' }, link(a, 'elsewhere')]), why)
      await rejected(zip([link(a, 'x'), link(b, 'y')]), why)
      await rejected(zip([link(`${a}/l`, '../x'), { name: `${b}/L/file` }]), why)
    }
  const also = (path: string) => ({ extra: extraField(0x7075, Buffer.alloc(5), Buffer.from(path)) })
  await rejected(
    zip([
      { ...link('l', 'x'), ...also('Data') },
      { name: 'y', ...also('data/file') },
    ]),
    /same place as a link/,
  )
  await rejected(
    zip([{ ...link('l', 'x'), ...also('L/x') }, { name: 'L/evil' }]),
    /same place as a link|inside/,
  )
  for (const name of ['data2', 'dat', 'Dat/a', 'ďata', 'data./x'])
    assert.deepEqual((await inspect(zip([link('data/l', 'x'), { name }]))).collisions, [], name)
  await inspect(zip([{ ...link('Data', 'x'), ...also('data') }]))
})

test('reports files that are one file on disks that ignore letter case', async () => {
  for (const [first, second] of SAME_NAMES) {
    const files = zip([{ name: first }, { name: second }, { name: 'other' }])
    assert.deepEqual((await inspect(files)).collisions, [{ first, second }])
    const folder = zip([{ name: `${second}/file` }, { name: first }])
    assert.deepEqual((await inspect(folder)).collisions, [{ first, second: `${second}/file` }])
    const merged = zip([{ name: `${first}/a` }, { name: `${second}/b` }, { name: `${second}/` }])
    assert.deepEqual((await inspect(merged)).collisions, [])
  }
  const many = zip(Array.from({ length: 64 }, (_, i) => ({ name: caseVariant('abcdef', i) })))
  assert.equal((await inspect(many)).collisions.length, 5)
})

/** The name with the letters in upper case whose bits are set. */
const caseVariant = (name: string, bits: number) =>
  [...name].map((c, i) => ((bits >> i) & 1 ? c.toUpperCase() : c)).join('')

test('property: no link is at the place of another entry, whatever the letter case', async () => {
  const name = fc.constantFrom('a', 'A', 'é', 'e\u0301', 'É', 'ß', 'SS', 'b.', 'b')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'))
  const entries = fc.array(fc.record({ path, is_link: fc.boolean() }), {
    minLength: 1,
    maxLength: 5,
  })
  /** A brute-force disk: one place per folded path, and which entries need it. */
  const fold = (text: string) =>
    text
      .replace(/[. ]+(?=\/|$)/g, '')
      .normalize('NFC')
      .toUpperCase()
  await fc.assert(
    fc.asyncProperty(entries, async (chosen) => {
      const links = chosen.filter(({ is_link }) => is_link)
      const is_crossed = links.some((crossed) =>
        chosen.some(
          (other) =>
            other !== crossed && `${fold(other.path)}/`.startsWith(`${fold(crossed.path)}/`),
        ),
      )
      const bytes = zip(
        chosen.map((entry) => (entry.is_link ? link(entry.path, 'x') : { name: entry.path })),
      )
      if (is_crossed) return rejected(bytes, /./)
      const collides = chosen.some((first) =>
        chosen.some(
          (second) =>
            first !== second && `${fold(second.path)}/`.startsWith(`${fold(first.path)}/`),
        ),
      )
      const result = await inspect(bytes).catch((error: ZipError) => error)
      if (result instanceof ZipError) return assert.match(result.message, /twice|inside/)
      return assert.equal(result.collisions.length > 0, collides)
    }),
    { numRuns: 500 },
  )
})

test('rejects a repeated name, and a name that is both file and folder', async () => {
  await rejected(zip([{ name: 'a' }, { name: 'b' }, { name: 'a' }]), /twice/)
  await rejected(zip([{ name: 'a/' }, { name: 'a/' }]), /twice/)
  await rejected(zip([{ name: 'a' }, { name: 'a/' }]), /file and as a folder/)
  await rejected(zip([{ name: 'a/b/c' }, { name: 'a/b' }]), /inside/)
  await inspect(zip([{ name: 'a/' }, { name: 'a/b' }, { name: 'ab' }, { name: 'a.b' }]))
})

test('rejects entries that overlap', async () => {
  const a = { name: 'a', body: 'a'.repeat(50), method: 0 }
  const b = { name: 'b', body: 'b', method: 0 }
  const length = 30 + 1 + 50
  await inspect(zip([a, { ...b, offset: length }]))
  await rejected(zip([a, { ...b, offset: length - 1 }]), /overlaps another entry/)
  await rejected(zip([a, { ...b, offset: 0 }]), /overlaps another entry/)
  await rejected(zip([{ ...a, compressed: 82, size: 82 }, b]), /overlaps another entry/)
  await rejected(
    zip([{ name: 'a', body: 'x', method: 0, compressed: 60_000, size: 60_000 }]),
    /overlaps another entry/,
  )
  await rejected(zip([{ ...b, offset: 100_000 }]), /outside/)
  await rejected(
    zip([a, b].map((entry, index) => ({ ...entry, offset: 5 + index * length }))),
    /begin/,
  )
})

test('rejects encryption and unsupported compression methods', async () => {
  for (const flags of [0x0001, 0x0041, 0x2000])
    await rejected(zip([{ name: 'a', body: EICAR, flags }]), /encrypted/)
  for (const method of [1, 9, 12, 14, 93, 99])
    await rejected(zip([{ name: 'a', body: 'x', method }]), /compression/)
})

test('accepts up to 200,000 entries and 50 GB unpacked, and rejects more', async () => {
  const many = Array.from({ length: 11 }, (_, i) => ({ name: `f${i}` }))
  const limits = { max_entries: 10, max_unpacked: 100 }
  await rejected(zip(many), /11 entries/, limits)
  await inspect(zip(many.slice(1)), limits)
  const bomb = (size: number) =>
    zip([
      { name: 'a', size: size - 1, body: '' },
      { name: 'b', size: 1 },
    ])
  await rejected(bomb(101), /101 bytes/, limits)
  await inspect(bomb(100), limits)
  const wide = (size: number) =>
    zip([{ name: 'a', size: 0xffffffff, extra: extraField(1, u64(size)) }])
  await rejected(wide(standard.max_unpacked + 1), /unpacks to/)
  await inspect(wide(standard.max_unpacked))
  assert.deepEqual(standard, { max_entries: 200_000, max_unpacked: 50e9 })
  const other = readConfig({ ZIP_MAX_ENTRIES: '7', ZIP_MAX_UNPACKED_GB: '3' })
  assert.deepEqual(zipLimits(other), { max_entries: 7, max_unpacked: 3e9 })
})

test('reads a directory of any number of entries in a few reads', async () => {
  const bytes = zip(
    Array.from({ length: 70_000 }, (_, i) => ({ name: `folder/${i}`, method: 0 })),
    { count: 0xffff, wide: {} },
  )
  let reads = 0
  const { entries } = await inspectZip(
    (start, length) => {
      reads++
      return reading(bytes)(start, length)
    },
    bytes.length,
    standard,
  )
  assert.equal(entries.length, 70_000)
  assert.ok(reads < 5)
})

test('reading 200,000 entries does not block the event loop', async () => {
  const entries = Array.from({ length: 200_000 }, (_, i) => ({
    name: `a/${i % 100}/b/${i}`,
    method: 0,
  }))
  const bytes = zip(entries, { count: 0xffff, wide: {} })
  let turns = 0
  let inspecting = true
  const counting = (async () => {
    for (; inspecting; turns++) await new Promise(setImmediate)
  })()
  assert.equal((await inspect(bytes)).entries.length, 200_000)
  inspecting = false
  await counting
  assert.ok(turns > 20, `${turns} turns of the event loop`)
})

test('rejects a directory over 64 MB before reading it', async () => {
  let largest = 0
  const length = 64 * 1024 * 1024 + 1
  const size = length + 22
  const read = async (_: number, bytes: number) => {
    largest = Math.max(largest, bytes)
    const end_record = zip([], { length, count: 1000, start: 0 })
    return Buffer.concat([Buffer.alloc(bytes), end_record]).subarray(-bytes)
  }
  await assert.rejects(inspectZip(read, size, standard), /directory of 67108865 bytes/)
  assert.ok(largest < 100_000)
})

test('rejects an end record with wrong offsets or sizes', async () => {
  const entries = [
    { name: 'a', body: 'x' },
    { name: 'b', body: 'y' },
  ]
  for (const ending of [
    { count: 1 },
    { count: 3 },
    { start: 0 },
    { length: 10 },
    { length: 0xfffffff },
    { start: 0xfffffff },
    { disk: 1 },
    { count: 0xffff },
    { start: 0xffffffff },
    { after: Buffer.from('more') },
    { wide: { count: 3 } },
    { wide: { start: 3 } },
    { wide: { length: 3 } },
    { wide: { at: 3 } },
    { wide: { at: 2 ** 52 } },
    { wide: { count: 2 ** 50 }, count: 0xffff },
  ])
    await rejected(zip(entries, ending), /./)
  await rejected(zip([{ name: 'a', size: 0xffffffff }]), /missing/)
  await rejected(
    zip([{ name: 'a', size: 0xffffffff, extra: extraField(1, u64(1).subarray(4)) }]),
    /missing/,
  )
  await rejected(
    zip([
      {
        name: 'a',
        size: 0xffffffff,
        extra: Buffer.concat([extraField(1, u64(1)), extraField(1, u64(2))]),
      },
    ]),
    /two sizes/,
  )
})

test('rejects truncated files and files that are not zips', async () => {
  const intact = zip([{ name: 'a/b', body: 'x'.repeat(100) }, { name: 'c' }], { wide: {} })
  for (const bytes of [
    Buffer.alloc(0),
    Buffer.from('PK'),
    Buffer.from('not a zip at all'),
    Buffer.alloc(100_000, 0x50),
  ])
    await rejected(bytes, /./)
  for (let length = 0; length < intact.length; length++)
    await rejected(intact.subarray(0, length), /./)
  await fc.assert(
    fc.asyncProperty(
      fc.nat(intact.length - 1),
      fc.integer({ min: 1, max: 255 }),
      async (at, change) => {
        const changed = Buffer.from(intact)
        changed[at] = changed[at]! ^ change
        await inspect(changed).catch((error) => assert.ok(error instanceof ZipError, String(error)))
      },
    ),
  )
})

test('zips of another library read the same here and in another reader', async () => {
  const name = fc
    .array(fc.stringMatching(/^[a-zäß0-9_-]{1,8}$/), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join('/'))
  const files = fc.uniqueArray(fc.tuple(name, fc.uint8Array({ maxLength: 300 }), fc.boolean()), {
    selector: ([path]) => path,
    maxLength: 8,
  })
  await fc.assert(
    fc.asyncProperty(files, fc.boolean(), async (made, wide) => {
      const plain = made.filter(([path]) => !made.some(([other]) => path.startsWith(`${other}/`)))
      const bytes = await pack(plain, wide)
      const ours = (await inspect(bytes)).entries.map(({ path, size, crc32, offset }) => ({
        path,
        size,
        crc32,
        offset,
      }))
      assert.deepEqual(ours, await readWithYauzl(bytes))
    }),
    { numRuns: 50 },
  )
})

async function pack(
  files: [string, Uint8Array, boolean][],
  forceZip64Format: boolean,
): Promise<Buffer> {
  const file = new ZipFile()
  for (const [path, body, compress] of files)
    file.addBuffer(Buffer.from(body), path, { compress, forceZip64Format })
  file.end({ forceZip64Format })
  return Buffer.concat(await Array.fromAsync(file.outputStream as AsyncIterable<Buffer>))
}

const readWithYauzl = (bytes: Buffer) =>
  new Promise<object[]>((resolve, reject) =>
    fromBuffer(bytes, { strictFileNames: true }, (error: Error | null, file: any) => {
      if (error) return reject(error)
      const entries: object[] = []
      file.on('entry', ({ fileName, uncompressedSize, crc32, relativeOffsetOfLocalHeader }: any) =>
        entries.push({
          path: fileName,
          size: uncompressedSize,
          crc32,
          offset: relativeOffsetOfLocalHeader,
        }),
      )
      file.on('end', () => resolve(entries))
      file.on('error', reject)
    }),
  )
