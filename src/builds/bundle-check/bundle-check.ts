/** Smaller files are often identical by chance. */
export const MIN_FILE_BYTES = 1024
/** How many paths of each match are listed. */
export const MAX_PATHS = 5

export const bundleStatuses = ['owned', 'licensed', 'attribution', 'unlicensed'] as const
export type BundleStatus = (typeof bundleStatuses)[number]

/** What the people who run a project have of a pack, and the license of the pack. */
export type PackRights = {
  is_own: boolean
  /** How they got their copy, or null if they have none. */
  copy_source: 'purchase' | 'grant' | 'key' | 'free' | null
  license_kind: string | null
}

/**
 * The right by which a build contains files of a pack. A copy that was free keeps the terms it came
 * with, also if the pack is no longer free.
 */
export function bundleStatus({ is_own, copy_source, license_kind }: PackRights): BundleStatus {
  if (is_own) return 'owned'
  if ((copy_source && copy_source !== 'free') || license_kind === 'cc0') return 'licensed'
  if (license_kind === 'cc-by' || license_kind === 'cc-by-sa') return 'attribution'
  return copy_source === 'free' ? 'licensed' : 'unlicensed'
}
