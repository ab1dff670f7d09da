import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { open } from '../src/core/db.ts'
import { client, eventually, startApp, temporaryFolder } from './app.ts'
import { builders, must } from './builders.ts'
import { childService, freePort } from './child.ts'
import { cleanup } from './cleanup.ts'
import { freshDatabase } from './database.ts'
import { debianServer } from './debian-postgres.ts'
import { needs } from './parts.ts'

async function startRedis(t: TestContext, port: string) {
  const redis = spawn('redis-server', ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', temporaryFolder(t)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  cleanup(t, () => redis.kill('SIGKILL'))
  for await (const line of redis.stdout) if (String(line).includes('Ready to accept')) break
  redis.stdout.resume()
  return redis
}

/** Two processes of the service on one database, folder and, if there is one, Redis. */
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

test('two processes with one Redis count limits as one, and what happens in one shows in the other', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  await startRedis(t, port)
  const { one, two, shared, a } = await startTwo(t, { REDIS_URL: `redis://127.0.0.1:${port}` })

  const answers = await Promise.all(
    Array.from({ length: 90 }, (_, i) => (i % 3 ? one : two).http.get('/api/v1/public/export').then(({ status }) => status)),
  )
  assert.equal(answers.filter((status) => status === 200).length, 60, 'sixty a minute, wherever they are asked')
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
  await eventually('the older pair to be refused', async () => (await two.http.get('/api/v1/tool/info', first)).status === 401, 5)
  assert.equal((await two.http.get('/api/v1/tool/info', second)).status, 200)

  const found = async (http: typeof one.http) => must(await http.get('/api/v1/public/search?q=everywhere')).total
  assert.deepEqual([await found(one.http), await found(two.http)], [0, 0])
  const sql = open(shared.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end())
  await sql`update listings set visibility = 'public', public_since = now(), published_at = now() where uid = ${listing.uid}`
  await eventually('both indexes', async () => (await found(one.http)) === 1 && (await found(two.http)) === 1, 5)
  must(await one.http.patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'draft' }, listing.owner))
  assert.equal(
    must(await two.http.get('/api/v1/public/search?q=everywhere')).items.length,
    0,
    'hidden at once: a page is filled from the database',
  )
})

test('a Redis that is gone or frozen costs only the sharing: requests go on, /ready says degraded, and it comes back', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  let redis = await startRedis(t, port)
  const { get } = await startApp(t, { REDIS_URL: `redis://127.0.0.1:${port}`, SLIPWAY_ROLES: 'api' })
  const limits = async () => {
    const { status, body } = await get('/ready')
    return status === 200 && body.data.checks.limits
  }
  await eventually('everything', async () => (await limits()) === 'ok')
  redis.kill('SIGSTOP')
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200, 'frozen: answered all the same')
  await eventually('degraded', async () => (await limits()) === 'degraded')
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200)
  redis.kill('SIGCONT')
  await eventually('shared again', async () => (await limits()) === 'ok')
  redis.kill('SIGKILL')
  await once(redis, 'exit')
  await eventually('degraded again', async () => (await limits()) === 'degraded')
  assert.equal((await get('/api/v1/public/tags/popular')).status, 200)
  redis = await startRedis(t, port)
  await eventually('back', async () => (await limits()) === 'ok')
})

test('a replica takes catalog reads while it keeps up; behind, gone or hanging, the primary does and nobody notices', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const primary = await debianServer(t)
  primary.bin('createdb', '--maintenance-db', primary.url('postgres'), 'slipway')
  const replica = await debianServer(t, { replica_of: primary.url('postgres') })
  const env = { DATABASE_URL: primary.url('slipway'), DATABASE_REPLICA_URL: replica.url('slipway'), SLIPWAY_ROLES: 'api' }
  const { get, a, sql, core } = await startApp(t, env)
  const state = async () => (await get('/ready')).body.data.checks.replica
  const inRecovery = () => core.read(async (one) => (await one`select pg_is_in_recovery() as so`)[0]!.so as boolean)
  await eventually('the replica in use', async () => (await state()) === 'ok' && (await inRecovery()))
  const { uid } = await a.listing({ name: 'Copied Over' })
  await sql`update listings set visibility = 'public', public_since = now(), published_at = now() where uid = ${uid}`
  const total = async () => must(await get('/api/v1/public/search?q=copied')).items.length as number
  await eventually('the listing, from the replica', async () => (await total()) === 1)

  const beside = open(replica.url('slipway'), 1, 'test')
  await beside`select pg_wal_replay_pause()`
  await sql`update listings set name = 'Renamed Since' where uid = ${uid}`
  await eventually('degraded', async () => (await state()) === 'degraded')
  assert.equal(await inRecovery(), false)
  await eventually('what only the primary has', async () => must(await get('/api/v1/public/search?q=renamed')).items.length === 1)
  await beside`select pg_wal_replay_resume()`
  await eventually('caught up', async () => (await state()) === 'ok' && (await inRecovery()))
  await beside.end({ timeout: 1 })

  await replica.stop()
  for (let i = 0; i < 20; i++) assert.equal((await get('/api/v1/public/search?q=renamed')).status, 200)
  await eventually('degraded', async () => (await state()) === 'degraded')
  await replica.start()
  await eventually('the replica in use again', async () => (await state()) === 'ok' && (await inRecovery()))
})

