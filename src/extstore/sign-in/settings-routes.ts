import { type Static, Type } from 'typebox'
import { website } from '../../accounts/sessions/schemes.ts'
import { Body, Nullable, nameSchemas, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { ErrorName } from '../../core/runtime/errors.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { perAccount } from '../../core/security/limits.ts'
import {
  linkOf,
  replaceAuthKey,
  replaceTicketKey,
  replaceWebApiKey,
  revealAuthKey,
  turnOff,
  turnOn,
  unlink,
} from './keys.ts'
import type { LinkRow } from './settings-queries.ts'

/**
 * For the owner and admins, on the website only. Agent tokens are refused, because these keys allow
 * their holder to sign players in.
 */

const url = '/api/v1/private/games/:game_id/steam'
const params = Type.Object({ game_id: Type.String() })
const shared = { auth: website, params }
const limits = [perAccount(60, { seconds: HOUR, bucket: 'extstore settings' })]
const linkErrors: ErrorName[] = ['NOT_FOUND', 'EXTSTORE_NOT_LINKED']
const signInErrors: ErrorName[] = [...linkErrors, 'EXTSTORE_SIGN_IN_OFF']
const keyErrors: ErrorName[] = [
  'INVALID_EXTSTORE_REQUEST',
  'NOT_A_PUBLISHER_KEY',
  'EXTSTORE_APP_REFUSED',
  'EXTSTORE_UNAVAILABLE',
  'CONFLICT',
]

export const SettingsData = Type.Object({
  app_id: Type.Integer(),
  app_name: Type.String(),
  linked_at: Timestamp,
  last_synced_at: Nullable(Timestamp),
  auth: Type.Object({
    enabled: Type.Boolean(),
    ticket_key: Type.Optional(Type.String()),
    auth_key_last4: Type.Optional(Type.String()),
    web_api_key_set: Type.Boolean(),
    urls: Type.Object({
      auth: Type.String(),
      refresh: Type.String(),
      verify: Type.String(),
      revoke: Type.String(),
      ownership: Type.String(),
    }),
  }),
})
nameSchemas({ SignInSettings: SettingsData })

export function toSettings({ addresses }: Core, row: LinkRow): Static<typeof SettingsData> {
  const base = `${addresses.base_url}/api/v1/extstore/${row.game_uid}`
  return {
    app_id: row.app_id,
    app_name: row.app_name,
    linked_at: row.linked_at.toISOString(),
    last_synced_at: row.last_synced_at?.toISOString() ?? null,
    auth: {
      enabled: row.enabled,
      ...(row.ticket_key && row.auth_key_last4
        ? { ticket_key: row.ticket_key, auth_key_last4: row.auth_key_last4 }
        : {}),
      web_api_key_set: row.enabled,
      urls: {
        auth: `${base}/auth`,
        refresh: `${base}/refresh`,
        verify: `${base}/server/verify`,
        revoke: `${base}/server/revoke`,
        ownership: `${base}/server/ownership/{extstore_id}`,
      },
    },
  }
}

const WebApiKey = Body({ web_api_key: Type.String({ maxLength: 512 }) })

export const readSettings = route({
  ...shared,
  method: 'GET',
  url,
  summary: 'Read the linked app of a listing and its sign-in settings',
  data: SettingsData,
  errors: linkErrors,
  handle: async ({ core, who, params }) =>
    toSettings(core, await linkOf(core, who, params.game_id)),
})

export const unlinkListing = route({
  ...shared,
  step_up: true,
  method: 'DELETE',
  url,
  summary: 'Unlink a listing from its app',
  description: 'Turns sign-in off and deletes its keys. Imported fields stay.',
  limits,
  data: Type.Object({}),
  errors: linkErrors,
  async handle({ core, who, params }) {
    await unlink(core, who, params.game_id)
    return {}
  },
})

export const turnSignInOn = route({
  ...shared,
  step_up: true,
  method: 'POST',
  url: `${url}/auth`,
  summary: 'Turn sign-in on with a publisher Web API key',
  description: 'The key is never shown again.',
  limits,
  body: WebApiKey,
  data: SettingsData,
  errors: [...linkErrors, ...keyErrors],
  async handle({ core, who, params, body }) {
    await turnOn(core, who, params.game_id, body.web_api_key)
    return toSettings(core, await linkOf(core, who, params.game_id))
  },
})

export const turnSignInOff = route({
  ...shared,
  step_up: true,
  method: 'DELETE',
  url: `${url}/auth`,
  summary: 'Turn sign-in off',
  description: 'Revokes all tokens and deletes all keys.',
  limits,
  data: SettingsData,
  errors: signInErrors,
  async handle({ core, who, params }) {
    await turnOff(core, who, params.game_id)
    return toSettings(core, await linkOf(core, who, params.game_id))
  },
})

export const readAuthKey = route({
  ...shared,
  step_up: true,
  method: 'GET',
  url: `${url}/auth-key`,
  summary: 'Read the auth key',
  limits,
  data: Type.Object({ auth_key: Type.String() }),
  errors: signInErrors,
  handle: async ({ core, who, params }) => ({
    auth_key: await revealAuthKey(core, who, params.game_id),
  }),
})

export const createAuthKey = route({
  ...shared,
  step_up: true,
  method: 'POST',
  url: `${url}/auth-key`,
  summary: 'Replace the auth key',
  description: 'The old key stops working at once, and all session tokens are revoked.',
  limits,
  data: Type.Object({ auth_key: Type.String() }),
  errors: signInErrors,
  handle: async ({ core, who, params }) => ({
    auth_key: await replaceAuthKey(core, who, params.game_id),
  }),
})

export const createTicketKey = route({
  ...shared,
  step_up: true,
  method: 'POST',
  url: `${url}/ticket-key`,
  summary: 'Replace the ticket key',
  description: 'Builds with the old key can no longer sign players in.',
  limits,
  data: Type.Object({ ticket_key: Type.String() }),
  errors: signInErrors,
  handle: async ({ core, who, params }) => ({
    ticket_key: await replaceTicketKey(core, who, params.game_id),
  }),
})

export const saveWebApiKey = route({
  ...shared,
  step_up: true,
  method: 'PUT',
  url: `${url}/web-api-key`,
  summary: 'Replace the Web API key',
  description: 'The other keys and all tokens keep working.',
  limits,
  body: WebApiKey,
  data: SettingsData,
  errors: [...signInErrors, ...keyErrors],
  async handle({ core, who, params, body }) {
    await replaceWebApiKey(core, who, params.game_id, body.web_api_key)
    return toSettings(core, await linkOf(core, who, params.game_id))
  },
})

export const settingsRoutes = [
  readSettings,
  unlinkListing,
  turnSignInOn,
  turnSignInOff,
  readAuthKey,
  createAuthKey,
  createTicketKey,
  saveWebApiKey,
]
