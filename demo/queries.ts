import type { Sql } from '../src/core/database/sql.ts'

/** The only changes that bypass the API: those that need the passage of time or a mail. */

export async function verifyEveryone(sql: Sql): Promise<void> {
  await sql`update users set email_verified_at = now() where email_verified_at is null`
}

export async function recordPlayTime(
  sql: Sql,
  game_uid: string,
  user_uid: string,
  seconds: number,
): Promise<void> {
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${user_uid}, ${game_uid}, ${seconds}, now())
    on conflict (user_uid, game_uid) do update set seconds = excluded.seconds`
}

export async function backdateListing(sql: Sql, game_uid: string, days: number): Promise<void> {
  const at = new Date(Date.now() - days * 86_400_000)
  await sql`
    update listings
    set published_at = ${at}, public_since = ${at}, created_at = ${at}
    where uid = ${game_uid}`
}

/** Spreads crash and bug reports over the past weeks, and updates their groups. */
export async function spreadReports(sql: Sql): Promise<void> {
  await sql`update crashes set created_at = now() - (power(random(), 1.5) * interval '20 days')`
  await sql`
    update crash_groups g
    set first_seen = seen.first, last_seen = seen.last
    from (
      select group_uid, min(created_at) as first, max(created_at) as last
      from crashes
      group by group_uid
    ) seen
    where seen.group_uid = g.uid`
  await sql`update bugs set created_at = created_at - (random() * interval '12 days')`
}

/** Spreads builds, reviews, downloads and tickets over the past weeks in their order. */
export async function spreadActivity(sql: Sql): Promise<void> {
  await sql`
    update download_attempts set at = now() - (power(random(), 1.6) * interval '29 days')`
  await sql`
    update builds b
    set created_at = now() - (rank * interval '9 days') - interval '3 hours'
    from (
      select
        uid,
        dense_rank() over (
          partition by game_uid order by created_at::date desc, version desc
        ) as rank
      from builds
    ) ranked
    where b.uid = ranked.uid`
  await sql`
    update channel_history h
    set at = b.created_at + interval '6 minutes'
    from builds b
    where b.uid = h.build_uid and h.event = 'upload'`
  await sql`
    update files f
    set uploaded_at = b.created_at + interval '4 minutes'
    from builds b
    where b.uid = f.build_uid`
  // Nobody reviews a game before its first release.
  await sql`
    update reviews r
    set created_at = at, updated_at = at
    from (
      select v.uid, now() - random() * least(now() - first.at, interval '60 days') as at
      from reviews v
      join (
        select game_uid, min(created_at) + interval '1 hour' as at
        from builds
        group by game_uid
      ) first on first.game_uid = v.game_uid
    ) spread
    where r.uid = spread.uid`
}

export async function countPendingScans(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`
    select count(*)::int from files where scan = 'scanning'`
  return row!.count
}

/** Builds whose health must be computed again. */
export async function countPendingHealth(sql: Sql): Promise<number> {
  const [row] = await sql<{ count: number }[]>`select count(*)::int from health_news`
  return row!.count
}
