import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, website } from '../../accounts/sessions/schemes.ts'
import { transact } from '../../core/database/transaction.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import {
  type DeliveryRow,
  keepReceivers,
  listDeliveries,
  readReceivers,
} from '../deliveries/queries.ts'
import { replay } from '../deliveries/replay.ts'
import { makeSigningKey, readSigningKey } from '../deliveries/signing.ts'
import { webhookRules } from '../deliveries/webhooks.ts'
import { lockSettings, readSettings, saveSettings } from '../reports/queries.ts'
import { changeSettings, type Settings } from '../reports/report-fields.ts'

const url = '/api/v1/private/games/:uid/bug-reporter'
const params = Type.Object({ uid: Type.String() })
const Text = Type.String()
const NEWEST_DELIVERIES = 50
const MOST_PER_PAGE = 100
const deliveryStatuses = ['pending', 'delivered', 'failed'] as const

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

const iso = (date: Date | null) => date?.toISOString() ?? null
const shownDelivery = (row: DeliveryRow): Static<typeof DeliveryData> => ({
  ...row,
  created_at: row.created_at.toISOString(),
  last_attempt_at: iso(row.last_attempt_at),
  next_attempt_at: iso(row.next_attempt_at),
  finished_at: iso(row.finished_at),
})

/** The signing key is for people: an agent that sets the reporter up needs no key to forge its messages with. */
async function shown(
  core: Core,
  who: Identity,
  game_uid: string,
  settings: Settings,
): Promise<Static<typeof SettingsData>> {
  const [signing_key, receivers, { rows }] = await Promise.all([
    who.kind === 'session' ? readSigningKey(core, core.sql, game_uid) : null,
    readReceivers(core.sql, game_uid),
    listDeliveries(core.sql, game_uid, null, { limit: NEWEST_DELIVERIES, offset: 0 }),
  ])
  const webhooks = receivers.map(
    ({ failing_since, next_attempt_at, disabled_at, ...receiver }) => ({
      ...receiver,
      state: disabled_at
        ? ('disabled' as const)
        : failing_since
          ? ('failing' as const)
          : ('ok' as const),
      failing_since: iso(failing_since),
      next_attempt_at: iso(next_attempt_at),
      disabled_at: iso(disabled_at),
    }),
  )
  return { ...settings, signing_key, webhooks, deliveries: rows.map(shownDelivery) }
}

export const readBugReporter = route({
  method: 'GET',
  url,
  summary: 'The bug reporter of your listing: settings, signing key and the newest deliveries',
  auth: developer('mcp:bugs.read'),
  params,
  data: SettingsData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return shown(core, who, uid, await readSettings(sql, uid))
  },
})

export const saveBugReporter = route({
  method: 'PUT',
  url,
  summary: 'Change the bug reporter; what is not named stays',
  description:
    'With the first enabling, or the first webhook, a signing key is made. A webhook that was disabled is tried again once it is saved.',
  auth: developer('mcp:bugs.write'),
  limits: [perAccount(120)],
  params,
  body: Body({
    enabled: Type.Optional(Type.Unknown()),
    daily_cap: Type.Optional(Type.Unknown()),
    webhook_urls: Type.Optional(Type.Unknown()),
  }),
  data: SettingsData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params, body }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return shown(core, who, uid, await save(core, uid, body))
  },
})

async function save(
  core: Core,
  game_uid: string,
  sent: Parameters<typeof changeSettings>[1],
): Promise<Settings> {
  return transact(core.sql, async (tx) => {
    const settings = changeSettings(await lockSettings(tx, game_uid), sent, webhookRules(core))
    await saveSettings(tx, game_uid, settings)
    if (sent.webhook_urls !== undefined)
      await keepReceivers(
        tx,
        game_uid,
        settings.webhook_urls.map((url) => ({ uid: uuidv7(), url })),
      )
    // While the settings are locked: two reports that need the first one at once would each make their own.
    const signs = settings.enabled || settings.webhook_urls.length > 0
    if (signs && !(await readSigningKey(core, tx, game_uid)))
      await makeSigningKey(core, tx, game_uid)
    return settings
  })
}

export const refreshSigningKey = route({
  method: 'POST',
  url: `${url}/signing-key`,
  summary: 'Make a new signing key; signatures made with the old one no longer verify',
  auth: website,
  limits: [perAccount(60)],
  params,
  data: Type.Object({ signing_key: Text }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const signing_key = await transact(sql, async (tx) => {
      await lockSettings(tx, uid)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: uid,
        action: 'bugs.refresh-signing-key',
      })
      return makeSigningKey(core, tx, uid)
    })
    return { signing_key }
  },
})

export const listBugDeliveries = route({
  method: 'GET',
  url: `${url}/deliveries`,
  summary: 'Every webhook delivery of your listing, newest first',
  auth: developer('mcp:bugs.read'),
  params,
  query: Type.Object({ status: Type.Optional(OneOf(deliveryStatuses)), ...pageQuery }),
  data: Type.Object({ items: Type.Array(DeliveryData), ...pageData }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const { page, page_size, ...window } = paging(query, MOST_PER_PAGE)
    const { rows, total } = await listDeliveries(sql, uid, query.status ?? null, window)
    return { items: rows.map(shownDelivery), total, page, page_size }
  },
})

export const replayBugDelivery = route({
  method: 'POST',
  url: `${url}/deliveries/:delivery_uid/replay`,
  summary: 'Send a delivery again, now, with the body it had; also one that arrived',
  auth: developer('mcp:bugs.write'),
  limits: [perAccount(120)],
  params: Type.Object({ uid: Text, delivery_uid: Text }),
  status: 202,
  data: Type.Object({ status: Type.Literal('pending') }),
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    if (!isUuid(params.delivery_uid) || !(await replay(core, uid, params.delivery_uid)))
      refuse('NOT_FOUND')
    return { status: 'pending' as const }
  },
})
