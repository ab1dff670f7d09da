import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { random as seededRandom } from '../../demo/random.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { eventually } from '../support/app.ts'
import {
  type Constellation,
  hasPrograms,
  shuffleComponents,
  startConstellation,
} from './constellation.ts'
import { runJourney } from './user-journey.ts'

/**
 * Set by `npm run constellation`; without it, the test ends after every component was down once.
 */
const IS_LONG_RUN = process.env.CONSTELLATION_SECONDS !== undefined
const SECONDS = Number(process.env.CONSTELLATION_SECONDS ?? 0)
const CONCURRENT_JOURNEYS = Number(process.env.CONSTELLATION_JOURNEYS ?? 2)
const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const log = (line: string) =>
  IS_LONG_RUN && process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)

type StepCount = { completed: number; retries: number }

test(`every journey through nginx completes while components are killed (SEED=${SEED})`, {
  timeout: SECONDS * 1000 + 900_000,
}, async (t) => {
  if (!hasPrograms(t)) return
  log(`seed ${SEED}; to repeat these faults, run SEED=${SEED} npm run constellation`)
  const all = await startConstellation(t, log)
  const { url, data_dir, store } = all
  const receiver = await startReceiver(t)
  const steps = new Map<string, StepCount>()
  const faults = new Map<string, number>()
  const onStep = (name: string, retries: number) => {
    const count = steps.get(name) ?? { completed: 0, retries: 0 }
    steps.set(name, { completed: count.completed + 1, retries: count.retries + retries })
  }
  const random = seededRandom(SEED)
  const journey = () => runJourney({ url, data_dir, store, receiver, random, onStep })
  const components = shuffleComponents(all, random)
  const end = performance.now() + SECONDS * 1000
  let completed = 0
  let finished = false

  async function repeatJourneys() {
    do {
      await journey()
      log(`journey ${++completed} completed`)
    } while (performance.now() < end || components.rounds === 0)
  }

  async function injectFaults() {
    while (!finished) {
      await pause(random.integer(200, 2000))
      const component = components.next()
      const signal = random.pick(component.signals)
      log(`${component.name} goes down (${signal})`)
      faults.set(component.name, (faults.get(component.name) ?? 0) + 1)
      await component.takeDown(signal)
      await pause(random.integer(0, 2500))
      await component.bringBack()
    }
  }

  const journeys = Promise.all(Array.from({ length: CONCURRENT_JOURNEYS }, repeatJourneys)).finally(
    () => {
      finished = true
    },
  )
  await Promise.all([journeys, injectFaults()])
  log('all components are back; running one more journey without faults')
  await eventually('every process to be ready', () => isEveryProcessReady(all))
  await journey()
  for (const line of stepTable(steps))
    IS_LONG_RUN ? process.stderr.write(`${line}\n`) : t.diagnostic(line)
  const total = [...faults.values()].reduce((sum, count) => sum + count, 0)
  const perComponent = [...faults].sort().map(([name, count]) => `${count} × ${name}`)
  const counts = `${completed + 1} journeys, ${total} faults`
  const summary = `seed ${SEED}: ${counts} (${perComponent.join(', ')})`
  log(summary)
  t.diagnostic(summary)
  assert.ok(steps.size > 30)
})

function stepTable(steps: Map<string, StepCount>): string[] {
  const row = (name: string, completed: string | number, retries: string | number) =>
    `${name.padEnd(22)}${String(completed).padStart(11)}${String(retries).padStart(9)}`
  return [
    row('step', 'completed', 'retries'),
    ...[...steps].map(([name, { completed, retries }]) => row(name, completed, retries)),
  ]
}

/** Checks that every process reaches all components that it uses. */
async function isEveryProcessReady({ processes }: Constellation): Promise<boolean> {
  const answers = await Promise.all(
    processes.map(({ http }) => http.get('/ready').catch(() => undefined)),
  )
  return answers.every(
    (answer) =>
      answer?.status === 200 &&
      Object.values(answer.body.data.checks).every((check) => check === 'ok'),
  )
}
