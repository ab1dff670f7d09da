import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Core } from '../runtime/core.ts'
import { failure } from '../runtime/errors.ts'
import { observe } from '../runtime/metrics.ts'
import { clientAddress } from '../security/client-address.ts'
import {
  admission,
  closeUnlessReceived,
  limitReceiveTime,
  type RequestContext,
  requestId,
} from './admission.ts'
import { describe } from './openapi.ts'
import { asRefusal, failureHeaders, requireDeclared } from './refusals.ts'
import type { Route } from './route.ts'
import { compileValidator, serializer } from './validate.ts'

type Options = { strict: boolean; body_limit: number; readJson: (bytes: Buffer) => unknown }
type RequestHandler = (request: IncomingMessage, response: ServerResponse) => void
const JSON_TYPE = 'application/json; charset=utf-8'
const commonHeaders = ['content-type', JSON_TYPE, 'x-content-type-options', 'nosniff']

/**
 * Serves the routes marked `fast_path` beside Fastify. They are called more often than all other
 * routes together, and Fastify costs more than their own work (bench/fast-path.ts). The same
 * limits, authentication, schemas and refusals apply. A request that is not plain JSON of a known
 * length takes the usual path.
 */
export function installFastPath(
  app: FastifyInstance,
  core: Core,
  routes: Route[],
  options: Options,
) {
  const handlers = new Map(
    routes
      .filter(({ fast_path }) => fast_path)
      .map((route) => [`${route.method} ${route.url}`, createHandler(core, route, options)]),
  )
  if (handlers.size === 0) return
  const fastifyHandlers = app.server.listeners('request') as RequestHandler[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    // Fastify closes connections during a shutdown, so it takes all requests from then on.
    const handler = app.isAcceptingRequests()
      ? handlers.get(`${request.method} ${request.url}`)
      : undefined
    if (handler && isPlainJson(request, options.body_limit)) handler(request, response)
    else for (const handle of fastifyHandlers) handle(request, response)
  })
}

function isPlainJson({ headers }: IncomingMessage, body_limit: number): boolean {
  const type = headers['content-type']
  if (type !== 'application/json' && type !== JSON_TYPE) return false
  const length = Number(headers['content-length'])
  return (
    length > 0 &&
    length <= body_limit &&
    headers['content-encoding'] === undefined &&
    headers.expect === undefined
  )
}

function createHandler(core: Core, route: Route, { strict, readJson }: Options): RequestHandler {
  const admit = admission(core, route)
  const validate = compileValidator({ schema: route.body, httpPart: 'body' } as never) as (
    body: unknown,
  ) => { error?: Error }
  const { [route.status ?? 200]: schema } = describe(route).response as Record<number, object>
  const serialize = serializer(route, schema!)
  const cache = route.cache ?? 'no-cache'

  async function answer(request: RequestContext): Promise<string> {
    await admit(request)
    const body = readJson(await readWholeBody(request.raw))
    const { error } = validate(body)
    if (error) throw error
    const { who, ip_address: ip } = request
    const data = await route.handle({
      core,
      sql: core.sql,
      params: {},
      query: {},
      body,
      who,
      ip,
      request: undefined,
      reply: undefined,
    } as never)
    return serialize({ success: true, data })
  }

  return (raw, response) => {
    const started = performance.now()
    const request = createContext(core, raw)
    limitReceiveTime(request, route)
    const send = (status: number, headers: string[], text: string) => {
      response.writeHead(status, [
        ...commonHeaders,
        'x-request-id',
        request.id,
        'content-length',
        String(Buffer.byteLength(text)),
        ...headers,
      ])
      response.end(text)
      clearTimeout(request.receive_timer)
      closeUnlessReceived(request)
      const ms = performance.now() - started
      observe(route.method, route.url, status, ms)
      core.access_log(request.id, route.method, route.url, status, ms)
    }
    answer(request).then(
      (text) => send(route.status ?? 200, ['cache-control', cache], text),
      (error) => {
        const actual = asRefusal(error, core)
        const refusal = strict ? requireDeclared(actual, route) : actual
        send(
          refusal.status,
          Object.entries(failureHeaders(refusal)).flat(),
          JSON.stringify(failure(refusal)),
        )
      },
    )
  }
}

const createContext = ({ config }: Core, raw: IncomingMessage): RequestContext => ({
  raw,
  headers: raw.headers,
  id: requestId(raw.headers['x-request-id']),
  ip_address: clientAddress(
    raw.socket.remoteAddress,
    raw.headers['x-forwarded-for'],
    config.proxy_hops,
  ),
  who: null,
  params: {},
  query: {},
  receive_timer: undefined,
})

/**
 * Reads a body of known length, which nearly always arrives in one piece. When the client
 * disconnects first, the promise never settles: there is nobody left to answer.
 */
function readWholeBody(raw: IncomingMessage): Promise<Buffer> {
  const length = Number(raw.headers['content-length'])
  const chunks: Buffer[] = []
  let received = 0
  return new Promise((resolve) => {
    raw.on('data', (chunk: Buffer) => {
      chunks.push(chunk)
      received += chunk.length
      if (received === length) resolve(chunks.length === 1 ? chunk : Buffer.concat(chunks))
    })
  })
}
