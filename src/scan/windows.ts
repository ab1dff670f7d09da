import { KIB } from '../core/runtime/units.ts'
import { ScanFailed, type Scanner, type Segment } from './scanner.ts'
import type { Finding } from './states.ts'

/** How many windows may be with the scanner while the next one fills. */
const MAX_IN_FLIGHT = 2
/** Most uploads fit in less than a window, so its memory grows from this size. */
const FIRST_BYTES = 64 * KIB

export type ScanWindows = {
  /** Adds bytes of a file. All bytes of one file come before those of the next. */
  add: (path: string, chunk: Uint8Array) => Promise<void>
  /** Waits for the scanner and returns all findings. */
  end: () => Promise<Finding[]>
}

/** A file within a window; `cut` if the window does not contain its beginning. */
type Part = { path: string; start: number; cut?: boolean }

/**
 * Cuts files into windows for a scanner. Small files share a window. A large file continues in the
 * next window, which repeats the end of the one before.
 */
export function createScanWindows(scanner: Scanner, signal: AbortSignal): ScanWindows {
  const findings: Finding[] = []
  const scans = new Set<Promise<void>>()
  let failure: unknown
  let buffer = Buffer.alloc(0)
  let filled = 0
  let parts: Part[] = []

  async function send() {
    if (failure) throw failure
    const ends = [...parts.slice(1).map(({ start }) => start), filled]
    const segments = parts.map(
      ({ path, start }, index): Segment => ({ path, bytes: buffer.subarray(start, ends[index]) }),
    )
    const scan: Promise<void> = scanner
      .scan(segments, signal)
      .then((results) => void findings.push(...results))
      .catch((error) => {
        failure ??= error
      })
      .finally(() => scans.delete(scan))
    scans.add(scan)
    buffer = Buffer.alloc(0)
    filled = 0
    parts = []
    if (scans.size >= MAX_IN_FLIGHT) await Promise.race(scans)
    if (failure) throw failure
  }

  /** Makes room for more bytes of the window, for the whole window where a file continues in it. */
  function reserve(bytes: number) {
    if (filled + bytes <= buffer.length) return
    const wanted = parts[0]?.cut ? scanner.window : Math.max(2 * (filled + bytes), FIRST_BYTES)
    const larger = Buffer.allocUnsafe(Math.min(wanted, scanner.window))
    buffer.copy(larger, 0, 0, filled)
    buffer = larger
  }

  /** The window is full within a file: the next one begins with the end of this one. */
  async function continueInNextWindow(path: string) {
    const { start, cut } = parts.at(-1)!
    // For a scanner that opens archives, a file is cut only if it does not fit a window alone.
    const moves = scanner.opens_archives && start > 0
    if (scanner.opens_archives && !moves && !cut && isArchive(buffer))
      throw new ScanFailed(`${JSON.stringify(path.slice(-80))} is an archive too large to scan`)
    const tail = Buffer.from(
      buffer.subarray(moves ? start : Math.max(start, filled - scanner.overlap), filled),
    )
    if (moves) {
      filled = start
      parts = parts.slice(0, -1)
    }
    await send()
    parts = [{ path, start: 0, cut: !moves }]
    reserve(tail.length)
    filled = tail.copy(buffer)
  }

  return {
    async add(path, chunk) {
      signal.throwIfAborted()
      if (parts.at(-1)?.path !== path) parts.push({ path, start: filled })
      for (let position = 0; position < chunk.length; ) {
        if (filled === scanner.window) await continueInNextWindow(path)
        const piece = chunk.subarray(position, position + scanner.window - filled)
        reserve(piece.length)
        buffer.set(piece, filled)
        filled += piece.length
        position += piece.length
      }
    },
    async end() {
      if (parts.length) await send()
      await Promise.all(scans)
      if (failure) throw failure
      const unique = new Map(
        findings.map((finding) => [`${finding.path}\0${finding.threat}`, finding]),
      )
      return [...unique.values()]
    },
  }
}

/** The magic numbers of archives other than zips, which are unpacked before they come here. */
const magics: [position: number, magic: string][] = [
  [0, '7z\xbc\xaf\x27\x1c'],
  [0, 'Rar!\x1a\x07'],
  [0, '\x1f\x8b\x08'],
  [0, '\xfd7zXZ\0'],
  [0, 'BZh'],
  [0, 'MSCF'],
  [257, 'ustar'],
]
const isArchive = (bytes: Buffer) =>
  magics.some(
    ([position, magic]) => bytes.toString('latin1', position, position + magic.length) === magic,
  )
