import type { PendingQuery, Row } from 'postgres'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'
import type { OrderProblem } from '../orders/problems.ts'
import type { OrderEventKind, OrderFilterName } from './filters.ts'

type Fragment = PendingQuery<Row[]>

/** Refunds `r` of orders `o` whose money an operator has to send back by hand. */
const isByHand = (sql: Sql | Tx) => sql`
  o.provider = 'manual' and r.state = 'done'
  and not exists (select from manual_refunds m where m.refund_uid = r.uid)`

const hasRefund = (sql: Sql, condition: Fragment) => sql`
  exists (select from order_refunds r where r.order_uid = o.uid and ${condition})`

/**
 * A request that no seller can answer is one for operators. A dispute stays for as long as its
 * seller can still answer it, and then only under its own filter: a lost one never ends.
 */
const attention = (sql: Sql) => sql`
  o.problem <> '' or o.provider = 'manual' and o.state = 'open'
  or o.state = 'disputed' and o.ended_at > now() - interval '30 days'
  or ${hasRefund(sql, isByHand(sql))}
  or o.seller_uid is null and ${hasRefund(sql, sql`r.state = 'requested'`)}`

/** How many orders the filter `attention` finds. */
export const countAttention = (sql: Sql) => sql`
  select count(*)::int from orders o where ${attention(sql)}`

function conditionOf(sql: Sql, filter: OrderFilterName): Fragment {
  switch (filter) {
    case 'attention':
      return attention(sql)
    case 'transfer':
      return sql`o.provider = 'manual' and o.state = 'open'`
    case 'refund_requested':
      return hasRefund(sql, sql`r.state = 'requested'`)
    case 'refund_by_hand':
      return hasRefund(sql, isByHand(sql))
    case 'problem':
      return sql`o.problem <> ''`
    case 'all':
      return sql`true`
    default:
      return sql`o.state = ${filter}`
  }
}

/** Banks shorten what buyers write, so the start of an order number is enough. */
const NUMBER_START = /^[0-9a-f]{8}[0-9a-f-]{0,28}$/

/**
 * By the order number or its start, the reference of a transfer, the reference of the payment at
 * the provider, or the username of the buyer.
 */
function matches(sql: Sql, typed: string): Fragment {
  const text = typed.trim().toLowerCase()
  if (!text) return sql`true`
  const like = `%${text.replace(/[\\%_]/g, '\\$&')}%`
  const number = NUMBER_START.test(text)
    ? sql`replace(o.uid::text, '-', '') like ${`${text.replaceAll('-', '')}%`}`
    : sql`false`
  return sql`(
    ${isUuid(text) ? sql`o.uid = ${text}` : number}
    or lower(o.payment_ref) = ${text} or lower(o.checkout_ref) = ${text}
    or exists (
      select from manual_payments p
      where p.order_uid = o.uid and lower(p.reference) like ${like})
    or exists (
      select from order_refunds r
      join manual_refunds m on m.refund_uid = r.uid
      where r.order_uid = o.uid and lower(m.reference) like ${like})
    or exists (
      select from users u
      where u.uid = o.buyer_uid and lower(u.username) = ${text}))`
}

type Window = { limit: number; offset: number }

/** The uids of the orders of a group, newest first. */
export async function searchOrders(
  sql: Sql,
  { filter, q }: { filter: OrderFilterName; q: string },
  { limit, offset }: Window,
): Promise<{ uids: string[]; total: number }> {
  const matching = sql`from orders o where (${conditionOf(sql, filter)}) and ${matches(sql, q)}`
  const [rows, [count]] = await Promise.all([
    sql<{ uid: string }[]>`
      select o.uid ${matching}
      order by o.created_at desc, o.uid
      limit ${limit} offset ${offset}`,
    sql<{ total: number }[]>`select count(*)::int as total ${matching}`,
  ])
  return { uids: rows.map(({ uid }) => uid), total: count!.total }
}

export type OrderNotes = {
  uid: string
  problem: string
  problem_details: OrderProblem | null
  /** Null once the account is deleted. */
  buyer: string | null
  /** Of the transfer that paid it; empty for none. */
  reference: string
  by_hand_minor: number
}

/** What only operators see of orders. */
export async function readOrderNotes(sql: Sql, uids: string[]): Promise<OrderNotes[]> {
  return sql<OrderNotes[]>`
    select o.uid, o.problem, o.problem_details, u.username as buyer,
      coalesce(p.reference, '') as reference,
      (
        select coalesce(sum(r.amount_minor), 0)::int
        from order_refunds r
        where r.order_uid = o.uid and ${isByHand(sql)}
      ) as by_hand_minor
    from orders o
    left join users u on u.uid = o.buyer_uid
    left join manual_payments p on p.order_uid = o.uid
    where o.uid = any(${uids}::uuid[])`
}

