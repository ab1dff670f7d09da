import { type TSchema, Type } from 'typebox'
import { IdempotencyKeyHeader } from '../../database/idempotency-keys.ts'
import { type ErrorName, errors } from '../../runtime/errors.ts'
import { declaredErrors, FreeForm, type Route } from '../route.ts'
import { answerSchema, successStatus } from '../route-schema.ts'
import { describeParameter } from './parameters.ts'
import { type Components, describeSchema, namedSchema, refTo, type Schema } from './schemas.ts'
import { sectionOf, sectionsOf } from './sections.ts'

type Content = Record<string, { schema: Schema }>
type Header = { description: string; schema: Schema }
export type Response = {
  description: string
  headers?: Record<string, Header>
  content?: Content
}
export type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description?: string
  schema: Schema
}
export type Operation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  security: Record<string, string[]>[]
  servers?: { url: string }[]
  parameters?: Parameter[]
  requestBody?: { required: boolean; content: Content }
  responses: Record<string, Response>
}

const Failure = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    reasons: Type.Optional(
      Type.Array(
        Type.Object({ id: Type.String(), values: Type.Optional(FreeForm('Its values')) }),
        {
          description: 'What the message says, by stable ids, to write it in another language',
        },
      ),
    ),
    data: Type.Optional(FreeForm('The same as data beside error')),
  }),
  data: Type.Optional(FreeForm('Details that a program needs to act on the error')),
})

const securitySchemes: Record<string, object> = {
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description:
      'A player key, a player OAuth token of the authorization server, or a website session. ' +
      'Private routes that name an `mcp:` scope take an agent key or an agent OAuth token, and ' +
      'those that name an `operator:` scope an agent key of an operator. ' +
      'Keys and OAuth tokens need one of the scopes that the route names.',
  },
  svc_games: {
    type: 'apiKey',
    in: 'header',
    name: 'SVC_GAMES',
    description: 'The same token without `Bearer`. `Authorization` wins if both are sent.',
  },
  session_cookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'svc_session',
    description:
      'The website session of a browser, for requests of the website itself; ' +
      '`__Host-svc_session` on https',
  },
  game_player: {
    type: 'http',
    scheme: 'bearer',
    description: 'A player token or a session of the external-store sign-in, for this game',
  },
  game_auth_key: {
    type: 'http',
    scheme: 'bearer',
    description: 'The auth key of a game, for servers of its developer only',
  },
  game_app: {
    type: 'apiKey',
    in: 'header',
    name: 'X-App-Id',
    description: 'The uid of the game',
  },
  game_build: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Build-Id',
    description: 'The uid of the running build',
  },
  deploy_access: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Access-Token',
    description: 'The access token of a deploy key',
  },
  deploy_secret: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Secret-Key',
    description: 'The secret key of a deploy key',
  },
}

const titles = {
  public: 'public API',
  private: 'API for the website, build machines, games, agents and operators',
}

type DocumentOptions = {
  audience: 'public' | 'private'
  store_name: string
  version: string
  routes: Route[]
  base_url: string
  upload_url: string
  mcp_auth_url: string
}

/** The description of the public routes, or of all others that are not pages of the website. */
export function describeApi(options: DocumentOptions) {
  const { audience, store_name, version, routes, base_url } = options
  const described = routes.filter(
    (route) => !route.hidden && !route.page && isPublic(route) === (audience === 'public'),
  )
  const components: Components = new Map()
  namedSchema('Failure', Failure, 'answer', components)
  const paths: Record<string, Record<string, Operation>> = {}
  for (const route of described) {
    const path = route.url.replaceAll(/:(\w+)/g, '{$1}')
    const operation = { ...describeRoute(route, components), ...serversOf(route, options) }
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation }
  }
  const used = new Set(described.flatMap(({ auth }) => auth.security.flatMap(Object.keys)))
  return {
    openapi: '3.1.0',
    info: {
      title: `${store_name} ${titles[audience]}`,
      version,
      description:
        'Successful answers are `{success: true, data}`, errors are ' +
        '`{success: false, error: {code, message}}`. Routes with a raw answer have no envelope.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: base_url }],
    tags: sectionsOf(described.map(({ url }) => url)),
    paths,
    components: {
      securitySchemes: Object.fromEntries(
        Object.entries(securitySchemes).filter(([name]) => used.has(name)),
      ),
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
    },
  }
}

