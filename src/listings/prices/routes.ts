import { type Static, Type } from 'typebox'
import { recordAudit } from '../../accounts/people/audit-queries.ts'
import { operator } from '../../accounts/people/operator-access.ts'
import type { Identity } from '../../accounts/sessions/identity.ts'
import { developer, optionalToken } from '../../accounts/sessions/schemes.ts'
import type { Tx } from '../../core/database/sql.ts'
import { transact } from '../../core/database/transaction.ts'
import { Body, Checked, Nullable, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { isUuid, uuidv7 } from '../../core/security/crypto.ts'
import { perAccount } from '../../core/security/limits.ts'
import { readEditions } from '../editions/queries.ts'
import { editListing, findForEditor, lockForEditor } from '../listing/edit.ts'
import type { ListingFor } from '../listing/queries.ts'
import { GAMES, ListingParams } from '../listing/routes.ts'
import { otherCurrencies } from './currencies.ts'
import {
  checkEventName,
  checkLeastPrices,
  checkOffer,
  checkPeriod,
  checkReduction,
  checkSaleCount,
  eventEnded,
  offerLimits,
} from './offer-input.ts'
import { offersOf } from './offers.ts'
import {
  countSalesAhead,
  endSale,
  endSaleEvent,
  findSaleEvent,
  insertSale,
  insertSaleEvent,
  readOfferFacts,
  readSaleEvents,
  readSales,
  replacePrices,
  type SaleEventRow,
  type SaleRow,
  setChosenPrice,
} from './queries.ts'
import { saleLimits } from './sale-rules.ts'
import { OfferData, SaleData, SaleEventData } from './schema.ts'

const auth = developer('mcp:money')
const OffersData = Type.Object({
  offers: Type.Array(OfferData, { description: 'What is for sale, in every currency' }),
  sales: Type.Array(SaleData, { description: 'The latest 100, also those that ended' }),
})

const showSale = ({ starts_at, ends_at, ...sale }: SaleRow): Static<typeof SaleData> => ({
  ...sale,
  starts_at: starts_at.toISOString(),
  ends_at: ends_at.toISOString(),
})
const showEvent = ({ starts_at, ends_at, ...event }: SaleEventRow) => ({
  ...event,
  starts_at: starts_at.toISOString(),
  ends_at: ends_at.toISOString(),
})

async function readOffers(core: Core, uid: string): Promise<Static<typeof OffersData>> {
  const [facts, sales] = await Promise.all([
    readOfferFacts(core.sql, uid),
    readSales(core.sql, uid),
  ])
  return { offers: offersOf(facts ?? refuse('NOT_FOUND')), sales: sales.map(showSale) }
}

export const readOffersRoute = route({
  method: 'GET',
  url: `${GAMES}/:uid/offers`,
  summary: 'Read what your listing costs in every currency, and its sales',
  auth: developer('mcp:read', 'mcp:money'),
  params: ListingParams,
  data: OffersData,
  errors: ['NOT_FOUND'],
  async handle({ core, sql, who, params }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return readOffers(core, uid)
  },
})

/** The price in dollars of the offer that a request names; null is the listing itself. */
async function offerPrice(tx: Tx, listing: ListingFor, edition_uid: string | null) {
  const editions = await readEditions(tx, listing.uid)
  if (edition_uid === null) return listing.price_cents
  return editions.find(({ uid }) => uid === edition_uid)?.price_cents ?? refuse('NOT_FOUND')
}

const edition_uid = Type.Optional(
  Nullable(Type.String({ format: 'uuid', description: 'Null or none: the listing itself' })),
)

export const setOfferRoute = route({
  method: 'PUT',
  url: `${GAMES}/:uid/offers`,
  summary: 'Set the prices of an offer in other currencies, and whether buyers choose the price',
  description:
    'The price in US dollars is that of the listing or edition. With pay_what_you_want it is the ' +
    'minimum. Prices that are not sent are removed.',
  auth,
  step_up: true,
  params: ListingParams,
  body: Body({
    edition_uid,
    prices: Type.Optional(
      Checked(
        Type.Array(
          Type.Object({
            currency: OneOf(otherCurrencies),
            amount_minor: Type.Integer({ minimum: 1, description: 'In the smallest unit' }),
          }),
          { maxItems: otherCurrencies.length },
        ),
      ),
    ),
    pay_what_you_want: Type.Optional(Checked(Type.Boolean())),
    suggested_cents: Type.Optional(
      Checked(Nullable(Type.Integer({ minimum: 1, description: 'US cents' }))),
    ),
  }),
  data: OffersData,
  errors: ['NOT_FOUND', 'INVALID_OFFER', 'PAID_LISTINGS_OFF', 'LISTING_CHECK_FAILED'],
  async handle({ core, who, params, body }) {
    const uid = await editListing(core, who, params.uid, async (tx, listing) => {
      const { max_price_cents, paid_listings } = core.settings.current
      const edition = body.edition_uid ?? null
      const price_cents = await offerPrice(tx, listing, edition)
      const offer = checkOffer(body, { price_cents, max_price_cents })
      const is_paid = offer.prices.length > 0 || offer.pay_what_you_want
      if (is_paid && !paid_listings) refuse('PAID_LISTINGS_OFF', { field: 'prices' })
      const key = { game_uid: listing.uid, edition_uid: edition }
      await replacePrices(tx, key, offer.prices)
      await setChosenPrice(tx, key, offer.pay_what_you_want ? offer : undefined)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'listings.set-offer',
        detail: {
          edition: edition ?? '',
          prices: offer.prices.map((price) => `${price.amount_minor} ${price.currency}`).join(', '),
        },
      })
      return listing.uid
    })
    return readOffers(core, uid)
  },
})

