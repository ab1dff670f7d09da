import { type ChildProcess, execFileSync } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { fdatasyncSync, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { startEmbeddedPostgres } from '../src/core/database/embedded-postgres.ts'
import { openPool, type Sql } from '../src/core/database/sql.ts'
import { launchBand } from '../src/telemetry/health/bands.ts'
import { readLaunches, saveHealth } from '../src/telemetry/health/queries.ts'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { median, randomArrivals, report, scratch } from './support/harness.ts'
import { baselineCommand, serviceCommand, startServer, stopProcess } from './support/processes.ts'

/**
 * BENCH_HELD, BENCH_SECONDS and BENCH_ROUNDS set the number of stored events, the length of a round
 * and the number of rounds.
 */
const HELD = Number(process.env.BENCH_HELD ?? 10_000_000)
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
    const each = await start(baselineCommand('insert-each.ts'), settings)
    const load = (
      size: number,
      { url }: { url: string },
      connections = size === 1 ? 256 : 64,
      rate = 0,
    ) => wrk(folder, url, ids, size, connections, rate)
    await comparedWithCopy(sql, () => load(100, events))
    const one = await inSingles(load, {
      bare: { name: 'bare node:http and JSON.parse, no database', ...bare },
      ours: { name: 'Slipway', ...events },
      counted: { name: 'the same route, a write a request', url: `${each.url}/counted` },
      row: {
        name: 'the same route, a bare row a request, not counted nor told apart',
        url: `${each.url}/bare`,
      },
    })
    // After a checkpoint the write-ahead log reuses files, as in a database that has run for a
    // while.
    await sql`checkpoint`
    quietly(
      Array.from({ length: ROUNDS }, () => load(1, events, 64, one / 2)),
      folder,
    )
    await withManyHeld(sql, ids, () => load(100, events))
    await healthOfMany(sql, ids.game_uid)
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
const script = ({ game_uid, build_id }: Ids, size: number, gap_ms: number) => `
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
  wrk.headers["X-Forwarded-For"] = "10." .. (math.floor(n / 65536) % 256) .. "." .. (math.floor(n / 256) % 256) .. "." .. (n % 256)
  local events = {}
  local device = "device-" .. seed .. "-" .. (n % 10000)
  for i = 1, ${size} do
    local event = i == 1 and '"boot_ok","ms":900' or i == 2 and '"session_end","seconds":600' or '"level_up"'
    events[i] = '{"event":' .. event .. ',"event_id":"' .. seed .. '-' .. n .. '-' .. i .. '","device_uid":"' .. device .. '","session_id":"s' .. n .. '","metadata":{"level":3,"mode":"hard","score":12345}}'
  end
  return wrk.format(nil, nil, nil, '{"events":[' .. table.concat(events, ",") .. ']}')
end
function done(summary, latency) print(string.format("figures %d %d %d", latency:percentile(99), latency:percentile(50), summary.errors.status)) end
`

function wrk(
  folder: string,
  url: string,
  ids: Ids,
  size: number,
  connections: number,
  rate: number,
): Load {
  const path = join(folder, 'load.lua')
  writeFileSync(path, script(ids, size, rate ? Math.round((connections * 1000) / rate) : 0))
  const output = execFileSync(
    'wrk',
    [
      '-t',
      '1',
      '-c',
      String(connections),
      '-d',
      `${SECONDS}s`,
      '--timeout',
      '10s',
      '-s',
      path,
      url,
    ],
    {
      encoding: 'utf8',
    },
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
    return `${new Date().toISOString()}\t${randomUUID()}\t${randomUUID()}\t${event}\t${randomUUID()}\t${randomUUID()}\t${i % 100}\t{"level":3,"mode":"hard","score":12345}\n`
  })
  return lines.join('')
}

async function comparedWithCopy(sql: Sql, load: () => Load) {
  await sql`create table copied (at timestamptz not null, build_uid uuid not null, event_key uuid, event text not null, device uuid, session uuid, value int, metadata jsonb)`
  const [size, figures] = [3_000, { copy: [] as number[], ours: [] as number[] }]
  load()
  for (let round = 0; round < ROUNDS; round++) {
    const text = Array.from({ length: 20 }, () => rows(size))
    const begun = performance.now()
    let copied = 0
    for (; performance.now() - begun < SECONDS * 1000; copied += size)
      await pipeline(
        Readable.from([text[(copied / size) % text.length]!]),
        await sql`copy copied from stdin`.writable(),
      )
    figures.copy.push(copied / ((performance.now() - begun) / 1000))
    figures.ours.push(load().requests * 100)
  }
  report(
    'Durable events in requests of 100 (promise 0.4)',
    [
      { name: `COPY of the same rows, ${size} a commit`, median: median(figures.copy) },
      { name: 'Slipway, over HTTP, counted once', median: median(figures.ours) },
    ],
    'events/s',
  )
}

