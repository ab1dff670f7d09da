import { listingExists } from '../accounts/people/role-queries.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { retention } from '../core/runtime/retention.ts'
import { currentPrice } from '../listings/editions/queries.ts'
import type { Client, Outcome, Source } from './attempts.ts'

export type Attempt = Client & {
  game_uid: string
  file_uid: string
  build_uid: string
  channel: string
  user_uid: string | null
  source: Source
  access: string
  outcome: Outcome
  licence_granted: boolean
  country: string | null
  referrer_host: string | null
}

export async function recordAttempt(sql: Sql | Tx, attempt: Attempt): Promise<void> {
  await sql`insert into download_attempts ${sql(attempt)}`
}

/** The current price, including editions, and the number of active editions. */
export async function readPrice(
  sql: Sql,
  game_uid: string,
): Promise<{ price_cents: number; editions: number }> {
  const [row] = await sql<{ price_cents: number; editions: number }[]>`
    select ${currentPrice(sql)} as price_cents,
      (select count(*)::int from editions where game_uid = l.uid and active) as editions
    from listings l
    where l.uid = ${game_uid}`
  return row!
}

export type StoredFile = {
  object_uid: string
  game_uid: string
  filename: string
  size: number
  checksum: string
  uploaded_at: Date
}

/** Only files that passed their scan are served, whatever the link. */
export async function readCleanFile(sql: Sql, uid: string): Promise<StoredFile | undefined> {
  const [file] = await sql<StoredFile[]>`
    select ${objectUid(sql)} as object_uid, f.game_uid, f.filename, f.size, f.checksum,
      f.uploaded_at
    from files f
    where f.uid = ${uid} and f.scan = 'clean' and ${listingExists(sql, 'f')}`
  return file
}

/** Which of these files may be served. */
export async function findCleanFiles(sql: Sql, uids: string[]): Promise<Set<string>> {
  const rows = await sql<{ uid: string }[]>`
    select f.uid
    from files f
    where f.uid = any(${uids}::uuid[]) and f.scan = 'clean' and ${listingExists(sql, 'f')}`
  return new Set(rows.map(({ uid }) => uid))
}

type Count = { name: string; count: number }
export type Downloads = {
  total: number
  unique_users: number
  anonymous: number
  licenses_granted: number
  by_source: Count[]
  by_access: Count[]
  by_client: Count[]
  by_outcome: Count[]
  by_country: Count[]
  daily: Count[]
}

const sumOf = (sql: Sql, condition: ReturnType<Sql>) => sql`
  (select coalesce(sum(attempts), 0)::int from alike where ${condition})`

/**
 * Downloads of a listing in the last days. Totals count successful downloads; outcomes count
 * attempts. Attempts that are alike are counted together first, because a year may have millions.
 */
export async function readDownloads(sql: Sql, game_uid: string, days: number): Promise<Downloads> {
  const recent = sql`game_uid = ${game_uid} and at > now() - ${days} * interval '1 day'`
  const countBy = (column: string, where = sql`where outcome = 'ok'`) => sql`
    coalesce((
      select json_agg(json_build_object('name', name, 'count', count) order by count desc, name)
      from (
        select ${sql(column)} as name, sum(attempts)::int as count
        from alike ${where}
        group by 1) g), '[]')`
  const [row] = await sql<Downloads[]>`
    with alike as (
      select user_uid is null as anonymous, source, access, client, outcome, licence_granted,
        coalesce(country, 'unknown') as known_country,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as attempts
      from download_attempts
      where ${recent}
      group by 1, 2, 3, 4, 5, 6, 7, 8)
    select ${sumOf(sql, sql`outcome = 'ok'`)} as total, (
        select count(distinct user_uid)::int
        from download_attempts
        where ${recent} and outcome = 'ok') as unique_users,
      ${sumOf(sql, sql`outcome = 'ok' and anonymous`)} as anonymous,
      ${sumOf(sql, sql`licence_granted`)} as licenses_granted,
      ${countBy('source')} as by_source,
      ${countBy('access')} as by_access,
      ${countBy('client')} as by_client,
      ${countBy('outcome', sql``)} as by_outcome,
      ${countBy('known_country')} as by_country,
      ${countBy('day')} as daily`
  return row!
}

const SWEEP_ROWS = 10_000

/** Deletes some of the oldest attempts; false once none is left to delete. */
export async function sweepAttempts(sql: Sql): Promise<boolean> {
  const { count } = await sql`
    delete from download_attempts
    where seq in (
      select seq
      from download_attempts
      where at < now() - ${retention.download_attempt_days} * interval '1 day'
      limit ${SWEEP_ROWS})`
  return count === SWEEP_ROWS
}
