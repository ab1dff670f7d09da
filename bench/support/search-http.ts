import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { SearchQuery } from '../../src/catalog/search/query/parameters.ts'
import type { Sql } from '../../src/core/database/sql.ts'
import { residentMemory } from '../../test/support/memory.ts'
import { type Server, serviceCommand, startServer, stopProcess } from './processes.ts'
import { random, shapes, uidOf } from './search-data.ts'

/** A database with a catalog, and the data folder of the service that reads it. */
export type CatalogDatabase = {
  count: number
  url: string
  sql: Sql
  folder: string
  stop: () => Promise<void>
}

export const serve = ({ url, folder }: CatalogDatabase): Promise<Server> =>
  startServer(serviceCommand, {
    DATABASE_URL: url,
    DATA_DIR: join(folder, 'service'),
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'warn',
    PROXY_HOPS: '1',
    SLIPWAY_ROLES: 'api,web',
  })

let requests = 0
/** Each request has another address, to stay below the limits. */
function requestSearch(url: string, query: string) {
  const n = ++requests
  const address = `10.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`
  return fetch(`${url}/api/v1/public/search?${query}`, { headers: { 'x-forwarded-for': address } })
}

export async function firstAnswer(url: string) {
  while ((await requestSearch(url, 'page_size=1')).status !== 200) await pause(20)
}

export const mix = (size: number): SearchQuery[] => {
  const next = random(11)
  const makers = Object.values(shapes)
  return Array.from({ length: size }, (_, n) => makers[n % makers.length]!(next))
}

const SUGGEST = '/api/v1/public/search/suggest'

/** The first two to five letters of words, as they are typed. */
export const beginnings = (size: number): SearchQuery[] =>
  mix(size * 4)
    .flatMap(({ q }, n) => (q ? [{ q: q.slice(0, 2 + (n % 4)) }] : []))
    .filter(({ q }) => q.trim().length > 1)
    .slice(0, size)

export type Http = {
  rate: number
  p95: number
  resident_mb: number
  restart: number
  fresh: [number, number]
  pages_p95: number
  suggest_p95: number
}

export async function overHttp(database: CatalogDatabase, is_full = false): Promise<Http> {
  const from = performance.now()
  const { child, url } = await serve(database)
  await firstAnswer(url)
  const restart = (performance.now() - from) / 1000
  try {
    const { rate, p95 } = runLoad(url, database.folder, {
      path: '/api/v1/public/search',
      connections: 8,
    })
    // One request at a time, to measure the cost of a page without queueing.
    const load = (path: string, queries?: SearchQuery[]) =>
      runLoad(url, database.folder, { path, connections: 1, ...(queries && { queries }) })
    const pages_p95 = is_full ? load('/search').p95 : 0
    const suggest_p95 = is_full ? load(SUGGEST, beginnings(600)).p95 : 0
    const resident_mb = Math.round(residentMemory(child.pid!) / 1e6)
    const fresh = is_full ? await freshness(database, url) : ([0, 0] as [number, number])
    return { rate, p95, resident_mb, restart, fresh, pages_p95, suggest_p95 }
  } finally {
    await stopProcess(child)
  }
}

type Load = { path: string; connections: number; queries?: SearchQuery[] }

/** A mixed load over HTTP. Each request has another address. */
function runLoad(
  url: string,
  folder: string,
  { path, connections, queries = mix(600) }: Load,
): { rate: number; p95: number } {
  const paths = queries.map((query) => `${path}?${parameters(query)}`)
  const script = join(folder, 'load.lua')
  writeFileSync(
    script,
    `local paths = {${paths.map((path) => JSON.stringify(path)).join(',')}}
local n = math.random(1000)
request = function()
  n = n + 1
  local ip = '10.' .. math.random(255) .. '.' .. math.random(255) .. '.' .. math.random(255)
  return wrk.format('GET', paths[n % #paths + 1], { ['x-forwarded-for'] = ip })
end
done = function(summary, latency)
  print('P95 ' .. latency:percentile(95) / 1000)
end`,
  )
  const run = (length: number) =>
    execFileSync('wrk', ['-t1', `-c${connections}`, `-d${length}s`, '-s', script, url], {
      encoding: 'utf8',
    })
  run(3)
  const output = run(8)
  const refused = output.match(/Non-2xx or 3xx responses: (\d+)/)
  if (refused) throw new Error(`${refused[1]} refused answers`)
  return {
    rate: Number(output.match(/Requests\/sec:\s+([\d.]+)/)![1]),
    p95: Number(output.match(/P95 ([\d.]+)/)![1]),
  }
}

function parameters(query: SearchQuery): string {
  const encoded = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    encoded.set(name, Array.isArray(value) ? value.join(',') : String(value))
  return encoded.toString()
}

/** Makes 50 edits per second. Every fifth is searched for from its commit until it is found. */
async function freshness({ sql, count }: CatalogDatabase, url: string): Promise<[number, number]> {
  const next = random(Date.now())
  const times: number[] = []
  const searches: Promise<void>[] = []
  for (let n = 0; n < 500; n++) {
    const tick = pause(20)
    const tag = `probe-${Date.now().toString(36)}-${n}`
    const uid = uidOf(Math.floor(next() * count))
    await sql`update listings set tags = tags || ${tag}::text, adult = false where uid = ${uid}`
    if (n % 5 === 0) searches.push(waitForTag(url, tag).then((time) => void times.push(time)))
    await tick
  }
  await Promise.all(searches)
  times.sort((a, b) => a - b)
  return [times[times.length >> 1]!, times[Math.floor(times.length * 0.99)]!]
}

async function waitForTag(url: string, tag: string): Promise<number> {
  const from = performance.now()
  for (;;) {
    const answer = await requestSearch(url, `tags=${tag}&page_size=1`)
    const { data } = (await answer.json()) as { data: { total: number } }
    if (data.total === 1) return performance.now() - from
    await pause(5)
  }
}
