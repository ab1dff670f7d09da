import { Type } from 'typebox'
import { attachment } from '../../core/http/file-headers.ts'
import type { RouteData } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { t } from '../../core/text/text.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import { storeReportRoute, taxReportRoute } from '../../payments/reports/routes.ts'
import { readApi } from '../call.ts'
import { dateTag } from '../components/format.ts'
import { type Html, html } from '../components/html.ts'
import { setPageHeaders } from '../components/layout.ts'
import { emptyState, table } from '../components/table.ts'
import { csvText } from '../dashboard/insights/csv.ts'
import { sumDecimal, sumTable } from '../dashboard/sales/revenue.ts'
import { getPage } from '../page-routes.ts'
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

const taxLinks = (year: number): Html => html`
  <ul>
    ${[year, year - 1].map(
      (shown_year) => html`
        <li>
          <a href="${URL}/tax/${shown_year}">
            ${t('revenue-tax-csv', { year: String(shown_year) })}
          </a>
        </li>`,
    )}
  </ul>`

const showReport = getPage(URL, 'What the store sold', {
  auth: consoleOperator,
  async handle(input) {
    const report = await readApi(input.request, storeReportRoute, { query: {} })
    const totals = sumTable(
      t('revenue-totals'),
      t('currency'),
      report.totals,
      ({ currency }) => currency,
    )
    return renderConsole(input, URL, {
      body: html`
        <p class="soft">${t('revenue-last-month')}</p>
        ${report.totals.length ? totals : emptyState(t('revenue-none'), t('revenue-none-text'))}
        <h2>${t('revenue-disputes')}</h2>
        ${disputeTable(report)}
        <h2>${t('revenue-tax-report')}</h2>
        ${taxLinks(new Date().getUTCFullYear())}`,
    })
  },
})

const taxFile = getPage(`${URL}/tax/:year`, 'The tax report as CSV', {
  auth: consoleOperator,
  params: Type.Object({ year: Type.String() }),
  async handle(input) {
    const year = Number(input.params.year) || refuse('NOT_FOUND')
    const { rows } = await readApi(input.request, taxReportRoute, { query: { year } })
    const head = 'month,seller,currency,orders,gross,refunded,tax,fee,processing,net'.split(',')
    const lines = rows.map((row) => [
      row.month,
      row.seller ?? '',
      row.currency,
      row.orders,
      ...[
        row.gross_minor,
        row.refunded_minor,
        row.tax_minor,
        row.fee_minor,
        row.processing_minor,
        row.net_minor,
      ].map((amount) => sumDecimal(amount, row.currency)),
    ])
    return setPageHeaders(input, { noindex: true })
      .type('text/csv; charset=utf-8')
      .header('content-disposition', attachment(`tax-${year}.csv`))
      .send(csvText([head, ...lines]))
  },
})

export const salesReportPages = [showReport, taxFile]
