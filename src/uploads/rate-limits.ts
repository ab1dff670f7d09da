import { uploadLimits } from '../builds/limits.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal, refuse } from '../core/runtime/errors.ts'
import { HOUR } from '../core/security/limits.ts'

const perHour = {
  uploads: uploadLimits.uploads_per_hour,
  chunks: uploadLimits.chunks_per_hour,
  symbols: uploadLimits.symbol_uploads_per_hour,
} as const

/** The hourly counts of a game, whoever uploads for it and by whichever door. */
export async function countForGame(
  { limiter }: Core,
  what: keyof typeof perHour,
  game_uid: string,
): Promise<void> {
  try {
    await limiter.take(`game ${what}`, game_uid, { points: perHour[what], seconds: HOUR })
  } catch (error) {
    if (error instanceof Refusal) refuse('TOO_MANY_UPLOADS', error.data, undefined, error.headers)
    throw error
  }
}
