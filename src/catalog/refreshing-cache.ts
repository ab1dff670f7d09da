import type { Core } from '../core/runtime/core.ts'
import { countEverCreated } from './cards/queries.ts'

/** How long an answer is good for, by what it cost to make, so that making it takes a bounded share of the time. */
export type Keeping = { cost_factor: number; max_age_ms: number }

type Kept<T> = { value: T; made_at: number; cost_ms: number }

/** What to do with a kept answer: send it, send it and make another meanwhile, or wait for another. */
export function look(
  { made_at, cost_ms }: Omit<Kept<unknown>, 'value'>,
  { cost_factor, max_age_ms }: Keeping,
  now: number,
) {
  const age = now - made_at
  if (age >= max_age_ms) return 'gone'
  return age < cost_ms * cost_factor ? 'fresh' : 'old'
}

/** Answers by key, each made once at a time. The keys are few and the caller's own, never a stranger's. */
export function createRefreshingCache<T>(
  keeping: Keeping,
  clock: () => number = () => performance.now(),
) {
  const kept = new Map<string, Kept<T>>()
  const making = new Map<string, Promise<T>>()

  async function make(key: string, how: () => Promise<T>): Promise<T> {
    const started = clock()
    const value = await how()
    const made_at = clock()
    // Keys may go out of use, as the ones that hold a date do.
    for (const [one, { made_at: then }] of kept)
      if (made_at - then >= keeping.max_age_ms) kept.delete(one)
    kept.set(key, { value, made_at, cost_ms: made_at - started })
    return value
  }

  function makeOnce(key: string, how: () => Promise<T>): Promise<T> {
    const running = making.get(key) ?? make(key, how).finally(() => making.delete(key))
    making.set(key, running)
    return running
  }

  return async (key: string, how: () => Promise<T>): Promise<T> => {
    const known = kept.get(key)
    const state = known ? look(known, keeping, clock()) : 'gone'
    if (state === 'gone') return makeOnce(key, how)
    // Whoever comes after tells of a failure, when nothing is left to send.
    if (state === 'old') makeOnce(key, how).catch(() => {})
    return known!.value
  }
}

/** A catalog of fewer listings, hidden ones counted, is asked anew with every request: that is cheap, and never a moment behind. */
const LARGE = 5000
const large = new WeakSet<Core>()

export async function isLarge(core: Core): Promise<boolean> {
  if (large.has(core)) return true
  if ((await countEverCreated(core.sql)) < LARGE) return false
  large.add(core)
  return true
}
