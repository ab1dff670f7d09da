/** The retry schedule of webhooks: when a failed delivery is retried, and when it is given up. */

import type { IncomingHttpHeaders } from 'node:http'
import { HOUR, MINUTE, SECOND_MS } from '../../core/runtime/units.ts'
import type { DeliveryKind } from './queries.ts'

/** How long deliveries to a receiver are retried before the webhook is disabled. */
export const MAX_RETRY_SECONDS = 10 * HOUR
/** Not only time counts: after days of downtime of the service, a receiver gets these first. */
const MIN_ATTEMPTS = 4
const FIRST_DELAY = MINUTE
const MAX_DELAY = 2 * HOUR
/** The longest Retry-After that is honored: it still allows the minimum number of attempts. */
const MAX_RETRY_AFTER = MAX_RETRY_SECONDS / (MIN_ATTEMPTS - 1)
const JITTER = 0.2
/** From this attempt on, the next delivery is tried too: the cause may be this one report. */
const PROBE_NEXT_FROM_ATTEMPT = 3

/** Errors are shown to the owner of the receiver and name no more than its origin. */
export type FailedAttempt = {
  delivered: false
  status: number | null
  error: string
  retry_after: number | null
  /** The receiver no longer exists, so that retries are pointless. */
  is_gone: boolean
}
export type AttemptResult = { delivered: true; status: number } | FailedAttempt

/** Consecutive failures, the time of the first, and the Retry-After of the last in seconds. */
export type FailureStreak = { failures: number; since: Date; retry_after: number | null }

export type AttemptResponse = { status: number; headers: IncomingHttpHeaders; body: Buffer }

/** The chat service says in the body of this status how long to wait. */
export const CHAT_RATE_LIMITED = 429

/**
 * The chat service answers 404 only for webhooks that were deleted. Other receivers may answer it
 * while they are being installed.
 */
export function readAttemptResult(
  { status, headers, body }: AttemptResponse,
  kind: DeliveryKind,
  now: Date,
): AttemptResult {
  if (status >= 200 && status < 300) return { delivered: true, status }
  const is_gone = kind === 'chat' && status === 404
  const from_header = readRetryAfter(headers['retry-after'], now)
  const from_body =
    kind === 'chat' && status === CHAT_RATE_LIMITED ? readRetryAfterOfBody(body) : null
  const retry_after = longerOf(from_header, from_body)
  return { delivered: false, status, error: errorOf(status, is_gone), retry_after, is_gone }
}

function errorOf(status: number, is_gone: boolean): string {
  if (is_gone) return `It answered ${status}; the webhook was deleted in the chat service`
  return status >= 300 && status < 400
    ? `It answered ${status}; redirects are not followed, so save the final address`
    : `It answered ${status}`
}

/** The header is a number of seconds or a date; returns seconds. */
function readRetryAfter(header: string | undefined, now: Date): number | null {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}(\.\d{1,6})?$/.test(text)) return Math.ceil(Number(text))
  const date = /^[A-Za-z]{3}, /.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(date) ? null : Math.max(0, Math.ceil((date - now.getTime()) / SECOND_MS))
}

const longerOf = (a: number | null, b: number | null) =>
  a === null || b === null ? (a ?? b) : Math.max(a, b)

/** The body is JSON with `retry_after`, a number of seconds with a fraction; returns seconds. */
function readRetryAfterOfBody(body: Buffer): number | null {
  let retry_after: unknown
  try {
    retry_after = JSON.parse(body.toString('utf8'))?.retry_after
  } catch {
    return null
  }
  const is_wait = typeof retry_after === 'number' && retry_after >= 0 && retry_after < 1e9
  return is_wait ? Math.ceil(retry_after as number) : null
}

/** Whether the streak has used up its retries. */
export const isExhausted = ({ failures, since }: FailureStreak, now: Date) =>
  failures >= MIN_ATTEMPTS && now.getTime() - since.getTime() >= MAX_RETRY_SECONDS * SECOND_MS

export const shouldProbeNext = (attempts: number) => attempts >= PROBE_NEXT_FROM_ATTEMPT

/**
 * Retries after one minute, then doubles the delay up to two hours; the last attempt is at the end
 * of the ten hours. A Retry-After replaces the delay, up to a maximum and with at least a second
 * that doubles. `random`, from 0 to 1, adds jitter so that many retries do not come at once.
 */
export function nextAttemptAt(streak: FailureStreak, now: Date, random: number): Date {
  const { failures, since, retry_after } = streak
  const backoff = (first: number) => Math.min(first * 2 ** Math.min(failures - 1, 20), MAX_DELAY)
  const delay =
    retry_after === null
      ? backoff(FIRST_DELAY) * (1 + JITTER * random)
      : Math.max(Math.min(retry_after, MAX_RETRY_AFTER), backoff(1))
  const end = since.getTime() + MAX_RETRY_SECONDS * SECOND_MS
  const next = now.getTime() + delay * SECOND_MS
  return new Date(now.getTime() < end ? Math.min(next, end) : next)
}
