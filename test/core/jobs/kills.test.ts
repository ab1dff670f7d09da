import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { loopCount } from '../../support/loop-count.ts'
import { count } from './child.ts'
import { queue } from './fixtures.ts'

const KILLS = loopCount({ short: 3, full: 100 })

test(`no job is lost or counted twice when its worker is killed ${KILLS} times`, {
  timeout: 600_000 + KILLS * 5_000,
}, async (t) => {
  const { url, sql, jobs, runner } = await queue(t, [count(() => {})])
  await sql`create table counted (number int not null, attempt int not null)`
  const numbers = Array.from({ length: KILLS * 25 }, (_, number) => number)
  const missing = new Set(numbers.map(String))
  const all = Promise.withResolvers<void>()
  await sql.listen('counted', (number) => {
    missing.delete(number)
    if (!missing.size) all.resolve()
  })
  await sql.begin(async (tx) => {
    for (const number of numbers) await jobs.send(tx, 'test.count', { number })
  })
  for (let kill = 0; kill < KILLS; kill++) await killedWorker(url)
  await runner()
  await all.promise
  const counts =
    await sql`select number, count(*) as times from counted group by number order by number`
  assert.deepEqual(
    counts.map(({ number, times }) => [number, times]),
    numbers.map((number) => [number, 1]),
  )
  assert.deepEqual(await jobs.dead(), [])
  const [again] = await sql`select count(*) as runs from counted where attempt > 1`
  t.diagnostic(`${again!.runs} of ${numbers.length} jobs were cut short and ran again`)
  assert.ok(again!.runs > 0)
})

/** Starts a worker process and kills it after a random number of progress lines. */
async function killedWorker(url: string) {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'child.ts'), url], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let remaining = randomInt(1, 60)
  for await (const _ of createInterface(child.stdout!)) if (--remaining === 0) child.kill('SIGKILL')
  const [code, signal] = await ended
  assert.deepEqual([code, signal], [null, 'SIGKILL'])
}
