import type { Visibility } from '../../listings/fields/fields.ts'

/** What a target is at the moment: what its owner set, and what moderators decided. */
export const targetStates = [
  'public',
  'invisible',
  'owner',
  'draft',
  'deleted',
  'hidden',
  'taken_down',
  'clean',
  'scanning',
  'infected',
  'error',
  'quarantined',
  'withdrawn',
  'removed',
  'not_shown',
  'active',
  'suspended_publishing',
  'suspended_everything',
  'listing_deleted',
  'listing_taken_down',
] as const
export type StateName = (typeof targetStates)[number]

/** Null in `until` is for good, or until somebody changes it. */
export type TargetState = { state: StateName; since: Date | null; until: Date | null }

const always = (state: StateName): TargetState => ({ state, since: null, until: null })

/** A state that begins at a time which is null if it has not begun. */
const begun = (state: StateName, since: Date | null): TargetState[] =>
  since ? [{ state, since, until: null }] : []

const orElse = (states: TargetState[], state: StateName): TargetState[] =>
  states.length ? states : [always(state)]

export type ListingTimes = {
  visibility: Visibility
  deleted_at: Date | null
  purge_at: Date | null
  taken_down_at: Date | null
  hidden_at: Date | null
}

/** Several can be true at once; the one that says most comes first. */
export const listingStates = (row: ListingTimes): TargetState[] =>
  orElse(
    [
      ...(row.deleted_at
        ? [{ state: 'deleted' as const, since: row.deleted_at, until: row.purge_at }]
        : []),
      ...begun('taken_down', row.taken_down_at),
      ...begun('hidden', row.hidden_at),
    ],
    row.visibility,
  )

/** What holds for a part of a listing because of the listing. */
export const inheritedStates = (row: ListingTimes | undefined): TargetState[] =>
  row
    ? [
        ...begun('listing_deleted', row.deleted_at),
        ...begun('listing_taken_down', row.taken_down_at),
      ]
    : []

export const buildStates = (row: { quarantined_at: Date | null; withdrawn_at: Date | null }) =>
  orElse(
    [...begun('quarantined', row.quarantined_at), ...begun('withdrawn', row.withdrawn_at)],
    'clean',
  )

/** Of reviews, images and tags. */
export const removableStates = (row: { removed_at: Date | null; is_shown: boolean }) =>
  orElse(begun('removed', row.removed_at), row.is_shown ? 'public' : 'not_shown')

export type SuspensionRow = {
  suspension: 'publishing' | 'everything' | null
  suspended_until: Date | null
}

export function personStates(row: SuspensionRow, now: Date): TargetState[] {
  const { suspension, suspended_until } = row
  if (!suspension || (suspended_until && suspended_until <= now)) return [always('active')]
  return [{ state: `suspended_${suspension}`, since: null, until: suspended_until }]
}

export const fileStates = ({ scan }: { scan: StateName }): TargetState[] => [always(scan)]
