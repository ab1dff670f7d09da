import assert from 'node:assert/strict'
import { test } from 'node:test'
import packageFile from '../../../package.json' with { type: 'json' }
import { openPool } from '../../../src/core/database/sql.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { serveMetrics } from '../../../src/core/runtime/metrics.ts'
import { eventually, startApp } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { debianServer } from '../../support/programs/debian-postgres.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'

const sharedApp = sharedInFile(startApp)

test('/health returns the version of a running process', async (t) => {
  const { get } = await sharedApp(t)
  const { status, body } = await get('/health')
  assert.deepEqual(
    [status, body],
    [200, { success: true, data: { status: 'ok', version: packageFile.version } }],
  )
})

test('/ready lists every dependency, and returns 503 and 5031 when one fails', async (t) => {
  const { get, core } = await startApp(t)
  // The search index is loaded by the first query, which may be this one.
  const fine = await eventually('every dependency to respond', async () => {
    const answer = await get('/ready')
    return answer.status === 200 && answer
  })
  for (const part of ['database', 'storage', 'queue', 'search'])
    assert.equal(fine.body.data.checks[part], 'ok')
  core.checks.broken = async () => Promise.reject(new Error('a secret detail'))
  core.checks.stuck = () => new Promise(() => {})
  const failing = await get('/ready')
  assert.deepEqual([failing.status, failing.body.error.code], [503, 5031])
  assert.match(failing.body.error.message, /broken, stuck/)
  assert.deepEqual(
    [
      failing.body.data.checks.broken,
      failing.body.data.checks.stuck,
      failing.body.data.checks.database,
    ],
    ['failing', 'no answer', 'ok'],
  )
  assert.doesNotMatch(JSON.stringify(failing.body), /secret detail/)
})

test('for load balancers, /ready leaves out the parts that all processes share', async (t) => {
  const { get, core } = await startApp(t)
  const ready = (scope: string) => get(`/ready?scope=${scope}`)
  await eventually('every dependency to respond', async () => (await get('/ready')).status === 200)
  for (const part of ['database', 'storage', 'queue', 'scanner', 'limits', 'replica'])
    core.checks[part] = () => Promise.reject(new Error('away'))
  assert.equal((await ready('all')).status, 503)
  const own = await ready('process')
  assert.deepEqual([own.status, own.body.data.checks], [200, { search: 'ok' }])
  assert.equal((await ready('nothing')).status, 400)
  for (const part of ['search', 'stopping']) {
    const { [part]: check } = core.checks
    core.checks[part] = () => Promise.reject(new Error('away'))
    const failing = await ready('process')
    assert.deepEqual([failing.status, failing.body.error.code], [503, 5031])
    assert.match(failing.body.error.message, new RegExp(`^Not ready: ${part}$`))
    if (check) core.checks[part] = check
    else delete core.checks[part]
  }
})

test('many requests for /ready make each check at most once a second', async (t) => {
  const { get, core } = await startApp(t)
  let count = 0
  core.checks.counted = async () => void count++
  const started = performance.now()
  for (let round = 0; round < 5; round++)
    await Promise.all(Array.from({ length: 20 }, () => get('/ready')))
  const seconds = (performance.now() - started) / 1000
  assert.ok(count <= Math.ceil(seconds), `${count} checks in ${seconds} seconds`)
  await eventually('a new check', async () => {
    const before = count
    await get('/ready')
    return count > before
  })
})

test('without the database requests return 503 and 5031, and recover with it', async (t) => {
  const { get, sql, a } = await startApp(t)
  const { uid, owner } = await a.listing()
  const [{ name }] = (await sql`select current_database() as name`) as unknown as [{ name: string }]
  const admin = openPool(process.env.TEST_DATABASE_URL!, 1, 'test')
  cleanup(t, () => admin.end())
  await admin.unsafe(`alter database ${name} with allow_connections false`)
  await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  const gone = await get(`/api/v1/private/games/${uid}`, owner)
  assert.deepEqual([gone.status, gone.body.error?.code], [503, 5031])
  await admin.unsafe(`alter database ${name} with allow_connections true`)
  await eventually(
    'the database to recover',
    async () => (await get(`/api/v1/private/games/${uid}`, owner)).status === 200,
  )
})

