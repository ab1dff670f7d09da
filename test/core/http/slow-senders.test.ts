import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { Type } from 'typebox'
import { anyone, route } from '../../../src/core/http/route.ts'
import { createServer } from '../../../src/core/http/server.ts'
import { startApp } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'

const slow = route({
  method: 'POST',
  url: '/slow',
  summary: 'Takes a body within a second',
  auth: anyone,
  receive_seconds: (bytes) => bytes / 100,
  body: Type.Object({}),
  data: Type.Object({}),
  handle: () => ({}),
})

test("a body that exceeds its route's time limit gets 408; the next request has its own limit", async (t) => {
  const { core } = await startApp(t)
  const app = await createServer(core, [slow])
  cleanup(t, () => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const send = (bytes: number, body: string) => {
    const socket = connect(port, '127.0.0.1')
    const headers = `host: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}`
    socket.write(`POST /slow HTTP/1.1\r\n${headers}\r\n\r\n${body}`)
    return socket
  }
  const late = send(50, '{')
  assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1.1 408 .*"code":4000/s)
  await once(late, 'close')
  const complete = send(2, '{}')
  assert.match(String((await once(complete, 'data'))[0]), /^HTTP\/1.1 200/)
  complete.destroy()
})

test('a client that is still sending when its time is over reads the 408', async (t) => {
  const app = await startApp(t, {}, { body_seconds: { receive: 0.5 } })
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const { headers } = await app.a.deployer(listing)
  for (const path of ['/api/v1/tool/upload/files', '/api/v1/public/events']) {
    const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
    const head = [
      `POST ${path} HTTP/1.1`,
      'host: x',
      'content-type: multipart/form-data; boundary=x',
      'transfer-encoding: chunked',
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    const chunk = `${(1000).toString(16)}\r\n${'a'.repeat(1000)}\r\n`
    const sending = setInterval(() => socket.writable && socket.write(chunk.repeat(50)), 1)
    t.after(() => clearInterval(sending))
    assert.match(await text(socket), /^HTTP\/1.1 4\d\d .*^connection: close/ims)
    clearInterval(sending)
    socket.destroy()
  }
})
