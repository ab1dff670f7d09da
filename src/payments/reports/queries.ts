import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../core/database/sql.ts'
import type { Discovery } from '../orders/discovery.ts'

/** What the orders of a group add up to, in the smallest unit of their currency. */
export type Sums = {
  currency: string
  orders: number
  gross_minor: number
  refunded_minor: number
  /** What banks took back, without disputes that sellers won. */
  disputed_minor: number
  /** The tax in what buyers paid and did not get back. */
  tax_minor: number
  /** What the store got, and the provider. */
  fee_minor: number
  processing_minor: number
  /** What the seller got. */
  net_minor: number
}

/** Paid orders `o` with the sums of their ledger entries `m`, of the last days in UTC. */
const paidOrders = (sql: Sql, condition: PendingQuery<Row[]>) => sql`
  from orders o
  cross join lateral (
    select coalesce(sum(e.amount_minor) filter (where e.account = 'seller'), 0) as seller,
      coalesce(sum(e.amount_minor) filter (where e.account = 'store'), 0) as store,
      coalesce(sum(e.amount_minor) filter (where e.account = 'provider'), 0) as provider,
      coalesce(sum(e.amount_minor) filter (
        where e.account = 'buyer' and f.kind in ('dispute', 'dispute_won')), 0) as disputed
    from ledger_transactions f
    join ledger_entries e on e.transaction_uid = f.uid
    where f.order_uid = o.uid) m
  where o.paid_at is not null and ${condition}`

const sinceDays = (sql: Sql, days: number) => sql`
  o.paid_at >= (
    date_trunc('day', now() at time zone 'utc') - ${days - 1} * interval '1 day'
  ) at time zone 'utc'`

/** The share of the tax that belongs to what the buyer did not get back, rounded half up. */
const keptTax = (sql: Sql) => sql`
  case when o.amount_minor = 0 then 0
    else round(
      o.tax_minor::numeric * greatest(0, o.amount_minor - o.refunded_minor - m.disputed)
      / o.amount_minor)
  end`

const sums = (sql: Sql) => sql`
  o.currency, count(*)::int as orders,
  sum(o.amount_minor)::float8 as gross_minor,
  sum(o.refunded_minor)::float8 as refunded_minor,
  sum(m.disputed)::float8 as disputed_minor,
  sum(${keptTax(sql)})::float8 as tax_minor,
  sum(m.store)::float8 as fee_minor,
  sum(m.provider)::float8 as processing_minor,
  sum(m.seller)::float8 as net_minor`

const dayOf = (sql: Sql) => sql`to_char(o.paid_at at time zone 'utc', 'YYYY-MM-DD')`

export type SalesReport = {
  totals: Sums[]
  by_day: (Sums & { day: string })[]
  by_edition: (Sums & { edition: string })[]
  by_reduction: (Sums & { reduction: 'none' | 'sale' | 'coupon' })[]
  /** Null for payments whose country the provider does not report. */
  by_country: (Sums & { country: string | null })[]
  /** Null for orders that were made before this was recorded. */
  by_discovery: (Sums & { discovery: Discovery | null })[]
}

/** What a listing sold, by currency. */
export async function readSalesReport(
  sql: Sql,
  game_uid: string,
  days: number,
): Promise<SalesReport> {
  const orders = paidOrders(sql, sql`o.game_uid = ${game_uid} and ${sinceDays(sql, days)}`)
  const reduction = sql`
    case when o.coupon_uid is not null then 'coupon' when o.sale_uid is not null then 'sale'
      else 'none' end`
  const [totals, by_day, by_edition, by_reduction, by_country, by_discovery] = await Promise.all([
    sql<Sums[]>`select ${sums(sql)} ${orders} group by o.currency order by 3 desc, 1`,
    sql<SalesReport['by_day']>`
      select ${sums(sql)}, ${dayOf(sql)} as day ${orders}
      group by o.currency, day
      order by day, o.currency`,
    sql<SalesReport['by_edition']>`
      select ${sums(sql)}, o.edition_name as edition ${orders}
      group by o.currency, o.edition_name
      order by orders desc, o.edition_name, o.currency`,
    sql<SalesReport['by_reduction']>`
      select ${sums(sql)}, ${reduction} as reduction ${orders}
      group by o.currency, reduction
      order by orders desc, reduction, o.currency`,
    sql<SalesReport['by_country']>`
      select ${sums(sql)}, o.country ${orders}
      group by o.currency, o.country
      order by orders desc, o.country, o.currency`,
    sql<SalesReport['by_discovery']>`
      select ${sums(sql)}, o.discovery ${orders}
      group by o.currency, o.discovery
      order by orders desc, o.discovery, o.currency`,
  ])
  return { totals, by_day, by_edition, by_reduction, by_country, by_discovery }
}

