import type { PendingQuery, Row } from 'postgres'
import type { ListingAlias } from '../../accounts/people/role-queries.ts'
import { isoTime, type Sql, type Tx } from '../../core/database/sql.ts'
import type { OfferFacts } from './offers.ts'
import type { Reduction } from './sale-rules.ts'

type Fragment = PendingQuery<Row[]>

/** The offers themselves: the active editions or, without any, the listing. */
const editionFacts = (sql: Sql | Tx, listing: Fragment) => sql`
  coalesce(
    (
      select json_agg(
        json_build_object('edition_uid', e.uid, 'price_cents', e.price_cents)
        order by e.sort_order, e.price_cents, e.uid)
      from editions e
      where e.game_uid = ${listing}.uid and e.active
    ),
    json_build_array(json_build_object('edition_uid', null, 'price_cents', ${listing}.price_cents))
  )`

/** Sales that ended more than a sale and 30 days ago are in no period that is looked at. */
const saleFacts = (sql: Sql | Tx, listing: Fragment) => sql`
  coalesce((
    select json_agg(json_build_object(
      'uid', s.uid, 'edition_uid', s.edition_uid, 'percent', s.percent,
      'amount_cents', s.amount_cents, 'starts_at', ${isoTime(sql, sql`s.starts_at`)},
      'ends_at', ${isoTime(sql, sql`s.ends_at`)}, 'event', v.name) order by s.starts_at, s.uid)
    from sales s
    left join sale_events v on v.uid = s.event_uid
    where s.game_uid = ${listing}.uid and s.starts_at <= now()
      and s.ends_at > now() - interval '91 days'), '[]')`

/** The last prices before the period that is looked at, and all since. */
const historyFacts = (sql: Sql | Tx, listing: Fragment) => sql`
  coalesce((
    select json_agg(json_build_object(
      'edition_uid', h.edition_uid, 'currency', h.currency, 'price_minor', h.price_minor,
      'at', ${isoTime(sql, sql`h.at`)}) order by h.at)
    from (
      select p.edition_uid, p.currency, p.price_minor, p.at
      from price_history p
      where p.game_uid = ${listing}.uid
      order by p.at desc
      limit 500) h), '[]')`

/** The facts of all offers of a listing; see offers.ts. */
export function offerFacts(sql: Sql | Tx, alias: ListingAlias = 'l') {
  const listing = sql`${sql(alias)}` as Fragment
  return sql`
    json_build_object(
      'at', ${isoTime(sql, sql`now()`)},
      'editions', ${editionFacts(sql, listing)},
      'prices', coalesce((
        select json_agg(json_build_object(
          'edition_uid', p.edition_uid, 'currency', p.currency, 'amount_minor', p.amount_minor))
        from listing_prices p
        where p.game_uid = ${listing}.uid), '[]'),
      'chosen', coalesce((
        select json_agg(json_build_object(
          'edition_uid', c.edition_uid, 'suggested_cents', c.suggested_cents))
        from chosen_prices c
        where c.game_uid = ${listing}.uid), '[]'),
      'sales', ${saleFacts(sql, listing)},
      'history', ${historyFacts(sql, listing)})`
}

/** The same while a sale of the listing runs, else null: few listings of a list need them. */
export const runningSaleFacts = (sql: Sql | Tx, alias: ListingAlias = 'l') => sql`
  case when exists (
    select
    from sales s
    where s.game_uid = ${sql(alias)}.uid and s.starts_at <= now() and s.ends_at > now()
  ) then ${offerFacts(sql, alias)} end`

/** When the next sale of a listing starts or the next one ends. */
export const nextSaleChange = (sql: Sql | Tx, alias: ListingAlias = 'l') => sql`
  (select min(case when s.starts_at > now() then s.starts_at else s.ends_at end)
    from sales s
    where s.game_uid = ${sql(alias)}.uid and s.ends_at > now())`

/** A number that changes when a sale of the listing starts or ends. */
export const saleChanges = (sql: Sql | Tx) => sql`
  (select count(*) filter (where s.starts_at <= now()) + count(*) filter (where s.ends_at <= now())
    from sales s
    where s.game_uid = l.uid)`

export async function readOfferFacts(
  sql: Sql | Tx,
  game_uid: string,
): Promise<OfferFacts | undefined> {
  const [row] = await sql<{ facts: OfferFacts }[]>`
    select ${offerFacts(sql)} as facts
    from listings l
    where l.uid = ${game_uid}`
  return row?.facts
}

/** The same of those of several listings that have a price in a currency. */
export async function readOfferFactsIn(
  sql: Sql | Tx,
  game_uids: readonly string[],
  currency: string,
): Promise<{ uid: string; facts: OfferFacts }[]> {
  return sql<{ uid: string; facts: OfferFacts }[]>`
    select l.uid, ${offerFacts(sql)} as facts
    from listings l
    where l.uid = any(${game_uids as string[]}::uuid[])
      and exists (
        select
        from listing_prices p
        where p.game_uid = l.uid and p.currency = ${currency})`
}

type OfferKey = { game_uid: string; edition_uid: string | null }
const isOffer = (sql: Tx, { game_uid, edition_uid }: OfferKey) =>
  sql`game_uid = ${game_uid} and edition_uid is not distinct from ${edition_uid}`

