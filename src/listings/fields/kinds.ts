/** What the entries of the table of listing fields consist of. */

/** Values in display order, each with its label. */
export type Labels = Readonly<Record<string, string>>

/** A query parameter of the search; without a description it is not offered over HTTP. */
export type FilterParameter = { parameter: string; alias?: string; description?: string }
/** A parameter with the values of its field, if the field has a fixed list of them. */
export type ListedParameter = FilterParameter & { values?: string[] }

/** Codes that have rules instead of a fixed list of values. */
export type CodeSystem = {
  /** The spelling that is stored, or null for text that is not a code. */
  normalize: (text: string) => string | null
  /** The code and all broader codes. A search for any of them finds the code. */
  withBroader: (code: string) => string[]
  label: (code: string) => string
  /** How an error message and the form describe a code. */
  description: string
  example: string
}

type Kind =
  /** One of a list; null unless `required`. The form shows the help of a value beside it. */
  | { kind: 'choice'; values: Labels; value_help?: Labels; required?: true }
  /** Several of a list, each once. */
  | { kind: 'choices'; values: Labels; max?: number }
  /** Lowercase words with dashes, at least `min` of them or none. */
  | { kind: 'tags'; min: number; max: number; max_length: number }
  /** Short names that have no fixed list. */
  | { kind: 'slugs'; max: number }
  /** Codes of a standard, each once and with at least one flag set. */
  | { kind: 'flagged_codes'; codes: CodeSystem; flags: Labels; max: number }
  /** What each operating system needs, in texts of at most this length. */
  | { kind: 'requirements'; max_length: number }
  | { kind: 'number'; min: number; max: number }
  /** One line of plain text; null when it is empty, unless the column has another value. */
  | { kind: 'text'; max_length: number; required?: true; empty_value?: '' }

/** Kinds of fields that only the listing itself has; the taxonomy has none of them. */
type ListingKind =
  | { kind: 'markdown'; max_length: number }
  /** The address of a public page, or an empty text. */
  | { kind: 'url'; max_length: number }
  /** Lowercase words with dashes, as a part of an address. */
  | { kind: 'slug'; max_length: number }
  | { kind: 'flag' }
  /** The texts of the listing in other languages, by their code. */
  | { kind: 'translations'; max: number }

/** The forms of the dashboard that change fields of the listing itself. */
export type ListingForm = 'text' | 'general' | 'visibility'

type EditedBy =
  /** PUT …/taxonomy */
  | (Kind & { edited_by: 'taxonomy' })
  /** PATCH of the listing itself */
  | ((Kind | ListingKind) & { edited_by: 'listing'; form: ListingForm })

export type FieldDefinition = EditedBy & {
  /** A noun, in sentence case. */
  label: string
  /** Shown below the control of the dashboard form. */
  help?: string
  /** Added to the schema that agents read. */
  agent_help?: string
  /** Whether agents may edit it through the taxonomy tool. */
  agents?: true
  /** Parameters of the search that include or exclude listings by their values. */
  include?: FilterParameter
  exclude?: FilterParameter
  /** The name of the facet that counts its values in search responses. */
  facet?: string
  /** Whether the group of the filter rail starts open. */
  filter_open?: true
  /** Whether it is part of each item of a search response. */
  in_results?: true
  /** Whether it is part of each line of the catalog export. */
  exported?: true
  /** Whether the facts panel of the listing page shows it. */
  fact?: true
  /** Whether the dashboard form puts it beside the next field of half width. */
  half_width?: true
}
