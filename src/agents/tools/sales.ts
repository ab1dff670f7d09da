import { Type } from 'typebox'
import type { CallResult } from '../../core/http/call.ts'
import { OneOf } from '../../core/http/route.ts'
import { errors } from '../../core/runtime/errors.ts'
import { MAX_STATISTICS_DAYS } from '../../core/runtime/retention.ts'
import { readPayoutsRoute } from '../../payments/payouts/routes.ts'
import { SoldOrders, salesReportRoute, soldOrdersRoute } from '../../payments/reports/routes.ts'
import { type Composed, mapData } from './composed-tools.ts'

const optional = Type.Optional

/** What a developer sold and what arrives of it. Tools read money and never move it. */
export const salesOf: Composed = {
  calls: [salesReportRoute, soldOrdersRoute, readPayoutsRoute],
  input: {
    uid: optional(Type.String()),
    report: OneOf(['payouts', 'sales', 'orders']),
    days: optional(
      Type.Integer({ minimum: 1, maximum: MAX_STATISTICS_DAYS, description: '30 by default' }),
    ),
  },
  output: Type.Object({
    sales: optional(salesReportRoute.data!),
    orders: optional(SoldOrders),
    payouts: optional(readPayoutsRoute.data!),
  }),
  async run(call, { report, ...args }) {
    if (report === 'payouts') return mapData(call(readPayoutsRoute, {}), (payouts) => ({ payouts }))
    if (args.uid === undefined) return NO_LISTING
    return report === 'orders'
      ? call(soldOrdersRoute, args)
      : mapData(call(salesReportRoute, args), (sales) => ({ sales }))
  },
}

const NO_LISTING: CallResult<never> = {
  ok: false,
  status: errors.MALFORMED[1],
  code: errors.MALFORMED[0],
  message: 'arguments.uid: name the listing; only the report payouts is about the whole account',
  details: {},
}
