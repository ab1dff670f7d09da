import type { Sql } from '../../core/database/sql.ts'
import { readHolding } from '../../library/copy-queries.ts'

type Order = { buyer_uid: string | null; game_uid: string | null }

/**
 * Whether the buyer of an order has what it was for in the library now. After a refund they do if
 * they paid for it twice, or had it before.
 */
export async function hasCopyStill(sql: Sql, { buyer_uid, game_uid }: Order): Promise<boolean> {
  if (!buyer_uid || !game_uid) return false
  return Boolean((await readHolding(sql, buyer_uid, game_uid))?.source)
}
