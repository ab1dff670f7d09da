import { lockChannels } from '../../builds/channels/queries.ts'
import { objectUid } from '../../builds/files/queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'

/** Files of the last days are scanned again; players download older ones rarely. */
export const RESCAN_DAYS = 30

export type Signatures = { engine: string; version: string }

/**
 * Stores the version of the signatures. True if it is new and files have to be scanned again; the
 * first version of all needs that not, and a version that was seen before neither. What an earlier
 * version has not scanned yet is left to this one.
 */
export async function recordSignatures(
  tx: Tx,
  { uid, engine, version }: Signatures & { uid: string },
): Promise<boolean> {
  await tx`lock table signature_updates in share row exclusive mode`
  const [before] = await tx<{ is_known: boolean }[]>`
    select bool_or(engine = ${engine} and version = ${version}) as is_known
    from signature_updates
    having count(*) > 0`
  if (before?.is_known) return false
  await tx`update signature_updates set finished_at = now() where finished_at is null`
  await tx`
    insert into signature_updates (uid, engine, version, finished_at)
    values (${uid}, ${engine}, ${version}, ${before ? null : tx`now()`})`
  return before !== undefined
}

export type SignatureUpdate = { uid: string; seen_at: Date; last_file_uid: string | null }

/** An update whose files are not all scanned again. */
export async function readUpdate(sql: Sql, uid: string): Promise<SignatureUpdate | undefined> {
  const [row] = await sql<SignatureUpdate[]>`
    select uid, seen_at, last_file_uid
    from signature_updates
    where uid = ${uid} and finished_at is null`
  return row
}

export type FileToRescan = { uid: string; object_uid: string; game_uid: string; size: number }

/** The next recent file that was scanned before the update, in the order of uids. */
export async function nextFileToRescan(
  sql: Sql,
  { seen_at, last_file_uid }: SignatureUpdate,
): Promise<FileToRescan | undefined> {
  const [row] = await sql<FileToRescan[]>`
    select f.uid, ${objectUid(sql)} as object_uid, f.game_uid, f.size
    from files f
    where f.scan in ('clean', 'withdrawn') and f.bytes_removed_at is null
      and f.uploaded_at > ${seen_at}::timestamptz - make_interval(days => ${RESCAN_DAYS})
      and f.scanned_at < ${seen_at}
      ${last_file_uid === null ? sql`` : sql`and f.uid > ${last_file_uid}`}
    order by f.uid
    limit 1`
  return row
}

/** Stores that a file was scanned again; false if another run, or a newer update, did. */
export async function storeRescanned(
  tx: Tx,
  update: SignatureUpdate,
  { file_uid, is_rejected }: { file_uid: string; is_rejected: boolean },
): Promise<boolean> {
  const { count } = await tx`
    update signature_updates
    set last_file_uid = ${file_uid}, files_scanned = files_scanned + 1,
      files_rejected = files_rejected + ${is_rejected ? 1 : 0}
    where uid = ${update.uid} and finished_at is null
      and last_file_uid is not distinct from ${update.last_file_uid}`
  return count === 1
}

export async function finishUpdate(tx: Tx, uid: string): Promise<void> {
  await tx`
    update signature_updates set finished_at = now() where uid = ${uid} and finished_at is null`
}

type Rejection = { engine: string; detail: string | null }

/** A clean or withdrawn file becomes infected; false if it is neither any more. */
export async function rejectCleanFile(
  tx: Tx,
  file: { uid: string; game_uid: string },
  { engine, detail }: Rejection,
): Promise<boolean> {
  await lockChannels(tx, file.game_uid)
  const { count } = await tx`
    update files set scan = 'infected', scanned_at = now()
    where uid = ${file.uid} and scan in ('clean', 'withdrawn')`
  if (count !== 1) return false
  await tx`
    insert into scan_history (file_uid, state, engine, detail)
    values (${file.uid}, 'infected', ${engine}, ${detail})`
  // Every process drops what it has cached for visitors, as after a decision of moderators.
  await tx`notify moderation`
  return true
}

/** The owner of a listing, and everyone who moderates. */
export async function readRejectionRecipients(
  tx: Tx,
  game_uid: string,
): Promise<{ user_uid: string }[]> {
  return tx<{ user_uid: string }[]>`
    select owner_uid as user_uid from all_listings where uid = ${game_uid}
    union
    select user_uid from operators
    union
    select user_uid from moderators`
}

export type RejectedFile = {
  filename: string
  game: string
  vanity_name: string
  owner_uid: string
  version: string
  detail: string
}

export async function readRejectedFile(sql: Sql, uid: string): Promise<RejectedFile | undefined> {
  const [row] = await sql<RejectedFile[]>`
    select f.filename, l.name as game, l.vanity_name, l.owner_uid, b.version,
      coalesce((
        select h.detail
        from scan_history h
        where h.file_uid = f.uid
        order by h.seq desc
        limit 1), '') as detail
    from files f
    join builds b on b.uid = f.build_uid
    join all_listings l on l.uid = f.game_uid
    where f.uid = ${uid} and f.scan = 'infected'`
  return row
}
