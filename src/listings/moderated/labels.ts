import type { Tx } from '../../core/database/sql.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { listingFields } from '../fields/table.ts'
import {
  lockLabel,
  readLabels,
  readLockedLabels,
  storeLabels,
  unlockLabel,
  unlockLabels,
} from './label-queries.ts'

/** What moderators correct on a listing; a field that is not named stays as it is. */
export type Labels = {
  adult?: boolean | undefined
  content_warnings?: string[] | undefined
  tags?: string[] | undefined
}

export const labelFields = ['adult', 'content_warnings', 'tags'] as const
export type LabelField = (typeof labelFields)[number]
export type StoredLabels = { adult: boolean; content_warnings: string[]; tags: string[] }

/** A value that the listing must have, or must not have, until the decision is undone. */
export type LockedLabel = { field: LabelField; value: string; present: boolean }

const ADULT = 'adult'

/** The values of a field; adult content is a value like others. */
const valuesOf = (labels: Labels, field: LabelField): string[] =>
  field === 'adult' ? (labels.adult ? [ADULT] : []) : (labels[field] ?? [])

const isSet = (labels: Labels, field: LabelField) => labels[field] !== undefined

/** The values that a change adds and takes away. */
export function labelChanges(current: StoredLabels, wanted: Labels): LockedLabel[] {
  return labelFields
    .filter((field) => isSet(wanted, field))
    .flatMap((field) => {
      const before = valuesOf(current, field)
      const after = valuesOf(wanted, field)
      return [
        ...after
          .filter((value) => !before.includes(value))
          .map((value) => ({ field, value, present: true })),
        ...before
          .filter((value) => !after.includes(value))
          .map((value) => ({ field, value, present: false })),
      ]
    })
}

/** The labels after changes. */
export function applyChanges(current: StoredLabels, changes: readonly LockedLabel[]): StoredLabels {
  const after = (field: LabelField): string[] => {
    const own = changes.filter((change) => change.field === field)
    const gone = own.filter(({ present }) => !present).map(({ value }) => value)
    const added = own.filter(({ present }) => present).map(({ value }) => value)
    return [...new Set([...valuesOf(current, field), ...added])].filter(
      (value) => !gone.includes(value),
    )
  }
  return {
    adult: after('adult').length > 0,
    content_warnings: after('content_warnings'),
    tags: after('tags').slice(0, listingFields.tags.max),
  }
}

/** Sets labels and locks what this changes; false if it changes nothing. */
export async function setLabels(
  tx: Tx,
  uid: string,
  { labels, action_uid }: { labels: Labels; action_uid: string },
): Promise<boolean> {
  const current = (await readLabels(tx, uid))!
  const changes = labelChanges(current, labels)
  if (!changes.length) return false
  await storeLabels(tx, uid, applyChanges(current, changes))
  // A value that moderators set back to what the editors had is not locked any more.
  for (const change of changes)
    if (!(await unlockLabel(tx, uid, change))) await lockLabel(tx, uid, { ...change, action_uid })
  return true
}

/** Undoes what moderators set, all of it or that of one decision; false if there is nothing. */
export async function restoreLabels(
  tx: Tx,
  uid: string,
  action_uid: string | undefined,
): Promise<boolean> {
  const locked = await unlockLabels(tx, uid, action_uid)
  if (!locked.length) return false
  const undone = locked.map((label) => ({ ...label, present: !label.present }))
  await storeLabels(tx, uid, applyChanges((await readLabels(tx, uid))!, undone))
  return true
}

/** Refuses a change of editors that undoes what moderators set. */
export async function checkLockedLabels(tx: Tx, uid: string, change: Labels): Promise<void> {
  if (!labelFields.some((field) => isSet(change, field))) return
  const locked = await readLockedLabels(tx, uid)
  const undone = locked.filter(
    ({ field, value, present }) =>
      isSet(change, field) && valuesOf(change, field).includes(value) !== present,
  )
  const [first] = undone
  if (!first) return
  const values = undone.map(({ value }) => value).join(', ')
  refuse(
    'FORBIDDEN',
    { field: first.field },
    explain(
      'label_locked',
      `${first.field}: moderators set this (${values}); see the statement of reasons`,
      { values },
    ),
  )
}
