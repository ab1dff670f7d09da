import { Type } from 'typebox'
import { operator, operatorInPerson } from '../../accounts/people/operator-access.ts'
import type { Sql } from '../../core/database/sql.ts'
import { pageData, pageQuery, paging } from '../../core/http/paging.ts'
import { Body, Nullable, nameSchemas, OneOf, route, Timestamp } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { currentDetails, problemCodes } from '../orders/problems.ts'
import { findOrder, type OrderRow, readOrders } from '../orders/queries.ts'
import { MAX_REASON } from '../orders/routes.ts'
import { OrderData, showOrder } from '../orders/schema.ts'
import { leftOf } from '../refunds/left.ts'
import { type RefundRow, readRefunds } from '../refunds/queries.ts'
import { decideOrderRefund, readRefundWay } from '../refunds/refund.ts'
import { orderEvents, orderFilters } from './filters.ts'
import {
  insertManualRefunds,
  type OrderNotes,
  readOrderEvents,
  readOrderNotes,
  searchOrders,
} from './queries.ts'

const URL = '/api/v1/private/operations/orders'
const params = Type.Object({ order_uid: Type.String() })

const ProblemDetails = Type.Object(
  {
    code: OneOf(problemCodes, { description: 'What is wrong' }),
    amount_minor: Type.Optional(
      Type.Integer({ description: 'What the provider reports, in minor units of the currency' }),
    ),
    currency: Type.Optional(Type.String({ description: 'That the provider reports' })),
    from: Type.Optional(Type.String({ description: 'The state that the order has' })),
    to: Type.Optional(Type.String({ description: 'The state that the provider reports' })),
    reason: Type.Optional(
      Type.String({ description: 'The words of the provider, or what differs' }),
    ),
  },
  { description: 'Why an operator must look at an order, with the values of the code' },
)
const OperatorOrder = Type.Object({
  ...OrderData.properties,
  problem: Type.String({ description: 'Why an operator must look at it; empty for none' }),
  problem_details: Type.Union([ProblemDetails, Type.Null()], {
    description: 'The same as a code with its values; null for none and for old orders',
  }),
  buyer: Nullable(Type.String({ description: 'The username; null once the account is deleted' })),
  reference: Type.String({ description: 'Of the transfer that paid it; empty for none' }),
  left_minor: Type.Integer({
    minimum: 0,
    description: 'What can be refunded, in minor units of the currency',
  }),
  by_hand_minor: Type.Integer({
    minimum: 0,
    description: 'What operators still have to send back by hand, in minor units of the currency',
  }),
})
const OrderEvent = Type.Object({
  at: Timestamp,
  kind: OneOf(orderEvents),
  amount_minor: Nullable(Type.Integer({ description: 'In minor units of the currency' })),
  by: Nullable(
    Type.String({ description: 'The username; null for the store, the provider and the deleted' }),
  ),
  note: Type.String({ description: 'What they wrote, or the reference of a transfer' }),
})
const OrderWithEvents = Type.Object({
  ...OperatorOrder.properties,
  events: Type.Array(OrderEvent, { description: 'What happened to it, oldest first' }),
})
nameSchemas({ OrderProblem: ProblemDetails, OperatorOrder, OrderEvent, OrderWithEvents })

type Parts = { order: OrderRow; refunds: readonly RefundRow[]; notes: readonly OrderNotes[] }

async function present(core: Core, { order, refunds, notes }: Parts) {
  const own = refunds.filter(({ order_uid }) => order_uid === order.uid)
  const {
    problem = '',
    problem_details = null,
    buyer = null,
    reference = '',
    by_hand_minor = 0,
  } = notes.find(({ uid }) => uid === order.uid) ?? {}
  const is_open = order.state === 'paid'
  return {
    ...showOrder(order, { refunds, refund: await readRefundWay(core, order, refunds) }),
    problem,
    problem_details: currentDetails(problem, problem_details),
    buyer,
    reference,
    left_minor: is_open ? Math.max(0, leftOf(order, own)) : 0,
    by_hand_minor,
  }
}

