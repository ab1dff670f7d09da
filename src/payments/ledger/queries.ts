import type { Sql, Tx } from '../../core/database/sql.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import type { Entry, LedgerAccount, LedgerKind } from './entries.ts'

type Fact = {
  /** What happened, such as `payment:ch_123`; each is recorded once. */
  fact: string
  order_uid: string
  kind: LedgerKind
  currency: string
  entries: Entry[]
}

/** False if the fact was recorded before. */
export async function recordFact(
  tx: Tx,
  { fact, order_uid, kind, currency, entries }: Fact,
): Promise<boolean> {
  const uid = uuidv7()
  const { count } = await tx`
    insert into ledger_transactions ${tx({ uid, fact, order_uid, kind, currency })}
    on conflict (fact) do nothing`
  if (count === 0) return false
  const rows = entries.map((entry, position) => ({ transaction_uid: uid, position, ...entry }))
  if (rows.length) await tx`insert into ledger_entries ${tx(rows)}`
  return true
}

export type OrderSums = {
  payments: number
  /** What the buyer paid, got back, and what their bank took back, in minor units. */
  paid_minor: number
  refunded_minor: number
  disputed_minor: number
  open_disputes: number
}

/** What the ledger says about an order. */
export async function sumOrder(sql: Sql | Tx, order_uid: string): Promise<OrderSums> {
  const [row] = await sql<OrderSums[]>`
    select count(*) filter (where t.kind = 'payment')::int as payments,
      coalesce(-sum(e.amount) filter (where t.kind = 'payment'), 0)::int as paid_minor,
      coalesce(sum(e.amount) filter (where t.kind = 'refund'), 0)::int as refunded_minor,
      coalesce(sum(e.amount) filter (where t.kind in ('dispute', 'dispute_won')), 0)::int
        as disputed_minor,
      (
        count(*) filter (where t.kind = 'dispute')
        - count(*) filter (where t.kind = 'dispute_won')
      )::int as open_disputes
    from ledger_transactions t
    left join lateral (
      select sum(amount_minor) as amount
      from ledger_entries
      where transaction_uid = t.uid and account = 'buyer'
    ) e on true
    where t.order_uid = ${order_uid}`
  return row!
}

export async function hasFact(sql: Sql | Tx, fact: string): Promise<boolean> {
  const [row] = await sql`select from ledger_transactions where fact = ${fact}`
  return row !== undefined
}

export type AccountBalance = { account: LedgerAccount; currency: string; amount_minor: string }

/** The balance of every account, which is the sum of its entries. */
export async function readBalances(sql: Sql | Tx): Promise<AccountBalance[]> {
  return sql<AccountBalance[]>`
    select e.account, t.currency, sum(e.amount_minor)::text as amount_minor
    from ledger_entries e
    join ledger_transactions t on t.uid = e.transaction_uid
    group by t.currency, e.account
    order by t.currency, e.account`
}

export type LedgerProblem = { order_uid: string; problem: string }

/** Transactions that do not add up, and orders whose state contradicts the ledger. */
export async function findLedgerProblems(sql: Sql | Tx): Promise<LedgerProblem[]> {
  return sql<LedgerProblem[]>`
    select t.order_uid, 'transaction ' || t.fact || ' does not add up to zero' as problem
    from ledger_transactions t
    join ledger_entries e on e.transaction_uid = t.uid
    group by t.uid
    having sum(e.amount_minor) <> 0
    union all
    select s.uid,
      case
        when s.paid_at is null and s.payments > 0 then 'the ledger has a payment, the order none'
        when s.paid_at is not null and s.payments <> 1
          then 'the order was paid and the ledger has ' || s.payments || ' payments'
        when s.paid <> s.amount_minor then 'the payment is not the price of the order'
        when s.refunded <> s.refunded_minor then 'the refunds are not those of the order'
      end
    from (
      select o.uid, o.paid_at, o.amount_minor, o.refunded_minor,
        count(t.uid) filter (where t.kind = 'payment') as payments,
        coalesce(-sum(e.amount_minor) filter (where t.kind = 'payment'), 0) as paid,
        coalesce(sum(e.amount_minor) filter (where t.kind = 'refund'), 0) as refunded
      from orders o
      left join ledger_transactions t on t.order_uid = o.uid
      left join ledger_entries e on e.transaction_uid = t.uid and e.account = 'buyer'
      group by o.uid
    ) s
    where (s.paid_at is null) <> (s.payments = 0) or s.payments > 1
      or (s.payments = 1 and s.paid <> s.amount_minor) or s.refunded <> s.refunded_minor
    union all
    select t.order_uid, 'the ledger has transactions of an order that does not exist'
    from ledger_transactions t
    where not exists (select from orders o where o.uid = t.order_uid)
    limit 1000`
}

/** Orders that were paid since a moment, in the order of their uids, after one of them. */
export async function listLedgerOrders(
  sql: Sql | Tx,
  since: Date,
  after: string | undefined,
  limit: number,
): Promise<string[]> {
  const rows = await sql<{ uid: string }[]>`
    select uid
    from orders
    where paid_at >= ${since} and uid > ${after ?? '00000000-0000-0000-0000-000000000000'}
    order by uid
    limit ${limit}`
  return rows.map(({ uid }) => uid)
}
