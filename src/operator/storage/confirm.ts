import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { OwnerRefusal } from '../../core/storage/owner.ts'
import { allowSweeps } from '../../core/storage/sweep-limit.ts'

/** What was confirmed: the reason why nothing was removed, or clean-ups that wait. */
export type Confirmation = { refusal: OwnerRefusal | null; sweeps: string[] }

/**
 * An operator says that the objects belong to this database. If that was clear already, they say
 * that the refused clean-ups may remove what they found. Never both at once: what a database that
 * was restored would remove is known only afterwards.
 */
export async function confirmStorage(core: Core, user_uid: string | null): Promise<Confirmation> {
  const refusal = (await core.owner.renew()) ?? null
  if (refusal) await core.owner.confirm()
  const sweeps = refusal ? [] : await allowSweeps(core.sql)
  if (refusal || sweeps.length)
    await recordAudit(core.sql, {
      user_uid,
      game_uid: null,
      action: 'operator.confirm-storage',
      detail: refusal ? { refusal } : { sweeps: sweeps.join(', ') },
    })
  return { refusal, sweeps }
}
