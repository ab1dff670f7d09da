import type {
  IncomingHttpHeaders,
  IncomingMessage,
  RequestListener,
  ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { Readable } from 'node:stream'
import fastify, {
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type HTTPMethods,
  type onRequestHookHandler,
  type onSendHookHandler,
  type preParsingHookHandler,
} from 'fastify'
import { limitQueries } from '../database/timeouts.ts'
import type { Core } from '../runtime/core.ts'
import { failure, Refusal, refuse } from '../runtime/errors.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { observeRequest } from '../runtime/request-durations.ts'
import { endSpan, inSpan, type Span, type Tracer } from '../runtime/tracing.ts'
import { KIB, MIB } from '../runtime/units.ts'
import { clientAddress } from '../security/client-address.ts'
import { receiveFiles } from '../security/upload-slots.ts'
import { admission, requestId } from './admission.ts'
import { type AllowedMethods, allowedMethodsOf } from './allowed-methods.ts'
import {
  type BodySeconds,
  discardRestOfBody,
  limitReceiveTime,
  receiveRestOfBody,
  restSeconds,
} from './body-arrival.ts'
import {
  answerBrokenRequest,
  answerUnsupportedRequests,
  installGracefulShutdown,
} from './connections.ts'
import { isHttps } from './cookies.ts'
import { checkCoding } from './read-body.ts'
import { asRefusal, failureHeaders, isHangUp, refusalHeaders, requireDeclared } from './refusals.ts'
import { responseHeaders } from './response-headers.ts'
import type { Route } from './route.ts'
import { schemaOf } from './route-schema.ts'
import { parseForm, parseJson } from './text-input.ts'
import { compileValidator, serializer } from './validate.ts'

const BODY_LIMIT = MIB
const HEADER_LIMIT = 16 * KIB
const HEADER_SECONDS = 20
const allMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined if traces are off, or this request is not sampled. */
    span: Span | undefined
  }
  interface FastifyContextConfig {
    route?: Route
  }
  interface FastifyInstance {
    /** The routes of every role, for the API description. */
    all_routes: Route[]
  }
}

/** Also answers that are no pages say that they come from a copy. */
const DRILL_HEADERS = { 'x-slipway-drill': 'on', 'x-robots-tag': 'noindex' }

export type ServerOptions = {
  /**
   * An error that its route does not declare becomes a 500 that names it. Tests use this to keep
   * the API description complete.
   */
  strict?: boolean
  /** The routes of every role, if this process serves only some of them. */
  all_routes?: Route[]
  body_seconds?: BodySeconds
  /** Renders an error as a page, for page routes and for addresses that do not exist. */
  errorPage?: (
    core: Core,
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: Refusal,
  ) => MaybePromise<FastifyReply>
  /** Answers requests for other hosts than the store's; false for all others. */
  otherHosts?: (core: Core, request: IncomingMessage, response: ServerResponse) => boolean
}

