import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startEmbeddedPostgres } from '../src/core/database/embedded/postgres.ts'
import { openPool, type Sql } from '../src/core/database/sql.ts'
import { launchBand } from '../src/telemetry/health/bands.ts'
import { weighByNetwork } from '../src/telemetry/health/network-weights.ts'
import { readLaunches, saveHealth } from '../src/telemetry/health/queries.ts'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { median, randomArrivals, report, scratch } from './support/harness.ts'
import { baselineCommand, serviceCommand, startServer, stopProcess } from './support/processes.ts'

/**
 * BENCH_STORED, BENCH_SECONDS and BENCH_ROUNDS set the number of stored events, the length of a
 * round and the number of rounds.
 */
const STORED = Number(process.env.BENCH_STORED ?? 10_000_000)
const SECONDS = Number(process.env.BENCH_SECONDS ?? 4)
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)

type Load = { requests: number; p99_ms: number; median_ms: number }

/**
 * Targets, with durable commits: events in requests of 100 at 0.4 of COPY of the same rows;
 * requests of one event at 0.35 of bare node:http with JSON.parse, and at 5 times the same route
 * with one insert per request; p99 at half load under 5 times the median fsync and 10 ms; within
 * 1.3 times with ten million stored events; the health of 1,000 builds in under a second.
 */
export async function events() {
  const { folder, remove } = scratch()
  const servers: ChildProcess[] = []
  const database = await startEmbeddedPostgres(join(folder, 'db'))
  const start = async (command: string[], env: Record<string, string> = {}) => {
    const server = await startServer(command, env)
    servers.push(server.child)
    return { ...server, url: server.url.replace(/\/$/, '') }
  }
  const settings = {
    DATABASE_URL: database.url,
    DATA_DIR: join(folder, 'data'),
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'fatal',
    PROXY_HOPS: '1',
  }
  const sql = openPool(database.url, 2, 'bench')
  try {
    const ours = await start(serviceCommand, {
      ...settings,
      SLIPWAY_ROLES: 'api,upload,worker',
    })
    const ids = await makeBuild(ours.url, settings.DATA_DIR)
    const events = { url: `${ours.url}/api/v1/public/events` }
    const bare = await start(baselineCommand('bare-json.ts'))
    const insert_each = await start(baselineCommand('insert-each.ts'), settings)
    const script = join(folder, 'load.lua')
    const load = (
      size: number,
      { url }: { url: string },
      connections = size === 1 ? 256 : 64,
      rate = 0,
    ) => {
      const gap_ms = rate ? Math.round((connections * 1000) / rate) : 0
      writeFileSync(script, loadScript(ids, size, gap_ms))
      return runLoad(script, url, connections)
    }
    await compareWithCopy(sql, () => load(100, events))
    const rate = await compareSingleEvents(load, {
      bare: { name: 'bare node:http and JSON.parse, no database', ...bare },
      ours: { name: 'Slipway', ...events },
      counted: { name: 'same route, one write per request', url: `${insert_each.url}/counted` },
      row: {
        name: 'same route, one plain row per request',
        url: `${insert_each.url}/bare`,
      },
    })
    // After a checkpoint the write-ahead log reuses files, as in a database that has run for a
    // while.
    await sql`checkpoint`
    reportLatency(
      Array.from({ length: ROUNDS }, () => load(1, events, 64, rate / 2)),
      folder,
    )
    await compareWithFullTables(sql, ids, () => load(100, events))
    await measureHealth(sql, ids.game_uid)
  } finally {
    for (const child of servers) await stopProcess(child)
    await sql.end({ timeout: 5 })
    await database.stop()
    remove()
  }
}

async function makeBuild(url: string, data_dir: string) {
  const http = client(url)
  const a = builders(http, data_dir)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  const { build_id } = must(
    await http.post(
      '/api/v1/tool/upload/build',
      { version: '1', os: 'linux', arch: 'x86_64' },
      await a.deployer(listing),
    ),
  )
  return { game_uid: listing.uid, build_id: build_id as string }
}

type Ids = { game_uid: string; build_id: string }

/**
 * Each request has another address and each event another id. The client measures the response
 * time.
 */
