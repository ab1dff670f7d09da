import { databaseTime } from '../../core/database/sql.ts'
import { job } from '../../core/jobs/index.ts'
import { DAY_US, dayOf, MAX_AGE_US } from '../timestamps.ts'
import { DAYS_AHEAD } from './event-buffer.ts'
import { createEventDays, deleteOldRollups, dropEventDays } from './queries.ts'

/** Creates the partitions of coming days and drops those past their retention. */
export const rotateEventDays = job({
  name: 'telemetry.event-days',
  schedule: '37 */6 * * *',
  expire_seconds: 600,
  async handle({ core, finish }) {
    const now_us = (await databaseTime(core.sql)).getTime() * 1000
    const retention_us = core.config.event_retention_days * DAY_US
    const oldest_us = now_us - MAX_AGE_US - DAY_US
    await createEventDays(core.sql, dayOf(oldest_us), dayOf(now_us + DAYS_AHEAD * DAY_US))
    await core.sql.begin((tx) =>
      deleteOldRollups(tx, dayOf(Math.min(now_us - retention_us, oldest_us))),
    )
    if (!(await dropEventDays(core.slow, dayOf(now_us - retention_us))))
      core.log.warn('old events are in use, by a backup perhaps; the next run removes them')
    await finish(async () => {})
  },
})
