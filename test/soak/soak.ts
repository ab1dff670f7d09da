import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { random as seededRandom } from '../../demo/random.ts'
import { startConstellation } from '../constellation/constellation.ts'
import { startLoad } from '../constellation/load.ts'
import { temporaryFolder } from '../support/app.ts'
import { freePort } from '../support/child.ts'
import { allReady, clockSettings, type FaultName, type SoakProcess, soakFaults } from './faults.ts'
import { judge, type ProcessSamples, readMetric, type Verdict } from './figures.ts'

const SAMPLE_MS = 10_000
/** Together less than the time between two samples. */
const METRICS_MS = 5_000
const COLLECT_MS = 4_000
const POLL_MS = 50
/** Caches fill and code is compiled in this share of the time. */
const WARM_UP_SHARE = 0.25
const MAX_FAULT_SECONDS = 15
const preload = pathToFileURL(join(import.meta.dirname, 'collect-garbage.mjs')).href

type SoakOptions = {
  seconds: number
  seed: string
  faults: FaultName[]
  log: (line: string) => void
}
type Measured = SoakProcess & { metrics: string; heap_file: string; samples: ProcessSamples }

/**
 * Runs a large installation under load for some time, with a fault after the other, and measures
 * memory, files and the lag of the search. Every fault happens at least once. Throws if anything
 * acknowledged is lost or a request fails with an undocumented error.
 */
export async function runSoak(
  t: TestContext,
  { seconds, seed, faults: names, log }: SoakOptions,
): Promise<Pick<Verdict, 'violations'> & { faults: Map<string, number> }> {
  const random = seededRandom(seed)
  const folder = temporaryFolder(t)
  const metrics_ports = new Map<number, string>()
  for (let index = 0; index < 8; index++) metrics_ports.set(index, await freePort())
  const fileOf = (kind: string, index: number) => join(folder, `${kind}-${index}`)
  const all = await startConstellation(t, log, {
    // A slow disk shows only where files are synced.
    postgres_settings: ['fsync=on'],
    environmentOf: (index) => ({
      METRICS_PORT: metrics_ports.get(index)!,
      LOG_LEVEL: 'error',
      NODE_OPTIONS: `--import=${preload}`,
      SOAK_HEAP_FILE: fileOf('heap', index),
      // The library makes every call that reads the clock slower.
      ...(names.includes('clock step') ? clockSettings(fileOf('clock', index)) : undefined),
    }),
  })
  const processes: Measured[] = all.processes.map((service, index) => ({
    ...service,
    clock_file: fileOf('clock', index),
    metrics: `http://127.0.0.1:${metrics_ports.get(index)}/metrics`,
    heap_file: fileOf('heap', index),
    samples: {
      name: service.name,
      was_killed: false,
      heap: [],
      files: [],
      rss: [],
      search_lag: [],
      failures: [],
    },
  }))
  const victim = processes.at(-1)!
  victim.samples.was_killed = true
  const load = await startLoad(all, random)
  await load.recovered(Date.now(), 120)

  const started = Date.now()
  const end = started + seconds * 1000
  const stopped = new AbortController()
  const sampling = Promise.all(processes.map((measured) => takeSamples(measured, stopped.signal)))
  const max_fault_seconds = Math.max(1, Math.min(MAX_FAULT_SECONDS, Math.ceil(seconds / 60)))
  const injected = { t, processes, victim, database: all.primary, random, log }
  const faults = soakFaults({ ...injected, seconds: max_fault_seconds }).filter(({ name }) =>
    names.includes(name),
  )
  const counts = new Map<string, number>(faults.map(({ name }) => [name, 0]))
  try {
    for (let nth = 0; Date.now() < end || nth < faults.length; nth++) {
      // Each once first, then at random.
      const fault = nth < faults.length ? faults[nth]! : random.pick(faults)
      if (await fault.run()) counts.set(fault.name, counts.get(fault.name)! + 1)
      await allReady(processes)
      await load.recovered(Date.now(), 120)
      const rest = Math.min(random.integer(1, max_fault_seconds * 2) * 1000, end - Date.now())
      if (rest > 0) await pause(rest)
    }
  } finally {
    stopped.abort()
    await sampling
  }
  const ended = Date.now()
  const verdict = judge(
    processes.map(({ samples }) => samples),
    {
      started,
      warm_until: started + (ended - started) * WARM_UP_SHARE,
      ended,
      sample_ms: SAMPLE_MS,
    },
  )
  // Before the checks, so that an hour of figures is not lost to one that fails.
  for (const line of verdict.lines) log(line)
  await load.end()
  await load.check()
  const { edits, events, files, sign_ins, retries } = load.ledger
  log(
    `intact: ${files.length} files, ${edits.acknowledged.length} edits, ` +
      `${events.acknowledged} events, ${sign_ins.length} sign-ins; ${retries} retries`,
  )
  return { violations: verdict.violations, faults: counts }
}

/** Measures a process at fixed times, however long each sample takes. */
async function takeSamples(measured: Measured, signal: AbortSignal) {
  const started = performance.now()
  for (let nth = 1; !signal.aborted; nth++) {
    // A process that is down, or short of descriptors, has no sample.
    await sample(measured).catch((error) => measured.samples.failures.push(reasonOf(error)))
    const next = started + nth * SAMPLE_MS
    await pause(Math.max(0, next - performance.now()), undefined, { signal }).catch(() => {})
  }
}

async function sample({ child, metrics, heap_file, samples }: Measured) {
  const response = await fetch(metrics, { signal: AbortSignal.timeout(METRICS_MS) })
  const text = await response.text()
  const at = Date.now()
  const lists = {
    process_open_fds: samples.files,
    process_resident_memory_bytes: samples.rss,
    slipway_search_lag_seconds: samples.search_lag,
  }
  for (const [name, list] of Object.entries(lists)) {
    const value = readMetric(text, name)
    if (value === undefined) samples.failures.push(`no ${name}`)
    else list.push({ at, value })
  }
  // What a late collection wrote after the last sample was given up.
  rmSync(heap_file, { force: true })
  // Only now, because the signal ends a process that has not loaded its handler yet.
  child.signal('SIGUSR2')
  samples.heap.push({ at: Date.now(), value: await readHeap(heap_file) })
}

async function readHeap(file: string): Promise<number> {
  const deadline = performance.now() + COLLECT_MS
  while (performance.now() < deadline) {
    await pause(POLL_MS)
    try {
      return Number(readFileSync(file, 'utf8'))
    } catch {
      // Not written yet.
    }
  }
  throw new Error(`no heap size after ${COLLECT_MS / 1000} s`)
}

/** Such as `ECONNREFUSED`, which fetch gives as the cause of its own error. */
function reasonOf(error: Error & { cause?: unknown }): string {
  const { code } = (error.cause ?? error) as { code?: string }
  return code ?? error.message
}
