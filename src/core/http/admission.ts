import { randomUUID } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import type { Core } from '../runtime/core.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { MIB } from '../runtime/units.ts'
import { limitKey } from '../security/client-address.ts'
import type { Limit } from '../security/limits.ts'
import { answerBrokenRequest } from './connections.ts'
import type { Route } from './route.ts'
import { checkText } from './text-input.ts'

const RECEIVE_SECONDS = 60
/** How much of the body of a refused request is read and discarded, and for how long. */
const DISCARD_BYTES = 64 * MIB
const DISCARD_SECONDS = 5

declare module 'fastify' {
  interface FastifyRequest {
    ip_address: string
    who: unknown
    /** Set when the request is admitted; undefined at an address without a route. */
    route: Route | undefined
    /** Closes the connection of a request that does not arrive in time. */
    receive_timer: NodeJS.Timeout | undefined
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
        chain(previous, () =>
          chain(limit.key(request, core), (key) => core.limiter.take(limit.bucket, key, limit)),
        ),
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

/** Ends a request whose body arrives too slowly, so that slow senders cannot hold connections. */
export function limitReceiveTime(request: FastifyRequest, route: Route) {
  const { raw, headers } = request
  const bytes = Number(headers['content-length'] ?? 0)
  if (!bytes && headers['transfer-encoding'] === undefined) return
  onReceiveTimeout(request, route.receive_seconds?.(bytes) ?? RECEIVE_SECONDS, () => {
    answerBrokenRequest(
      Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }),
      raw.socket,
    )
    raw.socket.destroySoon()
  })
}

/**
 * Reads the rest of a body before a refusal is sent through a proxy. A proxy that passes bodies on
 * as they arrive, and is answered before it has the whole body, closes the connection of its client
 * after the answer, so that the next request of the client fails. What is too long or arrives too
 * slowly is not awaited.
 */
export function receiveRestOfBody({ raw, headers }: FastifyRequest): MaybePromise<void> {
  const length = Number(headers['content-length'] ?? 0)
  const has_body = length > 0 || headers['transfer-encoding'] !== undefined
  if (!has_body || length > DISCARD_BYTES) return
  if (raw.complete || raw.readableEnded || raw.destroyed) return
  return new Promise((resolve) => {
    let received = 0
    const count = (chunk: Buffer) => {
      received += chunk.length
      if (received > DISCARD_BYTES) stop()
    }
    const timer = setTimeout(() => stop(), DISCARD_SECONDS * 1000).unref()
    const stop = () => {
      clearTimeout(timer)
      raw.off('data', count).off('end', stop).off('close', stop)
      resolve()
    }
    raw.on('data', count).once('end', stop).once('close', stop)
    raw.resume()
  })
}

/**
 * Reads on when a request was answered before its body was read, so that the client can finish
 * sending, read the answer and use the connection again. A reader that stopped halfway has paused
 * the connection: without this, the next request on it would never be read. The connection of a
 * client that does not stop sending is closed.
 */
export function discardRestOfBody(request: FastifyRequest) {
  const { raw } = request
  if (raw.destroyed) return
  if (raw.complete) {
    if (raw.readableLength) raw.resume()
    return
  }
  let discarded = 0
  raw.on('data', (chunk: Buffer) => {
    discarded += chunk.length
    if (discarded > DISCARD_BYTES) raw.socket.destroy()
  })
  raw.resume()
  onReceiveTimeout(request, DISCARD_SECONDS, () => raw.socket.destroy())
}

/** Runs `end` after some seconds unless the request has arrived by then. */
function onReceiveTimeout(request: FastifyRequest, seconds: number, end: () => void) {
  // An in-process call (app.inject) has no connection to close.
  if (typeof request.raw.socket.destroy !== 'function') return
  const timer = setTimeout(end, seconds * 1000).unref()
  request.receive_timer = timer
  request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

type LimitKey = (request: FastifyRequest, core: Core) => string | Promise<string>

const limitKeys: Record<Limit['by'], LimitKey> = {
  ip: (request) => limitKey(request.ip_address),
  overall: () => 'all',
  account: (request) => (request.who as { user_uid: string }).user_uid,
  visitor: (request) =>
    (request.who as { user_uid: string } | null)?.user_uid ?? limitKey(request.ip_address),
  // A game has one count, whether it is addressed by its uid or its vanity name.
  game: (request, core) =>
    core.gameUid(Object.values(request.params as Record<string, string>)[0] ?? ''),
}

export const requestId = (sent: string | string[] | undefined): string =>
  typeof sent === 'string' && /^[\w.-]{8,64}$/.test(sent) ? sent : randomUUID()
