import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Core } from '../runtime/core.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { limitKey } from '../security/client-address.ts'
import type { Limit } from '../security/limits.ts'
import { answerBrokenRequest } from './connections.ts'
import type { Route } from './route.ts'
import { checkText } from './text-input.ts'

const RECEIVE_SECONDS = 60
const LINGER_SECONDS = 5

declare module 'fastify' {
  interface FastifyRequest {
    ip_address: string
    who: unknown
    /** Ends a connection whose request does not arrive in time. */
    receive_timer: NodeJS.Timeout | undefined
  }
}

/** A request before its body, whichever way it takes. */
export type RequestContext = Pick<
  FastifyRequest,
  'raw' | 'headers' | 'id' | 'ip_address' | 'who' | 'params' | 'query' | 'receive_timer'
>

/** Before a byte of the body is read: limits that need nobody, then who it is, then limits that count by account or game. */
export function admission(core: Core, route: Route): (asked: RequestContext) => MaybePromise<void> {
  const limits = (route.limits ?? []).map((limit) => ({
    ...limit,
    bucket: `${limit.by} ${limit.bucket ?? `${route.method} ${route.url}`}`,
    key: limitKeys[limit.by],
  }))
  const early = limits.filter(({ by }) => by === 'ip' || by === 'overall')
  const late = limits.filter(({ by }) => by === 'account' || by === 'game')
  const count = (some: typeof limits, request: RequestContext) =>
    some.reduce<MaybePromise<void>>(
      (before, limit) =>
        chain(before, () =>
          chain(limit.key(request, core), (key) => core.limiter.take(limit.bucket, key, limit)),
        ),
      undefined,
    )
  return (request) =>
    chain(count(early, request), () => {
      checkAddress(request)
      // A scheme of a route in the plain lane reads headers alone.
      return chain(route.auth.identify(core, request as FastifyRequest), (who) => {
        request.who = who
        return count(late, request)
      })
    })
}

/** Before anyone looks a name up: schemes and limits do. Only an escape can bring in what text may not hold. */
function checkAddress({ raw, query, params }: RequestContext) {
  if (!raw.url?.includes('%')) return
  checkText(query, 'query')
  checkText(params, 'path')
}

/** Nobody holds a connection by sending slowly. */
export function limitReceiveTime(request: RequestContext, route: Route | undefined) {
  const { raw, headers } = request
  const bytes = Number(headers['content-length'] ?? 0)
  if (!bytes && headers['transfer-encoding'] === undefined) return
  endAfter(request, route?.receive_seconds?.(bytes) ?? RECEIVE_SECONDS, () => {
    answerBrokenRequest(
      Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      raw.socket,
    )
    raw.socket.destroySoon()
  })
}

/** Someone answered before they had sent everything may go on for a while, so that they come to read the answer. */
export function closeUnlessReceived(request: RequestContext) {
  if (!request.raw.complete) endAfter(request, LINGER_SECONDS, () => request.raw.socket.destroy())
}

/** Unless the request has arrived by then. */
function endAfter(request: RequestContext, seconds: number, end: () => void) {
  // A call that a page makes within the process has no line that could be ended.
  if (typeof request.raw.socket.destroy !== 'function') return
  const timer = setTimeout(end, seconds * 1000).unref()
  request.receive_timer = timer
  request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

const limitKeys: Record<
  Limit['by'],
  (request: RequestContext, core: Core) => string | Promise<string>
> = {
  ip: (request) => limitKey(request.ip_address),
  overall: () => 'all',
  account: (request) => (request.who as { user_uid: string }).user_uid,
  // By whichever of its names a game is called, it has one count.
  game: (request, core) =>
    core.gameUid(Object.values(request.params as Record<string, string>)[0] ?? ''),
}

export const requestId = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID()
