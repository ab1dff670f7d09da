import assert from 'node:assert/strict'
import { test } from 'node:test'
import { dueTick, type TickTimes } from '../../../src/core/jobs/due-tick.ts'
import { DAY, DAY_MS, SECOND_MS } from '../../../src/core/runtime/units.ts'
import { fc } from '../../support/property.ts'
import { controlledJob, idsOfRuns, queue } from './fixtures.ts'

const YEAR_MS = 365 * DAY_MS
const periods = fc.integer({ min: 1, max: DAY }).map((seconds) => seconds * SECOND_MS)
const moments = fc.integer({ min: 30 * YEAR_MS, max: 60 * YEAR_MS })
const pollGaps = fc.integer({ min: 0, max: 5 * SECOND_MS })

/** A schedule with a tick at every multiple of `period`, which begins at a moment. */
function schedule(period: number, begin: number) {
  const tickAfter = (moment: number) => (Math.floor(moment / period) + 1) * period
  let times: TickTimes = { since: begin, due: tickAfter(begin) }
  return (now: number) => {
    const { tick, ...next } = dueTick(times, now, tickAfter)
    times = next
    return { tick, due: next.due }
  }
}

test('a steady clock runs the last tick of every poll, and none twice', () => {
  const gaps = fc.array(fc.oneof(pollGaps, fc.nat(YEAR_MS)))
  fc.assert(
    fc.property(periods, moments, gaps, (period, begin, waits) => {
      const poll = schedule(period, begin)
      let now = begin
      for (const wait of waits) {
        const earlier = Math.floor(now / period)
        now += wait
        const last = Math.floor(now / period)
        assert.equal(poll(now).tick, last > earlier ? last * period : undefined)
      }
    }),
  )
})

test('however the clock is set, the next tick is due within one period', () => {
  const steps = fc.array(fc.oneof(pollGaps, fc.integer({ min: -YEAR_MS, max: YEAR_MS })))
  fc.assert(
    fc.property(periods, moments, steps, (period, begin, changes) => {
      const poll = schedule(period, begin)
      let now = begin
      for (const change of changes) {
        now += change
        const { tick, due } = poll(now)
        assert.ok(due > now && due <= now + period, `due ${due - now} ms after now`)
        assert.ok(tick === undefined || (tick <= now && tick > now - period))
      }
      assert.equal(poll(now + period).tick, Math.floor(now / period + 1) * period)
    }),
  )
})

test('a clock that is set back by a day does not stop the schedules', {
  timeout: 60_000,
}, async (t) => {
  const { definition, next, end } = controlledJob('test.clock', { schedule: '* * * * * *' })
  const { runner } = await queue(t, [definition])
  const realTime = Date.now
  const clock = t.mock.method(Date, 'now', () => realTime() + DAY_MS)
  await runner()
  end(await next())
  clock.mock.restore()
  // One more tick of the wrong day may have been sent.
  assert.equal((await idsOfRuns({ next, end }, 3)).size, 3)
})
