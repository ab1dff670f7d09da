import { randomBytes } from 'node:crypto'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { Random } from '../../demo/random.ts'
import { openPool } from '../../src/core/database/sql.ts'
import { settings, startStore } from '../extstore/fixtures.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import type { Daemon } from '../support/daemon.ts'
import { IS_FULL_RUN } from '../support/loop-count.ts'
import { startClamd } from '../support/programs/clamd.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { startNginx } from '../support/programs/nginx.ts'
import { startObjectStore } from '../support/programs/object-store.ts'
import { startRedis } from '../support/programs/redis.ts'
import { needs, type Program } from '../support/system-packages.ts'

const roles = ['api', 'web', 'upload', 'worker'] as const
type Role = (typeof roles)[number]
/** The roles of each process. In a short run, every process has all of them. */
const rolesOfProcesses: Role[][] = IS_FULL_RUN ? roles.map((role) => [role]) : [[...roles]]
const PROCESSES_OF_EACH_KIND = 2

/** A component that can be taken down in one of several ways, and brought back. */
export type Component = {
  name: string
  signals: readonly string[]
  takeDown: (signal: string) => Promise<unknown> | unknown
  bringBack: () => Promise<unknown>
}
type Settings = Record<string, string>
type ConstellationOptions = {
  postgres_settings?: string[]
  /** What differs between the processes, by their index. */
  environmentOf?: (index: number) => Settings
}
export type Constellation = Awaited<ReturnType<typeof startConstellation>>

export const programs: Program[] = [
  'pg_dump',
  'redis-server',
  'clamd',
  'nginx',
  'swift-proxy-server',
]
export const hasPrograms = (t: TestContext) => programs.every((program) => needs(t, program))

/**
 * A complete production setup on one machine: every real server, two processes of each role (in a
 * short run two with all roles), and nginx in front of them.
 */
export async function startConstellation(
  t: TestContext,
  log: (line: string) => void = () => {},
  { postgres_settings = [], environmentOf = () => ({}) }: ConstellationOptions = {},
) {
  log('starting PostgreSQL, its replica, an object store, Redis and clamd')
  const database = await startDatabases(t, postgres_settings)
  const { makeBucket, proxy } = await startObjectStore(t)
  const [redis, clamd, store] = await Promise.all([
    startRedisOnFreePort(t),
    startClamd(t),
    startStore(t),
  ])
  const port = await freePort()
  const data_dir = temporaryFolder(t)
  const outbox = join(data_dir, 'outbox')
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
  }
  log(`starting ${PROCESSES_OF_EACH_KIND} processes of each role: ${roles.join(', ')}`)
  const processes = await startProcesses(t, { shared, outbox, environmentOf })
  const ports = (role: Role) =>
    processes.filter((service) => service.roles.includes(role)).map(({ port }) => port)
  const upstreams = { api: ports('api'), web: ports('web'), upload: ports('upload') }
  const url = await startNginx(t, upstreams, { port })
  const sql = openPool(shared.DATABASE_URL, 2, 'test')
  cleanup(t, () => sql.end({ timeout: 1 }))
  log(`nginx is ready at ${url}`)
  const components = {
    postgres: server('PostgreSQL', database.primary, ['SIGKILL', 'SIGQUIT', 'SIGINT']),
    replica: server('the replica', database.replica, ['SIGKILL', 'SIGINT']),
    redis: server('Redis', redis, ['SIGKILL', 'SIGSTOP']),
    s3: server('the object store', proxy, ['SIGKILL', 'SIGSTOP']),
    clamd: server('clamd', clamd, ['SIGKILL']),
    processes: processes.map(({ name, child }) => ({
      name,
      signals: ['SIGKILL'],
      takeDown: () => child.kill(),
      bringBack: () => child.start(),
    })),
  }
  return { url, sql, store, components, processes, data_dir, primary: database.primary }
}

async function startDatabases(t: TestContext, settings: string[]) {
  const primary = await debianServer(t, { settings })
  primary.bin('createdb', '--maintenance-db', primary.url('postgres'), 'slipway')
  return { primary, replica: await debianServer(t, { replica_of: primary.url('postgres') }) }
}

async function startRedisOnFreePort(t: TestContext) {
  const port = await freePort()
  return { ...(await startRedis(t, port)), url: `redis://127.0.0.1:${port}` }
}

/**
 * Every process has its own data folder, as on separate machines. Only the outbox is shared,
 * because the journeys read the mails there.
 */
async function startProcesses(
  t: TestContext,
  {
    shared,
    outbox,
    environmentOf,
  }: { shared: Settings; outbox: string; environmentOf: (index: number) => Settings },
) {
  const all = rolesOfProcesses.flatMap((roles) =>
    Array.from({ length: PROCESSES_OF_EACH_KIND }, (_, index) => ({
      roles,
      name: `${roles.join('+')} ${index + 1}`,
    })),
  )
  return Promise.all(
    all.map(async ({ roles, name }, index) => {
      const DATA_DIR = temporaryFolder(t)
      const port = await freePort()
      symlinkSync(outbox, join(DATA_DIR, 'outbox'))
      const SLIPWAY_ROLES = roles.join(',')
      const own = { DATA_DIR, PORT: port, SLIPWAY_ROLES, ...environmentOf(index) }
      const child = childService(t, { ...shared, ...own })
      const http = client(await child.start())
      await eventually(`${name} to be ready`, async () => {
        const answer = await http.get('/ready').catch(() => undefined)
        return answer?.status === 200
      })
      return { roles, name, port, child, http }
    }),
  )
}

type Server = Pick<Daemon, 'end' | 'start'> & Partial<Pick<Daemon, 'signal'>>

/** Bringing a server back continues it if it is suspended, and starts it if it is dead. */
function server(
  name: string,
  { end, signal: sendSignal, start }: Server,
  signals: NodeJS.Signals[],
): Component {
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

/** Returns components in random order, each once per round; of each kind of process, one. */
export function shuffleComponents({ components, processes }: Constellation, random: Random) {
  const { processes: processComponents, ...servers } = components
  const shuffled = { rounds: 0, next }
  let remaining: Component[] = []
  const newRound = () => [
    ...Object.values(servers),
    ...rolesOfProcesses.map((roles) =>
      random.pick(processComponents.filter((_, index) => processes[index]!.roles === roles)),
    ),
  ]
  function next(): Component {
    if (!remaining.length) remaining = newRound()
    const [component] = remaining.splice(random.integer(0, remaining.length - 1), 1)
    if (!remaining.length) shuffled.rounds++
    return component!
  }
  return shuffled
}
