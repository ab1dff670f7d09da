import { isVerified } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { OrderState } from '../orders/states.ts'
import { type GiftDecision, giftDecisions, giftTransitions } from './states.ts'

export type GiftRow = {
  uid: string
  order_uid: string
  order_state: OrderState
  state: GiftDecision
  game_uid: string | null
  title: string
  edition_name: string
  /** Whether the listing has adult content; false once it is deleted. */
  adult: boolean
  /** False once the listing is deleted: nobody can accept it then. */
  available: boolean
  /** The username of the buyer; null once that account is deleted. */
  giver: string | null
  to_uid: string | null
  to_email: string | null
  /** As the buyer wrote it: a username or mail address; empty once the account is deleted. */
  receiver: string
  accepted_by: string | null
  created_at: Date
}

const columns = (sql: Sql | Tx) => sql`
  g.uid, g.order_uid, o.state as order_state, g.state, o.game_uid, o.title, o.edition_name,
  coalesce((select l.adult from all_listings l where l.uid = o.game_uid), false) as adult,
  exists (select from listings l where l.uid = o.game_uid) as available,
  (select u.username from users u where u.uid = g.given_by) as giver, g.to_uid, g.to_email,
  coalesce(g.to_email, (select u.username from users u where u.uid = g.to_uid), '') as receiver,
  g.accepted_by, g.created_at`

type NewGift = Pick<GiftRow, 'uid' | 'order_uid' | 'to_uid' | 'to_email'> & { given_by: string }

export async function insertGift(tx: Tx, gift: NewGift): Promise<void> {
  await tx`insert into order_gifts ${tx(gift)}`
}

export async function findGift(sql: Sql | Tx, uid: string): Promise<GiftRow | undefined> {
  const [row] = await sql<GiftRow[]>`
    select ${columns(sql)}
    from order_gifts g
    join orders o on o.uid = g.order_uid
    where g.uid = ${uid}`
  return row
}

export async function readGifts(sql: Sql | Tx, order_uids: string[]): Promise<GiftRow[]> {
  return sql<GiftRow[]>`
    select ${columns(sql)}
    from order_gifts g
    join orders o on o.uid = g.order_uid
    where g.order_uid = any(${order_uids}::uuid[])`
}

/** Gifts `g` for a person: by their account, or by the address that they verified. */
const isFor = (sql: Sql | Tx, user_uid: string) => sql`
  (g.to_uid = ${user_uid}
    or lower(g.to_email) = (
      select lower(u.email) from users u where u.uid = ${user_uid} and ${isVerified(sql)}))`

/** A gift, if it is for this person. */
export async function findGiftFor(
  sql: Sql | Tx,
  uid: string,
  user_uid: string,
): Promise<GiftRow | undefined> {
  const [row] = await sql<GiftRow[]>`
    select ${columns(sql)}
    from order_gifts g
    join orders o on o.uid = g.order_uid
    where g.uid = ${uid} and ${isFor(sql, user_uid)}`
  return row
}

/** The paid gifts that wait for a person, newest first. */
export async function listWaitingGifts(
  sql: Sql | Tx,
  user_uid: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: GiftRow[]; total: number }> {
  const waiting = sql`
    from order_gifts g
    join orders o on o.uid = g.order_uid
    where g.state = 'waiting' and o.state = 'paid' and ${isFor(sql, user_uid)}`
  const [rows, [count]] = await Promise.all([
    sql<GiftRow[]>`
      select ${columns(sql)}
      ${waiting}
      order by g.created_at desc, g.uid
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total ${waiting}`,
  ])
  return { rows, total: count!.total }
}

/** Decides about a gift, unless that was done before: then false. */
export async function decideGift(
  tx: Tx,
  uid: string,
  to: GiftDecision,
  accepted_by: string | null,
): Promise<boolean> {
  const from = giftDecisions.filter((state) => giftTransitions[state].includes(to))
  const { count } = await tx`
    update order_gifts
    set state = ${to}, accepted_by = ${accepted_by}, decided_at = now()
    where uid = ${uid} and state = any(${from}::text[])`
  return count === 1
}

/** Whether the same buyer paid for the same gift before, and nobody declined that. */
export async function hasOtherGift(tx: Tx, order_uid: string): Promise<boolean> {
  const [row] = await tx`
    select from orders o
    join orders other on other.buyer_uid = o.buyer_uid and other.game_uid = o.game_uid
      and other.edition_uid is not distinct from o.edition_uid and other.gift_for = o.gift_for
    join order_gifts g on g.order_uid = other.uid
    where o.uid = ${order_uid} and other.uid <> o.uid and other.state = 'paid'
      and g.state <> 'declined'`
  return row !== undefined
}

type GivenBefore = {
  buyer_uid: string
  game_uid: string
  edition_uid: string | null
  gift_for: string
}

/** Whether a buyer paid for the same gift before, and nobody declined that. */
export async function wasGiven(sql: Sql | Tx, gift: GivenBefore): Promise<boolean> {
  const [row] = await sql`
    select from orders o
    join order_gifts g on g.order_uid = o.uid
    where o.buyer_uid = ${gift.buyer_uid} and o.game_uid = ${gift.game_uid}
      and o.edition_uid is not distinct from ${gift.edition_uid}
      and o.gift_for = ${gift.gift_for} and o.state = 'paid' and g.state <> 'declined'`
  return row !== undefined
}

export type GiftRecipient = { email: string; language: string | null; shows_adult: boolean }

/** Whom the mail about a gift goes to: the account, or the address that the buyer typed. */
export async function findGiftRecipient(
  sql: Sql | Tx,
  { to_uid, to_email }: Pick<GiftRow, 'to_uid' | 'to_email'>,
): Promise<GiftRecipient | undefined> {
  const [row] = await sql<GiftRecipient[]>`
    select u.email, u.language, u.show_adult as shows_adult
    from users u
    where u.uid = ${to_uid} or lower(u.email) = lower(${to_email}) and ${isVerified(sql)}`
  if (row) return row
  return to_email ? { email: to_email, language: null, shows_adult: false } : undefined
}

/** The mail address of a person. */
export async function readOwnAddress(sql: Sql | Tx, user_uid: string): Promise<string> {
  const [row] = await sql<{ email: string }[]>`select email from users where uid = ${user_uid}`
  return row?.email ?? ''
}
