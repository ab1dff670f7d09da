import { DAY_MS } from '../../core/runtime/units.ts'
import { joinTexts, type Text, t } from '../../core/text/text.ts'
import { formatDate, formatNumber } from './format.ts'
import { type Html, hiddenText, html, richText } from './html.ts'
import { table } from './table.ts'

export type Series = {
  name: Text
  /** One of the colors of dashboard.css. */
  tone: 'a' | 'b' | 'c' | 'd' | 'e'
  values: readonly number[]
}
export type Chart = {
  title: Text
  days: readonly string[]
  series: readonly Series[]
  unit: Text
  /** What each bar counts; a day by default. */
  period?: 'day' | 'week'
  /** The address of its numbers as a CSV file. */
  csv_url?: string
}

const WIDTH = 600
const HEIGHT = 160
/** The part of a day's width that its bar fills. */
const BAR_WIDTH = 0.76
const SPARK_HEIGHT = 24

/** Charts of more days have a bar per week. */
const MAX_DAILY_BARS = 90
const WEEK = 7

/** The same chart by week if it has many days. Weeks end today, and only whole ones are shown. */
export function inWeeks<T extends Chart>(chart: T): T {
  const { days, series } = chart
  if (days.length <= MAX_DAILY_BARS) return chart
  const first = days.length % WEEK
  const inWeek = (_: unknown, i: number) => i >= first && (i - first) % WEEK === 0
  const weekly = (values: readonly number[]) =>
    days.flatMap((day, i) => (inWeek(day, i) ? [sumOf(values.slice(i, i + WEEK))] : []))
  return {
    ...chart,
    period: 'week',
    unit: t('per-week'),
    days: days.filter(inWeek),
    series: series.map((entry) => ({ ...entry, values: weekly(entry.values) })),
  }
}

/** Every day of a window that ends today, days without data included. */
export const daysBack = (count: number, now: Date): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(now.getTime() - (count - 1 - i) * DAY_MS).toISOString().slice(0, 10),
  )

/** The next round number, for the top of a scale. */
function scaleTop(max: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(max, 1)))
  return (
    [1, 2, 2.5, 5, 10]
      .map((factor) => factor * step)
      .find((value) => value >= max && Number.isInteger(value)) ?? 10 * step
  )
}

/** Stacked bars by day or week as SVG, without script, and the same numbers as a table. */
export function barChart({ title, days, series, unit, period = 'day', csv_url }: Chart): Html {
  const totals = days.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0))
  const top = scaleTop(Math.max(1, ...totals))
  const totals_text = joinTexts(
    series.map(({ name, values }) => t('chart-total', { name, total: sumOf(values) })),
    ', ',
  )
  const summary = t(period === 'week' ? 'chart-summary-weeks' : 'chart-summary', {
    title,
    totals: totals_text,
  })
  const size = html`viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"`
  return html`
    <figure class="chart">
      <figcaption>
        <span class="chart-title">${title}</span>
        ${series.length > 1 && chartKey(series)}
      </figcaption>
      <div class="chart-body">
        <span class="chart-top">${t('chart-top', { top, unit })}</span>
        <svg ${size} role="img" aria-label="${summary}">
          ${gridLines}${dayBars(days, series, top)}
        </svg>
        <div class="chart-days">
          <span>${formatDate(days[0]!)}</span>
          <span>${formatDate(lastDay(days, period))}</span>
        </div>
      </div>
      <details>
        <summary>${t('chart-numbers')}</summary>
        ${numberTable({ title, days, series, period })}
      </details>
      ${csv_url && csvLink(csv_url, title)}
    </figure>
  `
}

/** The last day that a chart counts. */
const lastDay = (days: readonly string[], period: 'day' | 'week'): string => {
  const last = new Date(days.at(-1)!)
  return period === 'day'
    ? days.at(-1)!
    : new Date(last.getTime() + (WEEK - 1) * DAY_MS).toISOString()
}

/** The name of the first column of a chart's numbers. */
export const periodName = (period: 'day' | 'week' = 'day') =>
  t(period === 'week' ? 'chart-week' : 'chart-day')