/** Records that the money of the refunds of an order went back; false if none waits for that. */
export async function insertManualRefunds(
  sql: Sql | Tx,
  order_uid: string,
  { reference, sent_by }: { reference: string; sent_by: string },
): Promise<boolean> {
  const { count } = await sql`
    insert into manual_refunds (refund_uid, reference, sent_by)
    select r.uid, ${reference}, ${sent_by}
    from order_refunds r
    join orders o on o.uid = r.order_uid
    where o.uid = ${order_uid} and o.provider = 'manual' and r.state in ('sending', 'done')
    on conflict do nothing`
  return count > 0
}

export type OrderEventRow = {
  at: Date
  kind: OrderEventKind
  amount_minor: number | null
  /** The username of who did it; null for the provider, the store and deleted accounts. */
  by: string | null
  /** What they wrote, or the reference of a transfer. */
  note: string
}

const nameOf = (sql: Sql, uid: Fragment) =>
  sql`(select u.username from users u where u.uid = ${uid})`

const ownEvents = (sql: Sql, uid: string) => sql`
  select o.created_at as at, 0 as step, 'ordered' as kind, o.amount_minor,
    ${nameOf(sql, sql`o.buyer_uid`)} as by, '' as note
  from orders o
  where o.uid = ${uid}
  union all
  select o.ended_at, 1, 'expired', null, null, ''
  from orders o
  where o.uid = ${uid} and o.state = 'expired' and o.ended_at is not null
  union all
  select p.settled_at, 2, 'transfer_confirmed', null, ${nameOf(sql, sql`p.settled_by`)}, p.reference
  from manual_payments p
  where p.order_uid = ${uid}
  union all
  select g.decided_at, 4, 'gift_' || g.state, null, ${nameOf(sql, sql`g.accepted_by`)}, ''
  from order_gifts g
  where g.order_uid = ${uid} and g.state <> 'waiting'`

/** Without entries that take a failed refund back: `refundEvents` has its failure. */
const ledgerEvents = (sql: Sql, uid: string) => sql`
  select t.recorded_at, case t.kind when 'payment' then 3 else 7 end, t.kind,
    (
      select abs(sum(e.amount_minor))::int
      from ledger_entries e
      where e.transaction_uid = t.uid and e.account = 'buyer'
    ), null, ''
  from ledger_transactions t
  where t.order_uid = ${uid} and not (t.kind = 'refund' and exists (
    select from ledger_entries e
    where e.transaction_uid = t.uid and e.account = 'buyer' and e.amount_minor < 0))`

/** A refund that its buyer asked for is decided about; others start with the decision. */
const refundEvents = (sql: Sql, uid: string) => sql`
  select r.created_at, 5,
    case
      when r.requested_by = o.buyer_uid or r.state in ('requested', 'declined')
      then 'refund_requested'
      else 'refund_started'
    end,
    r.amount_minor, ${nameOf(sql, sql`r.requested_by`)}, r.reason
  from order_refunds r
  join orders o on o.uid = r.order_uid
  where r.order_uid = ${uid}
  union all
  select r.decided_at, 6, 'refund_declined', r.amount_minor, ${nameOf(sql, sql`r.decided_by`)},
    r.answer
  from order_refunds r
  where r.order_uid = ${uid} and r.state = 'declined'
  union all
  select r.decided_at, 8, 'refund_failed', r.amount_minor, null, r.answer
  from order_refunds r
  where r.order_uid = ${uid} and r.state = 'failed'
  union all
  select m.sent_at, 9, 'transfer_sent_back', r.amount_minor, ${nameOf(sql, sql`m.sent_by`)},
    m.reference
  from order_refunds r
  join manual_refunds m on m.refund_uid = r.uid
  where r.order_uid = ${uid}`

/** What happened to an order, oldest first. */
export async function readOrderEvents(sql: Sql, uid: string): Promise<OrderEventRow[]> {
  return sql<OrderEventRow[]>`
    select at, kind, amount_minor, by, note
    from (
      ${ownEvents(sql, uid)}
      union all
      ${ledgerEvents(sql, uid)}
      union all
      ${refundEvents(sql, uid)}
    ) events
    order by at, step`
}
