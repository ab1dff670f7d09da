import { invalidField } from '../listings/fields/text.ts'

/** The first heartbeat has no earlier one to measure from, so its credit has a limit of its own. */
const FIRST_HEARTBEAT_SECONDS = 600

/**
 * The seconds that a heartbeat adds: what it claims, but never more than the time since the last
 * heartbeat (null: there was none).
 */
export function creditSeconds(claimed: unknown, seconds_since_last: number | null): number {
  if (typeof claimed !== 'number' || !Number.isFinite(claimed) || claimed < 0) {
    invalidField(
      { refusal: 'MALFORMED', field: 'seconds' },
      'send the seconds played since the last heartbeat, 0 or more',
    )
  }
  const limit = seconds_since_last ?? FIRST_HEARTBEAT_SECONDS
  return Math.max(0, Math.floor(Math.min(claimed, limit)))
}
