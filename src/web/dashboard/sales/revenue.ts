import type { RouteData } from '../../../core/http/route.ts'
import { regionName } from '../../../core/text/intl-text.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { decimalAmount } from '../../../listings/prices/currencies.ts'
import type { Discovery } from '../../../payments/orders/discovery.ts'
import { salesReportRoute, soldOrdersRoute } from '../../../payments/reports/routes.ts'
import { readApi } from '../../call.ts'
import { barChart, type Chart, countBars, daysBack, inWeeks } from '../../components/chart.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState } from '../../components/table.ts'
import { sumCells, sumHead, sumTable } from '../../payments/sum-table.ts'
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
const MAX_BARS = 10

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

const discoveryNames: Record<Discovery, Text> = {
  search: t('discovery-search'),
  home: t('discovery-home'),
  tag: t('discovery-tag'),
  developer: t('discovery-developer'),
  listing: t('discovery-listing'),
  external: t('discovery-external'),
  direct: t('discovery-direct'),
  other: t('discovery-other'),
  app: t('discovery-app'),
}

export const countryName = (code: string | null): Text =>
  code ? regionName(code) : t('country-unknown')

/** The sums of a group of orders; `code` names it in files, `name` on the page. */
type Group = Sums & { code: string; name: Text }
type Breakdown = { file: string; title: Text; column: Text; about?: Text; groups: Group[] }

const breakdownsOf = (report: Report): Breakdown[] => [
  {
    file: 'countries',
    title: t('revenue-countries'),
    column: t('revenue-country'),
    about: t('revenue-countries-text'),
    groups: report.by_country.map((row) => ({
      ...row,
      code: row.country ?? '',
      name: countryName(row.country),
    })),
  },
  {
    file: 'discovery',
    title: t('revenue-discovery'),
    column: t('revenue-came-from'),
    about: t('revenue-discovery-text'),
    groups: report.by_discovery.map((row) => ({
      ...row,
      code: row.discovery ?? '',
      name: row.discovery ? discoveryNames[row.discovery] : t('discovery-unknown'),
    })),
  },
  {
    file: 'editions',
    title: t('revenue-editions'),
    column: t('edition'),
    groups: report.by_edition.map((row) => ({
      ...row,
      code: row.edition,
      name: row.edition || t('keys-no-edition'),
    })),
  },
  {
    file: 'reductions',
    title: t('revenue-reductions'),
    column: t('sale-reduction'),
    groups: report.by_reduction.map((row) => ({
      ...row,
      code: row.reduction,
      name: reductionNames[row.reduction],
    })),
  },
]

/** Orders by group, of all currencies together. */
function orderCounts(groups: readonly Group[]): { name: Text; count: number }[] {
  const counts = new Map<string, { name: Text; count: number }>()
  for (const { code, name, orders } of groups)
    counts.set(code, { name, count: (counts.get(code)?.count ?? 0) + orders })
  return [...counts.values()].toSorted((a, b) => b.count - a.count).slice(0, MAX_BARS)
}

function statistics(project: ProjectContext, report: Report): Html {
  const { totals } = report
  const breakdowns = breakdownsOf(report)
  const charts = html`
    <div class="counts-grid">
      ${breakdowns.map(({ file, title, groups }) =>
        countBars(title, orderCounts(groups), csvUrl(project, 'revenue', file)),
      )}
    </div>`
  return html`
    ${subsection(
      'totals',
      t('revenue-totals'),
      sumTable(t('revenue-totals'), t('currency'), totals, ({ currency }) => currency),
      t('revenue-totals-text'),
    )}
    ${subsection('daily', t('revenue-over-time'), barChart(dailyChart(project, report)))}
    ${subsection('by', t('revenue-breakdown'), charts)}
    ${breakdowns.map(({ file, title, column, about, groups }) =>
      subsection(
        file,
        title,
        sumTable(title, column, groups, ({ name }) => name),
        about,
      ),
    )}
    <p><a href="${csvUrl(project, 'revenue', ORDERS)}">${t('revenue-orders-csv')}</a></p>`
}

const reportOf = (project: ProjectContext) =>
  readApi(project.request, salesReportRoute, {
    params: { uid: project.uid },
    query: { days: daysOfRange(project) },
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

const orderHead =
  'order,paid_at,edition,state,country,discovery,currency,list,amount,tax,refunded,disputed,fee,net'

async function orderRows(project: ProjectContext): Promise<ChartRows> {
  const { request, uid } = project
  const query = { days: daysOfRange(project) }
  const { orders } = await readApi(request, soldOrdersRoute, { params: { uid }, query })
  const rows = orders.map((row) => [
    row.uid,
    row.paid_at,
    row.edition,
    row.state,
    row.country ?? '',
    row.discovery ?? '',
    row.currency,
    ...[
      row.list_minor,
      row.amount_minor,
      row.tax_minor,
      row.refunded_minor,
      row.disputed_minor,
      row.fee_minor,
      row.net_minor,
    ].map((amount) => decimalAmount(amount, row.currency)),
  ])
  return [orderHead.split(','), ...rows]
}

const groupRows = ({ file, groups }: Breakdown): ChartRows => [
  [file, ...sumHead],
  ...groups.map((group) => [group.code, ...sumCells(group)]),
]

async function revenueCharts(project: ProjectContext) {
  const [report, orders] = await Promise.all([reportOf(project), orderRows(project)])
  const breakdowns = breakdownsOf(report).map(
    (breakdown) => [breakdown.file, groupRows(breakdown)] as const,
  )
  return new Map<string, ChartRows>([
    [DAILY, dayRows(dailyChart(project, report))],
    [ORDERS, orders],
    ...breakdowns,
  ])
}

export const revenueRoutes = [
  projectPage('revenue', 'What a project sold', showRevenue),
  chartFileRoute('revenue', 'What a project sold as CSV', revenueCharts),
]
