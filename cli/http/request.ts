import type { ClientRequest, IncomingMessage } from 'node:http'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { Failure, NetworkError } from '../errors.ts'
import { isLoopback, type Settings } from '../settings.ts'
import { type Agents, createAgents } from './proxy.ts'

/** What a request sends; opened anew for each try, and always of a length known before. */
export type Body = { type: string; length: number; open: () => AsyncIterable<Uint8Array> }
export type Sent = {
  method: string
  url: string
  headers: Record<string, string>
  body?: Body
  onSent?: (bytes: number) => void
}
/** `moved_to` is another host that was followed to, without the credentials. */
export type Answer = {
  status: number
  headers: IncomingMessage['headers']
  body: Buffer
  moved_to?: string
}
export type Http = { send: (sent: Sent) => Promise<Answer>; close: () => void }

const CONNECT_MS = 30_000
const WHOLE_MS = 2 * 3600 * 1000
const MAX_ANSWER = 8 * 1024 * 1024
const MAX_REDIRECTS = 10
const credentials = new Set(['x-access-token', 'x-secret-key'])

export function createHttp(settings: Settings, signal: AbortSignal): Http {
  const agents = createAgents(settings, CONNECT_MS)
  return { send: (sent) => follow(sent, agents, settings, signal), close: agents.close }
}

