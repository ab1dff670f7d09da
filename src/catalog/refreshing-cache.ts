/**
 * How long a value is served, by the time it took to compute: `cost_factor` times as long, which
 * bounds the share of time spent on computing it, and never longer than `max_age_ms`.
 */
export type RefreshPolicy = { cost_factor: number; max_age_ms: number }

type Entry<T> = { value: T; made_at: number; cost_ms: number }

/** Whether an entry is served, served while it is computed again, or not served any more. */
function freshness(
  { made_at, cost_ms }: Omit<Entry<unknown>, 'value'>,
  { cost_factor, max_age_ms }: RefreshPolicy,
  now: number,
): 'fresh' | 'stale' | 'expired' {
  const age = now - made_at
  if (age >= max_age_ms) return 'expired'
  return age < cost_ms * cost_factor ? 'fresh' : 'stale'
}

/**
 * Serves stale values while it computes new ones, each key once at a time. It does not bound the
 * number of keys, so keys must be few and never chosen by a client.
 */
export function createRefreshingCache<T>(
  policy: RefreshPolicy,
  clock: () => number = () => performance.now(),
) {
  const entries = new Map<string, Entry<T>>()
  const pending = new Map<string, Promise<T>>()

  async function computeEntry(key: string, compute: () => Promise<T>): Promise<T> {
    const started = clock()
    const value = await compute()
    const made_at = clock()
    // Some keys fall out of use, for example those that contain a date.
    for (const [other_key, entry] of entries)
      if (made_at - entry.made_at >= policy.max_age_ms) entries.delete(other_key)
    entries.set(key, { value, made_at, cost_ms: made_at - started })
    return value
  }

  function computeOnce(key: string, compute: () => Promise<T>): Promise<T> {
    const running =
      pending.get(key) ?? computeEntry(key, compute).finally(() => pending.delete(key))
    pending.set(key, running)
    return running
  }

  return async (key: string, compute: () => Promise<T>): Promise<T> => {
    const entry = entries.get(key)
    const state = entry ? freshness(entry, policy, clock()) : 'expired'
    if (state === 'expired') return computeOnce(key, compute)
    // A failed refresh is reported to the first caller after the value has expired.
    if (state === 'stale') computeOnce(key, compute).catch(() => {})
    return entry!.value
  }
}
