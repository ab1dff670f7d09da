import { setTimeout as pause } from 'node:timers/promises'
import { duration } from '../documents/text.ts'
import { ApiError, NetworkError } from '../errors.ts'
import type { Settings } from '../settings.ts'
import type { Ui } from '../terminal/ui.ts'

export const TRIES = 5
const MOST_SECONDS = 30

/** What another try may mend: the network, a server that is busy or broken for the moment. */
export function isPassing(error: unknown): boolean {
  if (error instanceof NetworkError) return error.again
  return error instanceof ApiError && (error.status === 429 || error.status >= 500)
}

/** Before try n + 1: 1, 2, 4, 8, 16 seconds, or as long as the server asks, and never more than 30. */
export function backoff(
  failed: number,
  { retry_seconds }: Pick<Settings, 'retry_seconds'>,
  error?: unknown,
): number {
  const asked = error instanceof ApiError ? (error.retry_after ?? 0) : 0
  return Math.min(MOST_SECONDS, Math.max(retry_seconds * 2 ** (failed - 1), asked))
}

export type Waiting = { settings: Settings; ui: Ui; signal: AbortSignal }

export async function waitAndTell(
  failed: number,
  error: unknown,
  { settings, ui, signal }: Waiting,
): Promise<void> {
  const seconds = backoff(failed, settings, error)
  ui.note(
    `${(error as Error).message}; trying again in ${duration(seconds)} (try ${failed + 1} of ${TRIES})`,
  )
  await pause(seconds * 1000, undefined, { signal })
}

/** Tries a request until it is answered, or has failed as often as it may. */
export async function withTries<T>(waiting: Waiting, run: () => Promise<T>): Promise<T> {
  for (let failed = 1; ; failed++) {
    try {
      return await run()
    } catch (error) {
      if (failed >= TRIES || !isPassing(error)) throw error
      await waitAndTell(failed, error, waiting)
    }
  }
}
