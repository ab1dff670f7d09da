import { Type } from 'typebox'
import { anyone, Body, Nullable, nameSchemas, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perGame, perIp } from '../../core/security/limits.ts'
import { checkOwnership } from '../client/store.ts'
import { revokePlayer, revokeSession } from './queries.ts'
import { gameAuthKey } from './schemes.ts'
import { openGame, refresh, signIn, verify } from './sign-in.ts'
import { checkAccountId } from './ticket-rules.ts'

const base = '/api/v1/extstore/:game_uid'
const params = Type.Object({ game_uid: Type.String() })
/** Routes of the same bucket share one limit. */
const playerLimits = [perIp(60, { bucket: 'extstore sign-in' })]
const serverLimits = [perGame(1200, { bucket: 'extstore server' })]

const IssuedData = Type.Object({
  token: Type.String({ description: 'A JWT, HS512, signed with the auth key of the game' }),
  expires_at: Timestamp,
  extstore_id: Type.String({ description: 'The 64-bit account ID of the player' }),
  family_shared: Type.Boolean({
    description:
      'The player uses a copy shared by another account; the claim osid names that account',
  }),
  session_uid: Type.String({ description: 'Equal to the jti of the token' }),
  svc_user_uid: Type.Optional(
    Type.String({ description: 'The uid of the player’s account here, if they linked it' }),
  ),
})

const OwnershipData = Type.Object({
  owns_app: Type.Boolean(),
  permanent: Type.Boolean({ description: 'False for family sharing and free weekends' }),
  owner_extstore_id: Nullable(Type.String()),
  checked_at: Timestamp,
})

export const authRoute = route({
  method: 'POST',
  url: `${base}/auth`,
  summary: 'Sign a player in with a session ticket of the external store',
  auth: anyone,
  limits: playerLimits,
  params,
  body: Body({
    ticket: Type.String({ description: 'Hex, made with the ticket key of the game as identity' }),
  }),
  data: IssuedData,
  errors: [
    'EXTSTORE_SIGN_IN_OFF',
    'TICKET_MALFORMED',
    'TICKET_REFUSED',
    'GAME_NOT_OWNED',
    'EXTSTORE_UNAVAILABLE',
  ],
  handle: ({ core, params, body, ip }) => signIn(core, params.game_uid, body.ticket, ip),
})

const refreshRoute = route({
  method: 'POST',
  url: `${base}/refresh`,
  summary: 'Exchange a token for a new one, up to 24 hours after it expired',
  auth: anyone,
  limits: playerLimits,
  params,
  body: Body({ token: Type.String() }),
  data: IssuedData,
  errors: ['EXTSTORE_SIGN_IN_OFF', 'SESSION_ENDED', 'GAME_NOT_OWNED', 'EXTSTORE_UNAVAILABLE'],
  handle: ({ core, params, body, ip }) => refresh(core, params.game_uid, body.token, ip),
})

const ClaimsData = Type.Object({
  iss: Type.String(),
  aud: Type.String(),
  gid: Type.String(),
  sub: Type.String(),
  osid: Type.Optional(Type.String()),
  own: Type.Boolean(),
  vac: Type.Boolean(),
  buid: Type.Optional(Type.String()),
  jti: Type.String(),
  iat: Type.Integer(),
  exp: Type.Integer(),
})
nameSchemas({ SignInSession: IssuedData, Ownership: OwnershipData, SessionClaims: ClaimsData })

export const verifyRoute = route({
  method: 'POST',
  url: `${base}/server/verify`,
  summary: 'Verify a token, including whether it was revoked',
  auth: gameAuthKey,
  limits: serverLimits,
  params,
  body: Body({ token: Type.String(), recheck_ownership: Type.Optional(Type.Boolean()) }),
  data: Type.Object({
    valid: Type.Boolean(),
    expired: Type.Boolean(),
    revoked: Type.Boolean(),
    claims: Type.Optional(ClaimsData),
    svc_user: Type.Optional(Type.Object({ uid: Type.String(), username: Type.String() })),
    ownership: Type.Optional(OwnershipData),
  }),
  errors: ['TOKEN_OF_OTHER_GAME', 'EXTSTORE_UNAVAILABLE'],
  async handle({ core, who, body }) {
    const verified = (await verify(core, who, body.token)) ?? refuse('TOKEN_OF_OTHER_GAME')
    if (!body.recheck_ownership || !verified.claims) return verified
    return { ...verified, ownership: await readOwnership(core, who.game_uid, verified.claims.sub) }
  },
})

const revokeRoute = route({
  method: 'POST',
  url: `${base}/server/revoke`,
  summary: 'Revoke a token, or all tokens of a player',
  auth: gameAuthKey,
  limits: serverLimits,
  params,
  body: Body({
    jti: Type.Optional(Type.String()),
    extstore_id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
  }),
  data: Type.Object({ revoked: Type.Integer() }),
  errors: ['INVALID_EXTSTORE_REQUEST'],
  async handle({ sql, who, body }) {
    if (!body.jti && !body.extstore_id)
      refuse(
        'INVALID_EXTSTORE_REQUEST',
        undefined,
        'Send jti to revoke one token, or extstore_id to revoke all tokens of a player',
      )
    const player = body.extstore_id ? checkAccountId(body.extstore_id) : undefined
    const by_jti = body.jti && isUuid(body.jti) ? await revokeSession(sql, who, body.jti) : 0
    const by_player = player ? await revokePlayer(sql, who, player) : 0
    return { revoked: by_jti + by_player }
  },
})

const ownershipRoute = route({
  method: 'GET',
  url: `${base}/server/ownership/:extstore_id`,
  summary: 'Check with the external store whether an account owns the game',
  auth: gameAuthKey,
  limits: serverLimits,
  params: Type.Object({ game_uid: Type.String(), extstore_id: Type.String() }),
  data: OwnershipData,
  errors: ['INVALID_EXTSTORE_REQUEST', 'EXTSTORE_UNAVAILABLE'],
  handle: ({ core, who, params }) =>
    readOwnership(core, who.game_uid, checkAccountId(params.extstore_id)),
})

async function readOwnership(core: Core, game_uid: string, extstore_id: string) {
  const game = await openGame(core, game_uid)
  const ownership = await checkOwnership(core, game, { app_id: game.app_id, extstore_id })
  return { ...ownership, checked_at: new Date().toISOString() }
}

export const playerSignInRoutes = [
  authRoute,
  refreshRoute,
  verifyRoute,
  revokeRoute,
  ownershipRoute,
]
