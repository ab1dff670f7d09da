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
type Lane = (request: IncomingMessage, response: ServerResponse) => void
const JSON_TYPE = 'application/json; charset=utf-8'
const common = ['content-type', JSON_TYPE, 'x-content-type-options', 'nosniff']

/**
 * Routes that are called more often than all others together are served beside the framework, which costs more than what they do. The same limits,
 * scheme, schemas and refusals hold; a request that is not plain (no JSON, of unknown length, with a query) goes the usual way.
 */
export function installFastPath(
  app: FastifyInstance,
  core: Core,
  routes: Route[],
  options: Options,
) {
  const lanes = new Map(
    routes
      .filter(({ fast_path: plain }) => plain)
      .map((route) => [`${route.method} ${route.url}`, laneOf(core, route, options)]),
  )
  if (lanes.size === 0) return
  const usual = app.server.listeners('request') as Lane[]
  app.server.removeAllListeners('request')
  app.server.on('request', (request, response) => {
    // The usual way knows how connections end.
    const lane = app.isAcceptingRequests()
      ? lanes.get(`${request.method} ${request.url}`)
      : undefined
    if (lane && isPlain(request, options.body_limit)) lane(request, response)
    else for (const handle of usual) handle(request, response)
  })
}

function isPlain({ headers }: IncomingMessage, body_limit: number): boolean {
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

function laneOf(core: Core, route: Route, { strict, readJson }: Options): Lane {
  const admit = admission(core, route)
  const check = compileValidator({ schema: route.body, httpPart: 'body' } as never) as (
    body: unknown,
  ) => { error?: Error }
  const { [route.status ?? 200]: answer } = describe(route).response as Record<number, object>
  const asText = serializer(route, answer!)
  const cache = route.cache ?? 'no-cache'

  async function handle(asked: RequestContext): Promise<string> {
    await admit(asked)
    const body = readJson(await bodyOf(asked.raw))
    const { error } = check(body)
    if (error) throw error
    const { who, ip_address: ip } = asked
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
    return asText({ success: true, data })
  }

  return (raw, response) => {
    const begun = performance.now()
    const asked = askedBy(core, raw)
    limitReceiveTime(asked, route)
    const send = (status: number, headers: string[], text: string) => {
      response.writeHead(status, [
        ...common,
        'x-request-id',
        asked.id,
        'content-length',
        String(Buffer.byteLength(text)),
        ...headers,
      ])
      response.end(text)
      clearTimeout(asked.receive_timer)
      closeUnlessReceived(asked)
      const ms = performance.now() - begun
      observe(route.method, route.url, status, ms)
      core.access_log(asked.id, route.method, route.url, status, ms)
    }
    handle(asked).then(
      (text) => send(route.status ?? 200, ['cache-control', cache], text),
      (error) => {
        const found = asRefusal(error, core)
        const refusal = strict ? requireDeclared(found, route) : found
        send(
          refusal.status,
          Object.entries(failureHeaders(refusal)).flat(),
          JSON.stringify(failure(refusal)),
        )
      },
    )
  }
}

const askedBy = ({ config }: Core, raw: IncomingMessage): RequestContext => ({
  raw,
  headers: raw.headers,
  id: requestId(raw.headers['x-request-id']),
  ip_address: clientAddress(
    raw.socket.remoteAddress,
    raw.headers['x-forwarded-for'],
    config.proxy_hops,
  ),
  ...{ who: null, params: {}, query: {}, receive_timer: undefined },
})

/** Nearly always in one piece. Whoever goes away before the end is waited for by nobody. */
function bodyOf(raw: IncomingMessage): Promise<Buffer> {
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
