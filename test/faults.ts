import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * npm run faults: the fault loops of the suite with their full counts, one file after the other, each printing its figures. npm run faults -- scan: only
 * the files with that in their name. npm run faults -- properties: the properties of the suite from ten seeds that nobody chose, or as many as SEEDS says.
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

function run(paths: string[], env: Record<string, string>) {
  const { status } = spawnSync(process.execPath, ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), ...paths], {
    stdio: 'inherit',
    env: { ...process.env, ...env },
  })
  if (status !== 0) process.exitCode = status ?? 1
}

if (chosen.includes('properties')) {
  const properties = globSync('test/**/*.test.ts').filter((path) => readFileSync(path, 'utf8').includes('/property.ts'))
  for (let left = Number(process.env['SEEDS'] ?? 10); left > 0; left--) {
    const seed = String(randomInt(2 ** 31))
    process.stdout.write(`SEED=${seed}\n`)
    run(properties, { SEED: seed })
  }
} else {
  for (const file of files.filter((path) => !chosen.length || chosen.some((word) => path.includes(word)))) run([file], { KILLS: '100' })
}
