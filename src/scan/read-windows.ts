import { ScanFailed, type Scanner, type Segment } from './scanner.ts'
import type { Finding } from './states.ts'

/** How many windows may be with the scanner while the next one fills. */
const AHEAD = 2

export type Windows = {
  /** More bytes of a file; all of one file come before the next. */
  add: (path: string, chunk: Uint8Array) => Promise<void>
  /** Everything found, once the scanner has seen all of it. */
  end: () => Promise<Finding[]>
}

/** Cuts files into windows for a scanner: small files share one, large ones go on in the next, which repeats the end of the one before. */
export function openWindows(scanner: Scanner, signal: AbortSignal): Windows {
  const findings: Finding[] = []
  const busy = new Set<Promise<void>>()
  let failure: unknown
  let buffer = Buffer.allocUnsafe(scanner.window)
  let [filled, parts] = [0, [] as { path: string; start: number; cut?: boolean }[]]

  async function send() {
    if (failure) throw failure
    const ends = [...parts.slice(1).map(({ start }) => start), filled]
    const segments = parts.map(
      ({ path, start }, index): Segment => ({ path, bytes: buffer.subarray(start, ends[index]) }),
    )
    const run: Promise<void> = scanner
      .scan(segments, signal)
      .then((found) => void findings.push(...found))
      .catch((error) => {
        failure ??= error
      })
      .finally(() => busy.delete(run))
    busy.add(run)
    ;[buffer, filled, parts] = [Buffer.allocUnsafe(scanner.window), 0, []]
    if (busy.size >= AHEAD) await Promise.race(busy)
    if (failure) throw failure
  }

  /** The window is full in the middle of a file: the next one begins with what this one ended with. */
  async function goOn(path: string) {
    const { start, cut } = parts.at(-1)!
    // Where the scanner opens archives a file is cut only when it does not fit a window of its own.
    const moves = scanner.opens_archives && start > 0
    if (scanner.opens_archives && !moves && !cut && isArchive(buffer))
      throw new ScanFailed(
        `${JSON.stringify(path.slice(-80))} is an archive too large to be looked into`,
      )
    const tail = Buffer.from(
      buffer.subarray(moves ? start : Math.max(start, filled - scanner.overlap), filled),
    )
    if (moves) [filled, parts] = [start, parts.slice(0, -1)]
    await send()
    parts = [{ path, start: 0, cut: !moves }]
    filled = tail.copy(buffer)
  }

  return {
    async add(path, chunk) {
      signal.throwIfAborted()
      if (parts.at(-1)?.path !== path) parts.push({ path, start: filled })
      for (let at = 0; at < chunk.length; ) {
        if (filled === scanner.window) await goOn(path)
        const piece = chunk.subarray(at, at + scanner.window - filled)
        buffer.set(piece, filled)
        filled += piece.length
        at += piece.length
      }
    },
    async end() {
      if (parts.length) await send()
      await Promise.all(busy)
      if (failure) throw failure
      return [
        ...new Map(
          findings.map((finding) => [`${finding.path}\0${finding.threat}`, finding]),
        ).values(),
      ]
    },
  }
}

const magics: [number, string][] = [
  [0, '7z\xbc\xaf\x27\x1c'],
  [0, 'Rar!\x1a\x07'],
  [0, '\x1f\x8b\x08'],
  [0, '\xfd7zXZ\0'],
  [0, 'BZh'],
  [0, 'MSCF'],
  [257, 'ustar'],
]
/** How the archives begin that are not zips; those are opened before they come here. */
const isArchive = (bytes: Buffer) =>
  magics.some(([at, magic]) => bytes.toString('latin1', at, at + magic.length) === magic)
