import { avatarOf } from '../accounts/people/queries.ts'
import { isVerified } from '../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../core/database/sql.ts'
import { transact } from '../core/database/transaction.ts'
import { currentPrice } from '../listings/editions/queries.ts'
import { isListing } from '../listings/listing/queries.ts'
import type { Review, ReviewVotes } from './reviews.ts'

/** Whether a review `r` of a listing `l` counts: one of a free copy does while `l` is free. */
export const reviewCounts = (sql: Sql | Tx) => sql`(not r.free_copy or ${currentPrice(sql)} = 0)`

/** The average review of a listing `l` in percent, 0 without reviews that count. */
export const ratingPercent = (sql: Sql | Tx) => sql`
  coalesce((
    select round(avg(r.quality) * 20)::int
    from reviews r
    where r.game_uid = l.uid and ${reviewCounts(sql)}
  ), 0)`

export type ReviewRow = Review & {
  uid: string
  username: string
  /** Whether the person has a public profile that the review can link to. */
  has_profile: boolean
  /** The hash of their avatar, if they have a public profile with one. */
  avatar: string | null
  play_seconds: number
  reply_text: string | null
  replied_at: Date | null
  created_at: Date
  updated_at: Date
}

/** Whether the author `u` of a review has a public profile. */
const hasProfile = (sql: Sql | Tx) => sql`
  (${isVerified(sql)} and coalesce((
    select f.is_public from profiles f where f.user_uid = u.uid), false))`

/** The columns of a ReviewRow, from `reviews r join users u`. */
const columns = (sql: Sql | Tx) => sql`
  r.uid, u.username,
  ${hasProfile(sql)} as has_profile,
  case when ${hasProfile(sql)} then ${avatarOf(sql)} end as avatar,
  r.enjoyed, r.quality, r.would_play_with_friends, r.text,
  r.reply_text, r.replied_at, r.created_at, r.updated_at,
  coalesce((
    select p.seconds from play_time p
    where p.user_uid = r.user_uid and p.game_uid = r.game_uid), 0) as play_seconds`

/** The stored columns that `columns` reads, for statements that return a changed review. */
const storedColumns = (tx: Tx) => tx`
  uid, user_uid, game_uid, enjoyed, quality, would_play_with_friends, text,
  reply_text, replied_at, created_at, updated_at`

/**
 * Inserts or replaces a player's only review of a game. The developer's reply stays. Undefined
 * without a copy. The caller checks that moderators did not remove the review.
 */
export async function saveReview(
  tx: Tx,
  { uid, user_uid, game_uid }: { uid: string; user_uid: string; game_uid: string },
  { enjoyed, quality, would_play_with_friends, text }: Review,
): Promise<ReviewRow | undefined> {
  const [row] = await tx<ReviewRow[]>`
    with r as (
      insert into reviews (
        uid, user_uid, game_uid, free_copy,
        enjoyed, quality, would_play_with_friends, text)
      select ${uid}, o.user_uid, o.game_uid, o.source = 'free',
        ${enjoyed}, ${quality}, ${would_play_with_friends}, ${text}
      from licences o
      where o.user_uid = ${user_uid} and o.game_uid = ${game_uid}
      on conflict (game_uid, user_uid) do update
      set free_copy = excluded.free_copy, enjoyed = excluded.enjoyed, quality = excluded.quality,
        would_play_with_friends = excluded.would_play_with_friends, text = excluded.text,
        updated_at = now()
      returning ${storedColumns(tx)})
    select ${columns(tx)}
    from r
    join users u on u.uid = r.user_uid`
  return row
}

/** Whether moderators removed the review that a player wrote of a game. */
export async function isReviewRemoved(
  tx: Tx,
  { user_uid, game_uid }: { user_uid: string; game_uid: string },
): Promise<boolean> {
  const [row] = await tx`
    select
    from all_reviews
    where user_uid = ${user_uid} and game_uid = ${game_uid} and removed_at is not null`
  return row !== undefined
}

/** A player's review of a listing, whether or not it counts. */
export async function readOwnReview(
  sql: Sql,
  user_uid: string,
  game_uid: string,
): Promise<Review | undefined> {
  const [row] = await sql<Review[]>`
    select enjoyed, quality, would_play_with_friends, text
    from reviews
    where user_uid = ${user_uid} and game_uid = ${game_uid}`
  return row
}

/**
 * Looks only at the reviews of this player, so the answer reveals nothing about listings, and works
 * whatever the visibility of the page.
 */
export async function deleteReview(
  sql: Sql,
  user_uid: string,
  uid_or_name: string,
): Promise<boolean> {
  return transact(sql, async (tx) => {
    const [listing] = await tx`
      select l.uid
      from reviews r
      join listings l on l.uid = r.game_uid
      where r.user_uid = ${user_uid} and ${isListing(tx, uid_or_name)}
      for no key update of l`
    if (!listing) return false
    const { count } = await tx`
      delete from reviews
      where user_uid = ${user_uid} and game_uid = ${listing.uid}`
    return count === 1
  })
}

/** Undefined when the listing has no such review. */
export async function saveReply(
  tx: Tx,
  { game_uid, review_uid }: { game_uid: string; review_uid: string },
  text: string,
): Promise<ReviewRow | undefined> {
  const [row] = await tx<ReviewRow[]>`
    with r as (
      update reviews
      set reply_text = nullif(${text}, ''),
        replied_at = case when ${text} = '' then null else now() end
      where uid = ${review_uid} and game_uid = ${game_uid}
      returning ${storedColumns(tx)})
    select ${columns(tx)}
    from r
    join users u on u.uid = r.user_uid`
  return row
}

type ReviewPage = { limit: number; offset: number; unreplied?: boolean }

/**
 * The reviews that count, newest first, and all of them as votes for the summary. A review on a
 * free copy counts while the game is free. With `unreplied`, only those without a reply are listed.
 */
export async function readReviews(
  sql: Sql,
  game_uid: string,
  { limit, offset, unreplied = false }: ReviewPage,
): Promise<{ items: ReviewRow[]; votes: ReviewVotes[]; unreplied: number }> {
  const counts = sql`
    r.game_uid = ${game_uid} and (
      not r.free_copy
      or (select ${currentPrice(sql)} = 0 from listings l where l.uid = ${game_uid}))`
  const [items, votes, [waiting]] = await Promise.all([
    sql<ReviewRow[]>`
      select ${columns(sql)}
      from reviews r
      join users u on u.uid = r.user_uid
      where ${counts} and (${!unreplied} or r.reply_text is null)
      order by r.created_at desc, r.uid desc
      limit ${limit} offset ${offset}`,
    sql<ReviewVotes[]>`
      select r.enjoyed, r.quality, r.would_play_with_friends, count(*)::int as count
      from reviews r
      where ${counts}
      group by r.enjoyed, r.quality, r.would_play_with_friends`,
    unreplied
      ? sql<{ count: number }[]>`
          select count(*)::int as count
          from reviews r
          where ${counts} and r.reply_text is null`
      : [],
  ])
  return { items, votes, unreplied: waiting?.count ?? 0 }
}
