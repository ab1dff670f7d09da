import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { HOUR_MS } from '../../../src/core/runtime/units.ts'
import { startService } from '../../../src/service.ts'
import { eventually, temporaryFolder } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'

const LOGIN = '/api/v1/private/account/login'
/** Longer than a process waits for what it accepted last, if it does not know of a connection. */
const PROXY_DELAY_MS = 700
const DRAIN_SECONDS = 1
/** How long no request may arrive before a process stops to listen. */
const QUIET_MS = 500
const BODY = JSON.stringify({ login: 'nobody', password: 'correct horse battery' })
const head = (length: number) =>
  [
    `POST ${LOGIN} HTTP/1.1`,
    'host: x',
    'content-type: application/json',
    `content-length: ${length}`,
    '\r\n',
  ].join('\r\n')

async function start(t: TestContext) {
  const service = await startService(
    readConfig({
      DATABASE_URL: await freshDatabase(t),
      DATA_DIR: temporaryFolder(t),
      PORT: '0',
      METRICS_PORT: 'off',
      LOG_LEVEL: 'silent',
      DATABASE_CONNECTIONS: '4',
      DATABASE_TIMEOUT: '60',
      SLIPWAY_ROLES: 'api',
      DRAIN_SECONDS: String(DRAIN_SECONDS),
    }),
  )
  cleanup(t, () => service.stop())
  const port = Number(new URL(service.url).port)
  async function open(): Promise<Socket> {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    return socket
  }
  /** Opens connections until the service no longer listens, and returns the last. */
  async function lastConnection(): Promise<Socket> {
    let last = await open()
    await eventually('the end of listening', async () => {
      const next = await open().catch(() => undefined)
      if (next) last.destroy()
      last = next ?? last
      return !next
    })
    return last
  }
  return { ...service, open, lastConnection }
}

test('a connection accepted during the shutdown may send its request after the last', async (t) => {
  const { drain, stop, lastConnection } = await start(t)
  const stopped = drain().then(stop)
  const socket = await lastConnection()
  // A proxy on a busy machine connects, and gets to send only now.
  await pause(PROXY_DELAY_MS)
  socket.write(head(BODY.length) + BODY)
  const answer = await text(socket)
  assert.match(answer, /^HTTP\/1.1 401 /, answer)
  assert.match(answer, /\r\nconnection: close\r\n/i)
  await stopped
})

test('the connection of a request that began before the shutdown closes after it', async (t) => {
  const { core, drain, open } = await start(t)
  const socket = await open()
  socket.write(head(BODY.length))
  socket.write(BODY.slice(0, 10))
  // The request is being read once the login is limited by its address, before its body.
  const idle = await open()
  idle.write('GET /health HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n')
  await text(idle)
  const drained = drain()
  await eventually('the shutdown', () => core.checks.stopping !== undefined)
  socket.write(BODY.slice(10))
  const [answer] = await once(socket, 'data')
  assert.match(String(answer), /^HTTP\/1.1 401 /)
  assert.match(String(answer), /\r\nconnection: close\r\n/i)
  socket.destroy()
  await drained
})

test('steps of the clock do not end the shutdown before it is quiet', async (t) => {
  const { drain } = await start(t)
  const { now } = Date
  let steps = 0
  t.mock.method(Date, 'now', () => now() + steps++ * HOUR_MS)
  const started = performance.now()
  await drain()
  const took = performance.now() - started
  assert.ok(took > DRAIN_SECONDS * 1000 + QUIET_MS - 50, `${took} ms`)
})
