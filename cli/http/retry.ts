import { setTimeout as pause } from 'node:timers/promises'
import { duration } from '../documents/text.ts'
import { ApiError, NetworkError } from '../errors.ts'
import { t } from '../messages.ts'
import type { ConnectionSettings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'

export const MAX_ATTEMPTS = 5
const MAX_BACKOFF_SECONDS = 30
const MAX_WAIT_SECONDS = (MAX_ATTEMPTS - 1) * MAX_BACKOFF_SECONDS

/** Whether a retry may help: a network error, or a server that is busy or failing. */
export function isTransient(error: unknown): boolean {
  if (error instanceof NetworkError) return error.can_retry
  return error instanceof ApiError && (error.status === 429 || error.status >= 500)
}

/** Whether a connection broke while the body of an answer arrived. */
export const isCut = (error: unknown) =>
  ['ECONNRESET', 'EPIPE', 'ETIMEDOUT'].includes((error as NodeJS.ErrnoException).code ?? '')

/** Whether a rate limit ends only after the last retry, so that waiting for it is pointless. */
export const outlastsRetries = (status: number, retry_after = 0) =>
  status === 429 && retry_after > MAX_WAIT_SECONDS

/** Seconds before a retry: 1, 2, 4, 8, 16, or what Retry-After says, at most 30. */
export function backoff(
  failed: number,
  { retry_seconds }: Pick<ConnectionSettings, 'retry_seconds'>,
  error?: unknown,
): number {
  const retry_after = error instanceof ApiError ? (error.retry_after ?? 0) : 0
  return Math.min(MAX_BACKOFF_SECONDS, Math.max(retry_seconds * 2 ** (failed - 1), retry_after))
}

export type RetryContext = { settings: ConnectionSettings; ui: Ui; signal: AbortSignal }

/** Waits before the next attempt; throws the error if no attempt can succeed. */
export async function waitBeforeRetry(
  failed: number,
  error: unknown,
  { settings, ui, signal }: RetryContext,
): Promise<void> {
  if (error instanceof ApiError && outlastsRetries(error.status, error.retry_after)) throw error
  const seconds = backoff(failed, settings, error)
  ui.note(
    t('retry', {
      message: (error as Error).message,
      time: duration(seconds),
      attempt: String(failed + 1),
      max: String(MAX_ATTEMPTS),
    }),
  )
  await pause(seconds * 1000, undefined, { signal })
}

/** Repeats a request until it succeeds, fails permanently, or has used all attempts. */
export async function withRetries<T>(context: RetryContext, run: () => Promise<T>): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await run()
    } catch (error) {
      if (failed >= MAX_ATTEMPTS || !isTransient(error)) throw error
      await waitBeforeRetry(failed, error, context)
    }
  }
}
