import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { runningEmbeddedUrl } from '../src/core/database/embedded/postgres.ts'
import { openPool } from '../src/core/database/sql.ts'
import { client } from '../test/support/app.ts'
import { builders } from '../test/support/builders.ts'
import { freePort } from '../test/support/child.ts'
import { cpuSeconds, createBench } from './support/fixtures.ts'
import { median, randomArrivals } from './support/harness.ts'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 7)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const CONNECTIONS = 16
const LISTINGS = 20
const SHARE = 1 / 3
const run = promisify(execFile)

/**
 * Requests pages, searches and an account, from random addresses to stay below the limits, `gap_ms`
 * apart on average.
 */
const script = (paths: string[], token: string, gap_ms: number) => `
local paths = { ${paths.map((path) => `"${path}"`).join(', ')} }
${randomArrivals(gap_ms)}
function request()
  local path = paths[math.random(#paths)]
  local function byte() return math.random(0, 255) end
  local address = "10." .. byte() .. "." .. byte() .. "." .. byte()
  local headers = { ["X-Forwarded-For"] = address }
  if string.find(path, "private") then headers["Authorization"] = "Bearer ${token}" end
  return wrk.format("GET", path, headers)
end
function init() math.randomseed(os.time()) end`

async function load(url: string, file: string): Promise<number> {
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${SECONDS}s`, '-s', file]
  const { stdout } = await run('wrk', [...options, url])
  const refused = stdout.match(/Non-2xx or 3xx responses: (\d+)/)
  if (refused) throw new Error(`${refused[1]} refused answers`)
  return Number(stdout.match(/(\d+) requests in/)![1])
}

async function startRedis(folder: string): Promise<{ redis: ChildProcess; url: string }> {
  const port = await freePort()
  const redis = spawn(
    'redis-server',
    ['--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  )
  await once(redis.stdout!, 'data')
  redis.stdout!.resume()
  return { redis, url: `redis://127.0.0.1:${port}` }
}

/**
 * Target: with two processes on one database and one Redis, a request costs at most 1.15 times the
 * processor time that it costs with one process. Each process has the same number of clients in
 * both cases, so the difference is what processes cost each other. It is measured at a third of the
 * capacity, where two cores suffice for both and the load, and also at full load, where they
 * compete for caches and cores.
 */
export async function twoProcesses() {
  const bench = createBench()
  const { redis, url: REDIS_URL } = await startRedis(bench.folder)
  try {
    const first = await bench.service({ SLIPWAY_ROLES: 'api,worker' })
    const database_url = runningEmbeddedUrl(bench.data_dir)!
    const a = builders(client(first.url), bench.data_dir)
    const owner = await a.verifiedDeveloper()
    const uids: string[] = []
    for (let i = 0; i < LISTINGS; i++)
      uids.push((await a.listing({ owner, name: `Common Word ${i}` })).uid)
    const sql = openPool(database_url, 1, 'bench')
    await sql`update listings set visibility = 'public', public_since = now(), published_at = now()`
    await sql.end()
    const env = { SLIPWAY_ROLES: 'api', DATABASE_URL: database_url, REDIS_URL, PROXY_HOPS: '1' }
    const first_process = await bench.service(env)
    const second_process = await bench.service(env)
    const paths = [
      ...uids.map((uid) => `/api/v1/public/games/${uid}`),
      ...Array(10).fill('/api/v1/public/search?q=common'),
      ...Array(10).fill('/api/v1/private/account'),
    ]
    const file = join(bench.folder, 'mix.lua')
    // Each process runs alone in turn, because one may be warmed up better.
    const shapes = (round: number) => ({
      single: [round % 2 ? first_process : second_process],
      both: [first_process, second_process],
    })

    async function compare(gap_ms: number) {
      writeFileSync(file, script(paths, owner.token, gap_ms))
      const costs = { single: [] as number[], both: [] as number[] }
      let max_rate = 0
      for (let round = 0; round <= ROUNDS + 1; round++)
        for (const [name, processes] of Object.entries(shapes(round))) {
          const before = processes.map(({ child }) => cpuSeconds(child))
          const counts = await Promise.all(processes.map(({ url }) => load(url, file)))
          const spent = processes.reduce(
            (sum, { child }, nth) => sum + cpuSeconds(child) - before[nth]!,
            0,
          )
          // The first two rounds are a warm-up.
          if (round > 1)
            costs[name as keyof typeof costs].push(
              (spent / counts.reduce((sum, n) => sum + n, 0)) * 1e6,
            )
          if (name === 'single') max_rate = Math.max(max_rate, counts[0]! / SECONDS)
        }
      return {
        single: median(costs.single),
        both: median(costs.both),
        ratio: median(costs.both) / median(costs.single),
        max_rate,
      }
    }

    const full = await compare(0)
    const partial = await compare(Math.round((CONNECTIONS * 1000) / (full.max_rate * SHARE)))
    const summary = ({ single, both, ratio }: typeof full) =>
      `one process ${single.toFixed(0)} µs, two processes ${both.toFixed(0)} µs: ` +
      `${ratio.toFixed(2)}`
    process.stdout.write('\nProcessor time per request: listings, searches, an account\n')
    process.stdout.write(
      `  at a third of the capacity: ${summary(partial)} (target: at most 1.15)\n`,
    )
    process.stdout.write(`  at full load on two cores, load included: ${summary(full)}\n`)
    return partial
  } finally {
    redis.kill('SIGTERM')
    await bench.close()
  }
}
