import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  countFailures,
  describeMemory,
  judge,
  missingSamples,
  type Period,
  type ProcessSamples,
  quantile,
  rateSlope,
  readMetric,
  type Sample,
  slopePerHour,
} from './figures.ts'

const MINUTE_MS = 60_000
const MB = 1024 ** 2
const SAMPLE_MS = 10_000

/** A run without a warm-up. */
const run = (minutes: number): Period => ({
  started: 0,
  warm_until: 0,
  ended: minutes * MINUTE_MS,
  sample_ms: SAMPLE_MS,
})
const series = (minutes: number, valueAt: (share: number) => number): Sample[] =>
  Array.from({ length: (minutes * MINUTE_MS) / SAMPLE_MS }, (_, index) => ({
    at: index * SAMPLE_MS,
    value: valueAt((index * SAMPLE_MS) / (60 * MINUTE_MS)),
  }))
const hour = (valueAt: (share: number) => number) => series(60, valueAt)
/** Noise that is the same in every run. */
const noise = (share: number) => Math.sin(share * 1000) * 2 * MB

/** What a process without a leak shows; `share` is of an hour. */
const measured = (change: Partial<ProcessSamples>, minutes = 60): ProcessSamples => ({
  name: 'api 1',
  was_killed: false,
  heap: series(minutes, (share) => 100 * MB + noise(share)),
  files: series(minutes, (share) => 80 + Math.round(10 * Math.abs(Math.sin(share * 1000)))),
  rss: series(minutes, () => 200 * MB),
  search_lag: series(minutes, () => 0.1),
  failures: [],
  ...change,
})
const judged = (change: Partial<ProcessSamples>, minutes = 60) =>
  judge([measured(change, minutes)], run(minutes))
const violationsOf = (change: Partial<ProcessSamples>, minutes = 60) =>
  judged(change, minutes).violations

test('a soak reports a heap that grows, files that stay open and a search that lags', () => {
  assert.deepEqual(violationsOf({}), [])
  const leak = hour((share) => 100 * MB + noise(share) + share * 4 * MB)
  assert.match(violationsOf({ heap: leak })[0]!, /^the heap of api 1 grows by [345]\.\d\d ± 0/)
  const filesGrowingBy = (count: number) => hour((share) => (share < 0.5 ? 80 : 80 + count))
  assert.deepEqual(violationsOf({ files: filesGrowingBy(20) }), [])
  assert.match(violationsOf({ files: filesGrowingBy(21) })[0]!, /21 more files open/)
  assert.deepEqual(violationsOf({ search_lag: hour(() => 1) }), [])
  const search_lag = hour((share) => (share > 0.95 ? 3 : 0.1))
  assert.match(violationsOf({ search_lag })[0]!, /search lag was 3\.00 s/)
})

test('a soak ignores the warm-up and the slopes of killed processes', () => {
  const heap = hour((share) => (share < 0.25 ? 50 : 100) * MB + noise(share))
  const period = { ...run(60), warm_until: 15 * MINUTE_MS }
  assert.deepEqual(judge([measured({ heap })], period).violations, [])
  const leak = hour((share) => share * 100 * MB)
  assert.deepEqual(violationsOf({ heap: leak, was_killed: true }), [])
})

test('the slope of a line is its own, without an error', () => {
  const { slope, error } = slopePerHour(hour((share) => 3 * share))
  assert.ok(Math.abs(slope - 3) < 1e-9 && error < 1e-9)
  for (const count of [0, 1, 2])
    assert.equal(slopePerHour(hour(() => 1).slice(0, count)).error, Number.POSITIVE_INFINITY)
})

test('a slope is above or within its limit only by two standard errors', () => {
  assert.equal(rateSlope({ slope: 2.9, error: 1 }, 1), 'inconclusive')
  assert.equal(rateSlope({ slope: 2.9, error: 0.9 }, 1), 'above')
  assert.equal(rateSlope({ slope: 3, error: 1 }, 1), 'inconclusive')
  assert.equal(rateSlope({ slope: 0, error: 0.5 }, 1), 'within')
  assert.equal(rateSlope({ slope: 0, error: 0.51 }, 1), 'inconclusive')
  assert.equal(rateSlope({ slope: 1, error: 0 }, 1), 'within')
  assert.equal(rateSlope({ slope: 0, error: Number.POSITIVE_INFINITY }, 1), 'inconclusive')
})

