import assert from 'node:assert/strict'
import { test } from 'node:test'
import { severityOf } from '../../src/telemetry/crashes/severity.ts'
import { NO_EXCEPTION } from '../../src/telemetry/dump/reasons.ts'
import { aggregate, keysByDay, type StoredEvent } from '../../src/telemetry/events/aggregate.ts'
import { fellBelow, launchBand } from '../../src/telemetry/health/bands.ts'
import { correctTimes, dayOf, MAX_AGE_US, readTime } from '../../src/telemetry/timestamps.ts'
import { fc } from '../support/property.ts'

const now = Date.UTC(2026, 5, 15, 12) * 1000
const SECOND = 1_000_000
const DAY = 86_400 * SECOND

test('a launch band changes exactly at its thresholds and needs 20 devices', () => {
  const band = (devices: number, boot_ok: number, crash_on_boot: number) =>
    launchBand({ devices, boot_ok, crash_on_boot })
  assert.equal(band(19, 19, 0), 'unrated')
  assert.equal(band(20, 20, 0), 'excellent')
  assert.equal(band(0, 0, 0), 'unrated')
  const sides: [[number, number], string][] = [
    [[1000, 10], 'excellent'],
    [[980, 10], 'excellent'],
    [[979, 10], 'healthy'],
    [[980, 11], 'healthy'],
    [[930, 30], 'healthy'],
    [[929, 30], 'mixed'],
    [[930, 31], 'mixed'],
    [[800, 100], 'mixed'],
    [[799, 100], 'problematic'],
    [[800, 101], 'problematic'],
    [[0, 1000], 'problematic'],
  ]
  for (const [[boot_ok, crashed], expected] of sides)
    assert.equal(band(1000, boot_ok, crashed), expected, `${boot_ok} ${crashed}`)
})

test('a launch band does not depend on rounding', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 30_000 }), (hundreds) => {
      const devices = hundreds * 100
      assert.equal(
        launchBand({ devices, boot_ok: 98 * hundreds, crash_on_boot: hundreds }),
        'excellent',
      )
      assert.equal(
        launchBand({ devices, boot_ok: 98 * hundreds - 1, crash_on_boot: hundreds }),
        'healthy',
      )
      assert.equal(
        launchBand({ devices, boot_ok: 80 * hundreds, crash_on_boot: 10 * hundreds + 1 }),
        'problematic',
      )
    }),
  )
})

test('fellBelow is true only for a worse band between two rated builds', () => {
  assert.equal(fellBelow('mixed', 'healthy'), true)
  assert.equal(fellBelow('problematic', 'excellent'), true)
  for (const [band, before] of [
    ['healthy', 'healthy'],
    ['excellent', 'mixed'],
    ['unrated', 'excellent'],
    ['problematic', 'unrated'],
  ] as const)
    assert.equal(fellBelow(band, before), false)
})

test('keeps times up to 30 days old and none in the future', () => {
  assert.deepEqual(correctTimes([now - 5 * SECOND, now], now), [now - 5 * SECOND, now])
  assert.deepEqual(correctTimes([now - MAX_AGE_US], now), [now - MAX_AGE_US])
  assert.deepEqual(correctTimes([now - MAX_AGE_US - 1], now), [now])
  assert.deepEqual(correctTimes([now + 1], now), [now])
})

test('shifts the times of a wrong clock and keeps the intervals between events', () => {
  for (const wrong_by of [400 * DAY, 3 * SECOND, -400 * DAY]) {
    const claimed = [now - 60 * SECOND, now - 20 * SECOND, now].map((time) => time + wrong_by)
    assert.deepEqual(correctTimes(claimed, now), [now - 60 * SECOND, now - 20 * SECOND, now])
  }
})

test('corrects only the events before a change of the clock', () => {
  assert.deepEqual(correctTimes([0, 1, now - SECOND, now], now), [
    now - SECOND - 2,
    now - SECOND - 1,
    now - SECOND,
    now,
  ])
  assert.deepEqual(correctTimes([now - SECOND, undefined, now], now), [now - SECOND, now - 1, now])
})

test('corrected times are never in the future or over 30 days old', () => {
  const time = fc.option(fc.integer({ min: 0, max: 4e15 }), { nil: undefined })
  fc.assert(
    fc.property(fc.array(time, { maxLength: 100 }), (claimed) => {
      for (const at of correctTimes(claimed, now))
        assert.ok(at <= now + 100 && at >= now - MAX_AGE_US - 100)
    }),
  )
  const silent = correctTimes(Array(100).fill(undefined), now)
  assert.deepEqual(
    silent.toSorted((a, b) => a - b),
    silent,
  )
  assert.equal(new Set(silent).size, 100)
})

