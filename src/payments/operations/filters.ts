/** The groups of orders that operators look at; `attention` is what waits for them. */
export const orderFilters = [
  'attention',
  'open',
  'transfer',
  'paid',
  'refund_requested',
  'refund_by_hand',
  'refunded',
  'disputed',
  'problem',
  'expired',
  'all',
] as const
export type OrderFilterName = (typeof orderFilters)[number]

/** What happened to an order, in the words of the API. */
export const orderEvents = [
  'ordered',
  'expired',
  'transfer_confirmed',
  'payment',
  'gift_accepted',
  'gift_declined',
  'refund_requested',
  'refund_declined',
  'refund_started',
  'refund',
  'refund_failed',
  'transfer_sent_back',
  'dispute',
  'dispute_won',
] as const
export type OrderEventKind = (typeof orderEvents)[number]
