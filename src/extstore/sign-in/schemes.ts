import type { FastifyRequest } from 'fastify'
import type { Scheme } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { MINUTE } from '../../core/runtime/units.ts'
import { limitKey } from '../../core/security/client-address.ts'
import { sameBytes, sha256 } from '../../core/security/crypto.ts'
import type { SignInGame } from './queries.ts'
import { signInGame } from './sign-in.ts'

/** A developer's server, authenticated by the auth key of its game. */
export type GameServer = SignInGame & { auth_key: string }

const wrongKeyLimit = { points: 30, seconds: MINUTE }

export const gameAuthKey: Scheme<GameServer> = {
  name: 'game auth key',
  security: [{ game_auth_key: [] }],
  errors: ['AUTH_KEY_REQUIRED', 'EXTSTORE_SIGN_IN_OFF', 'TOO_MANY_REQUESTS'],
  async identify(core: Core, request: FastifyRequest) {
    const auth_key =
      request.headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1] ?? refuse('AUTH_KEY_REQUIRED')
    const { game_uid } = request.params as { game_uid: string }
    const game = (await signInGame(core, game_uid)) ?? refuse('EXTSTORE_SIGN_IN_OFF')
    if (sameBytes(game.auth_key_hash, sha256(auth_key))) return { ...game, auth_key }
    // Only wrong keys count, so a server with the right key is never limited by other clients.
    await core.limiter.take('extstore wrong auth key', limitKey(request.ip_address), wrongKeyLimit)
    return refuse(
      'AUTH_KEY_REQUIRED',
      undefined,
      'This is not the auth key of the game. Copy the key from the sign-in settings.',
    )
  },
}
