import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { fileStream } from '../../../src/core/storage/file-stream.ts'
import { eventually, temporaryFolder } from '../../support/app.ts'

const BLOCK = 256 * 1024
const bytes = randomBytes(BLOCK * 9 + 17)

/** Sends the range of the file in the path, `/start-end`. */
async function sender(t: TestContext) {
  const path = join(temporaryFolder(t), 'file')
  writeFileSync(path, bytes)
  const handles: FileHandle[] = []
  const ended: (Error | null)[] = []
  const server = createServer(async (request, response) => {
    const [start, end] = request.url!.slice(1).split('-').map(Number) as [number, number]
    const handle = await open(path)
    handles.push(handle)
    const stream = fileStream(handle, start, end)
    stream
      .once('end', () => ended.push(null))
      .once('error', (error) => {
        ended.push(error)
        response.destroy()
      })
    response.once('close', () => stream.destroy())
    response.setHeader('content-length', end - start + 1)
    stream.pipe(response)
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  t.after(() => server.close())
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, handles, ended }
}

const openFiles = () => readdirSync('/proc/self/fd').length

test('sends whole files and all ranges at sizes around the block size', async (t) => {
  const { url, ended } = await sender(t)
  const parts = [
    BLOCK - 1,
    BLOCK,
    BLOCK + 1,
    2 * BLOCK,
    2 * BLOCK + 1,
    3 * BLOCK,
    bytes.length,
  ].flatMap((size) => [
    [0, size - 1],
    [bytes.length - size, bytes.length - 1],
  ])
  for (const [start, end] of [[0, 0], [7, 7], ...parts] as [number, number][]) {
    const received = Buffer.from(await (await fetch(`${url}/${start}-${end}`)).arrayBuffer())
    assert.ok(received.equals(bytes.subarray(start, end + 1)), `${start}-${end}`)
  }
  assert.deepEqual([...new Set(ended)], [null])
})

test('a slow reader gets the right bytes; no block is overwritten before it is sent', async (t) => {
  const { url } = await sender(t)
  const [answer] = (await once(get(`${url}/0-${bytes.length - 1}`), 'response')) as [
    IncomingMessage,
  ]
  const received: Buffer[] = []
  for await (const block of answer) {
    received.push(Buffer.from(block))
    await new Promise(setImmediate)
  }
  assert.ok(Buffer.concat(received).equals(bytes))
})

test('pipelined requests are answered in order', async (t) => {
  const { port } = await sender(t)
  const socket = connect(port, '127.0.0.1')
  const requestText = (last: string) =>
    `GET /0-${bytes.length - 1} HTTP/1.1\r\nHost: x\r\n${last}\r\n`
  socket.write(requestText('') + requestText('') + requestText('Connection: close\r\n'))
  const all = await buffer(socket)
  let from = 0
  for (let n = 0; n < 3; n++) {
    const at = all.indexOf('\r\n\r\n', from) + 4
    from = at + bytes.length
    assert.ok(all.subarray(at, from).equals(bytes), `answer ${n}`)
  }
  assert.equal(from, all.length)
})

test('a client that disconnects midway leaves no open file', async (t) => {
  const { port, handles } = await sender(t)
  const before = openFiles()
  for (let n = 0; n < 5; n++) {
    const socket = connect(port, '127.0.0.1')
    socket.write(`GET /0-${bytes.length - 1} HTTP/1.1\r\nHost: x\r\n\r\n`)
    await once(socket, 'data')
    socket.destroy()
  }
  await eventually(
    'the files to be closed',
    () => handles.length === 5 && handles.every(({ fd }) => fd === -1),
  )
  await eventually('files stayed open', () => openFiles() <= before)
})

test('a file shorter than expected aborts the response', async (t) => {
  const { url, ended } = await sender(t)
  await assert.rejects(async () => (await fetch(`${url}/0-${bytes.length + 5}`)).arrayBuffer())
  assert.match(ended[0]?.message ?? '', /shorter than expected/)
})

test('can be piped like any other stream', async (t) => {
  const path = join(temporaryFolder(t), 'file')
  writeFileSync(path, bytes)
  const through = new PassThrough()
  fileStream(await open(path), 5, bytes.length - 1).pipe(through)
  assert.ok((await buffer(through)).equals(bytes.subarray(5)))
})