/** Follows redirects: never to plain http, and to another host only without the credentials. */
async function follow(
  sent: Sent,
  agents: Agents,
  settings: Settings,
  signal: AbortSignal,
): Promise<Answer> {
  let { url, method, headers, body } = sent
  let moved_to: string | undefined
  for (let hops = 0; hops <= MAX_REDIRECTS; hops++) {
    const answer = await once({ ...sent, url, method, headers, body }, agents, settings, signal)
    const target = redirectTarget(answer, url, method)
    if (!target) return moved_to ? { ...answer, moved_to } : answer
    if (target.host !== new URL(url).host) {
      moved_to = target.host
      headers = Object.fromEntries(
        Object.entries(headers).filter(([name]) => !credentials.has(name.toLowerCase())),
      )
    }
    url = target.href
    // See Other: the answer is elsewhere, and is only to be read.
    if (answer.status === 303) [method, body] = ['GET', undefined]
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
  const here = new URL(from)
  const hint = `if ${target?.host ?? 'the new address'} is right, name it with --url (and --upload)`
  if (!target || !/^https?:$/.test(target.protocol))
    throw new NetworkError('the server redirects to what is no web address', hint, false)
  if (target.protocol === 'http:' && (here.protocol === 'https:' || !isLoopback(target.hostname)))
    throw new NetworkError(
      `the server redirects to plain http (${target.host}); that would send the upload in the open`,
      hint,
      false,
    )
  // A method that changes on the way would lose the body, and with it what was asked.
  if (method !== 'GET' && (status === 301 || status === 302))
    throw new NetworkError(
      `the server redirects ${method} requests to ${target.host}${target.pathname}`,
      hint,
      false,
    )
  return target
}

async function once(
  sent: Sent,
  agents: Agents,
  settings: Settings,
  signal: AbortSignal,
  fresh = true,
): Promise<Answer> {
  const url = new URL(sent.url)
  const secure = url.protocol === 'https:'
  const headers: Record<string, string | number> = { ...sent.headers }
  if (sent.body)
    Object.assign(headers, { 'content-type': sent.body.type, 'content-length': sent.body.length })
  else if (sent.method !== 'GET') headers['content-length'] = 0
  const options = {
    method: sent.method,
    headers,
    signal,
    agent: secure ? agents.https(url) : agents.http,
  }
  const request = secure ? secureRequest(url, options) : plainRequest(url, options)
  const timers = limitTime(request, secure, settings)
  try {
    const answered = new Promise<Answer>((resolve, reject) => {
      let answering = false
      request.once('response', (response) => {
        answering = true
        readAnswer(response).then(resolve, reject)
      })
      request.on('error', reject)
      request.once(
        'close',
        () => answering || reject(new Error('the connection was closed without an answer')),
      )
    })
    answered.catch(() => {})
    await Promise.race([writeBody(request, sent), answered])
    return await answered
  } catch (error) {
    // A keep-alive connection may have been closed by the server. Requests with a body are not
    // repeated, because the server may have processed them.
    const { code } = error as NodeJS.ErrnoException
    if (request.reusedSocket && (code === 'ECONNRESET' || code === 'EPIPE') && fresh && !sent.body)
      return once(sent, agents, settings, signal, false)
    throw asNetworkError(error as Error, url, signal)
  } finally {
    for (const timer of timers) clearTimeout(timer)
    // Answered before all was sent: the rest is not wanted.
    if (!request.writableFinished) request.destroy()
  }
}

function limitTime(
  request: ClientRequest,
  secure: boolean,
  { timeout_seconds }: Settings,
): NodeJS.Timeout[] {
  const late = (why: string) => request.destroy(new NetworkError(why))
  const timers = [setTimeout(() => late('the request took longer than two hours'), WHOLE_MS)]
  request.setTimeout(timeout_seconds * 1000, () =>
    late(`the server said nothing for ${Math.round(timeout_seconds)} seconds`),
  )
  request.once('socket', (socket) => {
    if (!socket.connecting) return
    const dial = setTimeout(() => late('the connection was not made within 30 seconds'), CONNECT_MS)
    timers.push(dial)
    socket.once('connect', () => {
      clearTimeout(dial)
      if (!secure) return
      const handshake = setTimeout(
        () => late('the TLS handshake took longer than 30 seconds'),
        CONNECT_MS,
      )
      timers.push(handshake)
      ;(socket as TLSSocket).once('secureConnect', () => clearTimeout(handshake))
    })
  })
  return timers
}

/** Two pieces are under way at most: one is read while the other is sent. */
async function writeBody(request: ClientRequest, { body, onSent }: Sent): Promise<void> {
  let sent = 0
  let flushed: Promise<void> = Promise.resolve()
  if (body)
    for await (const piece of body.open()) {
      await flushed
      if (request.destroyed) return
      flushed = new Promise((resolve) => request.write(piece, () => resolve()))
      sent += piece.length
      onSent?.(sent)
    }
  await flushed
  request.end()
}

async function readAnswer(response: IncomingMessage): Promise<Answer> {
  const pieces: Buffer[] = []
  let length = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    length += piece.length
    if (length > MAX_ANSWER)
      throw new NetworkError(
        'the answer is larger than 8 MiB',
        'check --url: is it a Slipway server?',
        false,
      )
    pieces.push(piece)
  }
  if (!response.complete) throw new Error('the answer was cut short')
  return { status: response.statusCode!, headers: response.headers, body: Buffer.concat(pieces) }
}

const reasons: Record<string, [why: string, hint?: string, again?: boolean]> = {
  ECONNREFUSED: ['nothing answers there', 'is the server running, and is the address right?'],
  ENOTFOUND: ['there is no such host', 'check --url or SVC_API_URL'],
  EAI_AGAIN: ['the name of the host could not be looked up', 'check the network'],
  ECONNRESET: ['the connection was reset'],
  EPIPE: ['the connection was closed while sending'],
  ETIMEDOUT: ['the connection timed out'],
  HPE_INVALID_CONSTANT: [
    'what answers there does not speak HTTP',
    'check the port, and whether it is http or https',
    false,
  ],
  EPROTO: [
    'what answers there does not speak TLS',
    'check the port, and whether it is http or https',
    false,
  ],
  ERR_SSL_WRONG_VERSION_NUMBER: [
    'what answers there does not speak TLS',
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
  const [why, hint, again] = reasons[error.code ?? ''] ?? [error.message]
  return new NetworkError(`${host}: ${why}`, hint, again)
}
