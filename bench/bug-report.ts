import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, rmSync } from 'node:fs'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { report as bugForm } from '../test/bugs/fixtures.ts'
import { client } from '../test/support/app.ts'
import { builders, must } from '../test/support/builders.ts'
import { picture, pngChunk } from '../test/support/images.ts'
import { median, report, scratch } from './support/harness.ts'
import { baselineCommand, serviceCommand, startServer, stopProcess } from './support/processes.ts'

const MB = 1_000_000
const ROUNDS = 7
const SECONDS = Number(process.env.BENCH_SECONDS ?? 3)
const CONNECTIONS = 8
const GAMES = '/api/v1/private/games'

/**
 * Target: a report with a screenshot of 1 MB at 0.6 of bare node:http writing the same body
 * durably.
 */
export async function bugReports() {
  const { folder, remove } = scratch()
  const children: ChildProcess[] = []
  const start = async (command: string[], env: Record<string, string> = {}) => {
    const server = await startServer(command, env)
    children.push(server.child)
    return server.url
  }
  try {
    const bare_dir = join(folder, 'bare')
    const data_dir = join(folder, 'data')
    for (const path of [bare_dir, data_dir]) mkdirSync(path)
    const bare = await start(baselineCommand('bare-report.ts'), {
      BENCH_FOLDER: bare_dir,
    })
    // Without the worker, so that background jobs are not measured.
    const settings = {
      DATA_DIR: data_dir,
      PORT: '0',
      METRICS_PORT: 'off',
      LOG_LEVEL: 'fatal',
      SLIPWAY_ROLES: 'api',
      PROXY_HOPS: '1',
    }
    const ours = await start(serviceCommand, settings)
    const { uid, tokens } = await prepare(ours, data_dir)
    const { raw, headers } = bugForm(
      { client_version: '1.0', os: 'linux' },
      { screenshot: await screenshot() },
    )
    const message = (nth: number) => ({
      body: Buffer.from(raw as Uint8Array),
      headers: headers!,
      token: tokens[nth % tokens.length]!,
    })
    const bugs = new URL(`/api/v1/games/${uid}/bugs`, ours)
    const targets = {
      'bare node:http': (agent: Agent, nth: number) => send(agent, new URL(bare), message(nth)),
      'bug report': (agent: Agent, nth: number) => send(agent, bugs, message(nth)),
    }
    const figures = new Map(Object.keys(targets).map((name) => [name, [] as number[]]))
    for (const run of Object.values(targets)) await load(run, 0.5)
    for (let round = 0; round < ROUNDS; round++)
      for (const [name, run] of Object.entries(targets)) {
        figures.get(name)!.push(await load(run, SECONDS))
        for (const file of readdirSync(bare_dir)) rmSync(join(bare_dir, file))
        rmSync(join(data_dir, 'objects/bugs', uid), { recursive: true, force: true })
        mkdirSync(join(data_dir, 'objects/bugs', uid), { recursive: true })
      }
    return report(
      `Bug reports with a screenshot of 1 MB, ${CONNECTIONS} at once`,
      [...figures].map(([name, all]) => ({ name, median: median(all) })),
    )
  } finally {
    for (const child of children) await stopProcess(child)
    remove()
  }
}

/** Creates a game with the bug reporter enabled, and enough players to stay below its daily cap. */
async function prepare(url: string, data_dir: string) {
  const http = client(url)
  const a = builders(http, data_dir)
  const { uid, owner } = await a.listing()
  must(await http.put(`${GAMES}/${uid}/bug-reporter`, { enabled: true, daily_cap: 10_000 }, owner))
  must(await http.patch(`${GAMES}/${uid}`, { visibility: 'invisible' }, owner))
  const players = await Promise.all(Array.from({ length: CONNECTIONS }, () => a.user()))
  const tokens = await Promise.all(
    players.map(
      async (player) =>
        must(await http.post(`${GAMES}/${uid}/player-token`, undefined, player)).token as string,
    ),
  )
  return { uid, tokens }
}

/** An image padded with noise to the size of a real screenshot. */
async function screenshot(): Promise<Buffer> {
  const png = await picture(1920, 1080)
  const end = png.length - 12
  return Buffer.concat([
    png.subarray(0, end),
    pngChunk('noIs', randomBytes(MB - png.length - 12)),
    png.subarray(end),
  ])
}

let addresses = 0
/** An address may send sixty reports per minute, so each report has another address. */
const newAddress = () =>
  `10.${(++addresses >> 16) & 255}.${(addresses >> 8) & 255}.${addresses & 255}`

type Message = { body: Buffer; headers: Record<string, string>; token: string }

async function send(agent: Agent, url: URL, { body, headers, token }: Message): Promise<void> {
  const outgoing = request(url, {
    method: 'POST',
    agent,
    headers: {
      ...headers,
      'x-forwarded-for': newAddress(),
      'content-length': body.length,
      authorization: `Bearer ${token}`,
    },
  })
  outgoing.end(body)
  const [answer] = (await once(outgoing, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  if (answer.statusCode !== 201) throw new Error(`answered ${answer.statusCode}`)
}

/** Requests per second at a fixed concurrency. */
async function load(
  run: (agent: Agent, nth: number) => Promise<void>,
  seconds: number,
): Promise<number> {
  // Open new connections for each turn, because the server closed idle ones during the other turn.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const start = performance.now()
  const until = start + seconds * 1000
  let count = 0
  const worker = async (nth: number) => {
    while (performance.now() < until) {
      await run(agent, nth)
      count++
    }
  }
  await Promise.all(Array.from({ length: CONNECTIONS }, (_, nth) => worker(nth)))
  agent.destroy()
  return count / ((performance.now() - start) / 1000)
}

if (import.meta.main) await bugReports()
