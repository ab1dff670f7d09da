import type { Config } from '../../core/runtime/config.ts'
import { createSerialQueue, forEachInSlices } from '../../core/runtime/event-loop.ts'
import { MIB } from '../../core/runtime/units.ts'
import {
  assertZip,
  type Directory,
  type DirectoryLocation,
  findDirectory,
  type ReadAt,
  readEntries,
  type ZipEntry,
  ZipError,
} from './directory.ts'
import { LOCAL_LENGTH } from './entry.ts'
import { findCollisions, type NameCollision, pathsOf } from './name-collisions.ts'
import { checkLinks, checkPath, quoted } from './path-rules.ts'

/** A directory that keeps the rules, with the names that lose files on some disks. */
export type InspectedZip = Directory & { collisions: NameCollision[] }

export type ZipLimits = {
  max_entries: number
  max_unpacked: number
  /** Allows bytes before the first entry, as in a self-extracting program. */
  allow_prefix?: boolean
}

export const zipLimits = ({
  zip_max_entries,
  zip_max_unpacked_gb,
}: Pick<Config, 'zip_max_entries' | 'zip_max_unpacked_gb'>): ZipLimits => ({
  max_entries: zip_max_entries,
  max_unpacked: zip_max_unpacked_gb * 1000 ** 3,
})

/** Larger ones are inspected one at a time: each takes several times its size in memory. */
const LARGE_DIRECTORY_BYTES = MIB
const runSerially = createSerialQueue()

const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000

/** Checks a zip by its directory alone. Of the contents only symbolic links are read. */
export async function inspectZip(
  read: ReadAt,
  size: number,
  limits: ZipLimits,
): Promise<InspectedZip> {
  const location = await findDirectory(read, size, limits)
  return location.length > LARGE_DIRECTORY_BYTES
    ? runSerially(() => checkDirectory(read, location, limits))
    : checkDirectory(read, location, limits)
}

async function checkDirectory(
  read: ReadAt,
  location: DirectoryLocation,
  limits: ZipLimits,
): Promise<InspectedZip> {
  const directory = await readEntries(read, location)
  const { entries } = directory
  const unpacked = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (unpacked > limits.max_unpacked)
    throw new ZipError(`unpacks to ${unpacked} bytes; at most ${limits.max_unpacked} are allowed`, {
      id: 'zip_unpacked',
      values: { bytes: unpacked, max_bytes: limits.max_unpacked },
    })
  await forEachInSlices(entries.length, (index) => checkEntry(entries[index]!))
  await checkNames(entries)
  const collisions = await findCollisions(entries)
  checkOverlap(entries, directory.start, limits.allow_prefix ?? false)
  await checkLinks(read, entries)
  return { ...directory, collisions }
}

function checkEntry(entry: ZipEntry) {
  const { path, flags, method, size } = entry
  for (const name of pathsOf(entry)) checkPath(name)
  assertZip(
    (flags & ENCRYPTED) === 0,
    `holds an encrypted entry, ${quoted(path)}; encrypted files cannot be scanned`,
    'zip_encrypted',
    path,
  )
  assertZip(
    method === STORED || method === DEFLATED,
    `holds ${quoted(path)} with a compression that cannot be scanned; use deflate`,
    'zip_compression',
    path,
  )
  assertZip(
    method !== STORED || entry.compressed === size,
    `holds ${quoted(path)} with a wrong size`,
  )
  assertZip(!path.endsWith('/') || size === 0, `holds ${quoted(path)}, a folder with contents`)
}

/**
 * Rejects a name that occurs twice or is both a file and a folder, and entries inside a file or a
 * symbolic link, whichever of its names an unpacker uses for each entry.
 */
async function checkNames(entries: ZipEntry[]) {
  const files = new Set<string>()
  const folders = new Set<string>()
  await forEachInSlices(entries.length, (index) => {
    for (const path of pathsOf(entries[index]!)) {
      const names = path.endsWith('/') ? folders : files
      const name = path.replace(/\/$/, '')
      assertZip(!names.has(name), `holds ${quoted(path)} twice`, 'zip_twice', path)
      names.add(name)
    }
  })
  // Most entries share their parent folders, so each folder is checked once.
  const checked = new Set<string>()
  const checkParents = (path: string) => {
    assertZip(
      !path.endsWith('/') || !files.has(path.slice(0, -1)),
      `holds ${quoted(path)} as a file and as a folder`,
      'zip_twice',
      path,
    )
    for (
      let at = path.lastIndexOf('/', path.length - 2);
      at > 0;
      at = path.lastIndexOf('/', at - 1)
    ) {
      const parent = path.slice(0, at)
      if (checked.has(parent)) return
      assertZip(
        !files.has(parent),
        `holds ${quoted(path)} inside a file or a link`,
        'zip_twice',
        path,
      )
      checked.add(parent)
    }
  }
  await forEachInSlices(entries.length, (index) => pathsOf(entries[index]!).forEach(checkParents))
}

const endOf = ({ offset, raw_name, compressed }: ZipEntry) =>
  offset + LOCAL_LENGTH + raw_name.length + compressed

/**
 * Entries must not share bytes, which is how a small zip unpacks to a huge one. No two overlap if
 * each end, in sorted order, comes before the next start. Sorting arrays of numbers is fast.
 */
function checkOverlap(entries: ZipEntry[], directory_start: number, allow_prefix: boolean) {
  const starts = Float64Array.from(entries, ({ offset }) => offset).sort()
  const ends = Float64Array.from(entries, endOf).sort()
  // Unpackers that read from the front would unpack what is before the first entry, unscanned.
  assertZip(
    allow_prefix || (starts[0] ?? directory_start) === 0,
    'does not begin with its first entry',
  )
  const index = ends.findIndex((end, i) => end > (starts[i + 1] ?? directory_start))
  if (index < 0) return
  const entry = entries.find((candidate) => endOf(candidate) === ends[index])!
  throw new ZipError(`holds ${quoted(entry.path)}, which overlaps another entry`)
}
