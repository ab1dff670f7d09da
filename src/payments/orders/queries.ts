import type { Sql, Tx } from '../../core/database/sql.ts'
import type { BoughtCopy } from '../../library/copy-queries.ts'
import type { ProviderName } from '../provider/names.ts'
import type { Discovery } from './discovery.ts'
import { type OrderProblem, problemSentence, shortProblem } from './problems.ts'
import { type OrderState, orderStates, transitions } from './states.ts'

/** Who sold it, as the receipt names them. */
export type SellerDetails = {
  username: string
  legal_name: string
  address: string
  tax_id: string
  tax_basis_points: number
}

export type OrderRow = {
  uid: string
  buyer_uid: string | null
  seller_uid: string | null
  game_uid: string | null
  edition_uid: string | null
  state: OrderState
  provider: ProviderName
  account_ref: string
  checkout_ref: string | null
  checkout_url: string | null
  payment_ref: string | null
  title: string
  edition_name: string
  seller: SellerDetails
  currency: string
  list_minor: number
  amount_minor: number
  tax_minor: number
  fee_minor: number
  refunded_minor: number
  problem: string
  /** Names the receiver of a gift, for comparison only; null if it is no gift. */
  gift_for: string | null
  created_at: Date
  expires_at: Date
  paid_at: Date | null
  ended_at: Date | null
  checked_at: Date | null
}

const columns = (sql: Sql | Tx) => sql`
  uid, buyer_uid, seller_uid, game_uid, edition_uid, state, provider, account_ref, checkout_ref,
  checkout_url, payment_ref, title, edition_name, seller, currency, list_minor, amount_minor,
  tax_minor, fee_minor, refunded_minor, problem, gift_for, created_at, expires_at, paid_at,
  ended_at, checked_at`

export type Sellable = {
  name: string
  owner_uid: string
  username: string
  account_ref: string | null
  charges_enabled: boolean
  legal_name: string
  address: string
  tax_id: string
  tax_basis_points: number
}

/** A listing with its seller, as an order needs them. */
export async function readSellable(sql: Sql | Tx, game_uid: string): Promise<Sellable | undefined> {
  const [row] = await sql<Sellable[]>`
    select l.name, l.owner_uid, u.username, a.account_ref,
      coalesce(a.charges_enabled, false) as charges_enabled,
      coalesce(a.legal_name, '') as legal_name, coalesce(a.address, '') as address,
      coalesce(a.tax_id, '') as tax_id, coalesce(a.tax_basis_points, 0) as tax_basis_points
    from listings l
    join users u on u.uid = l.owner_uid
    left join payment_accounts a on a.user_uid = l.owner_uid
    where l.uid = ${game_uid}`
  return row
}

export type NewOrder = Omit<
  OrderRow,
  | 'state'
  | 'checkout_ref'
  | 'checkout_url'
  | 'payment_ref'
  | 'refunded_minor'
  | 'problem'
  | 'created_at'
  | 'paid_at'
  | 'ended_at'
  | 'checked_at'
> & { sale_uid: string | null; coupon_uid: string | null; discovery: Discovery }

/** False if the buyer has an open order of the same, or the key was used. */
export async function insertOrder(tx: Tx, { seller, ...order }: NewOrder): Promise<boolean> {
  const { count } = await tx`
    insert into orders ${tx({ ...order, seller: tx.json(seller) as never })}
    on conflict do nothing`
  return count === 1
}

export async function findOrder(sql: Sql | Tx, uid: string): Promise<OrderRow | undefined> {
  const [row] = await sql<OrderRow[]>`select ${columns(sql)} from orders where uid = ${uid}`
  return row
}

/** Orders, newest first. */
export async function readOrders(sql: Sql | Tx, uids: string[]): Promise<OrderRow[]> {
  return sql<OrderRow[]>`
    select ${columns(sql)}
    from orders
    where uid = any(${uids}::uuid[])
    order by created_at desc, uid`
}

export type OpenOrder = Pick<OrderRow, 'edition_uid' | 'gift_for'> & {
  buyer_uid: string
  game_uid: string
}

export async function findOpenOrder(
  sql: Sql | Tx,
  { buyer_uid, game_uid, edition_uid, gift_for }: OpenOrder,
): Promise<OrderRow | undefined> {
  const [row] = await sql<OrderRow[]>`
    select ${columns(sql)}
    from orders
    where state = 'open' and buyer_uid = ${buyer_uid} and game_uid = ${game_uid}
      and edition_uid is not distinct from ${edition_uid}
      and gift_for is not distinct from ${gift_for}`
  return row
}

