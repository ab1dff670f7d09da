import type { Sql } from '../../../core/database/sql.ts'

/** Files of an index belong to an identity: with a new one, none of them is believed at the next start. */
export async function forgetIndexes(sql: Sql): Promise<void> {
  await sql`update catalog_identity set id = gen_random_uuid()`
}

/** Leaves a change for the next listings, in the order of making. Nothing where there are no more. */
export async function touchListings(
  sql: Sql,
  after: number,
  most: number,
): Promise<{ last: number; count: number } | undefined> {
  const [batch] = await sql<{ last: number | null; count: number }[]>`
    with next as (select uid, asset_id from listings where asset_id > ${after} order by asset_id limit ${most}),
      touched as (insert into listing_changes (game_uid) select uid from next)
    select max(asset_id) as last, count(*)::int as count from next`
  return batch?.last ? { last: batch.last, count: batch.count } : undefined
}
