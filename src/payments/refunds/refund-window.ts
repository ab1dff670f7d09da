import { HOUR_MS, MINUTE } from '../../core/runtime/units.ts'
import type { OrderState } from '../orders/states.ts'

/** How a buyer can return an order: at once, by asking the developer, or not. */
export const refundWays = ['now', 'request', 'no'] as const
export type RefundWay = (typeof refundWays)[number]

export type RefundRules = { refund_window_hours: number; refund_play_minutes: number }
type Bought = {
  state: OrderState
  paid_at: Date | null
  amount_minor: number
  refunded_minor: number
}

type Use = { play_seconds: number; is_pending: boolean; is_declined_gift?: boolean }

/** Within the window and hardly played, a buyer need not ask anybody, nor for a declined gift. */
export function refundWay(
  { state, paid_at, amount_minor, refunded_minor }: Bought,
  { play_seconds, is_pending, is_declined_gift = false }: Use,
  { refund_window_hours, refund_play_minutes }: RefundRules,
  now: Date,
): RefundWay {
  if (state !== 'paid' || !paid_at || refunded_minor >= amount_minor || is_pending) return 'no'
  if (is_declined_gift) return 'now'
  const is_recent = now.getTime() - paid_at.getTime() <= refund_window_hours * HOUR_MS
  return is_recent && play_seconds <= refund_play_minutes * MINUTE ? 'now' : 'request'
}
