import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Answer, client, eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { IS_FULL_RUN, loopCount } from '../support/loop-count.ts'
import { memoryGrowth } from '../support/memory.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'

const FREEZES = loopCount({ short: 1, full: 50 })
/** In a short run the database is frozen until every request has its answer. */
const FROZEN_MS = loopCount({ short: 0, full: 60_000 })
const MAX_ANSWER_MS = 5_000
const MAX_GROWTH_BYTES = 100 * 1024 ** 2
const CLIENTS = 20

test('while the database is frozen every request is answered, and all work again', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const app = await startApp(t, {
    DATABASE_URL: server.url('slipway'),
    DATABASE_TIMEOUT: IS_FULL_RUN ? '3' : '1',
    DATABASE_CONNECTIONS: '10',
    SLIPWAY_ROLES: 'api',
  })
  // As npm start runs it: its memory is measured.
  const service = childService(
    t,
    { ...app.settings, SLIPWAY_ROLES: undefined, PORT: await freePort() },
    { gc_flags: ['--max-semi-space-size=2'] },
  )
  const http = client(await service.start())
  cleanup(t, () => server.signalAll('SIGCONT'))
  const { uid, owner } = await app.a.listing()
  await makePublic(app.sql, uid)
  const requests: Record<string, () => Promise<Answer>> = {
    listing: () => http.get(`/api/v1/public/games/${uid}`),
    search: () => http.get(`/api/v1/public/search?q=${randomUUID()}`),
    account: () => http.get('/api/v1/private/account', owner),
    edit: () => http.patch(`/api/v1/private/games/${uid}`, { tagline: randomUUID() }, owner),
    page: () => http.get(`/u/${randomUUID()}`),
    tags: () => http.get('/api/v1/public/tags/popular'),
    sitemap: () => http.get('/sitemap.xml'),
    login: () =>
      http.post('/api/v1/private/account/login', { login: randomUUID(), password: 'not this one' }),
    ready: () => http.get('/ready'),
  }
  let slowest = { name: '', ms: 0 }
  const send = async (name: string) => {
    const started = performance.now()
    const { status } = await requests[name]!().catch((error) => assert.fail(`${name}: ${error}`))
    const ms = performance.now() - started
    if (ms > slowest.ms) slowest = { name, ms }
    assert.ok([200, 401, 404, 429, 503].includes(status), `${name} was answered with ${status}`)
    return status
  }
  const sendAll = async () => Promise.all(Object.keys(requests).map(send))

  for (let freeze = 0; freeze < FREEZES; freeze++) {
    await eventually('normal operation', async () => !(await sendAll()).includes(503))
    const growth = memoryGrowth(service.pid())
    server.signalAll('SIGSTOP')
    const thawed = pause(FROZEN_MS)
    let is_frozen = true
    const clients = Array.from({ length: CLIENTS }, async () => {
      do await sendAll()
      while (is_frozen && FROZEN_MS > 0)
    })
    if (FROZEN_MS > 0) await thawed
    is_frozen = false
    await Promise.all(clients)
    const grown = growth()
    server.signalAll('SIGCONT')
    const resumed = performance.now()
    await eventually('normal operation again', async () => !(await sendAll()).includes(503))
    const recovery_ms = performance.now() - resumed
    must(await requests.edit!())
    if (!IS_FULL_RUN) continue
    t.diagnostic(
      `${freeze}: slowest ${slowest.name} ${Math.round(slowest.ms)} ms, ` +
        `recovered in ${Math.round(recovery_ms)} ms, ${Math.round(grown / 1024 ** 2)} MB more`,
    )
    assert.ok(slowest.ms <= MAX_ANSWER_MS, `${slowest.name} took ${slowest.ms} ms`)
    assert.ok(recovery_ms <= MAX_ANSWER_MS, `recovered after ${recovery_ms} ms`)
    assert.ok(grown <= MAX_GROWTH_BYTES, `memory grew by ${grown} bytes`)
    slowest = { name: '', ms: 0 }
  }
})
