import { createHash } from 'node:crypto'
import { fileKey } from '../builds/files/key.ts'
import { readEntryHashes } from '../builds/files/queries.ts'
import { createCache } from '../core/runtime/cache.ts'
import type { Core } from '../core/runtime/core.ts'
import { forEachInSlices } from '../core/runtime/event-loop.ts'
import { perCore } from '../core/runtime/per-core.ts'
import { KIB, MIB } from '../core/runtime/units.ts'
import { findDirectory, readEntries, type ZipEntry } from '../uploads/zip/directory.ts'
import { readLinkTarget, unpack } from '../uploads/zip/entry.ts'
import { storedZip, type ZipSource } from '../uploads/zip/zip-source.ts'
import { canonicalJson } from './canonical-json.ts'
import {
  findLaunchFile,
  guessLaunch,
  LAUNCH_FILE,
  type Launch,
  MAX_LAUNCH_FILE,
  readLaunch,
} from './launch.ts'

/** A file or folder of a build. The path of a folder ends with a slash. */
export type ManifestEntry = {
  path: string
  size: number
  /** The permissions, such as 493 for rwxr-xr-x. */
  mode: number
  sha256: string
  /** The target of a symbolic link. */
  link?: string
}

/** What is in the zip of a build; it never changes. */
export type Contents = {
  entries: ManifestEntry[]
  /** Each entry as canonical JSON with a line break. */
  lines: string[]
  /** Of all lines. */
  sha256: string
  unpacked_size: number
  launch: Launch | null
}

export type StoredZipFile = {
  uid: string
  object_uid: string
  game_uid: string
  size: number
  os: string
}

const PERMISSIONS = 0o777
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755
const MAX_LINK = 4 * KIB
const CACHED_BYTES = 64 * MIB
/** What an entry takes in memory besides its line, roughly. */
const ENTRY_BYTES = 400
const EMPTY_SHA256 = createHash('sha256').digest('hex')

const contentsOf = perCore(() =>
  createCache<Contents>({
    max_bytes: CACHED_BYTES,
    bytesOf: ({ entries }) => entries.length * ENTRY_BYTES,
  }),
)

export async function readContents(core: Core, file: StoredZipFile): Promise<Contents> {
  const cache = contentsOf(core)
  const cached = cache.get(file.uid)
  if (cached) return cached
  const contents = await readZip(core, file)
  cache.set(file.uid, contents)
  return contents
}

async function readZip({ sql, storage, config }: Core, file: StoredZipFile): Promise<Contents> {
  const zip = storedZip(storage, fileKey(file), file.size)
  const location = await findDirectory(zip.read, file.size, {
    max_entries: config.zip_max_entries,
  })
  const [hashes, directory] = await Promise.all([
    readEntryHashes(sql, file.uid),
    readEntries(zip.read, location),
  ])
  const entries: ManifestEntry[] = []
  for (const entry of directory.entries) {
    const { path, size } = entry
    const sha256 = path.endsWith('/') ? EMPTY_SHA256 : hashes.get(path)
    if (!sha256) throw new Error('A file of the build has no recorded checksum')
    const link = entry.is_symlink
      ? (await readLinkTarget(zip.read, entry, MAX_LINK)).toString('utf8')
      : undefined
    entries.push({ path, size, mode: modeOf(entry), sha256, ...(link !== undefined && { link }) })
  }
  const hash = createHash('sha256')
  const lines: string[] = []
  await forEachInSlices(entries.length, (index) => {
    const line = `${canonicalJson(entries[index]!)}\n`
    hash.update(line)
    lines.push(line)
  })
  return {
    entries,
    lines,
    sha256: hash.digest('hex'),
    unpacked_size: entries.reduce((sum, { size }) => sum + size, 0),
    launch: (await declaredLaunch(zip, directory, file.os, entries)) ?? guess(entries, file.os),
  }
}

const guess = (entries: ManifestEntry[], os: string) => guessLaunch(entries, os) ?? null

/** Zips that were made without permissions get the usual ones; no bit gives more rights. */
function modeOf({ mode, path }: ZipEntry): number {
  const permissions = mode & PERMISSIONS
  return permissions || (path.endsWith('/') ? FOLDER_MODE : FILE_MODE)
}

async function declaredLaunch(
  zip: ZipSource,
  { entries, start }: { entries: ZipEntry[]; start: number },
  os: string,
  listed: ManifestEntry[],
): Promise<Launch | undefined> {
  const entry = findLaunchFile(entries)
  if (!entry || entry.is_symlink || entry.size > MAX_LAUNCH_FILE) return undefined
  const chunks: Buffer[] = []
  const end = entries.reduce(
    (next, { offset }) => (offset > entry.offset ? Math.min(next, offset) : next),
    start,
  )
  for await (const chunk of unpack(entry, end, zip)) chunks.push(chunk)
  const folder = entry.path.slice(0, -LAUNCH_FILE.length)
  return readLaunch(Buffer.concat(chunks).toString('utf8'), folder, os, listed)
}
