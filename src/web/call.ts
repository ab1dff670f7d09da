import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Asked, callRoute } from '../core/http/call.ts'
import type { Method } from '../core/http/route.ts'
import { type ErrorName, errors, Refusal } from '../core/runtime/errors.ts'
import { sessionToken } from './visitor.ts'

/** Why the API refused: the number and sentence of errors.ts, what it adds for programs, and the field it names, if any. */
export type Refused = {
  ok: false
  status: number
  code: number
  message: string
  details: Record<string, unknown>
  field: string | null
}
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export type Answer<T = any> = { ok: true; status: number; data: T; cookies: string[] } | Refused

/**
 * Calls a route of the API in this process as whoever opened the page: same limits, same rules, same refusals as a program meets.
 * The session goes as a bearer token, which public routes take too; that the form came from our own page was checked before.
 */
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export const call = <T = any>(
  request: FastifyRequest,
  method: Method,
  url: string,
  body?: unknown,
): Promise<Answer<T>> => ask(request, { method, url, body })

/** The same with the body that is just arriving: a form with files. */
export function handOn(request: FastifyRequest, url: string): Promise<Answer> {
  const { 'content-type': type, 'content-length': length } = request.headers
  const headers = {
    ...(type ? { 'content-type': type } : {}),
    ...(length ? { 'content-length': length } : {}),
  }
  return ask(request, { method: 'POST', url, headers, payload: request.raw })
}

async function ask<T>(request: FastifyRequest, asked: Asked): Promise<Answer<T>> {
  const answer = await callRoute<T>(request, {
    ...asked,
    token: request.who ? sessionToken(request) : undefined,
  })
  return answer.ok ? answer : asRefused(answer)
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
  const name =
    names.find((one) => errors[one][0] === code && errors[one][1] === status) ??
    (status < 500 ? 'MALFORMED' : 'INTERNAL')
  return new Refusal(name, details, message)
}

/** Cookies that the API set, as logging in does. */
export function passCookies(reply: FastifyReply, answer: Answer) {
  if (answer.ok) for (const cookie of answer.cookies) reply.header('set-cookie', cookie)
}

/** With the field that the refusal is about. */
export function asRefused(answer: Omit<Refused, 'field'>): Refused {
  const { message, details } = answer
  // A schema names the field at the start of its sentence, a rule in what it adds.
  const [, path, rest] = message.match(/^(?:body\.)?([\w.[\]]+): (.+)$/s) ?? []
  const field = typeof details.field === 'string' ? details.field : (path ?? null)
  return { ...answer, message: rest ?? message, field }
}
