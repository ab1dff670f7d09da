import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/** npm run faults: the fault loops of the suite with their full counts. */
const files = [
  'test/core/jobs.test.ts',
  'test/core/storage.test.ts',
  'test/start.test.ts',
  'test/uploads/sessions.test.ts',
  'test/uploads/kills.test.ts',
]
const run = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), ...files], {
  stdio: 'inherit',
  env: { ...process.env, KILLS: '100' },
})
process.exitCode = run.status ?? 1
