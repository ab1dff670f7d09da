import { lookup as systemLookup } from 'node:dns/promises'
import { once } from 'node:events'
import {
  type ClientRequest,
  Agent as HttpAgent,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { BlockList, isIP, isIPv6, connect as netConnect, type Socket } from 'node:net'
import { connect as tlsConnect } from 'node:tls'
import { endSpan, startChild, traceparentOf } from '../runtime/tracing.ts'
import { MIB } from '../runtime/units.ts'
import { type Allow, checkUrl, isPublicAddress } from './address-guard.ts'

export type OutboundErrorKind =
  | 'bad_url'
  | 'blocked'
  | 'dns'
  | 'timeout'
  | 'too_large'
  | 'redirects'
  | 'network'

/**
 * Messages contain at most the origin, because paths and queries of webhooks are secrets. For the
 * same reason no cause is kept.
 */
export class OutboundError extends Error {
  readonly kind: OutboundErrorKind

  constructor(kind: OutboundErrorKind, message: string) {
    super(message)
    this.name = 'OutboundError'
    this.kind = kind
  }
}

export type OutboundRequest = {
  url: string
  method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  headers?: Record<string, string>
  body?: string | Uint8Array
  /** From the name lookup to the last byte of the last answer, including redirects. */
  timeout_ms?: number
  max_bytes?: number
  /** Only the status and headers are read; the body is ignored. */
  status_only?: boolean
  /**
   * With `status_only`, the body of answers with this status is read nevertheless. It is empty if
   * it is too long, too slow or broken.
   */
  body_of_status?: number | undefined
  /** With 0 a redirect is returned like any other answer. */
  max_redirects?: number
  loopback?: boolean
  plain_http?: boolean
}
export type OutboundAnswer = {
  status: number
  headers: IncomingHttpHeaders
  body: Buffer
  url: string
  /** Sent twice because a reused connection broke: the server may have acted on the first one. */
  resent: boolean
}
export type Outbound = { request(request: OutboundRequest): Promise<OutboundAnswer> }

export type Lookup = (host: string) => Promise<{ address: string }[]>
export type OutboundOptions = {
  /**
   * Origins that the operator configured, which skip the address guard. Never use the same outbound
   * for URLs that users type.
   */
  trusted_origins?: string[]
  /** Keeps connections to the trusted origins open for the next request. */
  keep_alive?: boolean
  lookup?: Lookup
  ca?: string
}

type Agents = { http: HttpAgent; https: HttpsAgent }
type Settings = { lookup: Lookup; ca: string | undefined; agents: Agents | undefined }
type Hop = {
  text: string
  allow: Allow
  method: string
  headers: Record<string, string>
  body: string | Uint8Array | undefined
}
/** Without addresses the keep-alive agent looks them up when it connects. */
type Target = { url: URL; host: string; addresses: string[] | undefined }

const MAX_IDLE_SOCKETS = 64
const FINISHED = new Error('The exchange is finished')
const ATTEMPT_MS = 2_000
const OPTIONAL_BODY_MS = 2_000
const REDIRECTS = new Set([301, 302, 303, 307, 308])
/** Callers may not set transport headers; a second `host` would also select the certificate. */
const TRANSPORT_HEADERS = new Set([
  'host',
  'connection',
  'keep-alive',
  'proxy-connection',
  'content-length',
  'transfer-encoding',
  'accept-encoding',
  'expect',
  'te',
  'trailer',
  'upgrade',
])
const CREDENTIAL_HEADERS = /^(authorization|proxy-authorization|cookie|x-api-key|x-webapi-key)$/

/**
 * HTTP requests to addresses that others chose, guarded against private networks, slow or endless
 * answers, and redirects to forbidden targets.
 */
export function createOutbound({
  trusted_origins = [],
  keep_alive = false,
  lookup,
  ca,
}: OutboundOptions = {}): Outbound {
  const trusted = new Set(trusted_origins.map((text) => new URL(text).origin))
  const keepAlive = { keepAlive: true, maxFreeSockets: MAX_IDLE_SOCKETS }
  const agents = keep_alive
    ? { http: new HttpAgent(keepAlive), https: new HttpsAgent({ ...keepAlive, ...(ca && { ca }) }) }
    : undefined
  const settings = {
    lookup: lookup ?? ((host: string) => systemLookup(host, { all: true })),
    ca,
    agents,
  }
  return {
    request({
      url,
      method = 'GET',
      headers = {},
      body,
      timeout_ms = 10_000,
      loopback,
      plain_http,
      max_bytes = MIB,
      max_redirects = 0,
      status_only = false,
      body_of_status,
    }) {
      const allow = { loopback, plain_http, trusted_origins: trusted }
      const first = {
        text: url,
        allow,
        method,
        headers: pickHeaders(headers, (name) => !TRANSPORT_HEADERS.has(name)),
        body,
      }
      const limits = { max_bytes, max_redirects, status_only, body_of_status }
      return traceCall(first, () =>
        withDeadline(timeout_ms, (signal) => follow(settings, first, limits, signal)),
      )
    },
  }
}

/** In a request or job that is traced, the receiver learns of it, and the call is a span. */
async function traceCall(hop: Hop, call: () => Promise<OutboundAnswer>): Promise<OutboundAnswer> {
  const span = startChild(hop.method, 'client', () => ({
    'http.request.method': hop.method,
    'server.address': URL.parse(hop.text)?.hostname ?? '',
  }))
  if (!span) return call()
  hop.headers.traceparent ??= traceparentOf(span)
  try {
    const answer = await call()
    endSpan(span, { 'http.response.status_code': answer.status }, answer.status >= 400)
    return answer
  } catch (error) {
    endSpan(span, {}, true)
    throw error
  }
}

/**
 * The race ends the wait at once, even during a name lookup, which cannot be canceled. The signal
 * closes the open socket.
 */
async function withDeadline<T>(
  timeout_ms: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(
    () => reject(new OutboundError('timeout', `No complete answer within ${timeout_ms} ms`)),
    timeout_ms,
  )
  try {
    return await Promise.race([work(controller.signal), expired])
  } finally {
    clearTimeout(timer)
    // A new error each time would cost a stack trace that nobody reads.
    controller.abort(FINISHED)
  }
}

type Limits = {
  max_bytes: number
  max_redirects: number
  status_only: boolean
  body_of_status: number | undefined
}

async function follow(
  settings: Settings,
  first: Hop,
  limits: Limits,
  signal: AbortSignal,
): Promise<OutboundAnswer> {
  let hop = first
  for (let remaining = limits.max_redirects; ; remaining--) {
    const target = await findTarget(settings, hop)
    const response = await exchange(settings, target, hop, signal)
    const { statusCode: status = 0, headers } = response
    if (!limits.max_redirects || !REDIRECTS.has(status) || headers.location === undefined)
      return {
        status,
        headers,
        body: await bodyOf(response, limits, target.url),
        url: target.url.href,
        resent: resent.has(response),
      }
    response.destroy()
    if (!remaining)
      throw new OutboundError('redirects', `More than ${limits.max_redirects} redirects`)
    hop = nextHop(hop, target.url, status, headers.location)
  }
}

/** The only name lookup of a hop: the connection uses these addresses and no others. */
async function findTarget({ lookup, agents }: Settings, hop: Hop): Promise<Target> {
  const checked = checkUrl(hop.text, hop.allow)
  if (!checked.ok) throw new OutboundError(checked.kind, checked.message)
  const { url, host, guarded } = checked
  if (agents && hop.allow.trusted_origins?.has(url.origin))
    return { url, host, addresses: undefined }
  const addresses = isIP(host) ? [host] : await resolve(lookup, url, host)
  if (guarded && !addresses.every(isPublicAddress))
    throw new OutboundError('blocked', `${url.origin} has an address that is not public`)
  return { url, host, addresses }
}

async function resolve(lookup: Lookup, url: URL, host: string): Promise<string[]> {
  const answers = await lookup(host).catch(() => [])
  if (!answers.length) throw new OutboundError('dns', `The host of ${url.origin} has no address`)
  return answers.map(({ address }) => address)
}

async function exchange(
  settings: Settings,
  target: Target,
  hop: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  try {
    if (settings.agents && !target.addresses)
      return await sendKeepAlive({ ...settings, agents: settings.agents }, target, hop, signal)
    return await send(await connect(settings, target, signal), target.url, hop)
  } catch (error) {
    throw asNetworkError(target.url, error)
  }
}

const resent = new WeakSet<IncomingMessage>()

/** An idle connection may have been closed by the server just now: then a new one is tried once. */
async function sendKeepAlive(
  settings: Settings & { agents: Agents },
  target: Target,
  hop: Hop,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const { agents } = settings
  const { url, host } = target
  const options = {
    host,
    port: url.port,
    path: url.pathname + url.search,
    method: hop.method,
    headers: { ...hop.headers, ...lengthOf(hop), host: url.host, 'accept-encoding': 'identity' },
  }
  const request =
    url.protocol === 'https:'
      ? httpsRequest({ ...options, agent: agents.https })
      : httpRequest({ ...options, agent: agents.http })
  signal.addEventListener('abort', () => request.destroy(), { once: true })
  try {
    return await answerTo(request, hop.body)
  } catch (error) {
    if (signal.aborted || !request.reusedSocket) throw error
    const addresses = isIP(target.host)
      ? [target.host]
      : await resolve(settings.lookup, url, target.host)
    const answer = await send(await connect(settings, { ...target, addresses }, signal), url, hop)
    resent.add(answer)
    return answer
  }
}

/** A connection to one of the addresses that were checked. */
async function connectPlain(
  { url, host, addresses = [] }: Target,
  signal: AbortSignal,
): Promise<Socket> {
  const secure = url.protocol === 'https:'
  const answers = addresses.map((address) => ({ address, family: isIP(address) }))
  const socket = netConnect({
    host,
    port: Number(url.port || (secure ? 443 : 80)),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    lookup: (_host, _options, done) => done(null, answers),
    signal,
  })
  await untilEvent(socket, 'connect')
  if (!isOneOf(addresses, socket.remoteAddress))
    throw new OutboundError(
      'blocked',
      `${url.origin} answered from an address that was not checked`,
    )
  return socket
}

const serverName = (host: string) => (isIP(host) ? '' : host.replace(/\.$/, ''))

async function connect({ ca }: Settings, target: Target, signal: AbortSignal): Promise<Socket> {
  const socket = await connectPlain(target, signal)
  const { url, host } = target
  if (url.protocol !== 'https:') return socket
  const servername = serverName(host)
  return untilEvent(
    tlsConnect({ socket, host, servername, ALPNProtocols: ['http/1.1'], ...(ca && { ca }) }),
    'secureConnect',
  )
}

const CERTIFICATE_MS = 10_000

/** When the certificate of an https server ends, also if it has ended. Guarded like a request. */
export function readCertificateEnd(
  text: string,
  { trusted_origins = [], lookup }: OutboundOptions = {},
): Promise<Date> {
  const settings: Settings = {
    lookup: lookup ?? ((host: string) => systemLookup(host, { all: true })),
    ca: undefined,
    agents: undefined,
  }
  const allow = { trusted_origins: new Set(trusted_origins) }
  const hop = { text, allow, method: 'GET', headers: {}, body: undefined }
  return withDeadline(CERTIFICATE_MS, async (signal) => {
    const target = await findTarget(settings, hop)
    try {
      const socket = await connectPlain(target, signal)
      const servername = serverName(target.host)
      // Nothing is sent, so a certificate that is not valid can be read too.
      const secure = tlsConnect({ socket, servername, rejectUnauthorized: false })
      await untilEvent(secure, 'secureConnect')
      const { valid_to } = secure.getPeerCertificate()
      secure.destroy()
      return new Date(valid_to)
    } catch (error) {
      throw asNetworkError(target.url, error)
    }
  })
}

/** The error listener stays: an error between two steps would otherwise end the process. */
async function untilEvent<S extends Socket>(socket: S, event: string): Promise<S> {
  socket.on('error', () => {})
  await once(socket, event)
  return socket
}

function isOneOf(addresses: string[], remote: string | undefined): boolean {
  if (!remote) return false
  const list = new BlockList()
  for (const address of addresses) list.addAddress(address, isIPv6(address) ? 'ipv6' : 'ipv4')
  return list.check(remote, isIPv6(remote) ? 'ipv6' : 'ipv4')
}

const lengthOf = ({ body }: Hop) =>
  body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }

