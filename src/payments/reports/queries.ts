import type { PendingQuery, Row } from 'postgres'
import type { Sql } from '../../core/database/sql.ts'

/** What the orders of a group add up to, in the smallest unit of their currency. */
export type Sums = {
  currency: string
  orders: number
  gross_minor: number
  refunded_minor: number
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
      coalesce(sum(e.amount_minor) filter (where e.account = 'provider'), 0) as provider
    from ledger_transactions f
    join ledger_entries e on e.transaction_uid = f.uid
    where f.order_uid = o.uid) m
  where o.paid_at is not null and ${condition}`

const sinceDays = (sql: Sql, days: number) => sql`
  o.paid_at >= (
    date_trunc('day', now() at time zone 'utc') - ${days - 1} * interval '1 day'
  ) at time zone 'utc'`

const sums = (sql: Sql) => sql`
  o.currency, count(*)::int as orders,
  sum(o.amount_minor)::float8 as gross_minor,
  sum(o.refunded_minor)::float8 as refunded_minor,
  sum(o.tax_minor)::float8 as tax_minor,
  sum(m.store)::float8 as fee_minor,
  sum(m.provider)::float8 as processing_minor,
  sum(m.seller)::float8 as net_minor`

const dayOf = (sql: Sql) => sql`to_char(o.paid_at at time zone 'utc', 'YYYY-MM-DD')`

export type SalesReport = {
  totals: Sums[]
  by_day: (Sums & { day: string })[]
  by_edition: (Sums & { edition: string })[]
  by_reduction: (Sums & { reduction: 'none' | 'sale' | 'coupon' })[]
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
  const [totals, by_day, by_edition, by_reduction] = await Promise.all([
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
  ])
  return { totals, by_day, by_edition, by_reduction }
}

export type SoldOrder = {
  uid: string
  paid_at: Date
  edition: string
  state: string
  currency: string
  list_minor: number
  amount_minor: number
  tax_minor: number
  refunded_minor: number
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
    select o.uid, o.paid_at, o.edition_name as edition, o.state, o.currency, o.list_minor,
      o.amount_minor, o.tax_minor, o.refunded_minor,
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

/** What the whole store sold, and the orders that are in dispute. */
export async function readStoreReport(
  sql: Sql,
  days: number,
): Promise<{ totals: Sums[]; disputes: Dispute[] }> {
  const [totals, disputes] = await Promise.all([
    sql<Sums[]>`
      select ${sums(sql)} ${paidOrders(sql, sinceDays(sql, days))}
      group by o.currency
      order by orders desc, o.currency`,
    sql<Dispute[]>`
      select o.uid, o.title, u.username as seller, o.currency, o.amount_minor, o.paid_at
      from orders o
      left join users u on u.uid = o.seller_uid
      where o.state = 'disputed' and o.paid_at is not null
      order by o.paid_at desc, o.uid
      limit 100`,
  ])
  return { totals, disputes }
}

export type TaxRow = Sums & { month: string; seller: string | null }

/** What every seller sold in each month of a year, for the tax office. */
export async function readTaxReport(sql: Sql, year: number): Promise<TaxRow[]> {
  const month = sql`to_char(o.paid_at at time zone 'utc', 'YYYY-MM')`
  const in_year = sql`
    o.paid_at >= make_timestamptz(${year}, 1, 1, 0, 0, 0, 'utc')
    and o.paid_at < make_timestamptz(${year + 1}, 1, 1, 0, 0, 0, 'utc')`
  return sql<TaxRow[]>`
    select ${sums(sql)}, ${month} as month,
      (select u.username from users u where u.uid = o.seller_uid) as seller
    ${paidOrders(sql, in_year)}
    group by o.currency, month, o.seller_uid
    order by month, seller, o.currency`
}
