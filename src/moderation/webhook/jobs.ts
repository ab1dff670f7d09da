import { job } from '../../core/jobs/index.ts'
import { DELIVER_REPORTS, deliverReports, enqueueDeliveries } from './deliver.ts'
import { deleteOldReportDeliveries, hasDueDelivery } from './queries.ts'

/** Started by every report, and every minute for what is retried. */
export const deliverReportsJob = job({
  name: DELIVER_REPORTS,
  schedule: '* * * * *',
  async handle({ core, finish }) {
    await deliverReports(core)
    await finish(async (tx) => {
      if (await hasDueDelivery(tx)) await enqueueDeliveries(core, tx)
    })
  },
})

export const sweepReportDeliveries = job({
  name: 'moderation.sweep-deliveries',
  schedule: '17 4 * * *',
  handle: ({ finish }) => finish(deleteOldReportDeliveries),
})
