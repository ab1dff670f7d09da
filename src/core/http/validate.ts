import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import stringifier from 'fast-json-stringify'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Refusal } from '../runtime/errors.ts'
import { isUuid } from '../security/crypto.ts'
import type { Route } from './route.ts'

const options = { useDefaults: true, strict: false, allErrors: false } as const
// Query values arrive as text, so numbers and booleans are converted; body values keep their type.
const textValidator = addFormats(new Ajv({ ...options, coerceTypes: true }))
const bodyValidator = addFormats(new Ajv({ ...options, coerceTypes: false }))

function addFormats(ajv: Ajv): Ajv {
  // The plugin is CommonJS: its types and its shape differ by the loader's interop.
  const plugin = formats as unknown as ((ajv: Ajv) => Ajv) & { default?: (ajv: Ajv) => Ajv }
  // The plugin's own format also accepts urn:uuid:, which the database does not.
  return (plugin.default ?? plugin)(ajv).addFormat('uuid', isUuid)
}

const partNames: Record<string, string> = {
  querystring: 'query',
  params: 'path',
  headers: 'header',
  body: 'body',
}

/**
 * Compiles a schema at its first use, because compiling all of them makes the start slow and large.
 * Ajv caches by schema object, for every server of a process.
 */
export const compileValidator: FastifySchemaCompiler<TSchema> = ({ schema, httpPart = 'body' }) => {
  const part = partNames[httpPart] ?? httpPart
  let compiled: ValidateFunction | undefined
  return (data: unknown) => {
    compiled ??= (httpPart === 'body' ? bodyValidator : textValidator).compile(schema)
    const check = compiled
    if (check(data ?? null)) return { value: data }
    if ((data ?? null) === null)
      return { error: new Refusal('MALFORMED', undefined, 'body: send a JSON body') }
    return { error: new Refusal('MALFORMED', undefined, explain(part, check.errors![0]!)) }
  }
}

/** Checks a value that is not a request of its own; returns what is wrong with it, if anything. */
export function checkValue(schema: object, value: unknown, name: string): string | undefined {
  const check = bodyValidator.compile(schema)
  return check(value) ? undefined : explain(name, check.errors![0]!)
}

/** One sentence that starts with the path of the field. */
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
      return `${field(params.missingProperty)}: this field is required`
    case 'additionalProperties':
      return `${field(shorten(params.additionalProperty))}: this field is not known`
    case 'enum':
      return `${field()}: must be one of ${listValues(params.allowedValues)}`
    default:
      return `${field()}: ${message ?? 'is not valid'}`
  }
}

const listValues = (values: unknown[]) =>
  values.map((value) => (value === '' ? '(empty)' : String(value))).join(', ')

const shorten = (name: string) => (name.length > 64 ? `${name.slice(0, 64)}…` : name)

type Serializer = (answer: unknown) => string
const serializers = new WeakMap<Route, Serializer>()

/**
 * The serializer of a route, made at its first answer and once for all servers of a process. Making
 * all of them took most of the start.
 */
export const serializer =
  (route: Route, schema: object): Serializer =>
  (answer) =>
    (serializers.get(route) ?? makeSerializer(route, schema))(answer)

function makeSerializer(route: Route, schema: object): Serializer {
  const serialize = stringifier(schema) as Serializer
  serializers.set(route, serialize)
  return serialize
}
