import { job } from '../../core/jobs/index.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { AccountUnavailable, ProviderUnavailable } from '../provider/provider.ts'
import { syncOrder } from './apply.ts'
import { deleteOldEvents, findDueOrders, markChecked, setProblem } from './queries.ts'

/** Reads what the provider recorded about an order, after a webhook or when its buyer returns. */
export const syncOrderJob = job<{ order_uid: string }>({
  name: 'payments.sync',
  concurrency: 8,
  handle: ({ core, data: { order_uid } }) => syncOrder(core, order_uid),
})

const BATCH = 100
const PARALLEL = 4

/** Finds what no webhook reported: payments, ended checkouts, refunds and disputes. */
export const reconcileOrders = job({
  name: 'payments.reconcile',
  schedule: '*/10 * * * *',
  expire_seconds: 10 * MINUTE,
  async handle({ core, signal }) {
    while (!signal.aborted) {
      const due = await findDueOrders(core.sql, BATCH)
      const waiting = [...due]
      let is_down = false
      const work = async () => {
        for (let order = waiting.pop(); order && !signal.aborted && !is_down; ) {
          try {
            await syncOrder(core, order.uid)
          } catch (error) {
            if (error instanceof ProviderUnavailable && !(error instanceof AccountUnavailable))
              is_down = true
            else {
              core.log.error({ err: error, order: order.uid }, 'An order could not be checked')
              const reason = (error as Error).message
              await setProblem(core.sql, order.uid, { code: 'not_checked', reason })
              await markChecked(core.sql, order.uid)
            }
          }
          order = waiting.pop()
        }
      }
      await Promise.all(Array.from({ length: PARALLEL }, work))
      if (is_down || due.length < BATCH) return
    }
  },
})

/** Longer than the provider repeats a message. */
const EVENT_DAYS = 60

export const sweepEvents = job({
  name: 'payments.sweep',
  schedule: '23 4 * * *',
  handle: ({ finish }) => finish((tx) => deleteOldEvents(tx, EVENT_DAYS)),
})
