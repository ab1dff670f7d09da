import type { Stripe } from 'stripe'
import type { Core } from '../../../core/runtime/core.ts'
import { SECOND_MS } from '../../../core/runtime/units.ts'
import {
  AccountDisconnected,
  type Balance,
  type BalanceSum,
  type Checkout,
  CheckoutRefused,
  type DisputeFact,
  type PaymentProvider,
  type PaymentRecord,
  type ProviderOrder,
  ProviderUnavailable,
  payoutStates,
  type RefundFact,
  RefundRefused,
} from '../provider.ts'
import { callStripe, failureOf, stripeClient } from './client.ts'

/**
 * Direct charges: the developer is the merchant, the buyer pays into the developer's own account,
 * and the store gets its fee of each payment. Cards are entered on pages of the provider only.
 */
export const stripeProvider: PaymentProvider = {
  name: 'stripe',
  begin,
  end,
  settle,
  refund,
  dispute,
  balance,
}

const onAccount = ({ account_ref }: Pick<ProviderOrder, 'account_ref'>) => ({
  stripeAccount: account_ref,
})
const MAX_TITLE = 200

async function begin(core: Core, order: ProviderOrder): Promise<Checkout> {
  const stripe = await stripeClient(core)()
  const { uid, title, edition_name, currency, amount_minor, fee_minor } = order
  const page = `${core.addresses.web_url}/library/orders/${uid}`
  const metadata = { order: uid }
  const session = await callStripe(() =>
    stripe.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: uid,
        metadata,
        line_items: [
          {
            quantity: 1,
            price_data: {
              currency: currency.toLowerCase(),
              unit_amount: amount_minor,
              product_data: {
                name: [title, edition_name].filter(Boolean).join(' – ').slice(0, MAX_TITLE),
              },
            },
          },
        ],
        payment_intent_data: {
          metadata,
          ...(fee_minor > 0 && { application_fee_amount: fee_minor }),
        },
        success_url: page,
        cancel_url: page,
        expires_at: Math.floor(order.expires_at.getTime() / SECOND_MS),
      },
      { ...onAccount(order), idempotencyKey: `order-${uid}` },
    ),
  ).catch((error): never => {
    throw isRefusal(error) ? new CheckoutRefused(failureOf(error).message) : error
  })
  return { checkout_ref: session.id, checkout_url: session.url ?? page }
}

/** Whether the provider answered that a request is not possible. */
function isRefusal(error: unknown): boolean {
  const { statusCode = 0 } = failureOf(error)
  return !(error instanceof ProviderUnavailable) && statusCode >= 400 && statusCode < 500
}

/** The provider refuses it if the checkout has ended or was paid. */
async function end(core: Core, order: ProviderOrder): Promise<void> {
  const { checkout_ref } = order
  if (!checkout_ref) return
  const stripe = await stripeClient(core)()
  await stripe.checkout.sessions.expire(checkout_ref, {}, onAccount(order)).catch(() => {})
}

async function settle(core: Core, order: ProviderOrder): Promise<PaymentRecord> {
  const { checkout_ref, expires_at } = order
  // Without a checkout nobody was given an address to pay at.
  if (!checkout_ref) return { payment: undefined, refunds: [], is_expired: expires_at < new Date() }
  const stripe = await stripeClient(core)()
  const session = await callStripe(() =>
    stripe.checkout.sessions.retrieve(
      checkout_ref,
      { expand: ['payment_intent.latest_charge.balance_transaction'] },
      onAccount(order),
    ),
  )
  const charge = paidCharge(session)
  if (!charge) return { payment: undefined, refunds: [], is_expired: session.status === 'expired' }
  const fees = (charge.balance_transaction as Stripe.BalanceTransaction | null)?.fee_details ?? []
  return {
    payment: {
      ref: charge.id,
      amount_minor: charge.amount,
      currency: charge.currency.toUpperCase(),
      processing_minor: sumOf(fees.filter(({ type }) => type !== 'application_fee')),
      country: countryOf(session),
      at: new Date(charge.created * SECOND_MS),
    },
    refunds:
      charge.amount_refunded > 0 || order.refunded_minor > 0
        ? await readRefunds(stripe, order, charge.id)
        : [],
    is_expired: false,
  }
}