async function send(socket: Socket, url: URL, hop: Hop): Promise<IncomingMessage> {
  const { method, headers, body } = hop
  const request = httpRequest({
    createConnection: () => socket,
    method,
    path: url.pathname + url.search,
    headers: {
      ...headers,
      ...lengthOf(hop),
      host: url.host,
      'accept-encoding': 'identity',
      connection: 'close',
    },
  })
  return answerTo(request, body)
}

/** A connection can end without an error, as after an unexpected upgrade: `close` covers that. */
async function answerTo(request: ClientRequest, body: Hop['body']): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  request.on('response', resolve).on('error', reject)
  request.on('close', () => reject(new Error('Closed without an answer')))
  request.end(body)
  const response = await promise
  response.on('error', () => {})
  return response
}

async function bodyOf(
  response: IncomingMessage,
  { max_bytes, status_only, body_of_status }: Limits,
  url: URL,
): Promise<Buffer> {
  if (!status_only) return readBody(response, max_bytes, url)
  if (response.statusCode === body_of_status) return readOptionalBody(response, max_bytes, url)
  response.destroy()
  return Buffer.alloc(0)
}

/** The body of an answer whose status and headers count without it. */
async function readOptionalBody(
  response: IncomingMessage,
  max_bytes: number,
  url: URL,
): Promise<Buffer> {
  const timer = setTimeout(() => response.destroy(), OPTIONAL_BODY_MS)
  try {
    return await readBody(response, max_bytes, url)
  } catch {
    return Buffer.alloc(0)
  } finally {
    clearTimeout(timer)
    response.destroy()
  }
}

