import type { Platform } from '../../builds/builds/fields.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Uploader } from '../queries.ts'
import type { StagedParts, StagingLocation } from '../receive/staging.ts'

export type NewSession = Platform &
  Uploader & {
    uid: string
    build_uid: string
    file_uid: string
    filename: string
    total_size: number
    checksum: string
    /** The uid of the zip that is composed, if the bytes of the session are a delta. */
    composed_uid: string | null
    /** The checksum of the zip that the uploader packed. */
    source_checksum: string | null
    /** The part of the devices that the file is for; null if the uploader did not say. */
    release_percent: number | null
  }
export type Session = NewSession & {
  current_size: number
  /** Names the part file with its bytes; null for the file that the session began with. */
  part: string | null
  /** Whether a request that lost its lease may still be writing to the part file. */
  part_contested: boolean
  /** The parts that an object store has of it. */
  staged: StagedParts | null
  leased: boolean
  completed: boolean
  expires_at: Date
}

const sessionColumns = (sql: Sql | Tx) => sql`
  uid, game_uid, build_uid, file_uid, os, arch, channel, filename, checksum,
  total_size, current_size, method, key_ref, uploaded_by,
  part, part_contested, staged, composed_uid, source_checksum, release_percent, expires_at,
  holder is not null and held_until > now() as leased,
  completed_at is not null as completed`

/** Opens a session unless the game has too many open ones. The listing must be locked. */
export async function insertSession(
  tx: Tx,
  session: NewSession,
  limits: { seconds: number; max_open: number },
): Promise<{ expires_at: Date } | { retry_after: number }> {
  const [open] = await tx`
    select count(*)::int as sessions,
      ceil(extract(epoch from min(expires_at) - now()))::int as retry_after
    from upload_sessions
    where game_uid = ${session.game_uid} and completed_at is null and expires_at > now()`
  if (open!.sessions >= limits.max_open) return { retry_after: Math.max(1, open!.retry_after) }
  const expires_at = tx`now() + ${limits.seconds} * interval '1 second'` as never
  const [row] = await tx<{ expires_at: Date }[]>`
    insert into upload_sessions ${tx({ ...session, expires_at })}
    returning expires_at`
  return row!
}

export async function readSession(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<Session | undefined> {
  const [session] = await sql<Session[]>`
    select ${sessionColumns(sql)}
    from upload_sessions
    where uid = ${uid} and game_uid = ${game_uid} and expires_at > now()`
  return session
}

/** A chunk that starts at `start`, of a session that was opened for `total` bytes. */
export type LeaseRequest = { game_uid: string; uid: string; start: number; total: number }

/**
 * Leases the session for a chunk that starts at its current size. Undefined if another request has
 * the lease or the session differs from what the chunk says. If the lease before was not released,
 * its holder may still be writing, so the part file is contested from then on.
 */
export async function leaseSession(
  sql: Sql,
  request: LeaseRequest,
  holder: string,
  seconds: number,
): Promise<Session | undefined> {
  const { game_uid, uid, start, total } = request
  const [session] = await sql<Session[]>`
    update upload_sessions set
      holder = ${holder},
      held_until = now() + ${seconds} * interval '1 second',
      part_contested = part_contested or holder is not null
    where uid = ${uid} and game_uid = ${game_uid}
      and expires_at > now() and completed_at is null
      and current_size = ${start} and total_size = ${total}
      and (holder is null or held_until <= now())
    returning ${sessionColumns(sql)}`
  return session
}

/** Returns false if the holder lost the lease. */
export async function renewSession(
  sql: Sql,
  uid: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const renewed = await sql`
    update upload_sessions set held_until = now() + ${seconds} * interval '1 second'
    where uid = ${uid} and holder = ${holder}`
  return renewed.count === 1
}

export async function releaseSession(sql: Sql, uid: string, holder: string): Promise<void> {
  await sql`
    update upload_sessions set holder = null, held_until = null
    where uid = ${uid} and holder = ${holder}`
}

/**
 * Records a chunk that is durable at this location, and releases the lease. From here on the chunk
 * counts as received. Returns false if the holder lost the lease.
 */
export async function advanceSession(
  sql: Sql,
  uid: string,
  holder: string,
  { current_size, part, staged }: StagingLocation & { current_size: number },
): Promise<boolean> {
  const advanced = await sql`
    update upload_sessions set
      current_size = ${current_size},
      part = ${part}, staged = ${staged as never}, part_contested = false,
      holder = null, held_until = null
    where uid = ${uid} and holder = ${holder}`
  return advanced.count === 1
}

/**
 * Reserves numbers that no other part of the upload has, whoever sends it, and returns the first.
 * Undefined if the holder lost the lease.
 */
export async function reservePartNumbers(
  sql: Sql,
  uid: string,
  holder: string,
  count: number,
): Promise<number | undefined> {
  const [row] = await sql<{ first: number }[]>`
    update upload_sessions set next_part = next_part + ${count}
    where uid = ${uid} and holder = ${holder}
    returning next_part - ${count} as first`
  return row?.first
}

/** The checksum is that of the file. Returns false if the holder lost the lease. */
export async function completeSession(
  tx: Tx,
  uid: string,
  holder: string,
  checksum: string,
): Promise<boolean> {
  const completed = await tx`
    update upload_sessions set
      current_size = total_size, completed_at = now(), checksum = ${checksum},
      holder = null, held_until = null
    where uid = ${uid} and holder = ${holder}`
  return completed.count === 1
}

export async function deleteSession(sql: Sql, uid: string, holder: string): Promise<void> {
  await sql`delete from upload_sessions where uid = ${uid} and holder = ${holder}`
}

export async function deleteExpiredSessions(tx: Tx): Promise<void> {
  await tx`delete from upload_sessions where expires_at < now()`
}

/** Which of these files an open session still adds to. */
export async function findOpenUploads(sql: Sql, file_uids: string[]): Promise<Set<string>> {
  const rows = await sql`
    select file_uid
    from upload_sessions
    where file_uid = any(${file_uids}::uuid[]) and completed_at is null and expires_at > now()`
  return new Set(rows.map((row) => row.file_uid as string))
}
