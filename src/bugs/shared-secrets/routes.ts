import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { recordSecurityEvent } from '../../accounts/security-events/record.ts'
import { website } from '../../accounts/sessions/schemes.ts'
import type { Sql, Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { nameSchemas, OneOf, route, Timestamp } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perAccount } from '../../core/security/limits.ts'
import { makeAuthKey } from '../../extstore/sign-in/keys.ts'
import { AUTH_KEY, WEB_API_KEY } from '../../extstore/sign-in/queries.ts'
import { forgetKeys } from '../../extstore/sign-in/sign-in.ts'
import { findForEditor, lockForEditor } from '../../listings/listing/edit.ts'
import { canManageAdmins } from '../../listings/listing/visibility.ts'
import { makeSigningKey, SIGNING_KEY } from '../deliveries/signing.ts'
import { lockSettings } from '../settings/queries.ts'
import { findExposed, resolveExposures } from './queries.ts'

/** The secrets that all people of a listing share, by the fields that they are sealed under. */
const sharedSecrets = {
  signing_key: { field: SIGNING_KEY, replaceable: true },
  auth_key: { field: AUTH_KEY, replaceable: true },
  // The external store makes this one.
  web_api_key: { field: WEB_API_KEY, replaceable: false },
} as const
type SecretName = keyof typeof sharedSecrets
const names = Object.keys(sharedSecrets) as SecretName[]
const fields = names.map((name) => sharedSecrets[name].field)

const url = '/api/v1/private/games/:uid/shared-secrets'
const shared = {
  auth: website,
  params: Type.Object({ uid: Type.String() }),
  limits: [perAccount(60, { bucket: 'shared secrets' })],
}

const SharedSecrets = Type.Object({
  people: Type.Array(
    Type.Object({
      username: Type.Union([Type.String(), Type.Null()], {
        description: 'Null after the account was deleted',
      }),
      at: Timestamp,
    }),
    { description: 'Who lost their role and could read secrets that were not replaced since' },
  ),
  secrets: Type.Array(
    Type.Object({
      name: OneOf(names),
      replaceable: Type.Boolean({
        description: 'Whether it can be replaced here; others are replaced at the external store',
      }),
    }),
    { description: 'The secrets that these people could read' },
  ),
})
nameSchemas({ SharedSecrets })

async function readExposed(sql: Sql | Tx, game_uid: string): Promise<Static<typeof SharedSecrets>> {
  const exposed = await findExposed(sql, game_uid, fields)
  return {
    people: exposed.people.map(({ username, at }) => ({ username, at: at.toISOString() })),
    secrets: names
      .filter((name) => exposed.fields.includes(sharedSecrets[name].field))
      .map((name) => ({ name, replaceable: sharedSecrets[name].replaceable })),
  }
}

export const readSharedSecretsRoute = route({
  ...shared,
  method: 'GET',
  url,
  summary: 'Which secrets of your listing people could read who lost their role since',
  data: SharedSecrets,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ sql, who, params }) {
    const listing = await findForEditor(sql, who, params.uid)
    if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
    return readExposed(sql, listing.uid)
  },
})

export const replaceSharedSecretsRoute = route({
  ...shared,
  method: 'POST',
  url: `${url}/replace`,
  summary: 'Replace the secrets that people could read who lost their role; only the owner can',
  description:
    'Answers with those that are left, which the external store replaces. The new keys are shown ' +
    'where each is set up; old ones stop working at once.',
  step_up: true,
  data: SharedSecrets,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  async handle({ core, sql, request, who, params }) {
    const { uid, left } = await transact(sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
      const { uid } = listing
      const exposed = (await readExposed(tx, uid)).secrets.map(({ name }) => name)
      if (exposed.includes('signing_key')) {
        await lockSettings(tx, uid)
        await makeSigningKey(core, tx, uid)
        const event = { kind: 'webhook_secret_created', game_uid: uid } as const
        await recordSecurityEvent(tx, { core, request }, event)
      }
      if (exposed.includes('auth_key')) await makeAuthKey(core, tx, uid)
      const action = 'bugs.replace-shared-secrets'
      const detail = { secrets: exposed.join(' ') }
      await recordAudit(tx, { user_uid: who.user_uid, game_uid: uid, action, detail })
      return { uid, left: await readExposed(tx, uid) }
    })
    forgetKeys(core, uid)
    return left
  },
})

export const resolveSharedSecretsRoute = route({
  ...shared,
  method: 'DELETE',
  url,
  summary: 'Say that all secrets that former admins could read are replaced; only the owner can',
  step_up: true,
  data: SharedSecrets,
  errors: ['NOT_FOUND', 'OWNER_ONLY'],
  handle: ({ sql, who, params }) =>
    transact(sql, async (tx) => {
      const listing = await lockForEditor(tx, who, params.uid)
      if (!canManageAdmins(listing)) refuse('OWNER_ONLY')
      await resolveExposures(tx, listing.uid)
      const action = 'bugs.resolve-shared-secrets'
      await recordAudit(tx, { user_uid: who.user_uid, game_uid: listing.uid, action })
      return readExposed(tx, listing.uid)
    }),
})

export const sharedSecretRoutes = [
  readSharedSecretsRoute,
  replaceSharedSecretsRoute,
  resolveSharedSecretsRoute,
]