async function readBody(response: IncomingMessage, max_bytes: number, url: URL): Promise<Buffer> {
  // Decompression could turn a small answer into a huge one, so it was not requested.
  const encoding = response.headers['content-encoding'] ?? ''
  if (!/^(identity)?$/i.test(encoding.trim()))
    throw new OutboundError(
      'network',
      `${url.origin} sent a content encoding that was not requested`,
    )
  const parts: Buffer[] = []
  let size = 0
  try {
    for await (const part of response) {
      size += part.length
      if (size > max_bytes)
        throw new OutboundError('too_large', `${url.origin} sent more than ${max_bytes} bytes`)
      parts.push(part)
    }
  } catch (error) {
    throw asNetworkError(url, error)
  }
  return Buffer.concat(parts, size)
}

/** A redirect by another party must not reach loopback or the trusted origins. */
function nextHop(hop: Hop, from: URL, status: number, location: string): Hop {
  const to = URL.parse(location, from.href)
  if (!to)
    throw new OutboundError('bad_url', `${from.origin} redirects to something that is not a URL`)
  if (from.protocol === 'https:' && to.protocol === 'http:')
    throw new OutboundError('blocked', `${from.origin} redirects from https to http`)
  const { plain_http, trusted_origins } = hop.allow
  const allow = {
    plain_http,
    trusted_origins: trusted_origins?.has(from.origin) ? trusted_origins : undefined,
  }
  const becomes_get = status <= 303 && hop.method !== 'HEAD'
  const keep = (name: string) =>
    !(to.origin !== from.origin && CREDENTIAL_HEADERS.test(name)) &&
    !(becomes_get && name.startsWith('content-'))
  const headers = pickHeaders(hop.headers, keep)
  return becomes_get
    ? { text: to.href, allow, method: 'GET', headers, body: undefined }
    : { ...hop, text: to.href, allow, headers }
}

function pickHeaders(
  headers: Record<string, string>,
  keep: (name: string) => boolean,
): Record<string, string> {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const)
  return Object.fromEntries(lower.filter(([name]) => keep(name)))
}

function asNetworkError(url: URL, error: unknown): OutboundError {
  if (error instanceof OutboundError) return error
  const code = (error as { code?: unknown }).code
  return new OutboundError(
    'network',
    `The exchange with ${url.origin} failed (${typeof code === 'string' ? code : 'unknown'})`,
  )
}
