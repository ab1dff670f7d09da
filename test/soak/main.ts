import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { programs } from '../constellation/constellation.ts'
import { installTestPrograms } from '../support/system-packages.ts'

/**
 * `npm run soak` runs a large installation under load for an hour, with steps of the clock, a slow
 * disk, processes that run out of memory and a lack of file descriptors; `npm run soak -- 10` for
 * ten minutes. Prints the slope of the heap, resident memory, open files and the lag of the search.
 * Ends with 1 if one is above its limit or was not measured often enough, or if the slope of an
 * hour is inconclusive. `SEED` repeats the faults of an earlier run.
 */
const [minutes = '60'] = process.argv.slice(2)
if (!/^\d+(\.\d+)?$/.test(minutes)) {
  process.stderr.write('usage: npm run soak [-- <minutes>]\n')
  process.exit(2)
}
const missing = installTestPrograms()
const soakPrograms = [...programs, 'strace', 'faketime']
const needed = missing.filter((name) => soakPrograms.includes(name))
if (needed.length) {
  // The test would be skipped, which is no failure.
  process.stderr.write(`the soak needs ${needed.join(', ')}\n`)
  process.exit(1)
}
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
