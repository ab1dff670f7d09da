import { createHash } from 'node:crypto'
import { type Explanation, explain } from '../../core/runtime/reasons.ts'
import { type Field, fields, type Group, groupOf } from './fields.ts'
import type { Candidates } from './mapping.ts'

/** The outcome of a field. `value` is the store's; `old` is the listing's, absent for a new one. */
export type PlanEntry = {
  field: Field
  group: Group
  value?: unknown
  old?: unknown
  reason?: Explanation
}
export type Plan = { imported: PlanEntry[]; skipped: PlanEntry[]; kept: PlanEntry[] }

export type ImportOptions = { groups: readonly Group[]; overwrite: boolean }
/** The values of a listing before the import. */
export type CurrentValues = {
  is_new: boolean
  /** As the report shows them. */
  values: Record<Field, unknown>
  /** What is compared instead of the value, such as the hash of an image. */
  compared: Partial<Record<Field, unknown>>
  /** Fingerprints of the values that the last import wrote; undefined if there was none. */
  fingerprints: Fingerprints | undefined
}
export type Fingerprints = Partial<Record<Field, string>>

/** A new listing needs these, whatever groups were selected. */
const required: readonly Field[] = ['name', 'description']

/** A short hash of a value, to notice later whether it was edited. */
export const fingerprint = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 22)

type Comparable = Pick<CurrentValues, 'values' | 'compared'>

const comparedValue = ({ compared, values }: Comparable, field: Field) =>
  field in compared ? compared[field] : values[field]

/** Preview and import use the same plan, so the preview shows exactly what the import does. */
export function planImport(
  candidates: Candidates,
  current: CurrentValues,
  { groups, overwrite }: ImportOptions,
): Plan {
  const plan: Plan = { imported: [], skipped: [], kept: [] }
  for (const field of fields) {
    const group = groupOf[field]
    const candidate = candidates[field]
    const old = current.is_new ? {} : { old: current.values[field] ?? null }
    const is_selected = groups.includes(group) || (current.is_new && required.includes(field))
    if (!is_selected) plan.skipped.push({ field, group, reason: notSelected(group) })
    else if ('skip' in candidate) plan.skipped.push({ field, group, reason: candidate.skip })
    else if (
      !overwrite &&
      isEdited(current, field) &&
      fingerprint(candidate.compared ?? candidate.value) !==
        fingerprint(comparedValue(current, field))
    )
      plan.kept.push({ field, group, value: candidate.value, ...old, reason: EDITED })
    else
      plan.imported.push({
        field,
        group,
        value: candidate.value,
        ...old,
        ...(candidate.note ? { reason: candidate.note } : {}),
      })
  }
  return plan
}

const notSelected = (group: Group) =>
  explain('import_not_selected', `The group ${group} is not selected`, { group })
const EDITED = explain(
  'import_edited',
  'Edited since the last import. Send overwrite: true to replace it with the value of the store.',
)

/** Both are replaced or neither is, because an old minimum may exceed a new maximum. */
const playerRange: readonly Field[] = ['players_min', 'players_max']

function isEdited(current: CurrentValues, field: Field): boolean {
  const related = playerRange.includes(field) ? playerRange : [field]
  return related.some((name) => {
    const imported = current.fingerprints?.[name]
    return imported !== undefined && imported !== fingerprint(comparedValue(current, name))
  })
}

/**
 * The fingerprints to store after a plan was applied; `after` is the listing then. Fields that were
 * not written keep their earlier fingerprint.
 */
export function fingerprintsAfter(
  { imported }: Plan,
  previous: Fingerprints | undefined,
  after: Comparable,
): Fingerprints {
  const written = new Set(imported.map(({ field }) => field))
  return Object.fromEntries(
    fields.map((field) => [
      field,
      written.has(field)
        ? fingerprint(comparedValue(after, field))
        : (previous?.[field] ?? fingerprint(comparedValue(after, field))),
    ]),
  )
}
