import { Type } from 'typebox'
import { Body, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, newToken, sha256, uuidv7 } from '../../core/security/crypto.ts'
import { HOUR, perAccount } from '../../core/security/limits.ts'
import {
  deleteKey,
  insertKey,
  type KeyKind,
  type KeyRow,
  listKeys,
  mayRunGame,
} from '../people/queries.ts'
import { forgetIdentities, type Identity } from '../sessions/identity.ts'
import { website, wholeAccount } from '../sessions/schemes.ts'
import { whileSignedIn } from '../sessions/sessions.ts'
import { agentScopes, playerScopes } from './scopes.ts'

const MOST_KEYS = 50
const PREFIX_LENGTH = 8

const kinds = {
  player: { path: 'player-keys', noun: 'player key', scopes: playerScopes, prefix: 'svc_play_' },
  agent: { path: 'agent-keys', noun: 'agent key', scopes: agentScopes, prefix: 'svc_mcp_' },
} as const

const KeyData = Type.Object({
  uid: Uid,
  name: Type.String(),
  scopes: Type.Array(Type.String()),
  prefix: Type.String(),
  game_uid: Nullable(Uid),
  created_at: Timestamp,
})
const NewKeyData = Type.Object({
  ...KeyData.properties,
  key: Type.String({ description: 'Shown this once' }),
})

const shown = (row: KeyRow) => ({ ...row, created_at: row.created_at.toISOString() })

/** Agent keys act for a developer; one bound to a project needs that project to be theirs to run. */
async function checkAgentKey(
  sql: Parameters<typeof mayRunGame>[0],
  who: Identity,
  game_uid: string | undefined,
) {
  if (!who.developer) refuse('DEVELOPER_MODE_REQUIRED', { error: 'developer_mode_required' })
  if (game_uid && !(await mayRunGame(sql, who.user_uid, game_uid))) refuse('NOT_FOUND')
}

const keyRoutes = (kind: KeyKind) => {
  const { path, noun, scopes, prefix } = kinds[kind]
  const url = `/api/v1/private/account/${path}`
  return [
    route({
      method: 'GET',
      url,
      summary: `Your ${noun}s, without the keys themselves`,
      auth: kind === 'agent' ? wholeAccount({ agent: ['mcp:read', 'mcp:keys.manage'] }) : website,
      data: Type.Object({ keys: Type.Array(KeyData) }),
      handle: async ({ sql, who }) => ({
        keys: (await listKeys(sql, who.user_uid, kind)).map(shown),
      }),
    }),
    route({
      method: 'POST',
      url,
      summary: `Make a ${noun}; it is shown this once`,
      auth: website,
      limits: [perAccount(60, { seconds: HOUR })],
      body: Body({
        name: Type.String({ minLength: 1, maxLength: 80, pattern: '\\S' }),
        scopes: Type.Array(OneOf(scopes), { minItems: 1, uniqueItems: true }),
        ...(kind === 'agent' ? { game_uid: Type.Optional(Uid) } : {}),
      }),
      status: 201,
      data: NewKeyData,
      errors: ['DEVELOPER_MODE_REQUIRED', 'NOT_FOUND', 'CONFLICT'],
      async handle({ sql, who, body }) {
        const game_uid = (body as { game_uid?: string }).game_uid
        if (kind === 'agent') await checkAgentKey(sql, who, game_uid)
        const key = newToken(prefix)
        const shortened = key.slice(0, prefix.length + PREFIX_LENGTH)
        const asked = {
          uid: uuidv7(),
          kind,
          user_uid: who.user_uid,
          name: body.name,
          scopes: body.scopes,
          prefix: shortened,
          key_hash: sha256(key),
          game_uid: game_uid ?? null,
        }
        const row = await whileSignedIn(sql, who, (tx) => insertKey(tx, asked, MOST_KEYS))
        if (!row)
          refuse(
            'CONFLICT',
            undefined,
            `An account has at most ${MOST_KEYS} ${noun}s; delete one first`,
          )
        return { ...shown(row), key }
      },
    }),
    route({
      method: 'DELETE',
      url: `${url}/:uid`,
      summary: `Revoke a ${noun}`,
      auth: website,
      params: Type.Object({ uid: Type.String() }),
      data: Type.Object({}),
      errors: ['NOT_FOUND'],
      async handle({ sql, who, params }) {
        if (!isUuid(params.uid) || !(await deleteKey(sql, who.user_uid, kind, params.uid)))
          refuse('NOT_FOUND')
        forgetIdentities()
        return {}
      },
    }),
  ]
}

export const playerKeyRoutes = keyRoutes('player')
export const agentKeyRoutes = keyRoutes('agent')
