import { AsyncLocalStorage } from 'node:async_hooks'
import type { FastifyRequest } from 'fastify'
import type { Details } from '../runtime/errors.ts'
import type { Method } from './route.ts'

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export type Called<T = any> =
  | { ok: true; status: number; data: T; cookies: string[] }
  | { ok: false; status: number; code: number; message: string; details: Details }

export type Asked = {
  method: Method
  url: string
  /** Sent as JSON. */
  body?: unknown
  /** Sent as it is, such as a form that is just arriving; its headers come along. */
  payload?: NodeJS.ReadableStream
  token?: string | undefined
  headers?: Record<string, string>
}

/**
 * Calls a route of the API in this process on behalf of a request: same limits, same rules, same refusals as a program meets, counted
 * for the address the request came from.
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export async function callRoute<T = any>(
  request: FastifyRequest,
  asked: Asked,
): Promise<Called<T>> {
  const {
    method,
    url,
    body,
    payload = body === undefined ? undefined : JSON.stringify(body),
    token,
    headers,
  } = asked
  const answer = await request.server.inject({
    method,
    url,
    remoteAddress: request.raw.socket.remoteAddress,
    headers: {
      ...passedOn(request),
      ...(token ? { authorization: `Bearer ${token}` } : {}),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(payload === undefined ? {} : { payload }),
  })
  const { success, data, error } = answer.json()
  const status = answer.statusCode
  if (!success)
    return { ok: false, status, code: error.code, message: error.message, details: data ?? {} }
  return { ok: true, status, data, cookies: [answer.headers['set-cookie'] ?? []].flat() }
}

function passedOn({ headers, id }: FastifyRequest): Record<string, string> {
  const kept = ['x-forwarded-for', 'user-agent', 'referer', 'host'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { ...Object.fromEntries(kept), 'x-request-id': id }
}

const through = new AsyncLocalStorage<string>()

/** What is called inside is one call from outside, by this name: it is in the log once. */
export const calledThrough = <T>(name: string, run: () => Promise<T>): Promise<T> =>
  through.run(name, run)
export const calledInside = () => through.getStore() !== undefined