/** Orders of a person that wait at a checkout and use a coupon, oldest first, but not of an item. */
export async function findOpenCouponOrders(
  sql: Sql | Tx,
  coupon_uid: string,
  { buyer_uid, game_uid, edition_uid, gift_for }: OpenOrder,
): Promise<OrderRow[]> {
  return sql<OrderRow[]>`
    select ${columns(sql)}
    from orders
    where buyer_uid = ${buyer_uid} and coupon_uid = ${coupon_uid} and state = 'open'
      and provider <> 'manual'
      and (
        game_uid is distinct from ${game_uid} or edition_uid is distinct from ${edition_uid}
        or gift_for is distinct from ${gift_for}
      )
    order by created_at, uid`
}

export async function findOrderByPayment(
  sql: Sql | Tx,
  payment_ref: string,
): Promise<{ uid: string } | undefined> {
  const [row] = await sql<{ uid: string }[]>`
    select uid from orders where payment_ref = ${payment_ref}`
  return row
}

export async function lockOrder(tx: Tx, uid: string): Promise<OrderRow | undefined> {
  const [row] = await tx<OrderRow[]>`
    select ${columns(tx)}
    from orders
    where uid = ${uid}
    for update`
  return row
}

/** Keeps the first checkout, if two requests made one: the provider gave both the same. */
export async function setCheckout(
  sql: Sql | Tx,
  uid: string,
  { checkout_ref, checkout_url }: { checkout_ref: string; checkout_url: string },
): Promise<void> {
  await sql`
    update orders
    set checkout_ref = ${checkout_ref}, checkout_url = ${checkout_url}
    where uid = ${uid} and checkout_ref is null`
}

/** Changes the state if the present one leads to it; false if it does not. */
export async function changeState(tx: Tx, uid: string, to: OrderState): Promise<boolean> {
  const from = orderStates.filter((state) => transitions[state].includes(to))
  const { count } = await tx`
    update orders
    set state = ${to},
      paid_at = case when ${to} = 'paid' then coalesce(paid_at, now()) else paid_at end,
      ended_at = case when ${to} = 'paid' then null else now() end
    where uid = ${uid} and state = any(${from}::text[])`
  return count === 1
}

export async function setPayment(
  tx: Tx,
  uid: string,
  { ref, country }: { ref: string; country: string | null },
): Promise<void> {
  await tx`update orders set payment_ref = ${ref}, country = ${country} where uid = ${uid}`
}

export async function setRefunded(tx: Tx, uid: string, refunded_minor: number): Promise<void> {
  await tx`
    update orders
    set refunded_minor = ${refunded_minor}
    where uid = ${uid} and refunded_minor <> ${refunded_minor}`
}

export async function setProblem(sql: Sql | Tx, uid: string, problem: OrderProblem): Promise<void> {
  const details = shortProblem(problem)
  const sentence = problemSentence(details)
  await sql`
    update orders
    set problem = ${sentence}, problem_details = ${sql.json(details)}
    where uid = ${uid}
      and (problem <> ${sentence} or problem_details is distinct from ${sql.json(details)})`
}

/** Whether a refund of the order `o` was refused or failed, and none was sent since. */
const hasFailedRefund = (tx: Tx) => tx`
  exists (
    select from order_refunds failed
    where failed.order_uid = o.uid and failed.state = 'failed'
      and not exists (
        select from order_refunds later
        where later.order_uid = o.uid and later.state = 'done'
          and later.created_at > failed.created_at))`

/** The same for refunds that somebody made at the provider itself. */
const isLastRefundFailed = (tx: Tx) => tx`
  coalesce((
    select t.fact like 'refund_failed:%'
    from ledger_transactions t
    where t.order_uid = o.uid and t.kind = 'refund'
    order by t.uid desc
    limit 1), false)`

/**
 * The record of the provider was read and applied, which solves all problems but a refund that
 * failed: that is solved by another refund.
 */
export async function clearProblem(tx: Tx, uid: string): Promise<void> {
  await tx`
    update orders o
    set problem = '', problem_details = null
    where o.uid = ${uid} and o.problem <> ''
      and not (o.state = 'paid' and (${hasFailedRefund(tx)} or ${isLastRefundFailed(tx)}))`
}

export async function markChecked(sql: Sql | Tx, uid: string): Promise<void> {
  await sql`update orders set checked_at = now() where uid = ${uid}`
}

/** Locks the listings of an order as edits do, and returns how many of them still exist. */
export async function lockListings(tx: Tx, game_uids: string[]): Promise<number> {
  const { count } = await tx`
    select uid from listings
    where uid = any(${game_uids}::uuid[])
    order by uid
    for no key update`
  return count
}

