import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { listSymbols } from '../../builds/symbols/queries.ts'
import { symbolKey } from '../../builds/symbols/symbols.ts'
import type { Tx } from '../../core/database/sql.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { retention } from '../../core/runtime/retention.ts'
import { HOUR, HOUR_MS } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { isOldUid, removeOrphans } from '../../core/storage/remove-orphans.ts'
import { STACKWALK_FOLDER, type StackwalkResult, walkDump } from '../dump/stackwalk.ts'
import { groupByFrames } from './groups.ts'
import {
  type CrashWithDump,
  deleteOldCrashes,
  deleteOldGroups,
  deleteOldLinks,
  findCrashesWithNewSymbols,
  joinGroup,
  leaveGroup,
  lockCrash,
  moveToGroup,
  readCrashedBuild,
  readCrashWithDump,
  referencedKeys,
  saveAnalysis,
} from './queries.ts'

const PREFIX = 'crashes/'
const TEMP_FILE_MS = retention.crash_temp_file_hours * HOUR_MS
const REWALK_BATCH = 200
const DELETE_BATCH = 1000

/** Analyzes a dump with the symbols of its build, and groups the crash by its stack. */
export const walkCrash = job<{ crash_uid: string }>({
  name: 'telemetry.walk',
  retries: 5,
  expire_seconds: 600,
  async handle({ core, data, signal, finish }) {
    const crash = await readCrashWithDump(core.sql, data.crash_uid)
    if (!crash) return
    const { game_uid, build_uid } = crash
    const symbols = (await listSymbols(core.sql, game_uid, build_uid)).map(
      ({ uid, debug_id, size }) => ({ debug_id, size, key: symbolKey(game_uid, uid) }),
    )
    const dump = await core.storage.get(crash.dump_key)
    if (!dump) return
    const bytes = new Uint8Array(await buffer(dump.stream))
    const result = await walkDump(core, bytes, symbols, signal)
    await finish((tx) => saveResult(tx, crash, result))
  },
})

async function saveResult(tx: Tx, crash: CrashWithDump, result: StackwalkResult): Promise<void> {
  const build = await readCrashedBuild(tx, crash.build_uid)
  const locked = build && (await lockCrash(tx, crash.uid))
  if (!locked) return
  if ('unreadable' in result)
    return saveAnalysis(tx, crash.uid, {
      analysis: { note: result.unreadable },
      stack: null,
      missing_symbols: false,
    })
  await saveAnalysis(tx, crash.uid, result)
  const group = groupByFrames(result.analysis)
  if (!group) return
  const occurrence = { uid: crash.uid, game_uid: crash.game_uid, build, at: crash.created_at }
  const group_uid = await joinGroup(tx, occurrence, group, uuidv7())
  await moveToGroup(tx, crash.uid, group_uid)
  // Leave last: if it is the same group again, it must not become empty in between.
  if (locked.group_uid) await leaveGroup(tx, locked.group_uid, crash.build_uid, group_uid)
}

/** Analyzes crashes again whose symbols were uploaded after the crash. */
export const walkAgain = job({
  name: 'telemetry.walk-again',
  schedule: '*/10 * * * *',
  async handle({ core, finish }) {
    const uids = await findCrashesWithNewSymbols(core.sql, REWALK_BATCH)
    await finish(async (tx) => {
      for (const crash_uid of uids)
        await core.jobs.send(tx, 'telemetry.walk', { crash_uid }, { key: crash_uid })
    })
  },
})

/** Deletes reports past their retention, their files, and files without a report. */
export const sweepCrashes = job({
  name: 'telemetry.sweep-crashes',
  schedule: '53 3 * * *',
  expire_seconds: HOUR,
  async handle({ core, signal, finish }) {
    const { crash_retention_days, data_dir } = core.config
    for (;;) {
      signal.throwIfAborted()
      const count = await core.sql.begin(async (tx) => {
        const deleted = await deleteOldCrashes(tx, crash_retention_days, DELETE_BATCH)
        if (deleted.keys.length)
          await core.jobs.send(tx, 'builds.remove-objects', { keys: deleted.keys })
        return deleted.count
      })
      if (count < DELETE_BATCH) break
    }
    await sweepObjects(core, signal)
    await sweepFolder(join(data_dir, STACKWALK_FOLDER))
    await finish(async (tx) => {
      await deleteOldGroups(tx, crash_retention_days)
      await deleteOldLinks(tx)
    })
  },
})

async function sweepObjects(core: Core, signal: AbortSignal): Promise<void> {
  const isCandidate = (key: string, now: Date) => isOldUid(key.slice(PREFIX.length), now)
  const findOrphans = async (keys: string[]) => {
    const referenced = await referencedKeys(core.sql, keys)
    return keys.filter((key) => !referenced.has(key))
  }
  const prefixes = [PREFIX]
  await removeOrphans(core, { name: 'crashes', prefixes, isCandidate, findOrphans, signal })
}

async function sweepFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const stats = await stat(path).catch(() => null)
    if (stats && Date.now() - stats.mtimeMs > TEMP_FILE_MS)
      await rm(path, { recursive: true, force: true })
  }
}
