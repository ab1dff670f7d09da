import type { Config } from '../core/runtime/config.ts'
import { clamdScanner } from './clamd.ts'
import { embeddedScanner } from './embedded.ts'
import type { Scanner } from './scanner.ts'

/** The operator's clamd if configured, otherwise the embedded scanner. */
export function scannerFor({ clamd_url }: Pick<Config, 'clamd_url'>): Scanner {
  return clamd_url ? clamdScanner(clamd_url) : embeddedScanner
}
