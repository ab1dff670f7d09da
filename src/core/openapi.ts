import type { FastifyDynamicSwaggerOptions } from '@fastify/swagger'
import type { FastifySchema } from 'fastify'
import { type TSchema, Type } from 'typebox'
import { stringify } from 'yaml'
import packageFile from '../../package.json' with { type: 'json' }
import { type ErrorName, errors } from './errors.ts'
import { perIp } from './limits.ts'
import { anyone, type Input, type Route, route } from './route.ts'

export const version = packageFile.version

const Failure = Type.Object({
  success: Type.Literal(false),
  error: Type.Object({
    code: Type.Integer(),
    message: Type.String(),
    data: Type.Optional(Type.Object({}, { additionalProperties: true })),
  }),
  data: Type.Optional(Type.Object({}, { additionalProperties: true, description: 'What a program needs to act on the refusal' })),
})

const envelope = (data: TSchema) => Type.Object({ success: Type.Literal(true), data })

/** A route as the framework takes it: schemas for the checks and the serialiser, words for the API description. */
export function describe(route: Route): FastifySchema {
  const success = route.data && (route.envelope === false ? route.data : envelope(route.data))
  return {
    hide: !isPublic(route),
    summary: route.summary,
    description: route.description,
    operationId: operationId(route),
    tags: [section(route.url)],
    security: route.auth.security.length ? route.auth.security : undefined,
    params: route.params,
    querystring: route.query,
    body: route.body,
    response: success ? { [route.status ?? 200]: { description: route.summary, ...success }, ...refusals(route) } : refusals(route),
  } as FastifySchema
}

const isPublic = ({ url }: Route) => url.startsWith('/api/v1/public/') || url === '/health' || url === '/ready'

/** Refusals grouped by status, each with its code and sentence. */
function refusals(route: Route): Record<string, unknown> {
  const names = new Set<ErrorName>([
    ...route.auth.errors,
    ...(route.errors ?? []),
    ...(route.limits?.length ? (['TOO_MANY_REQUESTS'] as const) : []),
  ])
  if (route.params || route.query || route.body) names.add('MALFORMED')
  const byStatus = Map.groupBy(names, (name) => errors[name][1])
  return Object.fromEntries(
    [...byStatus]
      .sort()
      .map(([status, group]) => [
        status,
        { description: group.map((name) => `${errors[name][0]}: ${errors[name][2]}`).join('. '), ...Failure },
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

const sections: [prefix: string, tag: string][] = [
  ['/api/v1/public/asset-library', 'Editor asset library'],
  ['/api/v1/public/downloads', 'Signed-out downloads'],
  ['/api/v1/public/crashes', 'Ingest'],
  ['/api/v1/public/events', 'Ingest'],
  ['/api/v1/public/openapi', 'Operation'],
  ['/api/v1/public/', 'Catalog'],
]
const section = (url: string) => sections.find(([prefix]) => url.startsWith(prefix))?.[1] ?? 'Operation'

export const apiDescription = {
  openapi: {
    openapi: '3.1.0',
    info: {
      title: 'Slipway public API',
      version,
      description:
        'Answers are `{success: true, data}`, refusals `{success: false, error: {code, message}}`. Routes that name raw answers have no envelope.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    tags: [...new Set([...sections.map(([, tag]) => tag), 'Operation'])].sort().map((name) => ({ name })),
    components: {
      securitySchemes: {
        bearer: { type: 'http', scheme: 'bearer', description: 'A website session, or a player key with the scope player:read' },
      },
    },
  },
  hideUntagged: true,
} as FastifyDynamicSwaggerOptions

/** The description as this address serves it. */
export const publicDescription = ({ core, request }: Pick<Input<unknown, unknown, unknown, unknown>, 'core' | 'request'>) => ({
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
    handle: (input) => input.reply.type('application/json; charset=utf-8').send(JSON.stringify(publicDescription(input))),
  }),
  route({
    method: 'GET',
    url: '/api/v1/public/openapi.yaml',
    summary: 'This description, as YAML',
    auth: anyone,
    limits,
    cors: true,
    envelope: false,
    handle: (input) => input.reply.type('application/yaml; charset=utf-8').send(stringify(publicDescription(input))),
  }),
]
