import { type Text, t } from '../../core/text/text.ts'
import { decimalAmount } from '../../listings/prices/currencies.ts'
import { formatMoney } from '../../payments/receipts/money.ts'
import type { Sums } from '../../payments/reports/queries.ts'
import { formatNumber } from '../components/format.ts'
import type { Html } from '../components/html.ts'
import { table } from '../components/table.ts'

/** What orders add up to, as the columns of a table and of a CSV file. */

const columns = [
  t('revenue-orders'),
  t('revenue-gross'),
  t('revenue-refunded'),
  t('revenue-disputed'),
  t('revenue-tax'),
  t('revenue-fee'),
  t('revenue-processing'),
  t('revenue-net'),
]

const amountsOf = (row: Sums): number[] => [
  row.gross_minor,
  row.refunded_minor,
  row.disputed_minor,
  row.tax_minor,
  row.fee_minor,
  row.processing_minor,
  row.net_minor,
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
    rows.map((row) => [
      nameOf(row),
      formatNumber(row.orders),
      ...amountsOf(row).map((amount) => formatMoney(amount, row.currency)),
    ]),
  )

/** The names of the columns of CSV files do not depend on the language. */
export const sumHead = 'currency,orders,gross,refunded,disputed,tax,fee,processing,net'.split(',')

export const sumCells = (row: Sums): (string | number)[] => [
  row.currency,
  row.orders,
  ...amountsOf(row).map((amount) => decimalAmount(amount, row.currency)),
]
