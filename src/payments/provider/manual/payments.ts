import type { Core } from '../../../core/runtime/core.ts'
import type { PaymentProvider, PaymentRecord, ProviderOrder } from '../provider.ts'
import { readManualPayment, readManualRefunds } from './queries.ts'

/**
 * Payments that arrive outside of the store, such as bank transfers, and orders that cost nothing.
 * An operator confirms each one with its reference; refunds are sent by hand.
 */
export const manualProvider: PaymentProvider = {
  name: 'manual',
  begin: async ({ addresses }, { uid }) => ({
    checkout_ref: `manual-${uid}`,
    checkout_url: `${addresses.web_url}/library/orders/${uid}`,
  }),
  end: async () => {},
  settle,
  refund: async (_, __, { uid }) => ({ ref: `manual-${uid}` }),
  dispute: async () => [],
  balance: async () => ({ available: [], pending: [], payouts: [] }),
}

async function settle({ sql }: Core, order: ProviderOrder): Promise<PaymentRecord> {
  const { uid, amount_minor, currency, expires_at } = order
  const [settled_at, refunds] = await Promise.all([
    readManualPayment(sql, uid),
    readManualRefunds(sql, uid),
  ])
  const payment = settled_at && {
    ref: `manual-${uid}`,
    amount_minor,
    currency,
    processing_minor: 0,
    country: null,
    at: settled_at,
  }
  return { payment, refunds, is_expired: !payment && expires_at < new Date() }
}
