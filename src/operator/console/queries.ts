import type { PendingQuery, Row } from 'postgres'
import { hasSecondFactor } from '../../accounts/people/queries.ts'
import { isVerified } from '../../accounts/people/role-queries.ts'
import type { Suspension } from '../../accounts/people/suspension.ts'
import { suspensionOf } from '../../accounts/people/suspension-queries.ts'
import { waitingResetOf } from '../../accounts/second-factor/reset-queries.ts'
import type { Sql } from '../../core/database/sql.ts'
import { bouncesOf } from '../../core/mail/mail-log.ts'

export type DayCount = { day: string; count: number }
export type StoreFigures = {
  people: number
  listings: number
  /** Of moderators, in the same days. */
  decisions: number
  sign_ups: DayCount[]
  downloads: DayCount[]
  new_listings: DayCount[]
  sign_ins: DayCount[]
  play_sessions: DayCount[]
}

/** Rows of a table by day; days without any are left out. */
const byDay = (sql: Sql, source: ReturnType<Sql>) => sql`
  (
    select coalesce(json_agg(json_build_object('day', day, 'count', count) order by day), '[]')
    from (
      select to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*)::int as count
      from (${source}) rows
      group by 1
    ) days
  )`

/** Sessions that games reported, as they are counted while they arrive. */
const playSessionsByDay = (sql: Sql, days: number) => sql`
  (
    select coalesce(json_agg(json_build_object('day', day, 'count', count) order by day), '[]')
    from (
      select to_char(day, 'YYYY-MM-DD') as day, sum(events)::int as count
      from event_days
      where event = 'session_start' and day > (now() at time zone 'UTC')::date - ${days}::int
        and day <= (now() at time zone 'UTC')::date
      group by 1
    ) sessions
  )`

export async function readFigures(sql: Sql, days: number): Promise<StoreFigures> {
  const since = sql`
    (date_trunc('day', now() at time zone 'UTC') - ${days - 1} * interval '1 day')
      at time zone 'UTC'`
  const [figures] = await sql<StoreFigures[]>`
    select
      (select count(*)::int from users) as people,
      (select count(*)::int from listings where visibility = 'public') as listings,
      (select count(*)::int from moderation_actions where created_at >= ${since}) as decisions,
      ${byDay(sql, sql`select created_at as at from users where created_at >= ${since}`)}
        as sign_ups,
      ${byDay(
        sql,
        sql`select at from download_attempts where outcome = 'ok' and at >= ${since}`,
      )} as downloads,
      ${byDay(
        sql,
        sql`select published_at as at from listings where published_at >= ${since}`,
      )} as new_listings,
      ${byDay(
        sql,
        sql`select at from security_events where kind = 'sign_in' and at >= ${since}`,
      )} as sign_ins,
      ${playSessionsByDay(sql, days)} as play_sessions`
  return figures!
}

export type PersonRow = {
  uid: string
  username: string
  email: string
  email_verified: boolean
  developer: boolean
  operator: boolean
  moderator: boolean
  suspension: Suspension | null
  created_at: Date
  listings: number
  sessions: number
  mail_bounces: number
  second_factor: boolean
  second_factor_reset: { requested_at: string; due_at: string } | null
}

const personColumns = (sql: Sql) => sql`
  u.uid, u.username, u.email, ${isVerified(sql)} as email_verified,
  u.developer_enabled_at is not null as developer,
  exists (select from operators o where o.user_uid = u.uid) as operator,
  exists (select from moderators m where m.user_uid = u.uid) as moderator,
  ${suspensionOf(sql)} as suspension, u.created_at,
  (select count(*)::int from listings l where l.owner_uid = u.uid) as listings,
  (
    select count(*)::int
    from sessions s
    where s.user_uid = u.uid and s.expires_at > now()
  ) as sessions,
  ${bouncesOf(sql, sql`u.email`)} as mail_bounces,
  ${hasSecondFactor(sql)} as second_factor,
  ${waitingResetOf(sql)} as second_factor_reset`

const literally = (text: string) => text.toLowerCase().replace(/[\\%_]/g, '\\$&')

type PageOfRows = { limit: number; offset: number }

/** How many rows are counted exactly: counting a million takes longer than showing a page. */
const MAX_COUNTED = 10_000

/** The number of rows; of a longer list at least that many, so that its pages go on. */
async function countRows(
  sql: Sql,
  source: PendingQuery<Row[]>,
  rows: readonly unknown[],
  { limit, offset }: PageOfRows,
): Promise<number> {
  const [counted] = await sql<{ total: number }[]>`
    select count(*)::int as total from (select ${source} limit ${MAX_COUNTED}) counted`
  const seen = rows.length ? offset + rows.length + (rows.length === limit ? 1 : 0) : 0
  return counted!.total < MAX_COUNTED ? counted!.total : Math.max(MAX_COUNTED, seen)
}

