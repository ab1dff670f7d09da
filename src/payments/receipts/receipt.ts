import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { findOrder, type SellerDetails } from '../orders/queries.ts'

export type Receipt = { seller: SellerDetails; store_name: string }

/** What an invoice names besides the order; the caller has checked whose order it is. */
export async function readReceipt({ sql, settings }: Core, order_uid: string): Promise<Receipt> {
  const order = (await findOrder(sql, order_uid)) ?? refuse('NOT_FOUND')
  return { seller: order.seller, store_name: settings.current.store_name }
}
