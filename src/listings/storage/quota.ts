import type { IncomingMessage } from 'node:http'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { createCache } from '../../core/runtime/cache.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { formatBytes } from '../../core/runtime/format-bytes.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { GIB, SECOND_MS } from '../../core/runtime/units.ts'
import { lockStorage, readListingUse, readServiceUse } from './queries.ts'
import {
  defaultQuotas,
  type ExceededQuota,
  exceededQuota,
  type NewFiles,
  type QuotaLevel,
  type StorageLevels,
} from './quota-rules.ts'

/** Files that are about to be stored for a listing. */
export type ListingFiles = NewFiles & { game_uid: string }

/** What is used and allowed at each level; empty for a listing that does not exist. */
export async function readStorageLevels(
  { settings }: Pick<Core, 'settings'>,
  sql: Sql | Tx,
  game_uid: string,
): Promise<StorageLevels> {
  const defaults = defaultQuotas(settings.current)
  const use = await readListingUse(sql, game_uid)
  if (!use) return {}
  const level = (name: 'listing' | 'account') => {
    const { quota, is_exception, ...used } = use[name]
    return { used, quota: is_exception ? quota : defaults[name] }
  }
  const levels = { listing: level('listing'), account: level('account') }
  if (defaults.service === null) return levels
  return { ...levels, service: { used: await readServiceUse(sql), quota: defaults.service } }
}

const findExceeded = async (
  core: Core,
  sql: Sql | Tx,
  { game_uid, ...files }: ListingFiles,
): Promise<ExceededQuota | undefined> =>
  exceededQuota(
    await readStorageLevels(core, sql, game_uid),
    files,
    core.settings.current.player_files_percent,
  )

/**
 * At least how many bytes the files of a request have: its length without what else a form may
 * contain. A request that does not say its length has at least one.
 */
export function announcedBytes({ headers }: IncomingMessage, form_bytes: number): number {
  const length = headers['content-length']
  return length === undefined ? 1 : Math.max(0, Number(length) - form_bytes)
}

/** More than reports that are stored at the same time usually have in files. */
const AMPLE_BYTES = 4 * GIB

/** With ample room, files need no second check when they are stored. */
export type Room = 'ample' | 'enough' | 'none'

/** The listings that had ample room a moment ago: it is not read for each report of a game. */
const ampleListings = perCore(() => createCache<true>({ max_entries: 10_000, ttl_ms: SECOND_MS }))

/** How much room there is for files now. Others may take it before they are stored. */
export async function readRoom(
  core: Core,
  { game_uid, sender, bytes }: ListingFiles,
  sql: Sql | Tx = core.sql,
): Promise<Room> {
  const ample = ampleListings(core)
  const key = `${sender} ${game_uid}`
  if (ample.get(key)) return 'ample'
  const levels = await readStorageLevels(core, sql, game_uid)
  const { player_files_percent } = core.settings.current
  const hasRoomFor = (bytes: number) =>
    !exceededQuota(levels, { sender, bytes }, player_files_percent)
  if (hasRoomFor(bytes + AMPLE_BYTES)) {
    ample.set(key, true)
    return 'ample'
  }
  return hasRoomFor(bytes) ? 'enough' : 'none'
}

/** Refuses files before their bytes are received, as far as their size is known. */
export async function checkQuota(core: Core, files: ListingFiles): Promise<void> {
  const exceeded = await findExceeded(core, core.sql, files)
  if (exceeded) refuseOverQuota(core, files, exceeded)
}

const lockForUpload = ({ settings }: Core, tx: Tx, game_uid: string) =>
  lockStorage(tx, game_uid, { service: settings.current.service_quota_mib > 0 })

/**
 * Whether files fit, in the transaction that stores them. Near the limit nobody adds others until
 * it ends; with ample room reports do not wait for each other. Call it before anything else is
 * locked but the listing.
 */
export async function reserveQuota(core: Core, tx: Tx, files: ListingFiles): Promise<boolean> {
  if ((await readRoom(core, files, tx)) === 'ample') return true
  await lockForUpload(core, tx, files.game_uid)
  return (await findExceeded(core, tx, files)) === undefined
}

/**
 * Records files in a transaction, and refuses them if the listing stores more bytes than before and
 * more than a quota allows. What replaces a file, shares its bytes or was reserved by an upload
 * session counts for what it adds.
 */
export async function recordWithinQuota<T>(
  core: Core,
  tx: Tx,
  { game_uid, sender }: Omit<ListingFiles, 'bytes'>,
  record: () => Promise<T>,
): Promise<T> {
  await lockForUpload(core, tx, game_uid)
  const before = await readStorageLevels(core, tx, game_uid)
  const result = await record()
  const after = (await readListingUse(tx, game_uid))?.listing[sender] ?? 0
  const bytes = after - (before.listing?.used[sender] ?? 0)
  const { player_files_percent } = core.settings.current
  const exceeded = exceededQuota(before, { sender, bytes }, player_files_percent)
  if (exceeded) refuseOverQuota(core, { game_uid, sender, bytes }, exceeded)
  return result
}

const owners: Record<QuotaLevel, string> = {
  listing: 'this listing',
  account: 'the owner of this listing',
  service: 'this store',
}

function refuseOverQuota(
  { settings }: Core,
  { bytes }: ListingFiles,
  { level, used, limit }: ExceededQuota,
): never {
  const { contact } = settings.current
  const help = `Delete files you no longer need, or ask for more${contact && `: ${contact}`}`
  const message =
    `Of the ${formatBytes(limit)} that ${owners[level]} can store, ` +
    `${formatBytes(Math.max(0, limit - used))} are free. ${help}`
  refuse(
    'STORAGE_QUOTA_EXCEEDED',
    { level, used_bytes: used, quota_bytes: limit, upload_bytes: bytes, contact },
    explain('storage_quota', message, { level, used, limit, contact: contact || 'none' }),
  )
}
