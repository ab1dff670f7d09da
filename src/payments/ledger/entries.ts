import { refundedFee } from './fees.ts'

/**
 * Who a sum belongs to. The store holds no balances: `seller` is the developer's own account at the
 * provider, `store` what the provider paid to the store, `provider` what it charges itself.
 */
export type LedgerAccount = 'buyer' | 'seller' | 'store' | 'provider'
export type LedgerKind = 'payment' | 'refund' | 'dispute' | 'dispute_won'
export type Entry = { account: LedgerAccount; amount_minor: number }

const nonZero = (entries: Entry[]): Entry[] =>
  entries.filter(({ amount_minor }) => amount_minor !== 0)

type Payment = { amount_minor: number; fee_minor: number; processing_minor: number }

export const paymentEntries = ({ amount_minor, fee_minor, processing_minor }: Payment): Entry[] =>
  nonZero([
    { account: 'buyer', amount_minor: -amount_minor },
    { account: 'seller', amount_minor: amount_minor - fee_minor - processing_minor },
    { account: 'store', amount_minor: fee_minor },
    { account: 'provider', amount_minor: processing_minor },
  ])

/** A refund after others, whose sum is `before_minor`: the store gives its part of the fee back. */
export function refundEntries(
  order: { amount_minor: number; fee_minor: number },
  before_minor: number,
  amount_minor: number,
): Entry[] {
  const fee = refundedFee(order, before_minor + amount_minor) - refundedFee(order, before_minor)
  return nonZero([
    { account: 'buyer', amount_minor },
    { account: 'seller', amount_minor: fee - amount_minor },
    { account: 'store', amount_minor: -fee },
  ])
}

/** A bank took the money back from the seller; the provider charges for the work. */
export const disputeEntries = (amount_minor: number, processing_minor: number): Entry[] =>
  nonZero([
    { account: 'buyer', amount_minor },
    { account: 'seller', amount_minor: -amount_minor - processing_minor },
    { account: 'provider', amount_minor: processing_minor },
  ])

export const wonDisputeEntries = (amount_minor: number): Entry[] =>
  nonZero([
    { account: 'buyer', amount_minor: -amount_minor },
    { account: 'seller', amount_minor },
  ])