test('reads times from ISO 8601, seconds and milliseconds only', () => {
  assert.equal(readTime('2026-06-15T12:00:00.000Z'), now)
  assert.equal(readTime('2026-06-15T14:00:00+02:00'), now)
  assert.equal(readTime(now / 1_000_000), now)
  assert.equal(readTime(now / 1000), now)
  for (const none of [
    '',
    'now',
    'June',
    '15.6.2026',
    null,
    undefined,
    {},
    true,
    0,
    -5,
    Number.NaN,
    1e15,
  ])
    assert.equal(readTime(none), undefined)
  assert.equal(dayOf(now), '2026-06-15')
  assert.equal(dayOf(now + DAY / 2 - 1), '2026-06-15')
  assert.equal(dayOf(now + DAY / 2), '2026-06-16')
})

test('searches event keys on their day and the day before, but not before the oldest day', () => {
  const none = {
    device: undefined,
    session: undefined,
    sender: { network: null, signed: false },
    value: null,
    metadata: null,
    build_uid: 'b',
    event: 'tick',
  }
  const back = (days: number): StoredEvent => ({
    ...none,
    key: BigInt(days),
    at_us: now - days * DAY,
  })
  const day = (days: number) => dayOf(now - days * DAY)
  assert.deepEqual(
    keysByDay([back(0), back(5), back(31)], day(31)).map(({ day, before }) => [day, before]),
    [
      [day(31), null],
      [day(5), day(6)],
      [day(0), day(1)],
    ],
  )
})

const plainEvent = {
  key: undefined,
  device: undefined,
  session: undefined,
  sender: { network: null, signed: false },
  value: null,
  metadata: null,
  at_us: now,
}

test('session lengths are exact up to an hour and rounded to ten seconds beyond', () => {
  const storedSeconds = (value: number) => {
    const event = { ...plainEvent, build_uid: 'b1', event: 'session_end', value }
    return aggregate([event], new Map()).sessions.map(({ seconds }) => seconds)
  }
  assert.deepEqual(
    [0, 1, 3599, 3600, 3601, 3609, 3610, 86_400].flatMap(storedSeconds),
    [0, 1, 3599, 3600, 3600, 3600, 3610, 86_400],
  )
})

test('the cache of event names evicts the least recently used build', () => {
  const tick = (build: number): StoredEvent => ({
    ...plainEvent,
    build_uid: `b${build}`,
    event: 'tick',
  })
  const known = new Map<string, Set<string>>()
  for (let build = 0; build <= 1005; build++) aggregate([tick(0), tick(build)], known)
  assert.equal(known.size, 1000)
  assert.ok(known.has(`b0 ${dayOf(now)}`) && !known.has(`b1 ${dayOf(now)}`))
})

test('aggregates do not depend on the order of events', () => {
  const event = fc.record({
    build_uid: fc.constantFrom('b1', 'b2'),
    key: fc.constant(undefined),
    event: fc.constantFrom('boot_ok', 'crash', 'session_end', 'tick'),
    at_us: fc.integer({ min: now - 3 * DAY, max: now }),
    device: fc.constantFrom('d1', 'd2', undefined),
    session: fc.constant(undefined),
    sender: fc.constant({ network: 7, signed: false }),
    value: fc.constantFrom(null, 5, 10),
    metadata: fc.constant(null),
  })
  const summed = (events: StoredEvent[]) => {
    const { packs, ...rest } = aggregate(events, new Map())
    const sorted = Object.fromEntries(
      Object.entries(rest).map(([name, rows]) => [
        name,
        rows.map((row) => JSON.stringify(row)).sort(),
      ]),
    )
    return {
      ...sorted,
      stored: packs.reduce((sum, { events }) => sum + JSON.parse(events).length, 0),
    }
  }
  fc.assert(
    fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      assert.deepEqual(summed(events), summed(events.toReversed()))
      assert.equal(summed(events).stored, events.length)
    }),
  )
})

test('a requested dump is a warning unless the report names a severity', () => {
  for (const reason of [NO_EXCEPTION, 'DUMP_REQUESTED'])
    assert.deepEqual(
      [severityOf(null, reason), severityOf('error', reason), severityOf('', reason)],
      ['warning', 'error', 'warning'],
    )
  for (const reason of ['SIGSEGV / SEGV_MAPERR', null])
    assert.deepEqual([severityOf(null, reason), severityOf(' Info ', reason)], ['fatal', 'info'])
})
