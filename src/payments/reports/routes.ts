import { Type } from 'typebox'
import { operator } from '../../accounts/people/operator-access.ts'
import { developer } from '../../accounts/sessions/schemes.ts'
import { Nullable, nameSchemas, OneOf, route, Timestamp, Uid } from '../../core/http/route.ts'
import { MAX_STATISTICS_DAYS, STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { perAccount } from '../../core/security/limits.ts'
import { findForEditor } from '../../listings/listing/edit.ts'
import { readSalesReport, readSoldOrders, readStoreReport, readTaxReport } from './queries.ts'

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
  tax_minor: minor('The tax in what they paid'),
  fee_minor: minor('What the store got'),
  processing_minor: minor('What the payment provider got'),
  net_minor: minor('What the seller got'),
}
const SumsData = Type.Object(sums)
nameSchemas({ SalesSums: SumsData })

export const salesReportRoute = route({
  method: 'GET',
  url: `${url}/sales-report`,
  summary: 'Read what a listing sold: in total, by day, by edition and by reduction',
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
  }),
  errors: ['NOT_FOUND'],
  async handle({ sql, who, params, query }) {
    const { uid } = await findForEditor(sql, who, params.uid)
    return readSalesReport(sql, uid, query.days ?? STATISTICS_DAYS)
  },
})

export const soldOrdersRoute = route({
  method: 'GET',
  url: `${url}/sold-orders`,
  summary: 'List the paid orders of a listing, the newest first, without who bought it',
  auth: developer('mcp:money'),
  params,
  query: Type.Object({ days: Type.Optional(days) }),
  data: Type.Object({
    orders: Type.Array(
      Type.Object({
        uid: Uid,
        paid_at: Timestamp,
        edition: Type.String(),
        state: Type.String(),
        currency: Type.String(),
        list_minor: minor('The price without reductions'),
        amount_minor: minor('What the buyer paid'),
        tax_minor: minor('The tax in it'),
        refunded_minor: minor('What the buyer got back'),
        fee_minor: minor('What the store got'),
        net_minor: minor('What the seller got'),
      }),
      { description: 'At most 10,000' },
    ),
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
  summary: 'For operators: what the store sold, its fees, and the orders in dispute',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({ days: Type.Optional(days) }),
  data: Type.Object({
    totals: Type.Array(SumsData, { description: 'One entry for each currency' }),
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
    const { totals, disputes } = await readStoreReport(sql, query.days ?? STATISTICS_DAYS)
    return {
      totals,
      disputes: disputes.map((row) => ({ ...row, paid_at: row.paid_at.toISOString() })),
    }
  },
})

export const taxReportRoute = route({
  method: 'GET',
  url: `${OPERATIONS}/tax-report`,
  summary: 'For operators: what every seller sold in each month of a year',
  auth: operator,
  limits: [perAccount(60)],
  query: Type.Object({
    year: Type.Integer({ minimum: 2020, maximum: 2200, description: 'The year, in UTC' }),
  }),
  data: Type.Object({
    rows: Type.Array(
      Type.Object({
        month: Type.String({ description: 'As 2027-01' }),
        seller: Seller,
        ...sums,
      }),
    ),
  }),
  async handle({ sql, query }) {
    return { rows: await readTaxReport(sql, query.year) }
  },
})

export const salesReportRoutes = [
  salesReportRoute,
  soldOrdersRoute,
  storeReportRoute,
  taxReportRoute,
]
