import type { FastifyRequest } from 'fastify'
import { identify } from '../../accounts/sessions/identity.ts'
import { verifyPlayerToken } from '../../accounts/sessions/player-tokens.ts'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type ErrorName, refuse } from '../../core/runtime/errors.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { playerOf } from '../../extstore/sign-in/sign-in.ts'
import type { Reporter } from './report-fields.ts'

/** Who plays, as a running game says it. */
export type Filer = Reporter & { game_uid: string }

/** One way in which a game may say who plays it, known by how its tokens are signed: nobody when the token is not of this game, or over. */
type Verifier = {
  find: (core: Core, token: string, game_uid: string) => Promise<Reporter | undefined>
  refusal: ErrorName
  message: string
}

const playerTokens: Verifier = {
  async find(core, token, game_uid) {
    const user_uid = verifyPlayerToken(core, token, game_uid, new Date())
    return user_uid ? { user_uid, extstore_id: null } : undefined
  },
  refusal: 'UNAUTHENTICATED',
  message: 'The token is not one of this game, or has expired; ask for a new one',
}

const signInSessions: Verifier = {
  find: (core, token, game_uid) => playerOf(core, game_uid, token),
  refusal: 'SESSION_ENDED',
  message: 'The session is not one of this game, or has ended; sign in with a new ticket',
}

/** A map, since the name is whatever a stranger wrote: an object would also answer to `constructor`. */
const verifiers = new Map<string, Verifier>([
  ['EdDSA', playerTokens],
  ['HS512', signInSessions],
])

/** The player of this one game: a player token of it, or a sign-in session of it. No key and no website session. */
export const filer: Scheme<Filer> = {
  name: 'player of this game',
  security: [{ bearer: [] }],
  errors: ['UNAUTHENTICATED', 'WRONG_TOKEN_KIND', 'SESSION_ENDED'],
  vary: 'Authorization',
  async identify(core, request) {
    const token =
      request.headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1] ?? refuse('UNAUTHENTICATED')
    if (token.startsWith('svc_'))
      refuse((await identify(core.sql, token)) ? 'WRONG_TOKEN_KIND' : 'UNAUTHENTICATED')
    const game_uid = await gameOf(core, request)
    const { find, refusal, message } = verifiers.get(algorithmOf(token)) ?? playerTokens
    const reporter = game_uid && (await find(core, token, game_uid))
    return reporter ? { ...reporter, game_uid } : refuse(refusal, undefined, message)
  },
}

async function gameOf(core: Core, { params }: FastifyRequest): Promise<string | undefined> {
  const uid = await core.gameUid((params as { game_uid: string }).game_uid)
  return isUuid(uid) ? uid : undefined
}

/** What a token says of itself, which only chooses who looks at it. */
function algorithmOf(token: string): string {
  try {
    const { alg } = JSON.parse(Buffer.from(token.split('.')[0]!, 'base64url').toString('utf8'))
    return typeof alg === 'string' ? alg : ''
  } catch {
    return ''
  }
}