const loadScript = ({ game_uid, build_id }: Ids, size: number, gap_ms: number) => `
local seed = ${Math.floor(Math.random() * 1e9)}
math.randomseed(seed)
local n = 0
wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.headers["X-App-Id"] = "${game_uid}"
wrk.headers["X-Build-Id"] = "${build_id}"
${randomArrivals(gap_ms)}
function request()
  n = n + 1
  local high, middle = math.floor(n / 65536) % 256, math.floor(n / 256) % 256
  wrk.headers["X-Forwarded-For"] = "10." .. high .. "." .. middle .. "." .. (n % 256)
  local events = {}
  local device = "device-" .. seed .. "-" .. (n % 10000)
  for i = 1, ${size} do
    local event = '"level_up"'
    if i == 1 then event = '"boot_ok","ms":900' end
    if i == 2 then event = '"session_end","seconds":600' end
    local id = seed .. '-' .. n .. '-' .. i
    events[i] = '{"event":' .. event .. ',"event_id":"' .. id .. '","device_uid":"' .. device ..
      '","session_id":"s' .. n .. '","metadata":{"level":3,"mode":"hard","score":12345}}'
  end
  return wrk.format(nil, nil, nil, '{"events":[' .. table.concat(events, ",") .. ']}')
end
function done(summary, latency)
  local p99, p50 = latency:percentile(99), latency:percentile(50)
  print(string.format("figures %d %d %d", p99, p50, summary.errors.status))
end
`

function runLoad(script: string, url: string, connections: number): Load {
  const output = execFileSync(
    'wrk',
    ['-t1', `-c${connections}`, `-d${SECONDS}s`, '--timeout', '10s', '-s', script, url],
    { encoding: 'utf8' },
  )
  const [, p99, p50, refused] = /figures (\d+) (\d+) (\d+)/.exec(output)!.map(Number) as [
    number,
    number,
    number,
    number,
  ]
  if (refused) throw new Error(`${refused} refused answers\n${output}`)
  return {
    requests: Number(output.match(/Requests\/sec:\s+([\d.]+)/)![1]),
    p99_ms: p99 / 1000,
    median_ms: p50 / 1000,
  }
}

/** A hundred thousand rows like those of the load. */
function rows(count: number): string {
  const lines = Array.from({ length: count }, (_, i) => {
    const event = i % 100 === 0 ? 'boot_ok' : i % 100 === 1 ? 'session_end' : 'level_up'
    const metadata = '{"level":3,"mode":"hard","score":12345}'
    const [build, key, device, session] = Array.from({ length: 4 }, () => randomUUID())
    const at = new Date().toISOString()
    return `${[at, build, key, event, device, session, i % 100, metadata].join('\t')}\n`
  })
  return lines.join('')
}

async function compareWithCopy(sql: Sql, load: () => Load) {
  await sql`
    create table copied (
      at timestamptz not null, build_uid uuid not null, event_key uuid, event text not null,
      device uuid, session uuid, value int, metadata jsonb
    )`
  const size = 3_000
  const figures = { copy: [] as number[], ours: [] as number[] }
  load()
  for (let round = 0; round < ROUNDS; round++) {
    const text = Array.from({ length: 20 }, () => rows(size))
    const start = performance.now()
    let copied = 0
    for (; performance.now() - start < SECONDS * 1000; copied += size)
      await pipeline(
        Readable.from([text[(copied / size) % text.length]!]),
        await sql`copy copied from stdin`.writable(),
      )
    figures.copy.push(copied / ((performance.now() - start) / 1000))
    figures.ours.push(load().requests * 100)
  }
  report(
    'Durable events in requests of 100 (target: 0.4)',
    [
      { name: `COPY of the same rows, ${size} per commit`, median: median(figures.copy) },
      { name: 'Slipway, over HTTP, deduplicated', median: median(figures.ours) },
    ],
    'events/s',
  )
}

type LoadOf = (size: number, target: { url: string }) => Load
type Target = { name: string; url: string }

