import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import type { Review, ReviewVotes } from './library-rules.ts'
import { named, price } from './queries.ts'

export type ReviewRow = Review & {
  uid: string
  username: string
  play_seconds: number
  reply_text: string | null
  replied_at: Date | null
  created_at: Date
  updated_at: Date
}

const columns = (sql: Sql | Tx) => sql`
  r.uid, u.username, r.enjoyed, r.quality, r.would_play_with_friends, r.text, r.reply_text, r.replied_at, r.created_at, r.updated_at,
  coalesce((select p.seconds from play_time p where p.user_uid = r.user_uid and p.game_uid = r.game_uid), 0) as play_seconds`

/** A player's one review of a game, new or written over; the developer's reply stays. Nothing without a copy. */
export async function saveReview(
  tx: Tx,
  user_uid: string,
  game_uid: string,
  uid: string,
  review: Review,
): Promise<ReviewRow | undefined> {
  const { enjoyed, quality, would_play_with_friends: friends, text } = review
  const [row] = await tx<ReviewRow[]>`
    with r as (
      insert into reviews (uid, user_uid, game_uid, free_copy, enjoyed, quality, would_play_with_friends, text)
      select ${uid}, o.user_uid, o.game_uid, o.source = 'free', ${enjoyed}, ${quality}, ${friends}, ${text}
      from licences o where o.user_uid = ${user_uid} and o.game_uid = ${game_uid}
      on conflict (game_uid, user_uid) do update set free_copy = excluded.free_copy, enjoyed = excluded.enjoyed, quality = excluded.quality,
        would_play_with_friends = excluded.would_play_with_friends, text = excluded.text, updated_at = now()
      returning *)
    select ${columns(tx)} from r join users u on u.uid = r.user_uid`
  return row
}

/** Looks only at the writer's own reviews, so it tells nothing of pages, and works whatever became of this one. */
export async function deleteReview(
  sql: Sql,
  user_uid: string,
  uid_or_name: string,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const [page] = await tx`
      select l.uid from reviews r join listings l on l.uid = r.game_uid
      where r.user_uid = ${user_uid} and ${named(tx, uid_or_name)} for no key update of l`
    if (!page) return false
    const gone =
      await tx`delete from reviews where user_uid = ${user_uid} and game_uid = ${page.uid}`
    return gone.count === 1
  })
}

/** Nothing when the page has no such review. */
export async function saveReply(
  tx: Tx,
  game_uid: string,
  review_uid: string,
  text: string,
): Promise<ReviewRow | undefined> {
  const [row] = await tx<ReviewRow[]>`
    with r as (
      update reviews set reply_text = nullif(${text}, ''), replied_at = case when ${text} = '' then null else now() end
      where uid = ${review_uid} and game_uid = ${game_uid} returning *)
    select ${columns(tx)} from r join users u on u.uid = r.user_uid`
  return row
}

/** The reviews that count: newest first, and all of them as votes for the summary. Those on free copies count while the game is free. */
export async function readReviews(
  sql: Sql,
  game_uid: string,
  { limit, offset }: { limit: number; offset: number },
  unreplied = false,
): Promise<{ items: ReviewRow[]; votes: ReviewVotes[]; unreplied: number }> {
  const counts = sql`r.game_uid = ${game_uid} and (not r.free_copy or (select ${price(sql)} = 0 from listings l where l.uid = ${game_uid}))`
  const [items, votes, [open]] = await Promise.all([
    sql<ReviewRow[]>`
      select ${columns(sql)} from reviews r join users u on u.uid = r.user_uid
      where ${counts} and (${!unreplied} or r.reply_text is null) order by r.created_at desc, r.uid desc limit ${limit} offset ${offset}`,
    sql<ReviewVotes[]>`
      select r.enjoyed, r.quality, r.would_play_with_friends, count(*)::int as count from reviews r where ${counts}
      group by r.enjoyed, r.quality, r.would_play_with_friends`,
    unreplied
      ? sql`select count(*)::int as count from reviews r where ${counts} and r.reply_text is null`
      : [],
  ])
  return { items, votes, unreplied: open?.count ?? 0 }
}
