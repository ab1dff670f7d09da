import { type FieldName, fieldNames, fieldOf } from './fields.ts'
import { levelNames, partNames, type SystemRequirements } from './requirements.ts'

/** The labels of all values of all fields; the same value has the same label in every field. */
export const fieldValueLabels: Readonly<Record<string, string>> = Object.assign(
  {},
  ...fieldNames.map(fieldOf).map((field) => ('values' in field ? field.values : {})),
)

/** The label of one value of a field. A value without a fixed list is its slug in sentence case. */
export function valueLabel(name: FieldName, value: string): string {
  const field = fieldOf(name)
  if (field.kind === 'flagged_codes') return field.codes.label(value)
  const labels = 'values' in field ? field.values : {}
  return Object.hasOwn(labels, value) ? labels[value]! : spellOut(value)
}

/** A value of a field, ready to show; `details` are the labels of the flags of a code. */
export type LabeledValue = { value: string; label: string; details: string }

/** All values that a listing has in a field: none, one or several. */
export function labeledValues(name: FieldName, stored: unknown): LabeledValue[] {
  const field = fieldOf(name)
  const entries = [stored ?? []].flat()
  if (field.kind === 'requirements') return (entries as SystemRequirements[]).map(labeledSystem)
  if (field.kind !== 'flagged_codes')
    return entries.map((entry) => ({
      value: String(entry),
      label: valueLabel(name, String(entry)),
      details: '',
    }))
  return (entries as ({ code: string } & Record<string, unknown>)[]).map(({ code, ...flags }) => ({
    value: code,
    label: field.codes.label(code),
    details: Object.keys(field.flags)
      .filter((flag) => flags[flag])
      .map((flag) => field.flags[flag]!.toLowerCase())
      .join(', '),
  }))
}

/** Names of systems that are not their own words. */
const systemLabels: Readonly<Record<string, string>> = { macos: 'macOS', ios: 'iOS' }

function labeledSystem({ os, ...levels }: SystemRequirements): LabeledValue {
  const texts = levelNames.map((level) => {
    const known = partNames.filter((part) => levels[level][part])
    const parts = known.map((part) => `${part} ${levels[level][part]}`)
    return parts.length ? `${level}: ${parts.join(', ')}` : ''
  })
  const details = texts.filter(Boolean).join('; ')
  return { value: os, label: systemLabels[os] ?? spellOut(os), details }
}

/** A slug as words in sentence case. */
export const spellOut = (slug: string): string => capitalize(slug.replace(/[-_]+/g, ' '))

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
