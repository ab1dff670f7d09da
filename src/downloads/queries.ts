import { listingExists } from '../accounts/people/role-queries.ts'
import { objectUid } from '../builds/files/queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { STATISTICS_DAYS } from '../core/runtime/retention.ts'
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

/** Recent downloads of a listing. Totals count successful downloads; outcomes count attempts. */
export async function readDownloads(sql: Sql, game_uid: string): Promise<Downloads> {
  const countBy = (column: string, where = sql`where outcome = 'ok'`) => sql`
    coalesce((
      select json_agg(json_build_object('name', name, 'count', count) order by count desc, name)
      from (
        select ${sql(column)} as name, count(*)::int as count
        from recent ${where}
        group by 1) g), '[]')`
  const [row] = await sql<Downloads[]>`
    with recent as (
      select user_uid, source, access, client, outcome, licence_granted,
        coalesce(country, 'unknown') as known_country,
        to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day
      from download_attempts
      where game_uid = ${game_uid} and at > now() - ${STATISTICS_DAYS} * interval '1 day')
    select (select count(*)::int from recent where outcome = 'ok') as total,
      (select count(distinct user_uid)::int from recent where outcome = 'ok') as unique_users,
      (select count(*)::int from recent where outcome = 'ok' and user_uid is null) as anonymous,
      (select count(*)::int from recent where licence_granted) as licenses_granted,
      ${countBy('source')} as by_source,
      ${countBy('access')} as by_access,
      ${countBy('client')} as by_client,
      ${countBy('outcome', sql``)} as by_outcome,
      ${countBy('known_country')} as by_country,
      ${countBy('day')} as daily`
  return row!
}
