import type { TSchema } from 'typebox'
import { describeProperty } from './properties.ts'

/** JSON Schema as it stands in the API description. */
export type Schema = {
  $ref?: string
  title?: string
  type?: string | string[]
  properties?: Record<string, Schema>
  required?: string[]
  items?: Schema
  enum?: unknown[]
  const?: unknown
  anyOf?: Schema[]
  description?: string
  default?: unknown
  format?: string
  minimum?: number
  maximum?: number
  maxLength?: number
  additionalProperties?: boolean | Schema
  patternProperties?: Record<string, Schema>
  /** What a rule accepts where the schema leaves the check to it. */
  described?: Schema
}

/** Which side fills in defaults: a client may leave out what the server fills in. */
export type Direction = 'request' | 'answer'

/** Schemas that the description refers to by name. */
export type Components = Map<string, Schema>

/** The schema as JSON, with every schema that has a title moved to the components. */
export function describeSchema(
  schema: TSchema,
  direction: Direction,
  components: Components,
): Schema {
  return describePart(JSON.parse(JSON.stringify(schema)), direction, components)
}

/** A component of this name, unless the schema has a title of its own or is not an object. */
export function namedSchema(
  name: string,
  schema: TSchema,
  direction: Direction,
  components: Components,
): Schema {
  const described = describeSchema(schema, direction, components)
  return described.properties ? addComponent(name, described, components) : described
}

export const refTo = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` })

function addComponent(name: string, schema: Schema, components: Components): Schema {
  const existing = components.get(name)
  if (existing && JSON.stringify(existing) !== JSON.stringify(schema))
    throw new Error(`Two different schemas of the API have the name ${name}`)
  components.set(name, schema)
  return refTo(name)
}

function describePart(
  { title, ...schema }: Schema,
  direction: Direction,
  components: Components,
): Schema {
  if (schema.described) return describePart(schema.described, direction, components)
  const part = (inner: Schema) => describePart(inner, direction, components)
  const described = withConventionalKeywords(schema)
  const { properties, items, anyOf, additionalProperties } = described
  if (properties)
    described.properties = Object.fromEntries(
      Object.entries(properties).map(([name, property]) => [name, explain(name, part(property))]),
    )
  if (properties && !Object.keys(properties).length) described.additionalProperties ??= false
  if (items) described.items = part(items)
  if (anyOf) described.anyOf = anyOf.map(part)
  if (typeof additionalProperties === 'object')
    described.additionalProperties = part(additionalProperties)
  const required = requiredNames(schema, direction)
  if (required.length) described.required = required
  else delete described.required
  return title ? addComponent(title, described, components) : described
}

/** The schema of a property with its meaning. A reference is described where it leads. */
function explain(name: string, schema: Schema): Schema {
  if (schema.description || schema.$ref) return schema
  const description = describeProperty(name, schema)
  return description ? { ...schema, description } : schema
}

/** Fields that have a default are not required in a request. */
function requiredNames({ required = [], properties = {} }: Schema, direction: Direction): string[] {
  if (direction === 'answer') return required
  return required.filter((name) => properties[name]?.default === undefined)
}

/** Generators of clients know a map by `additionalProperties` and a fixed value by `enum`. */
function withConventionalKeywords(schema: Schema): Schema {
  const { patternProperties, const: value, ...rest } = schema
  if (patternProperties) {
    const [values = {}] = Object.values(patternProperties)
    return { ...rest, additionalProperties: values }
  }
  return value === undefined ? rest : { ...rest, enum: [value] }
}
