const MS = 1000
const DAY_US = 86_400_000 * MS
/** Older than this, a clock is not late but wrong. */
export const OLDEST_US = 30 * DAY_US

/**
 * When the events of one request happened, in microseconds, in the order sent. `claimed` is what the sender's clock said, if anything.
 *
 * A clock that runs ahead is set back so that its newest event happened now, one that is more than 30 days behind is set forward the same
 * way: what happened between the events stays as long as it was. A single event that still cannot be (a clock that was set between two
 * events) happened just before the next one that can. Without a clock, events happened when they came, one microsecond after another.
 */
export function believe(claimed: readonly (number | undefined)[], now_us: number): number[] {
  const newest = claimed.reduce<number>(
    (most, one) => (one === undefined ? most : Math.max(most, one)),
    Number.NEGATIVE_INFINITY,
  )
  const wrong_by = newest > now_us || newest < now_us - OLDEST_US ? newest - now_us : 0
  const times = claimed.map((one) => (one === undefined ? undefined : one - wrong_by))
  const believed: number[] = new Array(times.length)
  // From the last to the first, so that the next one is known.
  let next: number | undefined
  for (let i = times.length - 1; i >= 0; i--) {
    const time = times[i]
    if (time !== undefined && time >= now_us - OLDEST_US) next = time
    else next = next === undefined ? now_us + i : next - 1
    believed[i] = next
  }
  return believed
}

/** What a sender wrote as a time: an ISO text, or seconds or milliseconds since 1970. Anything else is no time. */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const ms = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN
    return Number.isNaN(ms) ? undefined : Math.round(ms * MS)
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0 || value > 1e14)
    return undefined
  return Math.round(value < 1e11 ? value * 1000 * MS : value * MS)
}

let known = { number: Number.NaN, text: '' }

/** The day a moment lies in, in UTC. Nearly always the same one as the last. */
export function dayOf(time_us: number): string {
  const number = Math.floor(time_us / DAY_US)
  if (known.number !== number)
    known = { number, text: new Date((number * DAY_US) / MS).toISOString().slice(0, 10) }
  return known.text
}

export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / 86_400_000
