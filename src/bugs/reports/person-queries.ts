import type { Tx } from '../../core/database/sql.ts'

/** Removes a person from the tickets they filed; the tickets stay. Returns how many. */
export async function anonymizeReporter(
  tx: Tx,
  { uid, extstore_id }: { uid: string; extstore_id: string | null },
): Promise<number> {
  const { count } = await tx`
    update bugs set user_uid = null, extstore_id = null, notice_uid = null
    where user_uid = ${uid} or extstore_id = ${extstore_id}`
  const keys = [`user:${uid}`, `extstore:${extstore_id}`]
  await tx`delete from bug_counts where reporter = any(${keys})`
  return count
}