export async function createServer(
  core: Core,
  routes: Route[],
  options: ServerOptions = {},
): Promise<FastifyInstance> {
  const { rest = restSeconds(core.config.proxy_hops), receive } = options.body_seconds ?? {}
  const body_seconds = { rest, receive }
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    // Each route limits the time of its own body.
    requestTimeout: 0,
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: HEADER_SECONDS * 1000,
      requireHostHeader: false,
      // The stream of a request without a body costs a small request a twentieth of its time.
      optimizeEmptyRequests: true,
    },
    // The routes answer HEAD themselves: a second route for each would be slower to start.
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength: 512 },
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // A process that shuts down still answers requests that have arrived.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket as Socket),
    frameworkErrors: (error, request, reply) =>
      void chain(
        receiveRestOfBody(request as FastifyRequest, reply as FastifyReply, body_seconds.rest),
        () => refuseWith(reply as FastifyReply, asRefusal(error, core.log, request.id)),
      ),
  })
  installGracefulShutdown(app)
  answerUnsupportedRequests(app)
  app.decorateRequest('ip_address', '')
  app.decorateRequest('who', null)
  app.decorateRequest('receive_timer', undefined)
  app.decorateRequest('bytes_before', undefined)
  app.decorateRequest('route', undefined)
  app.decorateRequest('span', undefined)
  app.decorateRequest('language', undefined)
  app.setValidatorCompiler(compileValidator as Parameters<typeof app.setValidatorCompiler>[0])
  acceptBodies(app)
  const allowedMethods = allowedMethodsOf(routes)
  app.decorate('all_routes', options.all_routes ?? routes)
  app.decorate('is_https', isHttps(core.addresses))
  const common_headers = responseHeaders(core.addresses)
  app.addHook('onRequest', (request, reply, done) => {
    // After an answer that closes the connection, what else arrives on it is not processed.
    if (request.raw.socket.writableEnded) return
    request.ip_address = clientAddress(
      request.raw.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      core.config.proxy_hops,
    )
    reply.header('x-request-id', request.id)
    if (core.config.drill) reply.headers(DRILL_HEADERS)
    reply.headers(common_headers)
    if (request.is404 && !(options.errorPage && isMissingPage(request)))
      void chain(receiveRestOfBody(request, reply, rest), () =>
        answerUnmatched(request, reply, allowedMethods(pathOf(request))),
      )
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    clearTimeout(request.receive_timer)
    discardRestOfBody(request)
    const { method, id } = request
    // Fastify's own property creates an object each time it is read.
    const { url } = request.route ?? request.routeOptions
    const { statusCode: status, elapsedTime: ms } = reply
    if (request.span) endSpan(request.span, { 'http.response.status_code': status }, status >= 500)
    observeRequest(method, url ?? 'unknown', status, ms / 1000)
    core.access_log(id, method, url ?? '', status, ms)
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = isHangUp(error, reply)
      ? new Refusal('INTERNAL')
      : asRefusal(error, core.log, request.id)
    const { page, browser_errors, failure_body } = request.routeOptions.config.route ?? {}
    const is_page = options.errorPage && (page || browser_errors) && acceptsHtml(request)
    // Fastify closes the connection after a body that is too large, also where it can be kept.
    if (refusal.refusal === 'BODY_TOO_LARGE') reply.removeHeader('connection')
    if (is_page) {
      reply.headers(refusalHeaders(refusal))
      return options.errorPage!(core, request, reply, refusal)
    }
    return refuseWith(
      reply,
      options.strict ? requireDeclared(refusal, request.routeOptions.config.route) : refusal,
      failure_body,
    )
  })
  app.setNotFoundHandler((request, reply) => {
    const refusal = unmatchedRefusal(request.method, allowedMethods(pathOf(request)))
    return options.errorPage?.(core, request, reply, refusal) ?? refuseWith(reply, refusal)
  })
  app.after(() => {
    const [raw, parsed] = partition(routes, ({ raw_body }) => raw_body === true)
    const [pages, api] = partition(parsed, ({ page }) => page === true)
    for (const route of api) addRoute(app, core, route, body_seconds)
    app.register(async (scope) => {
      acceptForms(scope)
      for (const route of pages) addRoute(scope, core, route, body_seconds)
    })
    app.register(async (scope) => {
      leaveBodiesUnread(scope)
      for (const route of raw) addRoute(scope, core, route, body_seconds)
    })
  })
  await app.ready()
  if (options.otherHosts) answerOtherHosts(app, core, options.otherHosts)
  return app
}

/** Before routing, because other hosts have none of our routes. */
function answerOtherHosts(
  { server }: FastifyInstance,
  core: Core,
  otherHosts: NonNullable<ServerOptions['otherHosts']>,
) {
  const listeners = server.listeners('request') as RequestListener[]
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (otherHosts(core, request, response)) return
    for (const listener of listeners) listener.call(server, request, response)
  })
}

function partition<Item>(items: Item[], test: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(test), items.filter((item) => !test(item))]
}

const pathOf = ({ raw }: FastifyRequest) => (raw.url ?? '/').split('?', 1)[0]!

