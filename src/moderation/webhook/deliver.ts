import { URL_DISABLED } from '../../bugs/deliveries/queries.ts'
import {
  type AttemptResult,
  type FailedAttempt,
  isExhausted,
  nextAttemptAt,
} from '../../bugs/deliveries/retry-schedule.ts'
import { sendDelivery } from '../../bugs/deliveries/send.ts'
import type { Tx } from '../../core/database/sql.ts'
import type { Core } from '../../core/runtime/core.ts'
import { SECOND_MS } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { reportPayload, type WebhookEvent } from './payload.ts'
import {
  claimDelivery,
  type DueDelivery,
  failPending,
  insertReportDelivery,
  markReportDelivered,
  type ReportFacts,
  recordFailure,
} from './queries.ts'
import { reportsSigningKey } from './signing-key.ts'

export const DELIVER_REPORTS = 'moderation.deliver-reports'
/** After this long a run ends, and the next one goes on. */
const TIME_SLICE_MS = 20 * SECOND_MS
/** Longer than an attempt takes. */
const LEASE_SECONDS = 60

/** At most one job waits; those of many reports are merged. */
export const enqueueDeliveries = ({ jobs }: Core, tx: Tx) =>
  jobs.send(tx, DELIVER_REPORTS, {}, { key: 'deliver' })

/** In the transaction that files the report. Nothing is sent while no address is set. */
export async function announceToWebhook(core: Core, tx: Tx, report_uid: string): Promise<void> {
  if (!core.settings.current.reports_webhook_url) return
  await insertReportDelivery(tx, { uid: uuidv7(), report_uid })
  await enqueueDeliveries(core, tx)
}

/** Sends one report to the address of the settings. The id is the same in every attempt. */
export async function sendReport(
  core: Core,
  uid: string,
  event: WebhookEvent,
  report: ReportFacts,
): Promise<AttemptResult> {
  const signing_key = await reportsSigningKey(core, core.sql)
  const attempt = { uid, ...reportPayload(core, signing_key, event, report), signing_key }
  return sendDelivery(core, core.settings.current.reports_webhook_url, attempt)
}

/** Sends what is due, the oldest first; each report is retried on its own schedule. */
export async function deliverReports(core: Core): Promise<void> {
  const deadline = Date.now() + TIME_SLICE_MS
  if (!core.settings.current.reports_webhook_url) return failPending(core.sql, URL_DISABLED)
  while (Date.now() < deadline) {
    const delivery = await claimDelivery(core.sql, LEASE_SECONDS)
    if (!delivery) return
    const result = await sendReport(core, delivery.uid, 'report.created', delivery)
    if (result.delivered) await markReportDelivered(core.sql, delivery.uid, result.status)
    else await recordFailure(core.sql, delivery.uid, result, retryAt(delivery, result))
  }
}

/** When a failed delivery is tried again; null once its retries are used up. */
function retryAt(
  { attempts, first_attempt_at }: DueDelivery,
  { retry_after, is_gone }: FailedAttempt,
): Date | null {
  const now = new Date()
  const streak = { failures: attempts + 1, since: first_attempt_at ?? now, retry_after }
  if (is_gone || isExhausted(streak, now)) return null
  return nextAttemptAt(streak, now, Math.random())
}