/** Where an operation is served, if not at the address of the API. */
function serversOf({ role, url }: Route, { upload_url, mcp_auth_url }: DocumentOptions) {
  if (role === 'upload') return { servers: [{ url: upload_url }] }
  return AUTHORIZATION_SERVER.test(url) ? { servers: [{ url: mcp_auth_url }] } : {}
}

/** The endpoints and the metadata of the authorization server. */
const AUTHORIZATION_SERVER =
  /^\/(oauth\/|\.well-known\/(oauth-authorization-server|openid-configuration))/

const isPublic = ({ url }: Route) =>
  url.startsWith('/api/v1/public/') ||
  url.startsWith('/api/v1/extstore/') ||
  url === '/health' ||
  url === '/ready'

function describeRoute(route: Route, components: Components): Operation {
  const { summary, description, auth } = route
  const parameters = parametersOf(route, components)
  const content = requestContent(route, components)
  return {
    operationId: operationId(route),
    summary,
    ...(description && { description }),
    tags: [sectionOf(route.url)],
    security: auth.security,
    ...(parameters.length > 0 && { parameters }),
    ...(content && { requestBody: { required: !isOptionalBody(route), content } }),
    responses: {
      ...refusals(route, components),
      ...furtherAnswers(route, components),
      [successStatus(route)]: successOf(route, components),
    },
  }
}

const isOptionalBody = ({ body }: Route) =>
  [(body as Schema | undefined)?.type].flat().includes('null')

const propertiesOf = (schema: TSchema | undefined) =>
  (schema as { properties?: Record<string, TSchema> } | undefined)?.properties ?? {}
const requiredOf = (schema: TSchema | undefined) =>
  (schema as { required?: string[] } | undefined)?.required ?? []

function parametersOf(route: Route, components: Components): Parameter[] {
  const { params, query, described = {} } = route
  const parameter =
    (place: Parameter['in'], required: readonly string[]) =>
    ([name, schema]: [string, TSchema]): Parameter => {
      const { description, ...json } = describeSchema(schema, 'request', components)
      const text = description ?? describeParameter(route.url, name)
      return {
        name,
        in: place,
        required: place === 'path' || (required.includes(name) && json.default === undefined),
        ...(text && { description: text }),
        schema: asText(json),
      }
    }
  const inPath = { ...propertiesOf(params), ...described.params }
  const inHeaders = {
    ...described.headers,
    ...(route.idempotent && { 'Idempotency-Key': IdempotencyKeyHeader }),
  }
  const inQuery = { ...propertiesOf(query), ...described.query }
  return [
    ...Object.entries(inPath).map(parameter('path', [])),
    ...Object.entries(inQuery).map(parameter('query', requiredOf(query))),
    ...Object.entries(inHeaders).map(parameter('header', [])),
  ]
}

/** A parameter that may be repeated although only one value counts is described as that value. */
const asText = (schema: Schema): Schema => {
  if (!Array.isArray(schema.type) || !schema.type.includes('array')) return schema
  const { items: _, ...rest } = schema
  return { ...rest, type: 'string' }
}

function requestContent(route: Route, components: Components): Content | undefined {
  const { body, described = {} } = route
  const bodies = described.body ?? (body && { 'application/json': body })
  if (!bodies) return undefined
  const types = Object.entries(bodies)
  return Object.fromEntries(
    types.map(([type, schema], i) => {
      const name = `${pascalCase(operationId(route))}Body${i > 0 ? i + 1 : ''}`
      const sent = isOptionalBody(route) ? Type.Unsafe({ ...schema, type: 'object' }) : schema
      return [type, { schema: namedSchema(name, sent, 'request', components) }]
    }),
  )
}

