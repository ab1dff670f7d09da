import type { FastifyReply, FastifyRequest } from 'fastify'
import { type CallInput, callRoute } from '../core/http/call.ts'
import type { Method, Route, TypedRoute } from '../core/http/route.ts'
import { type ErrorName, errors, Refusal } from '../core/runtime/errors.ts'
import { sessionToken } from './visitor.ts'

/** Why the API refused: the number and sentence of errors.ts, what it adds for programs, and the field it names, if any. */
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
 * Calls a route of the API as whoever opened the page. The session goes along as a bearer token,
 * which public routes take too; that the form came from our own page was checked before.
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

/** The same, with the body of this request, which is still arriving: a form with files. */
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
  return callApi(request, route, { params, headers, payload: request.raw })
}

/** Data the page cannot do without: a refusal of the route becomes the page's own. */
export async function readApi<Params, Query, Body, Data>(
  request: FastifyRequest,
  route: TypedRoute<Params, Query, Body, Data>,
  input: CallInput<NoInfer<Params>, NoInfer<Query>, NoInfer<Body>> = {},
): Promise<Data> {
  const answer = await callApi(request, route, input)
  if (answer.ok) return answer.data
  throw toRefusal(answer)
}

// Calls by address, to be replaced by the typed calls above.
const addressedRoute = (method: Method, url: string) => ({ method, url }) as Route

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export const call = <T = any>(
  request: FastifyRequest,
  method: Method,
  url: string,
  body?: unknown,
): Promise<ApiAnswer<T>> =>
  callApi(request, addressedRoute(method, url), { body }) as Promise<ApiAnswer<T>>

export const handOn = (request: FastifyRequest, url: string): Promise<ApiAnswer> =>
  forwardBody(request, addressedRoute('POST', url), {})

// biome-ignore lint/suspicious/noExplicitAny: the shape is that of the route that was called
export const read = <T = any>(request: FastifyRequest, url: string): Promise<T> =>
  readApi(request, addressedRoute('GET', url)) as Promise<T>

export const toRefusal = ({ status, code, message, details }: ApiRefusal) => {
  const names = Object.keys(errors) as ErrorName[]
  const name =
    names.find((one) => errors[one][0] === code && errors[one][1] === status) ??
    (status < 500 ? 'MALFORMED' : 'INTERNAL')
  return new Refusal(name, details, message)
}

/** Cookies that the API set, as logging in does. */
export function passCookies(reply: FastifyReply, answer: ApiAnswer) {
  if (answer.ok) for (const cookie of answer.cookies) reply.header('set-cookie', cookie)
}

/** With the field that the refusal is about. */
export function withField(answer: Omit<ApiRefusal, 'field'>): ApiRefusal {
  const { message, details } = answer
  // A schema names the field at the start of its sentence, a rule in what it adds.
  const [, path, rest] = message.match(/^(?:body\.)?([\w.[\]]+): (.+)$/s) ?? []
  const field = typeof details.field === 'string' ? details.field : (path ?? null)
  return { ...answer, message: rest ?? message, field }
}
