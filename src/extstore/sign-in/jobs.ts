import { job } from '../../core/jobs/index.ts'
import { retention } from '../../core/runtime/retention.ts'
import { DAY_MS } from '../../core/runtime/units.ts'
import { deleteExpiredLinkStates } from '../linked-accounts/queries.ts'
import { deleteOldSessions } from './queries.ts'

const BATCH = 5000

/** Deletes in small batches, because one large delete would block the table for long. */
export const sweepSessions = job({
  name: 'extstore.sweep',
  schedule: '41 * * * *',
  expire_seconds: 900,
  async handle({ core, signal, finish }) {
    const expired_before = new Date(Date.now() - retention.extstore_session_days * DAY_MS)
    for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
      deleted = await deleteOldSessions(core.sql, expired_before, BATCH)
    await finish((tx) => deleteExpiredLinkStates(tx, new Date()))
  },
})
