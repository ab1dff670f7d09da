import { spawnSync } from 'node:child_process'
import { join } from 'node:path'

/**
 * npm run faults: the fault loops of the suite with their full counts, one after the other, each printing its figures. npm run faults -- scan: only those
 * with that in their name. BACK_SECONDS widens the five seconds in which everything must go well again, for a machine that does other things as well.
 */
const constellation = (FAULTS: string) => ({ name: `constellation/${FAULTS}`, file: 'test/constellation/fault-loop.ts', env: { FAULTS } })
const plain = (file: string) => ({ name: file, file, env: {} })
const loops = [
  ...['postgres', 'redis', 's3', 'process'].map(constellation),
  plain('test/uploads/kills.test.ts'),
  plain('test/scan/kills.test.ts'),
  plain('test/uploads/races.test.ts'),
  plain('test/core/jobs.test.ts'),
  plain('test/core/storage.test.ts'),
  plain('test/start.test.ts'),
  plain('test/bugs/kills.test.ts'),
  plain('test/telemetry/fleet.test.ts'),
  plain('test/processes.test.ts'),
]
const chosen = process.argv.slice(2)
for (const { name, file, env } of loops.filter((loop) => !chosen.length || chosen.some((word) => loop.name.includes(word)))) {
  process.stderr.write(`${name}\n`)
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), file], {
    stdio: 'inherit',
    env: { ...process.env, KILLS: '100', FAULTS_TOLD: 'yes', ...env },
  })
  if (status !== 0) process.exitCode = status ?? 1
}
