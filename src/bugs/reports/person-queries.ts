import type { Tx } from '../../core/database/sql.ts'

/** Tickets stay with the game; who filed them is forgotten, by every name we know them by. */
export async function forgetReporter(
  tx: Tx,
  { uid, extstore_id }: { uid: string; extstore_id: string | null },
): Promise<number> {
  const { count } = await tx`
    update bugs set user_uid = null, extstore_id = null, notice_uid = null where user_uid = ${uid} or extstore_id = ${extstore_id}`
  await tx`delete from bug_counts where reporter = any(${[`user:${uid}`, `extstore:${extstore_id}`]})`
  return count
}
