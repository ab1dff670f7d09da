import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { random as seededRandom } from '../../demo/random.ts'
import { startConstellation } from '../constellation/constellation.ts'
import { startLoad } from '../constellation/load.ts'
import { temporaryFolder } from '../support/app.ts'
import { freePort } from '../support/child.ts'
import { allReady, clockSettings, type SoakProcess, soakFaults } from './faults.ts'
import { judge, type ProcessSamples, type Sample, type Verdict } from './figures.ts'

const SAMPLE_MS = 10_000
/** A collection takes a fraction of this; a later one is seen with the next sample. */
const COLLECT_MS = 500
/** Caches fill and code is compiled in this share of the time. */
const WARM_UP_SHARE = 0.25
const MAX_FAULT_SECONDS = 15
const preload = pathToFileURL(join(import.meta.dirname, 'collect-garbage.mjs')).href

type SoakOptions = { seconds: number; seed: string; log: (line: string) => void }
type Measured = SoakProcess & { metrics: string; heap_file: string; samples: ProcessSamples }

/**
 * Runs a large installation under load for some time, with a fault after the other, and measures
 * memory, files and the lag of the search. Every fault happens at least once. Throws if anything
 * acknowledged is lost or a request fails with an undocumented error.
 */
export async function runSoak(
  t: TestContext,
  { seconds, seed, log }: SoakOptions,
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
      ...clockSettings(fileOf('clock', index)),
    }),
  })
  const processes: Measured[] = all.processes.map((service, index) => ({
    ...service,
    clock_file: fileOf('clock', index),
    metrics: `http://127.0.0.1:${metrics_ports.get(index)}/metrics`,
    heap_file: fileOf('heap', index),
    samples: { name: service.name, was_killed: false, heap: [], files: [], search_lag: [] },
  }))
  const victim = processes.at(-1)!
  victim.samples.was_killed = true
  const load = await startLoad(all, random)
  await load.recovered(Date.now(), 120)

  const started = Date.now()
  const end = started + seconds * 1000
  let is_running = true
  const sampling = (async () => {
    while (is_running) {
      await Promise.all(processes.map(sample))
      for (let waited = 0; is_running && waited < SAMPLE_MS; waited += 200) await pause(200)
    }
  })()
  const max_fault_seconds = Math.max(1, Math.min(MAX_FAULT_SECONDS, Math.ceil(seconds / 60)))
  const injected = { t, processes, victim, database: all.primary, random, log }
  const faults = soakFaults({ ...injected, seconds: max_fault_seconds })
  const counts = new Map(faults.map(({ name }) => [name, 0]))
  try {
    for (let nth = 0; Date.now() < end || nth < faults.length; nth++) {
      // Each once first, then at random.
      const fault = nth < faults.length ? faults[nth]! : random.pick(faults)
      await fault.run()
      counts.set(fault.name, counts.get(fault.name)! + 1)
      await allReady(processes)
      await load.recovered(Date.now(), 120)
      const rest = Math.min(random.integer(1, max_fault_seconds * 2) * 1000, end - Date.now())
      if (rest > 0) await pause(rest)
    }
  } finally {
    is_running = false
    await sampling
  }
  const verdict = judge(
    processes.map(({ samples }) => samples),
    started + (Date.now() - started) * WARM_UP_SHARE,
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

/** A process that is down, or short of descriptors, has no sample. */
async function sample({ child, metrics, heap_file, samples }: Measured) {
  try {
    const response = await fetch(metrics, { signal: AbortSignal.timeout(5_000) })
    const text = await response.text()
    const at = Date.now()
    const add = (list: Sample[], name: string) => {
      const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1]
      if (value !== undefined) list.push({ at, value: Number(value) })
    }
    add(samples.files, 'process_open_fds')
    add(samples.search_lag, 'slipway_search_lag_seconds')
    // Only now, because the signal ends a process that has not loaded its handler yet.
    child.signal('SIGUSR2')
    await pause(COLLECT_MS)
    samples.heap.push({ at, value: Number(readFileSync(heap_file, 'utf8')) })
  } catch {
    // Measured again in a moment.
  }
}
