import { HOUR_MS } from '../../core/runtime/units.ts'

/** Must be well below the age at which `sweepChanges` deletes changes, which is one day. */
const CLEAR_INTERVAL_MS = 12 * HOUR_MS

/**
 * Returns a function that every read of a cache calls, and that clears the cache twice a day. The
 * entries of such a cache are validated by the freshness of listings. Once the latest change of a
 * listing is deleted, its freshness returns to the value from before that change, and an entry from
 * that time would be taken for current.
 */
export function clearPeriodically(clear: () => void): () => void {
  let cleared_at = Date.now()
  return () => {
    if (Date.now() - cleared_at < CLEAR_INTERVAL_MS) return
    cleared_at = Date.now()
    clear()
  }
}
