import type { FastifyRequest } from 'fastify'
import { isSuspended } from '../../accounts/people/suspension-queries.ts'
import { identify } from '../../accounts/sessions/identity.ts'
import { verifyPlayerToken } from '../../accounts/sessions/player-tokens.ts'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { playerOf } from '../../extstore/sign-in/sign-in.ts'
import type { Reporter } from './report-fields.ts'

/** The player of a running game. */
export type GamePlayer = Reporter & { game_uid: string }

/** A kind of player token. `find` returns undefined if it is for another game or has expired. */
type TokenVerifier = {
  find: (core: Core, token: string, game_uid: string) => Promise<Reporter | undefined>
  refusal: ErrorName
  message: string
}

const playerTokens: TokenVerifier = {
  async find(core, token, game_uid) {
    const user_uid = verifyPlayerToken(core, token, game_uid, new Date())
    if (!user_uid || (await isSuspended(core.sql, user_uid))) return undefined
    return { user_uid, extstore_id: null }
  },
  refusal: 'UNAUTHENTICATED',
  message: 'The token is for another game or has expired; request a new one',
}

const signInSessions: TokenVerifier = {
  find: (core, token, game_uid) => playerOf(core, game_uid, token),
  refusal: 'SESSION_ENDED',
  message: 'The session is for another game or has ended; sign in with a new ticket',
}

/** By signature algorithm. A map, because the name is untrusted and could be `constructor`. */
const verifiers = new Map<string, TokenVerifier>([
  ['EdDSA', playerTokens],
  ['HS512', signInSessions],
])

/** Whether a token belongs to a player of a game. */
export async function isGamePlayer(core: Core, token: string, game_uid: string): Promise<boolean> {
  const verifier = verifiers.get(algorithmOf(token))
  return verifier !== undefined && (await verifier.find(core, token, game_uid)) !== undefined
}

/** A player token or a sign-in session of this game; keys and website sessions are refused. */
export const gamePlayer: Scheme<GamePlayer> = {
  name: 'player of this game',
  security: [{ game_player: [] }],
  errors: ['UNAUTHENTICATED', 'WRONG_TOKEN_KIND', 'SESSION_ENDED'],
  vary: 'Authorization',
  async identify(core, request) {
    const token =
      request.headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1] ?? refuse('UNAUTHENTICATED')
    if (token.startsWith('svc_'))
      refuse((await identify(core, token)) ? 'WRONG_TOKEN_KIND' : 'UNAUTHENTICATED')
    const game_uid = await findGame(core, request)
    const { find, refusal, message } = verifiers.get(algorithmOf(token)) ?? playerTokens
    const reporter = game_uid && (await find(core, token, game_uid))
    return reporter ? { ...reporter, game_uid } : refuse(refusal, undefined, message)
  },
}

async function findGame(core: Core, { params }: FastifyRequest): Promise<string | undefined> {
  const uid = await core.gameUid((params as { game_uid: string }).game_uid)
  return isUuid(uid) ? uid : undefined
}

/** The unverified algorithm of the token, which only selects the verifier. */
function algorithmOf(token: string): string {
  try {
    const { alg } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString('utf8'))
    return typeof alg === 'string' ? alg : ''
  } catch {
    return ''
  }
}
