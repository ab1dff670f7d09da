/** The columns that the deliveries of bugs and of reports share, as they change with an attempt. */

import type { ISql } from 'postgres'
import { retention } from '../../core/runtime/retention.ts'
import type { FailedAttempt } from './retry-schedule.ts'

const attempted = (sql: ISql) => sql`
  attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, now()),
  last_attempt_at = now()`

export const asDelivered = (sql: ISql, response_status: number) => sql`
  ${attempted(sql)}, status = 'delivered', error = null, response_status = ${response_status},
  next_attempt_at = null, finished_at = now()`

/** An attempt that failed; whether there is another is for the caller to say. */
export const asAttempted = (
  sql: ISql,
  { status, error }: Pick<FailedAttempt, 'status' | 'error'>,
) => sql`${attempted(sql)}, response_status = ${status}, error = ${error}`

export const asFailed = (sql: ISql) => sql`
  status = 'failed', next_attempt_at = null, finished_at = now()`

/** Pending again, as if new; when it is due is for the caller to say. */
export const asNew = (sql: ISql) => sql`
  status = 'pending', attempts = 0, error = null, response_status = null,
  first_attempt_at = null, finished_at = null`

/** Whether a delivery has been kept for as long as its result says. */
export const isOld = (sql: ISql) => sql`
  (status = 'delivered'
    and finished_at < now() - ${retention.delivered_bug_days} * interval '1 day')
  or (status = 'failed'
    and finished_at < now() - ${retention.failed_bug_delivery_days} * interval '1 day')`
