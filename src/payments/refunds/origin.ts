import type { RefundRow } from './queries.ts'

/** Who started a refund: the buyer, the developer or an operator, or the store by itself. */
export const refundOrigins = ['buyer', 'seller', 'store'] as const
export type RefundOrigin = (typeof refundOrigins)[number]

/** The reason of refunds that the store makes by itself. */
export const AUTOMATIC = 'automatic'

type Refund = Pick<RefundRow, 'requested_by' | 'reason' | 'answer' | 'state'>
type Order = { buyer_uid: string | null }

export function refundOrigin({ buyer_uid }: Order, { requested_by, reason }: Refund): RefundOrigin {
  if (requested_by === null && reason === AUTOMATIC) return 'store'
  return requested_by !== null && requested_by === buyer_uid ? 'buyer' : 'seller'
}

/**
 * What the developer or an operator wrote to the buyer. The answer of a refund that failed is the
 * one of the provider, which is not for buyers.
 */
export function messageToBuyer(order: Order, refund: Refund): string {
  const origin = refundOrigin(order, refund)
  if (origin === 'store') return ''
  if (origin === 'seller') return refund.reason
  return refund.state === 'failed' ? '' : refund.answer
}
