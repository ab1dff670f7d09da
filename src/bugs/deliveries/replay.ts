import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { resetDelivery } from './queries.ts'
import { enqueueReceiver } from './queue.ts'
import { resetBackoff } from './receiver-queries.ts'

/**
 * Makes a delivery once more, at once, even if its receiver is backing off. Returns false if the
 * game has no such delivery.
 */
export async function replayDelivery(
  core: Core,
  game_uid: string,
  delivery_uid: string,
): Promise<boolean> {
  return transact(core.sql, async (tx) => {
    const receiver = await resetDelivery(tx, game_uid, delivery_uid)
    if (!receiver) return false
    const { uid, job, wake_at } = receiver
    await resetBackoff(tx, uid)
    // A job that is running already will find the delivery.
    const is_running = job !== null && !(wake_at !== null && wake_at > new Date())
    if (!is_running) await enqueueReceiver(core, tx, { uid, failures: 0 })
    return true
  })
}
