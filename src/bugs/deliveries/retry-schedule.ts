import type { IncomingHttpHeaders } from 'node:http'

const HOUR = 3600
/** How long a receiver is tried before it counts as dead. */
export const MAX_RETRY_SECONDS = 10 * HOUR
/** A service that was off for a while has not tried, however much time went by. */
const LEAST_TRIES = 4
const FIRST_WAIT = 60
const LONGEST_WAIT = 2 * HOUR
/** What a receiver may ask for: with more, it would not have had its tries when the ten hours end. */
export const MAX_RETRY_AFTER = MAX_RETRY_SECONDS / (LEAST_TRIES - 1)
const SPREAD = 0.2
/** From this attempt on the next delivery is tried as well: perhaps it is not the receiver, but this one report, that is the trouble. */
const TRY_THE_NEXT_FROM = 3

/** What came of one attempt. Errors are for the owner of the receiver to read and name no more than its origin. */
export type Outcome =
  | { arrived: true; status: number }
  | { arrived: false; status: number | null; error: string; retry_after: number | null }

/** Failures in a row, since when, and what the receiver asked for. */
export type Trouble = { failures: number; since: Date; retry_after: number | null }

export function outcomeOf(status: number, headers: IncomingHttpHeaders, now: Date): Outcome {
  if (status >= 200 && status < 300) return { arrived: true, status }
  const error =
    status >= 300 && status < 400
      ? `It answered ${status}: redirects are not followed, save the address it leads to`
      : `It answered ${status}`
  return { arrived: false, status, error, retry_after: readRetryAfter(headers['retry-after'], now) }
}

/** Seconds or a date, as the header has it. */
export function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text))
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now.getTime()) / 1000))
}

export const isOver = ({ failures, since }: Trouble, now: Date) =>
  failures >= LEAST_TRIES && now.getTime() - since.getTime() >= MAX_RETRY_SECONDS * 1000

export const shouldProbeNext = (attempts: number) => attempts >= TRY_THE_NEXT_FROM

/**
 * When to try again: after a minute, then twice as long each time up to two hours, with the last try when the ten hours end. A receiver that says
 * when is asked then, within reason, and if it still refuses, no sooner than seconds that double. `spread` is from 0 to 1, and keeps many from coming at once.
 */
export function nextAttemptAt(
  { failures, since, retry_after }: Trouble,
  now: Date,
  spread: number,
): Date {
  const doubling = (first: number) =>
    Math.min(first * 2 ** Math.min(failures - 1, 20), LONGEST_WAIT)
  const wait =
    retry_after === null
      ? doubling(FIRST_WAIT) * (1 + SPREAD * spread)
      : Math.max(Math.min(retry_after, MAX_RETRY_AFTER), doubling(1))
  const end = since.getTime() + MAX_RETRY_SECONDS * 1000
  const wanted = now.getTime() + wait * 1000
  return new Date(now.getTime() < end ? Math.min(wanted, end) : wanted)
}
