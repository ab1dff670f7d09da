/** Well below the day after which changes are swept (`sweepChanges`). */
const MOST_MS = 12 * 3_600_000

/**
 * What is kept by the freshness of a listing is forgotten twice a day. When the only change since is swept, freshness is again what it was before
 * the change, and something kept from then would be taken for new.
 */
export function forgetting(forget: () => void): () => void {
  let since = Date.now()
  return () => {
    if (Date.now() - since < MOST_MS) return
    since = Date.now()
    forget()
  }
}
