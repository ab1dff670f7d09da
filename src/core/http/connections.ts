import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { type ErrorName, errors, failure, Refusal } from '../runtime/errors.ts'
import { MINUTE_MS } from '../runtime/units.ts'
import { securityHeaders } from './response-headers.ts'

/** How long requests that have arrived may take to be answered when the service stops. */
const DRAIN_MS = 5000
/** A client that reads nothing of a long answer for this time is disconnected. */
export const STALLED_READER_MS = MINUTE_MS
/** How long a refused sender may keep sending, so that it gets to read the answer. */
const LINGER_MS = 5000
/**
 * When this long and this many polls pass without a new request, the proxy in front has stopped
 * sending them. Polls are counted as well, because a process that was suspended has not polled.
 */
const QUIET_MS = 500
const QUIET_POLLS = 10
const POLL_MS = 10
/**
 * How long a connection that was accepted during the shutdown is given to bring its request. On a
 * busy machine a proxy may connect long before it gets to send; closed before that, the request is
 * lost, and a proxy may not repeat a write.
 */
const FIRST_REQUEST_MS = 5000
/**
 * A proxy that sends this header repeats a read at another process when it is answered with 504.
 */
const RETRIES_READS = 'x-passes-on'
const JSON_TYPE = 'application/json; charset=utf-8'
const phrases: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

declare module 'fastify' {
  interface FastifyInstance {
    /** Serves until no new requests arrive, then stops listening; `hurry` ends the waiting. */
    drain(seconds: number, hurry?: AbortSignal): Promise<void>
  }
}

/**
 * Graceful shutdown. Closing the listening socket while clients connect resets connections that the
 * kernel has already accepted, and no proxy may repeat a write on its own. So a process that shuts
 * down keeps serving, but closes each connection after its answer. In the second half of its time
 * it answers reads with 504 where the proxy retries those elsewhere, which makes the proxy send
 * everything elsewhere. It stops listening in the first quiet moment after that.
 */
export function installGracefulShutdown(app: FastifyInstance) {
  let state: 'serving' | 'draining' | 'redirecting' = 'serving'
  let arrivals = 0
  const sockets = new Set<Socket>()
  /** When connections without a request so far were accepted, for those since the drain began. */
  const unused = new Map<Socket, number>()
  app.server.on('connection', (socket: Socket) => {
    arrivals++
    sockets.add(socket)
    if (state !== 'serving') unused.set(socket, performance.now())
    socket.once('close', () => {
      sockets.delete(socket)
      unused.delete(socket)
    })
  })
  app.addHook('onRequest', (request, reply, done) => {
    if (state === 'serving') return done()
    unused.delete(request.raw.socket)
    closeAfterAnswer(request.raw, reply.raw)
    arrivals++
    const retry_elsewhere = state === 'redirecting' && canRetryElsewhere(request)
    done(retry_elsewhere ? new Refusal('SHUTTING_DOWN') : undefined)
  })
  app.decorate('drain', async (seconds: number, hurry?: AbortSignal) => {
    const wait = (ms: number) => pause(ms, undefined, { signal: hurry }).catch(() => {})
    state = 'draining'
    // Kept open, the connection of a request that is being answered could bring another one at the
    // moment in which idle connections are closed.
    for (const socket of sockets) {
      const response = answerOn(socket)
      if (response && !response.headersSent) closeAfterAnswer(response.req, response)
    }
    await wait(seconds * 500)
    state = 'redirecting'
    await wait(seconds * 500)
    if (seconds && !hurry?.aborted) await untilQuiet(() => arrivals, seconds, wait)
    // Only the listening socket: open connections may still bring a request, and are served.
    NetServer.prototype.close.call(app.server)
    // What was accepted last has to be read. A process that was suspended has not read it yet.
    for (let polls = 0; seconds && polls < QUIET_POLLS; polls++) {
      await wait(POLL_MS)
      await turn()
    }
    const isAwaited = (accepted_at: number) => performance.now() - accepted_at < FIRST_REQUEST_MS
    while (seconds && !hurry?.aborted && unused.values().some(isAwaited)) await wait(POLL_MS)
  })
  closeConnections(app, sockets, () => {
    state = 'draining'
  })
}

