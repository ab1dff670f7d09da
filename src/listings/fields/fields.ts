import { languageCodes } from './languages.ts'
import { MAX_VANITY_NAME } from './slug.ts'
import { MAX_DESCRIPTION, MAX_NAME, MAX_TAGLINE, MAX_URL } from './text.ts'

export const MAX_PLAYERS = 64

/**
 * The one table of listing fields. The API schemas, the taxonomy checks, the SQL columns, the
 * search index and its parameters, the agent tools, the dashboard form, the filters and facts of
 * the store and the export are all derived from it. CONTRIBUTING.md explains how to add a field.
 */

/** Values in display order, each with its label. */
type Labels = Readonly<Record<string, string>>

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

/** In the order in which forms, filters and facts show them. */
export const listingFields = {
  asset_type: {
    kind: 'choice',
    required: true,
    label: 'Type',
    values: {
      game: 'Game',
      application: 'Application',
      tool: 'Tool',
      mod: 'Mod',
      plugin: 'Plugin',
      game_asset: 'Game asset',
      dev_asset: 'Developer asset',
    },
    help: 'Changing to a type without a parent removes the parent.',
    edited_by: 'listing',
    form: 'general',
    include: { parameter: 'asset_type', alias: 'type', description: 'Any of these listing types' },
    exclude: { parameter: 'exclude_types', description: 'None of these types' },
    facet: 'asset_type',
    filter_open: true,
  },
  vanity_name: {
    kind: 'slug',
    max_length: MAX_VANITY_NAME,
    label: 'Address',
    help: 'Changing it moves the page. Links to the old address lead to it for a year.',
    agent_help: 'The last part of the address of the page; old links lead to it for a year',
    edited_by: 'listing',
    form: 'general',
  },
  name: {
    kind: 'text',
    required: true,
    max_length: MAX_NAME,
    label: 'Name',
    edited_by: 'listing',
    form: 'text',
  },
  tagline: {
    kind: 'text',
    empty_value: '',
    max_length: MAX_TAGLINE,
    label: 'Tagline',
    help: 'One sentence for lists and link previews.',
    agent_help: 'One sentence for lists and link previews',
    edited_by: 'listing',
    form: 'text',
  },
  description: {
    kind: 'markdown',
    max_length: MAX_DESCRIPTION,
    label: 'Description',
    help: 'Markdown: headings, lists, links, emphasis.',
    agent_help: 'Markdown',
    edited_by: 'listing',
    form: 'text',
    exported: true,
  },
  status: {
    kind: 'choice',
    required: true,
    label: 'Release status',
    values: {
      released: 'Released',
      development: 'In development',
      prototype: 'Prototype',
    },
    edited_by: 'listing',
    form: 'text',
    include: { parameter: 'status' },
    facet: 'status',
  },
  demo_url: {
    kind: 'url',
    max_length: MAX_URL,
    label: 'Video',
    help: 'A link to a trailer.',
    agent_help: 'The https address of a trailer',
    edited_by: 'listing',
    form: 'text',
    in_results: true,
    exported: true,
  },
  visibility: {
    kind: 'choice',
    required: true,
    label: 'Visibility',
    values: {
      draft: 'Draft',
      owner: 'Owner only',
      invisible: 'Unlisted',
      public: 'Public',
    },
    value_help: {
      draft: 'You and your admins',
      owner: 'Only you can open the page; admins can edit it',
      invisible: 'Anyone with the link; not in search',
      public: 'Everyone; the listing check must pass',
    },
    edited_by: 'listing',
    form: 'visibility',
    in_results: true,
  },
  genres: {
    kind: 'choices',
    max: 3,
    label: 'Genres',
    values: {
      action: 'Action',
      adventure: 'Adventure',
      arcade: 'Arcade',
      card: 'Card',
      casual: 'Casual',
      fighting: 'Fighting',
      horror: 'Horror',
      idle: 'Idle',
      management: 'Management',
      platformer: 'Platformer',
      puzzle: 'Puzzle',
      racing: 'Racing',
      rhythm: 'Rhythm',
      roguelike: 'Roguelike',
      rpg: 'RPG',
      sandbox: 'Sandbox',
      shooter: 'Shooter',
      simulation: 'Simulation',
      sports: 'Sports',
      stealth: 'Stealth',
      strategy: 'Strategy',
      survival: 'Survival',
      'tower-defense': 'Tower defense',
      'visual-novel': 'Visual novel',
      educational: 'Educational',
      tool: 'Tool',
      utility: 'Utility',
      other: 'Other',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'genres', description: 'Any of these genres' },
    exclude: { parameter: 'exclude_genres', description: 'None of these genres' },
    facet: 'genres',
    in_results: true,
    exported: true,
    fact: true,
  },
  tags: {
    kind: 'tags',
    min: 3,
    max: 20,
    max_length: 32,
    label: 'Tags',
    help: 'One per line. Spaces become dashes.',
    agent_help: 'Lowercase words with dashes; 3 to 20, or none',
    edited_by: 'taxonomy',
    agents: true,
    include: {
      parameter: 'tags',
      description: 'Any of these tags, set by the developer or the community',
    },
    exclude: {
      parameter: 'exclude_tags',
      description: 'None of these tags, set by the developer or the community',
    },
    facet: 'tags',
    in_results: true,
    exported: true,
  },
  tone: {
    kind: 'choices',
    max: 3,
    label: 'Tone',
    values: {
      cozy: 'Cozy',
      dark: 'Dark',
      funny: 'Funny',
      relaxing: 'Relaxing',
      tense: 'Tense',
      wholesome: 'Wholesome',
      weird: 'Weird',
      serious: 'Serious',
      chaotic: 'Chaotic',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'tone', description: 'Any of these tones' },
    exclude: { parameter: 'exclude_tone', description: 'None of these tones' },
    facet: 'tone',
    filter_open: true,
    in_results: true,
    exported: true,
    fact: true,
  },
  session_bucket: {
    kind: 'choice',
    label: 'Session length',
    agent_help: 'How long one session of play takes',
    values: {
      '15m': 'About 15 minutes',
      '1h': 'About an hour',
      '3h': 'About 3 hours',
      endless: 'Endless',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'session_bucket', description: 'Any of these session lengths' },
    facet: 'session_bucket',
    filter_open: true,
    in_results: true,
    exported: true,
    fact: true,
    half_width: true,
  },
  net: {
    kind: 'choice',
    label: 'Multiplayer',
    values: {
      offline: 'Offline',
      local: 'Local multiplayer',
      online: 'Online multiplayer',
      local_online: 'Local and online multiplayer',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'net', description: 'Any of these multiplayer modes' },
    facet: 'net',
    in_results: true,
    exported: true,
    fact: true,
    half_width: true,
  },
  players_min: {
    kind: 'number',
    min: 1,
    max: MAX_PLAYERS,
    label: 'Minimum players',
    edited_by: 'taxonomy',
    agents: true,
    in_results: true,
    exported: true,
    half_width: true,
  },
  players_max: {
    kind: 'number',
    min: 1,
    max: MAX_PLAYERS,
    label: 'Maximum players',
    edited_by: 'taxonomy',
    agents: true,
    in_results: true,
    exported: true,
    half_width: true,
  },
  inputs: {
    kind: 'choices',
    label: 'Input devices',
    values: {
      keyboard_mouse: 'Keyboard and mouse',
      gamepad: 'Gamepad',
      touch: 'Touch',
      vr: 'VR',
      motion: 'Motion',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'inputs' },
    facet: 'inputs',
    in_results: true,
    exported: true,
    fact: true,
  },
  languages: {
    kind: 'flagged_codes',
    codes: languageCodes,
    flags: { interface: 'Interface', audio: 'Audio', subtitles: 'Subtitles' },
    max: 40,
    label: 'Languages',
    help: 'Language codes such as de or pt-BR, and where each language is available.',
    agent_help: 'BCP 47 codes, each with at least one flag',
    edited_by: 'taxonomy',
    agents: true,
    include: {
      parameter: 'languages',
      description: 'Available in any of these languages. A code also finds its variants',
    },
    facet: 'languages',
    in_results: true,
    exported: true,
    fact: true,
  },
  accessibility: {
    kind: 'choices',
    label: 'Accessibility',
    values: {
      subtitles: 'Subtitles',
      'remappable-controls': 'Remappable controls',
      'colorblind-safe': 'Colorblind safe',
      'screen-reader': 'Screen reader support',
      'one-handed': 'One-handed play',
      'no-flashing': 'No flashing',
      'adjustable-difficulty': 'Adjustable difficulty',
      'adjustable-text-size': 'Adjustable text size',
      'mono-audio': 'Mono audio',
      'pause-anytime': 'Pause anytime',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'accessibility', description: 'Any of these accessibility features' },
    facet: 'accessibility',
    in_results: true,
    exported: true,
    fact: true,
  },
  engines: {
    kind: 'slugs',
    max: 5,
    label: 'Engines',
    help: 'One short name per line, such as svc-engine.',
    agent_help: 'What it was made with, as slugs',
    edited_by: 'taxonomy',
    agents: true,
    include: {
      parameter: 'engine',
      description: 'Made with any of these engines, or declared to work with one',
    },
    in_results: true,
    exported: true,
    fact: true,
  },
  content_warnings: {
    kind: 'choices',
    label: 'Content warnings',
    values: {
      violence: 'Violence',
      gore: 'Gore',
      sexual: 'Sexual content',
      nudity: 'Nudity',
      language: 'Strong language',
      drugs: 'Drugs',
      gambling: 'Gambling',
      horror: 'Horror',
      flashing_lights: 'Flashing lights',
    },
    edited_by: 'taxonomy',
    agents: true,
    exclude: { parameter: 'exclude_warnings', description: 'None of these content warnings' },
    facet: 'content_warnings',
    in_results: true,
    exported: true,
  },
  authorship: {
    kind: 'choice',
    label: 'Authorship',
    help: 'Shown as a label. It does not affect search results.',
    values: {
      human: 'Made by people',
      human_agent: 'People with AI agents',
      agent_heavy: 'Mostly AI agents',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'authorship', description: 'Any of these kinds of authorship' },
    facet: 'authorship',
    in_results: true,
    exported: true,
  },
  authorship_credit: {
    kind: 'text',
    max_length: 120,
    label: 'Authorship note',
    edited_by: 'taxonomy',
    agents: true,
    in_results: true,
    exported: true,
  },
  ai_uses: {
    kind: 'choices',
    label: 'Generative AI',
    agent_help: 'What generative AI was used for',
    values: {
      art: 'Art',
      audio: 'Audio',
      code: 'Code',
      text: 'Text',
      voice: 'Voice',
      runtime: 'Generated while playing',
    },
    edited_by: 'taxonomy',
    agents: true,
    include: { parameter: 'ai_uses', description: 'Discloses generative AI for any of these uses' },
    exclude: {
      parameter: 'exclude_ai_uses',
      description: 'Discloses generative AI for none of these uses',
    },
    facet: 'ai_uses',
    in_results: true,
    exported: true,
  },
  license_kind: {
    kind: 'choice',
    label: 'License',
    values: {
      cc0: 'CC0',
      'cc-by': 'CC BY',
      'cc-by-sa': 'CC BY-SA',
      paid: 'Paid',
      'source-available': 'Source available',
      proprietary: 'Proprietary',
    },
    edited_by: 'listing',
    form: 'general',
    include: { parameter: 'license', description: 'Any of these kinds of license' },
    facet: 'license',
    in_results: true,
    exported: true,
    fact: true,
  },
  adult: {
    kind: 'flag',
    label: 'Adults only',
    agent_help: 'Sexual content or nudity',
    help:
      'Sexual content or nudity. The listing is left off shelves and shown in search only to ' +
      'people who turned adult content on.',
    edited_by: 'listing',
    form: 'general',
  },
  indexable: {
    kind: 'flag',
    label: 'Allow search engines to index the page',
    edited_by: 'listing',
    form: 'general',
    in_results: true,
  },
} as const satisfies Record<string, FieldDefinition>

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
          : F extends { kind: 'number' }
            ? number | null
            : F extends { kind: 'flag' }
              ? boolean
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
export const aiUses = valuesOf('ai_uses')
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
