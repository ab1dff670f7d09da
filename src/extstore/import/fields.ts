import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { choice } from '../../listings/fields/text.ts'

/** The fields that an import can write, by the groups that a developer selects. */
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

/** Parts of a store page that are not imported, and why. */
export const notImported = [
  {
    field: 'languages',
    reason: explain(
      'import_never_languages',
      'Languages are not imported. Set them in the dashboard.',
    ),
  },
  {
    field: 'system_requirements',
    reason: explain(
      'import_never_requirements',
      'Listings have no system requirements. Add them to the description if needed.',
    ),
  },
  {
    field: 'achievements',
    reason: explain('import_never_achievements', 'Achievements are not supported'),
  },
  {
    field: 'add_ons',
    reason: explain('import_never_add_ons', 'Add-ons have listings of their own'),
  },
  {
    field: 'operating_systems',
    reason: explain('import_never_systems', 'Operating systems are those of the builds you upload'),
  },
]

/** All groups if none are given. */
export function checkGroups(value: unknown): Group[] {
  if (value === undefined || value === null) return groupNames
  if (!Array.isArray(value) || !value.length)
    refuse(
      'INVALID_EXTSTORE_REQUEST',
      { field: 'groups' },
      explain(
        'no_items',
        `groups: must be a list of ${groupNames.join(', ')}; omit it to import all`,
      ),
    )
  const field = { refusal: 'INVALID_EXTSTORE_REQUEST', field: 'groups' } as const
  return [...new Set(value.map((group) => choice(field, group, groupNames)))]
}

/** Whether an import with these groups can change the price. */
export const importsPrice = (value: unknown): boolean => checkGroups(value).includes('price')
