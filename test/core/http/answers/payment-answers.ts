import { randomUUID } from 'node:crypto'
import { uuidv7 } from '../../../../src/core/security/crypto.ts'
import { makePublic, must } from '../../../support/builders.ts'
import type { Producer, World } from './private-world.ts'

const ORDERS = '/api/v1/private/orders'

/** A public listing with a price, and a person who may buy it by transfer. */
export async function forSale(world: World, price_cents = 900) {
  const { listing, owner } = await world.fresh()
  await world.sql`update listings set price_cents = ${price_cents} where uid = ${listing.uid}`
  await makePublic(world.sql, listing.uid)
  const buyer = await world.a.verified()
  return { listing, seller: owner, buyer, token: buyer.token, body: { game: listing.uid } }
}

async function ordered(world: World) {
  const made = await forSale(world)
  const { order } = must(await world.post(ORDERS, made.body, { token: made.token }))
  return { ...made, values: { order_uid: order.uid as string } }
}

async function paid(world: World) {
  const made = await ordered(world)
  const path = `/api/v1/private/operations/orders/${made.values.order_uid}/settle`
  must(await world.post(path, { reference: 'TX' }, { token: world.owner.token }))
  return made
}

const asSeller =
  (body: object): Producer =>
  async (world) => {
    const { seller, values } = await paid(world)
    return { token: seller.token, values, body }
  }

/** Requests for the answers of the routes about payments; the store takes transfers. */
export const paymentAnswers: Record<string, Producer> = {
  'post_private_orders 200': async (world) => {
    const { token, body } = await forSale(world)
    return { token, body }
  },
  'post_private_orders 404': async (world) => {
    const { token } = await forSale(world)
    return { token, body: { game: randomUUID() } }
  },
  'post_private_orders 403': async (world) => {
    const { body } = await forSale(world)
    return { token: (await world.a.user()).token, body }
  },
  'post_private_orders 422': async (world) => {
    const { token, body } = await forSale(world)
    return { token, body: { ...body, amount_minor: 1 } }
  },
  'post_private_orders 409': async (world) => {
    const { token, body } = await paid(world)
    return { token, body }
  },
  'get_private_orders_order_uid 200': async (world) => {
    const { token, values } = await ordered(world)
    return { token, values }
  },
  'post_private_orders_order_uid_return 200': async (world) => {
    const { token, values } = await paid(world)
    return { token, values, body: { reason: '' } }
  },
  'post_private_orders_order_uid_return 409': async (world) => {
    const { token, values } = await ordered(world)
    return { token, values, body: { reason: '' } }
  },
  'post_private_sales_order_uid_refund 200': asSeller({ amount_minor: 100 }),
  'post_private_sales_order_uid_refund 409': asSeller({ amount_minor: 901 }),
  'post_private_operations_orders_order_uid_settle 200': async (world) => {
    const { values } = await ordered(world)
    return { token: world.owner.token, values, body: { reference: 'TX' } }
  },
  'post_private_operations_orders_order_uid_settle 409': async (world) => {
    const { values } = await paid(world)
    return { token: world.owner.token, values, body: { reference: 'TX' } }
  },
  'get_private_operations_orders_order_uid 200': async (world) => {
    const { values } = await ordered(world)
    return { token: world.owner.token, values }
  },
  'post_private_operations_orders_order_uid_transfer_back 200': async (world) => {
    const { values } = await paid(world)
    return { token: world.owner.token, values, body: { how: 'returned', reference: 'TX' } }
  },
  'post_private_operations_orders_order_uid_transfer_back 409': async (world) => {
    const { values } = await paid(world)
    return { token: world.owner.token, values, body: { how: 'sent', reference: 'TX' } }
  },
  'put_private_account_payments 200': async (world) => ({
    token: (await world.fresh()).token,
    body: { legal_name: 'A', address: 'B', tax_id: uuidv7(), tax_basis_points: 1900 },
  }),
  // Cards are off in this store.
  'post_private_account_payments_setup 409': async (world) => ({
    token: (await world.fresh()).token,
  }),
}
