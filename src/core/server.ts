import { randomUUID } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { Socket } from 'node:net'
import swagger from '@fastify/swagger'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  type onRequestHookHandler,
  type onSendHookHandler,
} from 'fastify'
import { clientAddress, limitKey } from './client-address.ts'
import { answerBrokenRequest, answerOddRequests, drainOnClose } from './connections.ts'
import type { Core } from './core.ts'
import { type ErrorName, failure, Refusal, refuse } from './errors.ts'
import type { Limit } from './limits.ts'
import { type Served, servedAt } from './methods.ts'
import { observe } from './metrics.ts'
import { apiDescription, describe } from './openapi.ts'
import type { Route } from './route.ts'
import { after, type Soon } from './soon.ts'
import { checkText, parseForm, parseJson } from './text-input.ts'
import { compileValidator, serializer } from './validate.ts'

const BODY_LIMIT = 1024 * 1024
const HEADER_LIMIT = 16 * 1024
const RECEIVE_SECONDS = 60
/** How long someone answered early may go on sending, so that they come to read the answer. */
const LINGER_SECONDS = 5
const HEADER_SECONDS = 20
const allMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    ip_address: string
    who: unknown
    /** Ends a connection whose request does not arrive in time. */
    arrival: NodeJS.Timeout | undefined
  }
  interface FastifyContextConfig {
    route?: Route
  }
}

export type ServerOptions = {
  /** A refusal that its route does not declare becomes a 500 that names it: tests keep the API description honest with this. */
  strict?: boolean
  /** Says a refusal to a person, in a page; for page routes, and for addresses that are nobody's. */
  errorPage?: (core: Core, request: FastifyRequest, reply: FastifyReply, refusal: Refusal) => Soon<FastifyReply>
}

export async function createServer(core: Core, routes: Route[], options: ServerOptions = {}): Promise<FastifyInstance> {
  core.routes = routes
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    // Each route says how long its body may take.
    requestTimeout: 0,
    http: { maxHeaderSize: HEADER_LIMIT, headersTimeout: HEADER_SECONDS * 1000, requireHostHeader: false },
    routerOptions: { maxParamLength: 512 },
    genReqId: (request) => ownRequestId(request.headers['x-request-id']) ?? randomUUID(),
    // A draining process still answers what has already arrived.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket as Socket),
    frameworkErrors: (error, _request, reply) => void refuseWith(reply as FastifyReply, asRefusal(error, core)),
  })
  drainOnClose(app)
  answerOddRequests(app)
  app.decorateRequest('ip_address', '')
  app.decorateRequest('who', null)
  app.decorateRequest('arrival', undefined)
  app.setValidatorCompiler(compileValidator as Parameters<typeof app.setValidatorCompiler>[0])
  acceptBodies(app)
  const served = servedAt(routes)
  await app.register(swagger, apiDescription)
  app.addHook('onRequest', (request, reply, done) => {
    limitTime(request)
    request.ip_address = clientAddress(request.raw.socket.remoteAddress, request.headers['x-forwarded-for'], core.config.proxy_hops)
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.is404 && !(options.errorPage && isMissingPage(request))) answerUnserved(request, reply, served(pathOf(request)))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    clearTimeout(request.arrival)
    if (!request.raw.complete) endAfter(request, LINGER_SECONDS, () => request.raw.socket.destroy())
    observe(request.method, request.routeOptions.url ?? 'unknown', reply.statusCode, reply.elapsedTime)
    core.access_log(request.id, request.method, request.routeOptions.url ?? '', reply.statusCode, reply.elapsedTime)
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error, core)
    const { page, opened } = request.routeOptions.config.route ?? {}
    if (options.errorPage && (page || opened) && isForPeople(request)) {
      setRefusalHeaders(reply, refusal)
      return options.errorPage(core, request, reply, refusal)
    }
    return refuseWith(reply, options.strict ? declared(refusal, request) : refusal)
  })
  app.setNotFoundHandler((request, reply) => {
    const refusal = unserved(request.method, served(pathOf(request)))
    return options.errorPage?.(core, request, reply, refusal) ?? refuseWith(reply, refusal)
  })
  app.after(() => {
    for (const each of routes.filter(({ raw_body, page }) => !raw_body && !page)) addRoute(app, core, each)
    app.register(async (scope) => {
      acceptForms(scope)
      for (const each of routes.filter(({ page, raw_body }) => page && !raw_body)) addRoute(scope, core, each)
    })
    app.register(async (scope) => {
      leaveBodies(scope)
      for (const each of routes.filter(({ raw_body }) => raw_body)) addRoute(scope, core, each)
    })
  })
  await app.ready()
  return app
}

const pathOf = ({ raw }: FastifyRequest) => (raw.url ?? '/').split('?', 1)[0]!

