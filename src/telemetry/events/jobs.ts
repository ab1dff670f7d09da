import { job } from '../../core/jobs/index.ts'
import { dayOf, OLDEST_US } from '../timestamps.ts'
import { DAYS_AHEAD } from './event-buffer.ts'
import { dropDays, makeDays, sweepRollups } from './queries.ts'

const DAY_US = 86_400_000_000

/** Tables for the days to come, and none for days that are over for good. */
export const turnEventDays = job({
  name: 'telemetry.event-days',
  schedule: '37 */6 * * *',
  expire_seconds: 600,
  async handle({ core, finish }) {
    const now_us = Date.now() * 1000
    const kept_us = core.config.event_retention_days * DAY_US
    await makeDays(
      core.sql,
      dayOf(now_us - OLDEST_US - DAY_US),
      dayOf(now_us + DAYS_AHEAD * DAY_US),
    )
    // On its own, since it may take long: nobody can write while the transaction that drops tables is open.
    await core.sql.begin((tx) =>
      sweepRollups(tx, dayOf(now_us - Math.max(kept_us, OLDEST_US + DAY_US))),
    )
    await finish((tx) => dropDays(tx, dayOf(now_us - kept_us)))
  },
})
