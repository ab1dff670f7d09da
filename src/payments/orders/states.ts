/** What can become of an order. The database updates a state only from one that leads to it. */
export const orderStates = ['open', 'paid', 'refunded', 'disputed', 'expired'] as const
export type OrderState = (typeof orderStates)[number]

/**
 * An expired order can still become paid: the payment may have arrived at the last moment, and the
 * record of the provider decides. A dispute that the seller wins, and a refund that fails after it
 * was sent, make the order paid again.
 */
export const transitions: Record<OrderState, readonly OrderState[]> = {
  open: ['paid', 'expired'],
  expired: ['paid'],
  paid: ['refunded', 'disputed'],
  disputed: ['paid', 'refunded'],
  refunded: ['disputed', 'paid'],
}

export const canBecome = (from: OrderState, to: OrderState): boolean =>
  transitions[from].includes(to)

/** Whether the buyer has the copy. */
export const hasCopy = (state: OrderState): boolean => state === 'paid'

type Amounts = { amount_minor: number; refunded_minor: number }
type Facts = { is_paid: boolean; is_disputed: boolean; is_expired: boolean }

/** The state of an order by the facts that the provider reports. */
export function stateOf(
  { amount_minor, refunded_minor }: Amounts,
  { is_paid, is_disputed, is_expired }: Facts,
): OrderState {
  if (!is_paid) return is_expired ? 'expired' : 'open'
  if (is_disputed) return 'disputed'
  return refunded_minor > 0 && refunded_minor >= amount_minor ? 'refunded' : 'paid'
}