function addRoute(
  app: FastifyInstance,
  core: Core,
  route: Route,
  body_seconds: Required<Pick<BodySeconds, 'rest'>> & BodySeconds,
) {
  const cache =
    route.cache ?? (route.url.startsWith('/api/v1/private/') ? 'private, no-store' : 'no-cache')
  const wrap = route.envelope !== false
  app.route({
    // Node sends no body to HEAD.
    method: route.method === 'GET' ? ['GET', 'HEAD'] : route.method,
    url: route.url,
    schema: schemaOf(route),
    config: { route },
    serializerCompiler: ({ schema }) => serializer(route, schema),
    onRequest: admissionHook(core, route, body_seconds.receive),
    ...(route.method !== 'GET' && !route.raw_body && { preParsing: replaceEmptyBody }),
    onSend: [
      ...(route.method === 'GET' ? [] : [restOfBodyHook(body_seconds.rest)]),
      ...(route.auth.onAnswer ? [answerHook(core, route.auth.onAnswer)] : []),
    ],
    handler(request, reply) {
      reply.header('cache-control', cache)
      const { params, query, body, who, ip_address: ip } = request
      const run = () =>
        route.handle({ core, sql: core.sql, params, query, body, who, ip, request, reply })
      const handle = () => (route.stores_files ? receiveFiles(core, route, who, run) : run())
      const answered = () =>
        needsProof(route, request)
          ? chain(route.auth.requireProof?.(core, request), handle)
          : handle()
      const limited = () => limitQueries(answered, core.config.database_timeout * 1000)
      return chain(inSpan(request.span, limited), (answer) => {
        if (reply.sent || answer === reply) return reply
        // A handler that has several answers sets the status of the others itself.
        if (route.status && reply.statusCode === 200) reply.code(route.status)
        return wrap ? { success: true, data: answer } : answer
      })
    },
  })
}

/** Some routes need a proof only for some of what they do. */
const needsProof = ({ step_up = false }: Route, { params, body }: FastifyRequest): boolean =>
  typeof step_up === 'function' ? step_up({ params, body }) : step_up

function startSpan(tracer: Tracer, request: FastifyRequest, { method, url }: Route) {
  const { traceparent } = request.headers
  const parent = typeof traceparent === 'string' ? traceparent : undefined
  const span = tracer.startRequest(`${method} ${url}`, parent)
  if (span)
    Object.assign(span.attributes, {
      'http.request.method': method,
      'http.route': url,
      'slipway.request_id': request.id,
    })
  request.span = span
}

function admissionHook(core: Core, route: Route, receive_seconds?: number): onRequestHookHandler {
  const admit = admission(core, route)
  const timeout_ms = core.config.database_timeout * 1000
  return (request, reply, done) => {
    request.route = route
    if (core.tracer) startSpan(core.tracer, request, route)
    limitReceiveTime(request, route, receive_seconds)
    if (route.cors) reply.headers(CORS_ANSWER)
    if (route.auth.vary) reply.header('vary', route.auth.vary)
    try {
      const admitted = inSpan(request.span, () => limitQueries(() => admit(request), timeout_ms))
      if (admitted instanceof Promise) admitted.then(() => done(), done)
      else done()
    } catch (refusal) {
      done(refusal as Error)
    }
  }
}

/** A parser waits for the end of a body, which the stream of an empty request does not report. */
const replaceEmptyBody: preParsingHookHandler = ({ raw }, _reply, body, done) =>
  done(null, raw.readableEnded ? Readable.from([]) : body)

const restOfBodyHook =
  (seconds: number): onSendHookHandler =>
  (request, reply, payload, done) => {
    const received = receiveRestOfBody(request, reply, seconds)
    if (received instanceof Promise) received.then(() => done(null, payload), done)
    else done(null, payload)
  }

const answerHook =
  (core: Core, onAnswer: NonNullable<Route['auth']['onAnswer']>): onSendHookHandler =>
  (request, reply, payload, done) => {
    const handled = onAnswer(core, request, reply.statusCode, payload)
    if (handled instanceof Promise) handled.then(() => done(null, payload), done)
    else done(null, payload)
  }

