import { Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { operator, operatorInPerson } from '../../accounts/people/operator-access.ts'
import { deliveryStatuses } from '../../bugs/deliveries/queries.ts'
import { transact } from '../../core/database/transaction.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { targetTypes } from '../decisions.ts'
import { enqueueDeliveries, sendReport } from './deliver.ts'
import { listReportDeliveries, type ReportDeliveryRow, resetReportDelivery } from './queries.ts'
import { replaceReportsSigningKey, reportsSigningKey } from './signing-key.ts'

const WEBHOOK = '/api/v1/private/operations/reports-webhook'
const KEY = `${WEBHOOK}/signing-key`
const Text = Type.String()
const KeyData = Type.Object({ signing_key: Text })
const limits = [perAccount(60, { bucket: 'reports webhook' })]

const iso = (date: Date | null) => date?.toISOString() ?? null
const toData = (row: ReportDeliveryRow) => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_attempt_at: iso(row.last_attempt_at),
  next_attempt_at: iso(row.next_attempt_at),
  finished_at: iso(row.finished_at),
})

export const listReportDeliveriesRoute = route({
  method: 'GET',
  url: `${WEBHOOK}/deliveries`,
  summary: 'For operators: what the webhook for reports was sent, newest first',
  auth: operator,
  limits,
  query: Type.Object({ status: Type.Optional(OneOf(deliveryStatuses)), ...pageQuery }),
  data: Type.Object({
    items: Type.Array(
      Type.Object({
        uid: Uid,
        report_id: Uid,
        target_type: OneOf(targetTypes),
        target_id: Text,
        target_name: Text,
        status: OneOf(deliveryStatuses),
        attempts: Type.Integer(),
        response_status: Nullable(Type.Integer()),
        error: Nullable(Text),
        created_at: Timestamp,
        last_attempt_at: Nullable(Timestamp),
        next_attempt_at: Nullable(Timestamp),
        finished_at: Nullable(Timestamp),
      }),
    ),
    ...pageData,
  }),
  async handle({ sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { rows, total } = await listReportDeliveries(sql, query.status ?? null, window)
    return { items: rows.map(toData), total, page, page_size }
  },
})

export const replayReportDeliveryRoute = route({
  method: 'POST',
  url: `${WEBHOOK}/deliveries/:uid/replay`,
  summary: 'For operators: send a report to the webhook again, with the same delivery id',
  auth: operator,
  limits,
  params: Type.Object({ uid: Uid }),
  status: 202,
  data: Type.Object({ status: Type.Literal('pending') }),
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, params: { uid } }) {
    if (!core.settings.current.reports_webhook_url) refuse('CONFLICT', undefined, NO_WEBHOOK)
    await transact(core.sql, async (tx) => {
      if (!(await resetReportDelivery(tx, uid))) refuse('NOT_FOUND')
      await enqueueDeliveries(core, tx)
    })
    return { status: 'pending' as const }
  },
})

const NO_WEBHOOK = explain('reports_webhook_missing', 'Set reports_webhook_url first')

/** A report that nobody made, for the test of the webhook. */
const exampleReport = () => ({
  report_uid: '00000000-0000-0000-0000-000000000000',
  target_type: 'listing' as const,
  target_id: '00000000-0000-0000-0000-000000000000',
  target_name: 'Test',
  kind: 'other' as const,
  decided_at: null,
  created_at: new Date(),
})

export const testReportsWebhookRoute = route({
  method: 'POST',
  url: `${WEBHOOK}/test`,
  summary: 'For operators: send the event report.test to the webhook for reports',
  auth: operator,
  limits: [perAccount(30, { seconds: HOUR })],
  data: Type.Object({
    delivered: Type.Boolean(),
    response_status: Nullable(Type.Integer()),
    error: Nullable(Text),
  }),
  errors: ['CONFLICT'],
  async handle({ core }) {
    if (!core.settings.current.reports_webhook_url) refuse('CONFLICT', undefined, NO_WEBHOOK)
    const result = await sendReport(core, uuidv7(), 'report.test', exampleReport())
    const { delivered, status: response_status } = result
    return { delivered, response_status, error: result.delivered ? null : result.error }
  },
})

export const readReportsSigningKeyRoute = route({
  method: 'GET',
  url: KEY,
  summary: 'For operators: the key that signs what the webhook for reports is sent',
  auth: operatorInPerson,
  step_up: true,
  limits,
  data: KeyData,
  handle: async ({ core, sql }) => ({ signing_key: await reportsSigningKey(core, sql) }),
})

export const replaceReportsSigningKeyRoute = route({
  method: 'POST',
  url: KEY,
  summary: 'For operators: replace the signing key of the webhook for reports',
  description: 'Everything that is sent from now on is signed with the new key, retries too.',
  auth: operatorInPerson,
  step_up: true,
  limits,
  data: KeyData,
  async handle({ core, sql, who }) {
    const signing_key = await transact(sql, async (tx) => {
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: null,
        action: 'moderation.replace-signing-key',
      })
      return replaceReportsSigningKey(core, tx)
    })
    return { signing_key }
  },
})

export const reportsWebhookRoutes = [
  listReportDeliveriesRoute,
  replayReportDeliveryRoute,
  testReportsWebhookRoute,
  readReportsSigningKeyRoute,
  replaceReportsSigningKeyRoute,
]
