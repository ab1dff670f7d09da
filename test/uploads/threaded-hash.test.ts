import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { MIB } from '../../src/core/runtime/units.ts'
import { isStorageUnavailable } from '../../src/core/storage/storage.ts'
import { beginHash } from '../../src/uploads/receive/threaded-hash.ts'

const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Hashes the bytes in pieces of this size and returns the result. */
async function hashInPieces(state: Uint8Array | null, bytes: Uint8Array, piece: number) {
  const hash = beginHash(state)
  for (let at = 0; at < bytes.length; at += piece) await hash.update(bytes.subarray(at, at + piece))
  return hash.end()
}

test('a hash in the thread equals that of node:crypto, for every size of the pieces', async () => {
  const bytes = randomBytes(2 * MIB + 1)
  for (const piece of [65_521, MIB - 1, MIB, MIB + 1, bytes.length])
    assert.equal((await hashInPieces(null, bytes, piece)).digest, digestOf(bytes))
  assert.equal((await hashInPieces(null, Buffer.alloc(0), 1)).digest, digestOf(Buffer.alloc(0)))
})

test('a hash continues from the state of an earlier one', async () => {
  const bytes = randomBytes(3 * MIB)
  const { state } = await hashInPieces(null, bytes.subarray(0, MIB + 7), 50_000)
  const { digest } = await hashInPieces(Buffer.from(state), bytes.subarray(MIB + 7), 70_000)
  assert.equal(digest, digestOf(bytes))
})

test('hashes at the same time and one that is given up do not mix', async () => {
  const abandoned = beginHash(null)
  await abandoned.update(randomBytes(2 * MIB))
  const inputs = Array.from({ length: 4 }, () => randomBytes(4 * MIB))
  const digests = Promise.all(inputs.map((bytes) => hashInPieces(null, bytes, 300_000)))
  abandoned.close()
  assert.deepEqual(
    (await digests).map(({ digest }) => digest),
    inputs.map(digestOf),
  )
})

test('bytes may change once they are given to the hash', async () => {
  const bytes = randomBytes(MIB / 2)
  const expected = digestOf(bytes)
  const hash = beginHash(null)
  await hash.update(bytes)
  bytes.fill(0)
  assert.equal((await hash.end()).digest, expected)
})

test('without memory for a message, a hash fails as unavailable, and later ones work', async (t) => {
  const bytes = randomBytes(2 * MIB)
  const outOfMemory = () => {
    throw new DOMException('Data cannot be cloned, out of memory.', 'DataCloneError')
  }
  const post = t.mock.method(Worker.prototype, 'postMessage', outOfMemory)
  assert.throws(() => beginHash(null), isStorageUnavailable)
  post.mock.restore()
  const hash = beginHash(null)
  const [first, second] = [bytes.subarray(0, MIB), bytes.subarray(MIB)]
  await hash.update(first)
  t.mock.method(Worker.prototype, 'postMessage', outOfMemory)
  await assert.rejects(async () => hash.update(second), isStorageUnavailable)
  hash.close()
  t.mock.restoreAll()
  assert.equal((await hashInPieces(null, bytes, MIB)).digest, digestOf(bytes))
})

test('V8 has no memory for a buffer: the request is refused as unavailable', () => {
  assert.throws(() => new ArrayBuffer(2 ** 52), isStorageUnavailable)
  assert.ok(!isStorageUnavailable(new RangeError('Invalid array length')))
})
