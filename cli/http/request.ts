import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { HOUR_MS, MIB, SECOND_MS } from '../../src/core/runtime/units.ts'
import { duration } from '../documents/text.ts'
import { Failure, NetworkError } from '../errors.ts'
import { later, type Text, t } from '../messages.ts'
import { type ConnectionSettings, isLoopback } from '../settings.ts'
import { type Agents, createAgents } from './proxy.ts'

/** The body of a request. Its length is known, and each attempt opens it again. */
export type Body = { type: string; length: number; open: () => AsyncIterable<Uint8Array> }
export type OutgoingRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body?: Body
  onSent?: (bytes: number) => void
  max_answer_bytes?: number | undefined
}
/** `moved_to` is another host that a redirect led to; it did not get the credentials. */
export type Answer = {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  moved_to?: string
}
/** An answer whose body is read by the caller. */
export type OpenAnswer = Pick<Answer, 'status' | 'headers'> & { body: IncomingMessage }
export type Http = {
  send: (outgoing: OutgoingRequest) => Promise<Answer>
  /** For bodies that may be large; follows redirects like the other. */
  open: (outgoing: Omit<OutgoingRequest, 'body' | 'onSent'>) => Promise<OpenAnswer>
  close: () => void
}
type Connection = { agents: Agents; settings: ConnectionSettings; signal: AbortSignal }

const CONNECT_MS = 30 * SECOND_MS
const REQUEST_MS = 2 * HOUR_MS
const MAX_ANSWER_BYTES = 8 * MIB
const MAX_REDIRECTS = 10
const credentials = new Set(['x-access-token', 'x-secret-key', 'authorization'])

export function createHttp(settings: ConnectionSettings, signal: AbortSignal): Http {
  const agents = createAgents(settings, CONNECT_MS)
  const connection = { agents, settings, signal }
  return {
    send: (outgoing) => follow(outgoing, connection, send),
    open: (outgoing) => follow(outgoing, connection, open),
    close: agents.close,
  }
}

/** Follows redirects: never to plain http, and to another host only without the credentials. */
async function follow<Result extends Pick<Answer, 'status' | 'headers'>>(
  outgoing: OutgoingRequest,
  connection: Connection,
  sendOnce: (outgoing: OutgoingRequest, connection: Connection) => Promise<Result>,
): Promise<Result & { moved_to?: string }> {
  let { url, method, headers, body } = outgoing
  let moved_to: string | undefined
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await sendOnce({ ...outgoing, url, method, headers, body }, connection)
    const target = redirectTarget(answer, url, method)
    if (!target) return moved_to ? { ...answer, moved_to } : answer
    if (target.host !== new URL(url).host) {
      moved_to = target.host
      headers = Object.fromEntries(
        Object.entries(headers).filter(([name]) => !credentials.has(name.toLowerCase())),
      )
    }
    url = target.href
    // See Other: the answer is read from the new address.
    if (answer.status === 303) {
      method = 'GET'
      body = undefined
    }
  }
  throw new NetworkError(
    t('network-redirects', { max: String(MAX_REDIRECTS) }),
    t('network-check-url'),
    false,
  )
}

function redirectTarget(
  { status, headers }: Pick<Answer, 'status' | 'headers'>,
  from: string,
  method: string,
): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers.location) return undefined
  const target = URL.canParse(headers.location, from) ? new URL(headers.location, from) : undefined
  const hint = target
    ? t('network-redirect-hint', { host: target.host })
    : t('network-redirect-unknown-hint')
  if (!target || !/^https?:$/.test(target.protocol))
    throw new NetworkError(t('network-redirect-scheme'), hint, false)
  const is_downgrade = new URL(from).protocol === 'https:' || !isLoopback(target.hostname)
  if (target.protocol === 'http:' && is_downgrade)
    throw new NetworkError(t('network-redirect-plain', { host: target.host }), hint, false)
  // Clients change the method to GET after these statuses, and the body would be lost.
  if (method !== 'GET' && (status === 301 || status === 302))
    throw new NetworkError(
      t('network-redirect-method', { method, address: `${target.host}${target.pathname}` }),
      hint,
      false,
    )
  return target
}

async function send(
  outgoing: OutgoingRequest,
  connection: Connection,
  is_retry = false,
): Promise<Answer> {
  const { settings, signal } = connection
  const url = new URL(outgoing.url)
  const request = openRequest(outgoing, url, connection)
  const timers = limitTime(request, url.protocol === 'https:', settings)
  try {
    const answered = answerTo(request, outgoing.max_answer_bytes)
    answered.catch(() => {})
    await Promise.race([writeBody(request, outgoing), answered])
    return await answered
  } catch (error) {
    // A keep-alive connection may have been closed by the server. Requests with a body are not
    // repeated, because the server may have processed them.
    const { code } = error as NodeJS.ErrnoException
    const was_closed = request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE')
    if (was_closed && !is_retry && !outgoing.body) return send(outgoing, connection, true)
    throw asNetworkError(error as Error, url, signal)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // The server answered before the whole body was sent; the rest is not needed.
    if (!request.writableFinished) request.destroy()
  }
}

