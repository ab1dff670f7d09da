import type { TSchema } from 'typebox'
import type { ApprovalRequest } from '../../accounts/approvals/approvals.ts'
import type { AgentScope, PlayerScope } from '../../accounts/keys/scopes.ts'
import { MAX_IDEMPOTENCY_KEY } from '../../core/database/idempotency-keys.ts'
import type { CallResult } from '../../core/http/call.ts'
import type { Route, TypedRoute } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'
import type { Core } from '../../core/runtime/core.ts'

export type Arguments = Record<string, unknown>
/** Calls a route as the caller of the tool. Arguments go into path, query and body by name. */
export type CallApi = <Params, Query, Body, Data>(
  route: TypedRoute<Params, Query, Body, Data>,
  args: Arguments,
) => Promise<CallResult<Data>>

/** A named route of the API. Its input, output, scopes and refusals are those of the route. */
export type Tool = {
  name: string
  title: string
  description: string
  /** The routes it calls; most tools call one. */
  calls: readonly [Route, ...Route[]]
  /** Arguments whose name differs from that of the route: argument → field. */
  names?: Record<string, string>
  /** Schemas of fields that the route checks by itself, and the arguments of a composed tool. */
  input?: Record<string, TSchema>
  /** What arguments mean in this tool, where their schema does not say it. */
  about?: Record<string, string>
  /** Wider schemas than those listed, for what older clients send and what `run` reports. */
  accepts?: Record<string, TSchema>
  /** Fields of the route that the tool does not offer. */
  without?: readonly string[]
  /** May need the approval of a person, and so takes an idempotency_key. */
  approval?: boolean
  /**
   * The approval that every call of a tool of operators needs. Its route needs none, because
   * programs of operators call it too.
   */
  approved?: (core: Core, args: Arguments) => ApprovalRequest
  /** The steps of a composed tool. */
  run?: (call: CallApi, args: Arguments, addresses: Addresses) => Promise<CallResult>
  /** The answer of a composed tool: a schema, or a change of that of its first route. */
  output?: TSchema | ((answer: Schema) => Schema)
  /** Cannot be undone with a tool. */
  destructive?: boolean
}

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  [keyword: string]: unknown
}

type Scope = AgentScope | PlayerScope
export type ServerKind = 'agent' | 'player'

/** A tool as the server offers it, with its schemas and scopes derived from its routes. */
export type ReadyTool = Tool & {
  /** For each of its routes the scopes of which one is enough. */
  scopes: Scope[][]
  input_schema: Schema
  /** The schema that arguments are checked by. */
  check_schema: Schema
  output_schema: Schema
  reads_only: boolean
}

const APPROVAL_KEY = {
  type: 'string',
  maxLength: 200,
  description: 'Your text; repeat the approved call with it',
}
const IDEMPOTENCY_KEY = {
  type: 'string',
  maxLength: MAX_IDEMPOTENCY_KEY,
  description: 'Your text; a call repeated with it is made once',
}

export function readyTool(tool: Tool, kind: ServerKind): ReadyTool {
  const [first] = tool.calls
  const input_schema = tool.run ? composedInput(tool) : routeInput(tool, first)
  return {
    ...tool,
    scopes: distinct(
      tool.calls.map((route) => scopesOf(route, kind)).filter((scopes) => scopes.length > 0),
    ),
    input_schema,
    check_schema: withProperties(input_schema, tool.accepts),
    output_schema:
      typeof tool.output === 'function'
        ? tool.output(toJson(first.data))
        : toJson(tool.output ?? first.data),
    reads_only: tool.calls.every(({ method }) => method === 'GET'),
  }
}

function withProperties(schema: Schema, properties: Record<string, TSchema> | undefined): Schema {
  if (!properties) return schema
  return { ...schema, properties: { ...schema.properties, ...jsonProperties(properties) } }
}

export const routeName = ({ method, url }: Route) => `${method} ${url}`

const distinct = <T>(lists: T[][]): T[][] => [
  ...new Map(lists.map((list) => [list.join(), list])).values(),
]

/** The scopes that a route requires. A public route that identifies its viewer takes player:read. */
function scopesOf({ auth }: Route, kind: ServerKind): Scope[] {
  if (auth.name === 'viewer') return ['player:read']
  const scopes = auth.security.flatMap((scheme) => (scheme.bearer ?? []) as Scope[])
  const prefixes = kind === 'agent' ? ['mcp:', 'operator:'] : ['player:']
  return scopes.filter((scope) => prefixes.some((prefix) => scope.startsWith(prefix)))
}

