import type { IncomingMessage, ServerResponse } from 'node:http'
import { Server as NetServer, type Socket } from 'node:net'
import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorName, errors, failure, Refusal } from '../runtime/errors.ts'

/** How long what has arrived may take to be answered when the service stops. */
const DRAIN_MS = 5000
/** How long someone who was answered early may go on sending, so that they come to read the answer. */
const LINGER_MS = 2000
/** Nobody has come for so long, at so many looks: whoever is in front has understood. Looks as well, since a process that stood still has not looked. */
const CALM_MS = 500
const CALM_LOOKS = 10
const LOOK_MS = 10
/** A proxy that says so asks another process when a read is answered with 504. */
const PASSES_ON = 'x-passes-on'
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
    /** Sees to it that nobody comes any more, before the door is closed; `hurry` ends the waiting. */
    drain(seconds: number, hurry?: AbortSignal): Promise<void>
    isAcceptingRequests(): boolean
  }
}

/**
 * A door that is closed while someone walks in costs them their request: what the kernel had accepted for us is reset, and no proxy may repeat a write.
 * So a process that leaves serves on, lets no connection live on after its answer, and in the second half of its time hands reads back to a proxy that
 * passes them on, which makes that proxy look elsewhere with all it has. The door closes in the first quiet moment after that.
 */
export function installGracefulShutdown(app: FastifyInstance) {
  let state: 'staying' | 'leaving' | 'handing over' = 'staying'
  let visits = 0
  app.server.on('connection', () => void visits++)
  app.addHook('onRequest', (request, reply, done) => {
    if (state === 'staying') return done()
    endAfterAnswer(request, reply)
    visits++
    done(state === 'handing over' && mayPassOn(request) ? new Refusal('SHUTTING_DOWN') : undefined)
  })
  app.decorate('isAcceptingRequests', () => state === 'staying')
  app.decorate('drain', async (seconds: number, hurry?: AbortSignal) => {
    const wait = (ms: number) => pause(ms, undefined, { signal: hurry }).catch(() => {})
    state = 'leaving'
    await wait(seconds * 500)
    state = 'handing over'
    await wait(seconds * 500)
    if (seconds && !hurry?.aborted) await calm(() => visits, seconds, wait)
    // The door alone: whoever is inside already, and may not have spoken yet, is served.
    NetServer.prototype.close.call(app.server)
    if (seconds) await wait(CALM_LOOKS * LOOK_MS)
  })
  endConnections(app, () => {
    state = 'leaving'
  })
}

async function calm(visits: () => number, seconds: number, wait: (ms: number) => Promise<void>) {
  const end = Date.now() + seconds * 1000
  for (
    let [looks, since, seen] = [0, Date.now(), visits()];
    looks < CALM_LOOKS || Date.now() < since + CALM_MS;
  ) {
    await wait(LOOK_MS)
    await turn()
    looks = visits() === seen ? looks + 1 : 0
    if (!looks) [since, seen] = [Date.now(), visits()]
    if (Date.now() > end) return
  }
}

/** Not while a body is still coming: whoever is cut off while sending does not get to read the answer. */
function endAfterAnswer({ raw, headers }: FastifyRequest, reply: FastifyReply) {
  const has_body =
    Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined
  if (!has_body) return void reply.header('connection', 'close')
  raw.once('end', () => {
    reply.raw.shouldKeepAlive = false
  })
}

const mayPassOn = ({ method, headers }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && headers[PASSES_ON] === 'reads'

/** Connections end in order: what asks nothing at once, what was asked after its answer, the rest after a while. */
function endConnections(app: FastifyInstance, onClose: () => void) {
  const sockets = new Set<Socket>()
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    onClose()
    for (const socket of sockets) {
      const answering =
        '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null
      if (answering) answering.shouldKeepAlive = false
      else socket.destroy()
    }
    setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref()
  })
}

/** What the HTTP server would answer by itself, without our envelope. */
export function answerUnsupportedRequests(app: FastifyInstance) {
  app.server.on('checkExpectation', (_request, response) => {
    response
      .writeHead(417, { 'content-type': JSON_TYPE })
      .end(
        JSON.stringify(
          failure(new Refusal('MALFORMED', undefined, 'This expectation cannot be met')),
        ),
      )
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) =>
    answerOnSocket(socket, 'METHOD_NOT_ALLOWED'),
  )
}

/** What never became a request: broken syntax, huge headers, a stalled sender. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  // The rest of what was refused keeps coming in and is reported again.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known: Record<string, ErrorName> = {
    HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE',
    ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT',
  }
  answerOnSocket(socket, known[error.code ?? ''] ?? 'MALFORMED')
}

/** Answers on the bare socket, then takes in what is still being sent: closing on a sender would throw the answer away. */
function answerOnSocket(socket: Socket, name: ErrorName) {
  const [, status] = errors[name]
  const body = JSON.stringify(failure(new Refusal(name)))
  socket.end(
    `HTTP/1.1 ${status} ${phrases[status] ?? ''}\r\ncontent-type: ${JSON_TYPE}\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
  socket.on('data', () => {}).on('error', () => {})
  socket.resume()
  setTimeout(() => socket.destroy(), LINGER_MS).unref()
}
