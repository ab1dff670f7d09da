import { forEachInSlices } from '../../core/runtime/event-loop.ts'
import { assertZip, type ZipEntry } from './directory.ts'

/** Two entries whose names differ, but are the same on disks that ignore letter case. */
export type NameCollision = { first: string; second: string }

/** How many are reported. */
const MAX_COLLISIONS = 5

const ASCII = /^[\x20-\x7e]*$/
const DROPPED_END = /[. ](?:\/|$)/

/**
 * A path as the disks of Windows and macOS compare it: without differences of letter case and of
 * composed characters, and without the dots and spaces that Windows drops at the end of a name.
 */
export function foldName(path: string): string {
  const kept = DROPPED_END.test(path) ? path.split('/').map(withoutDroppedEnd).join('/') : path
  if (ASCII.test(kept)) return kept.toLowerCase()
  // Upper case first, because some letters share only that: ß and ss, or both lower forms of Σ.
  return kept.normalize('NFC').toUpperCase().toLowerCase().normalize('NFC')
}

function withoutDroppedEnd(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return name.slice(0, end)
}

/** The names that unpackers may use for an entry. */
export const pathsOf = ({ path, unicode_path }: ZipEntry): string[] =>
  unicode_path === undefined || unicode_path === path ? [path] : [path, unicode_path]

/**
 * Finds entries that have the same place on a disk that ignores letter case. There one of two files
 * is lost. A link is refused: what is unpacked through it could leave the folder.
 */
export async function findCollisions(entries: readonly ZipEntry[]): Promise<NameCollision[]> {
  const files = new Map<string, ZipEntry>()
  const collisions: NameCollision[] = []
  const report = (first: ZipEntry, second: ZipEntry, link: ZipEntry | undefined) => {
    const { path } = link === first ? second : first
    assertZip(
      !link,
      `holds ${JSON.stringify(path.slice(0, 80))}, which is the same place as a link on disks ` +
        'that ignore letter case',
      'zip_case_link',
      path,
    )
    if (collisions.length < MAX_COLLISIONS)
      collisions.push({ first: first.path, second: second.path })
  }
  await forEachInSlices(entries.length, (index) => {
    const entry = entries[index]!
    for (const path of pathsOf(entry)) {
      if (path.endsWith('/')) continue
      const name = foldName(path)
      const other = files.get(name)
      if (other && other !== entry)
        report(
          other,
          entry,
          [other, entry].find(({ is_symlink }) => is_symlink),
        )
      else files.set(name, entry)
    }
  })
  // Most entries share their folders, so each folder is looked up once.
  const checked = new Set<string>()
  await forEachInSlices(entries.length, (index) => {
    const entry = entries[index]!
    for (const path of pathsOf(entry))
      for (const folder of foldersOf(path, checked)) {
        const other = files.get(folder)
        if (other) report(other, entry, other.is_symlink ? other : undefined)
      }
  })
  return collisions
}

/** The folded names of the folders that a path needs, except those of earlier paths. */
function* foldersOf(path: string, checked: Set<string>): Generator<string> {
  const name = foldName(path)
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) {
    const folder = name.slice(0, at)
    if (checked.has(folder)) return
    checked.add(folder)
    yield folder
  }
}