const inputSchemas = ({ params, query, body }: Route): Schema[] =>
  [params, query, body].flatMap((schema) => (schema ? [toJson(schema)] : []))

function routeInput(tool: Tool, route: Route): Schema {
  const renamed = new Map(
    Object.entries(tool.names ?? {}).map(([argument, field]) => [field, argument]),
  )
  const isOffered = (field: string) => !tool.without?.includes(field)
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const schema of inputSchemas(route)) {
    for (const [field, property] of Object.entries(schema.properties ?? {}))
      if (isOffered(field)) properties[renamed.get(field) ?? field] = property
    for (const field of schema.required ?? [])
      if (isOffered(field) && !('default' in (schema.properties?.[field] ?? {})))
        required.push(renamed.get(field) ?? field)
  }
  const composed = composedInput(tool)
  return {
    type: 'object',
    properties: withDescriptions(tool, {
      ...properties,
      ...composed.properties,
    }),
    required: [...new Set([...required, ...(composed.required ?? [])])],
    additionalProperties: false,
  }
}

export const needsApproval = ({ approval, approved }: Tool) =>
  approval === true || approved !== undefined

function idempotencyKey(tool: Tool): Record<string, Schema> {
  if (needsApproval(tool)) return { idempotency_key: APPROVAL_KEY }
  return tool.calls.some(({ idempotent }) => idempotent) ? { idempotency_key: IDEMPOTENCY_KEY } : {}
}

/** TypeBox marks optional schemas, so every other argument is required. */
function composedInput(tool: Tool): Schema {
  const { input = {} } = tool
  const required = Object.keys(input).filter((name) => !('~optional' in input[name]!))
  return {
    type: 'object',
    properties: withDescriptions(tool, {
      ...jsonProperties(input),
      ...idempotencyKey(tool),
    }),
    required,
    additionalProperties: false,
  }
}

/** Arguments that mean the same in every tool. */
const descriptions: Record<string, string> = {
  // The instructions of the server say that listings are named in this way.
  uid: 'Uid or vanity name',
  build_id: 'Uid of a build',
  page: 'From 1',
  page_size: 'Entries per page',
  app: 'A program such as a dedicated server; empty for the main one',
  approval_id: 'data.approval.uid of the answer with code 4214',
  bug_uid: 'A uid from list_bug_tickets',
  code: 'The six digits from the email',
  crash_id: 'An id from list_game_crashes',
  delivery_uid: 'A uid from list_bug_deliveries',
  file_uid: 'The uid of a file',
  group_uid: 'A uid from list_crash_groups',
  review_uid: 'A uid from list_reviews',
  sku_uid: 'A uid from list_skus',
}

const withDescriptions = ({ about = {} }: Tool, properties: Record<string, Schema>) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => {
      const description = about[name] ?? schema.description ?? descriptions[name]
      return [name, description === undefined ? schema : { ...schema, description }]
    }),
  )

/**
 * The schema as JSON, without the symbols of TypeBox, and without descriptions of values that a
 * rule checks: what a tool says about those is in its `input`.
 */
export const toJson = (schema: unknown): Schema =>
  JSON.parse(JSON.stringify(schema, (key, value) => (key === 'described' ? undefined : value)))

const jsonProperties = (schemas: Record<string, TSchema>): Record<string, Schema> =>
  Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, toJson(schema)]))

/** An empty segment, `.` or `..` would address another route. */
const UNSAFE_SEGMENT = /^\.{0,2}$/

/** The call that arguments make of a route. Undefined if one cannot be part of a path. */
export function routeCall(
  route: Route,
  args: Arguments,
): { params: Arguments; query: Arguments; body?: Arguments } | undefined {
  const fieldsOf = (schema: TSchema | undefined) => toJson(schema ?? {}).properties ?? {}
  const path_fields = fieldsOf(route.params)
  const query_fields = fieldsOf(route.query)
  const body_fields = fieldsOf(route.body)
  const defined = Object.entries(args).filter(([, value]) => value !== undefined)
  const params = Object.fromEntries(
    Object.keys(path_fields).map((name) => [name, String(args[name] ?? '')]),
  )
  if (Object.values(params).some((value) => UNSAFE_SEGMENT.test(value))) return undefined
  const rest = defined.filter(([name]) => !(name in path_fields))
  const isQuery = (name: string) => name in query_fields && !(name in body_fields)
  const query = Object.fromEntries(rest.filter(([name]) => isQuery(name)))
  if (route.method === 'GET' || (!route.body && !route.raw_body)) return { params, query }
  return { params, query, body: Object.fromEntries(rest.filter(([name]) => !isQuery(name))) }
}
