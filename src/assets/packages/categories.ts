import type { PackageCategory } from '../../listings/fields/editor.ts'
import type { LicenseKind } from '../../listings/fields/fields.ts'

/**
 * The kind of a package, with its number on the wire: add-ons are installed into a project, and
 * projects are opened from the project manager. Every category belongs to one kind.
 */
export const packageKinds = { addon: '0', project: '1' } as const
export type PackageKind = keyof typeof packageKinds

export const categories = [
  { id: '1', name: 'Plugins', kind: 'addon', slug: 'plugin' },
  { id: '2', name: 'Editor assets', kind: 'addon', slug: 'dev_asset' },
  { id: '3', name: 'Tools', kind: 'addon', slug: 'tool' },
  { id: '4', name: 'Templates', kind: 'project', slug: 'template' },
] as const satisfies { slug: PackageCategory; kind: PackageKind; [more: string]: string }[]

export const findCategory = (slug: PackageCategory) =>
  categories.find((category) => category.slug === slug)!

/** License names as editors show them; the asset library protocol calls the license `cost`. */
export const licenseNames: Record<LicenseKind | 'unknown', string> = {
  cc0: 'CC0',
  'cc-by': 'CC-BY',
  'cc-by-sa': 'CC-BY-SA',
  'source-available': 'Source Available',
  proprietary: 'Proprietary',
  paid: 'Proprietary',
  unknown: 'Unknown',
}
export const licenseName = (license: LicenseKind | null) => licenseNames[license ?? 'unknown']

const licenseUrls: Partial<Record<LicenseKind, string>> = {
  cc0: 'https://creativecommons.org/publicdomain/zero/1.0/',
  'cc-by': 'https://creativecommons.org/licenses/by/4.0/',
  'cc-by-sa': 'https://creativecommons.org/licenses/by-sa/4.0/',
}
export const licenseUrl = (license: LicenseKind | null) => (license && licenseUrls[license]) ?? ''

/** The licenses with this name, ignoring case and separators. */
export function findLicenses(name: string): (LicenseKind | 'unknown')[] {
  const plain = (text: string) =>
    text
      .trim()
      .toLowerCase()
      .replace(/[\s_]+/g, '-')
  return (Object.keys(licenseNames) as (LicenseKind | 'unknown')[]).filter(
    (kind) => plain(licenseNames[kind]) === plain(name) || kind === plain(name),
  )
}
