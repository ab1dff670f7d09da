import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { MINUTE_MS } from '../../core/runtime/units.ts'
import { checkAccount } from '../accounts/check.ts'
import { providers } from '../provider/open-providers.ts'
import { AccountUnavailable, CheckoutRefused, ProviderUnavailable } from '../provider/provider.ts'
import { expireOrder, syncOrder } from './apply.ts'
import { findOrder, type OrderRow, setCheckout } from './queries.ts'

/** Providers take no checkout that ends within half an hour; requests take some of it. */
const CHECKOUT_MS = 35 * MINUTE_MS

/** Whether an open order leads to a payment: it has a checkout, or time enough for one. */
export const canBegin = ({ state, checkout_ref, expires_at }: OrderRow, now: Date): boolean =>
  state === 'open' && expires_at.getTime() - now.getTime() > (checkout_ref ? 0 : CHECKOUT_MS)

/**
 * The checkout of an order, made when it is first needed and once only. The checkout of an order
 * that it replaces ends before.
 */
export async function beginOrder(
  core: Core,
  order: OrderRow,
  replaced?: OrderRow,
): Promise<OrderRow> {
  if (order.state !== 'open' || order.checkout_ref) return order
  if (replaced) await providers[replaced.provider].end(core, replaced)
  try {
    const checkout = await providers[order.provider].begin(core, order)
    await setCheckout(core.sql, order.uid, checkout)
    if (order.amount_minor === 0) await syncOrder(core, order.uid)
  } catch (error) {
    if (error instanceof CheckoutRefused || error instanceof AccountUnavailable) {
      core.log.error({ err: error, order: order.uid }, 'The provider refused a checkout')
      await endRefusedOrder(core, order)
      refuseToSell()
    }
    if (!(error instanceof ProviderUnavailable)) throw error
    core.log.warn({ err: error }, 'A checkout could not be made')
    refuse('UNAVAILABLE')
  }
  const begun = (await findOrder(core.sql, order.uid)) ?? order
  // Another request of the same person replaced it before its checkout was known.
  if (begun.state === 'expired') {
    await providers[begun.provider].end(core, begun)
    refuse('CONFLICT', undefined, orderChanged)
  }
  return begun
}

export const orderChanged = explain(
  'listing_changed',
  'The listing changed at this moment; try again',
)

export const refuseToSell = (): never =>
  refuse('PAYMENTS_CLOSED', undefined, explain('seller_not_ready', 'Buying is not open here yet'))

/**
 * An order that the provider refuses must not stay open: the next one would lead to it again. Most
 * often the account of the seller has changed, so that is read anew.
 */
async function endRefusedOrder(core: Core, { uid, seller_uid }: OrderRow): Promise<void> {
  await transact(core.sql, (tx) => expireOrder(tx, uid))
  if (!seller_uid) return
  try {
    await checkAccount(core, seller_uid)
  } catch (error) {
    core.log.warn({ err: error }, 'The account of a seller could not be read')
  }
}
