import type { Scanner, Segment } from './scanner.ts'
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
  let [filled, parts] = [0, [] as { path: string; start: number }[]]

  async function send() {
    if (failure) throw failure
    const ends = [...parts.slice(1).map(({ start }) => start), filled]
    const segments = parts.map(({ path, start }, index): Segment => ({ path, bytes: buffer.subarray(start, ends[index]) }))
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
    const { start } = parts.at(-1)!
    const tail = Buffer.from(buffer.subarray(Math.max(start, filled - scanner.overlap), filled))
    await send()
    parts = [{ path, start: 0 }]
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
      return [...new Map(findings.map((finding) => [`${finding.path}\0${finding.threat}`, finding])).values()]
    },
  }
}
