import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openPool } from '../../src/core/database/sql.ts'
import { limitQueries } from '../../src/core/database/timeouts.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { freePort } from '../support/child.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { startRedis } from '../support/programs/redis.ts'
import { needs } from '../support/system-packages.ts'
import { startBeside } from './two-processes.ts'

test('two processes with one Redis share limits and notify each other of changes', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  await startRedis(t, port)
  const { first, second, sql, a } = await startBeside(t, {
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
  const info = (key: { headers: Record<string, string> }) =>
    second.http.get('/api/v1/tool/info', key)
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

test('what a person does in one process counts at once in the other', async (t) => {
  const { first, second, sql, a } = await startBeside(t)
  const game = await a.listing()
  await makePublic(sql, game.uid)
  const person = await a.user()
  const code = await a.mailedCode(person)
  // The second process has looked the session up just before each change.
  const visitSecond = async () => must(await second.http.get('/api/v1/private/account', person))

  await visitSecond()
  must(await first.http.post('/api/v1/private/account/verify-email', { code }, person))
  must(await second.http.post(`/api/v1/private/games/${game.uid}/library`, undefined, person))

  await visitSecond()
  const accepted = { enabled: true, accept_terms: true }
  must(await first.http.post('/api/v1/private/account/developer', accepted, person))
  const key = { name: 'editor', scopes: ['mcp:read'] }
  must(await second.http.post('/api/v1/private/account/agent-keys', key, person))
  await visitSecond()
  const listing = await a.listing({ owner: person })
  const path = `/api/v1/private/games/${listing.uid}/deploy-keys`
  must(await second.http.post(path, undefined, person))
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

/** How many results of a hundred reads are in memory after them. */
async function resultsInMemory({ read }: Core): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage = runInNewContext('gc')
  const results: WeakRef<object>[] = []
  for (let i = 0; i < 100; i++)
    results.push(new WeakRef(await read((sql) => sql`select generate_series(1, 10)`)))
  // What a WeakRef returned or was made of stays until the end of the turn.
  await nextTurn()
  collectGarbage()
  return results.filter((result) => result.deref()).length
}

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
  assert.ok((await resultsInMemory(core)) < 10, 'reads of the replica stay in memory')
  const answeredByPrimary = await limitQueries(
    () =>
      core.read(async (sql) => {
        // Hangs on the replica only.
        const [row] = await sql`
          select case when pg_is_in_recovery() then pg_sleep(120) end, pg_is_in_recovery() as yes`
        return row!.yes === false
      }),
    4_000,
  )
  assert.ok(answeredByPrimary)
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
