import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * npm run faults: the fault loops of the suite with their full counts, one file after the other, each printing its figures. npm run faults -- scan: only
 * the files with that in their name.
 */
const files = [
  'test/uploads/kills.test.ts',
  'test/scan/kills.test.ts',
  'test/uploads/races.test.ts',
  'test/core/jobs.test.ts',
  'test/core/storage.test.ts',
  'test/start.test.ts',
  'test/bugs/kills.test.ts',
  'test/telemetry/fleet.test.ts',
]
const chosen = process.argv.slice(2)
const run = files.filter((file) => !chosen.length || chosen.some((word) => file.includes(word)))
for (const file of run) {
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), file], {
    stdio: 'inherit',
    env: { ...process.env, KILLS: '100' },
  })
  if (status !== 0) process.exitCode = status ?? 1
}
