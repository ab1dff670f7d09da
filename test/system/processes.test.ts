import assert from 'node:assert/strict'
import { request } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { openPool } from '../../src/core/database/sql.ts'
import { type Client, client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { builders, type Listing, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { debianServer } from '../support/debian-postgres.ts'
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
  const [one, two] = services as [(typeof services)[0], (typeof services)[0]]
  return { one, two, shared, a: builders(one.http, shared.DATA_DIR) }
}

test('two processes with one Redis share limits and notify each other of changes', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  await startRedis(t, port)
  const { one, two, shared, a } = await startTwo(t, { REDIS_URL: `redis://127.0.0.1:${port}` })

  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, i) =>
      (i % 3 ? one : two).http.get('/api/v1/public/export').then(({ status }) => status),
    ),
  )
  assert.equal(
    answers.filter((status) => status === 200).length,
    60,
    'sixty a minute, wherever they are asked',
  )
  assert.equal(answers.filter((status) => status === 429).length, 30)

  const person = await a.user()
  const { uid, key } = await a.key('player', person, ['player:read'])
  const library = () => two.http.get('/api/v1/private/library', { token: key })
  assert.equal((await library()).status, 200)
  must(await one.http.del(`/api/v1/private/account/player-keys/${uid}`, person))
  await eventually('the revocation', async () => (await library()).status === 401, 5)

  const listing = await a.listing({ name: 'Seen Everywhere' })
  const first = await a.deployer(listing)
  assert.equal((await two.http.get('/api/v1/tool/info', first)).status, 200)
  const second = await a.deployer(listing)
  await eventually(
    'the older pair to be refused',
    async () => (await two.http.get('/api/v1/tool/info', first)).status === 401,
    5,
  )
  assert.equal((await two.http.get('/api/v1/tool/info', second)).status, 200)

  const found = async (http: typeof one.http) =>
    must(await http.get('/api/v1/public/search?q=everywhere')).total
  assert.deepEqual([await found(one.http), await found(two.http)], [0, 0])
  const sql = openPool(shared.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end())
  await sql`update listings set visibility = 'public', public_since = now(), published_at = now() where uid = ${listing.uid}`
  await eventually(
    'both indexes',
    async () => (await found(one.http)) === 1 && (await found(two.http)) === 1,
    5,
  )
  must(
    await one.http.patch(
      `/api/v1/private/games/${listing.uid}`,
      { visibility: 'draft' },
      listing.owner,
    ),
  )
  assert.equal(
    must(await two.http.get('/api/v1/public/search?q=everywhere')).items.length,
    0,
    'hidden at once: a page is filled from the database',
  )
})

