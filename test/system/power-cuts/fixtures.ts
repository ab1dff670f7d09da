import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { promisify } from 'node:util'
import { temporaryFolder } from '../../support/app.ts'
import { freshDatabase } from '../../support/database.ts'
import { diskAfterCut, type Fate } from '../../support/power-cut/disk-states.ts'
import { diskOf, LEDGER, type Recording, record } from '../../support/power-cut/record.ts'
import { restoreDisk } from '../../support/power-cut/restore.ts'
import { needs } from '../../support/system-packages.ts'
import { type Entry, type Workload, type WorkloadName, workloads } from './workloads.ts'

const program = join(import.meta.dirname, 'workloads.ts')
const hooks = join(import.meta.dirname, '../../support/power-cut/sync-hooks.ts')
const flags = ['--disable-warning=ExperimentalWarning', '--import', hooks]

export type RecordedWorkload = Recording<Entry> & { name: WorkloadName; folder: string }

/** Whether this machine can record: a container may forbid what strace needs. */
export const canRecord = (t: TestContext) => needs(t, 'strace')

let count = 0

async function prepareProgram(t: TestContext, name: WorkloadName, env: Record<string, string>) {
  const folder = join(temporaryFolder(t), `${name}-${count++}`)
  mkdirSync(diskOf(folder), { recursive: true })
  const args = [program, name, diskOf(folder), join(folder, LEDGER)]
  const command = [process.execPath, ...flags, ...args]
  const workload: Workload = workloads[name]
  const database = workload.needs_database && { BACKUP_DATABASE_URL: await freshDatabase(t) }
  return { folder, command, env: { ...env, ...database } }
}

export async function recordWorkload(
  t: TestContext,
  name: WorkloadName,
  env: Record<string, string> = {},
): Promise<RecordedWorkload> {
  const program = await prepareProgram(t, name, env)
  return { ...(await record<Entry>(program)), name, folder: program.folder }
}

/** The workloads that reach each sync, by its name. One process runs all of them. */
export async function reachedSyncs(t: TestContext): Promise<Map<string, WorkloadName[]>> {
  const folder = temporaryFolder(t)
  const env = { SYNCS_REACHED: 'of each workload', BACKUP_DATABASE_URL: await freshDatabase(t) }
  const args = [...flags, join(import.meta.dirname, 'all-workloads.ts'), folder]
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env } })
  const reached = new Map<string, WorkloadName[]>()
  for (const name of Object.keys(workloads) as WorkloadName[]) {
    const report = join(folder, name, 'reached')
    const calls = existsSync(report) ? readFileSync(report, 'utf8').trim().split('\n') : []
    for (const call of calls) reached.set(call, [...(reached.get(call) ?? []), name])
  }
  return reached
}

/** Cuts the power before a line of the trace, and checks what is left. */
export async function lossesAfterCut(
  { name, folder, history, base, acknowledged }: RecordedWorkload,
  cut: number,
  fate: Fate,
): Promise<string[]> {
  const entries = acknowledged.filter(({ line }) => line < cut).map(({ entry }) => entry)
  const disk = join(folder, 'after/disk')
  mkdirSync(join(folder, 'after'), { recursive: true })
  restoreDisk(diskAfterCut(history, cut, fate), base, disk)
  return workloads[name]
    .findLosses(disk, entries)
    .catch((error: Error) => [`could not start: ${error.message}`])
}