/** People whose name or address begins with the text; all, the newest first, without one. */
export async function findPeople(
  sql: Sql,
  q: string,
  page: PageOfRows,
): Promise<{ rows: PersonRow[]; total: number }> {
  const start = `${literally(q)}%`
  const matches = q
    ? sql`where lower(u.username) like ${start} or lower(u.email) like ${start}`
    : sql``
  const rows = await sql<PersonRow[]>`
    select ${personColumns(sql)}
    from users u
    join (
      select u.uid
      from users u
      ${matches}
      order by u.created_at desc, u.uid desc
      limit ${page.limit}
      offset ${page.offset}
    ) page on page.uid = u.uid
    order by u.created_at desc, u.uid desc`
  return { rows, total: await countRows(sql, sql`from users u ${matches}`, rows, page) }
}

export async function findPersonByUid(sql: Sql, uid: string): Promise<PersonRow | undefined> {
  const [person] = await sql<PersonRow[]>`
    select ${personColumns(sql)}
    from users u
    where u.uid = ${uid}`
  return person
}

/** The states that listings can be filtered by: their visibility, or what happened to them. */
export const listingStates = [
  'public',
  'invisible',
  'owner',
  'draft',
  'taken_down',
  'hidden',
  'deleted',
] as const
type ListingState = (typeof listingStates)[number]

function isInState(sql: Sql, state: ListingState) {
  if (state === 'deleted') return sql`l.deleted_at is not null`
  if (state === 'taken_down') return sql`l.deleted_at is null and l.taken_down_at is not null`
  if (state === 'hidden') return sql`l.deleted_at is null and l.hidden_at is not null`
  return sql`l.deleted_at is null and l.taken_down_at is null and l.visibility = ${state}`
}

export type ListingRow = {
  uid: string
  name: string
  vanity_name: string
  username: string
  asset_type: string
  visibility: string
  created_at: Date
  published_at: Date | null
  deleted_at: Date | null
  taken_down: boolean
  hidden: boolean
}

/** The one state of a listing that says most about it. */
export function listingState(
  row: Pick<ListingRow, 'visibility' | 'taken_down' | 'hidden'> & { deleted_at: unknown },
): string {
  if (row.deleted_at) return 'deleted'
  if (row.taken_down) return 'taken_down'
  return row.hidden ? 'hidden' : row.visibility
}

type ListingFilter = PageOfRows & {
  q: string
  state: ListingState | undefined
  owner_uid?: string
}

/**
 * Listings whose name, or the name of whose owner, begins with the text. Each part has an index.
 * Of more than this many in a part, any are found.
 */
const namedListings = (sql: Sql, start: string) => sql`
  (select uid from all_listings where lower(name) like ${start} limit ${MAX_COUNTED})
  union
  (select uid from all_listings where lower(vanity_name) like ${start} limit ${MAX_COUNTED})
  union
  (
    select uid
    from all_listings
    where owner_uid in (select uid from users where lower(username) like ${start} limit 1000)
    limit ${MAX_COUNTED}
  )`

/** Listings of any state, the newest first. The text begins their name or the name of an owner. */
export async function findListings(
  sql: Sql,
  { q, state, owner_uid, ...page }: ListingFilter,
): Promise<{ rows: ListingRow[]; total: number }> {
  const source = sql`
    from all_listings l
    where true
    ${q ? sql`and l.uid in (${namedListings(sql, `${literally(q)}%`)})` : sql``}
    ${state ? sql`and ${isInState(sql, state)}` : sql``}
    ${owner_uid ? sql`and l.owner_uid = ${owner_uid}` : sql``}`
  const rows = await sql<ListingRow[]>`
    select
      l.uid, l.name, l.vanity_name, u.username, l.asset_type, l.visibility, l.created_at,
      l.published_at, l.deleted_at, l.taken_down_at is not null as taken_down,
      l.hidden_at is not null as hidden
    from all_listings l
    join (
      select l.uid
      ${source}
      order by l.created_at desc, l.uid desc
      limit ${page.limit}
      offset ${page.offset}
    ) page on page.uid = l.uid
    join users u on u.uid = l.owner_uid
    order by l.created_at desc, l.uid desc`
  return { rows, total: await countRows(sql, source, rows, page) }
}

export type ListingNames = { uid: string; name: string; vanity_name: string; username: string }

/** Also of a deleted listing that can be restored. */
export async function findListingNames(sql: Sql, uid: string): Promise<ListingNames | undefined> {
  const [listing] = await sql<ListingNames[]>`
    select l.uid, l.name, l.vanity_name, u.username
    from all_listings l
    join users u on u.uid = l.owner_uid
    where l.uid = ${uid}`
  return listing
}
