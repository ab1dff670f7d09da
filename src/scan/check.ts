import type { Log } from '../core/runtime/log.ts'
import type { Scanner } from './scanner.ts'

/** The check of /ready. It logs when the scanner stops to answer, and when it answers again. */
export function scannerCheck(scanner: Pick<Scanner, 'probe'>, log: Log): () => Promise<void> {
  let is_away = false
  return async () => {
    try {
      await scanner.probe()
      if (is_away) log.info('the virus scanner answers again: waiting files are scanned')
      is_away = false
    } catch (error) {
      if (!is_away)
        log.warn(
          { error: (error as Error).message },
          'the virus scanner does not answer: files stay scanning until it does; see CLAMD_URL',
        )
      is_away = true
      throw error
    }
  }
}
