import type { Identity } from '../../accounts/sessions/identity.ts'
import {
  answerOnce,
  findEarlierAnswer,
  forgetAnswer,
  type KeyedRequest,
  openEarlierAnswer,
} from '../../core/database/idempotency-keys.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { explain } from '../../core/runtime/reasons.ts'
import { DAY_MS, HOUR_MS } from '../../core/runtime/units.ts'
import { uuidv7 } from '../../core/security/crypto.ts'
import { limitGifts } from '../../library/copies.ts'
import { findEdition, type GrantedEdition, hasBought } from '../../library/copy-queries.ts'
import { canBeBought } from '../../listings/listing/visibility.ts'
import { openPage } from '../../listings/page/page.ts'
import { currencies, isCurrency } from '../../listings/prices/currencies.ts'
import { recordCouponUse } from '../coupons/use-coupon.ts'
import { insertGift } from '../gifts/queries.ts'
import { findReceiver, type GiftReceiver, giftOf } from '../gifts/receiver.ts'
import { feeOf, includedTax } from '../ledger/fees.ts'
import { insertManualPayment } from '../provider/manual/queries.ts'
import type { ProviderName } from '../provider/names.ts'
import { chooseProvider } from '../provider/open-providers.ts'
import { type Quote, quote } from '../quote.ts'
import { expireOrder } from './apply.ts'
import { beginOrder, canBegin, orderChanged, refuseToSell } from './begin.ts'
import type { Discovery } from './discovery.ts'
import { freeCoupon } from './free-coupon.ts'
import {
  findEditionName,
  findOpenOrder,
  findOrder,
  insertOrder,
  type OpenOrder,
  type OrderRow,
  readSellable,
} from './queries.ts'

export type OrderRequest = {
  /** The uid or vanity name of a listing. */
  game: string
  edition?: string | undefined
  currency: string
  coupon?: string | undefined
  /** The username or mail address of who gets it. */
  gift_to?: string | undefined
  amount_minor?: number | undefined
  discovery: Discovery
}

/** How long a checkout is open. Transfers take days. */
const OPEN_MS = { stripe: HOUR_MS, manual: 14 * DAY_MS }

/**
 * Makes an order and the checkout at which it is paid. The same key, or an open order of the same
 * at the same price, leads to the same order; nothing is paid by this.
 */
export async function createOrder(
  core: Core,
  who: Identity,
  request: OrderRequest,
  keyed: KeyedRequest | undefined,
): Promise<OrderRow> {
  const earlier = keyed && (await findEarlierOrder(core, keyed))
  if (earlier) return beginOrder(core, earlier)
  if (!who.email_verified) refuse('EMAIL_NOT_VERIFIED')
  const item = await findItem(core, who, request)
  if (item.price.coupon_uid) await freeCoupon(core, item.price.coupon_uid, sameItem(who, item))
  const { discovery } = request
  const { order, replaced } = await transact(core.sql, async (tx) => {
    let replaced: OrderRow | undefined
    const { answer } = await answerOnce(core, tx, keyed, async (): Promise<OrderAnswer> => {
      const placed = await placeOrder(core, tx, { who, item, discovery })
      replaced = placed.replaced
      return { order_uid: placed.order.uid }
    })
    return { order: (await findOrder(tx, answer.order_uid)) ?? refuse('NOT_FOUND'), replaced }
  })
  return beginOrder(core, order, replaced)
}

/** What a key is kept with: the order, new or reused, as it is when the request is repeated. */
type OrderAnswer = { order_uid: string }

/** The order that an earlier request with this key led to. */
async function findEarlierOrder(core: Core, keyed: KeyedRequest): Promise<OrderRow | undefined> {
  const earlier = await findEarlierAnswer(core.sql, keyed.uid)
  if (!earlier) return undefined
  const { order_uid } = openEarlierAnswer<OrderAnswer>(core, earlier, keyed.fingerprint)
  const order = await findOrder(core.sql, order_uid)
  // Without a checkout that request was refused, and may be repeated.
  const came_to_nothing =
    order && !order.checkout_ref && !order.paid_at && !canBegin(order, new Date())
  if (order && !came_to_nothing) return order
  await forgetAnswer(core.sql, keyed.uid)
  return undefined
}

type Item = {
  game_uid: string
  edition: GrantedEdition | undefined
  price: Quote
  receiver: GiftReceiver | undefined
}

/** What two orders have in common that are for the same. */
const sameItem = (who: Identity, { game_uid, edition, receiver }: Item): OpenOrder => ({
  buyer_uid: who.user_uid,
  game_uid,
  edition_uid: edition?.uid ?? null,
  gift_for: receiver?.key ?? null,
})

