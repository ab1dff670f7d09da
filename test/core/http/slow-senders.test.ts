import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { Type } from 'typebox'
import { anyone, route } from '../../../src/core/http/route.ts'
import { createServer } from '../../../src/core/http/server.ts'
import { startApp } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'

const slow = (url: string, plain: boolean) =>
  route({
    method: 'POST',
    url,
    fast_path: plain,
    summary: 'Takes a body within a second',
    auth: anyone,
    receive_seconds: (bytes) => bytes / 100,
    body: Type.Object({}),
    data: Type.Object({}),
    handle: () => ({}),
  })

test("a body that exceeds its route's time limit gets 408; the next request has its own limit", async (t) => {
  const { core } = await startApp(t)
  const app = await createServer(core, [slow('/slow', false), slow('/plain', true)])
  cleanup(t, () => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const send = (path: string, bytes: number, body: string) => {
    const socket = connect(port, '127.0.0.1')
    socket.write(
      `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: ${bytes}\r\n\r\n${body}`,
    )
    return socket
  }
  for (const path of ['/slow', '/plain']) {
    const late = send(path, 50, '{')
    assert.match(String((await once(late, 'data'))[0]), /^HTTP\/1.1 408 .*"code":4000/s)
    await once(late, 'close')
    const whole = send(path, 2, '{}')
    assert.match(String((await once(whole, 'data'))[0]), /^HTTP\/1.1 200/)
    whole.destroy()
  }
})
