import { job } from '../../core/jobs/index.ts'
import { syncOrder } from '../orders/apply.ts'
import { findOrder, setProblem } from '../orders/queries.ts'
import { providers } from '../provider/open-providers.ts'
import { RefundRefused } from '../provider/provider.ts'
import { endRefund, findRefund } from './queries.ts'

/** Sends money back. The provider does it once, however often this job runs. */
export const sendRefund = job<{ refund_uid: string }>({
  name: 'payments.refund',
  retries: 40,
  async handle({ core, data: { refund_uid } }) {
    const refund = await findRefund(core.sql, refund_uid)
    const order = refund && (await findOrder(core.sql, refund.order_uid))
    if (!order) return
    try {
      if (refund.state === 'sending') {
        const { ref } = await providers[order.provider].refund(core, order, refund)
        await endRefund(core.sql, refund_uid, { state: 'done', provider_ref: ref, answer: '' })
      }
    } catch (error) {
      if (!(error instanceof RefundRefused)) throw error
      const answer = error.message.slice(0, 500)
      await endRefund(core.sql, refund_uid, { state: 'failed', provider_ref: null, answer })
      await setProblem(core.sql, order.uid, `A refund failed: ${answer}`)
    }
    await syncOrder(core, order.uid)
  },
})
