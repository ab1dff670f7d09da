import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer as createSocketServer } from 'node:net'
import { type TestContext, test } from 'node:test'
import { Type } from 'typebox'
import { anyone, route, type Scheme } from '../../../src/core/http/route.ts'
import { createServer } from '../../../src/core/http/server.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import {
  createLimiter,
  overall,
  overallShared,
  perAccount,
  perGame,
  perIp,
} from '../../../src/core/security/limits.ts'
import { routes } from '../../../src/routes.ts'
import { client, eventually, startApp, temporaryFolder } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { sharedInFile } from '../../support/shared.ts'
import { needs } from '../../support/system-packages.ts'

/** The service of most tests, which share no count: each has a limiter of its own. */
const sharedApp = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

const asNamed: Scheme<{ user_uid: string }> = {
  name: 'named',
  security: [],
  errors: [],
  identify: (_core, request) => ({ user_uid: String(request.headers['x-user']) }),
}
const data = Type.Object({})
const handle = () => ({})
const get = { method: 'GET', summary: 'Limited', data, handle } as const

const limited = [
  route({ ...get, url: '/ip', auth: anyone, limits: [perIp(2)] }),
  route({ ...get, url: '/shared-a', auth: anyone, limits: [perIp(3, { bucket: 'shared' })] }),
  route({ ...get, url: '/shared-b', auth: anyone, limits: [perIp(3, { bucket: 'shared' })] }),
  route({ ...get, url: '/overall', auth: anyone, limits: [overall(2)] }),
  route({ ...get, url: '/shares', auth: anyone, limits: overallShared(20) }),
  route({ ...get, url: '/account', auth: asNamed, limits: [perAccount(2, { seconds: 86_400 })] }),
  route({ ...get, url: '/game/:game_id', auth: anyone, limits: [perIp(5), perGame(2)] }),
]

async function serve(t: TestContext, core: Core) {
  const limiter = await createLimiter(undefined, core.log)
  const app = await createServer({ ...core, limiter }, limited)
  cleanup(t, () => app.close())
  const { get } = client(await app.listen({ port: 0, host: '127.0.0.1' }))
  return (path: string, from = '203.0.113.1', user = 'x') =>
    get(path, { headers: { 'x-forwarded-for': from, 'x-user': user } })
}

async function statuses(request: () => Promise<{ status: number }>, times: number) {
  const all: number[] = []
  for (let i = 0; i < times; i++) all.push((await request()).status)
  return all
}

test('a limit per address counts each address separately and sends Retry-After', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  assert.deepEqual(await statuses(() => request('/ip'), 3), [200, 200, 429])
  const refused = await request('/ip')
  assert.equal(refused.body.error.code, 4290)
  const wait = Number(refused.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= 60, `Retry-After ${wait}`)
  assert.equal((await request('/ip', '203.0.113.2')).status, 200)
  assert.deepEqual(await statuses(() => request('/ip', '2001:db8::1'), 2), [200, 200])
  assert.equal(
    (await request('/ip', '2001:db8::2')).status,
    429,
    'an address of the same /64 was accepted',
  )
  assert.equal((await request('/ip', '2001:db8:0:1::2')).status, 200, 'another /64 was limited')
})

test('routes with the same bucket share its count', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  assert.deepEqual(
    [
      ...(await statuses(() => request('/shared-a'), 2)),
      ...(await statuses(() => request('/shared-b'), 2)),
    ],
    [200, 200, 200, 429],
  )
})

test('a global limit counts all clients together', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  assert.deepEqual(
    [
      (await request('/overall', '203.0.113.1')).status,
      (await request('/overall', '203.0.113.2')).status,
      (await request('/overall', '203.0.113.3')).status,
    ],
    [200, 200, 429],
  )
})

test('no address uses up more than a tenth of a shared global limit', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  const greedy = await statuses(() => request('/shares'), 100)
  assert.deepEqual(new Set(greedy.slice(2)), new Set([429]))
  const others: number[] = []
  for (let n = 2; n <= 10; n++)
    others.push(...(await statuses(() => request('/shares', `203.0.113.${n}`), 2)))
  assert.deepEqual([...greedy.slice(0, 2), ...others], Array(20).fill(200))
  assert.equal((await request('/shares', '203.0.113.11')).status, 429)
})

test('every global limit of a route leaves an address at most a tenth', () => {
  const isShared = ({ limits = [] }: (typeof routes)[number]) => {
    const global = limits.findIndex(({ by }) => by === 'overall')
    if (global < 0) return true
    const { points, seconds, bucket } = limits[global]!
    // Counted before, so that refused requests do not use up the limit of all.
    return limits.slice(0, global).some((limit) => {
      const is_share = limit.by === 'ip' && limit.bucket === bucket && limit.seconds === seconds
      return is_share && limit.points <= points / 10
    })
  }
  assert.deepEqual(
    routes.filter((route) => !isShared(route)).map(({ url }) => url),
    [],
  )
})

