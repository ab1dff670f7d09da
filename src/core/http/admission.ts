import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Core } from '../runtime/core.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { limitKey } from '../security/client-address.ts'
import type { Limit } from '../security/limits.ts'
import type { Route } from './route.ts'
import { checkText } from './text-input.ts'

declare module 'fastify' {
  interface FastifyRequest {
    ip_address: string
    who: unknown
    /** Set when the request is admitted; undefined at an address without a route. */
    route: Route | undefined
  }
}

/**
 * Runs before a byte of the body is read: first the limits by address and overall, then the
 * authentication, then the limits by account, visitor or game, which need its result.
 */
export function admission(
  core: Core,
  route: Route,
): (request: FastifyRequest) => MaybePromise<void> {
  const limits = (route.limits ?? []).map((limit) => ({
    ...limit,
    bucket: `${limit.by} ${limit.bucket ?? `${route.method} ${route.url}`}`,
    key: limitKeys[limit.by],
  }))
  const before_auth = limits.filter(({ by }) => by === 'ip' || by === 'overall')
  const after_auth = limits.filter(({ by }) => by !== 'ip' && by !== 'overall')
  const count = (counted: typeof limits, request: FastifyRequest) =>
    counted.reduce<MaybePromise<void>>(
      (previous, limit) =>
        chain(previous, () => chain(limit.key(request, core), (key) => take(core, limit, key))),
      undefined,
    )
  return (request) =>
    chain(count(before_auth, request), () => {
      checkAddress(request)
      return chain(route.auth.identify(core, request), (who) => {
        request.who = who
        return count(after_auth, request)
      })
    })
}

/**
 * Runs before authentication and limits use a name from the address in a query. Only a percent
 * escape can bring in characters that stored text may not contain.
 */
function checkAddress({ raw, query, params }: FastifyRequest) {
  if (!raw.url?.includes('%')) return
  checkText(query, 'query')
  checkText(params, 'path')
}

function take(core: Core, limit: Limit & { bucket: string }, key: string | undefined) {
  if (key === undefined) return
  const points = limit.setting ? core.settings.current[limit.setting] : limit.points
  return core.limiter.take(limit.bucket, key, { points, seconds: limit.seconds })
}

/** Undefined if the request has no such key, and so no such limit. */
type LimitKey = (request: FastifyRequest, core: Core) => string | undefined | Promise<string>

const limitKeys: Record<Limit['by'], LimitKey> = {
  ip: (request) => limitKey(request.ip_address),
  overall: () => 'all',
  account: (request) => (request.who as { user_uid?: string } | null)?.user_uid,
  visitor: (request) =>
    (request.who as { user_uid: string } | null)?.user_uid ?? limitKey(request.ip_address),
  // A game has one count, whether it is addressed by its uid or its vanity name.
  game: (request, core) =>
    core.gameUid(Object.values(request.params as Record<string, string>)[0] ?? ''),
}

export const requestId = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID()
