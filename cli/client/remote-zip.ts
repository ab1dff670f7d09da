import { KIB, MIB } from '../../src/core/runtime/units.ts'
import {
  findDirectory,
  type ReadAt,
  readEntries,
  type ZipEntry,
} from '../../src/uploads/zip/directory.ts'
import { exits, Failure } from '../errors.ts'
import { t } from '../messages.ts'
import type { Manifest } from './manifest.ts'
import { openRemoteFile, type RemoteFile } from './remote-file.ts'
import type { StoreApi } from './store-api.ts'

/** The zip of a build on the server, of which any part can be read. */
export type RemoteZip = RemoteFile & {
  size: number
  entries: () => Promise<Map<string, ZipEntry>>
}

const MAX_ENTRIES = 1_000_000
export function openRemoteZip(api: StoreApi, { file }: Manifest): RemoteZip {
  const { file_uid, size } = file
  const { read } = openRemoteFile(api, async () => {
    const kind = (await api.isSignedIn()) ? 'private' : 'public'
    return `/${kind}/downloads/${file_uid}?source=api`
  })
  const readAt: ReadAt = async (start, length) => {
    if (length === 0) return Buffer.alloc(0)
    const blocks: Buffer[] = []
    await read(start, start + length - 1, async (block) => void blocks.push(block))
    return Buffer.concat(blocks)
  }
  return {
    size,
    read,
    async entries() {
      const location = await findDirectory(readAt, size, { max_entries: MAX_ENTRIES })
      const { entries } = await readEntries(readAt, location)
      return new Map(entries.map((entry) => [entry.path, entry]))
    },
  }
}

/** Parts of the zip that are read at once: entries beside each other, or one that is large. */
export type Part = { start: number; end: number; entries: ZipEntry[]; is_large: boolean }

const LARGE_BYTES = 8 * MIB
/** A file that is smaller in the zip is unpacked in memory. */
const MAX_SIZE_IN_MEMORY = 64 * MIB
const MAX_PART = 16 * MIB
/** Reading these bytes for nothing costs less than another request. */
const MAX_GAP = 256 * KIB

/**
 * Groups entries so that many small files need few requests. Where an entry ends is known by where
 * the next one begins, because the length of its own header is not in the directory.
 */
export function planParts(
  needed: readonly ZipEntry[],
  all: Iterable<ZipEntry>,
  zip_size: number,
): Part[] {
  const starts = Float64Array.from(all, ({ offset }) => offset).sort()
  const endOf = (entry: ZipEntry) => (nextAfter(starts, entry.offset) ?? zip_size) - 1
  const parts: Part[] = []
  for (const entry of needed.toSorted((a, b) => a.offset - b.offset)) {
    const start = entry.offset
    const end = endOf(entry)
    const is_large = entry.compressed > LARGE_BYTES || entry.size > MAX_SIZE_IN_MEMORY
    const last = parts.at(-1)
    const joins =
      last &&
      !last.is_large &&
      !is_large &&
      start - last.end <= MAX_GAP &&
      end - last.start < MAX_PART
    if (joins) {
      last.end = end
      last.entries.push(entry)
    } else parts.push({ start, end, entries: [entry], is_large })
  }
  return parts
}

/** The first number above a value in sorted numbers. */
function nextAfter(sorted: Float64Array, value: number): number | undefined {
  let low = 0
  let high = sorted.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (sorted[middle]! > value) high = middle
    else low = middle + 1
  }
  return sorted[low]
}

export const damagedFile = (path: string) =>
  new Failure(exits.damaged, t('client-damaged', { path }), t('client-damaged-hint'))

export const isDamage = (error: unknown) =>
  error instanceof Failure && error.exit_code === exits.damaged
