import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * npm run faults: the fault loops of the suite with their full counts, one after the other, each printing its figures. npm run faults -- scan: only those
 * with that in their name. BACK_SECONDS widens the five seconds in which everything must go well again, for a machine that does other things as well.
 * npm run faults -- properties: the properties of the suite from ten seeds that nobody chose, or as many as SEEDS says.
 */
const constellation = (FAULTS: string) => ({
  name: `constellation/${FAULTS}`,
  file: 'test/constellation/faults.test.ts',
  env: { FAULTS },
})
const plain = (file: string) => ({ name: file, file, env: {} })
const loops = [
  ...['postgres', 'redis', 's3', 'process'].map(constellation),
  plain('test/uploads/kills.test.ts'),
  plain('test/scan/kills.test.ts'),
  plain('test/uploads/races.test.ts'),
  plain('test/core/jobs/kills.test.ts'),
  plain('test/core/storage/durability.test.ts'),
  plain('test/system/start.test.ts'),
  plain('test/bugs/kills.test.ts'),
  plain('test/telemetry/fleet.test.ts'),
  plain('test/system/processes.test.ts'),
]
const chosen = process.argv.slice(2)

function run(files: string[], env: Record<string, string>) {
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), ...files],
    {
      stdio: 'inherit',
      env: { ...process.env, ...env },
    },
  )
  if (status !== 0) process.exitCode = status ?? 1
}

function tryProperties() {
  const files = globSync('test/**/*.test.ts').filter((path) =>
    readFileSync(path, 'utf8').includes('/property.ts'),
  )
  for (let left = Number(process.env['SEEDS'] ?? 10); left > 0; left--) {
    const SEED = String(randomInt(2 ** 31))
    process.stderr.write(`SEED=${SEED}\n`)
    run(files, { SEED })
  }
}

if (chosen.includes('properties')) tryProperties()
else
  for (const { name, file, env } of loops.filter(
    (loop) => !chosen.length || chosen.some((word) => loop.name.includes(word)),
  )) {
    process.stderr.write(`${name}\n`)
    run([file], { KILLS: '100', FAULTS_TOLD: 'yes', ...env })
  }