function addRoute(app: FastifyInstance, core: Core, route: Route) {
  const cache = route.cache ?? (route.url.startsWith('/api/v1/private/') ? 'private, no-store' : 'no-cache')
  const wrap = route.envelope !== false
  app.route({
    method: route.method,
    url: route.url,
    schema: describe(route),
    config: { route },
    serializerCompiler: ({ schema, httpStatus }) => (Number(httpStatus) < 400 ? serializer(route, schema) : JSON.stringify),
    onRequest: admission(core, route),
    ...(route.auth.answered && { onSend: telling(core, route.auth.answered) }),
    handler(request, reply) {
      reply.header('cache-control', cache)
      const { params, query, body, who, ip_address: ip } = request
      return after(route.handle({ core, sql: core.sql, params, query, body, who, ip, request, reply }), (answer) => {
        if (reply.sent || answer === reply) return reply
        if (route.status) reply.code(route.status)
        return wrap ? { success: true, data: answer } : answer
      })
    },
  })
}

const telling =
  (core: Core, answered: NonNullable<Route['auth']['answered']>): onSendHookHandler =>
  (request, reply, payload, done) => {
    const told = answered(core, request, reply.statusCode, payload)
    if (told instanceof Promise) told.then(() => done(null, payload), done)
    else done(null, payload)
  }

/** Before a byte of the body is read: limits that need nobody, then who it is, then limits that count by account or game. */
function admission(core: Core, route: Route): onRequestHookHandler {
  const limits = (route.limits ?? []).map((limit) => ({
    ...limit,
    bucket: `${limit.by} ${limit.bucket ?? `${route.method} ${route.url}`}`,
    key: limitKeys[limit.by],
  }))
  const early = limits.filter(({ by }) => by === 'ip' || by === 'overall')
  const late = limits.filter(({ by }) => by === 'account' || by === 'game')
  const count = (some: typeof limits, request: FastifyRequest) =>
    some.reduce<Soon<void>>(
      (before, limit) => after(before, () => after(limit.key(request, core), (key) => core.limiter.take(limit.bucket, key, limit))),
      undefined,
    )
  const admit = (request: FastifyRequest) =>
    after(count(early, request), () => {
      checkAddress(request)
      return after(route.auth.identify(core, request), (who) => {
        request.who = who
        return count(late, request)
      })
    })
  return (request, reply, done) => {
    if (route.cors) reply.header('access-control-allow-origin', '*')
    if (route.auth.vary) reply.header('vary', route.auth.vary)
    try {
      const admitted = admit(request)
      if (admitted instanceof Promise) admitted.then(() => done(), done)
      else done()
    } catch (refusal) {
      done(refusal as Error)
    }
  }
}

/** Before anyone looks a name up: schemes and limits do. Only an escape can bring in what text may not hold. */
function checkAddress({ raw, query, params }: FastifyRequest) {
  if (!raw.url?.includes('%')) return
  checkText(query, 'query')
  checkText(params, 'path')
}

/** Nobody holds a connection by sending slowly. */
function limitTime(request: FastifyRequest) {
  const { raw, headers, routeOptions } = request
  const { receive_seconds } = routeOptions.config.route ?? {}
  const bytes = Number(headers['content-length'] ?? 0)
  if (!bytes && headers['transfer-encoding'] === undefined) return
  endAfter(request, receive_seconds?.(bytes) ?? RECEIVE_SECONDS, () => {
    answerBrokenRequest(Object.assign(new Error(), { code: 'ERR_HTTP_REQUEST_TIMEOUT' }), raw.socket)
    raw.socket.destroySoon()
  })
}

/** Unless the request has arrived by then. */
function endAfter(request: FastifyRequest, seconds: number, end: () => void) {
  // A call that a page makes within the process has no line that could be ended.
  if (typeof request.raw.socket.destroy !== 'function') return
  const timer = setTimeout(end, seconds * 1000).unref()
  request.arrival = timer
  request.raw.once('end', () => clearTimeout(timer)).once('close', () => clearTimeout(timer))
}

const limitKeys: Record<Limit['by'], (request: FastifyRequest, core: Core) => string | Promise<string>> = {
  ip: (request) => limitKey(request.ip_address),
  overall: () => 'all',
  account: (request) => (request.who as { user_uid: string }).user_uid,
  // By whichever of its names a game is called, it has one count.
  game: (request, core) => core.gameUid(Object.values(request.params as Record<string, string>)[0] ?? ''),
}

const isMissingPage = (request: FastifyRequest) => request.method === 'GET' && !request.url.startsWith('/api/') && isForPeople(request)

/** Why nobody took a request: the address is nobody's, or does not answer this method. */
const unserved = (method: string, served: Served | undefined) =>
  served || !(allMethods as string[]).includes(method)
    ? new Refusal('METHOD_NOT_ALLOWED')
    : new Refusal('NOT_FOUND', undefined, 'There is nothing at this address')

/** Credentials, bodies, and what clients of the tool servers say in headers. */
const CORS_HEADERS = 'Authorization, SVC_GAMES, Content-Type, Idempotency-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id'