test('a read-only database, such as a standby, fails /ready and writes, and serves reads', async (t) => {
  const { get, patch, sql, a } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { uid, owner } = await a.listing()
  const [{ name }] = (await sql`select current_database() as name`) as unknown as [{ name: string }]
  const admin = openPool(process.env.TEST_DATABASE_URL!, 1, 'test')
  cleanup(t, () => admin.end())
  const setReadOnly = async (value: string) => {
    await admin.unsafe(`alter database ${name} set default_transaction_read_only = ${value}`)
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where datname = ${name}`
  }
  const databaseCheck = async () => (await get('/ready')).body.data.checks.database
  const edit = () => patch(`/api/v1/private/games/${uid}`, { tagline: 'Written' }, owner)
  await setReadOnly('on')
  await eventually('the check to fail', async () => (await databaseCheck()) === 'failing')
  assert.equal((await get('/ready')).status, 503)
  const refused = await eventually('an answer of the standby', async () => {
    const answer = await edit()
    return answer.status === 503 && answer
  })
  assert.deepEqual([refused.body.error.code, refused.headers['retry-after']], [5031, '5'])
  assert.equal((await get(`/api/v1/private/games/${uid}`, owner)).status, 200)
  await setReadOnly('off')
  await eventually('a write', async () => (await edit()).status === 200)
  await eventually('the check', async () => (await databaseCheck()) === 'ok')
})

test('/ready writes: a commit that waits for a standby fails it, and reads go on', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const env = { DATABASE_URL: server.url('slipway'), SLIPWAY_ROLES: 'api' }
  const { get, sql } = await startApp(t, env)
  const databaseCheck = async () => (await get('/ready')).body.data.checks.database
  const waitForStandby = async (name: string) => {
    await sql.unsafe(`alter system set synchronous_standby_names = '${name}'`)
    await sql`select pg_reload_conf()`
  }
  await eventually('the check', async () => (await databaseCheck()) === 'ok')
  await waitForStandby('nobody')
  await eventually('no answer', async () => (await databaseCheck()) === 'no answer')
  assert.equal((await get('/ready')).status, 503)
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200)
  await waitForStandby('')
  await eventually('the check again', async () => (await databaseCheck()) === 'ok')
})

test('metrics have their own port and count requests by route', async (t) => {
  const { get, core } = await sharedApp(t)
  assert.equal((await get('/metrics')).status, 404, 'the metrics are on the public port')
  await get('/api/v1/public/games/nothing')
  const server = await serveMetrics(readConfig({ METRICS_PORT: '0' }), core.log)
  cleanup(t, () => server!.close())
  const { port } = server!.address() as { port: number }
  const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  const labels = 'method="GET",route="/api/v1/public/games/:game_id",status="404"'
  assert.match(text, new RegExp(`slipway_http_request_seconds_count\\{${labels}\\} \\d`))
  assert.match(text, /process_cpu_seconds_total/)
  const taken = await serveMetrics(readConfig({ METRICS_PORT: String(port) }), core.log)
  assert.equal(taken, undefined, 'a taken port stopped the start')
})

test('a store at an https address tells browsers to stay with https', async (t) => {
  const addresses = { BASE_URL: 'https://store.example', WEB_URL: 'https://store.example' }
  const secure = await startApp(t, addresses)
  for (const path of ['/', '/health', '/api/v1/public/search', '/api/v1/nothing', '/nothing'])
    assert.equal(
      (await secure.get(path)).headers['strict-transport-security'],
      'max-age=31536000',
      path,
    )
  const plain = await sharedApp(t)
  assert.equal((await plain.get('/')).headers['strict-transport-security'], undefined)
})

test('responses set nosniff; private ones are not cached, public ones have Vary', async (t) => {
  const { get, a } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const answer = await get(`/api/v1/private/games/${uid}`, owner)
  assert.deepEqual(
    [
      answer.headers['x-content-type-options'],
      answer.headers['cache-control'],
      answer.headers.vary,
    ],
    ['nosniff', 'private, no-store', 'Authorization, Cookie'],
  )
  const page = await get(`/api/v1/public/games/${uid}`, owner)
  assert.equal(page.headers.vary, 'Authorization, SVC_GAMES')
  const missing = await get('/nothing')
  const refusal = await get('/api/v1/private/account')
  for (const { headers } of [answer, page, missing, refusal])
    assert.equal(
      headers['content-security-policy'],
      "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    )
  assert.deepEqual(
    [missing.headers['x-content-type-options'], missing.headers['cache-control']],
    ['nosniff', 'no-store'],
  )
})
