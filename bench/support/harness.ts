import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer, stopProcess } from './processes.ts'

const SERVER_CORE = '0'
export const LOAD_CORE = '1'

export type BenchServer = {
  name: string
  /** Started before the rounds, pinned to the core of the servers. */
  command: string[]
  env?: Record<string, string>
  headers?: Record<string, string>
  /** A script for wrk, for varying requests. The server may write it before it is ready. */
  script?: string
  /** The file for its log, so that the cost of logging is included. */
  log_file?: string
  /** The URL of the load; by default the one that the command prints after `ready`. */
  url?: string
}

type RunningServer = BenchServer & Server
export type Result = { name: string; median: number; ratio: number }

/**
 * Loads the servers in turns, so that other load on the machine affects all of them alike, and
 * returns medians relative to the first, the baseline. Figures are requests per second; on a shared
 * machine only their ratios are meaningful.
 */
export async function compareServers(
  title: string,
  servers: BenchServer[],
  { rounds = 7, seconds = 3, connections = 32 } = {},
): Promise<Result[]> {
  const running: RunningServer[] = []
  try {
    for (const server of servers) running.push(await start(server))
    for (const server of running) load(server, 1, connections)
    const figures = new Map(running.map(({ name }) => [name, [] as number[]]))
    for (let round = 0; round < rounds; round++)
      for (const server of running)
        figures.get(server.name)!.push(load(server, seconds, connections))
    return report(
      title,
      [...figures].map(([name, rates]) => ({ name, median: median(rates) })),
    )
  } finally {
    for (const { child } of running) await stopProcess(child)
  }
}

async function start(server: BenchServer): Promise<RunningServer> {
  const command = ['taskset', '-c', SERVER_CORE, ...server.command]
  const log = server.log_file ? openSync(server.log_file, 'a') : 'inherit'
  if (!server.url) return { ...server, ...(await startServer(command, server.env, log)) }
  const child = spawn(command[0]!, command.slice(1), {
    stdio: ['ignore', 'ignore', log],
    env: { ...process.env, ...server.env },
  })
  return { ...server, url: server.url, child }
}

function load(
  { url, headers = {}, script }: RunningServer,
  seconds: number,
  connections: number,
): number {
  const options = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  if (script) options.push('-s', script)
  const wrk = ['wrk', '-t1', `-c${connections}`, `-d${seconds}s`, ...options, url]
  const output = execFileSync('taskset', ['-c', LOAD_CORE, ...wrk], { encoding: 'utf8' })
  const errors = output.match(/Non-2xx or 3xx responses: (\d+)/)
  if (errors) throw new Error(`${errors[1]} error responses from ${url}`)
  return Number(output.match(/Requests\/sec:\s+([\d.]+)/)![1])
}

export function median(figures: number[]): number {
  const sorted = figures.toSorted((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2
}

export function report(
  title: string,
  rows: { name: string; median: number }[],
  unit = 'requests/s',
): Result[] {
  const base = rows[0]!.median
  const results = rows.map((row) => ({ ...row, ratio: row.median / base }))
  process.stdout.write(`\n${title}\n`)
  for (const { name, median, ratio } of results) {
    const figure = String(Math.round(median)).padStart(9)
    process.stdout.write(`  ${name.padEnd(44)} ${figure} ${unit}  ${ratio.toFixed(2)}\n`)
  }
  return results
}

/** A temporary folder for the duration of a benchmark. */
export function scratch(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/**
 * For scripts of wrk: exponentially distributed pauses of `gap_ms` on average between the requests
 * of a connection. With fixed pauses, clients answered together would send together again.
 */
export const randomArrivals = (gap_ms: number) =>
  gap_ms === 0
    ? ''
    : `function delay() return math.floor(-math.log(1 - math.random()) * ${gap_ms} + 0.5) end`
