import { HOUR_MS } from '../../core/runtime/units.ts'

/** Must be well below the age at which `sweepChanges` deletes changes, which is one day. */
const MAX_DELAY_MS = 12 * HOUR_MS

/**
 * Clears a cache that is validated by the freshness of listings twice a day. Once the latest change
 * of a listing is deleted, its freshness returns to the value from before that change, and an entry
 * from that time would be taken for current.
 */
export function forgetting(forget: () => void): () => void {
  let since = Date.now()
  return () => {
    if (Date.now() - since < MAX_DELAY_MS) return
    since = Date.now()
    forget()
  }
}
