import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { installTestPrograms } from '../support/system-packages.ts'

/**
 * `npm run soak` runs a large installation under load for an hour, with steps of the clock, a slow
 * disk, processes that run out of memory and a lack of file descriptors; `npm run soak -- 10` for
 * ten minutes. Prints the slope of the heap, open files and the lag of the search, and ends with 1
 * if one is above its limit. `SEED` repeats the faults of an earlier run.
 */
const [minutes = '60'] = process.argv.slice(2)
if (!/^\d+(\.\d+)?$/.test(minutes)) {
  process.stderr.write('usage: npm run soak [-- <minutes>]\n')
  process.exit(2)
}
const missing = installTestPrograms()
const { status } = spawnSync(
  process.execPath,
  ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'soak.test.ts')],
  {
    stdio: 'inherit',
    env: {
      LOAD_PAUSE_FACTOR: '3',
      ...process.env,
      SOAK_MINUTES: minutes,
      TEST_MISSING_PROGRAMS: missing.join(','),
    },
  },
)
process.exitCode = status ?? 1
