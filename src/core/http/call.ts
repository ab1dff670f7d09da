import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { Details } from '../runtime/errors.ts'
import type { Reason } from '../runtime/reasons.ts'
import type { TypedRoute } from './route.ts'

/** What a route called in this process answered: its data, or why it refused. */
// biome-ignore lint/suspicious/noExplicitAny: a route without its types answers anything
export type CallResult<Data = any> =
  | { ok: true; status: number; data: Data; cookies: string[] }
  | {
      ok: false
      status: number
      code: number
      message: string
      reasons?: Reason[]
      details: Details
    }

export type CallInput<Params, Query, Body> = {
  params?: Params
  /** The server fills in defaults, so every query parameter may be left out. */
  query?: Partial<Query>
  /** Sent as JSON. */
  body?: Body
  /** Sent unchanged instead of `body`, such as a form that is still arriving. */
  payload?: NodeJS.ReadableStream
  token?: string | undefined
  headers?: Record<string, string>
}

/**
 * Calls a route of the API in this process on behalf of a request. Limits, rules and refusals are
 * those a program meets, and the call counts against the address the request came from.
 */
export async function callRoute<Params, Query, Body, Data>(
  request: FastifyRequest,
  route: TypedRoute<Params, Query, Body, Data>,
  input: CallInput<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>> = {},
): Promise<CallResult<Data>> {
  const { params, query, body, token, headers } = input
  const payload = input.payload ?? (body === undefined ? undefined : JSON.stringify(body))
  const answer = await request.server.inject({
    method: route.method,
    url: routePath(route.url, params ?? {}, query ?? {}),
    remoteAddress: request.raw.socket.remoteAddress,
    headers: {
      ...forwardedHeaders(request),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  const { success, data, error } = answer.json()
  const status = answer.statusCode
  if (!success) {
    const { code, message, reasons = [] } = error
    return { ok: false, status, code, message, reasons, details: data ?? {} }
  }
  return { ok: true, status, data, cookies: [answer.headers['set-cookie'] ?? []].flat() }
}

/**
 * The path of a route with its parameters filled in. Query values that are undefined are left out.
 */
export function routePath(url: string, params: object, query: object = {}): string {
  const values = params as Record<string, unknown>
  const path = url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])))
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    for (const item of [value].flat()) search.append(name, String(item))
  }
  return search.size ? `${path}?${search}` : path
}

function forwardedHeaders({ headers, id }: FastifyRequest): Record<string, string> {
  const names = ['x-forwarded-for', 'user-agent', 'referer', 'host']
  const forwarded = names.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { ...Object.fromEntries(forwarded), 'x-request-id': id }
}

const outerCall = new AsyncLocalStorage<string>()

/** Runs calls that count as one call from outside under this name, so the log has it once. */
export const asOneCall = <T>(name: string, run: () => Promise<T>): Promise<T> =>
  outerCall.run(name, run)
export const isInnerCall = () => outerCall.getStore() !== undefined
