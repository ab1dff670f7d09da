import { Type } from 'typebox'
import { operatorInPerson } from '../../accounts/people/operator-access.ts'
import { isOperator } from '../../accounts/people/operator-queries.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, player, website } from '../../accounts/sessions/schemes.ts'
import { IdempotencyKeyHeader, keyedRequest } from '../../core/database/idempotency-keys.ts'
import { transact } from '../../core/database/transaction.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, OneOf, route } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readGifts } from '../gifts/queries.ts'
import { insertManualPayment } from '../provider/manual/queries.ts'
import { quoteErrors } from '../quote.ts'
import { readRefunds } from '../refunds/queries.ts'
import { decideOrderRefund, readRefundWay, returnOrder } from '../refunds/refund.ts'
import { syncOrder } from './apply.ts'
import { createOrder } from './create.ts'
import { discoveryChannels } from './discovery.ts'
import { findOrder, listOrders, lockOrder, type OrderFilter, type OrderRow } from './queries.ts'
import { OrderData, showOrder } from './schema.ts'

const ORDERS = '/api/v1/private/orders'
const SALES = '/api/v1/private/sales'
const OPERATIONS = '/api/v1/private/operations/orders'
const params = Type.Object({ order_uid: Type.String() })
export const MAX_REASON = 1000
const OrderPage = Type.Object({ items: Type.Array(OrderData), ...pageData })

type PageQuery = Parameters<typeof paging>[0]

async function present(core: Core, order: OrderRow) {
  const refunds = await readRefunds(core.sql, [order.uid])
  return showOrder(order, { refunds, refund: await readRefundWay(core, order, refunds) })
}

/** For the buyer, who also sees what became of a gift. */
async function presentOwn(core: Core, order: OrderRow) {
  const refunds = await readRefunds(core.sql, [order.uid])
  const [gift] = order.gift_for ? await readGifts(core.sql, [order.uid]) : []
  const refund = await readRefundWay(core, order, refunds)
  return showOrder(order, { refunds, refund, gift, is_buyer: true })
}

async function presentPage(core: Core, filter: OrderFilter, query: PageQuery) {
  const { page, page_size, ...window } = paging(query)
  const { rows, total } = await listOrders(core.sql, filter, window)
  const uids = rows.map(({ uid }) => uid)
  const refunds = await readRefunds(core.sql, uids)
  const is_buyer = 'buyer_uid' in filter
  const gifts = is_buyer ? await readGifts(core.sql, uids) : []
  const items = await Promise.all(
    rows.map(async (order) => {
      const refund = await readRefundWay(core, order, refunds)
      const gift = gifts.find(({ order_uid }) => order_uid === order.uid)
      return showOrder(order, { refunds, refund, gift, is_buyer })
    }),
  )
  return { items, total, page, page_size }
}

const requireOrder = async (
  { sql }: Pick<Core, 'sql'>,
  uid: string,
  isAllowed: (order: OrderRow) => boolean | Promise<boolean>,
): Promise<OrderRow> => {
  const order = isUuid(uid) ? await findOrder(sql, uid) : undefined
  return order && (await isAllowed(order)) ? order : refuse('NOT_FOUND')
}
/** How often the reader of an open order makes the store ask the provider. */
const CHECK_MS = 3000
const isCheckDue = ({ checked_at }: OrderRow, now: Date) =>
  !checked_at || now.getTime() - checked_at.getTime() > CHECK_MS

const isBuyer =
  ({ user_uid }: Identity) =>
  ({ buyer_uid }: OrderRow) =>
    buyer_uid === user_uid

export const createOrderRoute = route({
  method: 'POST',
  url: ORDERS,
  summary: 'Order a listing or an edition; a person pays at checkout_url',
  description:
    'Nothing is paid by this request. The copy is in the library as soon as the payment provider ' +
    'has confirmed the payment; read the order to see it. A gift waits until its receiver ' +
    'accepts it.',
  auth: player('player:buy'),
  limits: [perAccount(30)],
  idempotent: true,
  body: Body({
    game: Type.String({ maxLength: 100, description: 'The uid or vanity name of a listing' }),
    edition: Type.Optional(
      Type.String({ maxLength: 64, description: 'The uid or slug of an edition' }),
    ),
    currency: Type.String({
      default: 'USD',
      pattern: '^[A-Z]{3}$',
      description: 'One of the currencies that the listing has a price in',
    }),
    coupon: Type.Optional(Type.String({ maxLength: 64, description: 'A code for a discount' })),
    gift_to: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 254,
        description: 'For a gift: the username or mail address of who gets it',
      }),
    ),
    amount_minor: Type.Optional(
      Type.Integer({
        minimum: 0,
        maximum: 100_000_000,
        description: 'What the buyer wants to pay, where they choose it',
      }),
    ),
    discovery: OneOf(discoveryChannels, {
      default: 'app',
      description: 'How the buyer came to the listing, for the sales report of its developer',
    }),
  }),
  data: Type.Object({
    order: OrderData,
    checkout_url: Type.String({ description: 'Where a person pays; the order page if it is paid' }),
  }),
  described: { headers: { 'Idempotency-Key': IdempotencyKeyHeader } },
  errors: [
    ...quoteErrors,
    'EMAIL_NOT_VERIFIED',
    'CONFLICT',
    'GIFT_NOT_POSSIBLE',
    'PAYMENTS_CLOSED',
    'TOO_MANY_REQUESTS',
    'UNAVAILABLE',
  ],
  async handle({ core, who, body, request }) {
    const keyed = keyedRequest(request.headers, { kind: 'order', caller: who.user_uid }, body)
    const order = await createOrder(core, who, body, keyed)
    const data = await presentOwn(core, order)
    const checkout_url =
      data.checkout_url ?? `${core.addresses.web_url}/library/orders/${order.uid}`
    return { order: data, checkout_url }
  },
})

