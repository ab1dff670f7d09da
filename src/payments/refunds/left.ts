import type { RefundRow } from './queries.ts'

export type Refundable = { amount_minor: number; refunded_minor: number }

/** Refunds that the provider made or is asked for. */
export const isSent = ({ state }: Pick<RefundRow, 'state'>) =>
  state === 'sending' || state === 'done'

/**
 * What is left of an order. Refunds that were sent count before the record of the order shows them,
 * so that requests at the same moment never send back more than was paid.
 */
export function leftOf(
  { amount_minor, refunded_minor }: Refundable,
  refunds: readonly Pick<RefundRow, 'state' | 'amount_minor'>[],
): number {
  const sent = refunds.filter(isSent).reduce((sum, refund) => sum + refund.amount_minor, 0)
  return amount_minor - Math.max(refunded_minor, sent)
}