test('with Redis paused or stopped requests succeed, /ready is degraded, and sharing resumes', async (t) => {
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
  await eventually('everything', async () => (await limits()) === 'ok')
  redis.signal('SIGSTOP')
  assert.equal(
    (await get('/api/v1/public/tags/popular')).status,
    200,
    'frozen: answered all the same',
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

test('a replica serves catalog reads while current; if it lags or fails, the primary takes over', async (t) => {
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
    core.read(async (one) => (await one`select pg_is_in_recovery() as so`)[0]!.so as boolean)
  await eventually(
    'the replica in use',
    async () => (await state()) === 'ok' && (await inRecovery()),
  )
  const { uid } = await a.listing({ name: 'Copied Over' })
  await sql`update listings set visibility = 'public', public_since = now(), published_at = now() where uid = ${uid}`
  const total = async () => must(await get('/api/v1/public/search?q=copied')).items.length as number
  await eventually('the listing, from the replica', async () => (await total()) === 1)

  const beside = openPool(replica.url('slipway'), 1, 'test')
  await beside`select pg_wal_replay_pause()`
  await sql`update listings set name = 'Renamed Since' where uid = ${uid}`
  await eventually('degraded', async () => (await state()) === 'degraded')
  assert.equal(await inRecovery(), false)
  await eventually(
    'what only the primary has',
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
function ask(
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
const WHOLE = 4 * 1024 ** 3
const LINE_MS = 100

type Ci = { headers: Record<string, string> }

/**
 * Uploads a build of four gigabytes in small chunks over a slow connection, so that it never
 * completes during a test.
 */
async function chunks({ post, call }: Client, url: string, ci: Ci) {
  const { build_id } = must(await post('/api/v1/tool/upload/build', { version: '1' }, ci))
  const whole = {
    build_id,
    filename: 'game.zip',
    total_size: String(WHOLE),
    checksum: '0'.repeat(64),
  }
  const opened = await call('POST', '/api/v1/tool/upload/sessions', form(fieldsOf(whole), ci))
  const session = must(opened).session_id as string
  const { raw, headers } = form(
    [{ name: 'file', filename: 'game.zip', bytes: Buffer.alloc(CHUNK) }],
    {
      headers: { ...ci.headers, 'x-upload-session-id': session },
    },
  )
  let at = 0
  return async () => {
    await pause(LINE_MS)
    const range = { 'content-range': `bytes ${at}-${at + CHUNK - 1}/${WHOLE}` }
    const status = await ask(
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
  const [owner, json] = [
    { authorization: `Bearer ${game.owner.token}` },
    { 'content-type': 'application/json' },
  ]
  const send = (method: string, to: string, body: object) =>
    ask(to, method, { ...owner, ...json }, Buffer.from(JSON.stringify(body)))
  const refused = form([{ name: 'file', filename: 'x', bytes: Buffer.alloc(100_000) }], {
    headers: { ...ci.headers, 'x-upload-session-id': ZERO },
  })
  const alone: Record<string, () => Promise<number>> = { 'chunk 202': nextChunk }
  const kinds: Record<string, () => Promise<number>> = {
    ...alone,
    'read 200': () => ask(page, 'GET', owner),
    'page 200': () => ask(`${url}/`, 'GET', { accept: 'text/html' }),
    'edit 200': () => send('PATCH', page, { tagline: `line ${Math.random()}` }),
    'write 400': () =>
      send('POST', `${url}/api/v1/private/account/verify-email`, { code: '000000' }),
    'upload 403': () =>
      ask(`${url}/api/v1/tool/upload/files`, 'POST', refused.headers!, Buffer.from(refused.raw!)),
  }
  const seen: Record<string, number> = {}
  let busy = true
  const using = Object.entries(kinds).flatMap(([kind, one]) =>
    (kind in alone ? [1] : [1, 2]).map(async () => {
      while (busy) {
        const what = `${kind.split(' ')[0]} ${await one().catch(String)}`
        seen[what] = (seen[what] ?? 0) + 1
      }
    }),
  )
  return {
    seen,
    kinds: Object.keys(kinds),
    total: () => Object.values(seen).reduce((sum, n) => sum + n, 0),
    async end() {
      busy = false
      await Promise.all(using)
    },
  }
}

test('behind nginx, restarting two processes in turn with SIGTERM under load fails no request', async (t) => {
  if (!needs(t, 'nginx')) return
  const { one, two, a } = await startTwo(t, { PROXY_HOPS: '1', DRAIN_SECONDS: '8' })
  const [game, built] = [await a.listing(), await a.listing({ owner: await a.verifiedDeveloper() })]
  const ci = await a.deployer(game)
  const ports = [one.env.PORT, two.env.PORT]
  const url = await startNginx(t, { api: ports, web: ports, upload: ports })
  const { seen, kinds, total, end } = load(
    url,
    game,
    ci,
    await chunks(one.http, url, await a.deployer(built)),
  )
  for (let round = 0; round < ROUNDS; round++)
    for (const leaving of [one, two]) {
      const before = total()
      leaving.child.signal('SIGTERM')
      await eventually(
        'its saying so',
        async () => (await leaving.http.get('/ready')).status === 503,
      )
      assert.equal((await leaving.http.get('/health')).status, 200, 'it still serves')
      await eventually('its end', () => !leaving.child.isUp(), 60)
      await leaving.child.start()
      await eventually(
        'its readiness',
        async () => (await leaving.http.get('/ready')).status === 200,
      )
      await eventually('more use', () => total() > before + 20)
    }
  await end()
  t.diagnostic(`${2 * ROUNDS} restarts, ${JSON.stringify(seen)}`)
  assert.deepEqual(Object.keys(seen).sort(), kinds.sort(), JSON.stringify(seen))
})