/** Locks the listing. A sale is no edit: lists do not show the listing as updated. */
const changeSales = <T>(
  core: Core,
  who: Identity,
  uid_or_name: string,
  change: (tx: Tx, listing: ListingFor) => Promise<T>,
) =>
  transact(core.sql, async (tx) => {
    const listing = await lockForEditor(tx, who, uid_or_name)
    return change(tx, listing)
  })

/** The prices in dollars that a sale is for. */
async function pricesOnSale(tx: Tx, listing: ListingFor, edition_uid: string | null) {
  if (edition_uid !== null) return [await offerPrice(tx, listing, edition_uid)]
  const active = (await readEditions(tx, listing.uid)).filter((edition) => edition.active)
  return active.length ? active.map(({ price_cents }) => price_cents) : [listing.price_cents]
}

/** The offers that a sale is for, in every currency; those in dollars first. */
async function offersOnSale(tx: Tx, listing: ListingFor, edition_uid: string | null) {
  const facts = await readOfferFacts(tx, listing.uid)
  const offers = facts ? offersOf(facts) : []
  return offers.filter((offer) => edition_uid === null || offer.edition_uid === edition_uid)
}

const SaleBody = {
  edition_uid: Type.Optional(
    Nullable(Type.String({ format: 'uuid', description: 'Null or none: every edition' })),
  ),
  percent: Type.Optional(
    Checked(Nullable(Type.Integer({ minimum: 1, maximum: saleLimits.percent }))),
  ),
  amount_cents: Type.Optional(
    Checked(Nullable(Type.Integer({ minimum: 1, description: 'US cents, not percent' }))),
  ),
  event_uid: Type.Optional(
    Nullable(
      Type.String({
        format: 'uuid',
        description: 'A sale of the whole store to take part in, which decides when it runs',
      }),
    ),
  ),
  starts_at: Type.Optional(
    Nullable(Type.String({ format: 'date-time', description: 'Null or none: now' })),
  ),
  ends_at: Type.Optional(
    Nullable(
      Type.String({
        format: 'date-time',
        description: 'Required unless the sale is part of an event',
      }),
    ),
  ),
}

