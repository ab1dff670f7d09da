import { Type } from 'typebox'
import type { Sql } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import {
  Body,
  Nullable,
  nameSchemas,
  OneOf,
  route,
  TextOf,
  Timestamp,
  Uid,
} from '../../core/http/route.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { HOUR } from '../../core/runtime/units.ts'
import { isUuid, newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { requireDeveloperMode } from '../people/developer-terms.ts'
import { isOperator } from '../people/operator-queries.ts'
import { isDeveloper } from '../people/queries.ts'
import { recordSecurityEvent } from '../security-events/record.ts'
import { clearIdentityCache, type Identity } from '../sessions/identity.ts'
import { website, wholeAccount } from '../sessions/schemes.ts'
import { whileSignedIn } from '../sessions/sessions.ts'
import { holdAgentAccess, requireAgentAccess } from './project-access.ts'
import { deleteKey, insertKey, type KeyKind, type KeyRow, listKeys } from './queries.ts'
import { agentScopes, isOperatorScope, operatorScopes, playerScopes } from './scopes.ts'

const MAX_KEYS = 50
export const MAX_KEY_NAME = 80
const PREFIX_LENGTH = 8

const kinds = {
  player: {
    path: 'player-keys',
    noun: 'player key',
    full: 'player_keys',
    scopes: playerScopes,
    prefix: 'svc_play_',
  },
  agent: {
    path: 'agent-keys',
    noun: 'agent key',
    full: 'agent_keys',
    scopes: [...agentScopes, ...operatorScopes],
    prefix: 'svc_mcp_',
  },
} as const

const KeyData = Type.Object({
  uid: Uid,
  name: Type.String(),
  scopes: Type.Array(TextOf([...playerScopes, ...agentScopes, ...operatorScopes])),
  prefix: Type.String(),
  game_uid: Nullable(Uid),
  created_at: Timestamp,
})
const NewKeyData = Type.Object({
  ...KeyData.properties,
  key: Type.String({ description: 'Returned only once' }),
})
nameSchemas({ Key: KeyData, NewKey: NewKeyData })

const keyData = (row: KeyRow) => ({ ...row, created_at: row.created_at.toISOString() })

type AgentKeyRequest = { scopes: readonly string[]; game_uid?: string | undefined }

/**
 * Scopes of operators are for operators, and for the whole store. The other scopes need developer
 * mode, and a key bound to a project needs a project the person manages.
 */
async function checkAgentKey(
  sql: Sql,
  who: Identity,
  { scopes, game_uid }: AgentKeyRequest,
): Promise<void> {
  if (!scopes.every(isOperatorScope)) requireDeveloperMode(await isDeveloper(sql, who))
  if (scopes.some(isOperatorScope)) {
    if (!(await isOperator(sql, who.user_uid)))
      refuse(
        'FORBIDDEN',
        undefined,
        explain('operator_scopes', 'Only operators of the service can issue a key with this scope'),
      )
    if (game_uid)
      refuse(
        'MALFORMED',
        { field: 'game_uid' },
        explain('operator_key_project', 'game_uid: a key of operators is for the whole store'),
      )
  }
  if (game_uid) await requireAgentAccess(sql, who.user_uid, game_uid)
}

const agentKeyErrors: ErrorName[] = [
  'DEVELOPER_MODE_REQUIRED',
  'FORBIDDEN',
  'NOT_FOUND',
  'ADMIN_AGENTS_OFF',
]

/** Only agent keys can be limited to one project. */
const projectField = { game_uid: Type.Optional(Uid) }

const keyRoutes = (kind: KeyKind) => {
  const { path, noun, full, scopes, prefix } = kinds[kind]
  const url = `/api/v1/private/account/${path}`
  return {
    list: route({
      method: 'GET',
      url,
      summary: `List your ${noun}s, without the secrets`,
      auth: kind === 'agent' ? wholeAccount({ agent: ['mcp:read', 'mcp:keys.manage'] }) : website,
      data: Type.Object({ keys: Type.Array(KeyData) }),
      handle: async ({ sql, who }) => ({
        keys: (await listKeys(sql, who.user_uid, kind)).map(keyData),
      }),
    }),
    create: route({
      method: 'POST',
      url,
      summary: `Create a ${noun}; the key is returned only once`,
      auth: website,
      step_up: true,
      limits: [perAccount(60, { seconds: HOUR })],
      body: Body({
        name: Type.String({ minLength: 1, maxLength: MAX_KEY_NAME, pattern: '\\S' }),
        scopes: Type.Array(OneOf(scopes), { minItems: 1, uniqueItems: true }),
        ...(kind === 'agent' ? projectField : ({} as typeof projectField)),
      }),
      status: 201,
      data: NewKeyData,
      errors: ['CONFLICT', ...(kind === 'agent' ? agentKeyErrors : [])],
      async handle({ core, sql, request, who, body }) {
        const { game_uid } = body
        if (kind === 'agent') await checkAgentKey(sql, who, body)
        const key = newToken(prefix)
        const newKey = {
          uid: uuidv7(),
          kind,
          user_uid: who.user_uid,
          name: body.name,
          scopes: body.scopes,
          prefix: key.slice(0, prefix.length + PREFIX_LENGTH),
          key_hash: sha256(key),
          game_uid: game_uid ?? null,
        }
        const row = await whileSignedIn(sql, who, async (tx) => {
          if (game_uid) await holdAgentAccess(tx, who.user_uid, game_uid)
          const inserted = await insertKey(tx, newKey, MAX_KEYS)
          if (inserted)
            await recordSecurityEvent(
              tx,
              { core, request },
              {
                kind: 'key_created',
                game_uid: newKey.game_uid,
                detail: { key: kind },
              },
            )
          return inserted
        })
        if (!row)
          refuse(
            'CONFLICT',
            undefined,
            explain(full, `An account can have at most ${MAX_KEYS} ${noun}s; delete one first`, {
              count: MAX_KEYS,
            }),
          )
        return { ...keyData(row), key }
      },
    }),
    revoke: route({
      method: 'DELETE',
      url: `${url}/:uid`,
      summary: `Revoke a ${noun}`,
      auth: website,
      step_up: true,
      params: Type.Object({ uid: Type.String() }),
      data: Type.Object({}),
      errors: ['NOT_FOUND'],
      async handle({ core, sql, request, who, params }) {
        const { uid } = params
        await transact(sql, async (tx) => {
          const key = isUuid(uid)
            ? await deleteKey(tx, { uid, user_uid: who.user_uid, kind })
            : undefined
          const { game_uid } = key ?? refuse('NOT_FOUND')
          await recordSecurityEvent(
            tx,
            { core, request },
            {
              kind: 'key_revoked',
              game_uid,
              detail: { key: kind },
            },
          )
        })
        clearIdentityCache()
        return {}
      },
    }),
  }
}

export const playerKeyRoutes = keyRoutes('player')
export const agentKeyRoutes = keyRoutes('agent')