/** The proxy of deploy/, in front of these; `use` says which, as an operator does: the file, then a reload. */
async function startNginx(t: TestContext, ports: string[]) {
  const folder = temporaryFolder(t)
  const port = await freePort()
  const file = join(folder, 'nginx.conf')
  const given = readFileSync(join(import.meta.dirname, '../deploy/nginx.conf'), 'utf8')
  const temp = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${folder}/${kind};`).join(' ')
  const user = process.getuid?.() === 0 ? 'user root;' : ''
  const write = (used: string[]) => {
    const servers = used.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(' ')
    const conf = given.replaceAll(/server (?:api|upload):8080 max_fails=0;/g, servers).replace('listen 80;', `listen 127.0.0.1:${port};`)
    const main = `${user} daemon off; worker_processes 1; pid ${folder}/pid; error_log ${folder}/log;`
    writeFileSync(file, `${main} events {} http { access_log off; ${temp} ${conf} }`)
  }
  write(ports)
  const nginx = spawn('nginx', ['-p', folder, '-c', file], { stdio: 'ignore' })
  cleanup(t, () => nginx.kill('SIGTERM'))
  const workers = () => readFileSync(`/proc/${nginx.pid}/task/${nginx.pid}/children`, 'utf8').trim().split(' ').filter(Boolean)
  const url = `http://127.0.0.1:${port}`
  await eventually('nginx', () =>
    fetch(`${url}/health`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    url,
    async use(used: string[]) {
      const old = workers()
      write(used)
      nginx.kill('SIGHUP')
      await eventually('the reload', () => workers().length > 0 && workers().every((one) => !old.includes(one)))
    },
  }
}

/** A connection of its own for each, so that none is being closed by the proxy's old worker while it is written to. */
function ask(url: string, method: string, token: string, body?: object): Promise<number> {
  const headers = { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) }
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, headers, agent: false }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode!))
    })
    sent.once('error', reject).end(body && JSON.stringify(body))
  })
}

test('behind nginx, two processes are restarted one after the other under load, and no request fails', async (t) => {
  if (!needs(t, 'nginx')) return
  const { one, two, a } = await startTwo(t, { PROXY_HOPS: '1' })
  const { uid, owner } = await a.listing()
  const nginx = await startNginx(t, [one.env.PORT, two.env.PORT])
  const page = `${nginx.url}/api/v1/private/games/${uid}`
  const seen: Record<string, number> = {}
  const total = () => Object.values(seen).reduce((sum, n) => sum + n, 0)
  let busy = true
  const use = async (name: string, send: () => Promise<number>) => {
    while (busy) {
      const what = `${name} ${await send().catch(String)}`
      seen[what] = (seen[what] ?? 0) + 1
    }
  }
  const load = [
    use('read', () => ask(page, 'GET', owner.token)),
    use('write', () => ask(page, 'PATCH', owner.token, { tagline: `line ${Math.random()}` })),
  ]
  for (const [leaving, staying] of [
    [one, two],
    [two, one],
  ] as const) {
    const before = total()
    await nginx.use([staying.env.PORT])
    leaving.child.signal('SIGTERM')
    await eventually('its end', () => !leaving.child.isUp())
    await leaving.child.start()
    await eventually('its readiness', async () => (await leaving.http.get('/ready')).status === 200)
    await nginx.use([one.env.PORT, two.env.PORT])
    await eventually('more use', () => total() > before + 20)
  }
  busy = false
  await Promise.all(load)
  assert.deepEqual(Object.keys(seen).sort(), ['read 200', 'write 200'], JSON.stringify(seen))
})
