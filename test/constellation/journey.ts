import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { random as dealt } from '../../demo/random.ts'
import { startReceiver } from '../bugs/receivers.ts'
import { client, eventually } from '../support/app.ts'
import {
  type Constellation,
  hasPrograms,
  shuffleParts,
  startConstellation,
} from './constellation.ts'
import { walkAll } from './walks.ts'

/**
 * Set by `npm run constellation`; without it, the test ends after every component was down once.
 */
const LONG = process.env.CONSTELLATION_SECONDS !== undefined
const SECONDS = Number(process.env.CONSTELLATION_SECONDS ?? 0)
const WALKERS = Number(process.env.CONSTELLATION_WALKERS ?? 2)
const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const say = (line: string) =>
  LONG && process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)

test(`every journey through nginx completes while random parts are killed (SEED=${SEED})`, {
  timeout: SECONDS * 1000 + 900_000,
}, async (t) => {
  if (!hasPrograms(t)) return
  say(`seed ${SEED}: SEED=${SEED} npm run constellation deals the same faults`)
  const all = await startConstellation(t, say)
  const receiver = await startReceiver(t)
  const steps = new Map<string, { done: number; disturbed: number }>()
  const faults = new Map<string, number>()
  const onStep = (name: string, disturbed: number) => {
    const row = steps.get(name) ?? { done: 0, disturbed: 0 }
    steps.set(name, { done: row.done + 1, disturbed: row.disturbed + disturbed })
  }
  const random = dealt(SEED)
  const walk = () =>
    walkAll({ url: all.url, data_dir: all.data_dir, store: all.store, receiver, random, onStep })
  const parts = shuffleParts(all, random)
  let [walks, walking] = [0, true]
  const end = Date.now() + SECONDS * 1000
  const walked = Promise.all(
    Array.from({ length: WALKERS }, async () => {
      do {
        await walk()
        say(`walk ${++walks} is through`)
      } while (Date.now() < end || parts.rounds === 0)
    }),
  ).finally(() => {
    walking = false
  })
  const disturbing = (async () => {
    while (walking) {
      await pause(random.integer(200, 2000))
      const part = parts.next()
      const signal = random.pick(part.signals)
      say(`away: ${part.name} (${signal})`)
      faults.set(part.name, (faults.get(part.name) ?? 0) + 1)
      await part.takeDown(signal)
      await pause(random.integer(0, 2500))
      await part.bringBack()
    }
  })()
  await Promise.all([walked, disturbing])
  say('everything is back; one walk more, undisturbed')
  await eventually('everybody to be ready', () => everybodyReady(all), 60)
  await walk()
  const table = [...steps].map(
    ([name, { done, disturbed }]) =>
      `${name.padEnd(22)}${String(done).padStart(6)}${String(disturbed).padStart(11)}`,
  )
  const lines = [`${'step'.padEnd(22)}${'done'.padStart(6)}${'disturbed'.padStart(11)}`, ...table]
  for (const line of lines) LONG ? process.stderr.write(`${line}\n`) : t.diagnostic(line)
  const counted = [...faults].sort().map(([what, n]) => `${n} ${what}`)
  say(`away in these ${SECONDS} seconds: ${counted.join(', ')}`)
  t.diagnostic(
    `seed ${SEED}, ${walks + 1} walks, ${[...faults.values()].reduce((sum, n) => sum + n, 0)} faults: ${counted.join(', ')}`,
  )
  assert.ok(steps.size > 30)
})

/** Checks that every process reaches all components that it uses. */
async function everybodyReady({ processes }: Constellation): Promise<boolean> {
  const answers = await Promise.all(
    processes.map(({ port }) =>
      client(`http://127.0.0.1:${port}`)
        .get('/ready')
        .catch(() => undefined),
    ),
  )
  return answers.every(
    (answer) =>
      answer?.status === 200 &&
      Object.values(answer.body.data.checks).every((said) => said === 'ok'),
  )
}
