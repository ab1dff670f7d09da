import { setTimeout as pause } from 'node:timers/promises'
import type { Core } from '../../core/runtime/core.ts'
import { MINUTE_MS, SECOND_MS } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import {
  type Expected,
  expectedPage,
  recordedHashes,
  stillExpected,
} from '../../core/storage/recorded-objects.ts'
import { DamagedObject, hashObject, orDamaged } from '../../core/storage/verified.ts'
import { createRepair, type Repair } from './repair.ts'
import {
  beginPass,
  claimScrub,
  finishPass,
  forgetDamage,
  keepHash,
  listDamaged,
  type Problem,
  readScrubState,
  readStoredHashes,
  recordDamage,
  releaseScrub,
  restartPass,
  savePosition,
  storeHash,
} from './scrub-queries.ts'

const PAGE = 100
const MAX_DAMAGED = 10_000
const RENEW_MS = MINUTE_MS
export const MEGABYTE = 1_000_000

export type ScrubRun = {
  core: Pick<Core, 'sql' | 'storage' | 'log' | 'config'>
  /** Undefined: as fast as the store can. */
  bytes_per_second: number | undefined
  /** Begins a new pass whatever the age of the last one. */
  now: boolean
  /** The time at which to stop, in milliseconds; the next run continues. */
  until: number
  progress?: (text: string) => void
  signal: AbortSignal
}
export type ScrubOutcome = 'another process reads' | 'not due' | 'stopped' | 'complete'

/**
 * Reads every object that a record refers to and compares it with its SHA-256. Damaged and missing
 * objects are recorded, logged and, where there is a copy, repaired.
 */
export async function scrub(run: ScrubRun): Promise<ScrubOutcome> {
  const { core, now, signal } = run
  const lease = uuidv7()
  if (!(await claimScrub(core.sql, lease))) return 'another process reads'
  try {
    if (now) await restartPass(core.sql, lease)
    else await beginPass(core.sql, lease, core.config.scrub_days)
    const state = await readScrubState(core.sql)
    if (state.finished_at) return 'not due'
    return await continuePass(run, lease)
  } finally {
    // Also when the run is stopped: another process may continue at once.
    await releaseScrub(core.sql, lease)
    signal.throwIfAborted()
  }
}

async function continuePass(run: ScrubRun, lease: string): Promise<ScrubOutcome> {
  const { core, until, progress, signal, bytes_per_second } = run
  const { sql } = core
  const repair = createRepair(core.storage, core.config, core.log)
  const onBytes = throttle(bytes_per_second, signal, () => claimScrub(sql, lease))
  let { source, after_uid, objects } = await readScrubState(sql)
  for (;;) {
    const { rows, next } = await expectedPage(sql, { source, after_uid }, PAGE)
    const hashes = await knownHashes(run, rows)
    for (const { position, ...row } of rows) {
      signal.throwIfAborted()
      if (Date.now() >= until) return 'stopped'
      const bytes = await checkObject(core, row, { hashes, repair, onBytes, signal })
      await savePosition(sql, lease, position, bytes)
      progress?.(`${++objects} objects read`)
    }
    if (!next) break
    ;({ source, after_uid } = next)
  }
  await forgetUnexpected(core)
  await finishPass(sql, lease)
  return 'complete'
}

/** Reads one object that was found to be damaged, records what is wrong and repairs it. */
export async function scrubObject(
  core: ScrubRun['core'],
  object: Expected,
  signal: AbortSignal,
): Promise<void> {
  const hashes = await knownHashes({ core }, [object])
  const repair = createRepair(core.storage, core.config, core.log)
  await checkObject(core, object, { hashes, repair, onBytes: async () => {}, signal })
}

async function knownHashes({ core: { sql } }: Pick<ScrubRun, 'core'>, rows: Expected[]) {
  const keys = rows.map(({ key }) => key)
  return {
    recorded: await recordedHashes(sql, keys),
    stored: await readStoredHashes(sql, keys),
  }
}

type Check = {
  hashes: Awaited<ReturnType<typeof knownHashes>>
  repair: Repair
  onBytes: (count: number) => Promise<void>
  signal: AbortSignal
}

/** Returns how many bytes were read. */
async function checkObject(
  { sql, storage, log }: ScrubRun['core'],
  { key, size, of: record }: Expected,
  { hashes, repair, onBytes, signal }: Check,
): Promise<number> {
  const recorded = hashes.recorded.get(key)
  const sha256 = recorded ?? hashes.stored.get(key)
  const read = () => hashObject(storage, key, signal, onBytes)
  const object = await orDamaged(storage, key, signal, read).catch((error) => {
    if (error instanceof DamagedObject) return { sha256: '', size: -1 }
    throw error
  })
  const problem = problemOf(object, { size, sha256 })
  if (!problem) {
    if (!recorded) await storeHash(sql, { key, size: object!.size, sha256: object!.sha256 })
    await forgetDamage(sql, [key])
    return object!.size
  }
  // The record may have been deleted meanwhile, and the object with it.
  if (!(await stillExpected(sql, [key])).has(key)) return 0
  await keepHash(sql, key)
  const repaired_from = (await repair({ key, size, sha256 }, signal)) ?? null
  await recordDamage(sql, { key, record, problem, repaired_from })
  const details = { object: key, record, problem, repaired_from }
  if (repaired_from) log.warn(details, 'a damaged object was repaired')
  else log.error(details, 'a stored object is damaged or missing')
  return Math.max(0, object?.size ?? 0)
}

function problemOf(
  object: { sha256: string; size: number } | undefined,
  expected: { size: number | null; sha256: string | undefined },
): Problem | undefined {
  if (!object) return 'missing'
  if (expected.size !== null && object.size !== expected.size) return 'size'
  if (expected.sha256 && object.sha256 !== expected.sha256) return 'content'
  return undefined
}

async function forgetUnexpected({ sql }: ScrubRun['core']): Promise<void> {
  const damaged = (await listDamaged(sql, MAX_DAMAGED)).map(({ key }) => key)
  const expected = await stillExpected(sql, damaged)
  await forgetDamage(
    sql,
    damaged.filter((key) => !expected.has(key)),
  )
}

/** Limits how fast objects are read, and renews the lease while a large one is. */
function throttle(
  bytes_per_second: number | undefined,
  signal: AbortSignal,
  renew: () => Promise<unknown>,
) {
  const started_at = Date.now()
  let renewed_at = started_at
  let total = 0
  return async (count: number) => {
    total += count
    const ahead_ms = bytes_per_second
      ? (total / bytes_per_second) * SECOND_MS - (Date.now() - started_at)
      : 0
    if (ahead_ms > 0) await pause(ahead_ms, undefined, { signal })
    if (Date.now() - renewed_at < RENEW_MS) return
    renewed_at = Date.now()
    await renew()
  }
}
