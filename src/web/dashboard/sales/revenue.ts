import type { RouteData } from '../../../core/http/route.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { type Currency, decimalAmount, isCurrency } from '../../../listings/prices/currencies.ts'
import { formatMoney } from '../../../payments/receipts/money.ts'
import { salesReportRoute, soldOrdersRoute } from '../../../payments/reports/routes.ts'
import { readApi } from '../../call.ts'
import { barChart, type Chart, daysBack, inWeeks } from '../../components/chart.ts'
import { formatNumber } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState, table } from '../../components/table.ts'
import {
  type ChartRows,
  chartFileRoute,
  csvUrl,
  dayRows,
  daysOfRange,
  rangeLinks,
} from '../insights/chart-files.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'

type Report = RouteData<typeof salesReportRoute>
type Sums = Report['totals'][number]

const tones = ['a', 'b', 'c', 'd', 'e'] as const
/** Charts have five colors, so that further currencies are in the tables only. */
const MAX_SERIES = tones.length

export const sumDecimal = (amount_minor: number, currency: string): string =>
  isCurrency(currency) ? decimalAmount(amount_minor, currency as Currency) : String(amount_minor)

const columns = [
  t('revenue-orders'),
  t('revenue-gross'),
  t('revenue-refunded'),
  t('revenue-tax'),
  t('revenue-fee'),
  t('revenue-processing'),
  t('revenue-net'),
]

const cells = (row: Sums) => [
  formatNumber(row.orders),
  ...[
    row.gross_minor,
    row.refunded_minor,
    row.tax_minor,
    row.fee_minor,
    row.processing_minor,
    row.net_minor,
  ].map((amount) => formatMoney(amount, row.currency)),
]

export const sumTable = <Row extends Sums>(
  caption: Text,
  first: Text,
  rows: readonly Row[],
  nameOf: (row: Row) => Text,
): Html =>
  table(
    caption,
    [first, ...columns],
    rows.map((row) => [nameOf(row), ...cells(row)]),
  )

const DAILY = 'daily'
const ORDERS = 'orders'

function dailyChart(project: ProjectContext, { totals, by_day }: Report): Chart {
  const days = daysBack(daysOfRange(project), new Date())
  const series = totals.slice(0, MAX_SERIES).map(({ currency }, i) => {
    const counts = new Map(
      by_day.filter((row) => row.currency === currency).map(({ day, orders }) => [day, orders]),
    )
    return { name: currency, tone: tones[i]!, values: days.map((day) => counts.get(day) ?? 0) }
  })
  return inWeeks({
    title: t('revenue-orders'),
    unit: t('per-day'),
    days,
    series,
    csv_url: csvUrl(project, 'revenue', DAILY),
  })
}

const reductionNames = {
  none: t('revenue-full-price'),
  sale: t('revenue-sale'),
  coupon: t('revenue-coupon'),
} as const

function statistics(project: ProjectContext, report: Report): Html {
  const { totals, by_edition, by_reduction } = report
  return html`
    ${subsection(
      'totals',
      t('revenue-totals'),
      sumTable(t('revenue-totals'), t('currency'), totals, ({ currency }) => currency),
      t('revenue-totals-text'),
    )}
    ${subsection('daily', t('revenue-over-time'), barChart(dailyChart(project, report)))}
    ${subsection(
      'editions',
      t('revenue-editions'),
      sumTable(
        t('revenue-editions'),
        t('edition'),
        by_edition,
        ({ edition }) => edition || t('keys-no-edition'),
      ),
    )}
    ${subsection(
      'reductions',
      t('revenue-reductions'),
      sumTable(
        t('revenue-reductions'),
        t('sale-reduction'),
        by_reduction,
        ({ reduction }) => reductionNames[reduction],
      ),
    )}
    <p><a href="${csvUrl(project, 'revenue', ORDERS)}">${t('revenue-orders-csv')}</a></p>`
}

const reportOf = ({ request, uid, ...project }: ProjectContext) =>
  readApi(request, salesReportRoute, {
    params: { uid },
    query: { days: daysOfRange({ request, uid, ...project }) },
  })

async function showRevenue(project: ProjectContext) {
  const report = await reportOf(project)
  return renderSection(project, 'revenue', {
    title: t('section-revenue'),
    body: html`
      ${rangeLinks(project, 'revenue')}
      ${
        report.totals.length
          ? statistics(project, report)
          : emptyState(t('revenue-none'), t('revenue-none-text'))
      }`,
  })
}

async function orderRows(project: ProjectContext): Promise<ChartRows> {
  const { request, uid } = project
  const query = { days: daysOfRange(project) }
  const { orders } = await readApi(request, soldOrdersRoute, { params: { uid }, query })
  const head = 'order,paid_at,edition,state,currency,list,amount,tax,refunded,fee,net'.split(',')
  const rows = orders.map((row) => [
    row.uid,
    row.paid_at,
    row.edition,
    row.state,
    row.currency,
    ...[
      row.list_minor,
      row.amount_minor,
      row.tax_minor,
      row.refunded_minor,
      row.fee_minor,
      row.net_minor,
    ].map((amount) => sumDecimal(amount, row.currency)),
  ])
  return [head, ...rows]
}

const revenueCharts = async (project: ProjectContext) =>
  new Map<string, ChartRows>([
    [DAILY, dayRows(dailyChart(project, await reportOf(project)))],
    [ORDERS, await orderRows(project)],
  ])

export const revenueRoutes = [
  projectPage('revenue', 'What a project sold', showRevenue),
  chartFileRoute('revenue', 'What a project sold as CSV', revenueCharts),
]
