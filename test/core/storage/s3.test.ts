import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { type TestContext, test } from 'node:test'
import { createS3Storage, PART_BYTES } from '../../../src/core/storage/s3.ts'
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

/** A store that answers like this to a method and a query. */
async function storeThat(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
) {
  const store = createServer((request, response) => {
    request.resume().once('end', () => answer(request, response))
  }).listen(0, '127.0.0.1')
  await once(store, 'listening')
  cleanup(t, () => void store.close())
  const { port } = store.address() as AddressInfo
  return createS3Storage(`http://key:secret@127.0.0.1:${port}/bucket`, undefined, 10)
}

const NO_UPLOAD = '<Error><Code>NoSuchUpload</Code></Error>'
const NO_BUCKET = '<Error><Code>NoSuchBucket</Code></Error>'
const isUnavailable = (error: unknown) => error instanceof ObjectStoreUnavailable

test('an upload whose last answer was lost is reported as unavailable', async (t) => {
  let completed = 0
  const storage = await storeThat(t, ({ method, url }, response) => {
    if (method === 'POST' && url!.includes('uploads'))
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
      )
    if (method === 'PUT' && url!.includes('partNumber')) {
      response.setHeader('etag', '"tag"')
      return response.end('<CopyPartResult><ETag>"tag"</ETag></CopyPartResult>')
    }
    if (method === 'HEAD') return response.setHeader('content-length', 20).end()
    // It has joined the parts; only the answer did not arrive.
    if (method === 'POST' && ++completed % 2) return response.destroy()
    return response.writeHead(404).end(NO_UPLOAD)
  })
  const put = storage.put('some/key', Buffer.alloc(PART_BYTES + 1))
  await assert.rejects(put, isUnavailable)
  await assert.rejects(storage.move('some/key', 'other/key'), isUnavailable)
  assert.equal(completed, 4)
})

test('a copy whose connection breaks is reported as unavailable', async (t) => {
  const storage = await storeThat(t, ({ method, url }, response) => {
    if (method === 'POST')
      return response.end(
        '<InitiateMultipartUploadResult><UploadId>1</UploadId></InitiateMultipartUploadResult>',
      )
    if (method === 'HEAD') return response.setHeader('content-length', 20).end()
    if (url!.includes('partNumber')) return response.destroy()
    return response.writeHead(204).end()
  })
  await assert.rejects(storage.move('some/key', 'other/key'), isUnavailable)
})

test('a bucket that does not exist is not an empty one', async (t) => {
  const storage = await storeThat(t, (_request, response) => {
    response.writeHead(404).end(NO_BUCKET)
  })
  await assert.rejects(Array.fromAsync(storage.list('')), isUnavailable)
})

test('an object whose connection breaks before it is read is reported as unavailable', async (t) => {
  const storage = await storeThat(t, (_request, response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('x', () => response.destroy())
  })
  const { stream } = (await storage.get('some/key'))!
  await new Promise((done) => stream.once('close', done))
  await assert.rejects(buffer(stream), isUnavailable)
  await assert.rejects(pipeline(stream, new PassThrough()), isUnavailable)
})