/** What the request names, if the person may buy it. */
async function findItem(core: Core, who: Identity, request: OrderRequest): Promise<Item> {
  const { sql } = core
  const listing = await openPage(core, who, request.game)
  if (!canBeBought(listing))
    refuse(
      'CONFLICT',
      { field: 'game' },
      explain(
        'not_released',
        'This listing is not released yet; only its owner can give out copies',
      ),
    )
  const requested =
    request.edition === undefined
      ? undefined
      : ((await findEdition(sql, listing.uid, request.edition)) ??
        refuse(
          'NOT_FOUND',
          { field: 'edition' },
          explain('no_edition', 'edition: this listing has no such edition'),
        ))
  const price = await quote(sql, {
    game_uid: listing.uid,
    edition_uid: requested?.uid,
    currency: request.currency,
    coupon: request.coupon,
    amount: request.amount_minor,
    user_uid: who.user_uid,
    at: new Date(),
  })
  const edition =
    price.edition_uid && !requested
      ? await findEdition(sql, listing.uid, price.edition_uid)
      : requested
  const receiver =
    request.gift_to === undefined
      ? undefined
      : await findReceiver(core, who, {
          gift_to: request.gift_to,
          game_uid: listing.uid,
          edition: requested,
          sold_edition_uid: edition?.uid ?? null,
        })
  const holder = { user_uid: who.user_uid, game_uid: listing.uid }
  if (!receiver && (await hasBought(sql, holder, requested)))
    refuse(
      'CONFLICT',
      { field: 'game' },
      explain('copy_exists', 'You have this already; it is in your library'),
    )
  if (price.list_minor === 0)
    refuse(
      'CONFLICT',
      { field: 'game' },
      explain('listing_is_free', 'This is free; add it to your library instead'),
    )
  return { game_uid: listing.uid, edition, price, receiver }
}

type Placement = { who: Identity; item: Item; discovery: Discovery }
type Placed = { order: OrderRow; replaced: OrderRow | undefined }

async function placeOrder(
  core: Core,
  tx: Tx,
  { who, item, discovery }: Placement,
): Promise<Placed> {
  const { game_uid, edition, price, receiver } = item
  const { list_minor, price_minor: amount_minor, currency } = price
  const seller = (await readSellable(tx, game_uid)) ?? refuse('NOT_FOUND')
  if (seller.owner_uid === who.user_uid)
    refuse('CONFLICT', { field: 'game' }, explain('seller_is_buyer', 'This is your own listing'))
  const provider = chooseProvider(core.config, seller, amount_minor) ?? refuseToSell()
  refuseBelowMinimum(provider, price)
  const same = sameItem(who, item)
  const open = await findOpenOrder(tx, same)
  if (open && isSamePrice(open, price) && canBegin(open, new Date()))
    return { order: open, replaced: undefined }
  if (open) await expireOrder(tx, open.uid)
  const { coupon_uid } = price
  const { sale_fee_fixed_cents: fixed_cents, sale_fee_percent: percent } = core.settings.current
  const { username, legal_name, address, tax_id, tax_basis_points } = seller
  const uid = uuidv7()
  const is_new = await insertOrder(tx, {
    ...same,
    uid,
    seller_uid: seller.owner_uid,
    provider,
    account_ref: provider === 'stripe' ? seller.account_ref! : '',
    title: seller.name,
    edition_name: edition ? await findEditionName(tx, edition.uid) : '',
    seller: { username, legal_name, address, tax_id, tax_basis_points },
    currency,
    list_minor,
    amount_minor,
    tax_minor: includedTax(amount_minor, tax_basis_points),
    fee_minor: feeOf(amount_minor, currency, { fixed_cents, percent }),
    sale_uid: price.sale_uid ?? null,
    coupon_uid: coupon_uid ?? null,
    discovery,
    expires_at: new Date(Date.now() + OPEN_MS[provider]),
  })
  if (is_new && coupon_uid)
    await recordCouponUse(tx, { order_uid: uid, coupon_uid, user_uid: who.user_uid })
  if (is_new && receiver) await insertGift(tx, giftOf(receiver, uid, who.user_uid))
  // A gift that costs its giver nothing could be sent to anybody in any number.
  if (is_new && receiver && amount_minor === 0)
    await limitGifts(tx, { user_uid: who.user_uid, gifts: 1 }, core.settings.current.gifts_per_day)
  if (is_new && amount_minor === 0)
    await insertManualPayment(tx, { order_uid: uid, reference: 'free', settled_by: null })
  // A concurrent request of the same person made it.
  const order = is_new ? await findOrder(tx, uid) : await findOpenOrder(tx, same)
  if (!order) refuse('CONFLICT', undefined, orderChanged)
  return { order, replaced: open }
}

/** A coupon, a chosen amount or a low price can be less than a card can pay. */
function refuseBelowMinimum(provider: ProviderName, price: Quote): void {
  const { currency, price_minor, coupon_uid, is_chosen } = price
  if (provider === 'manual' || !isCurrency(currency) || price_minor >= currencies[currency].min)
    return
  const { min: min_minor } = currencies[currency]
  if (is_chosen)
    refuse(
      'AMOUNT_TOO_LOW',
      { field: 'amount', price_minor: min_minor, currency },
      explain('amount', `amount: pay ${min_minor} in the smallest unit of ${currency}, or more`, {
        min_minor,
        currency,
      }),
    )
  if (!coupon_uid)
    refuse(
      'CONFLICT',
      { field: 'game' },
      explain('price_below_minimum', 'The price is less than can be paid; ask its developer'),
    )
  refuse(
    'CONFLICT',
    { field: 'coupon' },
    explain(
      'below_minimum',
      'The price with this coupon is less than can be paid; buy it without the coupon',
    ),
  )
}

const isSamePrice = (order: OrderRow, { currency, price_minor }: Quote) =>
  order.currency === currency && order.amount_minor === price_minor