export const listOrdersRoute = route({
  method: 'GET',
  url: ORDERS,
  summary: 'List your orders, newest first',
  auth: player('player:read'),
  query: Type.Object({ ...pageQuery }),
  data: OrderPage,
  handle: ({ core, who, query }) => presentPage(core, { buyer_uid: who.user_uid }, query),
})

export const readOrderRoute = route({
  method: 'GET',
  url: `${ORDERS}/:order_uid`,
  summary: 'Read one of your orders',
  description: 'While it is open, reading it makes the store ask the provider about it.',
  auth: player('player:read'),
  params,
  data: OrderData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const order = await requireOrder(core, params.order_uid, isBuyer(who))
    // At most one job of an order waits, so reading often asks the provider no more often.
    if (order.state === 'open' && order.checkout_ref && isCheckDue(order, new Date()))
      await core.jobs.send(sql, 'payments.sync', { order_uid: order.uid }, { key: order.uid })
    return presentOwn(core, order)
  },
})

export const returnOrderRoute = route({
  method: 'POST',
  url: `${ORDERS}/:order_uid/return`,
  summary: 'Return an order: the money goes back at once, or the developer is asked',
  description:
    'At once within the refund window and while you played little; the copy then leaves your ' +
    'library. Otherwise the developer decides.',
  auth: website,
  params,
  body: Body({
    reason: Type.String({
      default: '',
      maxLength: MAX_REASON,
      description: 'Why, for the developer',
    }),
  }),
  data: OrderData,
  errors: ['NOT_FOUND', 'REFUND_NOT_POSSIBLE'],
  async handle({ core, who, params, body: { reason } }) {
    const { uid } = await requireOrder(core, params.order_uid, isBuyer(who))
    await returnOrder(core, uid, { user_uid: who.user_uid, reason })
    return presentOwn(core, await requireOrder(core, uid, isBuyer(who)))
  },
})

export const listSalesRoute = route({
  method: 'GET',
  url: SALES,
  summary: 'List the paid orders of your listings, newest first',
  auth: developer('mcp:money'),
  query: Type.Object({ ...pageQuery }),
  data: OrderPage,
  errors: ['FORBIDDEN'],
  handle({ core, who, query }) {
    if (who.game_uid)
      refuse(
        'FORBIDDEN',
        undefined,
        'This key is bound to one project; use one for the whole account',
      )
    return presentPage(core, { seller_uid: who.user_uid }, query)
  },
})

/** Sellers refund what they sold, operators any order. */
export const refundOrderRoute = route({
  method: 'POST',
  url: `${SALES}/:order_uid/refund`,
  summary: 'Refund an order that you sold, wholly or in part, or decline what the buyer asked for',
  description:
    'A whole refund takes the copy back; a part of it does not. For operators: any order.',
  auth: website,
  step_up: true,
  params,
  body: Body({
    amount_minor: Type.Optional(
      Type.Integer({ minimum: 1, description: 'How much; all that is left by default' }),
    ),
    decline: Type.Boolean({
      default: false,
      description: 'Answer the request of the buyer with no',
    }),
    reason: Type.String({
      default: '',
      maxLength: MAX_REASON,
      description: 'For the buyer',
    }),
  }),
  data: OrderData,
  errors: ['NOT_FOUND', 'REFUND_NOT_POSSIBLE'],
  async handle({ core, sql, who, params, body }) {
    const mayRefund = ({ seller_uid }: OrderRow) =>
      seller_uid === who.user_uid || isOperator(sql, who.user_uid)
    const { uid } = await requireOrder(core, params.order_uid, mayRefund)
    await decideOrderRefund(core, uid, { user_uid: who.user_uid, ...body })
    return present(core, await requireOrder(core, uid, mayRefund))
  },
})

export const settleOrderRoute = route({
  method: 'POST',
  url: `${OPERATIONS}/:order_uid/settle`,
  summary: 'For operators: confirm that the transfer for an order arrived',
  // Agents never move money, and this says that it has moved.
  auth: operatorInPerson,
  limits: [perAccount(60)],
  params,
  body: Body({
    reference: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'How to find the transfer, such as its number at the bank',
    }),
  }),
  data: OrderData,
  errors: ['NOT_FOUND', 'CONFLICT'],
  async handle({ core, sql, who, params, body: { reference } }) {
    const { uid } = await requireOrder(core, params.order_uid, () => true)
    const is_settled = await transact(sql, async (tx) => {
      const order = await lockOrder(tx, uid)
      const payment = { order_uid: uid, reference, settled_by: who.user_uid }
      return (
        order?.provider === 'manual' &&
        (order.state === 'open' || order.state === 'expired') &&
        (await insertManualPayment(tx, payment))
      )
    })
    if (!is_settled)
      refuse(
        'CONFLICT',
        undefined,
        explain('not_settled_by_hand', 'Only an open order that is paid by transfer is confirmed'),
      )
    await syncOrder(core, uid)
    return present(core, await requireOrder(core, uid, () => true))
  },
})

export const orderRoutes = [
  createOrderRoute,
  listOrdersRoute,
  readOrderRoute,
  returnOrderRoute,
  listSalesRoute,
  refundOrderRoute,
  settleOrderRoute,
]
