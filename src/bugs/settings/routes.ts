import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { type RequestSource, recordSecurityEvent } from '../../accounts/security-events/record.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { hasRecentSignIn } from '../../accounts/sessions/step-up.ts'
import { transact } from '../../core/database/transaction.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import {
  Body,
  Checked,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { type DeliveryRow, deliveryStatuses, listDeliveries } from '../deliveries/queries.ts'
import { type ReceiverRow, readReceivers, upsertReceivers } from '../deliveries/receiver-queries.ts'
import { replayDelivery } from '../deliveries/replay.ts'
import { makeSigningKey, readSigningKey } from '../deliveries/signing.ts'
import { webhookRules } from '../deliveries/webhook-url.ts'
import { lockSettings, readSettings, saveSettings } from './queries.ts'
import {
  changeSettings,
  MAX_DAILY_CAP,
  MAX_WEBHOOKS,
  type Settings,
  type SettingsChange,
} from './settings.ts'

const url = '/api/v1/private/games/:uid/bug-reporter'
const params = Type.Object({ uid: Type.String() })
const Text = Type.String()
const MAX_NEWEST_DELIVERIES = 50
const MAX_PAGE_SIZE = 100

const DeliveryData = Type.Object({
  uid: Uid,
  bug_uid: Uid,
  url: Text,
  kind: OneOf(['json', 'chat']),
  status: OneOf(deliveryStatuses),
  attempts: Type.Integer(),
  response_status: Nullable(Type.Integer()),
  error: Nullable(Text),
  created_at: Timestamp,
  last_attempt_at: Nullable(Timestamp),
  next_attempt_at: Nullable(Timestamp),
  finished_at: Nullable(Timestamp),
})
const SettingsData = Type.Object({
  enabled: Type.Boolean(),
  daily_cap: Type.Integer(),
  webhook_urls: Type.Array(Text),
  signing_key: Nullable(Text),
  has_signing_key: Type.Boolean(),
  webhooks: Type.Array(
    Type.Object({
      url: Text,
      state: OneOf(['ok', 'failing', 'disabled']),
      pending: Type.Integer(),
      failing_since: Nullable(Timestamp),
      next_attempt_at: Nullable(Timestamp),
      disabled_at: Nullable(Timestamp),
      last_error: Nullable(Text),
    }),
  ),
  deliveries: Type.Array(DeliveryData),
})
nameSchemas({ BugDelivery: DeliveryData, BugReporterSettings: SettingsData })

const iso = (date: Date | null) => date?.toISOString() ?? null
const toDeliveryData = (row: DeliveryRow): Static<typeof DeliveryData> => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_attempt_at: iso(row.last_attempt_at),
  next_attempt_at: iso(row.next_attempt_at),
  finished_at: iso(row.finished_at),
})

const toWebhookData = (row: ReceiverRow) => ({
  ...row,
  state: webhookState(row),
  failing_since: iso(row.failing_since),
  next_attempt_at: iso(row.next_attempt_at),
  disabled_at: iso(row.disabled_at),
})

function webhookState({ disabled_at, failing_since }: ReceiverRow): 'disabled' | 'failing' | 'ok' {
  if (disabled_at) return 'disabled'
  return failing_since ? 'failing' : 'ok'
}

/**
 * Only people see the signing key, and only with a fresh proof: an agent that could read it could
 * forge signed messages.
 */
async function toSettingsData(
  core: Core,
  who: Identity,
  game_uid: string,
  settings: Settings,
): Promise<Static<typeof SettingsData>> {
  const [signing_key, is_proved, receivers, { rows }] = await Promise.all([
    readSigningKey(core, core.sql, game_uid),
    hasRecentSignIn(core.sql, who, new Date()),
    readReceivers(core.sql, game_uid),
    listDeliveries(core.sql, game_uid, null, { limit: MAX_NEWEST_DELIVERIES, offset: 0 }),
  ])
  return {
    ...settings,
    signing_key: is_proved ? signing_key : null,
    has_signing_key: signing_key !== null,
    webhooks: receivers.map(toWebhookData),
    deliveries: rows.map(toDeliveryData),
  }
}

export const readBugReporter = route({
  method: 'GET',
  url,
  summary: 'Read the bug reporter of your listing: settings, signing key and newest deliveries',
  description: 'Without a fresh proof the signing key is null; …/signing-key asks for one.',
  auth: developer('mcp:bugs.read'),
  params,
  data: SettingsData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return toSettingsData(core, who, uid, await readSettings(sql, uid))
  },
})

