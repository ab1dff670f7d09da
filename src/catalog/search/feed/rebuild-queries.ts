import type { Sql, Tx } from '../../../core/database/sql.ts'

/**
 * Changes the identity of the catalog, so that no process uses its snapshot at the next start.
 * Returns the new one.
 */
export async function invalidateSnapshots(sql: Sql | Tx): Promise<string> {
  const [row] = await sql<{ id: string }[]>`
    update catalog_identity
    set id = gen_random_uuid()
    returning id`
  return row!.id
}

export async function readCatalogId(sql: Sql): Promise<string> {
  const [row] = await sql<{ id: string }[]>`select id from catalog_identity`
  return row!.id
}

/**
 * Records a change for the next listings in the order of their creation, so that every index reads
 * them again. Undefined when there are no more.
 */
export async function requeueListings(
  sql: Sql,
  after: number,
  limit: number,
): Promise<{ last: number; count: number } | undefined> {
  const [batch] = await sql<{ last: number | null; count: number }[]>`
    with next as (
      select uid, asset_id from listings where asset_id > ${after} order by asset_id limit ${limit}
    ), requeued as (
      insert into listing_changes (game_uid) select uid from next
    )
    select max(asset_id) as last, count(*)::int as count from next`
  return batch?.last ? { last: batch.last, count: batch.count } : undefined
}
