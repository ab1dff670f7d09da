import type { Finding } from './states.ts'

/** A piece of a file of a zip, or of a zip within it. */
export type Segment = { path: string; bytes: Uint8Array }

export type Scanner = {
  engine: string
  /** How many bytes it scans at once, and by how many two scans of one file overlap. */
  window: number
  overlap: number
  /** It opens archives itself, which needs the whole archive in one window. */
  opens_archives?: boolean
  scan: (segments: Segment[], signal: AbortSignal) => Promise<Finding[]>
  /** The version of its program and signatures, which changes when they are renewed. */
  version: () => Promise<string>
  /** Throws unless it could scan now. */
  probe: () => Promise<void>
}

/** The scanner is unavailable; files stay unscanned until it is back. */
export class ScannerUnavailable extends Error {}
/** The scanner gave no verdict, which does not count as clean. */
export class ScanFailed extends Error {}
