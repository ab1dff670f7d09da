import { spawnSync } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * npm run faults                 every fault loop and random history in full, one after the other
 * npm run faults -- scan         only those with that in their name
 * npm run faults -- properties   the property tests with ten random seeds, or SEEDS=n of them
 *
 * RECOVERY_SECONDS raises the five seconds within which everything must work again, for a machine
 * that is busy with other things.
 */
const constellation = (FAULTS: string) => ({
  name: `constellation/${FAULTS}`,
  file: 'test/constellation/faults.test.ts',
  env: { FAULTS },
})
const fromFile = (file: string) => ({ name: file, file, env: {} })
const loops = [
  ...['postgres', 'redis', 's3', 'process'].map(constellation),
  ...filesThatMention('/loop-count.ts')
    .filter((file) => !file.includes('constellation'))
    .map(fromFile),
  fromFile('test/core/storage/durability.test.ts'),
  fromFile('test/system/start.test.ts'),
]
const selected = process.argv.slice(2)

if (selected.includes('properties')) runProperties()
else runLoops()

function runLoops() {
  const isSelected = (name: string) =>
    !selected.length || selected.some((word) => name.includes(word))
  for (const { name, file, env } of loops.filter(({ name }) => isSelected(name))) {
    process.stderr.write(`${name}\n`)
    run([file], { FULL_RUN: 'yes', ...env })
  }
}

function runProperties() {
  const files = filesThatMention('/property.ts')
  for (let remaining = Number(process.env['SEEDS'] ?? 10); remaining > 0; remaining--) {
    const SEED = String(randomInt(2 ** 31))
    process.stderr.write(`SEED=${SEED}\n`)
    run(files, { SEED })
  }
}

function filesThatMention(text: string): string[] {
  return globSync('test/**/*.test.ts')
    .filter((path) => readFileSync(path, 'utf8').includes(text))
    .sort()
}

function run(files: string[], env: Record<string, string>) {
  const { status } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, 'run.ts'), ...files],
    { stdio: 'inherit', env: { ...process.env, ...env } },
  )
  if (status !== 0) process.exitCode = status ?? 1
}
