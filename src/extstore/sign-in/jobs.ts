import { job } from '../../core/jobs/index.ts'
import { sweepLinks } from '../linked-accounts/queries.ts'
import { deleteOldSessions } from './queries.ts'
import { RETENTION_DAYS } from './tokens.ts'

const BATCH = 5000
const DAY_MS = 86_400_000

/** Small deletes, one after the other: millions at once would hold the table up. What is left over waits for the next hour. */
export const sweepSessions = job({
  name: 'extstore.sweep',
  schedule: '41 * * * *',
  expire_seconds: 900,
  async handle({ core, signal, finish }) {
    const expired_before = new Date(Date.now() - RETENTION_DAYS * DAY_MS)
    for (let deleted = BATCH; deleted === BATCH && !signal.aborted; )
      deleted = await deleteOldSessions(core.sql, expired_before, BATCH)
    await finish((tx) => sweepLinks(tx, new Date()))
  },
})