/** The answer that is being made on a connection. */
const answerOn = (socket: Socket) =>
  '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null

/** By the monotonic clock, because a step of the other one would end the drain early. */
async function untilQuiet(
  arrivals: () => number,
  max_seconds: number,
  wait: (ms: number) => Promise<void>,
) {
  const end = performance.now() + max_seconds * 1000
  let polls = 0
  let quiet_since = performance.now()
  let seen = arrivals()
  while (polls < QUIET_POLLS || performance.now() < quiet_since + QUIET_MS) {
    await wait(POLL_MS)
    await turn()
    if (arrivals() === seen) polls++
    else {
      polls = 0
      quiet_since = performance.now()
      seen = arrivals()
    }
    if (performance.now() > end) return
  }
}

/**
 * Closes the connection after the answer, but not while a body is still arriving: a sender that is
 * cut off does not get to read the answer.
 */
function closeAfterAnswer(request: IncomingMessage, response: ServerResponse) {
  const { headers } = request
  const has_body =
    Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  const close = () => {
    response.shouldKeepAlive = false
  }
  if (has_body && !request.readableEnded) request.once('end', close)
  else close()
}

const canRetryElsewhere = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && headers[RETRIES_READS] === 'reads'

/** Closes idle connections at once, busy ones after their answer, and the rest after DRAIN_MS. */
function closeConnections(app: FastifyInstance, sockets: Set<Socket>, onClose: () => void) {
  app.addHook('preClose', async () => {
    onClose()
    for (const socket of sockets) {
      const response = answerOn(socket)
      if (response) response.shouldKeepAlive = false
      else socket.destroy()
    }
    const timer = setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref()
    app.server.once('close', () => clearTimeout(timer))
  })
}

/** Answers, with our envelope, what Node's HTTP server would answer by itself. */
export function answerUnsupportedRequests(app: FastifyInstance) {
  app.server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
    const refusal = new Refusal(
      'MALFORMED',
      undefined,
      'The Expect header of this request is not supported; send the request without it',
    )
    // A client that sends Expect may or may not send the body after this answer.
    lingerOnClose(request)
    response
      .writeHead(417, { ...securityHeaders, 'content-type': JSON_TYPE, connection: 'close' })
      .end(JSON.stringify(failure(refusal)))
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    answerOnSocket(socket, 'METHOD_NOT_ALLOWED'),
  )
}

/** Answers what never became a request: invalid syntax, oversized headers, a stalled sender. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  // The rest of a refused request keeps arriving and is reported again.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const names: Record<string, ErrorName> = {
    HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
    ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  }
  answerOnSocket(socket, names[error.code ?? ''] ?? 'MALFORMED')
}

/**
 * Answers on the bare socket, then reads on for a while: closing while the client still sends would
 * discard the answer.
 */
function answerOnSocket(socket: Socket, name: ErrorName) {
  const [, status] = errors[name]
  const body = JSON.stringify(failure(new Refusal(name)))
  const head = [
    `HTTP/1.1 ${status} ${phrases[status] ?? ''}`,
    `content-type: ${JSON_TYPE}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(securityHeaders).map(([name, value]) => `${name}: ${value}`),
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  socket.on('data', () => {}).on('error', () => {})
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}

/**
 * Makes Node close the connection after the answer without losing it. Node would close both
 * directions at once, and the kernel answers what the client still sends with a reset, on which the
 * client discards the answer. So only our direction is closed, and the rest of the body is read for
 * a while.
 */
export function lingerOnClose(raw: IncomingMessage) {
  const { socket } = raw
  socket.destroySoon = () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref()
    socket.once('close', () => clearTimeout(timer))
    socket.end()
    raw.once('end', () => Socket.prototype.destroySoon.call(socket)).resume()
  }
}
