import type { Core } from '../../core/runtime/core.ts'
import type { ProviderName } from './names.ts'

/** The order as a provider sees it. */
export type ProviderOrder = {
  uid: string
  account_ref: string
  checkout_ref: string | null
  payment_ref: string | null
  title: string
  edition_name: string
  currency: string
  amount_minor: number
  fee_minor: number
  refunded_minor: number
  expires_at: Date
}

export type Checkout = { checkout_ref: string; checkout_url: string }
export type PaymentFact = {
  ref: string
  amount_minor: number
  currency: string
  /** What the provider charges the seller for the payment. */
  processing_minor: number
  /** The billing country (ISO 3166); null if the provider does not know it. */
  country: string | null
  at: Date
}
export type RefundFact = {
  ref: string
  amount_minor: number
  /** Why it failed after the provider had accepted it; undefined if it did not. */
  failure?: string
}
/** What the provider's own record says about an order. */
export type PaymentRecord = {
  payment: PaymentFact | undefined
  refunds: RefundFact[]
  /** It was not paid, and can no longer be. */
  is_expired: boolean
}
export type DisputeFact = {
  ref: string
  amount_minor: number
  processing_minor: number
  state: 'open' | 'won' | 'lost'
}
export const payoutStates = ['pending', 'in_transit', 'paid', 'failed', 'canceled'] as const
export type PayoutState = (typeof payoutStates)[number]
/** Less than zero where refunds took more than there was. */
export type BalanceSum = { currency: string; amount_minor: number }
export type Payout = {
  ref: string
  currency: string
  amount_minor: number
  state: PayoutState
  /** Why it failed, in the words of the provider; empty if it did not. */
  failure: string
  arrives_at: Date
}
export type Balance = {
  available: BalanceSum[]
  /** Paid by buyers, but not available yet. */
  pending: BalanceSum[]
  /** The newest first. */
  payouts: Payout[]
}

/** What every provider of payments does. Each call may be repeated without doing it twice. */
export type PaymentProvider = {
  name: ProviderName
  /**
   * Where the buyer pays. The same order always leads to the same payment. Payments that the
   * provider does not take throw `CheckoutRefused`.
   */
  begin: (core: Core, order: ProviderOrder) => Promise<Checkout>
  /** Ends the checkout of an order. If it cannot be ended, the next check notices its payment. */
  end: (core: Core, order: ProviderOrder) => Promise<void>
  /** Reads the record of the payment and its refunds. */
  settle: (core: Core, order: ProviderOrder) => Promise<PaymentRecord>
  /** Sends money back, once per `uid`. Refunds that cannot be made throw `RefundRefused`. */
  refund: (
    core: Core,
    order: ProviderOrder,
    refund: { uid: string; amount_minor: number },
  ) => Promise<{ ref: string }>
  dispute: (core: Core, order: ProviderOrder) => Promise<DisputeFact[]>
  /** What the provider holds for a seller. A person waits for it, so it takes a few seconds at most. */
  balance: (core: Core, account_ref: string) => Promise<Balance>
}

/** The provider does not refund it, and would not if it were requested again. */
export class RefundRefused extends Error {}

/** The provider does not take the payment, and would not if it were requested again. */
export class CheckoutRefused extends Error {}

/** The provider did not answer, or could not work; the call may be repeated. */
export class ProviderUnavailable extends Error {}

/** The provider refuses one account, such as one that was disconnected; it works for the others. */
export class AccountUnavailable extends ProviderUnavailable {}

/** The store has no access to the account any more: its owner disconnected it. */
export class AccountDisconnected extends AccountUnavailable {}
