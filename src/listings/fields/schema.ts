import { type TOptional, type TSchema, type TUnsafe, Type } from 'typebox'
import { Nullable, nameSchemas, OneOf } from '../../core/http/route.ts'
import { type FieldName, type FieldValues, fieldOf } from './fields.ts'
import type { FieldDefinition } from './kinds.ts'
import { operatingSystems } from './platforms.ts'
import { partNames, type RequirementPart, requirementLevels } from './requirements.ts'

type Schemas<Name extends FieldName> = { [N in Name]: TUnsafe<FieldValues[N]> }
type InputSchemas<Name extends FieldName> = { [N in Name]: TOptional<TUnsafe<FieldValues[N]>> }

const schemasOf = (names: readonly FieldName[], schemaOf: (field: FieldDefinition) => TSchema) =>
  Object.fromEntries(names.map((name) => [name, schemaOf(fieldOf(name))]))

/** The schemas of these fields in API responses. */
export const answerSchemas = <Name extends FieldName>(names: readonly Name[]) =>
  schemasOf(names, answerSchema) as Schemas<Name>

/**
 * The schemas of these fields in requests, with their bounds, for agents to read. Routes do not
 * use these schemas, so that a value out of bounds gets the error code of its own check.
 */
export const inputSchemas = <Name extends FieldName>(names: readonly Name[]) =>
  schemasOf(names, (field) => Type.Optional(inputSchema(field))) as InputSchemas<Name>

function answerSchema(field: FieldDefinition): TSchema {
  switch (field.kind) {
    case 'choice': {
      const schema = OneOf(Object.keys(field.values))
      return field.required ? schema : Nullable(schema)
    }
    case 'choices':
      return Type.Array(OneOf(Object.keys(field.values)))
    case 'tags':
    case 'slugs':
      return Type.Array(Type.String())
    case 'flagged_codes':
      return Type.Array(Type.Object({ code: Type.String(), ...flagSchemas(field.flags) }))
    case 'requirements':
      return Type.Array(RequirementsData)
    case 'number':
      return Nullable(Type.Integer())
    case 'text':
      return isNullable(field) ? Nullable(Type.String()) : Type.String()
    case 'markdown':
    case 'url':
    case 'slug':
      return Type.String()
    case 'flag':
      return Type.Boolean()
    case 'translations':
      return Type.Record(
        Type.String(),
        Type.Object({ tagline: Type.String(), description: Type.String() }),
      )
  }
}

/** Whether an empty text is stored as null. */
const isNullable = ({ required, empty_value }: Extract<FieldDefinition, { kind: 'text' }>) =>
  !required && empty_value === undefined

/** What agents read about a field: its label, what to know, and what its values mean. */
export function explainField(field: FieldDefinition): string {
  const values = 'values' in field ? explainValues(field) : ''
  return [field.label, field.agent_help, values].filter(Boolean).join('. ')
}

/** The meanings of values that are not their own label. */
export function explainValues(field: {
  values: Readonly<Record<string, string>>
  value_help?: Readonly<Record<string, string>>
}): string {
  const words = (text: string) => text.toLowerCase().replace(/[ _-]+/g, ' ')
  return Object.entries(field.values)
    .map(([value, label]) => [value, field.value_help?.[value] ?? label] as const)
    .filter(([value, meaning]) => words(value) !== words(meaning))
    .map(([value, meaning]) => `${value}: ${meaning}`)
    .join('; ')
}

function inputSchema(field: FieldDefinition): TSchema {
  const described = { description: explainField(field) }
  switch (field.kind) {
    case 'choice':
      return Type.Unsafe({ ...answerSchema(field), ...described })
    case 'choices': {
      const values = Object.keys(field.values)
      const maxItems = field.max ?? values.length
      return Type.Array(OneOf(values), { maxItems, uniqueItems: true, ...described })
    }
    case 'tags': {
      const tag = Type.String({ maxLength: field.max_length })
      return Type.Array(tag, { maxItems: field.max, ...described })
    }
    case 'slugs':
      return Type.Array(Type.String(), { maxItems: field.max, ...described })
    case 'flagged_codes': {
      const code = Type.String({ description: field.codes.description })
      const entry = Type.Object({ code, ...flagInputs(field.flags) })
      return Type.Array(entry, { maxItems: field.max, ...described })
    }
    case 'requirements': {
      const level = (description: string) =>
        Type.Optional(
          Type.Unsafe<Partial<Record<RequirementPart, string>>>({
            type: 'object',
            propertyNames: { enum: partNames },
            additionalProperties: { type: 'string', maxLength: field.max_length },
            description,
          }),
        )
      const { minimum, recommended } = requirementLevels
      const system = Type.Object({
        os: OneOf(operatingSystems, { description: 'System' }),
        minimum: level(minimum),
        recommended: level(recommended),
      })
      return Type.Array(system, described)
    }
    case 'number':
      return Type.Unsafe({
        ...Nullable(Type.Integer({ minimum: field.min, maximum: field.max })),
        ...described,
      })
    case 'text': {
      const text = Type.String({ maxLength: field.max_length })
      return Type.Unsafe({ ...(isNullable(field) ? Nullable(text) : text), ...described })
    }
    case 'markdown':
    case 'url':
    case 'slug':
      return Type.String({ maxLength: field.max_length, ...described })
    case 'flag':
      return Type.Boolean(described)
    case 'translations': {
      const texts = Type.Partial(Type.Object(schemasOf(['tagline', 'description'], inputSchema)))
      return Type.Record(Type.String(), texts, { maxProperties: field.max, ...described })
    }
  }
}

const levelSchema = (part: TSchema) =>
  Type.Object(Object.fromEntries(partNames.map((name) => [name, part])))
const RequirementsLevelData = levelSchema(Type.String())
const RequirementsData = Type.Object({
  os: OneOf(operatingSystems),
  minimum: RequirementsLevelData,
  recommended: RequirementsLevelData,
})
nameSchemas({ SystemRequirements: RequirementsData, RequirementLevel: RequirementsLevelData })

const flagSchemas = (flags: Readonly<Record<string, string>>) =>
  Object.fromEntries(Object.keys(flags).map((flag) => [flag, Type.Boolean()]))

const flagInputs = (flags: Readonly<Record<string, string>>) =>
  Object.fromEntries(
    Object.entries(flags).map(([flag, description]) => [
      flag,
      Type.Optional(Type.Boolean({ description })),
    ]),
  )