const isMissingPage = (request: FastifyRequest) =>
  request.method === 'GET' && !request.url.startsWith('/api/') && acceptsHtml(request)

/** Why no route matched: the address does not exist, or does not support the method. */
const unmatchedRefusal = (method: string, allowed: AllowedMethods | undefined) =>
  allowed || !(allMethods as string[]).includes(method)
    ? new Refusal('METHOD_NOT_ALLOWED')
    : new Refusal('NOT_FOUND', undefined, 'There is nothing at this address')

/** Credentials, bodies, and the headers of MCP clients. */
const CORS_HEADERS = [
  'Authorization',
  'SVC_GAMES',
  'X-App-Id',
  'X-Build-Id',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'If-None-Match',
  'Mcp-Protocol-Version',
  'Mcp-Method',
  'Mcp-Name',
  'Mcp-Session-Id',
].join(', ')

/** Scripts of other websites may also read the headers that browsers do not show by default. */
const CORS_ANSWER = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': [
    'Accept-Ranges',
    'Allow',
    'Content-Disposition',
    'Content-Range',
    'ETag',
    'Location',
    'Retry-After',
    'WWW-Authenticate',
    'X-Request-Id',
  ].join(', '),
}

/** Answers before the body is read. */
function answerUnmatched(
  { method }: FastifyRequest,
  reply: FastifyReply,
  allowed: AllowedMethods | undefined,
) {
  const refusal = unmatchedRefusal(method, allowed)
  if (!allowed) return refuseWith(reply, refusal)
  reply.header('allow', allowed.allow)
  if (method !== 'OPTIONS') return refuseWith(reply, refusal)
  if (allowed.cors)
    reply.headers({
      'access-control-allow-origin': '*',
      'access-control-allow-methods': allowed.allow,
      'access-control-allow-headers': CORS_HEADERS,
      'access-control-max-age': '86400',
    })
  return reply.code(204).send()
}

function acceptBodies(app: FastifyInstance) {
  const readJson = jsonReader(app)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      checkEncoding(request.headers)
      done(null, readJson(bytes as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
}

/** Fastify's parser rejects keys such as __proto__. It calls back synchronously. */
function jsonReader(app: FastifyInstance): (bytes: Buffer) => unknown {
  const safeParse = app.getDefaultJsonParser('error', 'error')
  return (bytes) =>
    parseJson(bytes, (text) => callSync((done) => safeParse(undefined as never, text, done)))
}

/** Accepts the forms of the website. A name that repeats becomes a list. */
function acceptForms(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'buffer' },
    (request, bytes, done) => {
      try {
        checkEncoding(request.headers)
        done(null, parseForm(bytes as Buffer))
      } catch (error) {
        done(error as Error)
      }
    },
  )
}

/** Whether a browser shows the answer to a person; programs get JSON. */
const acceptsHtml = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false

/** Bodies must be uncompressed UTF-8; anything else would be misread. */
function checkEncoding(headers: IncomingHttpHeaders) {
  checkCoding(headers)
  const charset = headers['content-type']?.match(/;\s*charset="?([^";\s]*)/i)?.[1]
  if (charset && !/^utf-?8$/i.test(charset))
    refuse('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body in UTF-8')
}

/** For routes that read the body themselves. */
function leaveBodiesUnread(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

/** The result of a function that calls back before it returns. */
function callSync(run: (done: (error: Error | null, value?: unknown) => void) => void): unknown {
  let outcome: { error: Error | null; value?: unknown } = {
    error: new Error('The parser did not call back synchronously'),
  }
  run((error, value) => {
    outcome = { error, value }
  })
  if (outcome.error) throw outcome.error
  return outcome.value
}

function refuseWith(
  reply: FastifyReply,
  refusal: Refusal,
  body: Route['failure_body'] = failure,
): FastifyReply {
  reply.headers(failureHeaders(refusal))
  return reply
    .code(refusal.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(body(refusal)))
}
