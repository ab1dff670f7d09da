import { tableText } from '../../core/text/table-text.ts'
import { joinTexts, type LocalText, type Text } from '../../core/text/text.ts'
import { type FieldName, fieldOf } from '../../listings/fields/fields.ts'
import { valueLabel } from '../../listings/fields/labels.ts'
import {
  type RequirementLevel,
  type RequirementPart,
  requirementLevels,
  requirementParts,
} from '../../listings/fields/requirements.ts'
import { languageName, valueLabels } from './format.ts'

/** The labels of the table of listing fields, in the language of the reader. */

export const fieldLabel = (name: FieldName): LocalText =>
  tableText('field', name, fieldOf(name).label)

/** A title for a filter that only excludes. */
export const exclusionLabel = (name: FieldName): LocalText =>
  tableText('field', `exclude_${name}`, `Exclude ${fieldOf(name).label.toLowerCase()}`)

/** The label of a value of a field. A value without a fixed list is shown as its own words. */
export function fieldValueText(name: FieldName, value: string): Text {
  if (fieldOf(name).kind === 'flagged_codes') return languageName(value)
  const english = valueLabel(name, value)
  return Object.hasOwn(valueLabels, value) ? tableText('value', value, english) : english
}

/** A flag of a code, such as the subtitles of a language, as a part of a sentence. */
export const flagText = (flag: string, english: string): LocalText =>
  tableText('value', `flag_${flag}`, english.toLowerCase())

/** Labels of the table of system requirements. */
export const levelLabel = (level: RequirementLevel): LocalText =>
  tableText('value', `level_${level}`, requirementLevels[level])
export const partLabel = (part: RequirementPart): LocalText =>
  tableText('value', `part_${part}`, requirementParts[part])

/** A value that a listing has in a field; `details` are the flags of a code. */
export type FieldText = { value: string; label: Text; details: Text }

export function fieldTexts(name: FieldName, stored: unknown): FieldText[] {
  const field = fieldOf(name)
  const entries = [stored ?? []].flat()
  if (field.kind !== 'flagged_codes')
    return entries.map((entry) => ({
      value: String(entry),
      label: fieldValueText(name, String(entry)),
      details: '',
    }))
  return (entries as ({ code: string } & Record<string, unknown>)[]).map(({ code, ...flags }) => {
    const set = Object.entries(field.flags).filter(([flag]) => flags[flag])
    const texts = set.map(([flag, label]) => flagText(flag, label))
    return {
      value: code,
      label: fieldValueText(name, code),
      details: texts.length ? joinTexts(texts, ', ') : '',
    }
  })
}
