import type { TSchema } from 'typebox'
import type { AgentScope, PlayerScope } from '../../accounts/keys/scopes.ts'
import type { CallResult } from '../../core/http/call.ts'
import type { Method, Route } from '../../core/http/route.ts'
import type { Addresses } from '../../core/runtime/config.ts'

export type Arguments = Record<string, unknown>
/** Calls one of the routes a tool names, as whoever called the tool. */
export type CallApi = (route: string, args: Arguments) => Promise<CallResult>

/** A tool is a name for a route of the API: what it takes, answers, needs and refuses is what the route does. */
export type Tool = {
  name: string
  title: string
  description: string
  /** The routes it calls, as `METHOD /path`; most call one. */
  calls: readonly [string, ...string[]]
  /** Arguments by another name than the route's: argument → field. */
  names?: Record<string, string>
  /** Schemas of fields that the route leaves to a rule, and what a composed tool takes. */
  input?: Record<string, TSchema>
  /** Fields of the route that the tool does not offer. */
  without?: readonly string[]
  /** Fields the tool always sends. */
  fixed?: Arguments
  /** Public routes that take no token of an agent's are asked without one. */
  signed_out?: boolean
  /** Waits for a person: takes an idempotency_key. */
  approval?: boolean
  /** More than one call. */
  run?: (call: CallApi, args: Arguments, addresses: Addresses) => Promise<CallResult>
  /** What a composed tool answers, by itself or made from what its first route does. */
  output?: TSchema | ((answer: Schema) => Schema)
  /** Cannot be taken back by calling a tool again. */
  destructive?: boolean
}

export type Schema = {
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean
  [more: string]: unknown
}

/** A tool with its routes found, as the server offers it. */
export type ReadyTool = Tool & {
  routes: Route[]
  /** For each of its routes the scopes any one of which will do. */
  scopes: (AgentScope | PlayerScope)[][]
  input_schema: Schema
  output_schema: Schema
  reads_only: boolean
}

const IDEMPOTENCY_KEY = {
  type: 'string',
  maxLength: 200,
  description:
    'Any text of your own. When a person must approve, repeat the call with the same key after they did',
}

export function readyTool(tool: Tool, all: Route[], kind: 'agent' | 'player'): ReadyTool {
  const routes = tool.calls.map(
    (named) => all.find((one) => routeName(one) === named) ?? unknownRoute(tool, named),
  )
  const [first] = routes as [Route]
  return {
    ...tool,
    routes,
    scopes: tool.signed_out
      ? []
      : distinct(routes.map((one) => scopesOf(one, kind)).filter((scopes) => scopes.length > 0)),
    input_schema: tool.run ? composedInput(tool) : routeInput(tool, first),
    output_schema:
      typeof tool.output === 'function'
        ? tool.output(plain(first.data))
        : plain(tool.output ?? first.data),
    reads_only: routes.every(({ method }) => method === 'GET'),
  }
}

export const routeName = ({ method, url }: { method: Method; url: string }) => `${method} ${url}`

function unknownRoute({ name }: Tool, named: string): never {
  throw new Error(`The tool ${name} calls ${named}, which is no route`)
}

const distinct = <T>(lists: T[][]): T[][] => [
  ...new Map(lists.map((one) => [one.join(), one])).values(),
]

/** What a route asks of a token. Public ones that look at who asks want to know them as a player. */
function scopesOf({ auth }: Route, kind: 'agent' | 'player'): (AgentScope | PlayerScope)[] {
  if (auth.name === 'viewer') return ['player:read']
  const named = auth.security.flatMap((one) => (one.bearer ?? []) as AgentScope[])
  return named.filter((scope) => scope.startsWith(kind === 'agent' ? 'mcp:' : 'player:'))
}

const parts = ({ params, query, body }: Route): Schema[] =>
  [params, query, body].flatMap((one) => (one ? [plain(one)] : []))

function routeInput(tool: Tool, route: Route): Schema {
  const named = new Map(
    Object.entries(tool.names ?? {}).map(([argument, field]) => [field, argument]),
  )
  const left_out = new Set([...(tool.without ?? []), ...Object.keys(tool.fixed ?? {})])
  const offered = (field: string) => !left_out.has(field)
  const properties: Record<string, Schema> = {}
  const required: string[] = []
  for (const part of parts(route)) {
    for (const [field, schema] of Object.entries(part.properties ?? {}))
      if (offered(field)) properties[named.get(field) ?? field] = schema
    for (const field of part.required ?? [])
      if (offered(field) && !('default' in (part.properties?.[field] ?? {})))
        required.push(named.get(field) ?? field)
  }
  const own = composedInput(tool)
  return {
    type: 'object',
    properties: described({
      ...properties,
      ...own.properties,
      ...(tool.approval ? { idempotency_key: IDEMPOTENCY_KEY } : {}),
    }),
    required: [...new Set([...required, ...(own.required ?? [])])],
    additionalProperties: false,
  }
}

/** Optional fields are marked by the schemas themselves. */
function composedInput({ input = {} }: Tool): Schema {
  const required = Object.keys(input).filter((name) => !('~optional' in input[name]!))
  const properties = Object.fromEntries(
    Object.entries(input).map(([name, schema]) => [name, plain(schema)]),
  )
  return {
    type: 'object',
    properties: described(properties),
    required,
    additionalProperties: false,
  }
}

/** What everybody calls the same thing is explained once. */
const explained: Record<string, string> = {
  uid: 'The listing: its uid or its vanity name',
  build_id: 'The uid of a build',
  page: 'From 1',
  page_size: 'Entries of a page',
}

const described = (properties: Record<string, Schema>) =>
  Object.fromEntries(
    Object.entries(properties).map(([name, schema]) => [
      name,
      explained[name] && !schema.description ? { ...schema, description: explained[name] } : schema,
    ]),
  )

/** As it goes over the wire: nothing but JSON. */
export const plain = (schema: unknown): Schema => JSON.parse(JSON.stringify(schema))

const EMPTY_PATH = /^\.{0,2}$/

/** Where each argument of a call goes. Nothing when a name cannot stand in an address. */
export function addressed(
  route: Route,
  args: Arguments,
): { url: string; body?: Arguments } | undefined {
  const [params, query, body] = [route.params, route.query, route.body].map(
    (one) => plain(one ?? {}).properties ?? {},
  ) as [Record<string, Schema>, Record<string, Schema>, Record<string, Schema>]
  const text = (name: string) => String(args[name] ?? '')
  if (Object.keys(params).some((name) => EMPTY_PATH.test(text(name)))) return undefined
  const path = route.url.replace(/:(\w+)/g, (_, name) => encodeURIComponent(text(name)))
  const rest = Object.entries(args).filter(
    ([name, value]) => !(name in params) && value !== undefined,
  )
  const asked = rest.filter(([name]) => name in query && !(name in body))
  const search = new URLSearchParams(
    asked.flatMap(([name, value]) =>
      [value].flat().map((one): [string, string] => [name, String(one)]),
    ),
  )
  const sent = rest.filter(([name]) => !(name in query) || name in body)
  const url = search.size ? `${path}?${search}` : path
  return route.method === 'GET' || (!route.body && !route.raw_body)
    ? { url }
    : { url, body: Object.fromEntries(sent) }
}
