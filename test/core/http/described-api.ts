import { randomUUID } from 'node:crypto'
import type { Operation } from '../../../src/core/http/openapi-document.ts'
import type { Schema } from '../../../src/core/http/openapi-schemas.ts'
import type { Route } from '../../../src/core/http/route.ts'
import type { Core } from '../../../src/core/runtime/core.ts'
import { routes } from '../../../src/routes.ts'
import type { Answer, Client } from '../../support/app.ts'

export type Description = {
  openapi: string
  servers: { url: string }[]
  tags: { name: string }[]
  paths: Record<string, Record<string, Operation>>
  components: {
    schemas: Record<string, Schema>
    securitySchemes: Record<string, { type: string; name?: string; description: string }>
  }
}
export type Schemas = Record<string, Schema>
export type Described = { method: string; path: string; operation: Operation }

/** Reads a description of the API from the running service. */
export const apiDescriptionOf = async (
  { get }: Pick<Client, 'get'>,
  audience: 'public' | 'private',
): Promise<Description> => (await get(`/api/v1/${audience}/openapi.json`)).body

export const operationsOf = ({ paths }: Description): Described[] =>
  Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  )

const LINK = 'https://example.com/'
/** Values of text that has a form of its own. */
const samples: Record<string, unknown> = {
  email: 'person@example.com',
  code: '123456',
  language: 'en',
  password: 'correct horse battery',
  demo_url: 'https://example.com/demo',
  webhook_urls: ['https://example.com/hook'],
}

/** A value that a schema describes, with all of its properties. */
export function sampleOf(schema: Schema, schemas: Schemas): unknown {
  const { $ref, anyOf, properties, items, minimum, type, format } = schema
  if ($ref) return sampleOf(schemas[$ref.split('/').at(-1)!]!, schemas)
  if (schema.enum) return schema.enum[0]
  if (anyOf) return sampleOf(anyOf[0]!, schemas)
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(properties ?? {}).map(([name, inner]) => [
          name,
          samples[name] ?? sampleOf(inner, schemas),
        ]),
      )
    case 'array':
      return [schema.description === 'https links' ? LINK : sampleOf(items!, schemas)]
    case 'integer':
    case 'number':
      return Math.max(minimum ?? 0, 1)
    case 'boolean':
      return true
    case 'string':
      return format === 'uuid' ? randomUUID() : format === 'date-time' ? '2027-01-01' : 'sample'
    default:
      return null
  }
}

/** The route that an operation describes. */
export const routeOf = ({ method, path }: Described): Route =>
  routes.find(
    (route) => route.method === method && route.url.replaceAll(/:(\w+)/g, '{$1}') === path,
  )!

/** Uses up the first limit of a route for these keys, and returns what undoes it. */
export function exhaustLimit(
  { limiter }: Core,
  { method, url, limits = [] }: Route,
  keys: Record<string, string>,
): () => void {
  const [limit] = limits
  const bucket = `${limit!.by} ${limit!.bucket ?? `${method} ${url}`}`
  const key = limit!.by === 'overall' ? 'all' : keys[limit!.by]!
  try {
    for (let i = 0; i <= limit!.points; i++) limiter.take(bucket, key, limit!)
  } catch {
    // The limit is used up.
  }
  return () => {
    for (let i = 0; i <= limit!.points + 1; i++) limiter.give(bucket, key)
  }
}

/** What differs between an answer and the description of its status, if anything. */
export function answerProblem(
  { operation }: Described,
  status: number,
  answer: Answer,
): string | undefined {
  if (answer.status !== status)
    return `got ${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`
  const response = operation.responses[status]!
  const types = Object.keys(response.content ?? {})
  const type = (answer.headers['content-type'] ?? '').split(';')[0]!
  const is_described = types.some((name) => name === type || type.startsWith(name.replace('*', '')))
  if (types.length ? !is_described : type !== '') return `media type ${type}, not ${types}`
  const missing = Object.keys(response.headers ?? {}).filter(
    (name) => !answer.headers[name.toLowerCase()],
  )
  return missing.length ? `without ${missing}` : undefined
}
