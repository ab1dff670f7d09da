import { type CompatRange, covers, parseVersion, type Version } from './engine-versions.ts'

/**
 * An editor of version `X.Y` can use everything made for X.0 up to X.Y. So for each major version
 * it is enough to know the first minor version that a package works with. Major versions above
 * `LAST_MAJOR` are treated as mistakes.
 */
export type Editor = { major: number; minor: number }
const LAST_MAJOR = 30
export const LAST_MINOR = 99
const EDITOR_VERSION = /^v?(\d{1,4})(?:\.(\d{1,4})(?:[.-].*)?)?$/i
const USER_AGENT = /^[a-z]{1,32}Engine\/(\d{1,4})\.(\d{1,4})/i

/**
 * Parses the version of an editor, ignoring patch and pre-release. A major version alone means its
 * last minor version. Returns null for text that is not a version or a version out of range.
 */
export function readEditor(text: string): Editor | null {
  const match = EDITOR_VERSION.exec(text.trim())
  return match && known(Number(match[1]), Number(match[2] ?? LAST_MINOR))
}

/** Editors send their version in the first word of the user agent. */
export function editorOf(user_agent: string | undefined): Editor | null {
  const match = USER_AGENT.exec(user_agent ?? '')
  return match && known(Number(match[1]), Number(match[2]))
}

const known = (major: number, minor: number): Editor | null =>
  major <= LAST_MAJOR && minor <= LAST_MINOR ? { major, minor } : null

/** A version of a package, with the engine version it was made with, if that is known. */
export type Versioned = { engine_version: string | null }
type Range = Pick<CompatRange, 'min_version' | 'max_version'>

/** For each major version, the first minor version that a range or a build works with. */
export function firstMinors(
  ranges: readonly Range[],
  builds: readonly Versioned[],
): Map<number, number> {
  const first = new Map<number, number>()
  const note = ({ major, minor }: Editor) =>
    first.set(major, Math.min(minor, first.get(major) ?? minor))
  for (const { engine_version } of builds) {
    const made_with = engine_version === null ? null : parseVersion(engine_version)
    const editor = made_with && known(made_with.numbers[0]!, made_with.numbers[1] ?? 0)
    if (editor) note(editor)
  }
  for (const range of ranges) for (const editor of startsOf(range)) note(editor)
  return first
}

/** The first version of a range within each major version that it includes. */
function startsOf(range: Range): Editor[] {
  const min = range.min_version === null ? null : parseVersion(range.min_version)
  const max = range.max_version === null ? null : parseVersion(range.max_version)
  const from = min?.numbers[0] ?? 0
  const to = Math.min(max?.numbers[0] ?? LAST_MAJOR, LAST_MAJOR)
  const starts: Editor[] = []
  for (let major = from; major <= to; major++) {
    const minor = min && major === from ? (min.numbers[1] ?? 0) : 0
    // A range that ends before the first release of a major version, such as at 4.0-beta2, does
    // not include that major version.
    if (minor <= LAST_MINOR && reaches(range, major, minor)) starts.push({ major, minor })
  }
  return starts
}

const reaches = (range: Range, major: number, minor: number) => {
  const begins: Version = { numbers: [major, minor], pre: null }
  const ends: Version = { numbers: [major, minor, Number.MAX_SAFE_INTEGER], pre: null }
  // The range may start or end within a minor version, for example at 4.2.3.
  return (
    covers({ ...range, min_version: null }, begins) && covers({ ...range, max_version: null }, ends)
  )
}

export const isFor = (first: ReadonlyMap<number, number>, { major, minor }: Editor) =>
  (first.get(major) ?? Number.POSITIVE_INFINITY) <= minor

/** Encodes `firstMinors` as words for an index, one for each major version. */
export const minorWords = (first: ReadonlyMap<number, number>) =>
  [...first].map(([major, minor]) => `${major}.${minor}`)

/** The words of `minorWords` that match an editor. */
export const editorWords = ({ major, minor }: Editor) =>
  Array.from({ length: minor + 1 }, (_, i) => `${major}.${i}`)

/**
 * Chooses the version that an editor installs; `versions` has the newest first. It is the newest
 * version made with the same or an earlier minor version of the editor's major. A version without
 * an engine version counts if the ranges of the listing include the editor. If none matches but the
 * ranges include the editor, it is the newest of the same major version, or else the newest of all.
 */
export function chooseVersion<T extends Versioned>(
  versions: readonly T[],
  ranges: readonly Range[],
  editor: Editor | null,
): T | undefined {
  if (!editor) return versions[0]
  const declared = isFor(firstMinors(ranges, []), editor)
  const made = versions.map((version) => ({ version, first: firstMinors([], [version]) }))
  const fits = made.find(({ first }) => (first.size ? isFor(first, editor) : declared))
  if (fits) return fits.version
  return declared
    ? (made.find(({ first }) => first.has(editor.major)) ?? made[0])?.version
    : undefined
}
