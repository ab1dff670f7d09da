import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Random } from '../../demo/random.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { settings, startStore } from '../extstore/fixtures.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { childService, freePort } from '../support/child.ts'
import { startClamd } from '../support/clamd.ts'
import { cleanup } from '../support/cleanup.ts'
import type { Daemon } from '../support/daemon.ts'
import { debianServer } from '../support/debian-postgres.ts'
import { startNginx } from '../support/nginx.ts'
import { startObjectStore } from '../support/object-store.ts'
import { startRedis } from '../support/redis.ts'
import { needs, type Part as Program } from '../support/system-packages.ts'

export const roles = ['api', 'web', 'upload', 'worker'] as const
export type Role = (typeof roles)[number]
const OF_EACH = 2

/** A component that can be taken down in one of several ways, and brought back. */
export type Part = {
  name: string
  signals: readonly string[]
  takeDown: (signal: string) => Promise<unknown> | unknown
  bringBack: () => Promise<unknown>
}
export type Constellation = Awaited<ReturnType<typeof startConstellation>>

const programs: Program[] = [
  'pg_dump',
  'redis-server',
  'clamd',
  'nginx',
  'swift-proxy-server',
  'memcached',
]
export const hasPrograms = (t: TestContext) => programs.every((program) => needs(t, program))

/**
 * A complete production setup on one machine: every real server, two processes of each role, and
 * nginx in front of them.
 */
export async function startConstellation(
  t: TestContext,
  say: (line: string) => void = () => {},
  more: Record<string, string> = {},
) {
  say('PostgreSQL and its replica, an object store, Redis, clamd')
  const database = await startDatabases(t)
  const { makeBucket, door } = await startObjectStore(t)
  const [redis, clamd, store] = await Promise.all([startCounting(t), startClamd(t), startStore(t)])
  const [port, outbox] = [await freePort(), join(temporaryFolder(t), 'outbox')]
  mkdirSync(outbox)
  const shared = {
    ...settings(store),
    ISSUER: '',
    DATABASE_URL: database.primary.url('slipway'),
    DATABASE_REPLICA_URL: database.replica.url('slipway'),
    S3_URL: await makeBucket('slipway'),
    REDIS_URL: redis.url,
    CLAMD_URL: clamd.url,
    SECRETS_KEY: randomBytes(32).toString('base64'),
    BASE_URL: `http://127.0.0.1:${port}`,
    PROXY_HOPS: '1',
    DRAIN_SECONDS: '8',
    ...more,
  }
  say(`${OF_EACH} processes each of ${roles.join(', ')}`)
  const processes = await startProcesses(t, shared, outbox)
  const ports = (role: Role) => processes.filter((one) => one.role === role).map((one) => one.port)
  const url = await startNginx(
    t,
    { api: ports('api'), web: ports('web'), upload: ports('upload') },
    port,
  )
  const sql = openPool(shared.DATABASE_URL, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  say(`nginx at ${url}`)
  const parts = {
    postgres: server('PostgreSQL', database.primary, ['SIGKILL', 'SIGQUIT', 'SIGINT']),
    replica: server('the replica', database.replica, ['SIGKILL', 'SIGINT']),
    redis: server('Redis', redis, ['SIGKILL', 'SIGSTOP']),
    s3: server('the object store', door, ['SIGKILL', 'SIGSTOP']),
    clamd: server('clamd', clamd, ['SIGKILL']),
    processes: processes.map(({ name, child }) => ({
      name,
      signals: ['SIGKILL'],
      takeDown: () => child.kill(),
      bringBack: () => child.start(),
    })),
  }
  return { url, sql, store, parts, processes, data_dir: join(outbox, '..'), shared }
}

async function startDatabases(t: TestContext) {
  const primary = await debianServer(t)
  primary.bin('createdb', '--maintenance-db', primary.url('postgres'), 'slipway')
  return { primary, replica: await debianServer(t, { replica_of: primary.url('postgres') }) }
}

async function startCounting(t: TestContext) {
  const port = await freePort()
  return { ...(await startRedis(t, port)), url: `redis://127.0.0.1:${port}` }
}

/**
 * Every process has its own data folder, as on separate machines. Only the outbox is shared,
 * because the journeys read the mails there.
 */
async function startProcesses(t: TestContext, shared: Record<string, string>, outbox: string) {
  const all = roles.flatMap((role) =>
    Array.from({ length: OF_EACH }, (_, nth) => ({ role, name: `${role} ${nth + 1}` })),
  )
  return Promise.all(
    all.map(async ({ role, name }) => {
      const [DATA_DIR, port] = [temporaryFolder(t), await freePort()]
      symlinkSync(outbox, join(DATA_DIR, 'outbox'))
      const child = childService(t, { ...shared, DATA_DIR, PORT: port, SLIPWAY_ROLES: role })
      const http = client(await child.start())
      await eventually(
        `${name} to be ready`,
        async () => (await http.get('/ready').catch(() => undefined))?.status === 200,
        60,
      )
      return { role, name, port, child, http }
    }),
  )
}

/** Bringing a server back continues it if it is suspended, and starts it if it is dead. */
function server(
  name: string,
  {
    end,
    signal: sendSignal,
    start,
  }: Pick<Daemon, 'end' | 'start'> & Partial<Pick<Daemon, 'signal'>>,
  signals: NodeJS.Signals[],
): Part {
  let suspended = false
  return {
    name,
    signals,
    takeDown: (signal) => {
      suspended = signal === 'SIGSTOP'
      return suspended ? sendSignal!('SIGSTOP') : end(signal as NodeJS.Signals)
    },
    bringBack: async () => {
      if (suspended) sendSignal!('SIGCONT')
      else await start()
    },
  }
}

/** Returns components in random order, each once per round; of every role, one of its processes. */
export function shuffleParts({ parts, processes }: Constellation, random: Random) {
  const { processes: all, ...engines } = parts
  const dealt = { rounds: 0, next }
  let left: Part[] = []
  const bag = () => [
    ...Object.values(engines),
    ...roles.map((role) => random.pick(all.filter((_, index) => processes[index]!.role === role))),
  ]
  function next(): Part {
    if (!left.length) left = bag()
    const [part] = left.splice(random.integer(0, left.length - 1), 1)
    if (!left.length) dealt.rounds++
    return part!
  }
  return dealt
}