const dailyCap = Type.Integer({
  minimum: 1,
  maximum: MAX_DAILY_CAP,
  description: 'How many reports of one player are taken in a day',
})
const webhookUrls = Type.Array(Type.String(), {
  maxItems: MAX_WEBHOOKS,
  description: 'Where new reports are sent, https',
})

export const saveBugReporter = route({
  method: 'PUT',
  url,
  summary: 'Change the bug reporter; fields that are not sent stay as they are',
  description:
    'Enabling the reporter or adding a webhook for the first time creates a signing key. ' +
    'Saving a disabled webhook enables it again.',
  auth: developer('mcp:bugs.write'),
  limits: [perAccount(120)],
  params,
  body: Body({
    enabled: Type.Optional(Checked(Type.Boolean({ description: 'Whether it takes reports' }))),
    daily_cap: Type.Optional(Checked(dailyCap)),
    webhook_urls: Type.Optional(Checked(webhookUrls)),
  }),
  data: SettingsData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return toSettingsData(core, who, uid, await applyChange({ core, request }, uid, body))
  },
})

async function applyChange(
  { core, request }: RequestSource,
  game_uid: string,
  change: SettingsChange,
): Promise<Settings> {
  return transact(core.sql, async (tx) => {
    const settings = changeSettings(await lockSettings(tx, game_uid), change, webhookRules(core))
    const { enabled, webhook_urls } = settings
    await saveSettings(tx, game_uid, settings)
    if (change.webhook_urls !== undefined) {
      const receivers = webhook_urls.map((url) => ({ uid: uuidv7(), url }))
      await upsertReceivers(tx, game_uid, receivers)
    }
    // Created while the settings are locked; two reports at once would each create their own.
    const needs_key = enabled || webhook_urls.length > 0
    if (needs_key && !(await readSigningKey(core, tx, game_uid))) {
      await makeSigningKey(core, tx, game_uid)
      await recordSecurityEvent(tx, { core, request }, { kind: 'webhook_secret_created', game_uid })
    }
    return settings
  })
}

export const revealSigningKey = route({
  method: 'GET',
  url: `${url}/signing-key`,
  summary: 'Read the signing key',
  auth: website,
  step_up: true,
  limits: [perAccount(60)],
  params,
  data: Type.Object({ signing_key: Text }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const signing_key = (await readSigningKey(core, sql, uid)) ?? refuse('NOT_FOUND')
    const event = { kind: 'webhook_secret_shown', game_uid: uid } as const
    await recordSecurityEvent(sql, { core, request }, event)
    return { signing_key }
  },
})

export const refreshSigningKey = route({
  method: 'POST',
  url: `${url}/signing-key`,
  summary: 'Replace the signing key; signatures made with the old key no longer verify',
  auth: website,
  step_up: true,
  limits: [perAccount(60)],
  params,
  data: Type.Object({ signing_key: Text }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, request, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const signing_key = await transact(sql, async (tx) => {
      await lockSettings(tx, uid)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: uid,
        action: 'bugs.refresh-signing-key',
      })
      const event = { kind: 'webhook_secret_created', game_uid: uid } as const
      await recordSecurityEvent(tx, { core, request }, event)
      return makeSigningKey(core, tx, uid)
    })
    return { signing_key }
  },
})

export const listBugDeliveries = route({
  method: 'GET',
  url: `${url}/deliveries`,
  summary: 'List the webhook deliveries of your listing, newest first',
  auth: developer('mcp:bugs.read'),
  params,
  query: Type.Object({ status: Type.Optional(OneOf(deliveryStatuses)), ...pageQuery }),
  data: Type.Object({ items: Type.Array(DeliveryData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query, MAX_PAGE_SIZE)
    const { rows, total } = await listDeliveries(sql, uid, query.status ?? null, window)
    return { items: rows.map(toDeliveryData), total, page, page_size }
  },
})

export const replayBugDelivery = route({
  method: 'POST',
  url: `${url}/deliveries/:delivery_uid/replay`,
  summary: 'Resend a delivery now, with the same body; also one that was delivered',
  auth: developer('mcp:bugs.write'),
  limits: [perAccount(120)],
  params: Type.Object({ uid: Text, delivery_uid: Text }),
  status: 202,
  data: Type.Object({ status: Type.Literal('pending') }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { delivery_uid } = params
    if (!isUuid(delivery_uid) || !(await replayDelivery(core, uid, delivery_uid)))
      refuse('NOT_FOUND')
    return { status: 'pending' as const }
  },
})

export const bugReporterRoutes = [
  readBugReporter,
  saveBugReporter,
  revealSigningKey,
  refreshSigningKey,
  listBugDeliveries,
  replayBugDelivery,
]