/** Answers as soon as the head has arrived. A body that stops arriving fails after a while. */
async function open(outgoing: OutgoingRequest, connection: Connection): Promise<OpenAnswer> {
  const { settings, signal } = connection
  const url = new URL(outgoing.url)
  const request = openRequest(outgoing, url, connection)
  const timers = limitTime(request, url.protocol === 'https:', settings)
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      request.once('response', resolve)
      request.on('error', reject)
    })
    request.end()
    const body = await answered
    return { status: body.statusCode!, headers: body.headers, body }
  } catch (error) {
    throw asNetworkError(error as Error, url, signal)
  } finally {
    for (const timer of timers) clearTimeout(timer)
  }
}

function openRequest(
  outgoing: OutgoingRequest,
  url: URL,
  { agents, signal }: Connection,
): ClientRequest {
  const { method, body } = outgoing
  const headers: Record<string, string | number> = { ...outgoing.headers }
  if (body) Object.assign(headers, { 'content-type': body.type, 'content-length': body.length })
  else if (method !== 'GET') headers['content-length'] = 0
  const options = { method, headers, signal }
  return url.protocol === 'https:'
    ? secureRequest(url, { ...options, agent: agents.https(url) })
    : plainRequest(url, { ...options, agent: agents.http })
}

function answerTo(request: ClientRequest, max_bytes?: number): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let has_response = false
    request.once('response', (response) => {
      has_response = true
      readAnswer(response, max_bytes).then(resolve, reject)
    })
    request.on('error', reject)
    request.once('close', () => has_response || reject(new Error(t('network-no-answer'))))
  })
}

function limitTime(
  request: ClientRequest,
  secure: boolean,
  { timeout_seconds }: ConnectionSettings,
): NodeJS.Timeout[] {
  const fail = (why: string) => request.destroy(new NetworkError(why))
  const timers = [setTimeout(() => fail(t('network-two-hours')), REQUEST_MS)]
  request.setTimeout(timeout_seconds * SECOND_MS, () =>
    fail(t('network-silent', { seconds: String(Math.round(timeout_seconds)) })),
  )
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const connecting = setTimeout(() => fail(t('network-connect-slow')), CONNECT_MS)
    timers.push(connecting)
    socket.once('connect', () => {
      clearTimeout(connecting)
      if (!secure) return
      const handshake = setTimeout(
        () => fail(t('network-tls-slow', { time: duration(CONNECT_MS / SECOND_MS) })),
        CONNECT_MS,
      )
      timers.push(handshake)
      ;(socket as TLSSocket).once('secureConnect', () => clearTimeout(handshake))
    })
  })
  return timers
}

/** At most two blocks are in memory: one is read while the other is sent. */
async function writeBody(request: ClientRequest, { body, onSent }: OutgoingRequest): Promise<void> {
  let sent = 0
  let flushed: Promise<void> = Promise.resolve()
  if (body)
    for await (const block of body.open()) {
      await flushed
      if (request.destroyed) return
      flushed = new Promise((resolve) => request.write(block, () => resolve()))
      sent += block.length
      onSent?.(sent)
    }
  await flushed
  request.end()
}

async function readAnswer(
  response: IncomingMessage,
  max_bytes = MAX_ANSWER_BYTES,
): Promise<Answer> {
  const blocks: Buffer[] = []
  let length = 0
  for await (const block of response as AsyncIterable<Buffer>) {
    length += block.length
    if (length > max_bytes)
      throw new NetworkError(t('network-answer-large'), t('network-answer-large-hint'), false)
    blocks.push(block)
  }
  if (!response.complete) throw new Error(t('network-answer-cut'))
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(blocks) }
}

const reasons: Record<string, [why: Text, hint?: Text, can_retry?: boolean]> = {
  ECONNREFUSED: [later('network-refused'), later('network-refused-hint')],
  ENOTFOUND: [later('network-no-host'), later('network-no-host-hint')],
  EAI_AGAIN: [later('network-unresolved'), later('network-unresolved-hint')],
  ECONNRESET: [later('network-reset')],
  EPIPE: [later('network-closed-sending')],
  ETIMEDOUT: [later('network-timed-out')],
  HPE_INVALID_CONSTANT: [later('network-not-http'), later('network-port-hint'), false],
  EPROTO: [later('network-not-tls'), later('network-port-hint'), false],
  ERR_SSL_WRONG_VERSION_NUMBER: [later('network-not-tls'), later('network-port-hint'), false],
}
const untrusted = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT|HOSTNAME_MISMATCH)/

function asNetworkError(error: NodeJS.ErrnoException, { host }: URL, signal: AbortSignal): Error {
  if (signal.aborted || error instanceof Failure) return error
  if (untrusted.test(error.code ?? ''))
    return new NetworkError(
      t('network-untrusted', { host, code: String(error.code) }),
      t('network-untrusted-hint'),
      false,
    )
  const [why, hint, can_retry] = reasons[error.code ?? ''] ?? [() => error.message]
  return new NetworkError(`${host}: ${why()}`, hint?.(), can_retry)
}
