import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Sql } from '../database/sql.ts'
import type { Role } from '../runtime/config.ts'
import type { Core } from '../runtime/core.ts'
import type { ErrorName, Refusal } from '../runtime/errors.ts'
import type { MaybePromise } from '../runtime/maybe-promise.ts'
import { type Limit, privateDefault } from '../security/limits.ts'

/**
 * An authentication scheme: who may call a route, and what its handler learns about the caller.
 * Modules declare schemes; core only runs them.
 */
export type Scheme<Who> = {
  name: string
  /** As in OpenAPI: several are alternatives, and an empty one means that none is required. */
  security: Record<string, string[]>[]
  errors: ErrorName[]
  /** The request headers that the answer depends on, for caches. */
  vary?: string
  identify: (core: Core, request: FastifyRequest) => MaybePromise<Who>
  /** Refuses a person who has not proved lately that it is them; for routes with `step_up`. */
  requireProof?: (core: Core, request: FastifyRequest) => MaybePromise<void>
  /** Called before every answer is sent, errors included. */
  onAnswer?: (
    core: Core,
    request: FastifyRequest,
    status: number,
    text: unknown,
  ) => MaybePromise<void>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/**
 * The input of a handler. `reply` is for headers, cookies and streams; the answer itself is what
 * the handler returns.
 */
export type Input<Who, Params, Query, Body> = {
  core: Core
  sql: Sql
  who: Who
  params: Params
  query: Query
  body: Body
  ip: string
  request: FastifyRequest
  reply: FastifyReply
}

type Parts<
  Who,
  Params extends TSchema,
  Query extends TSchema,
  Body extends TSchema,
  Data extends TSchema,
> = {
  method: Method
  url: string
  summary: string
  description?: string
  /** Not in the API description: another spelling of an address that is in it. */
  hidden?: boolean
  /** Exists only to refuse its method, so that no page route matches the address. */
  method_not_allowed?: boolean
  /** The process role that serves it; api by default. */
  role?: Role | 'every'
  /** A scheme, or how to make one for what the route does: read or change. */
  auth: Scheme<Who> | ((method: Method) => Scheme<Who>)
  /** A person needs a fresh proof that it is them; programs with a key or token do not. */
  step_up?: boolean | ((input: { params: Static<Params>; body: Static<Body> }) => boolean)
  limits?: Limit[]
  params?: Params
  query?: Query
  body?: Body
  /** The handler reads the body from `request.raw` as it arrives, and limits its size itself. */
  raw_body?: boolean
  /**
   * It stores files: refused while the disk is nearly full. Those that an account or a listing (with
   * a deploy key) sends at the same time are limited; those of anyone have other limits.
   */
  stores_files?: 'account' | 'listing' | 'anyone'
  /** It takes an Idempotency-Key: a repeated request gets the first answer. */
  idempotent?: boolean
  /** How long a body of this size may take to arrive; a minute by default. */
  receive_seconds?: (bytes: number) => number
  /** The schema of `data`, or of the whole answer without envelope. Other fields are not sent. */
  data?: Data
  status?: 200 | 201 | 202 | 204
  /**
   * false: the answer has no envelope. Without `data` as well, the handler sends text, a stream or
   * a redirect itself.
   */
  envelope?: boolean
  /**
   * A page of the website: it accepts forms, and its errors are pages too. Only the website calls
   * it, so it declares no errors.
   */
  page?: boolean
  /** An API route that browsers open: its errors are pages for them and JSON for programs. */
  browser_errors?: boolean
  /** The body of an error, for a protocol with a format of its own; the envelope by default. */
  failure_body?: (refusal: Refusal) => object
  /** The media type of an answer that the handler sends itself. */
  produces?: string
  /** The handler redirects with this status instead of sending an answer. */
  redirect?: 302 | 303
  /** What the API description adds to, or says instead of, the schemas that the server checks. */
  described?: Described
  /** Scripts of any website may call it, without credentials. */
  cors?: boolean
  cache?: string
  /** The errors of the handler; those of schemas, schemes and limits are added by core. */
  errors?: ErrorName[]
  handle: (
    input: Input<Who, Static<Params>, Static<Query>, Static<Body>>,
  ) => MaybePromise<Static<Data>>
}

/** The parts of a request or an answer that a handler reads or sends itself. */
export type Described = {
  /** Parameters whose schema accepts more than a client should send. */
  params?: Record<string, TSchema>
  query?: Record<string, TSchema>
  /** Request headers. */
  headers?: Record<string, TSchema>
  /** The request body by media type. Every route with a raw body has one. */
  body?: Record<string, TSchema>
  /** JSON that the handler sends itself. */
  data?: TSchema
  /** The body of errors, if it is not the envelope. */
  failure?: TSchema
  /** Further answers that the handler sends itself, by status: JSON, or also a page. */
  answers?: Record<number, { description: string; data?: TSchema; page?: true }>
}

/** A route without the types of its schemas, as the server and the API description use it. */
export type Route = Omit<AnyParts, 'handle' | 'auth' | 'step_up'> & {
  auth: Scheme<Any>
  step_up?: boolean | ((input: { params: Any; body: Any }) => boolean)
  handle: (input: Input<Any, Any, Any, Any>) => unknown
}
// biome-ignore lint/suspicious/noExplicitAny: the types were checked where the route was made
type Any = any
type AnyParts = Parts<Any, TSchema, TSchema, TSchema, TSchema>

type EmptyObject = TObject<Record<never, never>>

/**
 * A route that remembers the types of its schemas, so that calls of it in this process are
 * checked (core/http/call.ts). `types` is never set; it exists only for the compiler.
 */
export type TypedRoute<Params, Query, Body, Data> = Route & {
  readonly types?: { params: Params; query: Query; body: Body; data: Data }
}

/** The data that a route answers with. */
export type RouteData<R extends { readonly types?: { data: unknown } }> = NonNullable<
  R['types']
>['data']

export function route<
  Who,
  Params extends TSchema = EmptyObject,
  Query extends TSchema = EmptyObject,
  Body extends TSchema = EmptyObject,
  Data extends TSchema = TSchema,
>(
  parts: Parts<Who, Params, Query, Body, Data>,
): TypedRoute<Static<Params>, Static<Query>, Static<Body>, Static<Data>> {
  const { auth, method } = parts
  const scheme = typeof auth === 'function' ? auth(method) : auth
  const limits = needsDefaultLimit(parts, scheme)
    ? [...(parts.limits ?? []), privateDefault]
    : parts.limits
  return { ...parts, auth: scheme, ...(limits && { limits }) } as unknown as Route
}

/** Every private route for people and their keys has a limit by account. */
const needsDefaultLimit = (
  { url, limits = [] }: Pick<Route, 'url' | 'limits'>,
  { security }: Pick<Scheme<unknown>, 'security'>,
) =>
  url.startsWith('/api/v1/private/') &&
  security.length > 0 &&
  !limits.some(({ by }) => by === 'account')

/** The errors that a route declares with its other attributes. */
export const declaredErrors = (route: Route): ErrorName[] => [
  ...route.auth.errors,
  ...(route.errors ?? []),
  ...(route.step_up ? (['STEP_UP_REQUIRED'] as const) : []),
  ...(route.stores_files ? (['DISK_FULL'] as const) : []),
  ...(route.idempotent ? (['IDEMPOTENCY_KEY_REUSED'] as const) : []),
  ...(isCounted(route) ? (['UPLOADS_BUSY'] as const) : []),
]

const isCounted = ({ stores_files }: Route) =>
  stores_files === 'account' || stores_files === 'listing'

/** No credentials are read, so an invalid credential cannot make the route fail. */
export const anyone: Scheme<null> = {
  name: 'anyone',
  security: [],
  errors: [],
  identify: () => null,
}

/** A body that rejects unknown fields, so that a typo is reported instead of ignored. */
export const Body = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

/** A body that may be left out. A union would report an invalid field as "must be null". */
export const OptionalBody = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Unsafe<Static<TObject<T>> | null>({ ...Body(properties), type: ['object', 'null'] })

/**
 * A value that a rule checks instead of the schema, so that a refusal has the code of that rule.
 * Clients read `described`, which says what the rule accepts.
 */
export const Checked = (described: TSchema) => {
  const { description } = described as { description?: string }
  return Type.Unsafe<unknown>({ ...(description && { description }), described })
}

/** A body of which a rule checks every field. */
export const CheckedBody = (properties: Record<string, TSchema>) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', described: Body(properties) })

/** An object with any content. */
export const FreeForm = (description: string) =>
  Type.Unsafe<Record<string, unknown>>({ type: 'object', additionalProperties: true, description })

/** One of a fixed list of values. */
export const OneOf = <const T extends readonly string[]>(
  values: T,
  options: { default?: T[number]; description?: string } = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

/** Gives schemas the names under which the API description lists them. */
export function nameSchemas(schemas: Record<string, TSchema>) {
  for (const [title, schema] of Object.entries(schemas)) Object.assign(schema, { title })
}

/** Text that is described as one of a list of values, where the handler has it as plain text. */
export const TextOf = (values: readonly string[], description?: string) =>
  Type.Unsafe<string>({ type: 'string', enum: [...values], ...(description && { description }) })

/** A file, as the part of a form or as a whole body. */
export const FileBytes = (description: string) =>
  Type.Unsafe<unknown>({ type: 'string', format: 'binary', description })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Timestamp = Type.String({ format: 'date-time' })
export const Uid = Type.String({ format: 'uuid' })
