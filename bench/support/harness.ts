import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

const SERVER_CORE = '0'
const LOAD_CORE = '1'

export type Opponent = {
  name: string
  /** Brought up before the rounds, pinned to the server's core. */
  command: string[]
  env?: Record<string, string>
  headers?: Record<string, string>
  /** Of wrk, for requests that are not all alike; the server may write it before it is ready. */
  script?: string
  /** Where its log goes, which costs it what a log costs. */
  log_file?: string
  /** Where the load goes; by default the address the command prints after `ready`. */
  url?: string
}

type Running = Opponent & { target: string; child: ChildProcess }
export type Result = { name: string; median: number; ratio: number }

/**
 * Runs the opponents by turns, so that a noisy neighbour hits all of them alike, and answers medians against the first.
 * Figures are requests a second; only their ratios mean anything on a machine that others use too.
 */
export async function duel(
  title: string,
  opponents: Opponent[],
  { rounds = 7, seconds = 3, connections = 32 } = {},
): Promise<Result[]> {
  const running: Running[] = []
  try {
    for (const opponent of opponents) running.push(await start(opponent))
    for (const one of running) load(one, 1, connections)
    const figures = new Map(running.map(({ name }) => [name, [] as number[]]))
    for (let round = 0; round < rounds; round++)
      for (const one of running) figures.get(one.name)!.push(load(one, seconds, connections))
    return report(
      title,
      [...figures].map(([name, all]) => ({ name, median: median(all) })),
    )
  } finally {
    for (const { child } of running) {
      child.kill('SIGTERM')
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    }
  }
}

async function start(opponent: Opponent): Promise<Running> {
  const child = spawn('taskset', ['-c', SERVER_CORE, ...opponent.command], {
    stdio: ['ignore', 'pipe', opponent.log_file ? openSync(opponent.log_file, 'a') : 'inherit'],
    env: { ...process.env, ...opponent.env },
  })
  const target = opponent.url ?? (await readyAddress(child))
  return { ...opponent, target, child }
}

async function readyAddress(child: ChildProcess): Promise<string> {
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = line.match(/^ready (\S+)/)?.[1]
    if (url) return url
  }
  throw new Error('a server of the bench ended before it was ready')
}

function load(
  { target, headers = {}, script }: Running,
  seconds: number,
  connections: number,
): number {
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const output = execFileSync(
    'taskset',
    [
      '-c',
      LOAD_CORE,
      'wrk',
      '-t',
      '1',
      '-c',
      String(connections),
      '-d',
      `${seconds}s`,
      ...(script ? ['-s', script] : []),
      ...sent,
      target,
    ],
    { encoding: 'utf8' },
  )
  const errors = output.match(/Non-2xx or 3xx responses: (\d+)/)
  if (errors) throw new Error(`${errors[1]} refused answers from ${target}`)
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
  for (const { name, median, ratio } of results)
    process.stdout.write(
      `  ${name.padEnd(44)} ${Math.round(median).toString().padStart(9)} ${unit}  ${ratio.toFixed(2)}\n`,
    )
  return results
}

/** A folder for the length of a bench. */
export function scratch(): { folder: string; remove: () => void } {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-bench-'))
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** For scripts of wrk: callers come by chance, `gap_ms` apart on average. Without chance, everyone who was answered together would ask together again. */
export const byChance = (gap_ms: number) =>
  gap_ms === 0
    ? ''
    : `function delay() return math.floor(-math.log(1 - math.random()) * ${gap_ms} + 0.5) end`
