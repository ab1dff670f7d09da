/** A version at the beginning of a heading of a changelog, such as "## 1.4.0 (2026-03-01)". */
const HEADING = /^## +\[?v?(\d+)\.(\d+)\.(\d+)\]?(?!\S*-)[^\n]*$/gm

type Version = readonly [number, number, number]

function isNewer(a: Version, b: Version): boolean {
  const i = a.findIndex((part, index) => part !== b[index])
  return i >= 0 && a[i]! > b[i]!
}

const MAX_HEADINGS = 20
const MAX_LENGTH = 120

/** The headings of a changelog for versions after ours, as it has them. */
export function newerVersions(changelog: string, version: string): string[] {
  const own = version.split('.').map(Number) as unknown as Version
  return [...changelog.matchAll(HEADING)]
    .filter(([, ...parts]) => isNewer(parts.map(Number) as unknown as Version, own))
    .map(([line]) => line.replace(/^## +/, '').trim().slice(0, MAX_LENGTH))
    .slice(0, MAX_HEADINGS)
}
