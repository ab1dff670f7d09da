import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { test } from 'node:test'
import { hasPrograms } from '../constellation/constellation.ts'
import { needs } from '../support/system-packages.ts'
import { runSoak } from './soak.ts'

/** Set by `npm run soak`. Without it every fault happens once, and no limit applies. */
const MINUTES = process.env.SOAK_MINUTES
const SEED = process.env.SEED ?? String(randomInt(1_000_000))
const MINUTE_MS = 60_000

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
  for (const violation of violations) log(`FAILED: ${violation}`)
  assert.deepEqual(violations, [])
})
