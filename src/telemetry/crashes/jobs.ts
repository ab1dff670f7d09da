import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { listSymbols } from '../../builds/symbols/queries.ts'
import { symbolKey } from '../../builds/symbols/symbols.ts'
import type { Tx } from '../../core/database/sql.ts'
import { job } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { WALK_FOLDER, type Walked, walkDump } from '../dump/stackwalk.ts'
import { groupByFrames } from './groups.ts'
import {
  type CrashToWalk,
  deleteOldCrashes,
  findToWalkAgain,
  joinGroup,
  knownKeys,
  leaveGroup,
  lockCrash,
  moveToGroup,
  readBuildOfCrash,
  readCrashToWalk,
  saveWalk,
  sweepGroups,
  sweepLinks,
} from './queries.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const AGAIN_AT_ONCE = 200
const DELETED_AT_ONCE = 1000
const KEYS_A_QUERY = 1000

/** Reads a dump with the symbols of its build, and finds the crash its group by where it happened. */
export const walkCrash = job<{ crash_uid: string }>({
  name: 'telemetry.walk',
  retries: 5,
  expire_seconds: 600,
  async handle({ core, data, signal, finish }) {
    const crash = await readCrashToWalk(core.sql, data.crash_uid)
    if (!crash) return
    const symbols = (await listSymbols(core.sql, crash.game_uid, crash.build_uid)).map(
      ({ uid, debug_id, size }) => ({
        ...{ debug_id, size, key: symbolKey(crash.game_uid, uid) },
      }),
    )
    const found = await core.storage.get(crash.dump_key)
    if (!found) return
    const bytes = new Uint8Array(await buffer(found.stream))
    const walked = await walkDump(core, bytes, symbols, signal)
    await finish((tx) => settleWalk(tx, crash, walked))
  },
})

async function settleWalk(tx: Tx, crash: CrashToWalk, walked: Walked): Promise<void> {
  const build = await readBuildOfCrash(tx, crash.build_uid)
  const locked = build && (await lockCrash(tx, crash.uid))
  if (!locked) return
  if ('refused' in walked)
    return saveWalk(tx, crash.uid, {
      analysis: { note: walked.refused },
      stack: null,
      missing_symbols: false,
    })
  await saveWalk(tx, crash.uid, walked)
  const group = groupByFrames(walked.analysis)
  if (!group) return
  const seen = { uid: crash.uid, game_uid: crash.game_uid, build, at: crash.created_at }
  const joined = await joinGroup(tx, seen, group, uuidv7())
  await moveToGroup(tx, crash.uid, joined)
  // Last, for it may be the same group again, which must not be empty in between.
  if (locked.group_uid) await leaveGroup(tx, locked.group_uid, crash.build_uid, joined)
}

/** Symbols that came after the crash make its stack readable after all. */
export const walkAgain = job({
  name: 'telemetry.walk-again',
  schedule: '*/10 * * * *',
  async handle({ core, finish }) {
    const uids = await findToWalkAgain(core.sql, AGAIN_AT_ONCE)
    await finish(async (tx) => {
      for (const crash_uid of uids)
        await core.jobs.send(tx, 'telemetry.walk', { crash_uid }, { key: crash_uid })
    })
  },
})

/** Reports whose time is over, with their bytes; and bytes that no report knows. */
export const sweepCrashes = job({
  name: 'telemetry.sweep-crashes',
  schedule: '53 3 * * *',
  expire_seconds: 3600,
  async handle({ core, signal, finish }) {
    for (;;) {
      signal.throwIfAborted()
      const count = await core.sql.begin(async (tx) => {
        const gone = await deleteOldCrashes(tx, core.config.crash_retention_days, DELETED_AT_ONCE)
        if (gone.keys.length) await core.jobs.send(tx, 'builds.remove-objects', { keys: gone.keys })
        return gone.count
      })
      if (count < DELETED_AT_ONCE) break
    }
    await sweepObjects(core, signal)
    await sweepFolder(join(core.config.data_dir, WALK_FOLDER))
    await finish(async (tx) => {
      await sweepGroups(tx, core.config.crash_retention_days)
      await sweepLinks(tx)
    })
  },
})

async function sweepObjects({ storage, sql }: Core, signal: AbortSignal): Promise<void> {
  let keys: string[] = []
  const sweepKeys = async () => {
    const known = await knownKeys(sql, keys)
    for (const key of keys) if (!known.has(key)) await storage.remove(key)
    keys = []
  }
  for await (const { key } of storage.list('crashes/')) {
    signal.throwIfAborted()
    // Younger than a day, its report may still come.
    if (Date.now() - madeAt(key) > DAY_MS) keys.push(key)
    if (keys.length >= KEYS_A_QUERY) await sweepKeys()
  }
  await sweepKeys()
}

/** The first 48 bits of a uid are when it was made. */
const madeAt = (key: string) =>
  Number.parseInt(key.slice('crashes/'.length).replaceAll('-', '').slice(0, 12), 16)

async function sweepFolder(folder: string): Promise<void> {
  for (const name of await readdir(folder).catch(() => [])) {
    const found = await stat(join(folder, name)).catch(() => null)
    if (found && Date.now() - found.mtimeMs > HOUR_MS)
      await rm(join(folder, name), { recursive: true, force: true })
  }
}
