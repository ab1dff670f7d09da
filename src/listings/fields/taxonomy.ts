import { explain } from '../../core/runtime/reasons.ts'
import {
  type Taxonomy,
  type TaxonomyDefinition,
  type TaxonomyField,
  taxonomyFieldOf,
  taxonomyFields,
} from './fields.ts'
import { readRequirements } from './requirements.ts'
import { listingFields } from './table.ts'
import {
  boundedList,
  choice,
  excerptOf,
  type Field,
  flag,
  invalidField,
  list,
  plainText,
  quoteValue,
  record,
  slug,
  unknownField,
  wholeNumber,
} from './text.ts'

export type Players = Pick<Taxonomy, 'players_min' | 'players_max'>

/**
 * Validates any subset of the taxonomy: fields that are sent replace the stored ones, and fields
 * that are left out do not change. `current` has the stored numbers of players.
 */
export function checkTaxonomy(patch: Record<string, unknown>, current: Players): Partial<Taxonomy> {
  const next: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue
    const at: Field = { refusal: 'INVALID_TAXONOMY', field: name }
    if (!isTaxonomyField(name))
      invalidField(at, unknownField(`; the fields are ${taxonomyFields.join(', ')}`))
    next[name] = readValue(at, taxonomyFieldOf(name), value)
  }
  if ('players_min' in next || 'players_max' in next) checkPlayers({ ...current, ...next })
  return next
}

function readValue(at: Field, field: TaxonomyDefinition, value: unknown): unknown {
  switch (field.kind) {
    case 'choice':
      return value === null ? null : choice(at, value, Object.keys(field.values))
    case 'choices': {
      const values = Object.keys(field.values)
      const chosen = list(at, value).map((entry) => choice(at, entry, values))
      return atMost(at, field.max ?? values.length, chosen)
    }
    case 'tags':
      return readTags(at, field, value)
    case 'slugs': {
      const slugs = list(at, value).map((entry) => slug(at, entry))
      return atMost(at, field.max, slugs)
    }
    case 'flagged_codes':
      return readFlaggedCodes(at, field, value)
    case 'requirements':
      return readRequirements(at, value, field.max_length)
    case 'number':
      return value === null ? null : wholeNumber(at, value, field.min, field.max)
    case 'text':
      return plainText(at, value, field.max_length) || null
  }
}

/** The slug that a tag is stored as, or null if the text cannot become a tag. */
export function normalizeTag(text: string): string | null {
  const tag = text
    .trim()
    .toLowerCase()
    .replace(/[ _-]+/g, '-')
    .replace(/^-|-$/g, '')
  const { max_length } = listingFields.tags
  return tag.length <= max_length && /^[a-z0-9]+(-[a-z0-9]+)*$/.test(tag) ? tag : null
}

/** Normalized tags without repeats, in the order given. */
export function normalizeTags(at: Field, value: unknown): string[] {
  const { max_length } = listingFields.tags
  const allowed = `lowercase letters, digits and dashes, at most ${max_length} characters`
  const tags = list(at, value).map((entry) => {
    const tag = typeof entry === 'string' ? normalizeTag(entry) : null
    const message = `${quoteValue(entry)} cannot be a tag; use ${allowed}`
    const values = { value: excerptOf(entry), max: max_length }
    return tag ?? invalidField(at, explain('tag', message, values))
  })
  return [...new Set(tags)]
}

function readTags(
  at: Field,
  { min, max }: Extract<TaxonomyDefinition, { kind: 'tags' }>,
  value: unknown,
): string[] {
  const tags = normalizeTags(at, value)
  if (tags.length === 0 || (tags.length >= min && tags.length <= max)) return tags
  invalidField(
    at,
    explain(
      'tag_count',
      `send ${min} to ${max} different tags, or an empty list to clear them; ` +
        `this list has ${tags.length}`,
      { min, max, count: tags.length },
    ),
  )
}

type FlaggedCodesField = Extract<TaxonomyDefinition, { kind: 'flagged_codes' }>
type FlaggedCode = { code: string } & Record<string, unknown>

function readFlaggedCodes(at: Field, field: FlaggedCodesField, value: unknown): FlaggedCode[] {
  const entries = boundedList(at, value, field.max, `send at most ${field.max}`)
  const positions = new Map<string, number>()
  return entries.map((entry, index) => {
    const position = { ...at, field: `${at.field}[${index}]` }
    const flagged = readFlaggedCode(position, field, entry)
    const earlier = positions.get(flagged.code)
    if (earlier !== undefined)
      invalidField(
        { ...at, field: `${position.field}.code` },
        explain(
          'language_twice',
          `${flagged.code} is already ${at.field}[${earlier}]; send each code once`,
          { code: flagged.code },
        ),
      )
    positions.set(flagged.code, index)
    return flagged
  })
}

function readFlaggedCode(
  at: Field,
  { codes, flags }: FlaggedCodesField,
  value: unknown,
): FlaggedCode {
  const names = Object.keys(flags)
  const { code: text, ...sent } = record(at, value)
  const unknown = Object.keys(sent).find((name) => !names.includes(name))
  if (unknown !== undefined)
    invalidField(at, `there is no flag ${quoteValue(unknown)}; the flags are ${names.join(', ')}`)
  const code = typeof text === 'string' ? codes.normalize(text) : null
  if (code === null)
    invalidField(
      { ...at, field: `${at.field}.code` },
      explain(
        'language_code',
        `${quoteValue(text)} is not ${codes.description}, such as ${codes.example}`,
        { value: excerptOf(text) },
      ),
    )
  const values = names.map((name): [string, boolean] => [
    name,
    sent[name] === undefined ? false : flag({ ...at, field: `${at.field}.${name}` }, sent[name]),
  ])
  if (!values.some(([, is_set]) => is_set))
    invalidField(
      at,
      explain('set_flag', `set at least one of ${names.join(', ')}`, { names: names.join(', ') }),
    )
  return { code, ...Object.fromEntries(values) }
}

function checkPlayers({ players_min, players_max }: Players) {
  if (players_min === null || players_max === null || players_min <= players_max) return
  invalidField(
    { refusal: 'INVALID_TAXONOMY', field: 'players_min' },
    explain(
      'range_order',
      `${players_min} is above players_max, ${players_max}; change one of them`,
      { min: String(players_min), max: String(players_max) },
    ),
  )
}

function atMost<T>(at: Field, max: number, values: T[]): T[] {
  const unique = [...new Set(values)]
  return unique.length <= max
    ? unique
    : invalidField(
        at,
        explain('choose_at_most', `choose at most ${max}; this list has ${unique.length}`, {
          max,
          count: unique.length,
        }),
      )
}

const isTaxonomyField = (name: string): name is TaxonomyField =>
  taxonomyFields.some((field) => field === name)