test('an inconclusive slope is reported, and fails a run of an hour', () => {
  const wild = (share: number) => 100 * MB + noise(share) * 40
  const hourly = judged({ heap: hour(wild) })
  assert.match(hourly.violations[0]!, /slope of the heap of api 1 is inconclusive: .+ ± \d/)
  const shorter = judged({ heap: series(59, wild) }, 59)
  assert.deepEqual(shorter.violations, [])
  assert.match(shorter.lines.join('\n'), /inconclusive/)
})

test('the heap has no limit where less than half an hour was measured', () => {
  const leak = (share: number) => share * 100 * MB
  assert.match(violationsOf({ heap: series(30, leak) }, 30)[0]!, /^the heap of api 1 grows/)
  const short = judged({ heap: series(29, leak) }, 29)
  assert.deepEqual(short.violations, [])
  assert.match(short.lines.join('\n'), /too short/)
})

test('a fifth of the samples may be missing, no more', () => {
  assert.equal(missingSamples(288, run(60)), 0)
  assert.equal(missingSamples(287, run(60)), 73)
  assert.equal(missingSamples(0, run(60)), 360)
  assert.equal(missingSamples(400, run(60)), 0)
})

for (const list of ['heap', 'files', 'search_lag'] as const)
  test(`a soak without samples of ${list} fails after ten minutes or more`, () => {
    for (const minutes of [10, 60]) {
      const [violation] = violationsOf({ [list]: [] }, minutes)
      const count = minutes * 6
      assert.equal(violation, `api 1: ${count} of ${count} samples of ${list} are missing`)
    }
    const short = judged({ [list]: [] }, 9)
    assert.deepEqual(short.violations, [])
    assert.match(short.lines.join('\n'), new RegExp(`54 of 54 samples of ${list} are missing`))
    assert.deepEqual(violationsOf({}, 10), [])
  })

test('samples of the warm-up do not replace missing ones', () => {
  const files = hour(() => 80).slice(0, 200)
  const period = { ...run(60), warm_until: 15 * MINUTE_MS }
  const { violations } = judge([measured({ files })], period)
  assert.deepEqual(violations, ['api 1: 160 of 270 samples of files are missing'])
})

test('a search lag without samples fails a run of ten minutes, even if all were killed', () => {
  const nothing = { was_killed: true, search_lag: [] }
  assert.deepEqual(violationsOf(nothing, 10), ['the search lag was not measured'])
  assert.deepEqual(violationsOf(nothing, 9), [])
  assert.equal(quantile([], 0.99), undefined)
  assert.equal(quantile([3, 1, 2], 0.99), 3)
})

test('failed samples are counted by reason, and resident memory has a start and an end', () => {
  assert.equal(countFailures([]), '0 failed samples')
  assert.equal(
    countFailures(['ECONNREFUSED', 'no heap size', 'ECONNREFUSED']),
    '3 failed samples: 2 × ECONNREFUSED, 1 × no heap size',
  )
  const rss = hour((share) => (200 + 60 * share) * MB)
  assert.equal(describeMemory(rss), 'resident memory 200.0 MB, then 259.8 MB')
  assert.equal(describeMemory([]), 'resident memory was not measured')
  const { lines } = judged({ rss, was_killed: true, failures: ['ECONNREFUSED'] })
  assert.ok(lines.includes('api 1: resident memory 200.0 MB, then 259.8 MB'))
  assert.ok(lines.includes('api 1: 1 failed samples: 1 × ECONNREFUSED'))
})

test('a metric that is missing or not a number is no sample', () => {
  const text = '# HELP open_fds Files\nopen_fds 21\nother_fds NaN\nopen_fds_total 9\n'
  assert.equal(readMetric(text, 'open_fds'), 21)
  assert.equal(readMetric(text, 'other_fds'), undefined)
  assert.equal(readMetric(text, 'fds'), undefined)
})
