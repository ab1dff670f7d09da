import type { Config } from '../../core/runtime/config.ts'
import { createSerialQueue, forEachInSlices } from '../../core/runtime/event-loop.ts'
import {
  assertZip,
  type Directory,
  findDirectory,
  type Place,
  type ReadAt,
  readEntries,
  type ZipEntry,
  ZipError,
} from './directory.ts'
import { LOCAL_LENGTH, readSmall } from './entry.ts'

/** A zip behind a program may count from the program's first byte: then its first entry begins later. */
export type ZipLimits = { max_entries: number; max_unpacked: number; allow_prefix?: boolean }

export const zipLimits = ({
  zip_max_entries,
  zip_max_unpacked_gb,
}: Pick<Config, 'zip_max_entries' | 'zip_max_unpacked_gb'>): ZipLimits => ({
  max_entries: zip_max_entries,
  max_unpacked: zip_max_unpacked_gb * 1000 ** 3,
})

/** Past this, one at a time: each takes several times its size in memory while it is looked at. */
const LARGE_DIRECTORY = 1024 * 1024
const inTurn = createSerialQueue()

const MAX_PATH = 1024
const MAX_TARGET = 4096
const STORED = 0
const DEFLATED = 8
const ENCRYPTED = 0x0001 | 0x0040 | 0x2000
const UNSAFE_NAME = /[\u0000-\u001f\u007f\\]/

/** Whether a zip may be taken, from its directory alone; of its contents only symbolic links are read. */
export async function inspectZip(
  read: ReadAt,
  size: number,
  limits: ZipLimits,
): Promise<Directory> {
  const place = await findDirectory(read, size, limits)
  return place.length > LARGE_DIRECTORY
    ? inTurn(() => look(read, place, limits))
    : look(read, place, limits)
}

async function look(read: ReadAt, place: Place, limits: ZipLimits): Promise<Directory> {
  const directory = await readEntries(read, place)
  const { entries } = directory
  const unpacked = entries.reduce((sum, entry) => sum + entry.size, 0)
  if (unpacked > limits.max_unpacked)
    throw new ZipError(`unpacks to ${unpacked} bytes; at most ${limits.max_unpacked} are taken`)
  await forEachInSlices(entries.length, (index) => checkEntry(entries[index]!))
  await checkNames(entries)
  checkOverlap(entries, directory.start, limits.allow_prefix ?? false)
  await checkLinks(read, entries)
  return directory
}

/** Each name an unpacker may take for an entry: it has one or the other. */
const spellings = ({ path, unicode_path }: ZipEntry) =>
  unicode_path === undefined || unicode_path === path ? [path] : [path, unicode_path]

function checkEntry(entry: ZipEntry) {
  const { path, flags, method, size } = entry
  for (const name of spellings(entry)) checkPath(name)
  assertZip(
    (flags & ENCRYPTED) === 0,
    `holds an encrypted entry, ${quoted(path)}; encrypted files cannot be scanned`,
  )
  assertZip(
    method === STORED || method === DEFLATED,
    `holds ${quoted(path)} in a compression that cannot be scanned; use deflate`,
  )
  assertZip(
    method !== STORED || entry.compressed === size,
    `holds ${quoted(path)} with a size that is not its own`,
  )
  assertZip(!path.endsWith('/') || size === 0, `holds ${quoted(path)}, a folder with contents`)
}

/** A name that stays below the folder it is unpacked into, on every system. */
function checkPath(path: string) {
  assertZip(
    path !== '' && Buffer.byteLength(path) <= MAX_PATH,
    'holds an entry whose name is empty or too long',
  )
  assertZip(
    !UNSAFE_NAME.test(path),
    `holds ${quoted(path)}: names have no backslashes and no control characters`,
  )
  assertZip(
    !path.startsWith('/') && !/^[a-z]:/i.test(path),
    `holds ${quoted(path)}, an absolute path`,
  )
  const parts = path.replace(/\/$/, '').split('/')
  assertZip(
    !parts.includes('..') && !parts.includes('.') && !parts.includes(''),
    `holds ${quoted(path)}, a path that is not plain`,
  )
}

/** No name twice, none that is a file and a folder, and nothing inside a symbolic link; whichever spelling is taken for which entry. */
async function checkNames(entries: ZipEntry[]) {
  const files = new Set<string>()
  const folders = new Set<string>()
  await forEachInSlices(entries.length, (index) => {
    for (const path of spellings(entries[index]!)) {
      const names = path.endsWith('/') ? folders : files
      const name = path.replace(/\/$/, '')
      assertZip(!names.has(name), `holds ${quoted(path)} twice`)
      names.add(name)
    }
  })
  // Folders whose own way down was looked at: most entries share one.
  const looked = new Set<string>()
  const checkAbove = (path: string) => {
    assertZip(
      !path.endsWith('/') || !files.has(path.slice(0, -1)),
      `holds ${quoted(path)} as a file and as a folder`,
    )
    for (
      let at = path.lastIndexOf('/', path.length - 2);
      at > 0;
      at = path.lastIndexOf('/', at - 1)
    ) {
      const above = path.slice(0, at)
      if (looked.has(above)) return
      assertZip(!files.has(above), `holds ${quoted(path)} inside of a file or a link`)
      looked.add(above)
    }
  }
  await forEachInSlices(entries.length, (index) => spellings(entries[index]!).forEach(checkAbove))
}

const endOf = ({ offset, raw_name, compressed }: ZipEntry) =>
  offset + LOCAL_LENGTH + raw_name.length + compressed

/**
 * Each entry has bytes of its own: sharing them is how a small file unpacks to a huge one. Nothing overlaps exactly where the ends, in order, each
 * come before the next beginning, in order; and arrays of numbers are sorted in a moment where entries are not.
 */
function checkOverlap(entries: ZipEntry[], directory_start: number, allow_prefix: boolean) {
  const starts = Float64Array.from(entries, ({ offset }) => offset).sort()
  const ends = Float64Array.from(entries, endOf).sort()
  // What stands before the first entry is in no entry: programs that read from the front would unpack it, and nothing would scan it.
  assertZip(
    allow_prefix || (starts[0] ?? directory_start) === 0,
    'does not begin with its first entry',
  )
  const wrong = ends.findIndex((end, index) => end > (starts[index + 1] ?? directory_start))
  if (wrong < 0) return
  const found = entries.find((entry) => endOf(entry) === ends[wrong])!
  throw new ZipError(`holds ${quoted(found.path)} over the bytes of another entry`)
}

/** A link may go up as far as its own folders reach and then down; once it went down it may not go up again, since that may be another link. */
async function checkLinks(read: ReadAt, entries: ZipEntry[]) {
  for (const entry of entries.filter(({ is_symlink }) => is_symlink)) {
    const target = (await readSmall(read, entry, MAX_TARGET)).toString('utf8')
    const steps = target.split('/').filter((step) => step !== '' && step !== '.')
    const up = steps.findIndex((step) => step !== '..')
    const climbs = up < 0 ? steps.length : up
    const depth = Math.min(...spellings(entry).map((path) => path.split('/').length - 1))
    const leaves =
      target === '' ||
      UNSAFE_NAME.test(target) ||
      target.startsWith('/') ||
      /^[a-z]:/i.test(target) ||
      climbs > depth
    assertZip(
      !leaves && !steps.slice(climbs).includes('..'),
      `holds ${quoted(entry.path)}, a link that leads out of it`,
    )
  }
}

const quoted = (path: string) => JSON.stringify(path.length > 80 ? `${path.slice(0, 80)}…` : path)
