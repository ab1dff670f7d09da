import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { forgetTrouble, lockReceiver, replayDelivery } from './queries.ts'
import { wake } from './webhooks.ts'

/** Someone asked: the receiver is tried at once, whatever it was waiting for. A job that runs already will find it. False when there is none. */
export async function replay(core: Core, game_uid: string, delivery_uid: string): Promise<boolean> {
  return transact(core.sql, async (tx) => {
    const receiver_uid = await replayDelivery(tx, game_uid, delivery_uid)
    const lane = receiver_uid && (await lockReceiver(tx, receiver_uid))
    if (!lane) return false
    const sleeps = lane.job === null || (lane.wake_at !== null && lane.wake_at > new Date())
    await forgetTrouble(tx, lane.uid)
    if (sleeps) await wake(core, tx, { ...lane, failures: 0 })
    return true
  })
}
