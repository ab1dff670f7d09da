import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../runtime/errors.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { MIB } from '../runtime/units.ts'
import { answerBrokenRequest, lingerOnClose } from './connections.ts'
import type { Route } from './route.ts'

const RECEIVE_SECONDS = 60
/** How much of the rest of a body is read before its request is answered. */
const REST_BYTES = 64 * MIB
/**
 * How long an answer waits for the rest of a body. A direct client that exceeds it only has to
 * connect again. Behind a proxy, the connection that is lost may be that of its client, see below.
 */
const DIRECT_REST_SECONDS = 1
const PROXY_REST_SECONDS = 5

/** Time limits of bodies, for tests. */
export type BodySeconds = {
  /** How long any body may take to arrive, whatever its route allows. */
  receive?: number
  /** How long an answer waits for the rest of a body. */
  rest?: number
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Closes the connection of a request that does not arrive in time. */
    receive_timer: NodeJS.Timeout | undefined
    /** The bytes that the connection had received when the request began. */
    bytes_before: number | undefined
  }
}

/** Ends a request whose body arrives too slowly, so that slow senders cannot hold connections. */
export function limitReceiveTime(request: FastifyRequest, route: Route, limit?: number) {
  const { raw, headers } = request
  if (!hasBody(headers) || !hasConnection(raw)) return
  request.bytes_before = raw.socket.bytesRead
  const allowed = route.receive_seconds?.(declaredLength(headers)) ?? RECEIVE_SECONDS
  const timer = setTimeout(() => endLateRequest(raw), (limit ?? allowed) * 1000).unref()
  request.receive_timer = timer
  raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

const REQUEST_TIMEOUT = Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' })

/**
 * Answers with 408 and closes the connection. The reader of the body gets an error. The connection
 * itself stays for a while: closed at once, it would take the answer from a client that sends.
 */
function endLateRequest(raw: IncomingMessage) {
  answerBrokenRequest(REQUEST_TIMEOUT, raw.socket)
  raw._destroy = (error, done) => done(raw.listenerCount('error') ? error : null)
  raw.destroy(new Refusal('REQUEST_TIMEOUT'))
}

/**
 * Runs before an answer that may be sent before its body has arrived, such as a refusal. The rest
 * of the body is read and discarded first, so that the connection can be used again. What is too
 * long or arrives too slowly is not awaited: the answer says that the connection is closed, and it
 * is closed when the client has read the answer.
 *
 * The rest is read before the answer and not after it, because a proxy that passes bodies on as
 * they arrive, and is answered before it has the whole body, closes the connection of its client
 * after the answer, so that the next request of the client fails.
 */
export function receiveRestOfBody(
  request: FastifyRequest,
  reply: FastifyReply,
  rest_seconds: number,
): MaybePromise<void> {
  const { raw, headers } = request
  if (raw.complete || raw.destroyed || !hasBody(headers) || !hasConnection(raw)) return
  clearTimeout(request.receive_timer)
  const is_short = restLength(request) <= REST_BYTES
  return chain(is_short && discard(raw, rest_seconds), (has_ended) => {
    if (has_ended) return
    reply.header('connection', 'close')
    lingerOnClose(raw)
  })
}

export const restSeconds = (proxy_hops: number) =>
  proxy_hops > 0 ? PROXY_REST_SECONDS : DIRECT_REST_SECONDS

/**
 * Runs after the answer. A reader that stopped before the end of the body has paused the
 * connection: without this, the next request on it would never be read.
 */
export function discardRestOfBody({ raw }: FastifyRequest) {
  if (raw.destroyed) return
  if (raw.complete) {
    if (raw.readableLength) raw.resume()
    return
  }
  // A connection that is being closed reads on by itself.
  if (!hasConnection(raw) || raw.socket.writableEnded) return
  void discard(raw, PROXY_REST_SECONDS).then((has_ended) => has_ended || raw.socket.destroy())
}

/** Reads a body to its end, if that comes within the limits; returns whether it did. */
function discard(raw: IncomingMessage, seconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    let received = 0
    const count = (chunk: Buffer) => {
      received += chunk.length
      if (received > REST_BYTES) stop()
    }
    const timer = setTimeout(() => stop(), seconds * 1000).unref()
    const stop = () => {
      clearTimeout(timer)
      raw.off('data', count).off('end', stop).off('close', stop)
      resolve(raw.complete)
    }
    raw.on('data', count).once('end', stop).once('close', stop)
    raw.resume()
  })
}

const declaredLength = (headers: IncomingHttpHeaders) => Number(headers['content-length'] ?? 0)

export const hasBody = (headers: IncomingHttpHeaders) =>
  declaredLength(headers) > 0 || headers['transfer-encoding'] !== undefined

/** How many bytes are still to come at most; 0 where the length is not declared. */
const restLength = ({ raw, headers, bytes_before }: FastifyRequest) =>
  declaredLength(headers) - (raw.socket.bytesRead - (bytes_before ?? raw.socket.bytesRead))

/** A call in this process (app.inject) has no connection to close. */
const hasConnection = ({ socket }: IncomingMessage) => typeof socket.destroy === 'function'
