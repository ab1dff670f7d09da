import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { MIB } from '../../../src/core/runtime/units.ts'
import { createLocalStorage } from '../../../src/core/storage/local.ts'
import { ObjectTooLarge } from '../../../src/core/storage/storage.ts'
import { fc } from '../../support/property.ts'
import { failing, handleMethods, listed, pieces, read, start, temps } from './fixtures.ts'

test('returns an object unchanged with its size, whatever the sizes of its chunks', async (t) => {
  const { root, storage } = await start(t)
  for (const size of [0, 1, MIB - 1, MIB, MIB + 1, 3 * MIB + 7]) {
    const bytes = Buffer.alloc(size, 'slipway ')
    const sources = [
      bytes,
      pieces(bytes, 1000),
      pieces(bytes, MIB),
      Readable.from(pieces(bytes, 2 * MIB)),
    ]
    for (const source of sources) {
      assert.deepEqual(await storage.put('a/object', source), { size })
      const object = await read(storage, 'a/object')
      assert.equal(object?.size, size)
      assert.ok(object.bytes.equals(bytes))
    }
  }
  assert.deepEqual(temps(root), [])
})

test('a source that reuses its buffer does not change the stored object', async (t) => {
  const { storage } = await start(t)
  const shared = Buffer.alloc(10)
  async function* reusing() {
    for (let i = 0; i < 5; i++) yield shared.fill(48 + i)
  }
  await storage.put('a', reusing())
  assert.equal(
    (await read(storage, 'a'))?.bytes.toString(),
    '00000000001111111111222222222233333333334444444444',
  )
})

test('a fresh put never overwrites an object, and leaves nothing when it fails', async (t) => {
  const { root, storage } = await start(t)
  const bytes = Buffer.alloc(3 * MIB + 7, 'slipway ')
  assert.deepEqual(await storage.put('a/object', pieces(bytes, 1000), { fresh: true }), {
    size: bytes.length,
  })
  await assert.rejects(storage.put('a/object', Buffer.from('x'), { fresh: true }), {
    code: 'EEXIST',
  })
  assert.ok((await read(storage, 'a/object'))?.bytes.equals(bytes))
  await assert.rejects(
    storage.put('a/large', bytes, { fresh: true, max_bytes: MIB }),
    ObjectTooLarge,
  )
  await assert.rejects(storage.put('a/broken', failing(bytes), { fresh: true }), /went away/)
  assert.deepEqual(await listed(storage, ''), ['a/object'])
  assert.deepEqual(temps(root), [])
})

test('a range has exactly its bytes, is cut at the end, and must not start past it', async (t) => {
  const { storage } = await start(t)
  await storage.put('digits', Buffer.from('0123456789'))
  const part = async (start: number, end: number) =>
    (await read(storage, 'digits', { start, end }))?.bytes.toString()
  assert.equal(await part(0, 0), '0')
  assert.equal(await part(3, 5), '345')
  assert.equal(await part(9, 9), '9')
  assert.equal(await part(8, 1000), '89')
  assert.equal((await read(storage, 'digits', { start: 0, end: 0 }))?.size, 10)
  await assert.rejects(storage.get('digits', { start: 10, end: 10 }), RangeError)
  for (const [start, end] of [
    [-1, 2],
    [2, 1],
    [0.5, 2],
    [0, Number.NaN],
  ] as const)
    await assert.rejects(storage.get('digits', { start, end }), RangeError)
  assert.equal(await storage.get('missing', { start: 0, end: 1 }), null)
})

test('returns null for a missing key, also below an object and for a folder', async (t) => {
  const { storage } = await start(t)
  await storage.put('a/b', Buffer.from('x'))
  for (const key of ['missing', 'a/missing', 'a/b/c', 'a']) {
    assert.equal(await storage.get(key), null, key)
    assert.equal(await storage.stat(key), null, key)
    await storage.remove(key)
  }
  assert.deepEqual(await storage.stat('a/b'), { size: 1 })
})

test('a removed object is gone, and a read in progress completes', async (t) => {
  const { storage } = await start(t)
  const bytes = Buffer.alloc(2 * MIB, 'x')
  await storage.put('a/b', bytes)
  const object = await storage.get('a/b')
  await storage.remove('a/b')
  assert.equal(await storage.get('a/b'), null)
  assert.ok((await buffer(object!.stream)).equals(bytes))
})

test('a read in progress during a replacement returns the old object', async (t) => {
  const { storage } = await start(t)
  const [old, next] = [Buffer.alloc(2 * MIB, 'o'), Buffer.from('n')]
  await storage.put('a', old)
  const object = await storage.get('a')
  await storage.put('a', next)
  assert.ok((await buffer(object!.stream)).equals(old))
  assert.ok((await read(storage, 'a'))?.bytes.equals(next))
})

