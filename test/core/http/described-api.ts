import { randomUUID } from 'node:crypto'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { ClientRequest, IncomingMessage } from 'node:http'
import type { TestContext } from 'node:test'
import type { Operation, Response } from '../../../src/core/http/openapi/document.ts'
import type { Schema } from '../../../src/core/http/openapi/schemas.ts'
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
const DAY = '2027-01-01'
/** Values of text that has a form of its own. */
const samples: Record<string, unknown> = {
  email: 'person@example.com',
  code: '123456',
  language: 'en',
  currency: 'USD',
  password: 'correct horse battery',
  demo_url: 'https://example.com/demo',
  webhook_urls: ['https://example.com/hook'],
  connect_origins: ['https://example.com'],
  urls: [LINK],
  contact_email: 'person@example.com',
  sha256: ['ab'.repeat(32)],
  yara: undefined,
}

/** The same name may be a text in one body and a list of such texts in another. */
function namedSample(name: string, { type, enum: allowed }: Schema): unknown {
  const sample = samples[name]
  if (allowed && !allowed.includes(sample as string)) return undefined
  return type === 'string' && Array.isArray(sample) ? sample[0] : sample
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
          namedSample(name, inner) ?? sampleOf(inner, schemas),
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
      if (format === 'date-time') return `${DAY}T00:00:00Z`
      return format === 'uuid' ? randomUUID() : format?.startsWith('date') ? DAY : 'sample'
    default:
      return null
  }
}

const routesByOperation = new Map(
  routes.map((route) => [`${route.method} ${route.url.replaceAll(/:(\w+)/g, '{$1}')}`, route]),
)

/** The route that an operation describes. */
export const routeOf = ({ method, path }: Described): Route =>
  routesByOperation.get(`${method} ${path}`)!

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
  const problem = mediaTypeProblem(response, mediaTypeOf(answer.headers['content-type']))
  if (problem) return problem
  const missing = Object.keys(response.headers ?? {}).filter(
    (name) => !answer.headers[name.toLowerCase()],
  )
  return missing.length ? `without ${missing}` : undefined
}

const mediaTypeOf = (header = '') => header.split(';')[0]!

function mediaTypeProblem({ content = {} }: Response, type: string): string | undefined {
  const types = Object.keys(content)
  const is_described = types.some(
    (name) => name === type || (name.endsWith('/*') && type.startsWith(name.slice(0, -1))),
  )
  const is_right = types.length ? is_described : type === ''
  return is_right ? undefined : `media type ${type}, not ${types}`
}

type RecordedAnswer = {
  method: string
  path: string
  status: number
  headers: Record<string, string>
}

/** Records every answer that requests of this process get from the service. */
export function recordAnswers(t: TestContext, { url }: { url: string }): RecordedAnswer[] {
  const answers: RecordedAnswer[] = []
  const { host } = new URL(url)
  const record = (request: SentRequest, status: number, lines: readonly string[]) => {
    const headers = lines.flatMap((name, i) => (i % 2 ? [] : [[name.toLowerCase(), lines[i + 1]!]]))
    answers.push({
      method: request.method,
      path: request.path.split('?', 1)[0]!,
      status,
      headers: Object.fromEntries(headers),
    })
  }
  const recordFetched = (message: unknown) => {
    const { request, response } = message as FetchedAnswer
    if (String(request.origin) === url)
      record(request, response.statusCode, response.headers.map(String))
  }
  const recordReceived = (message: unknown) => {
    const { request, response } = message as ReceivedAnswer
    if (request.getHeader('host') === host)
      record(request, response.statusCode!, response.rawHeaders)
  }
  subscribe(FETCHED, recordFetched)
  subscribe(RECEIVED, recordReceived)
  t.after(() => {
    unsubscribe(FETCHED, recordFetched)
    unsubscribe(RECEIVED, recordReceived)
  })
  return answers
}

type SentRequest = { method: string; path: string }
/** The channel on which `fetch` reports the head of an answer. */
const FETCHED = 'undici:request:headers'
type FetchedAnswer = {
  request: SentRequest & { origin: string | URL }
  response: { statusCode: number; headers: Buffer[] }
}
/** The channel on which `node:http` reports it. */
const RECEIVED = 'http.client.response.finish'
type ReceivedAnswer = { request: ClientRequest; response: IncomingMessage }

/** Finds the operation of an answer. */
function operationFinder(descriptions: readonly Description[]) {
  const operations = descriptions.flatMap(operationsOf).map((described) => ({
    ...described,
    pattern: patternOf(described.path),
  }))
  // Of two addresses that match, the router takes the one with fewer parameters.
  operations.sort((a, b) => a.path.split('{').length - b.path.split('{').length)
  return ({ method, path }: RecordedAnswer) =>
    operations.find((described) => described.method === method && described.pattern.test(path))
}

/** The media types that are documented of an answer with several, and that no answer had. */
export function missingMediaTypes(
  description: Description,
  answers: readonly RecordedAnswer[],
): string[] {
  const find = operationFinder([description])
  const nameOf = ({ operationId }: Described['operation'], status: number | string, type: string) =>
    `${operationId} ${status} ${type}`
  const produced = new Set(
    answers.flatMap((answer) => {
      const match = find(answer)
      const type = mediaTypeOf(answer.headers['content-type'])
      return match ? nameOf(match.operation, answer.status, type) : []
    }),
  )
  return operationsOf(description)
    .flatMap(({ operation }) =>
      Object.entries(operation.responses).flatMap(([status, { content = {} }]) => {
        const types = Object.keys(content)
        return types.length > 1 ? types.map((type) => nameOf(operation, status, type)) : []
      }),
    )
    .filter((name) => !produced.has(name))
}

/** The operations and answers among these that no description has, each once. */
export function undocumentedAnswers(
  descriptions: readonly Description[],
  answers: readonly RecordedAnswer[],
): string[] {
  const find = operationFinder(descriptions)
  const problems = answers.map((answer) => {
    const { status, headers } = answer
    const match = find(answer)
    const response = match?.operation.responses[status]
    if (!match) return undefined
    const problem = response
      ? mediaTypeProblem(response, mediaTypeOf(headers['content-type']))
      : 'is not documented'
    return problem && `${match.operation.operationId} ${status}: ${problem}`
  })
  return [...new Set(problems)].filter((problem) => problem !== undefined).sort()
}

const patternOf = (path: string) =>
  new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

/** Headers that browsers show to scripts of other websites. */
const READABLE_HEADERS =
  /^(cache-control|content-(language|length|type)|expires|last-modified|pragma)$/
/** Headers that are only for browsers, proxies and connections. */
const TRANSPORT_HEADERS =
  /^(access-control-.*|connection|content-security-policy|date|keep-alive|transfer-encoding|vary)$/
const PROXY_HEADERS = /^(x-accel-buffering|x-content-type-options)$/
const needsNoExposure = (name: string) =>
  [READABLE_HEADERS, TRANSPORT_HEADERS, PROXY_HEADERS].some((names) => names.test(name))

/** The headers that scripts of other websites get and cannot read, each with an address. */
export function unexposedHeaders(answers: readonly RecordedAnswer[]): string[] {
  const unexposed = answers.flatMap(({ path, headers }) => {
    if (!headers['access-control-allow-origin']) return []
    const exposed = (headers['access-control-expose-headers'] ?? '').toLowerCase().split(', ')
    return Object.keys(headers)
      .filter((name) => !needsNoExposure(name) && !exposed.includes(name))
      .map((name) => `${name} of ${path}`)
  })
  return [...new Set(unexposed)].sort()
}
