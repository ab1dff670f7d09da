import type { OrderState } from '../orders/states.ts'

/** What became of a gift that is paid. The database updates one only from one that leads to it. */
export const giftDecisions = ['waiting', 'accepted', 'declined'] as const
export type GiftDecision = (typeof giftDecisions)[number]

/** A gift is decided about once. It waits for that without an end. */
export const giftTransitions: Record<GiftDecision, readonly GiftDecision[]> = {
  waiting: ['accepted', 'declined'],
  accepted: [],
  declined: [],
}

export const giftStates = ['unpaid', ...giftDecisions, 'returned'] as const
export type GiftState = (typeof giftStates)[number]

/** What buyer and receiver see. A gift whose payment went back is none, whatever was decided. */
export function giftState(order: OrderState, decision: GiftDecision): GiftState {
  if (order === 'open' || order === 'expired') return 'unpaid'
  return order === 'paid' ? decision : 'returned'
}