test('a source that fails leaves the old object and no temporary file', async (t) => {
  const { root, storage } = await start(t)
  await storage.put('a/b', Buffer.from('old'))
  await assert.rejects(storage.put('a/b', failing(Buffer.alloc(2 * MIB))), /went away/)
  await assert.rejects(storage.put('c/d', failing(Buffer.alloc(10))), /went away/)
  assert.equal((await read(storage, 'a/b'))?.bytes.toString(), 'old')
  assert.deepEqual(await listed(storage, ''), ['a/b'])
  assert.deepEqual(temps(root), [])
})

test('stores an object of exactly the size limit, and rejects one byte more', async (t) => {
  const { root, storage } = await start(t)
  assert.equal(
    (await storage.put('a', pieces(Buffer.alloc(1000), 300), { max_bytes: 1000 })).size,
    1000,
  )
  const source = Readable.from(pieces(Buffer.alloc(1001), 300))
  await assert.rejects(storage.put('b', source, { max_bytes: 1000 }), ObjectTooLarge)
  assert.equal(source.destroyed, true)
  await assert.rejects(storage.put('a', Buffer.alloc(1001), { max_bytes: 1000 }), ObjectTooLarge)
  assert.deepEqual(
    [await storage.stat('a'), await storage.stat('b'), temps(root)],
    [{ size: 1000 }, null, []],
  )
})

test('a full disk fails the put and leaves the old object and no temporary file', async (t) => {
  const { root, storage } = await start(t)
  await storage.put('a', Buffer.from('old'))
  const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })
  const methods = await handleMethods()
  for (const method of ['write', 'datasync'] as const) {
    const broken = t.mock.method(methods, method, async () => Promise.reject(full))
    await assert.rejects(storage.put('a', Buffer.alloc(2 * MIB)), { code: 'ENOSPC' })
    await assert.rejects(storage.probe(), { code: 'ENOSPC' })
    broken.mock.restore()
  }
  assert.equal((await read(storage, 'a'))?.bytes.toString(), 'old')
  assert.deepEqual(temps(root), [])
  await storage.probe()
})

test('a partial write is continued until all bytes are written', async (t) => {
  const { storage } = await start(t)
  const methods = await handleMethods()
  const write = methods.write as (
    buffer: Uint8Array,
    offset: number,
    length?: number,
  ) => Promise<unknown>
  t.mock.method(methods, 'write', function (this: unknown, block: Uint8Array, offset: number) {
    return write.call(this, block, offset, Math.ceil((block.length - offset) / 2))
  })
  const bytes = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251))
  await storage.put('a', bytes)
  assert.ok((await read(storage, 'a'))?.bytes.equals(bytes))
})

test('concurrent writers of one key all succeed and leave one complete object', async (t) => {
  const { root, storage } = await start(t)
  const versions = Array.from({ length: 12 }, (_, i) => Buffer.alloc(MIB / 2 + i, String(i)))
  await Promise.all(versions.map((bytes) => storage.put('new/folder/key', pieces(bytes, 60_000))))
  const object = await read(storage, 'new/folder/key')
  assert.ok(versions.some((bytes) => bytes.equals(object!.bytes)))
  assert.deepEqual([await listed(storage, ''), temps(root)], [['new/folder/key'], []])
})

test('accepts keys of the allowed form up to the maximum length', async (t) => {
  const { storage } = await start(t)
  for (const key of ['a', '0', 'a.b-c_d', 'x/y/z.zip', 'x/y.', 'n'.repeat(255), longest]) {
    await storage.put(key, Buffer.from(key))
    assert.equal((await read(storage, key))?.bytes.toString(), key)
  }
})

const longest = `${'a'.repeat(200)}/${'b'.repeat(200)}/${'c'.repeat(110)}`
const bad_keys = [
  '',
  '/',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  '.tmp/a',
  'a/.b',
  '../a',
  'a/../b',
  'a..b',
  'A',
  'a b',
  'a\\b',
  'a\n',
  'ä',
  'a\0',
  '-a',
  'a/_b',
  'a'.repeat(256),
  `${longest}c`,
]

