import type { Config } from '../core/config.ts'
import { embeddedScanner } from './embedded.ts'
import type { Scanner } from './scanner.ts'

/** The operator's clamd where there is one, else our own. */
export function scannerOf(_config: Config): Scanner {
  return embeddedScanner
}
