import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallInput, callRoute } from '../core/http/call.ts'
import type { TypedRoute } from '../core/http/route.ts'
import { type ErrorName, errors, Refusal } from '../core/runtime/errors.ts'
import { sessionToken } from './visitor.ts'

/** Why the API refused: code and message of errors.ts, its details, and the field it is about. */
export type ApiRefusal = {
  ok: false
  status: number
  code: number
  message: string
  details: Record<string, unknown>
  field: string | null
}
// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export type ApiAnswer<T = any> =
  | { ok: true; status: number; data: T; cookies: string[] }
  | ApiRefusal

/**
 * Calls a route of the API as the person who opened the page. The session is sent as a bearer
 * token, which public routes accept too. visitor.ts has checked that a form came from this site.
 */
export async function callApi<Params, Query, Body, Data>(
  request: FastifyRequest,
  route: TypedRoute<Params, Query, Body, Data>,
  input: CallInput<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>> = {},
): Promise<ApiAnswer<Data>> {
  const token = request.who ? sessionToken(request) : undefined
  const answer = await callRoute(request, route, { ...input, token })
  return answer.ok ? answer : withField(answer)
}

/** Calls a route with the body of this request as it arrives, for forms with files. */
export function forwardBody<Params, Query, Body, Data>(
  request: FastifyRequest,
  route: TypedRoute<Params, Query, Body, Data>,
  params: NoInfer<Params>,
): Promise<ApiAnswer<Data>> {
  const { 'content-type': type, 'content-length': length } = request.headers
  const headers = {
    ...(type ? { 'content-type': type } : {}),
    ...(length ? { 'content-length': length } : {}),
  }
  // The stream of a request without a body does not report its end.
  const payload = request.raw.readableEnded ? Readable.from([]) : request.raw
  return callApi(request, route, { params, headers, payload })
}

/** Data that a page cannot do without: the refusal of the route becomes that of the page. */
export async function readApi<Params, Query, Body, Data>(
  request: FastifyRequest,
  route: TypedRoute<Params, Query, Body, Data>,
  input: CallInput<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>> = {},
): Promise<Data> {
  const answer = await callApi(request, route, input)
  if (answer.ok) return answer.data
  throw toRefusal(answer)
}

export const toRefusal = ({ status, code, message, details }: ApiRefusal) => {
  const names = Object.keys(errors) as ErrorName[]
  const name =
    names.find((name) => errors[name][0] === code && errors[name][1] === status) ??
    (status < 500 ? 'MALFORMED' : 'INTERNAL')
  return new Refusal(name, details, message)
}

/** Passes on cookies that the API set, as signing in does. */
export function passCookies(reply: FastifyReply, answer: ApiAnswer) {
  if (answer.ok) for (const cookie of answer.cookies) reply.header('set-cookie', cookie)
}

/** Adds the field that the refusal is about. */
export function withField(answer: Omit<ApiRefusal, 'field'>): ApiRefusal {
  const { message, details } = answer
  // A schema names the field at the start of its message, a rule in its details.
  const [, path, rest] = message.match(/^(?:body\.)?([\w.[\]]+): (.+)$/s) ?? []
  const field = typeof details.field === 'string' ? details.field : (path ?? null)
  return { ...answer, message: rest ?? message, field }
}
