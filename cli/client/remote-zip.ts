import { KIB, MIB } from '../../src/core/runtime/units.ts'
import {
  findDirectory,
  type ReadAt,
  readEntries,
  type ZipEntry,
} from '../../src/uploads/zip/directory.ts'
import { ApiError, exits, Failure, NetworkError } from '../errors.ts'
import { isTransient, MAX_ATTEMPTS, waitBeforeRetry } from '../http/retry.ts'
import { t } from '../messages.ts'
import type { Manifest } from './manifest.ts'
import type { StoreApi } from './store-api.ts'

/** The zip of a build on the server, of which any part can be read. */
export type RemoteZip = {
  size: number
  /** Calls `onBlock` with the bytes from `start` to `end`, in order; it resumes after failures. */
  read: (start: number, end: number, onBlock: (block: Buffer) => Promise<void>) => Promise<void>
  entries: () => Promise<Map<string, ZipEntry>>
}

const MAX_ENTRIES = 1_000_000
/** A link that ends soon is renewed before it is used. */
const RENEW_MS = 30_000

/** Links are signed for a few minutes; a long download renews them. */
export function openRemoteZip(api: StoreApi, { file }: Manifest): RemoteZip {
  const { file_uid, size } = file
  const kind = api.settings.token ? 'private' : 'public'
  let link: { url: string; expires_at: number } | undefined
  async function currentUrl(): Promise<string> {
    if (link && link.expires_at - Date.now() > RENEW_MS) return link.url
    const data = await api.get(`/${kind}/downloads/${file_uid}?source=api`)
    link = { url: String(data?.url), expires_at: Date.parse(String(data?.expires_at)) }
    return link.url
  }

  async function read(start: number, end: number, onBlock: (block: Buffer) => Promise<void>) {
    let at = start
    for (let failed = 0; at <= end; ) {
      try {
        const body = await api.range(await currentUrl(), at, end)
        for await (const block of body as AsyncIterable<Buffer>) {
          if (at + block.length > end + 1) throw new NetworkError(t('client-too-long'))
          await onBlock(block)
          at += block.length
          failed = 0
        }
        if (at <= end) throw new NetworkError(t('network-answer-cut'))
      } catch (error) {
        if (api.signal.aborted) throw error
        // A link that was refused may have ended; a new one says why there is none.
        const was_refused = error instanceof ApiError && [403, 404, 410].includes(error.status)
        if (was_refused && link) link = undefined
        else if (++failed >= MAX_ATTEMPTS || !(isTransient(error) || isCut(error))) throw error
        await waitBeforeRetry(Math.max(failed, 1), error, api)
        if (was_refused) failed++
      }
    }
  }

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

/** A connection that broke while the body arrived. */
const isCut = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Parts of the zip that are read at once: entries beside each other, or one that is large. */
export type Part = { start: number; end: number; entries: ZipEntry[]; is_large: boolean }

const LARGE_BYTES = 8 * MIB
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
    const is_large = entry.compressed > LARGE_BYTES
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
