import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { IS_FULL_RUN, loopCount } from '../support/loop-count.ts'
import { report, startBugApp } from './fixtures.ts'
import { makeDeliveriesDue } from './hooks.ts'
import { startReceiver } from './receivers.ts'

const root = join(import.meta.dirname, '../..')
const KILLS = loopCount({ short: 2, full: 50 })
/** Each report goes to ten receivers: 240 deliveries, or ten thousand in a full run. */
const REPORTS = loopCount({ short: 24, full: 1000 })
const SLOWNESS_MS = 20

type BugApp = Awaited<ReturnType<typeof startBugApp>>
type Receiver = Awaited<ReturnType<typeof startReceiver>>

/** A process that only delivers webhooks and can be killed and started again. */
function sender(t: TestContext, { settings }: BugApp) {
  let child: ChildProcess | undefined
  const start = async () => {
    const env = { ...process.env, ...settings, LOG_LEVEL: 'fatal' }
    child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', 'test/bugs/sender.ts'],
      {
        cwd: root,
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    for await (const line of createInterface({ input: child.stdout! }))
      if (line.startsWith('ready')) return
    throw new Error('the sender did not get ready')
  }
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  }
  cleanup(t, kill)
  return { start, kill }
}

const healthy = (response: ServerResponse) =>
  setTimeout(() => response.writeHead(204).end(), SLOWNESS_MS)
const failing = [
  (response: ServerResponse) => void response.writeHead(500).end(),
  () => {},
  (response: ServerResponse) => response.destroy(),
]

/** Creates games with up to five receivers each, and a player who reports bugs of all of them. */
async function games(app: BugApp, urls: string[]) {
  const made: Awaited<ReturnType<BugApp['buggyGame']>>[] = []
  for (let at = 0; at < urls.length; at += 5)
    made.push(await app.buggyGame({ webhook_urls: urls.slice(at, at + 5), daily_cap: 10_000 }))
  const reporter = await app.player()
  const tokens = await Promise.all(made.map(({ uid }) => app.tokenOf(uid, reporter)))
  /**
   * Files one report for each game in turn, so that reports are filed in the order of their
   * numbers.
   */
  const file = async (number: number) => {
    for (const [index, { uid }] of made.entries())
      must(await app.send(uid, tokens[index], report({ message: `Bug ${number}` })))
  }
  return { made, file }
}

const numbers = ({ received }: Receiver) => {
  const seen = new Set<string>()
  const first = received.filter(
    ({ headers }) =>
      !seen.has(headers['x-delivery-id'] as string) && seen.add(headers['x-delivery-id'] as string),
  )
  return first.map(({ json }) => Number(json.message.slice(4)))
}
const all = Array.from({ length: REPORTS }, (_, i) => i + 1)

test(`none of ${REPORTS * 10} deliveries is lost in ${KILLS} kills, with three receivers failing`, {
  timeout: 1_800_000,
}, async (t) => {
  const app = await startBugApp(t, { SLIPWAY_ROLES: 'api' })
  const [good, bad] = [
    await Promise.all(Array.from({ length: 7 }, () => startReceiver(t, healthy))),
    await Promise.all(failing.map((answer) => startReceiver(t, answer))),
  ]
  const { made, file } = await games(
    app,
    [...good, ...bad].map(({ url }) => url),
  )
  const { start, kill } = sender(t, app)
  let filed = 0
  let killed = 0
  let killing = true
  const filing = (async () => {
    for (const number of all) {
      await file(number)
      filed = number
      // Spread the reports over the kills, so that every kill interrupts deliveries.
      while (killing && filed / REPORTS > killed / KILLS + 0.5) await pause(20)
    }
  })()
  for (; killed < KILLS; killed++) {
    await start()
    await pause(randomInt(100, 2500))
    await kill()
  }
  killing = false
  await start()
  await filing
  for (const receiver of good)
    await eventually(
      'the healthy receivers',
      () => new Set(numbers(receiver)).size === REPORTS,
      120,
    )
  for (const receiver of good)
    assert.deepEqual(numbers(receiver), all, 'reports arrived in another order')
  await eventually('the stored results', async () => {
    const [waiting] =
      await app.sql`select count(*)::int as count from bug_deliveries where status = 'pending'`
    // Deliveries to the failing receivers stay pending.
    return waiting!.count === 3 * REPORTS
  })
  const repeats = good.reduce((sum, { received }) => sum + received.length - REPORTS, 0)
  assert.ok(
    repeats <= KILLS * good.length,
    `${repeats} repeats are more than one for each receiver and kill`,
  )

  for (const receiver of bad) receiver.answer = healthy
  await eventually(
    'the failing receivers to catch up',
    async () => {
      await makeDeliveriesDue(app.sql)
      await pause(1000)
      return bad.every((receiver) => new Set(numbers(receiver)).size === REPORTS)
    },
    180,
  )
  await Promise.all(made.map((game) => app.settled(game, 60)))
  const [{ delivered }] = (await app.sql`
    select count(*)::int as delivered
    from bug_deliveries
    where status = 'delivered'`) as any
  assert.equal(delivered, 10 * REPORTS)
  t.diagnostic(`${KILLS} kills, ${delivered} deliveries, ${repeats} repeats`)
})

/** Measures how long the seven healthy receivers take to get all of their deliveries. */
async function timeFor(
  t: TestContext,
  answers: ((response: ServerResponse) => void)[],
): Promise<number> {
  const app = await startBugApp(t, { SLIPWAY_ROLES: 'api' })
  const receivers = await Promise.all(answers.map((answer) => startReceiver(t, answer)))
  const { file } = await games(
    app,
    receivers.map(({ url }) => url),
  )
  for (const number of all) await file(number)
  const { start, kill } = sender(t, app)
  const ready = start()
  const good = receivers.slice(0, 7)
  await eventually('the first delivery', () => good.some(({ received }) => received.length > 0))
  const begun = performance.now()
  await eventually(
    'the last delivery',
    () => good.every(({ received }) => received.length >= REPORTS),
    600,
  )
  const taken = performance.now() - begun
  await ready
  await kill()
  return taken
}

if (IS_FULL_RUN)
  test('three failing receivers do not slow down the deliveries to healthy ones', {
    timeout: 1_800_000,
  }, async (t) => {
    const seven = Array.from({ length: 7 }, () => healthy)
    const alone: number[] = []
    const beside: number[] = []
    for (let round = 0; round < 2; round++) {
      alone.push(await timeFor(t, seven))
      beside.push(await timeFor(t, [...seven, ...failing]))
    }
    const best = { alone: Math.min(...alone), beside: Math.min(...beside) }
    const ratio = best.beside / best.alone
    t.diagnostic(
      `${7 * REPORTS} deliveries: ${Math.round(best.alone)} ms alone, ` +
        `${Math.round(best.beside)} ms beside, ratio ${ratio.toFixed(2)}`,
    )
    assert.ok(ratio <= 1.1, `${ratio.toFixed(2)}`)
  })
