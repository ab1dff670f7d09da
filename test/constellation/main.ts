import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installTestPrograms } from '../support/system-packages.ts'

/**
 * `npm run constellation` starts a large installation on this machine and repeats the journey of a
 * developer and their players through nginx, while components are killed at random. `npm run
 * constellation -- 600` runs for that many seconds. `SEED` repeats the faults of an earlier run,
 * and `CONSTELLATION_JOURNEYS` sets the number of concurrent journeys.
 */
const [seconds = '120'] = process.argv.slice(2)
if (!/^\d+$/.test(seconds)) {
  process.stderr.write('usage: npm run constellation [-- <seconds>]\n')
  process.exit(2)
}
const missing = installTestPrograms()
if (missing.length)
  process.stderr.write(`these programs are not installed: ${missing.join(', ')}\n`)
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'random-faults.ts')],
  {
    stdio: 'inherit',
    env: {
      ...process.env,
      CONSTELLATION_SECONDS: seconds,
      TEST_MISSING_PROGRAMS: missing.join(','),
    },
  },
)
process.exitCode = status ?? 1
