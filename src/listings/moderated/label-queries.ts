import type { Sql, Tx } from '../../core/database/sql.ts'
import type { LabelField, LockedLabel, StoredLabels } from './labels.ts'

export async function readLabels(sql: Sql | Tx, uid: string): Promise<StoredLabels | undefined> {
  const [row] = await sql<StoredLabels[]>`
    select adult, content_warnings, tags
    from all_listings
    where uid = ${uid}`
  return row
}

export async function storeLabels(tx: Tx, uid: string, labels: StoredLabels): Promise<void> {
  await tx`
    update all_listings
    set adult = ${labels.adult}, content_warnings = ${labels.content_warnings},
      tags = ${labels.tags}, updated_at = greatest(updated_at, now())
    where uid = ${uid}`
}

export async function readLockedLabels(tx: Sql | Tx, uid: string): Promise<LockedLabel[]> {
  return tx<LockedLabel[]>`
    select field, value, present
    from locked_labels
    where game_uid = ${uid}
    order by field, value`
}

/** False if the value was not locked. */
export async function unlockLabel(
  tx: Tx,
  uid: string,
  { field, value }: { field: LabelField; value: string },
): Promise<boolean> {
  const { count } = await tx`
    delete from locked_labels
    where game_uid = ${uid} and field = ${field} and value = ${value}`
  return count === 1
}

export async function lockLabel(
  tx: Tx,
  uid: string,
  label: LockedLabel & { action_uid: string },
): Promise<void> {
  await tx`insert into locked_labels ${tx({ game_uid: uid, ...label })}`
}

/** Unlocks all labels of a listing, or those of one decision, and returns them. */
export async function unlockLabels(
  tx: Tx,
  uid: string,
  action_uid: string | undefined,
): Promise<LockedLabel[]> {
  return tx<LockedLabel[]>`
    delete from locked_labels
    where game_uid = ${uid} ${action_uid ? tx`and action_uid = ${action_uid}` : tx``}
    returning field, value, present`
}
