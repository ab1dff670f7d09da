import { uploadLimits } from '../builds/upload-limits.ts'
import type { Core } from '../core/runtime/core.ts'
import { Refusal, refuse } from '../core/runtime/errors.ts'
import { HOUR } from '../core/runtime/units.ts'

export const hourlyLimits = {
  uploads: uploadLimits.uploads_per_hour,
  chunks: uploadLimits.chunks_per_hour,
  deltas: uploadLimits.uploads_per_hour,
  symbols: uploadLimits.symbol_uploads_per_hour,
} as const

/** Counts a request against the hourly limit of the game, whoever uploads and on which route. */
export async function enforceHourlyLimit(
  { limiter }: Core,
  kind: keyof typeof hourlyLimits,
  game_uid: string,
): Promise<void> {
  try {
    await limiter.take(`game ${kind}`, game_uid, { points: hourlyLimits[kind], seconds: HOUR })
  } catch (error) {
    if (error instanceof Refusal) refuse('TOO_MANY_UPLOADS', error.data, undefined, error.headers)
    throw error
  }
}
