import assert from 'node:assert/strict'
import { createServer, request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool } from '../../src/core/database/sql.ts'
import { type Client, client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { builders, type Listing, makePublic, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { debianServer } from '../support/debian-postgres.ts'
import { listen } from '../support/listen.ts'
import { loopCount } from '../support/loop-count.ts'
import { startNginx } from '../support/nginx.ts'
import { startRedis } from '../support/redis.ts'
import { needs } from '../support/system-packages.ts'
import { fieldsOf, form } from '../uploads/forms.ts'

const ZERO = '00000000-0000-7000-8000-000000000000'
const ROUNDS = loopCount({ short: 1, full: 10 })
/** Starts two processes of the service on one database and folder, with Redis if a URL is given. */
async function startTwo(t: TestContext, more: Record<string, string> = {}) {
  const shared = { DATABASE_URL: await freshDatabase(t), DATA_DIR: temporaryFolder(t), ...more }
  const services = await Promise.all(
    [1, 2].map(async () => {
      const env = { ...shared, PORT: await freePort() }
      const child = childService(t, env)
      return { child, env, http: client(await child.start()) }
    }),
  )
  const [first, second] = services as [(typeof services)[0], (typeof services)[0]]
  return { first, second, shared, a: builders(first.http, shared.DATA_DIR) }
}

test('two processes with one Redis share limits and notify each other of changes', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  await startRedis(t, port)
  const { first, second, shared, a } = await startTwo(t, {
    REDIS_URL: `redis://127.0.0.1:${port}`,
  })

  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, i) =>
      (i % 3 ? first : second).http.get('/api/v1/public/export').then(({ status }) => status),
    ),
  )
  assert.equal(
    answers.filter((status) => status === 200).length,
    60,
    'the processes do not share the limit of sixty a minute',
  )
  assert.equal(answers.filter((status) => status === 429).length, 30)

  const person = await a.user()
  const { uid, key } = await a.key('player', person, ['player:read'])
  const library = () => second.http.get('/api/v1/private/library', { token: key })
  assert.equal((await library()).status, 200)
  must(await first.http.del(`/api/v1/private/account/player-keys/${uid}`, person))
  await eventually('the revocation', async () => (await library()).status === 401)

  const listing = await a.listing({ name: 'Seen Everywhere' })
  const info = (key: Ci) => second.http.get('/api/v1/tool/info', key)
  const old_key = await a.deployer(listing)
  assert.equal((await info(old_key)).status, 200)
  const new_key = await a.deployer(listing)
  await eventually('the older pair to be refused', async () => (await info(old_key)).status === 401)
  assert.equal((await info(new_key)).status, 200)

  const totals = async () =>
    Promise.all(
      [first, second].map(
        async ({ http }) => must(await http.get('/api/v1/public/search?q=everywhere')).total,
      ),
    )
  assert.deepEqual(await totals(), [0, 0])
  const sql = openPool(shared.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end())
  await makePublic(sql, listing.uid)
  await eventually('both indexes', async () => (await totals()).every((total) => total === 1))
  must(
    await first.http.patch(
      `/api/v1/private/games/${listing.uid}`,
      { visibility: 'draft' },
      listing.owner,
    ),
  )
  assert.equal(
    must(await second.http.get('/api/v1/public/search?q=everywhere')).items.length,
    0,
    'a search shows a listing that is no longer public',
  )
})

test('without Redis requests succeed and /ready is degraded until it is back', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  const redis = await startRedis(t, port)
  const { get } = await startApp(t, {
    REDIS_URL: `redis://127.0.0.1:${port}`,
    SLIPWAY_ROLES: 'api',
  })
  const limits = async () => {
    const { status, body } = await get('/ready')
    return status === 200 && body.data.checks.limits
  }
  await eventually('shared limits', async () => (await limits()) === 'ok')
  redis.signal('SIGSTOP')
  assert.equal(
    (await get('/api/v1/public/tags/popular')).status,
    200,
    'a request failed while Redis was paused',
  )
  await eventually('degraded', async () => (await limits()) === 'degraded')
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200)
  redis.signal('SIGCONT')
  await eventually('shared again', async () => (await limits()) === 'ok')
  await redis.end()
  await eventually('degraded again', async () => (await limits()) === 'degraded')
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200)
  await redis.start()
  await eventually('back', async () => (await limits()) === 'ok')
})