/** Each of several links on a page has a name of its own. */
const csvLink = (url: string, title: Text): Html => html`
  <a class="csv" href="${url}" download>
    ${richText('chart-csv', { title, hidden: hiddenText })}
  </a>`

const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

const chartKey = (series: readonly Series[]) => html`
  <span class="chart-key">
    ${series.map(({ name, tone }) => html`<span class="key-${tone}">${name}</span>`)}
  </span>
`

const gridLines = [0.25, 0.5, 0.75].map(
  (part) => html`<path class="grid" d="M0 ${HEIGHT * part}H${WIDTH}"/>`,
)

function dayBars(days: readonly string[], series: readonly Series[], top: number) {
  const day_width = WIDTH / days.length
  const width = (day_width * BAR_WIDTH).toFixed(2)
  return days.map((_, i) => {
    const x = (i * day_width + (day_width * (1 - BAR_WIDTH)) / 2).toFixed(2)
    let y = HEIGHT
    return series.map(({ tone, values }) => {
      const height = ((values[i] ?? 0) / top) * HEIGHT
      if (height <= 0) return false
      y -= height
      const position = html`x="${x}" y="${y.toFixed(2)}"`
      return html`
        <rect class="bar-${tone}" ${position} width="${width}" height="${height.toFixed(2)}"/>
      `
    })
  })
}

type Numbers = Pick<Chart, 'title' | 'days' | 'series'> & { period: 'day' | 'week' }

function numberTable({ title, days, series, period }: Numbers): Html {
  const rows = days.map((day, i) => [day, ...series.map(({ values }) => values[i] ?? 0)])
  return table(title, [periodName(period), ...series.map(({ name }) => name)], rows.reverse())
}

type CountRow = { name: Text; count: number }

/** Counts by name as horizontal bars. */
export function countBars(title: Text, rows: readonly CountRow[], csv_url?: string): Html {
  const max = Math.max(1, ...rows.map((row) => row.count))
  const bar = ({ name, count }: CountRow) => html`
    <li>
      <span>${name}</span>
      <span class="mono">${formatNumber(count)}</span>
      <svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true">
        <rect class="bar-rest" width="100" height="6"/>
        <rect class="bar-a" width="${((count / max) * 100).toFixed(1)}" height="6"/>
      </svg>
    </li>
  `
  return html`
    <section class="counts" aria-label="${title}">
      <h3>${title}</h3>
      ${rows.length ? html`<ul>${rows.map(bar)}</ul>` : html`<p class="soft">${t('nothing-yet')}</p>`}
      ${csv_url && rows.length > 0 && csvLink(csv_url, title)}
    </section>
  `
}

/** Shares of a total, such as the devices that started. */
export const meter = (
  parts: readonly { tone: 'ok' | 'bad' | 'rest'; part: number }[],
  label: Text,
): Html => {
  let x = 0
  const bars = parts.map(({ tone, part }) => {
    const position = html`x="${(x * 100).toFixed(2)}" width="${(part * 100).toFixed(2)}"`
    x += part
    return html`<rect class="meter-${tone}" ${position} height="6"/>`
  })
  const size = html`viewBox="0 0 100 6" preserveAspectRatio="none"`
  return html`<svg class="meter" ${size} role="img" aria-label="${label}">${bars}</svg>`
}

/** One bar per day without a scale, for a cell of a table. */
export function sparkBars(values: readonly number[], label: Text): Html {
  const top = Math.max(1, ...values)
  const bars = values.map((value, i) => {
    const height = (value / top) * SPARK_HEIGHT
    const position = html`x="${i * 4}" y="${(SPARK_HEIGHT - height).toFixed(1)}"`
    return (
      value > 0 && html`<rect class="bar-a" ${position} width="3" height="${height.toFixed(1)}"/>`
    )
  })
  const width = values.length * 4 - 1
  const size = html`viewBox="0 0 ${width} ${SPARK_HEIGHT}" preserveAspectRatio="none"`
  return html`
    <svg class="spark" ${size} role="img" aria-label="${label}">
      <title>${label}</title>
      ${bars}
    </svg>
  `
}