test('rejects any other key before it reaches the disk', async (t) => {
  const { root, storage } = await start(t)
  for (const key of bad_keys) {
    let started = false
    const source = (async function* () {
      started = true
      yield Buffer.from('x')
    })()
    await assert.rejects(storage.put(key, source), TypeError, JSON.stringify(key))
    for (const use of [() => storage.get(key), () => storage.stat(key), () => storage.remove(key)])
      await assert.rejects(use(), TypeError, JSON.stringify(key))
    assert.equal(started, false)
  }
  assert.deepEqual(readdirSync(root), ['.tmp'])
})

test('property: no key becomes a path outside the root', async (t) => {
  const { storage } = await start(t)
  const tricky = fc
    .array(fc.constantFrom('.', '..', '/', '\\', 'a', 'A', '\0', ' ', '-'), { maxLength: 8 })
    .map((parts) => parts.join(''))
  await fc.assert(
    fc.asyncProperty(tricky, async (key) => {
      const allowed =
        /^[a-z0-9][a-z0-9._-]*(\/[a-z0-9][a-z0-9._-]*)*$/.test(key) && !key.includes('..')
      if (allowed) assert.equal(await storage.stat(key), null)
      else await assert.rejects(storage.stat(key), TypeError)
    }),
  )
})

test('lists exactly the keys with the prefix, in byte order', async (t) => {
  const { root, storage } = await start(t)
  const keys = ['a', 'b-1', 'b.1', 'b/1', 'b/2/x', 'b/20', 'b1', 'c/b/1']
  for (const key of keys) await storage.put(key, Buffer.from(key))
  writeFileSync(join(root, 'Not a key'), '')
  mkdirSync(join(root, 'b', 'lost+found'))
  assert.deepEqual(await listed(storage, ''), keys)
  assert.deepEqual(await listed(storage, 'b'), ['b-1', 'b.1', 'b/1', 'b/2/x', 'b/20', 'b1'])
  assert.deepEqual(await listed(storage, 'b/'), ['b/1', 'b/2/x', 'b/20'])
  assert.deepEqual(await listed(storage, 'b/2'), ['b/2/x', 'b/20'])
  assert.deepEqual(await listed(storage, 'nothing/here'), [])
  assert.deepEqual(await Array.fromAsync(storage.list('b/2/')), [{ key: 'b/2/x', size: 5 }])
  for (const prefix of ['/', '..', '.tmp', 'a//', '../a', 'A'])
    assert.throws(() => storage.list(prefix), TypeError, prefix)
})

test('removes temporary files older than a day at the start and keeps newer ones', async (t) => {
  const { root } = await start(t)
  const day = 24 * 60 * 60
  const now = Date.now() / 1000
  for (const [name, age] of [
    ['old', day + 60],
    ['young', day - 60],
  ] as const) {
    writeFileSync(join(root, '.tmp', name), '')
    utimesSync(join(root, '.tmp', name), now - age, now - age)
  }
  await createLocalStorage(root)
  assert.deepEqual(temps(root), ['young'])
})

test('the group can read what a proxy sends, and only the owner all other objects', async (t) => {
  const { root, storage } = await start(t)
  for (const key of ['a', 'images/builds/a', 'bugs/game/a', 'builds/game/a.zip', 'patches/game/a'])
    for (const fresh of [true, false]) {
      await storage.put(key, Buffer.from('x'), { fresh })
      const expected = /^(builds|patches)/.test(key) ? 0o640 : 0o600
      assert.equal(statSync(join(root, key)).mode & 0o777, expected, `${key}, fresh: ${fresh}`)
      await storage.remove(key)
    }
})

test('the probe fails when the store is not writable', async (t) => {
  const { root, storage } = await start(t)
  await rm(join(root, '.tmp'), { recursive: true })
  await assert.rejects(storage.probe(), { code: 'ENOENT' })
})

test('adopts a file without copying it, and adopting twice is the same as once', async (t) => {
  const { root, storage } = await start(t)
  const path = join(root, '..', `${basename(root)}.part`)
  t.after(() => rm(path, { force: true }))
  writeFileSync(path, 'whole')
  for (let i = 0; i < 2; i++) {
    await storage.adopt('a/object', path)
    assert.equal(String((await read(storage, 'a/object'))!.bytes), 'whole')
  }
  assert.equal(statSync(path).ino, statSync(join(root, 'a/object')).ino)
  await rm(path)
  assert.equal(String((await read(storage, 'a/object'))!.bytes), 'whole')
  writeFileSync(path, 'other')
  await storage.adopt('a/object', path)
  assert.equal(String((await read(storage, 'a/object'))!.bytes), 'other')
  assert.deepEqual(temps(root), [])
  await assert.rejects(storage.adopt('a/object', join(root, 'nothing')))
  assert.equal(String((await read(storage, 'a/object'))!.bytes), 'other')
})