const location = {
  Location: {
    description: 'The address to continue at',
    schema: { type: 'string', format: 'uri-reference' },
  },
}

function successOf(route: Route, components: Components): Response {
  const { summary, redirect, produces = 'text/html', described = {} } = route
  const data = route.data ?? described.data
  const name = `${pascalCase(operationId(route))}Data`
  const json_type = produces.endsWith('json') ? produces : 'application/json'
  const content = data
    ? {
        [json_type]: { schema: answerOf(route, name, data, components) },
        ...(route.produces && json_type !== produces && fileContent(produces, summary)),
      }
    : (redirect && !route.produces) || route.status === 204
      ? undefined
      : fileContent(produces, summary)
  return {
    description: summary,
    ...(redirect && { headers: location }),
    ...(content && { content }),
  }
}

const fileContent = (media_type: string, description: string): Content => ({
  [media_type]: { schema: fileSchema(media_type, description) },
})

/** The schema of a document or a file that is sent as it is. */
function fileSchema(media_type: string, description: string): Schema {
  const is_text = /^text\/|yaml$|xml$|ndjson$/.test(media_type)
  if (!is_text && media_type.endsWith('json'))
    return { type: 'object', additionalProperties: true, description }
  return { type: 'string', ...(!is_text && { format: 'binary' }) }
}

function answerOf(route: Route, name: string, data: TSchema, components: Components): Schema {
  const schema = namedSchema(name, data, 'answer', components)
  return describeSchema(answerSchema(route, Type.Unsafe(schema)), 'answer', components)
}

function furtherAnswers(route: Route, components: Components): Record<string, Response> {
  const answers = Object.entries(route.described?.answers ?? {})
  return Object.fromEntries(
    answers.map(([status, { description, data, page }]) => {
      const name = `${pascalCase(operationId(route))}Data${status}`
      const schema = data && answerOf(route, name, data, components)
      const is_redirect = status === '302' || status === '303'
      return [
        status,
        {
          description,
          ...(is_redirect && { headers: location }),
          ...((schema || page) && {
            content: {
              'application/json': { schema: schema ?? refTo('Failure') },
              ...(page && { 'text/html': { schema: { type: 'string' } } }),
            },
          }),
        },
      ]
    }),
  )
}

/** The errors grouped by status, each with its code and message. */
function refusals(route: Route, components: Components): Record<string, Response> {
  const { failure } = route.described ?? {}
  const schema = failure ? describeSchema(failure, 'answer', components) : refTo('Failure')
  const names = new Set<ErrorName>([
    ...declaredErrors(route),
    ...(route.limits?.length ? (['TOO_MANY_REQUESTS'] as const) : []),
  ])
  // Every route refuses an address with characters that stored text may not contain.
  names.add('MALFORMED')
  if (route.body) names.add('BODY_TOO_LARGE')
  if (route.body || route.described?.body?.['multipart/form-data'])
    names.add('UNSUPPORTED_MEDIA_TYPE')
  const byStatus = Map.groupBy(names, (name) => errors[name][1])
  return Object.fromEntries(
    [...byStatus].sort().map(([status, group]) => [
      status,
      {
        description: group.map((name) => `${errors[name][0]}: ${errors[name][2]}`).join('. '),
        content: { 'application/json': { schema } },
      },
    ]),
  )
}

function operationId({ method, url }: Route): string {
  const words = url
    .replace(/^\/api\/v1\/(public\/)?/, '')
    .split(/[^a-zA-Z0-9]+/)
    .filter(Boolean)
  return [method.toLowerCase(), ...words].join('_')
}

const pascalCase = (text: string) =>
  text
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')
