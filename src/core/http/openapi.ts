import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { stringify } from 'yaml'
import packageFile from '../../../package.json' with { type: 'json' }
import { type ErrorName, errors } from '../runtime/errors.ts'
import { perIp } from '../security/limits.ts'
import { anyone, type Input, type Route, route } from './route.ts'

export const version = packageFile.version

const Failure = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    data: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  data: Type.Optional(
    Type.Object(
      {},
      {
        additionalProperties: true,
        description: 'Details that a program needs to act on the error',
      },
    ),
  ),
})

const envelope = (data: TSchema) => Type.Object({ success: Type.Literal(true), data })

/** The Fastify schema of a route: for validation and serialization, and its text for OpenAPI. */
export function describe(route: Route): FastifySchema {
  const success = route.data
    ? route.envelope === false
      ? route.data
      : envelope(route.data)
    : { content: { [route.produces ?? 'text/html']: { schema: {} } } }
  const { params, query, body, summary, description } = route
  return {
    hide: route.hidden || !isPublic(route),
    summary,
    ...(description && { description }),
    operationId: operationId(route),
    tags: [section(route.url)],
    security: route.auth.security,
    ...(params && { params }),
    ...(query && { querystring: query }),
    ...(body ? { body } : takesNoBody(route) && { body: NoBody }),
    response: {
      [route.status ?? 200]: { description: route.summary, ...success },
      ...refusals(route),
    },
  } as FastifySchema
}

/** A route without a body rejects one that is not empty, so that a mistake is reported. */
const NoBody = Type.Union([Type.Null(), Type.Object({}, { additionalProperties: false })])
const takesNoBody = ({ method, raw_body }: Route) => method !== 'GET' && !raw_body

const isPublic = ({ url }: Route) =>
  url.startsWith('/api/v1/public/') ||
  url.startsWith('/api/v1/extstore/') ||
  url === '/health' ||
  url === '/ready'

/** The errors grouped by status, each with its code and message. */
function refusals(route: Route): Record<string, unknown> {
  const names = new Set<ErrorName>([
    ...route.auth.errors,
    ...(route.errors ?? []),
    ...(route.limits?.length ? (['TOO_MANY_REQUESTS'] as const) : []),
  ])
  if (route.params || route.query || route.body) names.add('MALFORMED')
  const byStatus = Map.groupBy(names, (name) => errors[name][1])
  return Object.fromEntries(
    [...byStatus].sort().map(([status, group]) => [
      status,
      {
        description: group.map((name) => `${errors[name][0]}: ${errors[name][2]}`).join('. '),
        ...Failure,
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

const sections: { prefix: string; name: string; description: string }[] = [
  {
    prefix: '/api/v1/public/asset-library',
    name: 'Editor asset library',
    description: 'What game editors browse and install from. Answers have no envelope.',
  },
  {
    prefix: '/api/v1/public/asset-store',
    name: 'Editor asset library',
    description: 'What game editors browse and install from. Answers have no envelope.',
  },
  {
    prefix: '/api/v1/public/downloads',
    name: 'Signed-out downloads',
    description: 'Files of projects that allow downloads without an account.',
  },
  {
    prefix: '/api/v1/public/crashes',
    name: 'Ingest',
    description: 'Crash reports and events that games send.',
  },
  {
    prefix: '/api/v1/public/events',
    name: 'Ingest',
    description: 'Crash reports and events that games send.',
  },
  {
    prefix: '/api/v1/public/openapi',
    name: 'Operation',
    description: 'Health of the service, and this description.',
  },
  {
    prefix: '/api/v1/extstore/',
    name: 'External-store sign-in',
    description:
      'Players of a build sold on the external store sign in with its tickets; ' +
      'game servers verify their tokens.',
  },
  {
    prefix: '/api/v1/public/',
    name: 'Catalog',
    description: 'Listings, their pages, media and files.',
  },
]
const section = (url: string) =>
  sections.find(({ prefix }) => url.startsWith(prefix))?.name ?? 'Operation'

export const apiDescription = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Slipway public API',
      version,
      description:
        'Successful answers are `{success: true, data}`, errors are ' +
        '`{success: false, error: {code, message}}`. Routes with a raw answer have no envelope.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [
      ...new Map(sections.map(({ name, description }) => [name, { name, description }])).values(),
    ].sort((a, b) => a.name.localeCompare(b.name)),
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A website session, or a player key with the scope player:read',
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
      },
    },
  },
  hideUntagged: true,
} as FastifyDynamicSwaggerOptions

/** The API description with the address of this service. */
export const publicDescription = ({
  core,
  request,
}: Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'request'>) => ({
  ...request.server.swagger(),
  servers: [{ url: core.addresses.base_url }],
})

const limits = [perIp(120, { bucket: 'openapi' })]

export const openapiRoutes = [
  route({
    method: 'GET',
    url: '/api/v1/public/openapi.json',
    summary: 'This description, as JSON',
    auth: anyone,
    limits,
    cors: true,
    envelope: false,
    produces: 'application/json',
    handle: (input) =>
      input.reply
        .type('application/json; charset=utf-8')
        .send(JSON.stringify(publicDescription(input))),
  }),
  route({
    method: 'GET',
    url: '/api/v1/public/openapi.yaml',
    summary: 'This description, as YAML',
    auth: anyone,
    limits,
    cors: true,
    envelope: false,
    produces: 'application/yaml',
    handle: (input) =>
      input.reply.type('application/yaml; charset=utf-8').send(stringify(publicDescription(input))),
  }),
]