test('a replica serves catalog reads unless it lags or fails', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const primary = await debianServer(t)
  primary.bin('createdb', '--maintenance-db', primary.url('postgres'), 'slipway')
  const replica = await debianServer(t, { replica_of: primary.url('postgres') })
  const env = {
    DATABASE_URL: primary.url('slipway'),
    DATABASE_REPLICA_URL: replica.url('slipway'),
    SLIPWAY_ROLES: 'api',
  }
  const { get, a, sql, core } = await startApp(t, env)
  const state = async () => (await get('/ready')).body.data.checks.replica
  const inRecovery = () =>
    core.read(async (sql) => (await sql`select pg_is_in_recovery() as yes`)[0]!.yes as boolean)
  await eventually(
    'the replica in use',
    async () => (await state()) === 'ok' && (await inRecovery()),
  )
  const { uid } = await a.listing({ name: 'Copied Over' })
  await makePublic(sql, uid)
  const total = async () => must(await get('/api/v1/public/search?q=copied')).items.length as number
  await eventually('the listing, from the replica', async () => (await total()) === 1)

  const beside = openPool(replica.url('slipway'), 1, 'test')
  await beside`select pg_wal_replay_pause()`
  await sql`update listings set name = 'Renamed Since' where uid = ${uid}`
  // A clock that is set back meanwhile does not make the replica look fresh.
  const realTime = Date.now
  const clock = t.mock.method(Date, 'now', () => realTime() - 60 * 60 * 1000)
  await eventually('degraded', async () => (await state()) === 'degraded')
  clock.mock.restore()
  assert.equal(await inRecovery(), false)
  await eventually(
    'a row that only the primary has',
    async () => must(await get('/api/v1/public/search?q=renamed')).items.length === 1,
  )
  await beside`select pg_wal_replay_resume()`
  await eventually('caught up', async () => (await state()) === 'ok' && (await inRecovery()))
  await beside.end({ timeout: 1 })

  await replica.stop()
  for (let i = 0; i < 20; i++)
    assert.equal((await get('/api/v1/public/search?q=renamed')).status, 200)
  await eventually('degraded', async () => (await state()) === 'degraded')
  await replica.start()
  await eventually(
    'the replica in use again',
    async () => (await state()) === 'ok' && (await inRecovery()),
  )
})

/** Uses a new connection per request, because nginx may close an idle one during a write. */
function send(
  url: string,
  method: string,
  headers: Record<string, string>,
  body?: Buffer,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject).end(body)
  })
}

const CHUNK = 64 * 1024
const BUILD_SIZE = 4 * 1024 ** 3
const CHUNK_DELAY_MS = 100

type Ci = { headers: Record<string, string> }

/**
 * Uploads a build of four gigabytes in small chunks over a slow connection, so that it never
 * completes during a test.
 */
