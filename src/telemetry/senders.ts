import type { FastifyRequest } from 'fastify'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { MINUTE_MS } from '../core/runtime/units.ts'
import { networkOf } from '../core/security/client-address.ts'
import type { Sender } from './events/queries.ts'
import { saltedId } from './salted-ids.ts'

type Request = Pick<FastifyRequest, 'ip_address' | 'headers'>

/** Where a request about a game comes from. */
export async function senderOf(core: Core, request: Request, game_uid: string): Promise<Sender> {
  return {
    network: networkId(core, game_uid, request.ip_address),
    signed: await isSigned(core, request, game_uid),
  }
}

/** A hash of the network of an address: 32 bits tell networks of one build apart well enough. */
function networkId(core: Core, game_uid: string, address: string): number {
  const salted = saltedId(core, game_uid, `network\n${networkOf(address)}`)
  return Number.parseInt(salted.slice(0, 8), 16) | 0
}

const MAX_CACHED_TOKENS = 10_000
/** A game sends the same token with all its events; a session that ends counts a while longer. */
const verified = perCore(() =>
  createCache<{ valid: boolean }>({ max_entries: MAX_CACHED_TOKENS, ttl_ms: MINUTE_MS }),
)

/** A token that is not valid is no error: events must not get lost because a token expired. */
async function isSigned(core: Core, { headers }: Request, game_uid: string): Promise<boolean> {
  const token = headers.authorization?.match(/^Bearer +(\S+)$/i)?.[1]
  if (token === undefined) return false
  const key = `${game_uid} ${token}`
  const cached = verified(core).get(key)
  if (cached) return cached.valid
  const valid = await core.isPlayer(token, game_uid)
  verified(core).set(key, { valid })
  return valid
}
