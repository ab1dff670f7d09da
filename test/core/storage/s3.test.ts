import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { createS3Storage } from '../../../src/core/storage/s3.ts'
import { isStorageUnavailable, ObjectStoreUnavailable } from '../../../src/core/storage/storage.ts'
import { cleanup } from '../../support/cleanup.ts'

test('an object store that disconnects midway is reported as unavailable', async (t) => {
  let cut = true
  const store = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write(Buffer.alloc(500), () => {
      if (cut) response.destroy()
      else response.end(Buffer.alloc(500))
    })
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  cleanup(t, () => void store.close())
  const storage = await createS3Storage(
    `http://key:secret@127.0.0.1:${(store.address() as AddressInfo).port}/bucket`,
  )
  const read = async () => buffer((await storage.get('some/key'))!.stream)
  await assert.rejects(
    read,
    (error) => error instanceof ObjectStoreUnavailable && isStorageUnavailable(error),
  )
  cut = false
  assert.equal((await read()).length, 1000)
})

test('a redirect of an object store is not followed', async (t) => {
  let followed = 0
  const other = createServer((_request, response) => {
    followed++
    response.end('not ours')
  }).listen(0, '127.0.0.1')
  const store = createServer((_request, response) => {
    const location = `http://127.0.0.1:${(other.address() as AddressInfo).port}/elsewhere`
    response.writeHead(307, { location }).end()
  }).listen(0, '127.0.0.1')
  await Promise.all([once(other, 'listening'), once(store, 'listening')])
  for (const server of [other, store]) cleanup(t, () => void server.close())
  const storage = await createS3Storage(
    `http://key:secret@127.0.0.1:${(store.address() as AddressInfo).port}/bucket`,
  )
  await assert.rejects(async () => {
    const object = await storage.get('some/key')
    assert.notEqual((await buffer(object!.stream)).toString(), 'not ours')
    throw new Error('the redirect itself was taken for the object')
  })
  assert.equal(followed, 0)
})
