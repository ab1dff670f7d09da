import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import formats from 'ajv-formats'
import stringifier from 'fast-json-stringify'
import type { FastifySchemaCompiler } from 'fastify'
import type { TSchema } from 'typebox'
import { Refusal } from '../runtime/errors.ts'
import { type Explanation, explain, type Reason, type ReasonId } from '../runtime/reasons.ts'
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
    if ((data ?? null) === null) return { error: new Refusal('MALFORMED', undefined, NO_BODY) }
    return { error: new Refusal('MALFORMED', undefined, explainError(part, check.errors![0]!)) }
  }
}

/** Checks a value that is not a request of its own; returns what is wrong with it, if anything. */
export function checkValue(schema: object, value: unknown, name: string): Explanation | undefined {
  const check = bodyValidator.compile(schema)
  return check(value) ? undefined : explainError(name, check.errors![0]!)
}

const NO_BODY = explain('required', 'body: send a JSON body')

/** One sentence that starts with the path of the field. */
function explainError(part: string, error: ErrorObject): Explanation {
  const { instancePath, keyword, params, message } = error
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
      return explain('required', `${field(params.missingProperty)}: this field is required`)
    case 'additionalProperties':
      return explain(
        'unknown_field',
        `${field(shorten(params.additionalProperty))}: this field is not known`,
      )
    case 'enum':
      return explain(
        'not_in_list',
        `${field()}: must be one of ${listValues(params.allowedValues)}`,
        { allowed: listValues(params.allowedValues) },
      )
    default:
      return { message: `${field()}: ${message ?? 'is not valid'}`, reasons: [reasonOf(error)] }
  }
}

/** The keywords of schemas that set a limit. */
const limits: Record<string, ReasonId> = {
  minLength: 'min_length',
  maxLength: 'max_length',
  minItems: 'min_items',
  maxItems: 'max_items',
  minimum: 'min',
  maximum: 'max',
}
const types: Record<string, ReasonId> = {
  boolean: 'not_boolean',
  integer: 'not_number',
  number: 'not_number',
}
const formatReasons: Record<string, ReasonId> = {
  email: 'not_email',
  uuid: 'not_identifier',
  date: 'not_date',
  'date-time': 'not_date',
}
const otherKeywords: Record<string, ReasonId> = {
  pattern: 'bad_characters',
  uniqueItems: 'duplicates',
}

function reasonOf({ keyword, params }: ErrorObject): Reason {
  const id = limits[keyword]
  if (id === 'min_length' && params.limit === 1) return { id: 'required' satisfies ReasonId }
  if (id === 'min_items' && params.limit === 1) return { id: 'no_items' satisfies ReasonId }
  if (id) return { id, values: { count: params.limit } }
  if (keyword === 'const')
    return { id: 'not_in_list', values: { allowed: String(params.allowedValue) } }
  if (keyword === 'type') return { id: types[params.type] ?? ('wrong_type' satisfies ReasonId) }
  if (keyword === 'format')
    return { id: formatReasons[params.format] ?? ('bad_characters' satisfies ReasonId) }
  return { id: otherKeywords[keyword] ?? ('not_accepted' satisfies ReasonId) }
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
