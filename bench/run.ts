import { spawnSync } from 'node:child_process'
import { smallJson } from './small-json.ts'

/** npm run bench: all of them. npm run bench -- small-json: one. */
const benches: Record<string, () => Promise<unknown>> = { 'small-json': smallJson }

for (const command of ['wrk', 'nginx', 'taskset']) {
  if (spawnSync('sh', ['-c', `command -v ${command}`]).status !== 0)
    throw new Error(`the benches need ${command}: install it first (Debian: wrk, nginx-light, util-linux)`)
}
const chosen = process.argv.slice(2)
for (const [name, bench] of Object.entries(benches)) if (!chosen.length || chosen.includes(name)) await bench()