export const addSaleRoute = route({
  method: 'POST',
  url: `${GAMES}/:uid/sales`,
  summary: 'Put a listing or an edition on sale for a time',
  description: 'If several sales run at the same time, the lowest price counts.',
  auth,
  step_up: true,
  params: ListingParams,
  body: Body(SaleBody),
  status: 201,
  data: OffersData,
  errors: ['NOT_FOUND', 'INVALID_SALE'],
  async handle({ core, who, params, body }) {
    const uid = await changeSales(core, who, params.uid, async (tx, listing) => {
      const edition = body.edition_uid ?? null
      const reduction = checkReduction(body, await pricesOnSale(tx, listing, edition))
      checkLeastPrices(reduction, await offersOnSale(tx, listing, edition))
      checkSaleCount(await countSalesAhead(tx, listing.uid))
      const now = new Date()
      const event = body.event_uid
        ? ((await findSaleEvent(tx, body.event_uid)) ?? eventEnded())
        : undefined
      const period = event
        ? { starts_at: event.starts_at < now ? now : event.starts_at, ends_at: event.ends_at }
        : checkPeriod({ starts_at: body.starts_at ?? undefined, ends_at: body.ends_at ?? '' }, now)
      const sale = {
        uid: uuidv7(),
        game_uid: listing.uid,
        edition_uid: edition,
        event_uid: event?.uid ?? null,
        ...reduction,
        ...period,
      }
      await insertSale(tx, sale)
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'listings.add-sale',
        detail: {
          sale: sale.uid,
          ...(reduction.percent === null
            ? { amount_cents: reduction.amount_cents }
            : { percent: reduction.percent }),
          starts_at: period.starts_at.toISOString(),
          ends_at: period.ends_at.toISOString(),
        },
      })
      return listing.uid
    })
    return readOffers(core, uid)
  },
})

export const endSaleRoute = route({
  method: 'DELETE',
  url: `${GAMES}/:uid/sales/:sale_uid`,
  summary: 'End a sale, or delete one that has not started',
  auth,
  step_up: true,
  params: Type.Object({ uid: Type.String(), sale_uid: Type.String() }),
  data: OffersData,
  errors: ['NOT_FOUND'],
  async handle({ core, who, params }) {
    const uid = await changeSales(core, who, params.uid, async (tx, listing) => {
      const { sale_uid } = params
      if (!isUuid(sale_uid) || !(await endSale(tx, listing.uid, sale_uid))) refuse('NOT_FOUND')
      await recordAudit(tx, {
        user_uid: who.user_uid,
        game_uid: listing.uid,
        action: 'listings.end-sale',
        detail: { sale: sale_uid },
      })
      return listing.uid
    })
    return readOffers(core, uid)
  },
})

const EventsData = Type.Object({ events: Type.Array(SaleEventData) })

export const saleEventsRoute = route({
  method: 'GET',
  url: '/api/v1/public/sale-events',
  summary: 'List the sales of the whole store that run or come',
  auth: optionalToken,
  cache: 'public, max-age=60',
  data: EventsData,
  async handle({ sql }) {
    return { events: (await readSaleEvents(sql)).map(showEvent) }
  },
})

const EVENTS = '/api/v1/private/operations/sale-events'

export const addSaleEventRoute = route({
  method: 'POST',
  url: EVENTS,
  summary: 'For operators: make a sale of the whole store that listings can take part in',
  auth: operator,
  limits: [perAccount(60)],
  body: Body({
    name: Checked(Type.String({ maxLength: offerLimits.event_name })),
    starts_at: Timestamp,
    ends_at: Timestamp,
  }),
  status: 201,
  data: SaleEventData,
  errors: ['INVALID_SALE'],
  async handle({ core, body }) {
    const name = checkEventName(body.name)
    const event = { uid: uuidv7(), name, ...checkPeriod(body, new Date()) }
    await insertSaleEvent(core.sql, event)
    return showEvent({ ...event, listings: 0 })
  },
})

export const endSaleEventRoute = route({
  method: 'DELETE',
  url: `${EVENTS}/:uid`,
  summary: 'For operators: end a sale of the whole store with the sales that are part of it',
  auth: operator,
  limits: [perAccount(60)],
  params: Type.Object({ uid: Type.String() }),
  data: Type.Object({ uid: Uid }),
  errors: ['NOT_FOUND'],
  async handle({ core, params: { uid } }) {
    const ended = isUuid(uid) && (await transact(core.sql, (tx) => endSaleEvent(tx, uid)))
    return ended ? { uid } : refuse('NOT_FOUND')
  },
})

export const priceRoutes = [
  readOffersRoute,
  setOfferRoute,
  addSaleRoute,
  endSaleRoute,
  saleEventsRoute,
  addSaleEventRoute,
  endSaleEventRoute,
]
