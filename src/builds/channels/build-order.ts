/** The rule that decides which of two builds is newer, and so what a channel points at. */

export type VersionedBuild = { uid: string; version: string; created_at: Date }

/** By version, then by time of registration, then by uid: no two builds are equal. */
export function compareBuilds(a: VersionedBuild, b: VersionedBuild): number {
  return (
    compareBuildVersions(a.version, b.version) ||
    a.created_at.getTime() - b.created_at.getTime() ||
    compareText(a.uid, b.uid)
  )
}

export function newestBuild<B extends VersionedBuild>(builds: readonly B[]): B | undefined {
  return builds.toSorted(compareBuilds).at(-1)
}

/**
 * Negative, zero or positive, like every comparator. Numbers compare as numbers and words as words;
 * a pre-release (1.0-beta) comes before its release (1.0).
 */
export function compareBuildVersions(a: string, b: string): number {
  const left = parseVersion(a)
  const right = parseVersion(b)
  return compareReleases(left.release, right.release) || comparePreReleases(left.pre, right.pre)
}

type ParsedVersion = { release: string[]; pre: string[] | null }

function parseVersion(version: string): ParsedVersion {
  // What follows a plus is build metadata and does not affect the order.
  const text = version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .replace(/\+.*$/, '')
  const dash = text.indexOf('-')
  return dash < 0
    ? { release: splitSegments(text), pre: null }
    : { release: splitSegments(text.slice(0, dash)), pre: splitSegments(text.slice(dash + 1)) }
}

const splitSegments = (text: string): string[] => text.match(/\d+|\p{L}+/gu) ?? []

/** A missing segment counts as 0, so 1.2 equals 1.2.0. */
function compareReleases(a: string[], b: string[]): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = compareSegments(a[i] ?? '0', b[i] ?? '0')
    if (difference) return difference
  }
  return 0
}

/** No pre-release comes after any; of two, the shorter comes first where they agree. */
function comparePreReleases(a: string[] | null, b: string[] | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  for (let i = 0; i < Math.min(a.length, b.length); i++) {
    const difference = compareSegments(a[i]!, b[i]!)
    if (difference) return difference
  }
  return a.length - b.length
}

/** Numbers come before words. */
function compareSegments(a: string, b: string): number {
  const a_is_number = /^\d/.test(a)
  const b_is_number = /^\d/.test(b)
  if (a_is_number !== b_is_number) return a_is_number ? -1 : 1
  return a_is_number ? compareNumbers(a, b) : compareText(a, b)
}

/** Compares digits as text, because a segment may exceed what a JavaScript number can hold. */
function compareNumbers(a: string, b: string): number {
  const left = a.replace(/^0+/, '')
  const right = b.replace(/^0+/, '')
  return left.length - right.length || compareText(left, right)
}

const compareText = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)
