import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import stringifier from 'fast-json-stringify'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Refusal } from '../runtime/errors.ts'
import { isUuid } from '../security/crypto.ts'
import type { Route } from './route.ts'

const options = { useDefaults: true, strict: false, allErrors: false } as const
// In a query everything arrives as text, so numbers and booleans are read from it; in a body a type is what it says.
const inText = addFormats(new Ajv({ ...options, coerceTypes: true }))
const inBody = addFormats(new Ajv({ ...options, coerceTypes: false }))

function addFormats(ajv: Ajv): Ajv {
  // The plugin is CommonJS: its types and its shape differ by the loader's interop.
  const plugin = formats as unknown as ((ajv: Ajv) => Ajv) & { default?: (ajv: Ajv) => Ajv }
  // The plugin's own takes urn:uuid: as well, which the database does not.
  return (plugin.default ?? plugin)(ajv).addFormat('uuid', isUuid)
}

const partNames: Record<string, string> = {
  querystring: 'query',
  params: 'path',
  headers: 'header',
  body: 'body',
}

/** Compiled for the first request: a start that does all of them is slow and large. Ajv keeps them by the schema object, for every server of a process. */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const part = partNames[httpPart] ?? httpPart
  let compiled: ValidateFunction | undefined
  return (data: unknown) => {
    compiled ??= (httpPart === 'body' ? inBody : inText).compile(schema)
    const check = compiled
    if (check(data ?? null)) return { value: data }
    if ((data ?? null) === null)
      return { error: new Refusal('MALFORMED', undefined, 'body: a JSON body is needed') }
    return { error: new Refusal('MALFORMED', undefined, explain(part, check.errors![0]!)) }
  }
}

/** What is wrong with a value that did not come as a request of its own, in one sentence. */
export function checkValue(schema: object, value: unknown, name: string): string | undefined {
  const check = inBody.compile(schema)
  return check(value) ? undefined : explain(name, check.errors![0]!)
}

/** One sentence that starts with the field, as a person would look for it. */
function explain(part: string, { instancePath, keyword, params, message }: ErrorObject): string {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  const field = (...more: string[]) =>
    [...path, ...more].reduce(
      (name, key) => (/^\d+$/.test(key) ? `${name}[${key}]` : `${name}.${key}`),
      part,
    )
  switch (keyword) {
    case 'required':
      return `${field(params.missingProperty)}: this field is needed`
    case 'additionalProperties':
      return `${field(shorten(params.additionalProperty))}: there is no such field`
    case 'enum':
      return `${field()}: must be one of ${(params.allowedValues as unknown[]).map((value) => (value === '' ? '(empty)' : String(value))).join(', ')}`
    default:
      return `${field()}: ${message ?? 'is not valid'}`
  }
}

const shorten = (name: string) => (name.length > 64 ? `${name.slice(0, 64)}…` : name)

type Serializer = (answer: unknown) => string
const serializers = new WeakMap<Route, Serializer>()

/** Made at a route's first answer, and once for all servers of a process: making all of them was most of a start. */
export const serializer =
  (route: Route, schema: object): Serializer =>
  (answer) =>
    (serializers.get(route) ?? makeSerializer(route, schema))(answer)

function makeSerializer(route: Route, schema: object): Serializer {
  const made = stringifier(schema) as Serializer
  serializers.set(route, made)
  return made
}