async function presentWithEvents(core: Core, order: OrderRow) {
  const [refunds, notes, events] = await Promise.all([
    readRefunds(core.sql, [order.uid]),
    readOrderNotes(core.sql, [order.uid]),
    readOrderEvents(core.sql, order.uid),
  ])
  return {
    ...(await present(core, { order, refunds, notes })),
    events: events.map(({ at, ...event }) => ({ at: at.toISOString(), ...event })),
  }
}

const requireOrder = async (sql: Sql, uid: string): Promise<OrderRow> =>
  (isUuid(uid) ? await findOrder(sql, uid) : undefined) ?? refuse('NOT_FOUND')

export const listOperatorOrdersRoute = route({
  method: 'GET',
  url: URL,
  summary: 'For operators: the orders that need somebody, or those of a group, newest first',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({
    ...pageQuery,
    filter: OneOf(orderFilters, {
      default: 'attention',
      description:
        'attention: waits for a transfer or for a refund by hand, was disputed in the last 30 ' +
        'days, has a problem, or a buyer asks for a refund whose seller is gone',
    }),
    q: Type.String({
      default: '',
      maxLength: 200,
      description:
        'The order number or the start of it, a reference of a transfer or payment, or the ' +
        'username of the buyer',
    }),
  }),
  data: Type.Object({ items: Type.Array(OperatorOrder), ...pageData }),
  async handle({ core, sql, query }) {
    const { page, page_size, ...window } = paging(query)
    const { uids, total } = await searchOrders(sql, query, window)
    const [rows, refunds, notes] = await Promise.all([
      readOrders(sql, uids),
      readRefunds(sql, uids),
      readOrderNotes(sql, uids),
    ])
    const items = await Promise.all(rows.map((order) => present(core, { order, refunds, notes })))
    return { items, total, page, page_size }
  },
})

export const readOperatorOrderRoute = route({
  method: 'GET',
  url: `${URL}/:order_uid`,
  summary: 'For operators: read an order and what happened to it',
  auth: operator,
  limits: [perAccount(60)],
  params,
  data: OrderWithEvents,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, params }) {
    return presentWithEvents(core, await requireOrder(sql, params.order_uid))
  },
})

export const transferBackRoute = route({
  method: 'POST',
  url: `${URL}/:order_uid/transfer-back`,
  summary: 'For operators: record that the money of a transfer went back to its buyer',
  description:
    'sent: you sent the refunds of the order back by hand. returned: the bank returned the ' +
    'transfer itself, which refunds all that is left and takes the copy back.',
  // Agents never move money, and this says that it has moved.
  auth: operatorInPerson,
  step_up: true,
  limits: [perAccount(60)],
  params,
  body: Body({
    how: OneOf(['sent', 'returned'], { description: 'Who moved the money: you or the bank' }),
    reference: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'How to find the transfer, such as its number at the bank',
    }),
    reason: Type.String({
      default: '',
      maxLength: MAX_REASON,
      description: 'With returned: for the buyer',
    }),
  }),
  data: OrderWithEvents,
  errors: ['NOT_FOUND', 'CONFLICT', 'REFUND_NOT_POSSIBLE'],
  async handle({ core, sql, who, params, body: { how, reference, reason } }) {
    const order = await requireOrder(sql, params.order_uid)
    if (order.provider !== 'manual')
      refuse(
        'CONFLICT',
        undefined,
        explain('not_by_transfer', 'This order was not paid by transfer; refund it instead'),
      )
    if (how === 'returned')
      await decideOrderRefund(core, order.uid, {
        user_uid: who.user_uid,
        reason,
        decline: false,
      })
    const payment = { reference, sent_by: who.user_uid }
    if (!(await insertManualRefunds(sql, order.uid, payment)))
      refuse(
        'CONFLICT',
        undefined,
        explain('no_refund_by_hand', 'No refund of this order waits to be sent; refund it first'),
      )
    return presentWithEvents(core, await requireOrder(sql, order.uid))
  },
})

export const orderOperationRoutes = [
  listOperatorOrdersRoute,
  readOperatorOrderRoute,
  transferBackRoute,
]
