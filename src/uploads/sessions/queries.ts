import type { Platform } from '../../builds/builds/fields.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Finished } from '../finish.ts'
import type { Uploader } from '../queries.ts'
import type { Place, StagedParts } from '../receive/staging.ts'

export type NewSession = Platform &
  Uploader & {
    uid: string
    build_uid: string
    file_uid: string
    filename: string
    total_size: number
    checksum: string
  }
export type Session = NewSession & {
  current_size: number
  /** Whose file its bytes are in: nobody's in particular, or that of the holder who began it. */
  part: string | null
  /** Someone who lost the session may still write to that file. */
  part_contested: boolean
  /** What an object store has of it. */
  staged: StagedParts | null
  held: boolean
  completed: boolean
  expires_at: Date
}

/** Opens a session unless the game already has as many as it may. The listing is locked so that two at once cannot both be the last. */
export async function insertSession(
  sql: Sql,
  session: NewSession,
  limits: { seconds: number; most: number },
): Promise<{ expires_at: Date } | { retry_after: number }> {
  return sql.begin(async (tx) => {
    await tx`select from listings where uid = ${session.game_uid} for no key update`
    const [open] = await tx`
      select count(*)::int as sessions, ceil(extract(epoch from min(expires_at) - now()))::int as retry_after
      from upload_sessions where game_uid = ${session.game_uid} and completed_at is null and expires_at > now()`
    if (open!.sessions >= limits.most) return { retry_after: Math.max(1, open!.retry_after) }
    const [row] = await tx<{ expires_at: Date }[]>`
      insert into upload_sessions ${tx({ ...session, expires_at: tx`now() + ${limits.seconds} * interval '1 second'` as never })} returning expires_at`
    return row!
  })
}

export async function readSession(
  sql: Sql | Tx,
  game_uid: string,
  uid: string,
): Promise<Session | undefined> {
  const [session] = await sql<Session[]>`
    select *, holder is not null and held_until > now() as held, completed_at is not null as completed
    from upload_sessions where uid = ${uid} and game_uid = ${game_uid} and expires_at > now()`
  return session
}

export type Claimed = { game_uid: string; uid: string; start: number; total: number }

/**
 * Takes the session for one chunk that begins where it stands. Nothing when someone else has it, or it is not as the chunk says. Taken from someone
 * who did not let go, its file is contested from then on: they may only be slow.
 */
export async function holdSession(
  sql: Sql,
  claimed: Claimed,
  holder: string,
  seconds: number,
): Promise<Session | undefined> {
  const { game_uid, uid, start, total } = claimed
  const [session] = await sql<Session[]>`
    update upload_sessions set holder = ${holder}, held_until = now() + ${seconds} * interval '1 second',
      part_contested = part_contested or holder is not null
    where uid = ${uid} and game_uid = ${game_uid} and expires_at > now() and completed_at is null and current_size = ${start}
      and total_size = ${total} and (holder is null or held_until <= now())
    returning *, true as held, false as completed`
  return session
}

/** False when the holder lost the session. */
export async function keepHolding(
  sql: Sql,
  uid: string,
  holder: string,
  seconds: number,
): Promise<boolean> {
  const held = await sql`
    update upload_sessions set held_until = now() + ${seconds} * interval '1 second' where uid = ${uid} and holder = ${holder}`
  return held.count === 1
}

export async function releaseSession(sql: Sql, uid: string, holder: string): Promise<void> {
  await sql`update upload_sessions set holder = null, held_until = null where uid = ${uid} and holder = ${holder}`
}

/** The chunk is on the disk, in this file: from here on it is promised. False when the holder lost the session. */
export async function advanceSession(
  sql: Sql,
  uid: string,
  holder: string,
  current_size: number,
  { part, staged }: Place,
): Promise<boolean> {
  const moved = await sql`
    update upload_sessions set current_size = ${current_size}, part = ${part}, staged = ${staged as never}, part_contested = false, holder = null,
      held_until = null
    where uid = ${uid} and holder = ${holder}`
  return moved.count === 1
}

/** The first of so many numbers that no other part of the upload has, whoever sends it. Nothing when the holder lost the session. */
export async function reserveParts(
  sql: Sql,
  uid: string,
  holder: string,
  count: number,
): Promise<number | undefined> {
  const [row] = await sql<{ first: number }[]>`
    update upload_sessions set next_part = next_part + ${count} where uid = ${uid} and holder = ${holder} returning next_part - ${count} as first`
  return row?.first
}

export async function completeSession(tx: Tx, uid: string, holder: string): Promise<boolean> {
  const done = await tx`
    update upload_sessions set current_size = total_size, completed_at = now(), holder = null, held_until = null
    where uid = ${uid} and holder = ${holder}`
  return done.count === 1
}

export async function deleteSession(sql: Sql, uid: string, holder: string): Promise<void> {
  await sql`delete from upload_sessions where uid = ${uid} and holder = ${holder}`
}

/** What a finished upload became, for whoever did not get the answer. */
export async function readFinished(sql: Sql, file_uid: string): Promise<Finished | undefined> {
  const [file] = await sql<Finished[]>`
    select uid as file_uid, scan as status, 'Received' as message, build_uid as build_id, game_uid as app_id, filename, checksum, channel, os, arch, size
    from files where uid = ${file_uid}`
  return file
}

/** Forgets sessions whose time is over. */
export async function sweepSessions(tx: Tx): Promise<void> {
  await tx`delete from upload_sessions where expires_at < now()`
}

/** Of these files, the ones an open session still adds to. */
export async function stillUploading(sql: Sql, file_uids: string[]): Promise<Set<string>> {
  const rows = await sql`
    select file_uid from upload_sessions where file_uid = any(${file_uids}::uuid[]) and completed_at is null and expires_at > now()`
  return new Set(rows.map((row) => row.file_uid as string))
}