/** The charge of a session that was paid. A payment that is still being confirmed is none. */
function paidCharge(session: Stripe.Checkout.Session): Stripe.Charge | undefined {
  const intent = session.payment_intent as Stripe.PaymentIntent | null
  const charge = intent?.latest_charge as Stripe.Charge | null | undefined
  return session.payment_status === 'paid' && charge?.paid ? charge : undefined
}

/** All that is read of what buyers tell the provider about themselves. */
function countryOf({ customer_details }: Stripe.Checkout.Session): string | null {
  const country = customer_details?.address?.country?.toUpperCase() ?? ''
  return /^[A-Z]{2}$/.test(country) ? country : null
}

const sumOf = (items: { amount: number }[]) => items.reduce((sum, { amount }) => sum + amount, 0)

/** A refund that failed or was canceled sent no money back, also if it was accepted before. */
async function readRefunds(
  stripe: Stripe,
  order: ProviderOrder,
  charge: string,
): Promise<RefundFact[]> {
  const refunds = await callStripe(() =>
    stripe.refunds
      .list({ charge, limit: 100 }, onAccount(order))
      .autoPagingToArray({ limit: 1000 }),
  )
  return refunds
    .filter(({ status }) => status !== 'requires_action')
    .map(({ id, amount, status, failure_reason }) => ({
      ref: id,
      amount_minor: amount,
      ...((status === 'failed' || status === 'canceled') && { failure: failure_reason ?? status }),
    }))
    .reverse()
}

/** The account has too little now, and may have enough after its next sales. */
const MAY_PASS = new Set(['balance_insufficient', 'insufficient_funds'])

async function refund(
  core: Core,
  order: ProviderOrder,
  { uid, amount_minor }: { uid: string; amount_minor: number },
): Promise<{ ref: string }> {
  const stripe = await stripeClient(core)()
  try {
    const { id } = await callStripe(() =>
      stripe.refunds.create(
        {
          charge: order.payment_ref!,
          amount: amount_minor,
          // Refused for a charge without a fee.
          ...(order.fee_minor > 0 && { refund_application_fee: true }),
          metadata: { order: order.uid, refund: uid },
        },
        { ...onAccount(order), idempotencyKey: `refund-${uid}` },
      ),
    )
    return { ref: id }
  } catch (error) {
    const { code = '', message } = failureOf(error)
    const is_final =
      error instanceof AccountDisconnected || (isRefusal(error) && !MAY_PASS.has(code))
    throw is_final ? new RefundRefused(message) : error
  }
}

async function dispute(core: Core, order: ProviderOrder): Promise<DisputeFact[]> {
  if (!order.payment_ref) return []
  const stripe = await stripeClient(core)()
  const disputes = await callStripe(() =>
    stripe.disputes.list({ charge: order.payment_ref!, limit: 100 }, onAccount(order)),
  )
  return disputes.data
    .filter(({ status }) => !status.startsWith('warning_'))
    .map(({ id, amount, status, balance_transactions }) => ({
      ref: id,
      amount_minor: amount,
      processing_minor: Math.max(0, ...balance_transactions.map(({ fee }) => fee)),
      state: status === 'won' ? 'won' : status === 'lost' ? 'lost' : 'open',
    }))
}

/** A person waits for the page, so nothing is repeated. */
const BALANCE_LIMIT = { timeout: 4 * SECOND_MS, maxNetworkRetries: 0 }
const MAX_PAYOUTS = 20

async function balance(core: Core, account_ref: string): Promise<Balance> {
  const stripe = await stripeClient(core)()
  const options = { ...onAccount({ account_ref }), ...BALANCE_LIMIT }
  const [{ available, pending }, { data }] = await callStripe(() =>
    Promise.all([
      stripe.balance.retrieve({}, options),
      stripe.payouts.list({ limit: MAX_PAYOUTS }, options),
    ]),
  )
  return {
    available: available.map(balanceSum),
    pending: pending.map(balanceSum),
    payouts: data.map(({ id, status, failure_message, arrival_date, ...payout }) => ({
      ref: id,
      ...balanceSum(payout),
      state: payoutStates.find((state) => state === status) ?? 'pending',
      failure: failure_message ?? '',
      arrives_at: new Date(arrival_date * SECOND_MS),
    })),
  }
}

const balanceSum = ({ currency, amount }: { currency: string; amount: number }): BalanceSum => ({
  currency: currency.toUpperCase(),
  amount_minor: amount,
})
