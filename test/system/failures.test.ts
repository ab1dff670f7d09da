import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { reset } from '../../sim/rough-network.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { routes } from '../../src/routes.ts'
import { startBugApp } from '../bugs/fixtures.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { childService } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { listen } from '../support/listen.ts'
import { loopCount } from '../support/loop-count.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'
import { storingRequests } from './stored-bytes.ts'

const UNAVAILABLE = [503, 5031]
const LOST_TRANSACTIONS = loopCount({ short: 5, full: 20 })

/** Mounts a store that can be made read-only under a running service. */
function smallDisk(t: TestContext) {
  const data_dir = temporaryFolder(t)
  const objects = join(data_dir, 'objects')
  mkdirSync(objects)
  const mount = (...args: string[]) => spawnSync('mount', args).status === 0
  if (!mount('-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', objects)) return undefined
  cleanup(t, () => spawnSync('umount', ['-l', objects]))
  return {
    data_dir,
    lock: () => assert.ok(mount('-o', 'remount,ro', objects)),
    unlock: () => assert.ok(mount('-o', 'remount,rw', objects)),
  }
}

test('a read-only store fails /ready and writes, serves reads, and recovers', async (t) => {
  const disk = smallDisk(t)
  if (!disk) return t.skip('needs the right to mount')
  const app = await startBugApp(t, { DATA_DIR: disk.data_dir })
  const { game, cover, requests } = await storingRequests(app)
  const outcomes = async () =>
    Object.fromEntries(
      await Promise.all(
        Object.entries(requests).map(async ([name, send]) => [name, refused(await send())]),
      ),
    )
  const taken = {
    image: [200, undefined],
    bug: [201, undefined],
    save: [200, undefined],
    crash: [201, undefined],
    file: [201, undefined],
    symbols: [201, undefined],
  }
  assert.deepEqual(await outcomes(), taken)
  // The outcome of a check is kept for a second.
  const storageCheck = (outcome: string) =>
    eventually(`the storage check says ${outcome}`, async () => {
      const ready = await app.get('/ready')
      return ready.body.data.checks.storage === outcome && ready
    })
  await storageCheck('ok')

  disk.lock()
  assert.deepEqual(refused(await storageCheck('failing')), UNAVAILABLE)
  assert.deepEqual(await outcomes(), {
    image: UNAVAILABLE,
    bug: UNAVAILABLE,
    save: UNAVAILABLE,
    crash: UNAVAILABLE,
    file: UNAVAILABLE,
    symbols: [502, 5020],
  })
  assert.equal(
    (await app.get(new URL(cover).pathname)).status,
    200,
    'an existing image was not served',
  )
  assert.equal((await app.get(`/api/v1/public/games/${game.uid}`)).status, 200)

  disk.unlock()
  await storageCheck('ok')
  assert.deepEqual(await outcomes(), taken)
})

test('without PostgreSQL every route returns its documented error, and recovers', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const app = await startApp(t, { DATABASE_URL: server.url('slipway') })
  const { uid, owner } = await app.a.listing()
  must(await app.patch(`/api/v1/private/games/${uid}`, { tagline: 'acknowledged' }, owner))
  const api_routes = routes.filter(({ url, page }) => !page && !url.includes('*'))
  const request = async ({ method, url }: (typeof api_routes)[number]) => {
    const path = url.replace(/:(game_id|game_uid|uid)\b/g, uid).replaceAll(/:\w+/g, randomUUID())
    const answer = await app.call(method, path, {
      token: owner.token,
      ...(method === 'GET' ? {} : { body: {} }),
    })
    // Agents get errors of their protocol.
    const mark = ['/mcp', '/player'].includes(url) ? 'jsonrpc' : 'success'
    return {
      route: `${method} ${url}`,
      status: answer.status,
      has_shape: typeof answer.body !== 'object' || mark in answer.body || answer.status < 500,
    }
  }
  await server.stop()
  const ready = await app.get('/ready')
  assert.deepEqual(
    [...refused(ready), ready.body.data.checks.database],
    [...UNAVAILABLE, 'failing'],
  )
  assert.equal((await app.get('/health')).status, 200)
  assert.deepEqual(refused(await app.get(`/api/v1/private/games/${uid}`, owner)), UNAVAILABLE)
  const answers = await Promise.all(api_routes.map(request))
  assert.deepEqual(
    answers.filter(({ status, has_shape }) => status === 500 || !has_shape),
    [],
  )
  assert.ok(
    answers.filter(({ status }) => status === 503).length > api_routes.length / 4,
    'too few routes returned 503',
  )

  await server.start()
  const listing = await eventually('the database', async () => {
    const answer = await app.get(`/api/v1/private/games/${uid}`, owner)
    return answer.status === 200 && answer.body.data
  })
  assert.equal(listing.tagline, 'acknowledged')
  must(await app.patch(`/api/v1/private/games/${uid}`, { tagline: 'and on' }, owner))
  await eventually('readiness', async () => (await app.get('/ready')).status === 200)
  // Background jobs continue as well: this mail is sent by one.
  const person = await app.a.user()
  assert.match(await app.a.mailedCode(person), /^\d{6}$/)
})

