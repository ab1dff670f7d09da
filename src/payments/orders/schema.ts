import { Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import type { GiftRow } from '../gifts/queries.ts'
import { giftState, giftStates } from '../gifts/states.ts'
import { providerNames } from '../provider/names.ts'
import { failureSentences, refundFailure, refundFailures } from '../refunds/failure.ts'
import { messageToBuyer, refundOrigin, refundOrigins } from '../refunds/origin.ts'
import { type RefundRow, refundStates } from '../refunds/queries.ts'
import { refundWays } from '../refunds/refund-window.ts'
import type { OrderRow } from './queries.ts'
import { orderStates } from './states.ts'

const Minor = (description: string) =>
  Type.Integer({ minimum: 0, description: `${description}, in minor units of the currency` })

const RefundData = Type.Object({
  uid: Uid,
  state: OneOf(refundStates, {
    description: 'Waits for the developer, is being sent, arrived, was declined, or failed',
  }),
  amount_minor: Minor('What goes back'),
  reason: Type.String({ description: 'What the person who asked for it wrote' }),
  answer: Type.String({
    description:
      'What the developer answered. If it failed: why, for sellers and operators in the words of ' +
      'the provider',
  }),
  failure: Type.Union([OneOf(refundFailures), Type.Null()], {
    description: 'Why it failed: what it was paid with takes no money, or it was not sent',
  }),
  origin: OneOf(refundOrigins, {
    description: 'Who started it: the buyer, the developer or an operator, or the store itself',
  }),
  message: Type.String({ description: 'What the developer or an operator wrote to the buyer' }),
  created_at: Timestamp,
})
const GiftOfOrder = Type.Object(
  {
    to: Type.String({
      description: 'The username or mail address of the receiver; empty once it is deleted',
    }),
    state: OneOf(giftStates, {
      description: 'waiting until the receiver accepts or declines it, returned after a refund',
    }),
  },
  { description: 'Whom it is for, if it is a gift; only its buyer sees this' },
)
export const OrderData = Type.Object({
  uid: Uid,
  state: OneOf(orderStates, { description: 'open until it is paid or expires' }),
  provider: OneOf(providerNames, { description: 'How it is paid' }),
  game_uid: Nullable(Uid),
  edition_uid: Nullable(Uid),
  title: Type.String({ description: 'What was bought' }),
  edition_name: Type.String({ description: 'Empty without an edition' }),
  seller: Type.String({ description: 'The username of the developer when it was bought' }),
  currency: Type.String({ description: 'ISO 4217, such as USD' }),
  list_minor: Minor('The price without a discount'),
  amount_minor: Minor('What the buyer pays, with tax'),
  tax_minor: Minor('The tax that is part of it'),
  fee_minor: Minor('What the store gets of it'),
  refunded_minor: Minor('What went back to the buyer'),
  checkout_url: Nullable(Type.String({ description: 'Where it is paid' })),
  refund: OneOf(refundWays, {
    description: 'Whether the buyer can return it: now, by asking the developer, or not',
  }),
  refunds: Type.Array(RefundData),
  gift: Type.Optional(GiftOfOrder),
  created_at: Timestamp,
  expires_at: Timestamp,
  paid_at: Nullable(Timestamp),
})
nameSchemas({ Order: OrderData, Refund: RefundData, OrderGift: GiftOfOrder })

/** What a provider says about a failure can name the account of the developer. */
function answerForBuyer(row: RefundRow): string {
  const failure = refundFailure(row)
  return failure ? failureSentences[failure] : row.answer
}

type Shown = {
  refunds: readonly RefundRow[]
  refund: (typeof refundWays)[number]
  /** For the buyer only. */
  gift?: GiftRow | undefined
  is_buyer?: boolean
}

export const showOrder = (order: OrderRow, { refunds, refund, gift, is_buyer }: Shown) => ({
  uid: order.uid,
  state: order.state,
  provider: order.provider,
  game_uid: order.game_uid,
  edition_uid: order.edition_uid,
  title: order.title,
  edition_name: order.edition_name,
  seller: order.seller.username,
  currency: order.currency,
  list_minor: order.list_minor,
  amount_minor: order.amount_minor,
  tax_minor: order.tax_minor,
  fee_minor: order.fee_minor,
  refunded_minor: order.refunded_minor,
  checkout_url: order.state === 'open' ? order.checkout_url : null,
  refund,
  refunds: refunds
    .filter(({ order_uid }) => order_uid === order.uid)
    .map((row) => ({
      uid: row.uid,
      state: row.state,
      amount_minor: row.amount_minor,
      reason: row.reason,
      answer: is_buyer ? answerForBuyer(row) : row.answer,
      failure: refundFailure(row),
      origin: refundOrigin(order, row),
      message: messageToBuyer(order, row),
      created_at: row.created_at.toISOString(),
    })),
  ...(gift && { gift: { to: gift.receiver, state: giftState(order.state, gift.state) } }),
  created_at: order.created_at.toISOString(),
  expires_at: order.expires_at.toISOString(),
  paid_at: order.paid_at?.toISOString() ?? null,
})
