import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hasPrograms } from '../constellation/constellation.ts'
import { chooseCases, SEED } from '../support/loop-count.ts'
import { needs } from '../support/system-packages.ts'
import { faultNames } from './faults.ts'
import { runSoak } from './soak.ts'

/** Set by `npm run soak`. Without it one of the faults happens, and no limit applies. */
const MINUTES = process.env.SOAK_MINUTES
const MINUTE_MS = 60_000

test(`an installation under load survives the faults of a soak (SEED=${SEED})`, {
  timeout: Number(MINUTES ?? 0) * MINUTE_MS + 1_800_000,
}, async (t) => {
  if (!hasPrograms(t) || !needs(t, 'strace') || !needs(t, 'faketime')) return
  const log = (line: string) => {
    if (MINUTES) process.stderr.write(`${new Date().toISOString().slice(11, 19)}  ${line}\n`)
    else t.diagnostic(line)
  }
  log(`seed ${SEED}; to repeat these faults, run SEED=${SEED} npm run soak -- ${MINUTES ?? 0}`)
  const seconds = Number(MINUTES ?? 0) * 60
  const names = MINUTES ? [...faultNames] : chooseCases(t, [...faultNames], 1)
  const options = { seconds, seed: SEED, faults: names, log }
  const { violations, faults } = await runSoak(t, options)
  for (const [name, count] of faults) {
    log(`${count} × ${name}`)
    assert.ok(count > 0, name)
  }
  if (!MINUTES) return
  for (const violation of violations) log(`FAILED: ${violation}`)
  assert.deepEqual(violations, [])
})
