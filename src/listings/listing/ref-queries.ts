import type { Sql } from '../../core/database/sql.ts'
import { isUuid } from '../../core/security/crypto.ts'

/**
 * The uids of listings by their uids or vanity names, as rows with the column `uid`.
 *
 * For `uid = any(list)` the planner makes a new plan at every execution, because it takes a plan
 * for any list to be costlier than the one for this list, and planning takes longer than the query.
 * With the limit as a parameter it expects one row of any list, and keeps the plan.
 */
export function listingUids(sql: Sql, refs: readonly string[]) {
  const uids = refs.filter(isUuid)
  const names = refs.filter((ref) => !isUuid(ref))
  const by_uid = sql`select unnest(${uids}::uuid[]) as uid limit ${uids.length}`
  const by_name = sql`
    select l.uid
    from (select unnest(${names}::text[]) as name limit ${names.length}) n
    join listings l on l.vanity_name = n.name`
  if (!names.length) return sql`(${by_uid})`
  return uids.length ? sql`((${by_uid}) union ${by_name})` : sql`(${by_name})`
}
