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
import type { Core } from '../runtime/core.ts'
import { failure, Refusal, refuse } from '../runtime/errors.ts'
import { chain, type MaybePromise } from '../runtime/maybe-promise.ts'
import { observe } from '../runtime/metrics.ts'
import { clientAddress } from '../security/client-address.ts'
import { admission, closeUnlessReceived, limitReceiveTime, requestId } from './admission.ts'
import { type AllowedMethods, allowedMethodsOf } from './allowed-methods.ts'
import {
  answerBrokenRequest,
  answerUnsupportedRequests,
  installGracefulShutdown,
} from './connections.ts'
import { installFastPath } from './fast-path.ts'
import { apiDescription, describe } from './openapi.ts'
import { asRefusal, failureHeaders, refusalHeaders, requireDeclared } from './refusals.ts'
import type { Route } from './route.ts'
import { parseForm, parseJson } from './text-input.ts'
import { compileValidator, serializer } from './validate.ts'

const BODY_LIMIT = 1024 * 1024
const HEADER_LIMIT = 16 * 1024
const HEADER_SECONDS = 20
const allMethods: HTTPMethods[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const JSON_TYPE = 'application/json; charset=utf-8'

declare module 'fastify' {
  interface FastifyContextConfig {
    route?: Route
  }
}

export type ServerOptions = {
  /** A refusal that its route does not declare becomes a 500 that names it: tests keep the API description honest with this. */
  strict?: boolean
  /** Says a refusal to a person, in a page; for page routes, and for addresses that are nobody's. */
  errorPage?: (
    core: Core,
    request: FastifyRequest,
    reply: FastifyReply,
    refusal: Refusal,
  ) => MaybePromise<FastifyReply>
}

export async function createServer(
  core: Core,
  routes: Route[],
  options: ServerOptions = {},
): Promise<FastifyInstance> {
  core.routes = routes
  const app = fastify({
    bodyLimit: BODY_LIMIT,
    // Each route says how long its body may take.
    requestTimeout: 0,
    http: {
      maxHeaderSize: HEADER_LIMIT,
      headersTimeout: HEADER_SECONDS * 1000,
      requireHostHeader: false,
    },
    routerOptions: { maxParamLength: 512 },
    genReqId: (request) => requestId(request.headers['x-request-id']),
    // A draining process still answers what has already arrived.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenRequest(error, socket as Socket),
    frameworkErrors: (error, _request, reply) =>
      void refuseWith(reply as FastifyReply, asRefusal(error, core)),
  })
  installGracefulShutdown(app)
  answerUnsupportedRequests(app)
  app.decorateRequest('ip_address', '')
  app.decorateRequest('who', null)
  app.decorateRequest('receive_timer', undefined)
  app.setValidatorCompiler(compileValidator as Parameters<typeof app.setValidatorCompiler>[0])
  const readJson = jsonReader(app)
  acceptBodies(app, readJson)
  const served = allowedMethodsOf(routes)
  await app.register(swagger, apiDescription)
  app.addHook('onRequest', (request, reply, done) => {
    limitReceiveTime(request, request.routeOptions.config.route)
    request.ip_address = clientAddress(
      request.raw.socket.remoteAddress,
      request.headers['x-forwarded-for'],
      core.config.proxy_hops,
    )
    reply.header('x-request-id', request.id)
    reply.header('x-content-type-options', 'nosniff')
    if (request.is404 && !(options.errorPage && isMissingPage(request)))
      answerUnserved(request, reply, served(pathOf(request)))
    else done()
  })
  app.addHook('onResponse', (request, reply, done) => {
    clearTimeout(request.receive_timer)
    closeUnlessReceived(request)
    observe(
      request.method,
      request.routeOptions.url ?? 'unknown',
      reply.statusCode,
      reply.elapsedTime,
    )
    core.access_log(
      request.id,
      request.method,
      request.routeOptions.url ?? '',
      reply.statusCode,
      reply.elapsedTime,
    )
    done()
  })
  app.setErrorHandler((error: FastifyError, request, reply) => {
    const refusal = asRefusal(error, core)
    const { page, browser_errors: opened } = request.routeOptions.config.route ?? {}
    if (options.errorPage && (page || opened) && isForPeople(request)) {
      reply.headers(refusalHeaders(refusal))
      return options.errorPage(core, request, reply, refusal)
    }
    return refuseWith(
      reply,
      options.strict ? requireDeclared(refusal, request.routeOptions.config.route) : refusal,
    )
  })
  app.setNotFoundHandler((request, reply) => {
    const refusal = unserved(request.method, served(pathOf(request)))
    return options.errorPage?.(core, request, reply, refusal) ?? refuseWith(reply, refusal)
  })
  app.after(() => {
    for (const each of routes.filter(({ raw_body, page }) => !raw_body && !page))
      addRoute(app, core, each)
    app.register(async (scope) => {
      acceptForms(scope)
      for (const each of routes.filter(({ page, raw_body }) => page && !raw_body))
        addRoute(scope, core, each)
    })
    app.register(async (scope) => {
      leaveBodies(scope)
      for (const each of routes.filter(({ raw_body }) => raw_body)) addRoute(scope, core, each)
    })
  })
  installFastPath(app, core, routes, {
    strict: options.strict ?? false,
    body_limit: BODY_LIMIT,
    readJson,
  })
  await app.ready()
  return app
}

const pathOf = ({ raw }: FastifyRequest) => (raw.url ?? '/').split('?', 1)[0]!

function addRoute(app: FastifyInstance, core: Core, route: Route) {
  const cache =
    route.cache ?? (route.url.startsWith('/api/v1/private/') ? 'private, no-store' : 'no-cache')
  const wrap = route.envelope !== false
  app.route({
    method: route.method,
    url: route.url,
    schema: describe(route),
    config: { route },
    serializerCompiler: ({ schema, httpStatus }) =>
      Number(httpStatus) < 400 ? serializer(route, schema) : JSON.stringify,
    onRequest: admitting(core, route),
    ...(route.auth.onAnswer && { onSend: telling(core, route.auth.onAnswer) }),
    handler(request, reply) {
      reply.header('cache-control', cache)
      const { params, query, body, who, ip_address: ip } = request
      return chain(
        route.handle({ core, sql: core.sql, params, query, body, who, ip, request, reply }),
        (answer) => {
          if (reply.sent || answer === reply) return reply
          if (route.status) reply.code(route.status)
          return wrap ? { success: true, data: answer } : answer
        },
      )
    },
  })
}

function admitting(core: Core, route: Route): onRequestHookHandler {
  const admit = admission(core, route)
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

const telling =
  (core: Core, answered: NonNullable<Route['auth']['onAnswer']>): onSendHookHandler =>
  (request, reply, payload, done) => {
    const told = answered(core, request, reply.statusCode, payload)
    if (told instanceof Promise) told.then(() => done(null, payload), done)
    else done(null, payload)
  }

const isMissingPage = (request: FastifyRequest) =>
  request.method === 'GET' && !request.url.startsWith('/api/') && isForPeople(request)

/** Why nobody took a request: the address is nobody's, or does not answer this method. */
const unserved = (method: string, served: AllowedMethods | undefined) =>
  served || !(allMethods as string[]).includes(method)
    ? new Refusal('METHOD_NOT_ALLOWED')
    : new Refusal('NOT_FOUND', undefined, 'There is nothing at this address')

/** Credentials, bodies, and what clients of the tool servers say in headers. */
const CORS_HEADERS =
  'Authorization, SVC_GAMES, Content-Type, Idempotency-Key, Mcp-Protocol-Version, Mcp-Method, Mcp-Name, Mcp-Session-Id'

/** Told before the body is read. */
function answerUnserved(
  { method }: FastifyRequest,
  reply: FastifyReply,
  served: AllowedMethods | undefined,
) {
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

type ReadJson = (bytes: Buffer) => unknown

/** The framework's parser refuses keys such as __proto__; it answers through a callback, at once. */
function jsonReader(app: FastifyInstance): ReadJson {
  const safeParse = app.getDefaultJsonParser('error', 'error')
  return (bytes) =>
    parseJson(bytes, (text) => settled((settle) => safeParse(undefined as never, text, settle)))
}

function acceptBodies(app: FastifyInstance, readJson: ReadJson) {
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

/** What forms of the website send. A name that repeats is a list. */
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

/** A browser that shows the answer to somebody; programs get the envelope. */
const isForPeople = ({ headers }: FastifyRequest) => headers.accept?.includes('text/html') ?? false

/** Bodies are UTF-8, as they are. Anything else would be read as something it is not. */
function checkEncoding({
  'content-encoding': coding = 'identity',
  'content-type': type = '',
}: IncomingHttpHeaders) {
  if (coding.toLowerCase() !== 'identity')
    refuse('UNSUPPORTED_MEDIA_TYPE', undefined, `Send the body without content-encoding`)
  const charset = type.match(/;\s*charset="?([^";\s]*)/i)?.[1]
  if (charset && !/^utf-?8$/i.test(charset))
    refuse('UNSUPPORTED_MEDIA_TYPE', undefined, 'Send the body in UTF-8')
}

/** For routes that read the body by themselves; whatever they leave is not kept anywhere. */
function leaveBodies(app: FastifyInstance) {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _body, done) => done(null))
}

function settled(run: (settle: (error: Error | null, value?: unknown) => void) => void): unknown {
  let outcome: { error: Error | null; value?: unknown } = {
    error: new Error('the parser did not answer at once'),
  }
  run((error, value) => {
    outcome = { error, value }
  })
  if (outcome.error) throw outcome.error
  return outcome.value
}

function refuseWith(reply: FastifyReply, refusal: Refusal): FastifyReply {
  reply.headers(failureHeaders(refusal))
  // The sender is still busy sending: an open connection lets it finish and read why.
  if (refusal.refusal === 'BODY_TOO_LARGE') reply.removeHeader('connection')
  return reply
    .code(refusal.status)
    .type(JSON_TYPE)
    .send(JSON.stringify(failure(refusal)))
}
