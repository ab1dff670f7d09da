import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installParts } from '../support/system-packages.ts'

/**
 * `npm run constellation` starts a large installation on this machine and repeats the journey of a
 * developer and their players through nginx, while components are killed at random. `npm run
 * constellation -- 600` runs for that many seconds. `SEED` repeats the faults of an earlier run,
 * and `CONSTELLATION_WALKERS` sets the number of concurrent journeys.
 */
const [seconds = '120'] = process.argv.slice(2)
if (!/^\d+$/.test(seconds)) {
  process.stderr.write('usage: npm run constellation [-- <seconds>]\n')
  process.exit(2)
}
const missing = installParts()
if (missing.length) process.stderr.write(`this machine lacks ${missing.join(', ')}\n`)
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'journey.ts')],
  {
    stdio: 'inherit',
    env: { ...process.env, CONSTELLATION_SECONDS: seconds, TEST_MISSING_PARTS: missing.join(',') },
  },
)
process.exitCode = status ?? 1
