import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { hasPrograms } from '../constellation/constellation.ts'
import { needs } from '../support/system-packages.ts'
import { judge, type ProcessSamples, quantile, slopePerHour } from './figures.ts'
import { runSoak } from './soak.ts'

/** Set by `npm run soak`. Without it every fault happens once, and no limit applies. */
const MINUTES = process.env.SOAK_MINUTES
const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const MINUTE_MS = 60_000
const MB = 1024 ** 2

test(`an installation under load survives every fault of a soak (SEED=${SEED})`, {
  timeout: Number(MINUTES ?? 0) * MINUTE_MS + 1_800_000,
}, async (t) => {
  if (!hasPrograms(t) || !needs(t, 'strace') || !needs(t, 'faketime')) return
  const log = (line: string) => {
    if (MINUTES) process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)
    else t.diagnostic(line)
  }
  log(`seed ${SEED}; to repeat these faults, run SEED=${SEED} npm run soak -- ${MINUTES ?? 0}`)
  const seconds = Number(MINUTES ?? 0) * 60
  const { violations, faults } = await runSoak(t, { seconds, seed: SEED, log })
  for (const [name, count] of faults) {
    log(`${count} × ${name}`)
    assert.ok(count > 0, name)
  }
  if (!MINUTES) return
  for (const violation of violations) log(`ABOVE ITS LIMIT: ${violation}`)
  assert.deepEqual(violations, [])
})

const hour = (valueAt: (share: number) => number) =>
  Array.from({ length: 360 }, (_, index) => ({ at: index * 10_000, value: valueAt(index / 360) }))
/** Noise that is the same in every run. */
const noise = (share: number) => Math.sin(share * 1000) * 2 * MB

const measured = (change: Partial<ProcessSamples>): ProcessSamples => ({
  name: 'api 1',
  was_killed: false,
  heap: hour((share) => 100 * MB + noise(share)),
  files: hour((share) => 80 + Math.round(10 * Math.abs(Math.sin(share * 1000)))),
  search_lag: hour(() => 0.1),
  ...change,
})
const violationsOf = (change: Partial<ProcessSamples>) => judge([measured(change)], 0).violations

test('a soak reports a heap that grows, files that stay open and a search that lags', () => {
  assert.deepEqual(violationsOf({}), [])
  const leak = hour((share) => 100 * MB + noise(share) + share * 4 * MB)
  assert.match(violationsOf({ heap: leak })[0]!, /^the heap of api 1 grows by [345]\.\d\d MB/)
  const files = hour((share) => 80 + Math.round(share * 60))
  assert.match(violationsOf({ files })[0]!, /30 more files open/)
  const search_lag = hour((share) => (share > 0.95 ? 3 : 0.1))
  assert.match(violationsOf({ search_lag })[0]!, /search lag was 3\.00 s/)
})

test('a soak ignores the warm-up, killed processes and slopes within the noise', () => {
  const heap = hour((share) => (share < 0.25 ? 50 : 100) * MB + noise(share))
  const { violations } = judge([measured({ heap })], 0.25 * 3_600_000)
  assert.deepEqual(violations, [])
  const leak = hour((share) => share * 100 * MB)
  assert.deepEqual(violationsOf({ heap: leak, was_killed: true }), [])
  const short = leak.slice(0, 90)
  assert.deepEqual(violationsOf({ heap: short }), [])
  const within_noise = hour((share) => Math.sin(share * 3) * 20 * MB + noise(share) * 40)
  assert.deepEqual(violationsOf({ heap: within_noise.slice(0, 200) }), [])
})

test('the slope of a line is its own, without an error', () => {
  const { slope, error } = slopePerHour(hour((share) => 3 * share))
  assert.ok(Math.abs(slope - 3) < 1e-9 && error < 1e-9)
  assert.equal(quantile([3, 1, 2], 0.99), 3)
})