/** Told before the body is read. */
function answerUnserved({ method }: FastifyRequest, reply: FastifyReply, served: Served | undefined) {
  const refusal = unserved(method, served)
  if (!served) return refuseWith(reply, refusal)
  reply.header('allow', served.allow)
  if (method !== 'OPTIONS') return refuseWith(reply, refusal)
  if (served.cors)
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': served.allow,
      'access-control-allow-headers': CORS_HEADERS,
      'access-control-max-age': '86400',
    })
  return reply.code(204).send()
}

function acceptBodies(app: FastifyInstance) {
  const safeParse = app.getDefaultJsonParser('error', 'error')
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      checkEncoding(request.headers)
      // The framework's parser refuses keys such as __proto__; it answers through a callback, at once.
      done(
        null,
        parseJson(bytes as Buffer, (text) => settled((settle) => safeParse(request, text, settle))),
      )
    } catch (error) {
      done(error as Error)
    }
  })
}

/** What forms of the website send. A name that repeats is a list. */
function acceptForms(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      checkEncoding(request.headers)
      done(null, parseForm(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** A browser that shows the answer to somebody; programs get the envelope. */
const isForPeople = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false

/** Bodies are UTF-8, as they are. Anything else would be read as something it is not. */
function checkEncoding({ 'content-encoding': coding = 'identity', 'content-type': type = '' }: IncomingHttpHeaders) {
  if (coding.toLowerCase() !== 'identity') refuse('UNSUPPORTED_MEDIA_TYPE', undefined, `Send the body without content-encoding`)
  const charset = type.match(/;\s*charset="?([^";\s]*)/i)?.[1]
  if (charset && !/^utf-?8$/i.test(charset)) refuse('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body in UTF-8')
}

/** For routes that read the body by themselves; whatever they leave is not kept anywhere. */
function leaveBodies(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

function settled(run: (settle: (error: Error | null, value?: unknown) => void) => void): unknown {
  let outcome: { error: Error | null; value?: unknown } = { error: new Error('the parser did not answer at once') }
  run((error, value) => {
    outcome = { error, value }
  })
  if (outcome.error) throw outcome.error
  return outcome.value
}

const frameworkRefusals: Record<string, ErrorName> = {
  // What the request refers to was deleted while it ran.
  '23503': 'NOT_FOUND',
  FST_ERR_CTP_BODY_TOO_LARGE: 'BODY_TOO_LARGE',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_CTP_EMPTY_TYPE: 'UNSUPPORTED_MEDIA_TYPE',
  FST_ERR_MAX_PARAM_LENGTH: 'NOT_FOUND',
}
const databaseAway = new Set([
  'CONNECTION_CLOSED',
  'CONNECTION_ENDED',
  'CONNECTION_DESTROYED',
  'CONNECT_TIMEOUT',
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOENT',
  '57P01',
  '57P02',
  '57P03',
  '08006',
  '08001',
  '53300',
  '55000',
  // Lost every race it was run in: as good as away for this once.
  '40P01',
  '40001',
])

/** Every way a request can fail ends as one of our refusals. */
function asRefusal(error: Error & { code?: string; statusCode?: number; syscall?: string }, core: Core): Refusal {
  if (error instanceof Refusal) return error
  const known = frameworkRefusals[error.code ?? '']
  if (known) return new Refusal(known)
  if (error.statusCode && error.statusCode < 500) return new Refusal('MALFORMED')
  if (isDatabaseAway(error)) {
    core.log.warn({ error: error.message }, 'the database is away')
    return new Refusal('UNAVAILABLE')
  }
  core.log.error({ err: error }, 'unexpected error')
  return new Refusal('INTERNAL')
}

const isDatabaseAway = (error: { code?: string; syscall?: string }) =>
  databaseAway.has(error.code ?? '') && (error.code !== 'ENOENT' || error.syscall === 'connect')

function declared(refusal: Refusal, request: FastifyRequest): Refusal {
  const route = request.routeOptions.config.route
  if (!route || route.page || refusal.status >= 500) return refusal
  const kernel: ErrorName[] = ['MALFORMED', 'TOO_MANY_REQUESTS', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE']
  if ([...kernel, ...route.auth.errors, ...(route.errors ?? [])].includes(refusal.refusal)) return refusal
  return new Refusal('INTERNAL', undefined, `${route.method} ${route.url} does not declare ${refusal.refusal}`)
}

function setRefusalHeaders(reply: FastifyReply, refusal: Refusal) {
  if (refusal.status === 429) reply.header('retry-after', '60')
  reply.headers(refusal.headers).header('cache-control', 'no-store')
}

function refuseWith(reply: FastifyReply, refusal: Refusal): FastifyReply {
  if (refusal.status === 401) reply.header('www-authenticate', 'Bearer')
  setRefusalHeaders(reply, refusal)
  // The sender is still busy sending: an open connection lets it finish and read why.
  if (refusal.refusal === 'BODY_TOO_LARGE') reply.removeHeader('connection')
  return reply
    .code(refusal.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(failure(refusal)))
}

const ownRequestId = (sent: string | string[] | undefined) => (typeof sent === 'string' && /^[\w.-]{8,64}$/.test(sent) ? sent : undefined)