/**
 * A proxy in front of a database. While it fails, it resets all open connections, and every new one
 * as soon as it has started and sends its first query.
 */
async function unreliableProxy(t: TestContext, url: string) {
  const to = new URL(url)
  const real = join(to.searchParams.get('host')!, `.s.PGSQL.${to.port || '5432'}`)
  const open = new Set<Socket>()
  let failing = false
  let cuts = 0
  const proxy = createServer((client) => {
    const server = connect(real)
    let has_started = false
    open.add(client)
    for (const socket of [client, server]) socket.on('error', () => {})
    client.on('close', () => {
      open.delete(client)
      server.destroy()
    })
    client.on('data', (bytes) => {
      if (!failing || !has_started) {
        has_started = true
        return void server.write(bytes)
      }
      cuts++
      reset(client)
    })
    server.pipe(client)
  })
  const port = await listen(t, proxy)
  return {
    url: `postgres://${to.username}@127.0.0.1:${port}${to.pathname}`,
    cuts: () => cuts,
    become(next: 'failing' | 'healthy') {
      failing = next === 'failing'
      for (const client of open) reset(client)
    },
  }
}

test('a connection that is reset while it is opened does not end the process', async (t) => {
  const proxy = await unreliableProxy(t, await freshDatabase(t))
  const service = childService(t, {
    DATABASE_URL: proxy.url,
    DATA_DIR: temporaryFolder(t),
    PORT: '0',
    SLIPWAY_ROLES: 'api,worker',
  })
  const { get } = client(await service.start())
  proxy.become('failing')
  // These requests use the connections of the pool and of the search index thread.
  await eventually('many reset connections', async () => {
    await Promise.all([get('/ready'), get('/api/v1/public/tags/popular')])
    return proxy.cuts() > 20
  })
  proxy.become('healthy')
  await eventually('ready', async () => (await get('/ready')).status === 200)
  assert.ok(service.isUp())
  assert.equal((await get('/api/v1/public/search?q=none')).status, 200)
})

test('a transaction that loses its connection is rejected, and the next one works', async (t) => {
  const proxy = await unreliableProxy(t, await freshDatabase(t))
  const sql = openPool(proxy.url, 2, 'test')
  for (let i = 0; i < LOST_TRANSACTIONS; i++) {
    await assert.rejects(
      sql.begin(async (tx) => {
        const queries = [tx`select pg_sleep(10)`.execute()]
        await sql`select 1`
        proxy.become('healthy')
        // Query in the same turn as the reset, during it, and after it.
        queries.push(tx`select 1`.execute())
        await new Promise(setImmediate)
        queries.push(tx`select 2`.execute())
        await Promise.allSettled(queries)
        await tx`select 3`
      }),
    )
    // The driver waits five seconds for a connection that does not answer, so four seconds prove
    // that it noticed the loss.
    await eventually(
      'a working connection',
      async () => (await sql`select 4`.catch(() => [])).length === 1,
    )
  }
  await sql.end({ timeout: 1 })
})