export type SoldOrder = {
  uid: string
  paid_at: Date
  edition: string
  state: string
  country: string | null
  discovery: Discovery | null
  currency: string
  list_minor: number
  amount_minor: number
  tax_minor: number
  refunded_minor: number
  disputed_minor: number
  fee_minor: number
  net_minor: number
}

/** Every paid order of a listing for its developer, without who bought it; the newest first. */
export async function readSoldOrders(
  sql: Sql,
  game_uid: string,
  days: number,
): Promise<SoldOrder[]> {
  return sql<SoldOrder[]>`
    select o.uid, o.paid_at, o.edition_name as edition, o.state, o.country, o.discovery,
      o.currency, o.list_minor, o.amount_minor, ${keptTax(sql)}::int as tax_minor,
      o.refunded_minor, m.disputed::float8 as disputed_minor,
      m.store::float8 as fee_minor, m.seller::float8 as net_minor
    ${paidOrders(sql, sql`o.game_uid = ${game_uid} and ${sinceDays(sql, days)}`)}
    order by o.paid_at desc, o.uid
    limit 10000`
}

export type Dispute = {
  uid: string
  title: string
  seller: string | null
  currency: string
  amount_minor: number
  paid_at: Date
}

export type StoreReport = {
  totals: Sums[]
  by_seller: (Sums & { seller: string | null })[]
  disputes: Dispute[]
}

/** The name of the seller of an order; null if their account was deleted. */
const sellerName = (sql: Sql) => sql`(select u.username from users u where u.uid = o.seller_uid)`

/** What the whole store sold, by seller, and the orders that are in dispute. */
export async function readStoreReport(sql: Sql, days: number): Promise<StoreReport> {
  const orders = paidOrders(sql, sinceDays(sql, days))
  const [totals, by_seller, disputes] = await Promise.all([
    sql<Sums[]>`
      select ${sums(sql)} ${orders}
      group by o.currency
      order by orders desc, o.currency`,
    sql<StoreReport['by_seller']>`
      select ${sums(sql)}, ${sellerName(sql)} as seller ${orders}
      group by o.currency, o.seller_uid
      order by orders desc, seller, o.currency
      limit 500`,
    sql<Dispute[]>`
      select o.uid, o.title, ${sellerName(sql)} as seller, o.currency, o.amount_minor, o.paid_at
      from orders o
      where o.state = 'disputed' and o.paid_at is not null
      order by o.paid_at desc, o.uid
      limit 100`,
  ])
  return { totals, by_seller, disputes }
}

export const taxPeriods = ['month', 'quarter', 'year'] as const
export type TaxPeriod = (typeof taxPeriods)[number]
export type TaxRow = Sums & { period: string; seller: string | null; country: string | null }

/** How a period is written: 2027-01, 2027-Q1 or 2027. */
const periodFormats = { month: 'YYYY-MM', quarter: 'YYYY-"Q"Q', year: 'YYYY' } as const

/** What every seller sold to each country in each period of a year, for the tax office. */
export async function readTaxReport(sql: Sql, year: number, period: TaxPeriod): Promise<TaxRow[]> {
  const name = sql`to_char(o.paid_at at time zone 'utc', ${periodFormats[period]})`
  const in_year = sql`
    o.paid_at >= make_timestamptz(${year}, 1, 1, 0, 0, 0, 'utc')
    and o.paid_at < make_timestamptz(${year + 1}, 1, 1, 0, 0, 0, 'utc')`
  return sql<TaxRow[]>`
    select ${sums(sql)}, ${name} as period, ${sellerName(sql)} as seller, o.country
    ${paidOrders(sql, in_year)}
    group by o.currency, period, o.seller_uid, o.country
    order by period, seller, o.country, o.currency`
}
