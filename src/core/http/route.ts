import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, type TObject, type TSchema, Type } from 'typebox'
import type { Sql } from '../database/sql.ts'
import type { Role } from '../runtime/config.ts'
import type { Core } from '../runtime/core.ts'
import type { ErrorName } from '../runtime/errors.ts'
import type { MaybePromise } from '../runtime/maybe-promise.ts'
import type { Limit } from '../security/limits.ts'

/** Who may call a route, and what its handler learns of them. Rooms declare schemes; the kernel only runs them. */
export type Scheme<Who> = {
  name: string
  /** As OpenAPI names it; several are alternatives, and an empty one means that none is needed. */
  security: Record<string, string[]>[]
  errors: ErrorName[]
  /** The request headers the answer depends on, for caches. */
  vary?: string
  identify: (core: Core, request: FastifyRequest) => MaybePromise<Who>
  /** Told of every answer before it is sent, refusals included. */
  onAnswer?: (
    core: Core,
    request: FastifyRequest,
    status: number,
    text: unknown,
  ) => MaybePromise<void>
}

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** What a handler is given. `reply` is for headers, cookies and streams; the answer itself is what the handler returns. */
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
  /** Left out of the API description: another spelling of an address that is in it. */
  hidden?: boolean
  /** Stands there only to refuse its method, so that no page answers for the address. */
  method_not_allowed?: boolean
  /** The process role that serves it; api unless said. */
  role?: Role | 'every'
  auth: Scheme<Who>
  limits?: Limit[]
  params?: Params
  query?: Query
  body?: Body
  /** The body is not read: the handler takes it from `request.raw`, as it arrives, and bounds it itself. */
  raw_body?: boolean
  /** Plain JSON requests are served beside the framework: the scheme reads headers alone, and the handler has neither `request` nor `reply`. */
  fast_path?: boolean
  /** How long a body of so many bytes may take to arrive; a minute unless said. */
  receive_seconds?: (bytes: number) => number
  /** The schema of `data`, or of the whole answer without envelope. Fields it does not name never leave. */
  data?: Data
  status?: 200 | 201 | 202 | 204
  /** false: the answer stands alone. Without `data` as well, the handler sends text, a stream or a redirect by itself. */
  envelope?: boolean
  /** A page of the website: forms may be sent to it, and its refusals are pages too. Only the website calls it, so it declares none. */
  page?: boolean
  /** Part of the API, and browsers are led to it: what it refuses is a page for those, and the envelope for programs. */
  browser_errors?: boolean
  /** The media type of an answer that the handler sends by itself. */
  produces?: string
  /** Callable from any website's script, without credentials. */
  cors?: boolean
  cache?: string
  /** The refusals of the handler; those of schemas, schemes and limits are added by the kernel. */
  errors?: ErrorName[]
  handle: (
    input: Input<Who, Static<Params>, Static<Query>, Static<Body>>,
  ) => MaybePromise<Static<Data>>
}

/** A route with its types forgotten, as the server and the API description take it. */
export type Route = Omit<Parts<Any, TSchema, TSchema, TSchema, TSchema>, 'handle'> & {
  handle: (input: Input<Any, Any, Any, Any>) => unknown
}
// biome-ignore lint/suspicious/noExplicitAny: the types were checked where the route was made
type Any = any

type Nothing = TObject<Record<never, never>>

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
  Params extends TSchema = Nothing,
  Query extends TSchema = Nothing,
  Body extends TSchema = Nothing,
  Data extends TSchema = TSchema,
>(
  parts: Parts<Who, Params, Query, Body, Data>,
): TypedRoute<Static<Params>, Static<Query>, Static<Body>, Static<Data>> {
  return parts as unknown as Route
}

/** No credentials are read: nothing a caller sends can make this route refuse them as someone. */
export const anyone: Scheme<null> = {
  name: 'anyone',
  security: [],
  errors: [],
  identify: () => null,
}

/** A body that refuses fields it does not know, so that a typo is told instead of ignored. */
export const Body = <T extends Record<string, TSchema>>(properties: T) =>
  Type.Object(properties, { additionalProperties: false })

/** One of a fixed list of words. */
export const OneOf = <const T extends readonly string[]>(
  values: T,
  options: { default?: T[number]; description?: string } = {},
) => Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options })

export const Nullable = <T extends TSchema>(schema: T) => Type.Union([schema, Type.Null()])
export const Timestamp = Type.String({ format: 'date-time' })
export const Uid = Type.String({ format: 'uuid' })
