import { Type } from 'typebox'
import { attachment } from '../../core/http/file-headers.ts'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { type Text, t } from '../../core/text/text.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { type TaxPeriod, taxPeriods } from '../../payments/reports/queries.ts'
import { storeReportRoute, taxReportRoute } from '../../payments/reports/routes.ts'
import { readApi } from '../call.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { setPageHeaders } from '../components/layout.ts'
import { emptyState, table } from '../components/table.ts'
import { rangeNav, rangeOf } from '../dashboard/insights/chart-files.ts'
import { csvText } from '../dashboard/insights/csv.ts'
import { getPage } from '../page-routes.ts'
import { sumCells, sumHead, sumTable } from '../payments/sum-table.ts'
import { consoleOperator } from '../visitor.ts'
import { renderConsole } from './console-page.ts'

const URL = '/operator/sales-report'
type Report = RouteData<typeof storeReportRoute>

const disputeTable = ({ disputes }: Report): Html =>
  disputes.length
    ? table(
        t('revenue-disputes'),
        [t('revenue-title'), t('revenue-seller'), t('revenue-gross'), t('revenue-paid-on')],
        disputes.map(({ title, seller, currency, amount_minor, paid_at }) => [
          title,
          seller ?? '–',
          formatMoney(amount_minor, currency),
          dateTag(paid_at),
        ]),
      )
    : html`<p class="soft">${t('revenue-no-disputes')}</p>`

const periodNames: Record<TaxPeriod, Text> = {
  month: t('revenue-by-month'),
  quarter: t('revenue-by-quarter'),
  year: t('revenue-by-year'),
}

const taxLink = (year: number, period: TaxPeriod): Html => html`
  <a href="${URL}/tax/${year}?period=${period}" download>
    ${periodNames[period]}<span class="sr"> ${String(year)}</span>
  </a>`

const taxLinks = (year: number): Html => html`
  <ul>
    ${[year, year - 1].map(
      (shown_year) => html`
        <li>
          ${t('revenue-tax-csv', { year: String(shown_year) })}
          ${taxPeriods.map((period, i) => html`${i > 0 && ' · '}${taxLink(shown_year, period)}`)}
        </li>`,
    )}
  </ul>`

const showReport = getPage(URL, 'What the store sold', {
  auth: consoleOperator,
  query: Type.Object({ days: Type.Optional(Type.String()) }),
  async handle(input) {
    const days = rangeOf(input.query.days)
    const report = await readApi(input.request, storeReportRoute, { query: { days } })
    const totals = sumTable(
      t('revenue-totals'),
      t('currency'),
      report.totals,
      ({ currency }) => currency,
    )
    const sellers = sumTable(
      t('revenue-sellers'),
      t('revenue-seller'),
      report.by_seller,
      ({ seller }) => seller ?? '–',
    )
    return renderConsole(input, URL, {
      body: html`
        ${rangeNav(URL, days)}
        <p class="soft">${t('revenue-store-text')}</p>
        ${
          report.totals.length
            ? html`${totals}<h2 class="spaced-heading">${t('revenue-sellers')}</h2>${sellers}`
            : emptyState(t('revenue-none'), t('revenue-none-text'))
        }
        <h2 class="spaced-heading">${t('revenue-disputes')}</h2>
        ${disputeTable(report)}
        <h2 class="spaced-heading">${t('revenue-tax-report')}</h2>
        <p class="soft">${t('revenue-tax-text')}</p>
        ${taxLinks(new Date().getUTCFullYear())}`,
    })
  },
})

const taxFile = getPage(`${URL}/tax/:year`, 'The tax report as CSV', {
  auth: consoleOperator,
  params: Type.Object({ year: Type.String() }),
  query: Type.Object({ period: Type.Optional(Type.String()) }),
  async handle(input) {
    const year = Number(input.params.year) || refuse('NOT_FOUND')
    const period = taxPeriods.find((name) => name === input.query.period) ?? 'month'
    const { rows } = await readApi(input.request, taxReportRoute, { query: { year, period } })
    const lines = rows.map((row) => [
      row.period,
      row.seller ?? '',
      row.country ?? '',
      ...sumCells(row),
    ])
    return setPageHeaders(input, { noindex: true })
      .type('text/csv; charset=utf-8')
      .header('content-disposition', attachment(`tax-${year}-${period}.csv`))
      .send(csvText([['period', 'seller', 'country', ...sumHead], ...lines]))
  },
})

export const salesReportPages = [showReport, taxFile]
