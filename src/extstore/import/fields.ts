import { refuse } from '../../core/runtime/errors.ts'
import { choice } from '../../listings/fields/text.ts'

/** What an import can write, by the groups people choose from. */
export const groups = {
  text: ['name', 'tagline', 'description'],
  taxonomy: [
    'genres',
    'tags',
    'tone',
    'inputs',
    'net',
    'players_min',
    'players_max',
    'session_bucket',
  ],
  status: ['status'],
  images: ['cover', 'thumbnail', 'gallery'],
  press: ['release_date', 'website_url', 'trailer_url', 'credits'],
  price: ['price_cents'],
  age: ['content_warnings', 'adult'],
  store_link: ['store_link'],
} as const

export type Group = keyof typeof groups
export type Field = (typeof groups)[Group][number]

export const groupNames = Object.keys(groups) as Group[]
export const fields = Object.values(groups).flat() as Field[]
export const groupOf = Object.fromEntries(
  groupNames.flatMap((group) => groups[group].map((field) => [field, group])),
) as Record<Field, Group>

/** What a store page has and an import leaves where it is, and why. */
export const notImported = [
  { field: 'languages', reason: 'Languages are not part of a page here' },
  {
    field: 'system_requirements',
    reason:
      'System requirements are not part of a page here; write them into the description if players need them',
  },
  { field: 'achievements', reason: 'Achievements stay with the store' },
  { field: 'add_ons', reason: 'Add-on content is sold by its own pages' },
  { field: 'operating_systems', reason: 'Operating systems come from the builds you upload' },
] as const

/** Left out means all of them. */
export function checkGroups(value: unknown): Group[] {
  if (value === undefined || value === null) return groupNames
  if (!Array.isArray(value) || !value.length)
    refuse(
      'INVALID_EXTSTORE_REQUEST',
      { field: 'groups' },
      `groups: send a list of ${groupNames.join(', ')}, or leave it out for all`,
    )
  return [
    ...new Set(
      value.map((one) =>
        choice({ refusal: 'INVALID_EXTSTORE_REQUEST', field: 'groups' }, one, groupNames),
      ),
    ),
  ]
}
