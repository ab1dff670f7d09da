import type { FastifyRequest } from 'fastify'
import { identify } from '../accounts/identity.ts'
import { verifyPlayerToken } from '../accounts/player-tokens.ts'
import type { Core } from '../core/core.ts'
import { isUuid } from '../core/crypto.ts'
import { refuse } from '../core/errors.ts'
import type { Scheme } from '../core/route.ts'
import { findReporter } from './reporter-queries.ts'
import type { Reporter } from './rules.ts'

/** Who plays, as a running game says it. `user_uid` is also what limits count by. */
export type Filer = Reporter & { game_uid: string }

/** One way in which a game may say who plays it; nobody when the token is not of this kind, not of this game, or over. */
type Verifier = (core: Core, token: string, game_uid: string) => Promise<Reporter | undefined>

const byPlayerToken: Verifier = async (core, token, game_uid) => {
  const user_uid = await verifyPlayerToken(core, token, game_uid, new Date())
  return user_uid ? findReporter(core.sql, { user_uid, extstore_id: null }) : undefined
}

const verifiers: Record<string, Verifier> = { EdDSA: byPlayerToken }

/** The player of this one game: a player token of it, or a sign-in session of it. No key and no website session. */
export const filer: Scheme<Filer> = {
  name: 'player of this game',
  security: [{ bearer: [] }],
  errors: ['UNAUTHENTICATED', 'WRONG_TOKEN_KIND'],
  vary: 'Authorization',
  async identify(core, request) {
    const token = request.headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1] ?? refuse('UNAUTHENTICATED')
    if (token.startsWith('svc_')) refuse((await identify(core.sql, token)) ? 'WRONG_TOKEN_KIND' : 'UNAUTHENTICATED')
    const game_uid = await gameOf(core, request)
    const reporter = game_uid && (await verifiers[algorithmOf(token)]?.(core, token, game_uid))
    return reporter
      ? { ...reporter, game_uid }
      : refuse('UNAUTHENTICATED', undefined, 'The token is not one of this game, or has expired; ask for a new one')
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
