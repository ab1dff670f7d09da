import { assertZip, type ReadAt, type ZipEntry } from './directory.ts'
import { readLinkTarget } from './entry.ts'
import { pathsOf } from './name-collisions.ts'

const MAX_PATH = 1024
const MAX_TARGET = 4096
const UNSAFE_NAME = /[\u0000-\u001f\u007f\\]/

/** A path in a sentence. */
export const quoted = (path: string) =>
  JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path)

/** Accepts only names that stay below the folder they are unpacked into, on every system. */
export function checkPath(path: string): void {
  assertZip(
    path !== '' && Buffer.byteLength(path) <= MAX_PATH,
    'holds an entry whose name is empty or too long',
    'zip_name',
    path,
  )
  assertZip(
    !UNSAFE_NAME.test(path),
    `holds ${quoted(path)}: names must not have backslashes or control characters`,
    'zip_name',
    path,
  )
  assertZip(
    !path.startsWith('/') && !/^[a-z]:/i.test(path),
    `holds ${quoted(path)}, an absolute path`,
    'zip_name',
    path,
  )
  const parts = path.replace(/\/$/, '').split('/')
  assertZip(
    !parts.includes('..') && !parts.includes('.') && !parts.includes(''),
    `holds ${quoted(path)}, a path with an empty, . or .. segment`,
    'zip_name',
    path,
  )
}

/**
 * A link may go up as far as its own depth and then down. After going down it may not go up again,
 * because the folder it went into may be another link.
 */
export async function checkLinks(read: ReadAt, entries: ZipEntry[]): Promise<void> {
  for (const entry of entries.filter(({ is_symlink }) => is_symlink)) {
    const target = (await readLinkTarget(read, entry, MAX_TARGET)).toString('utf8')
    const steps = target.split('/').filter((step) => step !== '' && step !== '.')
    const up = steps.findIndex((step) => step !== '..')
    const climbs = up < 0 ? steps.length : up
    const depth = Math.min(...pathsOf(entry).map((path) => path.split('/').length - 1))
    const leaves =
      target === '' ||
      UNSAFE_NAME.test(target) ||
      target.startsWith('/') ||
      /^[a-z]:/i.test(target) ||
      climbs > depth
    assertZip(
      !leaves && !steps.slice(climbs).includes('..'),
      `holds ${quoted(entry.path)}, a link that leads out of the zip`,
      'zip_link',
      entry.path,
    )
  }
}
