import type { Finding } from './states.ts'

/** A piece of a file, from a zip or from a zip within it. */
export type Segment = { path: string; bytes: Uint8Array }

export type Scanner = {
  engine: string
  /** How much it looks at in one go, and by how much two goes over one file overlap. */
  window: number
  overlap: number
  /** It opens archives itself, which it can only where it gets them whole. */
  opens_archives?: boolean
  scan: (segments: Segment[], signal: AbortSignal) => Promise<Finding[]>
  /** Throws unless it would scan now. */
  probe: () => Promise<void>
}

/** It cannot be asked now; what was not scanned stays so until it is back. */
export class ScannerAway extends Error {}
/** It was asked and could not say; that is no clean. */
export class ScanFailed extends Error {}
