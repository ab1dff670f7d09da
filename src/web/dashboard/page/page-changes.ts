import { createHash } from 'node:crypto'
import { formFields, taxonomyFields } from '../../../listings/fields/fields.ts'
import { type FormBody, fieldValue } from '../../components/form.ts'
import type { Listing } from '../project-page.ts'
import { asSentValues, readListingForm } from './listing-form.ts'
import { isMod, readRelations, sentRelations, takesParent } from './relations.ts'

export const textFields = formFields('text')

/** What a browser sends for the page as it is saved. */
export const savedPage = (listing: Listing): NonNullable<FormBody> => ({
  ...asSentValues(listing, [...textFields, ...taxonomyFields]),
  ...sentRelations(listing),
})

type Part = 'text' | 'taxonomy' | 'mod_settings' | 'similar' | 'dependencies' | 'engine_compat'
/** A value that is saved as a whole, and the field of its part, if it is one of several. */
type Item = { part: Part; field?: string; value: unknown }

/** The values of a sent form, as the API takes them. */
function itemsOf(listing: Listing, sent: FormBody): Item[] {
  const fields = (part: Part, values: object): Item[] =>
    Object.entries(values).map(([field, value]) => ({ part, field, value }))
  const whole = (['similar', 'dependencies', 'engine_compat'] as const).map((part) => ({
    part,
    value: readRelations[part](sent),
  }))
  return [
    ...fields('text', readListingForm(sent, textFields)),
    ...(takesParent(listing) ? fields('text', { parent: readRelations.parent(sent) }) : []),
    ...fields('taxonomy', readListingForm(sent, taxonomyFields)),
    ...(isMod(listing)
      ? [{ part: 'mod_settings' as const, value: readRelations.mod_settings(sent) }]
      : []),
    ...whole,
  ]
}

const itemName = ({ part, field }: Item) => (field ? `${part}.${field}` : part)

/** Checkboxes are sent in the order of the page, whatever the order they are stored in. */
const isUnordered = ({ part, field }: Item) => part === 'taxonomy' && field !== 'tags'

function digest(item: Item): string {
  const { value } = item
  const is_set = isUnordered(item) && Array.isArray(value) && typeof value[0] === 'string'
  const text = JSON.stringify(is_set ? [...(value as string[])].sort() : (value ?? ''))
  return createHash('sha256').update(text).digest('base64url').slice(0, 8)
}

/** The field that carries how the page was when the form was opened. */
export const OPENED = 'opened'

/** How every value of the page is now, short enough to be part of the form. */
export const openedPage = (listing: Listing): string =>
  JSON.stringify(
    Object.fromEntries(
      itemsOf(listing, savedPage(listing)).map((item) => [itemName(item), digest(item)]),
    ),
  )

/**
 * The values that the form changes, by part. Values that it leaves as they were when it was opened
 * are left out, so that saving does not undo what another person saved meanwhile.
 */
export function pageChanges(listing: Listing, sent: FormBody): Partial<Record<Part, unknown>> {
  const opened = readOpened(fieldValue(sent, OPENED)) ?? readOpened(openedPage(listing))!
  const changes: Partial<Record<Part, unknown>> = {}
  for (const item of itemsOf(listing, sent)) {
    if (opened[itemName(item)] === digest(item)) continue
    const { part, field, value } = item
    changes[part] = field ? { ...(changes[part] as object), [field]: value } : value
  }
  return changes
}

function readOpened(text: string): Record<string, unknown> | undefined {
  try {
    const opened: unknown = JSON.parse(text)
    return opened && typeof opened === 'object' ? (opened as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
