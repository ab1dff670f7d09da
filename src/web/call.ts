import type { FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorName, errors, Refusal } from '../core/errors.ts'
import type { Method } from '../core/route.ts'
import { sessionToken } from './visitor.ts'

/** Why the API refused: the number and sentence of errors.ts, what it adds for programs, and the field it names, if any. */
export type Refused = { ok: false; status: number; code: number; message: string; details: Record<string, unknown>; field: string | null }
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export type Answer<T = any> = { ok: true; status: number; data: T; cookies: string[] } | Refused

/**
 * Calls a route of the API in this process as whoever opened the page: same limits, same rules, same refusals as a program meets.
 * The session goes as a bearer token, which public routes take too; that the form came from our own page was checked before.
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export const call = <T = any>(request: FastifyRequest, method: Method, url: string, body?: unknown): Promise<Answer<T>> =>
  ask(
    request,
    method,
    url,
    body === undefined ? undefined : { headers: { 'content-type': 'application/json' }, payload: JSON.stringify(body) },
  )

/** The same with the body that is just arriving: a form with files. */
export function handOn(request: FastifyRequest, url: string): Promise<Answer> {
  const { 'content-type': type, 'content-length': length } = request.headers
  const headers = { ...(type ? { 'content-type': type } : {}), ...(length ? { 'content-length': length } : {}) }
  return ask(request, 'POST', url, { headers, payload: request.raw })
}

type Sending = { headers: Record<string, string>; payload: string | NodeJS.ReadableStream }

async function ask<T>(request: FastifyRequest, method: Method, url: string, sending?: Sending): Promise<Answer<T>> {
  const token = sessionToken(request)
  const answer = await request.server.inject({
    method,
    url,
    remoteAddress: request.raw.socket.remoteAddress,
    headers: { ...passedOn(request), ...(token && request.who ? { authorization: `Bearer ${token}` } : {}), ...sending?.headers },
    ...(sending ? { payload: sending.payload } : {}),
  })
  const { success, data, error } = answer.json()
  if (!success) return refused(answer.statusCode, error, data)
  return { ok: true, status: answer.statusCode, data, cookies: [answer.headers['set-cookie'] ?? []].flat() }
}

/** What a page cannot do without: a refusal is the page's own. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export async function read<T = any>(request: FastifyRequest, url: string): Promise<T> {
  const answer = await call<T>(request, 'GET', url)
  if (answer.ok) return answer.data
  throw asRefusal(answer)
}

export const asRefusal = ({ status, code, message, details }: Refused) => {
  const names = Object.keys(errors) as ErrorName[]
  const name = names.find((one) => errors[one][0] === code && errors[one][1] === status) ?? (status < 500 ? 'MALFORMED' : 'INTERNAL')
  return new Refusal(name, details, message)
}

/** Cookies that the API set, as logging in does. */
export function passCookies(reply: FastifyReply, answer: Answer) {
  if (answer.ok) for (const cookie of answer.cookies) reply.header('set-cookie', cookie)
}

function passedOn({ headers, id }: FastifyRequest): Record<string, string> {
  const kept = ['x-forwarded-for', 'user-agent', 'referer', 'host'].flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [[name, value] as const] : []
  })
  return { ...Object.fromEntries(kept), 'x-request-id': id }
}

function refused(status: number, { code, message }: { code: number; message: string }, data: Record<string, unknown> = {}): Refused {
  // A schema names the field at the start of its sentence, a rule in what it adds.
  const [, path, rest] = message.match(/^(?:body\.)?([\w.[\]]+): (.+)$/s) ?? []
  const field = typeof data.field === 'string' ? data.field : (path ?? null)
  return { ok: false, status, code, message: rest ?? message, details: data, field }
}