test('private routes without a limit by account share one, which operators set', async (t) => {
  const { get, patch, a, sql, core } = await startApp(t)
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const change = { account_requests_per_minute: 60 }
  assert.equal((await patch('/api/v1/private/operations/settings', change, operator)).status, 200)
  await eventually(
    'the setting',
    async () => core.settings.current.account_requests_per_minute === 60,
  )
  const [person, other] = [await a.user(), await a.user()]
  const paths = ['/api/v1/private/library', '/api/v1/private/games', '/api/v1/private/account']
  const used: number[] = []
  for (let n = 0; n < 70; n++) used.push((await get(paths[n % 3]!, person)).status)
  const first = used.indexOf(429)
  assert.ok(first > 0 && first <= 60, `${first} requests were accepted`)
  assert.deepEqual(new Set(used.slice(0, first)), new Set([200]))
  assert.deepEqual(new Set(used.slice(first)), new Set([429]))
  assert.equal((await get(paths[0]!, other)).status, 200, 'another account was limited')
})

test('every private route for accounts has a limit by account', () => {
  const unlimited = routes.filter(
    ({ url, auth, limits = [] }) =>
      url.startsWith('/api/v1/private/') &&
      auth.security.length > 0 &&
      !limits.some(({ by }) => by === 'account'),
  )
  assert.deepEqual(
    unlimited.map(({ url }) => url),
    [],
  )
})

test('limits per account and per game count by account and by game', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  assert.deepEqual(
    await statuses(() => request('/account', '203.0.113.1', 'ann'), 3),
    [200, 200, 429],
  )
  assert.equal((await request('/account', '203.0.113.1', 'bob')).status, 200)
  assert.deepEqual(await statuses(() => request('/game/a'), 3), [200, 200, 429])
  assert.equal((await request('/game/b')).status, 200)
  assert.equal(
    (await request('/game/c')).status,
    200,
    'the fifth request of the address was limited',
  )
  assert.equal((await request('/game/d')).status, 429, 'the limit of the address did not apply')
})

test('a limit per game counts uid and vanity name as the same game', async (t) => {
  const { core, a } = await sharedApp(t)
  const { uid, vanity_name } = await a.listing()
  const request = await serve(t, core)
  assert.deepEqual(
    [
      (await request(`/game/${uid}`)).status,
      (await request(`/game/${vanity_name}`)).status,
      (await request(`/game/${uid.toUpperCase()}`)).status,
    ],
    [200, 200, 429],
  )
})

test('concurrent requests never exceed the limit', async (t) => {
  const { core } = await sharedApp(t)
  const request = await serve(t, core)
  const all = await Promise.all(Array.from({ length: 20 }, () => request('/ip')))
  assert.equal(all.filter(({ status }) => status === 200).length, 2)
})

test('a use can be refunded', async (t) => {
  const { core } = await sharedApp(t)
  const limit = { points: 1, seconds: 60 }
  await core.limiter.take('tries', 'me', limit)
  await assert.rejects(async () => core.limiter.take('tries', 'me', limit), {
    refusal: 'TOO_MANY_REQUESTS',
  })
  await core.limiter.give('tries', 'me')
  await core.limiter.give('tries', 'me')
  await core.limiter.take('tries', 'me', limit)
})

async function freePort(): Promise<number> {
  const server = createSocketServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function startRedis(t: TestContext, port: number): Promise<ChildProcess> {
  const redis = spawn(
    'redis-server',
    ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', temporaryFolder(t)],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  cleanup(t, () => redis.kill('SIGKILL'))
  for await (const line of redis.stdout) if (String(line).includes('Ready to accept')) break
  redis.stdout.resume()
  return redis
}

test('two processes share counts through Redis, and count separately without it', async (t) => {
  if (!needs(t, 'redis-server')) return
  const port = await freePort()
  const redis = await startRedis(t, port)
  const { core } = await sharedApp(t)
  const url = `redis://127.0.0.1:${port}`
  const [first, second] = [await createLimiter(url, core.log), await createLimiter(url, core.log)]
  cleanup(t, () => Promise.all([first.close(), second.close()]))
  const limit = { points: 3, seconds: 60 }
  await first.take('shared', 'me', limit)
  await second.take('shared', 'me', limit)
  await first.take('shared', 'me', limit)
  await assert.rejects(
    async () => second.take('shared', 'me', limit),
    (error: any) =>
      error.refusal === 'TOO_MANY_REQUESTS' && Number(error.headers['retry-after']) >= 1,
  )

  redis.kill('SIGKILL')
  await once(redis, 'exit')
  await eventually('the limiter to count locally', async () => {
    await second.take('local', 'me', limit)
    return true
  })
  await second.take('local', 'me', limit)
  await second.take('local', 'me', limit)
  await assert.rejects(async () => second.take('local', 'me', limit), {
    refusal: 'TOO_MANY_REQUESTS',
  })

  await startRedis(t, port)
  await eventually('the limiters to share counts again', async () => {
    const key = `again ${Math.random()}`
    await first.take('again', key, { points: 1, seconds: 60 })
    const refused = await Promise.resolve(
      second.take('again', key, { points: 1, seconds: 60 }),
    ).catch(() => 'refused')
    return refused === 'refused'
  })
})

test('the service starts while Redis is unreachable', async (t) => {
  const { get } = await startApp(t, { REDIS_URL: `redis://127.0.0.1:${await freePort()}` })
  assert.equal((await get('/health')).status, 200)
  assert.equal((await get('/api/v1/public/openapi.json')).status, 200)
})
