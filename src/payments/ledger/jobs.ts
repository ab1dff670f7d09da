import { job } from '../../core/jobs/index.ts'
import { DAY_MS, HOUR } from '../../core/runtime/units.ts'
import { setProblem } from '../orders/queries.ts'
import { verifyLedger } from './verify.ts'

/** Orders of this many days are compared with the provider every night. */
const DAYS = 3

export const verifyLedgerJob = job({
  name: 'payments.verify-ledger',
  schedule: '41 3 * * *',
  retries: 2,
  expire_seconds: HOUR,
  async handle({ core, signal }) {
    const since = new Date(Date.now() - DAYS * DAY_MS)
    const { problems } = await verifyLedger(core, { since, signal })
    for (const { order_uid, problem } of problems) {
      core.log.error({ order: order_uid, problem }, 'The ledger differs')
      await setProblem(core.sql, order_uid, { code: 'ledger_differs', reason: problem })
    }
  },
})
