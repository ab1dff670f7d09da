import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Random, random as seededRandom } from '../../demo/random.ts'
import { chooseCases, IS_FULL_RUN, loopCount, SEED } from '../support/loop-count.ts'
import {
  type Component,
  type Constellation,
  hasPrograms,
  startConstellation,
} from './constellation.ts'
import { type Load, startLoad } from './load.ts'

/**
 * The guaranteed recovery time on an idle machine. Beside other tests, only recovery is checked.
 */
const RECOVERY_SECONDS = Number(process.env.RECOVERY_SECONDS ?? (IS_FULL_RUN ? 5 : 120))
const log = (line: string) =>
  IS_FULL_RUN && process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)

type Fault = {
  components: (all: Constellation) => Component[]
  kills: number
  max_down_ms: number
  /** One process replaces the other at once; of each server there is only one. */
  has_replacement?: boolean
}
const plannedFaults: Record<string, Fault> = {
  postgres: {
    components: ({ components }) => [components.postgres],
    kills: loopCount({ short: 1, full: 50 }),
    max_down_ms: 1000,
  },
  redis: {
    components: ({ components }) => [components.redis],
    kills: loopCount({ short: 1, full: 50 }),
    max_down_ms: 1000,
  },
  s3: {
    components: ({ components }) => [components.s3],
    kills: loopCount({ short: 1, full: 50 }),
    max_down_ms: 1500,
  },
  process: {
    components: ({ components }) => components.processes,
    kills: loopCount({ short: 1, full: 100 }),
    max_down_ms: 500,
    has_replacement: true,
  },
}
const selectedFaults = Object.entries(plannedFaults).filter(
  ([name]) => !process.env.FAULTS || process.env.FAULTS.split(',').includes(name),
)

test(`kills under load (SEED=${SEED}) lose nothing acknowledged, and everything recovers`, {
  timeout: 7_200_000,
}, async (t) => {
  if (!hasPrograms(t)) return
  const random = seededRandom(SEED)
  const all = await startConstellation(t, log)
  const load = await startLoad(all, random)
  await load.recovered(Date.now(), 120)
  for (const [name, fault] of chooseCases(t, selectedFaults, 1))
    await t.test(`recovers from ${fault.kills} kills of ${name}`, (t) =>
      injectFaults(t, { name, fault, all, load, random }),
    )
  await load.end()
  const channel_moves = await load.check()
  const { files, edits, events, sign_ins, reads, retries } = load.ledger
  const summary =
    `seed ${SEED}: ${files.length} intact files, ${channel_moves} channel moves, ` +
    `${edits.acknowledged.length} edits, ${events.acknowledged} events, ${sign_ins.length} sign-ins, ` +
    `${reads} reads; ${retries} retries because a component was down`
  log(summary)
  t.diagnostic(summary)
})

type Injection = { name: string; fault: Fault; all: Constellation; load: Load; random: Random }

async function injectFaults(t: TestContext, { name, fault, all, load, random }: Injection) {
  const components = fault.components(all)
  const durations: number[] = []
  for (let kill = 1; kill <= fault.kills; kill++) {
    const component = random.pick(components)
    const signal = random.pick(component.signals)
    await component.takeDown(signal)
    const killed_at = Date.now()
    await pause(random.integer(0, fault.max_down_ms))
    const returning = component.bringBack()
    if (!fault.has_replacement) await returning
    const since = fault.has_replacement ? killed_at : Date.now()
    const duration = await load.recovered(since, RECOVERY_SECONDS)
    durations.push(duration)
    await returning
    const progress = `${name} ${kill} of ${fault.kills}`
    log(`${progress}: ${component.name} (${signal}), recovered in ${duration} ms`)
    await pause(random.integer(0, 500))
  }
  const sorted = durations.sort((a, b) => a - b)
  const median = sorted[Math.floor(sorted.length / 2)]
  const summary =
    `${fault.kills} kills of ${name}: recovered in ${median} ms (median), ` +
    `${sorted.at(-1)} ms (maximum)`
  log(summary)
  t.diagnostic(summary)
}
