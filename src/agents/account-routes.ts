import { Type } from 'typebox'
import { agentScopes, operatorScopes, playerScopes } from '../accounts/keys/scopes.ts'
import { holder, wholeAccount } from '../accounts/sessions/schemes.ts'
import { Nullable, OneOf, route, TextOf, Timestamp, Uid } from '../core/http/route.ts'
import { countCredentials } from './oauth/queries.ts'

const Text = Type.String()

export const readToken = route({
  method: 'GET',
  url: '/api/v1/private/token',
  summary: 'The account and the scopes of the token of this request',
  auth: holder,
  data: Type.Object({
    kind: OneOf(['session', 'player', 'agent']),
    name: Text,
    scopes: Type.Array(TextOf([...playerScopes, ...agentScopes, ...operatorScopes])),
    game_uid: Nullable(Uid),
    expires_at: Nullable(Timestamp),
    user: Type.Object({
      uid: Uid,
      username: Text,
      email_verified: Type.Boolean(),
      developer: Type.Boolean(),
      show_adult: Type.Boolean(),
    }),
  }),
  handle: ({
    who: { kind, credential_name: name, scopes, game_uid, expires_at, user_uid: uid, ...account },
  }) => ({
    kind,
    name,
    scopes,
    game_uid,
    expires_at: expires_at?.toISOString() ?? null,
    user: { uid, ...account },
  }),
})

export const readSecurity = route({
  method: 'GET',
  url: '/api/v1/private/account/security',
  summary: 'Whether your email is verified, and how many sessions, keys and apps you have',
  auth: wholeAccount({ agent: ['mcp:read', 'mcp:keys.manage'], player: ['player:read'] }),
  data: Type.Object({
    email_verified: Type.Boolean(),
    sessions: Type.Integer(),
    player_keys: Type.Integer(),
    agent_keys: Type.Integer(),
    apps: Type.Integer(),
  }),
  handle: ({ sql, who }) => countCredentials(sql, who.user_uid),
})

export const agentAccountRoutes = [readToken, readSecurity]
