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