/** A copy that an order gave; `user_uid` is null if its buyer has it. */
export type OrderCopy = BoughtCopy & { user_uid: string | null; granted_at: Date }

export async function insertOrderCopies(
  tx: Tx,
  order_uid: string,
  { copies, user_uid }: { copies: BoughtCopy[]; user_uid: string | null },
): Promise<void> {
  for (const { game_uid, previous } of copies)
    await tx`
      insert into order_copies (order_uid, game_uid, previous, user_uid)
      values (${order_uid}, ${game_uid}, ${previous ? tx.json(previous) : null}, ${user_uid})
      on conflict do nothing`
}

/** Removes the record of the copies of an order and returns it. */
export async function takeOrderCopies(tx: Tx, order_uid: string): Promise<OrderCopy[]> {
  return tx<OrderCopy[]>`
    delete from order_copies
    where order_uid = ${order_uid}
    returning game_uid, previous, user_uid, granted_at`
}

/**
 * If a later order gave the person a copy of the same listing, such as a larger edition, that one
 * now replaced what this one replaced. False if there is none, and the copy has to go.
 */
export async function passCopyOn(
  tx: Tx,
  user_uid: string,
  { game_uid, previous, granted_at }: OrderCopy,
): Promise<boolean> {
  const { count } = await tx`
    update order_copies
    set previous = ${previous ? tx.json(previous) : null}
    where (order_uid, game_uid) in (
      select c.order_uid, c.game_uid
      from order_copies c
      join orders o on o.uid = c.order_uid
      where coalesce(c.user_uid, o.buyer_uid) = ${user_uid} and c.game_uid = ${game_uid}
        and c.granted_at > ${granted_at}
      order by c.granted_at
      limit 1)`
  return count > 0
}

/**
 * Orders whose record at the provider should be read again: open ones every ten minutes, those that
 * ended without a payment for two days, paid ones every day while they can be disputed, and
 * refunded ones while the refund can fail.
 */
export async function findDueOrders(sql: Sql | Tx, limit: number): Promise<{ uid: string }[]> {
  return sql<{ uid: string }[]>`
    select uid
    from orders
    where state = 'open' and created_at < now() - interval '2 minutes'
        and (checked_at is null or checked_at < now() - interval '10 minutes')
      or state = 'expired' and ended_at > now() - interval '2 days'
        and (checked_at is null or checked_at < now() - interval '1 hour')
      or state = 'refunded' and provider <> 'manual' and ended_at > now() - interval '30 days'
        and checked_at < now() - interval '1 day'
      or state in ('paid', 'disputed') and provider <> 'manual'
        and paid_at > now() - interval '180 days' and checked_at < now() - interval '1 day'
    order by checked_at nulls first
    limit ${limit}`
}

export type OrderFilter = { buyer_uid: string } | { seller_uid: string }

export async function listOrders(
  sql: Sql,
  filter: OrderFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ rows: OrderRow[]; total: number }> {
  const matching =
    'buyer_uid' in filter
      ? sql`buyer_uid = ${filter.buyer_uid}`
      : sql`seller_uid = ${filter.seller_uid} and paid_at is not null`
  const [rows, [count]] = await Promise.all([
    sql<OrderRow[]>`
      select ${columns(sql)}
      from orders
      where ${matching}
      order by created_at desc, uid
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total from orders where ${matching}`,
  ])
  return { rows, total: count!.total }
}

/** False if the event was accepted before. */
export async function recordEvent(tx: Tx, event: { id: string; type: string }): Promise<boolean> {
  const { count } = await tx`
    insert into payment_events ${tx({ id: event.id, type: event.type })}
    on conflict (id) do nothing`
  return count === 1
}

export async function deleteOldEvents(tx: Tx, days: number): Promise<void> {
  await tx`
    delete from payment_events
    where received_at < now() - ${days} * interval '1 day'`
}

/** How long whoever has the copy of an order played the listing, in seconds. */
export async function readPlayTime(
  sql: Sql | Tx,
  { uid, buyer_uid, game_uid, gift_for }: OrderRow,
): Promise<number> {
  const holder = gift_for
    ? sql`(select g.accepted_by from order_gifts g where g.order_uid = ${uid})`
    : sql`${buyer_uid}`
  const [row] = await sql<{ seconds: number }[]>`
    select seconds
    from play_time
    where user_uid = ${holder} and game_uid = ${game_uid}`
  return row?.seconds ?? 0
}

export async function findEditionName(sql: Sql | Tx, uid: string): Promise<string> {
  const [row] = await sql<{ name: string }[]>`select name from editions where uid = ${uid}`
  return row?.name ?? ''
}
