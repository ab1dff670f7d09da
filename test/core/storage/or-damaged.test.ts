import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { test } from 'node:test'
import { ObjectStoreUnavailable, type Storage } from '../../../src/core/storage/storage.ts'
import { DamagedObject, hashObject, orDamaged } from '../../../src/core/storage/verified.ts'

const { signal } = new AbortController()

/** A bucket with two objects, of which one is refused so many times. */
function storeRefusing(times: { bad: number; other: number }) {
  const reads = { bad: 0, other: 0 }
  const storage = {
    async *list() {
      yield { key: 'bad', size: 1 }
      yield { key: 'other', size: 1 }
    },
    async get(key: 'bad' | 'other') {
      if (reads[key]++ < times[key]) throw new ObjectStoreUnavailable('busy')
      return { stream: Readable.from([Buffer.from('x')]), size: 1 }
    },
  }
  const read = () => hashObject(storage as unknown as Storage, 'bad', signal)
  return { reads, result: orDamaged(storage as unknown as Storage, 'bad', signal, read) }
}

test('an object that is refused for a while is read again', async () => {
  assert.equal((await storeRefusing({ bad: 2, other: 0 }).result)?.size, 1)
})

test('an outage that ends while others are tried damages nothing', async () => {
  const { result, reads } = storeRefusing({ bad: 3, other: 0 })
  assert.equal((await result)?.size, 1)
  assert.deepEqual(reads, { bad: 4, other: 1 })
})

test('an object that is refused before and after others are returned is damaged', async () => {
  await assert.rejects(storeRefusing({ bad: 9, other: 0 }).result, DamagedObject)
})

test('a store that returns no object is unavailable', async () => {
  await assert.rejects(storeRefusing({ bad: 9, other: 9 }).result, ObjectStoreUnavailable)
})
