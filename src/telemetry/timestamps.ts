import { DAY_MS } from '../core/runtime/units.ts'

const MS_US = 1000
export const DAY_US = DAY_MS * MS_US
/** A clock that is further behind than this is treated as wrong. */
export const MAX_AGE_US = 30 * DAY_US

/**
 * The times of the events of one request, in microseconds, in the order sent. `claimed` are the
 * times by the sender's clock, where given.
 *
 * If the newest claimed time is in the future or more than 30 days old, all claimed times are
 * shifted so that the newest is now; the intervals between events stay the same. An event that is
 * still too old (the clock was changed between two events) is placed just before the next valid
 * one. Events without a claimed time get the time of arrival, one microsecond apart.
 */
export function correctTimes(claimed: readonly (number | undefined)[], now_us: number): number[] {
  const newest = claimed.reduce<number>(
    (latest, time) => (time === undefined ? latest : Math.max(latest, time)),
    Number.NEGATIVE_INFINITY,
  )
  const clock_error = newest > now_us || newest < now_us - MAX_AGE_US ? newest - now_us : 0
  const times = claimed.map((time) => (time === undefined ? undefined : time - clock_error))
  const corrected: number[] = new Array(times.length)
  // Backwards, because an invalid time depends on the one after it.
  let next: number | undefined
  for (let i = times.length - 1; i >= 0; i--) {
    const time = times[i]
    if (time !== undefined && time >= now_us - MAX_AGE_US) next = time
    else next = next === undefined ? now_us + i : next - 1
    corrected[i] = next
  }
  return corrected
}

/**
 * Reads an ISO 8601 text, or seconds or milliseconds since 1970, as microseconds. Returns undefined
 * for anything else.
 */
export function readTime(value: unknown): number | undefined {
  if (typeof value === 'string') {
    const ms = /^\d{4}-\d\d-\d\d/.test(value) ? Date.parse(value) : Number.NaN
    return Number.isNaN(ms) ? undefined : Math.round(ms * MS_US)
  }
  if (typeof value !== 'number' || !Number.isFinite(value) || value <= 0 || value > 1e14)
    return undefined
  return Math.round(value < 1e11 ? value * 1000 * MS_US : value * MS_US)
}

let last = { day_number: Number.NaN, text: '' }

/** The UTC day of a time. Consecutive calls mostly ask for the same day, so the last is cached. */
export function dayOf(time_us: number): string {
  const day_number = Math.floor(time_us / DAY_US)
  if (last.day_number !== day_number)
    last = { day_number, text: new Date(day_number * DAY_MS).toISOString().slice(0, 10) }
  return last.text
}

export const daysBetween = (from: string, to: string): number =>
  (Date.parse(to) - Date.parse(from)) / DAY_MS
