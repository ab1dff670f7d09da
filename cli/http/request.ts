import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { HOUR_MS, MIB, SECOND_MS } from '../../src/core/runtime/units.ts'
import { Failure, NetworkError } from '../errors.ts'
import { isLoopback, type Settings } from '../settings.ts'
import { type Agents, createAgents } from './proxy.ts'

/** The body of a request. Its length is known, and each attempt opens it again. */
export type Body = { type: string; length: number; open: () => AsyncIterable<Uint8Array> }
export type OutgoingRequest = {
  method: string
  url: string
  headers: Record<string, string>
  body?: Body
  onSent?: (bytes: number) => void
}
/** `moved_to` is another host that a redirect led to; it did not get the credentials. */
export type Answer = {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  moved_to?: string
}
export type Http = { send: (outgoing: OutgoingRequest) => Promise<Answer>; close: () => void }
type Connection = { agents: Agents; settings: Settings; signal: AbortSignal }

const CONNECT_MS = 30 * SECOND_MS
const REQUEST_MS = 2 * HOUR_MS
const MAX_ANSWER_BYTES = 8 * MIB
const MAX_REDIRECTS = 10
const credentials = new Set(['x-access-token', 'x-secret-key'])

export function createHttp(settings: Settings, signal: AbortSignal): Http {
  const agents = createAgents(settings, CONNECT_MS)
  const connection = { agents, settings, signal }
  return { send: (outgoing) => follow(outgoing, connection), close: agents.close }
}

/** Follows redirects: never to plain http, and to another host only without the credentials. */
async function follow(outgoing: OutgoingRequest, connection: Connection): Promise<Answer> {
  let { url, method, headers, body } = outgoing
  let moved_to: string | undefined
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await send({ ...outgoing, url, method, headers, body }, connection)
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
    `the server redirects more than ${MAX_REDIRECTS} times`,
    'check --url',
    false,
  )
}

function redirectTarget(
  { status, headers }: Answer,
  from: string,
  method: string,
): URL | undefined {
  if (![301, 302, 303, 307, 308].includes(status) || !headers.location) return undefined
  const target = URL.canParse(headers.location, from) ? new URL(headers.location, from) : undefined
  const hint = `if ${target?.host ?? 'the new address'} is right, set it with --url (and --upload)`
  if (!target || !/^https?:$/.test(target.protocol))
    throw new NetworkError(
      'the server redirects to an address that is not http or https',
      hint,
      false,
    )
  const is_downgrade = new URL(from).protocol === 'https:' || !isLoopback(target.hostname)
  if (target.protocol === 'http:' && is_downgrade)
    throw new NetworkError(
      `the server redirects to plain http (${target.host}), which would not encrypt the upload`,
      hint,
      false,
    )
  // Clients change the method to GET after these statuses, and the body would be lost.
  if (method !== 'GET' && (status === 301 || status === 302))
    throw new NetworkError(
      `the server redirects ${method} requests to ${target.host}${target.pathname}`,
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
    const answered = answerTo(request)
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

function answerTo(request: ClientRequest): Promise<Answer> {
  return new Promise((resolve, reject) => {
    let has_response = false
    request.once('response', (response) => {
      has_response = true
      readAnswer(response).then(resolve, reject)
    })
    request.on('error', reject)
    request.once(
      'close',
      () => has_response || reject(new Error('the connection was closed without an answer')),
    )
  })
}

function limitTime(
  request: ClientRequest,
  secure: boolean,
  { timeout_seconds }: Settings,
): NodeJS.Timeout[] {
  const fail = (why: string) => request.destroy(new NetworkError(why))
  const timers = [setTimeout(() => fail('the request took longer than two hours'), REQUEST_MS)]
  request.setTimeout(timeout_seconds * SECOND_MS, () =>
    fail(`the server sent no data for ${Math.round(timeout_seconds)} seconds`),
  )
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const connecting = setTimeout(() => fail('connecting took longer than 30 seconds'), CONNECT_MS)
    timers.push(connecting)
    socket.once('connect', () => {
      clearTimeout(connecting)
      if (!secure) return
      const handshake = setTimeout(
        () => fail('the TLS handshake took longer than 30 seconds'),
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

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const blocks: Buffer[] = []
  let length = 0
  for await (const block of response as AsyncIterable<Buffer>) {
    length += block.length
    if (length > MAX_ANSWER_BYTES)
      throw new NetworkError(
        'the answer is larger than 8 MiB',
        'check --url: is it a Slipway server?',
        false,
      )
    blocks.push(block)
  }
  if (!response.complete) throw new Error('the connection was closed before the end of the answer')
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(blocks) }
}

const reasons: Record<string, [why: string, hint?: string, can_retry?: boolean]> = {
  ECONNREFUSED: ['the connection was refused', 'is the server running, and is the address right?'],
  ENOTFOUND: ['there is no such host', 'check --url or SVC_API_URL'],
  EAI_AGAIN: ['the name of the host could not be resolved', 'check the network'],
  ECONNRESET: ['the connection was reset'],
  EPIPE: ['the connection was closed while sending'],
  ETIMEDOUT: ['the connection timed out'],
  HPE_INVALID_CONSTANT: [
    'the server does not speak HTTP',
    'check the port, and whether it is http or https',
    false,
  ],
  EPROTO: [
    'the server does not speak TLS',
    'check the port, and whether it is http or https',
    false,
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'the server does not speak TLS',
    'check the port, and whether it is http or https',
    false,
  ],
}
const untrusted = /^(CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_TLS_CERT|HOSTNAME_MISMATCH)/

function asNetworkError(error: NodeJS.ErrnoException, { host }: URL, signal: AbortSignal): Error {
  if (signal.aborted || error instanceof Failure) return error
  if (untrusted.test(error.code ?? ''))
    return new NetworkError(
      `${host}: the certificate is not trusted (${error.code})`,
      'for a private authority set NODE_EXTRA_CA_CERTS',
      false,
    )
  const [why, hint, can_retry] = reasons[error.code ?? ''] ?? [error.message]
  return new NetworkError(`${host}: ${why}`, hint, can_retry)
}
