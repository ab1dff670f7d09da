import type { PackageCategory } from '../../listings/fields/editor.ts'
import type { LicenseKind } from '../../listings/fields/fields.ts'

/** Editors sort packages into add-ons, offered inside a project, and projects, offered before there is one. */
export const kinds = { addon: '0', project: '1' } as const
export type Kind = keyof typeof kinds

export const categories = [
  { id: '1', name: 'Plugins', kind: 'addon', slug: 'plugin' },
  { id: '2', name: 'Editor assets', kind: 'addon', slug: 'dev_asset' },
  { id: '3', name: 'Tools', kind: 'addon', slug: 'tool' },
  { id: '4', name: 'Templates', kind: 'project', slug: 'template' },
] as const satisfies { slug: PackageCategory; kind: Kind; [more: string]: string }[]
export type Category = (typeof categories)[number]

export const categoryNamed = (slug: PackageCategory) =>
  categories.find((category) => category.slug === slug)!

/** What editors call a licence. */
export const costs: Record<LicenseKind | 'unknown', string> = {
  cc0: 'CC0',
  'cc-by': 'CC-BY',
  'cc-by-sa': 'CC-BY-SA',
  'source-available': 'Source Available',
  proprietary: 'Proprietary',
  // What is sold is nobody's but its maker's.
  paid: 'Proprietary',
  unknown: 'Unknown',
}
export const costOf = (license: LicenseKind | null) => costs[license ?? 'unknown']

const licenseTexts: Partial<Record<LicenseKind, string>> = {
  cc0: 'https://creativecommons.org/publicdomain/zero/1.0/',
  'cc-by': 'https://creativecommons.org/licenses/by/4.0/',
  'cc-by-sa': 'https://creativecommons.org/licenses/by-sa/4.0/',
}
export const licenseUrl = (license: LicenseKind | null) => (license && licenseTexts[license]) ?? ''

/** The licences that go by a name, however it is written. */
export function licensesNamed(name: string): (LicenseKind | 'unknown')[] {
  const plain = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-')
  return (Object.keys(costs) as (LicenseKind | 'unknown')[]).filter(
    (kind) => plain(costs[kind]) === plain(name) || kind === plain(name),
  )
}
