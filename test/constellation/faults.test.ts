import { randomInt } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { random as dealt, type Random } from '../../demo/random.ts'
import { faults } from '../support/child.ts'
import { type Constellation, hasPrograms, type Part, startConstellation } from './constellation.ts'
import { type Load, startLoad } from './load.ts'

/**
 * The guaranteed recovery time on an idle machine. Beside other tests, only recovery is checked.
 */
const BACK_SECONDS = Number(process.env.BACK_SECONDS ?? (process.env.KILLS ? 5 : 60))
const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const say = (line: string) =>
  process.env.FAULTS_TOLD &&
  process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)

/** The components to take down, how often in a full run, and for how long at most. */
const promised: Record<
  string,
  { of: (all: Constellation) => Part[]; times: number; away_ms: number }
> = {
  postgres: { of: ({ parts }) => [parts.postgres], times: 50, away_ms: 1000 },
  redis: { of: ({ parts }) => [parts.redis], times: 50, away_ms: 1000 },
  s3: { of: ({ parts }) => [parts.s3], times: 50, away_ms: 1500 },
  process: { of: ({ parts }) => parts.processes, times: 100, away_ms: 500 },
}
const chosen = Object.entries(promised).filter(
  ([name]) => !process.env.FAULTS || process.env.FAULTS.split(',').includes(name),
)

test(`repeated kills under load (SEED=${SEED}) lose nothing acknowledged, and all parts recover`, {
  timeout: 7_200_000,
}, async (t) => {
  if (!hasPrograms(t)) return
  const random = dealt(SEED)
  const all = await startConstellation(t, say)
  const load = await startLoad(all, random)
  await load.back(Date.now(), 120)
  for (const [name, { of, times, away_ms }] of chosen)
    await t.test(`recovers from ${faults(times)} kills of ${name}`, (t) =>
      breakOften(t, name, of(all), faults(times), away_ms, load, random),
    )
  await load.end()
  const moves = await load.check()
  const { files, edits, events, tokens, reads, disturbed } = load.ledger
  const told = `${files.length} files whole, ${moves} channel moves, ${edits.acknowledged} edits, ${events.acknowledged} events, ${tokens.length} sign-ins, ${reads} reads; ${disturbed} requests met a part that was away`
  say(told)
  t.diagnostic(`seed ${SEED}: ${told}`)
})

async function breakOften(
  t: TestContext,
  name: string,
  parts: Part[],
  times: number,
  away_ms: number,
  load: Load,
  random: Random,
) {
  const took: number[] = []
  for (let nth = 1; nth <= times; nth++) {
    const part = random.pick(parts)
    const way = random.pick(part.ways)
    await part.leave(way)
    const killed = Date.now()
    await pause(random.whole(0, away_ms))
    // One process replaces the other at once, but of each server there is only one, so wait for its
    // return.
    const returning = part.back()
    if (name !== 'process') await returning
    took.push(await load.back(name === 'process' ? killed : Date.now(), BACK_SECONDS))
    await returning
    say(`${name} ${nth} of ${times}: ${part.name} (${way}), all well after ${took.at(-1)} ms`)
    await pause(random.whole(0, 500))
  }
  const sorted = took.sort((one, two) => one - two)
  const told = `${times} ${name} faults, back after ${sorted[Math.floor(times / 2)]} ms in the middle and ${sorted.at(-1)} ms at most`
  say(told)
  t.diagnostic(told)
}
