import { DAY, HOUR, MINUTE } from '../../core/runtime/units.ts'
import type { StoreSettings } from '../../core/settings/table.ts'

type IdleLimits = Pick<StoreSettings, 'session_idle_days' | 'operator_idle_hours'>
type SessionUse = { last_used_at: Date; operator: boolean; moderator: boolean }

const secondsSince = (at: Date, now: Date) => (now.getTime() - at.getTime()) / 1000

/** Whether a session ended because nobody used it. Operators and moderators have less time. */
export function isIdle(session: SessionUse, limits: IdleLimits, now: Date): boolean {
  const is_staff = session.operator || session.moderator
  const limit = is_staff ? limits.operator_idle_hours * HOUR : limits.session_idle_days * DAY
  return secondsSince(session.last_used_at, now) >= limit
}

/** Whether to record a use. A minute apart is exact enough, and spares a write per request. */
export const isUseDue = (last_used_at: Date, now: Date): boolean =>
  secondsSince(last_used_at, now) >= MINUTE
