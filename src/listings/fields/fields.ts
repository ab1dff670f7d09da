/** Types, lists and lookups that are derived from the table of listing fields. */
import type { FieldDefinition, Labels, ListedParameter, ListingForm } from './kinds.ts'
import type { SystemRequirements } from './requirements.ts'
import { listingFields } from './table.ts'
import type { Translations } from './translations.ts'

type Fields = typeof listingFields
export type FieldName = keyof Fields

/** The type of the value that a listing stores for a field of this definition. */
type ValueOf<F> = F extends { kind: 'choice'; required: true; values: infer V }
  ? keyof V
  : F extends { kind: 'choice'; values: infer V }
    ? keyof V | null
    : F extends { kind: 'choices'; values: infer V }
      ? (keyof V)[]
      : F extends { kind: 'tags' | 'slugs' }
        ? string[]
        : F extends { kind: 'flagged_codes'; flags: infer Flags }
          ? ({ code: string } & { -readonly [Flag in keyof Flags]: boolean })[]
          : F extends { kind: 'requirements' }
            ? SystemRequirements[]
            : F extends { kind: 'number' }
              ? number | null
              : F extends { kind: 'flag' }
                ? boolean
                : F extends { kind: 'translations' }
                  ? Translations
                  : F extends { kind: 'text'; required: true } | { kind: 'text'; empty_value: '' }
                    ? string
                    : F extends { kind: 'text' }
                      ? string | null
                      : string
export type FieldValues = { -readonly [Name in FieldName]: ValueOf<Fields[Name]> }

/** The names of the fields whose definition has all of these properties. */
export type FieldsWith<Shape> = {
  [Name in FieldName]: Fields[Name] extends Shape ? Name : never
}[FieldName]
/** The names of the facets of these fields. */
export type FacetOf<Name extends FieldName> = Fields[Name] extends { facet: infer Facet }
  ? Facet
  : never
/** The names of the parameters that filter by listing fields. */
export type FilterName = {
  [Name in FieldName]:
    | (Fields[Name] extends { include: { parameter: infer Parameter } } ? Parameter : never)
    | (Fields[Name] extends { exclude: { parameter: infer Parameter } } ? Parameter : never)
}[FieldName]
export type ResultField = FieldsWith<{ in_results: true }>
export type FactField = FieldsWith<{ fact: true }>
export type ExportedField = FieldsWith<{ exported: true }>
/** The fields with a fixed list of values that the search counts and filters by. */
export type IndexedField = FieldsWith<{ values: Labels; facet: string }>
/** The fields with codes that the search counts and filters by. */
export type CodedField = FieldsWith<{ kind: 'flagged_codes'; facet: string }>
/** The fields that PUT …/taxonomy replaces. */
export type TaxonomyField = FieldsWith<{ edited_by: 'taxonomy' }>
export type Taxonomy = Pick<FieldValues, TaxonomyField>
export type TaxonomyDefinition = Extract<FieldDefinition, { edited_by: 'taxonomy' }>
/** The fields that a form of the dashboard changes with PATCH of the listing. */
export type FormField<Form extends ListingForm> = FieldsWith<{ form: Form }>

export const fieldNames = Object.keys(listingFields) as FieldName[]
export const fieldOf = (name: FieldName): FieldDefinition => listingFields[name]
export const taxonomyFieldOf = (name: TaxonomyField): TaxonomyDefinition => listingFields[name]

const namesWhere = <Name extends FieldName>(accepts: (field: FieldDefinition) => unknown) =>
  fieldNames.filter((name) => accepts(fieldOf(name))) as Name[]
export const taxonomyFields = namesWhere<TaxonomyField>(({ edited_by }) => edited_by === 'taxonomy')
/** The fields that PATCH of the listing changes. */
export const patchFields = namesWhere<FieldsWith<{ edited_by: 'listing' }>>(
  ({ edited_by }) => edited_by === 'listing',
)
export const formFields = <Form extends ListingForm>(form: Form) =>
  namesWhere<FormField<Form>>((field) => field.edited_by === 'listing' && field.form === form)
export const resultFields = namesWhere<ResultField>(({ in_results }) => in_results)
export const exportedFields = namesWhere<ExportedField>(({ exported }) => exported)
export const agentFields = namesWhere<FieldsWith<{ agents: true }>>(({ agents }) => agents)
export const factFields = namesWhere<FactField>(({ fact }) => fact)

export const indexedFields = namesWhere<IndexedField>((field) => 'values' in field && field.facet)
export const codedFields = namesWhere<CodedField>(
  ({ kind, facet }) => kind === 'flagged_codes' && facet,
)
/** Every parameter that filters by a listing field. */
export const filterParameters: readonly ListedParameter[] = fieldNames.flatMap((name) => {
  const { include, exclude, ...field } = fieldOf(name)
  const values = 'values' in field ? { values: Object.keys(field.values) } : {}
  return [include, exclude].flatMap((parameter) => (parameter ? [{ ...parameter, ...values }] : []))
})

type WithValues = FieldsWith<{ values: Labels }>
export const valuesOf = <Name extends WithValues>(name: Name) =>
  Object.keys(listingFields[name].values) as (keyof Fields[Name]['values'] & string)[]

export const assetTypes = valuesOf('asset_type')
export const visibilities = valuesOf('visibility')
export const statuses = valuesOf('status')
export const genres = valuesOf('genres')
export const tones = valuesOf('tone')
export const sessionBuckets = valuesOf('session_bucket')
export const nets = valuesOf('net')
export const inputs = valuesOf('inputs')
export const contentWarnings = valuesOf('content_warnings')
export const authorships = valuesOf('authorship')
export const licenseKinds = valuesOf('license_kind')

export type AssetType = FieldValues['asset_type']
export type Visibility = FieldValues['visibility']
export type Status = FieldValues['status']
export type Genre = FieldValues['genres'][number]
export type Tone = FieldValues['tone'][number]
export type Input = FieldValues['inputs'][number]
export type ContentWarning = FieldValues['content_warnings'][number]
export type SessionBucket = NonNullable<FieldValues['session_bucket']>
export type Net = NonNullable<FieldValues['net']>
export type Authorship = NonNullable<FieldValues['authorship']>
export type LicenseKind = NonNullable<FieldValues['license_kind']>
