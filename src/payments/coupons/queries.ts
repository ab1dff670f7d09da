import type { Sql, Tx } from '../../core/database/sql.ts'
import type { CouponReduction, CouponState } from './coupon-rules.ts'

export type CouponForOrder = CouponReduction &
  Omit<CouponState, 'uses' | 'own_uses'> & { uid: string }

const orderColumns = (sql: Sql | Tx) => sql`
  c.uid, c.percent, c.amount_cents, c.max_uses, c.max_per_person, c.starts_at, c.ends_at`

/**
 * The coupon with this code for a listing. Of several with the same code, that of the listing
 * itself. A listing that was given to another owner has only coupons of that owner.
 */
export async function findCoupon(
  sql: Sql | Tx,
  code: string,
  game_uid: string,
): Promise<CouponForOrder | undefined> {
  const [coupon] = await sql<CouponForOrder[]>`
    select ${orderColumns(sql)}
    from coupons c
    join listings l on l.uid = ${game_uid}
    join listings home on home.uid = c.game_uid and home.owner_uid = l.owner_uid
    where c.code = ${code} and ${game_uid} = any(c.game_uids)
    order by c.game_uid = ${game_uid} desc, c.uid
    limit 1`
  return coupon
}

export async function readCoupon(sql: Sql, uid: string): Promise<CouponForOrder | undefined> {
  const [coupon] = await sql<CouponForOrder[]>`
    select ${orderColumns(sql)}
    from coupons c
    where c.uid = ${uid}`
  return coupon
}

export async function lockCoupon(tx: Tx, uid: string): Promise<CouponForOrder | undefined> {
  const [coupon] = await tx<CouponForOrder[]>`
    select ${orderColumns(tx)}
    from coupons c
    where c.uid = ${uid}
    for update`
  return coupon
}

/** How often a coupon was used, by everybody and by this person. */
export async function countUses(
  sql: Sql | Tx,
  coupon_uid: string,
  user_uid: string,
  /** Without uses of the person's own open orders, which another order can end. */
  { without_open = false } = {},
): Promise<{ uses: number; own_uses: number }> {
  const counted = without_open
    ? sql`
      and not exists (
        select from orders o
        where o.uid = u.order_uid and o.buyer_uid = ${user_uid} and o.state = 'open')`
    : sql``
  const [counts] = await sql<{ uses: number; own_uses: number }[]>`
    select count(*)::int as uses,
      count(*) filter (where u.user_uid = ${user_uid})::int as own_uses
    from coupon_uses u
    where u.coupon_uid = ${coupon_uid} ${counted}`
  return counts!
}

/** False if the order has one. */
export async function insertUse(
  tx: Tx,
  use: { order_uid: string; coupon_uid: string; user_uid: string },
): Promise<boolean> {
  const { count } = await tx`
    insert into coupon_uses ${tx(use)}
    on conflict (order_uid) do nothing`
  return count === 1
}

/** Gives the use back when an order was never paid. */
export async function releaseCouponUse(sql: Sql | Tx, order_uid: string): Promise<void> {
  await sql`delete from coupon_uses where order_uid = ${order_uid}`
}

/** Counts the use again when an order that had expired was paid at the last moment. */
export async function restoreCouponUse(tx: Tx, order_uid: string): Promise<void> {
  await tx`
    insert into coupon_uses (order_uid, coupon_uid, user_uid)
    select o.uid, c.uid, o.buyer_uid
    from orders o
    join coupons c on c.uid = o.coupon_uid
    where o.uid = ${order_uid} and o.buyer_uid is not null
    on conflict (order_uid) do nothing`
}

export type CouponRow = CouponReduction & {
  uid: string
  code: string
  game_uids: string[]
  max_uses: number | null
  max_per_person: number
  starts_at: Date
  ends_at: Date | null
  created_at: Date
  uses: number
}

/** The coupons that are managed in a project, the newest first, with how often they were used. */
export async function readCoupons(sql: Sql | Tx, game_uid: string): Promise<CouponRow[]> {
  return sql<CouponRow[]>`
    select c.uid, c.code, c.game_uids, c.percent, c.amount_cents, c.max_uses, c.max_per_person,
      c.starts_at, c.ends_at, c.created_at,
      (select count(*)::int from coupon_uses u where u.coupon_uid = c.uid) as uses
    from coupons c
    where c.game_uid = ${game_uid}
    order by c.uid desc`
}

export type NewCoupon = Omit<CouponRow, 'created_at' | 'uses'> & { game_uid: string }

export async function insertCoupon(tx: Tx, coupon: NewCoupon): Promise<void> {
  await tx`insert into coupons ${tx(coupon)}`
}

/** Ends a coupon; false if there is none, or it has ended. */
export async function endCoupon(tx: Tx, game_uid: string, uid: string): Promise<boolean> {
  const { count } = await tx`
    update coupons
    set ends_at = now()
    where uid = ${uid} and game_uid = ${game_uid} and (ends_at is null or ends_at > now())`
  return count === 1
}
