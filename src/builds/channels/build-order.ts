/** What decides which of two builds is newer. */
export type VersionedBuild = { uid: string; version: string; created_at: Date }

/** Below, equal or above: numbers compare as numbers, words as words, a pre-release stands before its release. */
export function compareBuildVersions(a: string, b: string): number {
  const [left, right] = [partsOf(a), partsOf(b)]
  return compareParts(left.release, right.release, 0) || comparePre(left.pre, right.pre)
}

/** By version, then by registration: of two builds one is always the newer. */
export function compareBuilds(a: VersionedBuild, b: VersionedBuild): number {
  return (
    compareBuildVersions(a.version, b.version) ||
    a.created_at.getTime() - b.created_at.getTime() ||
    (a.uid < b.uid ? -1 : a.uid > b.uid ? 1 : 0)
  )
}

type Parts = { release: string[]; pre: string[] | null }

function partsOf(version: string): Parts {
  // What follows a plus is a note about the build, not an order.
  const text = version
    .trim()
    .toLowerCase()
    .replace(/^v(?=\d)/, '')
    .replace(/\+.*$/, '')
  const dash = text.indexOf('-')
  const words = (part: string) => part.match(/\d+|\p{L}+/gu) ?? []
  return dash < 0
    ? { release: words(text), pre: null }
    : { release: words(text.slice(0, dash)), pre: words(text.slice(dash + 1)) }
}

/** 1.2 is 1.2.0: what one does not say counts as nothing. */
function compareParts(a: string[], b: string[], missing: 0 | 1): number {
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = missing ? compareWords(a[i], b[i]) : compareWords(a[i] ?? '0', b[i] ?? '0')
    if (difference) return difference
  }
  return 0
}

function comparePre(a: string[] | null, b: string[] | null): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1
  return compareParts(a, b, 1)
}

/** Nothing before numbers before words. */
function compareWords(a: string | undefined, b: string | undefined): number {
  if (a === undefined || b === undefined) return a === b ? 0 : a === undefined ? -1 : 1
  const [number_a, number_b] = [/^\d/.test(a), /^\d/.test(b)]
  if (number_a !== number_b) return number_a ? -1 : 1
  return number_a ? compareNumbers(a, b) : a < b ? -1 : a > b ? 1 : 0
}

/** As texts, because a version may hold a number no number holds. */
function compareNumbers(a: string, b: string): number {
  const [left, right] = [a.replace(/^0+/, ''), b.replace(/^0+/, '')]
  return left.length - right.length || (left < right ? -1 : left > right ? 1 : 0)
}
