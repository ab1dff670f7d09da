import { mkdirSync, promises } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { type Workload, workloads } from './workloads.ts'

/**
 * Run as a program: `all-workloads.ts folder` runs every workload in a folder of its own, with a
 * report of the syncs that it reaches. Loading the code for each takes longer than all of them.
 */
const folder = process.argv[2]!
const { link } = promises
for (const [name, workload] of Object.entries<Workload>(workloads)) {
  const disk = join(folder, name, 'disk')
  mkdirSync(disk, { recursive: true })
  process.env['SYNCS_REACHED'] = join(folder, name, 'reached')
  await workload.run(disk, () => {})
  // Some run where hard links are not possible.
  promises.link = link
  syncBuiltinESMExports()
}
// Timers that keep spare memory must not delay the end.
process.exit()
