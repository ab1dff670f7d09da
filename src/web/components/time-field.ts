import { type FormBody, type FormState, fieldValue, textField } from './form.ts'

/** A field for a day and a time in UTC, which its label says. */
export const timeField = (state: FormState, field: Parameters<typeof textField>[1]) =>
  textField(state, { ...field, type: 'datetime-local' })

/** As the field takes it: 2026-06-05T14:30. */
export const timeValue = (at: Date): string => at.toISOString().slice(0, 16)

/** What was entered as a time of the API, or undefined. Other text is left to the API to refuse. */
export function readTime(body: FormBody, name: string): string | undefined {
  const text = fieldValue(body, name).trim()
  if (!text) return undefined
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text) ? `${text}:00Z` : `${text}Z`
}
