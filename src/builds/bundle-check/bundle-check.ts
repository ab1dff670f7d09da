/** Smaller files are alike by chance. */
export const MIN_BYTES = 1024
export const MOST_PATHS = 5

export const bundleStatuses = ['owned', 'licensed', 'attribution', 'unlicensed'] as const
export type BundleStatus = (typeof bundleStatuses)[number]

/** What the people who run a project have of a pack, and on what terms it is given. */
export type Terms = {
  is_own: boolean
  licence: 'purchase' | 'grant' | 'free' | null
  license_kind: string | null
}

/** By what right a build holds files of a pack. A copy that was free to take keeps the terms it came with. */
export function bundleStatus({ is_own, licence, license_kind }: Terms): BundleStatus {
  if (is_own) return 'owned'
  if (licence === 'purchase' || licence === 'grant' || license_kind === 'cc0') return 'licensed'
  if (license_kind === 'cc-by' || license_kind === 'cc-by-sa') return 'attribution'
  return licence === 'free' ? 'licensed' : 'unlicensed'
}
