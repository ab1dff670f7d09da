import type { Config } from '../core/runtime/config.ts'
import { clamdScanner } from './clamd.ts'
import { embeddedScanner } from './embedded.ts'
import type { Scanner } from './scanner.ts'

/** The operator's clamd where there is one, else our own. */
export function scannerOf({ clamd_url }: Pick<Config, 'clamd_url'>): Scanner {
  return clamd_url ? clamdScanner(clamd_url) : embeddedScanner
}
