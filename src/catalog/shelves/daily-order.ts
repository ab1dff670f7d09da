import { sha256 } from '../../core/security/crypto.ts'

/** Listings are hashed into this many buckets by the end of their uid, as in migration 0009. */
export const BUCKETS = 65_536

/**
 * A permutation of the buckets for each day: bucket → (bucket × step + start) mod BUCKETS. It
 * visits each bucket once because the step is odd.
 */
export type DailyOrder = { date: string; step: number; start: number }

/** The date of all shelves. It changes at midnight UTC. */
export const dateOf = (now: Date) => now.toISOString().slice(0, 10)

export function dailyOrder(date: string): DailyOrder {
  const bytes = sha256(date)
  return { date, step: bytes.readUInt16BE(0) | 1, start: bytes.readUInt16BE(2) }
}

/** The buckets at the positions from `from` up to, but not including, `to`. */
export function bucketsAt({ step, start }: DailyOrder, from: number, to: number): number[] {
  const inverse = inverseOf(step)
  return Array.from(
    { length: to - from },
    (_, i) => ((from + i - start + BUCKETS) * inverse) % BUCKETS,
  )
}

/** The modular inverse of an odd number by Newton's method: each round doubles the right bits. */
function inverseOf(step: number): number {
  let inverse = 1
  for (let i = 0; i < 5; i++)
    inverse = Math.imul(inverse, 2 - Math.imul(step, inverse)) & (BUCKETS - 1)
  return inverse
}

export type Window = { from: number; to: number }
const FIRST_WINDOW = 512
const MIN_WINDOW = 16
const GROWTH = 4
/** Up to this many buckets are looked up by index; for more, a scan of all is as fast. */
export const MAX_LISTED_BUCKETS = 8192

/** Growing windows over the order of the day. `first` is the size that was enough the last time. */
export function* windows(first = FIRST_WINDOW): Generator<Window> {
  for (let from = 0, size = first; from < BUCKETS; size *= GROWTH) {
    const to = size > MAX_LISTED_BUCKETS ? BUCKETS : Math.min(from + size, BUCKETS)
    yield { from, to }
    from = to
  }
}

/** The window that will probably be enough the next time, when `needed` buckets were needed now. */
export const nextWindow = (needed: number) =>
  Math.min(Math.max(Math.ceil(needed * 1.5), MIN_WINDOW), BUCKETS)
