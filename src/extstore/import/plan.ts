import { createHash } from 'node:crypto'
import { type Field, fields, type Group, groupOf } from './fields.ts'
import type { Candidates } from './mapping.ts'

/** What one field comes to. `value` is the store's, `old` what the listing has; a new listing has nothing. */
export type Entry = { field: Field; group: Group; value?: unknown; old?: unknown; reason?: string }
export type Plan = { imported: Entry[]; skipped: Entry[]; kept: Entry[] }

export type Wanted = { groups: readonly Group[]; overwrite: boolean }
/** The listing as it is: what a report shows of each field, and what is compared where that is something else. */
export type Current = {
  is_new: boolean
  shown: Record<Field, unknown>
  same: Partial<Record<Field, unknown>>
  /** Marks of the values that the last import left; nothing when there was none. */
  remembered: Marks | undefined
}
export type Marks = Partial<Record<Field, string>>

/** A new listing takes these whatever was asked: there is no listing without them. */
const always: readonly Field[] = ['name', 'description']

/** Short enough to keep for every field, and the same for the same value. */
export const markOf = (value: unknown): string =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null))
    .digest('base64url')
    .slice(0, 22)

const nowOf = ({ same, shown }: Pick<Current, 'same' | 'shown'>, field: Field) =>
  field in same ? same[field] : shown[field]

/** The same plan makes the preview and the import, so that the one shows what the other does. */
export function planImport(
  found: Candidates,
  current: Current,
  { groups, overwrite }: Wanted,
): Plan {
  const plan: Plan = { imported: [], skipped: [], kept: [] }
  for (const field of fields) {
    const group = groupOf[field]
    const candidate = found[field]
    const old = current.is_new ? {} : { old: current.shown[field] ?? null }
    const is_asked = groups.includes(group) || (current.is_new && always.includes(field))
    if (!is_asked) plan.skipped.push({ field, group, reason: `You left out the group ${group}` })
    else if ('skip' in candidate) plan.skipped.push({ field, group, reason: candidate.skip })
    else if (
      !overwrite &&
      isEdited(current, field) &&
      markOf(candidate.same ?? candidate.value) !== markOf(nowOf(current, field))
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

const EDITED =
  'Changed here since the last import; send overwrite: true to take the value of the store'

/** Two ends of one thing: a new one beside an old one might not fit. */
const ends: readonly Field[] = ['players_min', 'players_max']

function isEdited(current: Current, field: Field): boolean {
  return (ends.includes(field) ? ends : [field]).some((one) => {
    const remembered = current.remembered?.[one]
    return remembered !== undefined && remembered !== markOf(nowOf(current, one))
  })
}

/** What to remember once a plan is carried out: `after` is the listing as it is then. What was not written keeps its earlier mark. */
export function marksAfter(
  { imported }: Plan,
  remembered: Marks | undefined,
  after: Pick<Current, 'same' | 'shown'>,
): Marks {
  const written = new Set(imported.map(({ field }) => field))
  return Object.fromEntries(
    fields.map((field) => [
      field,
      written.has(field)
        ? markOf(nowOf(after, field))
        : (remembered?.[field] ?? markOf(nowOf(after, field))),
    ]),
  )
}
