import assert from 'node:assert/strict'
import { createReadStream, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { test } from 'node:test'
import { random as seededRandom } from '../../../demo/random.ts'
import { checkStorage } from '../../../src/admin/storage-check.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { startService } from '../../../src/service.ts'
import { temporaryFolder } from '../../support/app.ts'
import { loopCount, SEED } from '../../support/loop-count.ts'
import { diskAfterCut, type Fate } from '../../support/power-cut/disk-states.ts'
import { diskOf, type Recording, record } from '../../support/power-cut/record.ts'
import { restoreDisk } from '../../support/power-cut/restore.ts'
import { sha256 } from '../../uploads/zips.ts'
import { canRecord } from './fixtures.ts'
import { compareWithDisk } from './list-files.ts'
import { prepare, type ServiceEntry, serviceSettings } from './service-program.ts'

const CUTS = loopCount({ short: 2, full: 150 })
const program = join(import.meta.dirname, 'service-program.ts')
const command = (folder: string) => [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  program,
  folder,
]

/** Starts the service on what a power cut left, and returns what is missing. */
async function lossesAfterCut(
  folder: string,
  { history, base, acknowledged }: Recording<ServiceEntry>,
  cut: number,
  fate: Fate,
): Promise<string[]> {
  const disk = join(folder, 'after/disk')
  mkdirSync(join(folder, 'after'), { recursive: true })
  restoreDisk(diskAfterCut(history, cut, fate), base, disk)
  const entries = acknowledged.filter(({ line }) => line < cut).map(({ entry }) => entry)
  const service = await startService(readConfig(serviceSettings(disk)), { running_jobs: [] })
  try {
    const losses: string[] = []
    for (const entry of entries)
      if (!(await isStored(service.core, entry))) losses.push(JSON.stringify(entry))
    losses.push(...(await findWrongEdit(service.core, entries)))
    const run = { core: service.core, progress: () => {}, signal: new AbortController().signal }
    const { missing } = await checkStorage(run)
    // A store that is taken for another's would keep its garbage until an operator confirms.
    const refusal = await service.core.owner.refusal()
    return [...losses, ...missing, ...(refusal ? [`the owner is refused: ${refusal}`] : [])]
  } finally {
    await service.stop()
  }
}

const hashOf = async (stream: Readable) => sha256(Buffer.concat(await stream.toArray()))

async function objectHash({ storage }: Core, key: string, size?: number): Promise<string> {
  const object = await storage.get(key, size ? { start: 0, end: size - 1 } : undefined)
  return object ? hashOf(object.stream) : 'missing'
}

async function isStored(core: Core, entry: ServiceEntry): Promise<boolean> {
  const { sql } = core
  if (entry.kind === 'file') {
    const [file] = await sql`
      select game_uid, coalesce(object_uid, uid) as object_uid
      from files
      where uid = ${entry.file_uid}`
    const key = file && `builds/${file.game_uid}/${file.object_uid}.zip`
    return key !== undefined && (await objectHash(core, key)) === entry.checksum
  }
  if (entry.kind === 'chunk') return isChunkStored(core, entry)
  if (entry.kind === 'image')
    return (await sql`select from listing_images where uid = ${entry.uid}`).length === 1
  if (entry.kind === 'symbols') {
    const [symbols] = await sql`
      select game_uid, uid
      from symbols
      where checksum = ${entry.checksum}`
    const key = symbols && `symbols/${symbols.game_uid}/${symbols.uid}.sym`
    return key !== undefined && (await objectHash(core, key)) === entry.checksum
  }
  return true
}

async function isChunkStored(
  core: Core,
  { session_id, size, checksum }: ServiceEntry & { kind: 'chunk' },
): Promise<boolean> {
  const [session] = await core.sql`
    select file_uid, game_uid, current_size, completed_at
    from upload_sessions
    where uid = ${session_id}`
  if (!session) return false
  if (session.completed_at)
    return (
      (await objectHash(core, `builds/${session.game_uid}/${session.file_uid}.zip`, size)) ===
      checksum
    )
  const path = join(core.config.data_dir, 'uploads', `${session.file_uid}.part`)
  if (Number(session.current_size) < size || !existsSync(path)) return false
  return (await hashOf(createReadStream(path, { end: size - 1 }))) === checksum
}

/** The listing has the last acknowledged edit, or one that was sent since. */
async function findWrongEdit({ sql }: Core, entries: ServiceEntry[]): Promise<string[]> {
  const numbers = (kind: string) =>
    entries.flatMap((entry) => ('number' in entry && entry.kind === kind ? [entry.number] : []))
  const acknowledged = Math.max(0, ...numbers('edit'))
  const [listing] = await sql`select tagline from listings`
  const stored = Number(listing!.tagline?.slice('line '.length) ?? 0)
  const is_right = stored >= acknowledged && stored <= Math.max(0, ...numbers('edit-begun'))
  return is_right ? [] : [`edit ${acknowledged} was acknowledged, but edit ${stored} is stored`]
}

test(`the service and its database start after power cuts (SEED=${SEED})`, async (t) => {
  if (!canRecord(t)) return
  const random = seededRandom(SEED)
  const folder = temporaryFolder(t)
  await prepare(folder)
  const recording = await record<ServiceEntry>({ folder, command: command(folder) })
  const { acknowledged, history } = recording
  for (const kind of ['edit', 'file', 'chunk', 'image', 'symbols'])
    assert.ok(
      acknowledged.some(({ entry }) => entry.kind === kind),
      `no ${kind} was acknowledged`,
    )
  const { recorded, actual } = compareWithDisk(history, diskOf(folder))
  assert.deepEqual(recorded, actual)
  // Only after the service is ready is there something to lose.
  const first = acknowledged[0]!.line
  for (let cut = 0; cut < CUTS; cut++) {
    // Every other cut comes right after an acknowledgement.
    const line = cut % 2 ? random.pick(acknowledged).line + 1 : random.integer(first, history.lines)
    const fate = cut % 5 === 0 ? 'lost' : random
    assert.deepEqual(await lossesAfterCut(folder, recording, line, fate), [], `line ${line}`)
  }
  t.diagnostic(`${acknowledged.length} acknowledgements, ${CUTS} cuts, ${history.lines} lines`)
})
