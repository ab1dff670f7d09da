import { Type } from 'typebox'
import { Nullable, nameSchemas, OneOf, Timestamp, Uid } from '../../core/http/route.ts'
import { currencyCodes } from './currencies.ts'

/** The sale of a listing in lists and on its page; amounts are in US cents. */
export const ListingSaleData = Type.Object({
  uid: Uid,
  event: Nullable(
    Type.String({ description: 'The name of the sale of the whole store that it is part of' }),
  ),
  percent: Type.Integer({ description: 'How much lower than the list price, in whole percent' }),
  price_cents: Type.Integer({ description: 'What it costs during the sale, in US cents' }),
  list_price_cents: Type.Integer({ description: 'What it costs otherwise, in US cents' }),
  lowest_price_cents: Nullable(
    Type.Integer({
      description: 'The lowest price of the 30 days before the sale; null if it had none',
    }),
  ),
  starts_at: Timestamp,
  ends_at: Timestamp,
})

const OfferSaleData = Type.Object({
  uid: Uid,
  event: Nullable(Type.String()),
  percent: Type.Integer(),
  starts_at: Timestamp,
  ends_at: Timestamp,
  lowest_minor: Nullable(
    Type.Integer({
      description: 'The lowest price of the 30 days before the sale; null if it had none',
    }),
  ),
})

export const OfferData = Type.Object({
  edition_uid: Nullable(
    Type.String({ format: 'uuid', description: 'Null: the listing itself, which has no editions' }),
  ),
  currency: OneOf(currencyCodes),
  list_minor: Type.Integer({ description: 'The price without a sale, in the smallest unit' }),
  price_minor: Type.Integer({ description: 'What it costs now, in the smallest unit' }),
  sale: Nullable(OfferSaleData),
  pay_what_you_want: Type.Boolean({
    description: 'Buyers choose what they pay; the price is the minimum',
  }),
  suggested_minor: Nullable(
    Type.Integer({ description: 'What the developer suggests, in US cents' }),
  ),
})
nameSchemas({ ListingSale: ListingSaleData, OfferSale: OfferSaleData, Offer: OfferData })

export const SaleData = Type.Object({
  uid: Uid,
  edition_uid: Nullable(Type.String({ format: 'uuid', description: 'Null: every edition' })),
  event: Nullable(Type.Object({ uid: Uid, name: Type.String() })),
  percent: Nullable(Type.Integer()),
  amount_cents: Nullable(Type.Integer({ description: 'What it takes off, in US cents' })),
  starts_at: Timestamp,
  ends_at: Timestamp,
})

export const SaleEventData = Type.Object({
  uid: Uid,
  name: Type.String(),
  starts_at: Timestamp,
  ends_at: Timestamp,
  listings: Type.Integer({ description: 'How many public listings take part' }),
})
nameSchemas({ Sale: SaleData, SaleEvent: SaleEventData })
