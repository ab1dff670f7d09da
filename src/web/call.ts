import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { deviceHeaders } from '../accounts/devices/devices.ts'
import { sessionToken } from '../accounts/sessions/cookies.ts'
import { type CallInput, callRoute } from '../core/http/call.ts'
import type { Route, TypedRoute } from '../core/http/route.ts'
import { checkValue } from '../core/http/validate.ts'
import { type ErrorName, errors, Refusal } from '../core/runtime/errors.ts'
import { type Explanation, explain, type Reason, withMessage } from '../core/runtime/reasons.ts'
import type { Text } from '../core/text/text.ts'
import { numberedText, textForPeople } from './refusal-text.ts'

/** What is wrong with a field; null where it is about the request as a whole. */
export type Problem = { field: string | null; message: Text }

/** Why the API refused: code and message of errors.ts, its details, and the field it is about. */
export type ApiRefusal = Problem & {
  ok: false
  status: number
  code: number
  /** The message of the API and its reasons, for a page that shows the refusal as its own. */
  api_message?: string
  reasons?: Reason[]
  details: Record<string, unknown>
  /** What else is wrong. */
  more?: Problem[]
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
  const headers = { ...deviceHeaders(request), ...input.headers }
  const answer = await callRoute(request, route, { ...input, headers, token })
  if (answer.ok) return answer
  // Pages ask for the proof and go on; see page-routes.ts and error-page.ts.
  if (answer.code === errors.STEP_UP_REQUIRED[0]) throw new Refusal('STEP_UP_REQUIRED')
  const { ok, ...refusal } = withField(answer)
  const more = refusal.more ?? schemaProblems(route, input.body, refusal)
  return { ok, ...refusal, ...(more.length && { more }) }
}

/** A schema stops at the first invalid field of a body; a form shows all of them. */
function schemaProblems(route: Route, body: unknown, first: Problem & { code: number }): Problem[] {
  const { properties, required = [] } = (route.body ?? {}) as Partial<TObject>
  if (first.code !== errors.MALFORMED[0] || !properties || !body) return []
  return Object.entries(properties).flatMap(([name, schema]) => {
    const value = (body as Record<string, unknown>)[name]
    const is_missing = value === undefined
    if (first.field?.startsWith(name) || (is_missing && !(required as string[]).includes(name)))
      return []
    const problem = is_missing ? REQUIRED : checkValue(schema, value, name)
    return problem ? [{ field: name, message: problemOf(problem).message }] : []
  })
}

const REQUIRED = explain('required', 'this field is required')

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

export const toRefusal = (refusal: ApiRefusal) => {
  const { status, code, message, api_message = String(message), reasons = [], details } = refusal
  const names = Object.keys(errors) as ErrorName[]
  const name =
    names.find((name) => errors[name][0] === code && errors[name][1] === status) ??
    (status < 500 ? 'MALFORMED' : 'INTERNAL')
  return new Refusal(name, details, { message: api_message, reasons })
}

/** Passes on cookies that the API set, as signing in does. */
export function passCookies(reply: FastifyReply, answer: ApiAnswer) {
  if (answer.ok) for (const cookie of answer.cookies) reply.header('set-cookie', cookie)
}

/** Adds the field that the refusal is about. */
export function withField(answer: Omit<ApiRefusal, 'field' | 'more'>): ApiRefusal {
  const { refusals, ...details } = answer.details as RefusalDetails
  const api_message = String(answer.message)
  const problem = problemOf({ message: api_message, reasons: answer.reasons ?? [] }, details)
  const more = refusals
    ?.slice(1)
    .map(({ message, reasons = [], field }) => problemOf({ message, reasons }, { field }))
  return { ...answer, api_message, ...problem, ...(more && { more }) }
}

type RefusalDetails = ProblemDetails & {
  refusals?: { field?: string; message: string; reasons?: Reason[] }[]
}
/** The field that a problem is about, and the position of the file, if there were several. */
type ProblemDetails = { field?: unknown; file?: unknown }

/** A schema names the field at the start of its message, a rule in its details. */
export function problemOf(explanation: Explanation, details: ProblemDetails = {}): Problem {
  const [, path, rest] = explanation.message.match(/^(?:body\.)?([\w.[\]]+): (.+)$/s) ?? []
  const field = typeof details.field === 'string' ? details.field : (path ?? null)
  const text = textForPeople(withMessage(explanation, (message) => rest ?? message))
  return { field, message: numberedText(text, details.file) }
}