async function compareSingleEvents(
  load: LoadOf,
  targets: Record<'bare' | 'ours' | 'counted' | 'row', Target>,
): Promise<number> {
  const results = Object.values(targets).map((target) => ({ ...target, all: [] as number[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const result of results) result.all.push(load(1, result).requests)
  const [bare, ours, counted, row] = results.map(({ name, all }) => ({ name, median: median(all) }))
  report('Requests of one event (targets: 0.35 of bare, 5x of one write per request)', [
    bare!,
    ours!,
    counted!,
    row!,
  ])
  const factor = (other: { median: number }) => (ours!.median / other.median).toFixed(1)
  process.stdout.write(
    `  Slipway is ${factor(counted!)}x one write per request, ` +
      `${factor(row!)}x one plain row per request\n`,
  )
  return ours!.median
}

/** The time of one durable write, as the database waits for it. */
function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w')
  return median(
    Array.from({ length: 50 }, () => {
      writeSync(file, Buffer.alloc(8192))
      const start = performance.now()
      fdatasyncSync(file)
      return performance.now() - start
    }),
  )
}

function reportLatency(rounds: Load[], folder: string) {
  const fsync = fsyncMs(folder)
  const target = 5 * fsync + 10
  const medianOf = (name: keyof Load) => median(rounds.map((load) => load[name]))
  const p99 = rounds.map(({ p99_ms }) => p99_ms.toFixed(1)).join(', ')
  process.stdout.write(
    `\nLatency at half load (${Math.round(medianOf('requests'))} requests/s): ` +
      `median ${medianOf('median_ms').toFixed(1)} ms, ` +
      `p99 ${medianOf('p99_ms').toFixed(1)} ms (median of ${p99}); ` +
      `fsync ${fsync.toFixed(1)} ms, target ${target.toFixed(1)} ms\n`,
  )
}

/**
 * Ten million events of the last days, as ten thousand writes would store them, with their
 * deduplication keys.
 */
async function compareWithFullTables(sql: Sql, { build_id }: Ids, load: () => Load) {
  await sql`truncate event_packs, event_keys`
  const empty = median(Array.from({ length: ROUNDS }, () => load().requests))
  const events = JSON.stringify(
    Array.from({ length: 100 }, () => ({
      event: 'level_up',
      at: new Date().toISOString(),
      device: randomUUID(),
      metadata: { level: 3, mode: 'hard', score: 12345 },
    })),
  )
  await sql`
    insert into event_packs (day, build_uid, events)
    select current_date - (i % 10)::int, ${build_id}, ${events}::text::json
    from generate_series(1, ${Math.ceil(STORED / 100)}::int) i`
  await sql`
    insert into event_keys (day, event_key)
    select current_date - (i % 10)::int, ('x' || substr(md5(i::text), 1, 16))::bit(64)::bigint
    from generate_series(1, ${STORED}::int) i
    on conflict do nothing`
  await sql`checkpoint`
  const full = median(Array.from({ length: ROUNDS }, () => load().requests))
  report(
    `Ingest with ${STORED} stored events (target: within 1.3x)`,
    [
      { name: 'empty', median: empty * 100 },
      { name: 'full', median: full * 100 },
    ],
    'events/s',
  )
}

async function measureHealth(sql: Sql, game_uid: string) {
  const uids = Array.from({ length: 1000 }, () => randomUUID())
  await sql`
    insert into builds (uid, game_uid, version)
    select uid, ${game_uid}, 'v' || uid
    from unnest(${uids}::uuid[]) uid`
  await sql`
    insert into build_devices (build_uid, device, first_boot_at, last_seen, last_boot)
    select uid, gen_random_uuid(), now(), current_date, current_date
    from unnest(${uids}::uuid[]) uid, generate_series(1, 200)`
  await sql`
    insert into build_sessions (build_uid, day, seconds, sessions)
    select uid, current_date - (s % 30), s * 10, 3
    from unnest(${uids}::uuid[]) uid, generate_series(1, 100) s`
  await sql`analyze build_devices, build_sessions`
  const today = new Date().toISOString().slice(0, 10)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const start = performance.now()
    await sql.begin(async (tx) => {
      const figures = await readLaunches(tx, uids, today)
      await saveHealth(
        tx,
        figures.map((row) => ({ ...row, band: launchBand(row, weighByNetwork(row.networks)) })),
      )
    })
    times.push(performance.now() - start)
    await sql`update build_health set devices = 0`
  }
  process.stdout.write(
    '\nHealth of 1,000 builds with 200 devices and 300 sessions each: ' +
      `${Math.round(median(times))} ms (target: under 1000)\n`,
  )
}

if (import.meta.main) await events()