/** Replaces the prices of one offer in other currencies; unchanged ones are not touched. */
export async function replacePrices(
  tx: Tx,
  offer: OfferKey,
  prices: { currency: string; amount_minor: number }[],
): Promise<void> {
  const codes = prices.map(({ currency }) => currency)
  await tx`
    delete from listing_prices
    where ${isOffer(tx, offer)} and currency <> all(${codes}::text[])`
  for (const { currency, amount_minor } of prices)
    await tx`
      insert into listing_prices as p (game_uid, edition_uid, currency, amount_minor)
      values (${offer.game_uid}, ${offer.edition_uid}, ${currency}, ${amount_minor})
      on conflict (game_uid, edition_uid, currency) do update
      set amount_minor = excluded.amount_minor
      where p.amount_minor <> excluded.amount_minor`
}

/** `undefined` for a fixed price. */
export async function setChosenPrice(
  tx: Tx,
  offer: OfferKey,
  chosen: { suggested_cents: number | null } | undefined,
): Promise<void> {
  if (!chosen) {
    await tx`delete from chosen_prices where ${isOffer(tx, offer)}`
    return
  }
  await tx`
    insert into chosen_prices (game_uid, edition_uid, suggested_cents)
    values (${offer.game_uid}, ${offer.edition_uid}, ${chosen.suggested_cents})
    on conflict (game_uid, edition_uid) do update
    set suggested_cents = excluded.suggested_cents`
}

export type SaleRow = Reduction & {
  uid: string
  edition_uid: string | null
  event: { uid: string; name: string } | null
  starts_at: Date
  ends_at: Date
}

const saleColumns = (sql: Sql | Tx) => sql`
  s.uid, s.edition_uid, s.percent, s.amount_cents, s.starts_at, s.ends_at,
  case when v.uid is not null then json_build_object('uid', v.uid, 'name', v.name) end as event`

/** The sales of a listing, the latest first. */
export async function readSales(sql: Sql | Tx, game_uid: string): Promise<SaleRow[]> {
  return sql<SaleRow[]>`
    select ${saleColumns(sql)}
    from sales s
    left join sale_events v on v.uid = s.event_uid
    where s.game_uid = ${game_uid}
    order by s.starts_at desc, s.uid
    limit 100`
}

export async function countSalesAhead(tx: Tx, game_uid: string): Promise<number> {
  const [row] = await tx<{ count: number }[]>`
    select count(*)::int as count from sales where game_uid = ${game_uid} and ends_at > now()`
  return row!.count
}

export type NewSale = Reduction & {
  uid: string
  game_uid: string
  edition_uid: string | null
  event_uid: string | null
  starts_at: Date
  ends_at: Date
}

export async function insertSale(tx: Tx, sale: NewSale): Promise<void> {
  await tx`insert into sales ${tx(sale)}`
}

/**
 * Ends a sale that runs, and deletes one that has not started. False if there is none, or it has
 * ended.
 */
export async function endSale(tx: Tx, game_uid: string, uid: string): Promise<boolean> {
  const removed = await tx`
    delete from sales where uid = ${uid} and game_uid = ${game_uid} and starts_at > now()`
  const ended = await tx`
    update sales set ends_at = now()
    where uid = ${uid} and game_uid = ${game_uid} and starts_at <= now() and ends_at > now()`
  return removed.count + ended.count > 0
}

export type SaleEventRow = {
  uid: string
  name: string
  starts_at: Date
  ends_at: Date
  listings: number
}

const eventColumns = (sql: Sql | Tx) => sql`
  v.uid, v.name, v.starts_at, v.ends_at, (
    select count(distinct s.game_uid)::int
    from sales s
    join listings l on l.uid = s.game_uid
    where s.event_uid = v.uid and l.visibility = 'public') as listings`

/** Sales of the store: those that run or come, the next first. */
export async function readSaleEvents(sql: Sql | Tx): Promise<SaleEventRow[]> {
  return sql<SaleEventRow[]>`
    select ${eventColumns(sql)}
    from sale_events v
    where v.ends_at > now()
    order by v.starts_at, v.uid
    limit 50`
}

/** One that has not ended. */
export async function findSaleEvent(sql: Sql | Tx, uid: string): Promise<SaleEventRow | undefined> {
  const [row] = await sql<SaleEventRow[]>`
    select ${eventColumns(sql)}
    from sale_events v
    where v.uid = ${uid} and v.ends_at > now()
    for share of v`
  return row
}

export async function insertSaleEvent(
  sql: Sql | Tx,
  event: { uid: string; name: string; starts_at: Date; ends_at: Date },
): Promise<void> {
  await sql`insert into sale_events ${sql(event)}`
}

/** Ends an event with its sales, or deletes both if it has not started. False if it has ended. */
export async function endSaleEvent(tx: Tx, uid: string): Promise<boolean> {
  const [event] = await tx<{ has_started: boolean }[]>`
    select starts_at <= now() as has_started
    from sale_events
    where uid = ${uid} and ends_at > now()
    for update`
  if (!event) return false
  await tx`delete from sales where event_uid = ${uid} and starts_at > now()`
  await tx`update sales set ends_at = now() where event_uid = ${uid} and ends_at > now()`
  await (event.has_started
    ? tx`update sale_events set ends_at = now() where uid = ${uid}`
    : tx`delete from sale_events where uid = ${uid}`)
  return true
}
