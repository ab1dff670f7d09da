import { type CompatRange, covers, parseVersion, type Version } from './versions.ts'

/**
 * An editor asks as `X.Y` and means everything made for X.0 up to X.Y of that major. So of each major only one number matters: the first
 * minor that something works with. Majors past the last are taken for mistakes.
 */
export type Editor = { major: number; minor: number }
const LAST_MAJOR = 30
export const LAST_MINOR = 99
const ASKED = /^v?(\d{1,4})(?:\.(\d{1,4})(?:[.-].*)?)?$/i
const USER_AGENT = /^[a-z]{1,32}Engine\/(\d{1,4})\.(\d{1,4})/i

/** Patch and pre-release are left aside; a major alone is all of it. Null for what is no version, or one no editor has. */
export function readEditor(text: string): Editor | null {
  const found = ASKED.exec(text.trim())
  return found && known(Number(found[1]), Number(found[2] ?? LAST_MINOR))
}

/** Editors say what they are in the first word of their user agent. */
export function editorOf(user_agent: string | undefined): Editor | null {
  const found = USER_AGENT.exec(user_agent ?? '')
  return found && known(Number(found[1]), Number(found[2]))
}

const known = (major: number, minor: number): Editor | null =>
  major <= LAST_MAJOR && minor <= LAST_MINOR ? { major, minor } : null

/** A version of a package: what it was made with, if that was said. */
export type Versioned = { engine_version: string | null }
type Range = Pick<CompatRange, 'min_version' | 'max_version'>

/** The first minor of each major that a range or a build works with. */
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

/** Where a range begins within each major it reaches into. */
function startsOf(range: Range): Editor[] {
  const min = range.min_version === null ? null : parseVersion(range.min_version)
  const max = range.max_version === null ? null : parseVersion(range.max_version)
  const [from, to] = [min?.numbers[0] ?? 0, Math.min(max?.numbers[0] ?? LAST_MAJOR, LAST_MAJOR)]
  const starts: Editor[] = []
  for (let major = from; major <= to; major++) {
    const minor = min && major === from ? (min.numbers[1] ?? 0) : 0
    // A range that ends before the first release of a major, such as at 4.0-beta2, does not reach into it.
    if (minor <= LAST_MINOR && reaches(range, major, minor)) starts.push({ major, minor })
  }
  return starts
}

const reaches = (range: Range, major: number, minor: number) => {
  const begins: Version = { numbers: [major, minor], pre: null }
  const ends: Version = { numbers: [major, minor, Number.MAX_SAFE_INTEGER], pre: null }
  // It may begin in the middle of a minor (4.2.3) or end in one.
  return (
    covers({ ...range, min_version: null }, begins) && covers({ ...range, max_version: null }, ends)
  )
}

export const isFor = (first: ReadonlyMap<number, number>, { major, minor }: Editor) =>
  (first.get(major) ?? Number.POSITIVE_INFINITY) <= minor

/** How `firstMinors` is written down for an index, one word for each major. */
export const minorWords = (first: ReadonlyMap<number, number>) =>
  [...first].map(([major, minor]) => `${major}.${minor}`)

/** The words that an editor may have. */
export const editorWords = ({ major, minor }: Editor) =>
  Array.from({ length: minor + 1 }, (_, i) => `${major}.${i}`)

/**
 * The version an editor gets, of several with the newest first. One made with this editor's or an earlier version of its major, or that says
 * nothing while the listing speaks for all of them; else, where the listing says it works, the newest of the same major, or of any.
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
