import type { ListingAlias } from '../../accounts/people/role-queries.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import type { Edition } from './prices.ts'

export type EditionRow = Edition & { uid: string }

const columns = (sql: Sql | Tx) => sql`
  uid, slug, name, description, kind, price_cents, active, sort_order,
  bundle_uids as bundle_asset_uids`

/** What a listing costs: its cheapest active edition, else its own price. */
export const currentPrice = (sql: Sql | Tx, alias: ListingAlias = 'l') => sql`
  coalesce(
    (
      select min(e.price_cents)
      from editions e
      where e.game_uid = ${sql(alias)}.uid and e.active
    ),
    ${sql(alias)}.price_cents
  )`

export async function readEditions(sql: Sql | Tx, game_uid: string): Promise<EditionRow[]> {
  return sql<EditionRow[]>`
    select ${columns(sql)}
    from editions
    where game_uid = ${game_uid}
    order by sort_order, price_cents, uid`
}

const stored = ({ bundle_asset_uids, ...edition }: Edition) => ({
  ...edition,
  bundle_uids: bundle_asset_uids,
})

export async function insertEdition(
  tx: Tx,
  game_uid: string,
  uid: string,
  edition: Edition,
): Promise<void> {
  await tx`insert into editions ${tx({ uid, game_uid, ...stored(edition) })}`
}

export async function updateEdition(tx: Tx, uid: string, edition: Edition): Promise<void> {
  await tx`update editions set ${tx(stored(edition))} where uid = ${uid}`
}

export async function deleteEdition(tx: Tx, uid: string): Promise<void> {
  await tx`delete from editions where uid = ${uid}`
}
