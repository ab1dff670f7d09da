import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'

/** A second request that hides in the body of the first. */
const HIDDEN = 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n'

test('a request whose end two headers tell differently is refused, and hides no other', async (t) => {
  const { url } = await startApp(t)
  const { port, hostname } = new URL(url)
  async function answersTo(headers: string[]): Promise<string[]> {
    const socket = connect(Number(port), hostname)
    let text = ''
    socket.on('data', (data) => {
      text += data
    })
    const head = ['POST /api/v1/private/account/login HTTP/1.1', 'host: x', ...headers]
    socket.end(`${head.join('\r\n')}\r\n\r\n0\r\n\r\n${HIDDEN}`)
    await once(socket, 'close')
    return [...text.matchAll(/^HTTP\/1\.1 (\d+)/gm)].map((match) => match[1]!)
  }
  const type = 'content-type: application/json'
  for (const headers of [
    ['content-length: 5', 'transfer-encoding: chunked'],
    ['transfer-encoding: chunked', 'content-length: 5'],
    ['content-length: 5', 'content-length: 6'],
    ['content-length: 5, 5'],
    ['content-length: +5'],
    ['content-length: 0x5'],
    ['transfer-encoding: xchunked'],
    ['transfer-encoding: chunked, identity'],
    ['transfer-encoding : chunked'],
    ['transfer-encoding: chunked', 'transfer-encoding: cow'],
    ['x: y\nTransfer-Encoding: chunked'],
  ])
    assert.deepEqual(await answersTo([type, ...headers]), ['400'], headers.join(' | '))
})
