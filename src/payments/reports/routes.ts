import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import { Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { MAX_STATISTICS_DAYS, STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { discoveryChannels } from '../orders/discovery.ts'
import {
  readSalesReport,
  readSoldOrders,
  readStoreReport,
  readTaxReport,
  taxPeriods,
} from './queries.ts'

const url = '/api/v1/private/games/:uid'
const OPERATIONS = '/api/v1/private/operations'
const params = Type.Object({ uid: Type.String() })
const days = Type.Integer({
  minimum: 1,
  maximum: MAX_STATISTICS_DAYS,
  default: STATISTICS_DAYS,
  description: 'How many days until today, in UTC',
})

const minor = (description: string) =>
  Type.Integer({ description: `${description}, in the smallest unit of the currency` })
const sums = {
  currency: Type.String({ description: 'ISO 4217' }),
  orders: Type.Integer(),
  gross_minor: minor('What buyers paid'),
  refunded_minor: minor('What they got back'),
  disputed_minor: minor('What their banks took back'),
  tax_minor: minor('The tax in what they paid and did not get back'),
  fee_minor: minor('What the store got'),
  processing_minor: minor('What the payment provider got'),
  net_minor: minor('What the seller got'),
}
const Country = Nullable(
  Type.String({
    description: 'Of the payment as the provider reports it (ISO 3166); null: unknown',
  }),
)
const DiscoveryChannel = Nullable(
  OneOf(discoveryChannels, {
    description: 'How the buyer came to the listing; null for orders before this was recorded',
  }),
)
const SumsData = Type.Object(sums)
nameSchemas({ SalesSums: SumsData })

export const salesReportRoute = route({
  method: 'GET',
  url: `${url}/sales-report`,
  summary: 'Read what a listing sold: by day, edition, reduction, country and discovery',
  auth: developer('mcp:money'),
  params,
  query: Type.Object({ days: Type.Optional(days) }),
  data: Type.Object({
    totals: Type.Array(SumsData, { description: 'One entry for each currency' }),
    by_day: Type.Array(Type.Object({ day: Type.String(), ...sums })),
    by_edition: Type.Array(
      Type.Object({
        edition: Type.String({ description: 'Its name; empty for none' }),
        ...sums,
      }),
    ),
    by_reduction: Type.Array(
      Type.Object({ reduction: OneOf(['none', 'sale', 'coupon']), ...sums }),
    ),
    by_country: Type.Array(Type.Object({ country: Country, ...sums })),
    by_discovery: Type.Array(Type.Object({ discovery: DiscoveryChannel, ...sums })),
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return readSalesReport(sql, uid, query.days ?? STATISTICS_DAYS)
  },
})

export const SoldOrders = Type.Array(
  Type.Object({
    uid: Uid,
    paid_at: Timestamp,
    edition: Type.String(),
    state: Type.String(),
    country: Country,
    discovery: DiscoveryChannel,
    currency: Type.String(),
    list_minor: minor('The price without reductions'),
    amount_minor: minor('What the buyer paid'),
    tax_minor: minor('The tax in what the buyer did not get back'),
    refunded_minor: minor('What the buyer got back'),
    disputed_minor: minor('What the bank of the buyer took back'),
    fee_minor: minor('What the store got'),
    net_minor: minor('What the seller got'),
  }),
  { description: 'At most 10,000' },
)

export const soldOrdersRoute = route({
  method: 'GET',
  url: `${url}/sold-orders`,
  summary: 'List the paid orders of a listing, the newest first, without who bought it',
  auth: developer('mcp:money'),
  params,
  query: Type.Object({ days: Type.Optional(days) }),
  data: Type.Object({
    orders: SoldOrders,
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    const orders = await readSoldOrders(sql, uid, query.days ?? STATISTICS_DAYS)
    return { orders: orders.map((row) => ({ ...row, paid_at: row.paid_at.toISOString() })) }
  },
})

const Seller = Nullable(Type.String({ description: 'The username' }))

export const storeReportRoute = route({
  method: 'GET',
  url: `${OPERATIONS}/sales-report`,
  summary: 'For operators: what the store and each seller sold, fees, and the orders in dispute',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({ days: Type.Optional(days) }),
  data: Type.Object({
    totals: Type.Array(SumsData, { description: 'One entry for each currency' }),
    by_seller: Type.Array(Type.Object({ seller: Seller, ...sums }), {
      description: 'One entry for each seller and currency, at most 500',
    }),
    disputes: Type.Array(
      Type.Object({
        uid: Uid,
        title: Type.String(),
        seller: Seller,
        currency: Type.String(),
        amount_minor: minor('What the buyer paid'),
        paid_at: Timestamp,
      }),
    ),
  }),
  async handle({ sql, query }) {
    const { disputes, ...report } = await readStoreReport(sql, query.days ?? STATISTICS_DAYS)
    return {
      ...report,
      disputes: disputes.map((row) => ({ ...row, paid_at: row.paid_at.toISOString() })),
    }
  },
})

export const taxReportRoute = route({
  method: 'GET',
  url: `${OPERATIONS}/tax-report`,
  summary: 'For operators: what every seller sold to each country in the periods of a year',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({
    year: Type.Integer({ minimum: 2020, maximum: 2200, description: 'The year, in UTC' }),
    period: OneOf(taxPeriods, { default: 'month', description: 'How the year is divided' }),
  }),
  data: Type.Object({
    rows: Type.Array(
      Type.Object({
        period: Type.String({ description: 'As 2027-01, 2027-Q1 or 2027' }),
        seller: Seller,
        country: Country,
        ...sums,
      }),
    ),
  }),
  async handle({ sql, query }) {
    return { rows: await readTaxReport(sql, query.year, query.period) }
  },
})

export const salesReportRoutes = [
  salesReportRoute,
  soldOrdersRoute,
  storeReportRoute,
  taxReportRoute,
]