type LoadOf = (size: number, target: { url: string }) => Load
type Target = { name: string; url: string }

async function inSingles(
  load: LoadOf,
  targets: Record<'bare' | 'ours' | 'counted' | 'row', Target>,
): Promise<number> {
  const results = Object.values(targets).map((target) => ({ ...target, all: [] as number[] }))
  for (let round = 0; round < ROUNDS; round++)
    for (const result of results) result.all.push(load(1, result).requests)
  const [bare, ours, counted, row] = results.map(({ name, all }) => ({ name, median: median(all) }))
  report('Requests of one event (targets: 0.35 of bare, 5x of a write each)', [
    bare!,
    ours!,
    counted!,
    row!,
  ])
  process.stdout.write(
    `  Slipway is ${(ours!.median / counted!.median).toFixed(1)}x a write a request, ${(ours!.median / row!.median).toFixed(1)}x a bare row a request\n`,
  )
  return ours!.median
}

/** The time of one durable write, as the database waits for it. */
function fsyncMs(folder: string): number {
  const file = openSync(join(folder, 'fsync'), 'w')
  return median(
    Array.from({ length: 50 }, () => {
      writeSync(file, Buffer.alloc(8192))
      const begun = performance.now()
      fdatasyncSync(file)
      return performance.now() - begun
    }),
  )
}

function quietly(rounds: Load[], folder: string) {
  const fsync = fsyncMs(folder)
  const promised = 5 * fsync + 10
  const of = (name: keyof Load) => median(rounds.map((load) => load[name]))
  process.stdout.write(
    `\nAnswer at half load (${Math.round(of('requests'))} requests/s): median ${of('median_ms').toFixed(1)} ms, p99 ${of('p99_ms').toFixed(1)} ms of ${rounds.map(({ p99_ms }) => p99_ms.toFixed(1)).join(', ')}; fsync ${fsync.toFixed(1)} ms, promise ${promised.toFixed(1)} ms\n`,
  )
}

/**
 * Ten million events of the last days, as ten thousand writes would store them, with their
 * deduplication keys.
 */
async function withManyHeld(sql: Sql, { build_id }: Ids, load: () => Load) {
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
  await sql`insert into event_packs (day, build_uid, events) select current_date - (i % 10)::int, ${build_id}, ${events}::text::json from generate_series(1, ${Math.ceil(HELD / 100)}::int) i`
  await sql`insert into event_keys (day, event_key) select current_date - (i % 10)::int, ('x' || substr(md5(i::text), 1, 16))::bit(64)::bigint from generate_series(1, ${HELD}::int) i on conflict do nothing`
  await sql`checkpoint`
  const full = median(Array.from({ length: ROUNDS }, () => load().requests))
  report(
    `Ingest with ${HELD} events held (target: within 1.3x)`,
    [
      { name: 'empty', median: empty * 100 },
      { name: 'full', median: full * 100 },
    ],
    'events/s',
  )
}

async function healthOfMany(sql: Sql, game_uid: string) {
  const uids = Array.from({ length: 1000 }, () => randomUUID())
  await sql`insert into builds (uid, game_uid, version) select uid, ${game_uid}, 'v' || uid from unnest(${uids}::uuid[]) uid`
  await sql`insert into build_devices (build_uid, device, first_boot_at, last_seen, last_boot)
    select uid, gen_random_uuid(), now(), current_date, current_date from unnest(${uids}::uuid[]) uid, generate_series(1, 200)`
  await sql`insert into build_sessions (build_uid, day, seconds, sessions)
    select uid, current_date - (s % 30), s * 10, 3 from unnest(${uids}::uuid[]) uid, generate_series(1, 100) s`
  await sql`analyze build_devices, build_sessions`
  const today = new Date().toISOString().slice(0, 10)
  const times: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const begun = performance.now()
    await sql.begin(async (tx) => {
      const figures = await readLaunches(tx, uids, today)
      await saveHealth(
        tx,
        figures.map((row) => ({ ...row, band: launchBand(row) })),
      )
    })
    times.push(performance.now() - begun)
    await sql`update build_health set devices = 0`
  }
  process.stdout.write(
    `\nHealth of 1,000 builds with 200 devices and 300 sessions each: ${Math.round(median(times))} ms (target: under 1000)\n`,
  )
}

if (import.meta.main) await events()
