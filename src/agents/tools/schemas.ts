import { Type } from 'typebox'
import { archAliases } from '../../builds/builds/fields.ts'
import { Nullable, OneOf } from '../../core/http/route.ts'
import { agentFields } from '../../listings/fields/fields.ts'
import { architectures, operatingSystems, osAliases } from '../../listings/fields/platforms.ts'
import { inputSchemas } from '../../listings/fields/schema.ts'
import { license, parent as parentSchema } from '../../listings/listing/input-schemas.ts'

const optional = Type.Optional

/** The paging of routes that take their query as text. */
export const pages = (max_page_size: number) => ({
  page: optional(Type.Integer({ minimum: 1 })),
  page_size: optional(Type.Integer({ minimum: 1, maximum: max_page_size })),
})

const withAliases = (
  values: readonly string[],
  aliases: Record<string, string>,
  description?: string,
) => {
  const meanings = values
    .map(
      (value) => [Object.keys(aliases).filter((name) => aliases[name] === value), value] as const,
    )
    .filter(([names]) => names.length > 0)
    .map(([names, value]) => `${names.join(', ')}: ${value}`)
  return OneOf([...values, ...Object.keys(aliases)], {
    description: [description, meanings.join('; ')].filter(Boolean).join('. '),
  })
}

/** Systems and architectures, with the other names that the API takes for them. */
export const os = optional(withAliases(operatingSystems, osAliases))
export const arch = optional(withAliases(architectures, archAliases))
export const compatibleArch = optional(
  withAliases(architectures, archAliases, 'Universal files match too'),
)

/**
 * Schemas of fields that a route leaves to a rule, so that the error code of the rule answers.
 * Agents get them in full, from the tables of those rules.
 */
const text = (maxLength: number, description?: string) =>
  Type.String({ maxLength, ...(description && { description }) })

export const taxonomy = inputSchemas(agentFields)
export const parent = optional(parentSchema)
export const required_license = Type.Required(Type.Object(license)).properties
export const newListing = inputSchemas([
  'name',
  'asset_type',
  'vanity_name',
  'tagline',
  'description',
  'visibility',
  'adult',
  'indexable',
])
export const listing = { ...newListing, ...inputSchemas(['demo_url', 'status', 'translations']) }

export const review = {
  enjoyed: optional(
    Type.Boolean({ description: 'Did they enjoy it? Required, unless the review is deleted' }),
  ),
  quality: optional(
    Type.Integer({
      minimum: 1,
      maximum: 5,
      description: 'From 1 (poor) to 5 (great); required, unless the review is deleted',
    }),
  ),
  would_play_with_friends: optional(
    Type.Unsafe({ ...Nullable(Type.Boolean()), description: 'null if it does not apply' }),
  ),
  text: optional(text(4000, 'What they think, in Markdown')),
}
