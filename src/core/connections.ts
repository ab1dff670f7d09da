import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { type ErrorName, errors, failure, Refusal } from './errors.ts'

/** How long what has arrived may take to be answered when the service stops. */
const DRAIN_MS = 5000
/** How long someone who was answered early may go on sending, so that they come to read the answer. */
const LINGER_MS = 2000
const JSON_TYPE = 'application/json; charset=utf-8'
const phrases: Record<number, string> = {
  400: 'Bad Request',
  405: 'Method Not Allowed',
  408: 'Request Timeout',
  417: 'Expectation Failed',
  431: 'Request Header Fields Too Large',
}

/** Connections end in order: what asks nothing at once, what was asked after its answer, the rest after a while. */
export function drainOnClose(app: FastifyInstance) {
  const sockets = new Set<Socket>()
  let closing = false
  app.server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  app.addHook('preClose', async () => {
    closing = true
    for (const socket of sockets) {
      const answering = '_httpMessage' in socket ? (socket._httpMessage as ServerResponse | null) : null
      if (answering) answering.shouldKeepAlive = false
      else socket.destroy()
    }
    setTimeout(() => app.server.closeAllConnections(), DRAIN_MS).unref()
  })
  app.addHook('onRequest', (_request, reply, done) => {
    if (closing) reply.header('connection', 'close')
    done()
  })
}

/** What the HTTP server would answer by itself, without our envelope. */
export function answerOddRequests(app: FastifyInstance) {
  app.server.on('checkExpectation', (_request, response) => {
    response
      .writeHead(417, { 'content-type': JSON_TYPE })
      .end(JSON.stringify(failure(new Refusal('MALFORMED', undefined, 'This expectation cannot be met'))))
  })
  app.server.on('connect', (_request: IncomingMessage, socket: Socket) => answerOnSocket(socket, 'METHOD_NOT_ALLOWED'))
}

/** What never became a request: broken syntax, huge headers, a stalled sender. */
export function answerBrokenRequest(error: Error & { code?: string }, socket: Socket) {
  // The rest of what was refused keeps coming in and is reported again.
  if (socket.writableEnded) return
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const known: Record<string, ErrorName> = { HPE_HEADER_OVERFLOW: 'HEADERS_TOO_LARGE', ERR_HTTP_REQUEST_TIMEOUT: 'REQUEST_TIMEOUT' }
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