async function chunks({ post, call }: Client, url: string, ci: Ci) {
  const { build_id } = must(await post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const fields = {
    build_id,
    filename: 'game.zip',
    total_size: String(BUILD_SIZE),
    checksum: '0'.repeat(64),
  }
  const opened = await call('POST', '/api/v1/tool/upload/sessions', form(fieldsOf(fields), ci))
  const session = must(opened).session_id as string
  const { raw, headers } = form(
    [{ name: 'file', filename: 'game.zip', bytes: Buffer.alloc(CHUNK) }],
    {
      headers: { ...ci.headers, 'x-upload-session-id': session },
    },
  )
  let at = 0
  return async () => {
    await pause(CHUNK_DELAY_MS)
    const range = { 'content-range': `bytes ${at}-${at + CHUNK - 1}/${BUILD_SIZE}` }
    const status = await send(
      `${url}/api/v1/tool/upload/files`,
      'POST',
      { ...headers, ...range },
      Buffer.from(raw!),
    )
    if (status === 202) at += CHUNK
    return status
  }
}

/** Sends all kinds of requests concurrently until stopped, and counts the responses by kind. */
function load(url: string, game: Listing, ci: Ci, nextChunk: () => Promise<number>) {
  const page = `${url}/api/v1/private/games/${game.uid}`
  const owner = { authorization: `Bearer ${game.owner.token}` }
  const json = { 'content-type': 'application/json' }
  const sendJson = (method: string, to: string, body: object) =>
    send(to, method, { ...owner, ...json }, Buffer.from(JSON.stringify(body)))
  const unknown_session = form([{ name: 'file', filename: 'x', bytes: Buffer.alloc(100_000) }], {
    headers: { ...ci.headers, 'x-upload-session-id': ZERO },
  })
  const single: Record<string, () => Promise<number>> = { 'chunk 202': nextChunk }
  const kinds: Record<string, () => Promise<number>> = {
    ...single,
    'read 200': () => send(page, 'GET', owner),
    'page 200': () => send(`${url}/`, 'GET', { accept: 'text/html' }),
    'edit 200': () => sendJson('PATCH', page, { tagline: `line ${Math.random()}` }),
    'write 400': () =>
      sendJson('POST', `${url}/api/v1/private/account/verify-email`, { code: '000000' }),
    'upload 403': () =>
      send(
        `${url}/api/v1/tool/upload/files`,
        'POST',
        unknown_session.headers!,
        Buffer.from(unknown_session.raw!),
      ),
  }
  const seen: Record<string, number> = {}
  let busy = true
  const senders = Object.entries(kinds).flatMap(([kind, request]) =>
    (kind in single ? [1] : [1, 2]).map(async () => {
      while (busy) {
        const outcome = `${kind.split(' ')[0]} ${await request().catch(String)}`
        seen[outcome] = (seen[outcome] ?? 0) + 1
      }
    }),
  )
  return {
    seen,
    kinds: Object.keys(kinds),
    total: () => Object.values(seen).reduce((sum, n) => sum + n, 0),
    async end() {
      busy = false
      await Promise.all(senders)
    },
  }
}

test('behind nginx, restarting two processes in turn under load fails no request', async (t) => {
  if (!needs(t, 'nginx')) return
  const { first, second, a } = await startTwo(t, { PROXY_HOPS: '1', DRAIN_SECONDS: '8' })
  const game = await a.listing()
  const uploading = await a.listing({ owner: await a.verifiedDeveloper() })
  const ci = await a.deployer(game)
  const ports = [first.env.PORT, second.env.PORT]
  const url = await startNginx(t, { api: ports, web: ports, upload: ports })
  const { seen, kinds, total, end } = load(
    url,
    game,
    ci,
    await chunks(first.http, url, await a.deployer(uploading)),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const stopping of [first, second]) {
      const before = total()
      stopping.child.signal('SIGTERM')
      await eventually('the drain', async () => (await stopping.http.get('/ready')).status === 503)
      assert.equal(
        (await stopping.http.get('/health')).status,
        200,
        'a draining process does not serve',
      )
      await eventually('the exit', () => !stopping.child.isUp())
      await stopping.child.start()
      await eventually('readiness', async () => (await stopping.http.get('/ready')).status === 200)
      await eventually('more requests', () => total() > before + 20)
    }
  await end()
  t.diagnostic(`${2 * ROUNDS} restarts, ${JSON.stringify(seen)}`)
  assert.deepEqual(Object.keys(seen).sort(), kinds.sort(), JSON.stringify(seen))
})

/** In how many uploads in a row none may reach a process for it to count as unused. */
const UNUSED_AFTER = 30

test('behind nginx, a process that returns mirrored reads gets no more uploads', async (t) => {
  if (!needs(t, 'nginx')) return
  let uploads_of_stopping = 0
  const stopping = createServer((request, response) => {
    const is_returned = request.method === 'GET' && request.headers['x-passes-on'] === 'reads'
    if (request.method === 'POST') uploads_of_stopping++
    request.resume().once('end', () => response.writeHead(is_returned ? 504 : 202).end())
  })
  const serving = createServer((request, response) => {
    request.resume().once('end', () => response.writeHead(202).end())
  })
  const ports = [String(await listen(t, stopping)), String(await listen(t, serving))]
  const url = await startNginx(t, { api: ports, web: [ports[1]!], upload: ports })
  const upload = () => send(`${url}/api/v1/tool/upload/files`, 'POST', {}, Buffer.from('zip'))
  await eventually('an upload at each process', async () => {
    assert.equal(await upload(), 202)
    return uploads_of_stopping > 0
  })
  // After two seconds nginx tries the process again, so this can take more than one attempt.
  await eventually('uploads only at the other process', async () => {
    const before = uploads_of_stopping
    for (let i = 0; i < UNUSED_AFTER; i++) assert.equal(await upload(), 202)
    return uploads_of_stopping === before
  })
})
