import { formatDate } from './format.ts'
import { type Html, html } from './html.ts'
import { table } from './table.ts'

export type Series = {
  name: string /** One of the colours of dashboard.css. */
  tone: 'a' | 'b' | 'c' | 'd' | 'e'
  values: readonly number[]
}
type Chart = { title: string; days: readonly string[]; series: readonly Series[]; unit: string }

const WIDTH = 600
const HEIGHT = 160
const DAY = 86_400_000

/** Every day from the first to the last of a window, so that days without anything show as such. */
export const daysBack = (count: number, now: Date): string[] =>
  Array.from({ length: count }, (_, i) =>
    new Date(now.getTime() - (count - 1 - i) * DAY).toISOString().slice(0, 10),
  )

/** The next number that reads well on a scale. */
function ceiling(most: number): number {
  const step = 10 ** Math.floor(Math.log10(Math.max(most, 1)))
  return (
    [1, 2, 2.5, 5, 10]
      .map((times) => times * step)
      .find((value) => value >= most && Number.isInteger(value)) ?? 10 * step
  )
}

/** Bars by day, drawn here: no script, and the same numbers as a table behind it. */
export function barChart({ title, days, series, unit }: Chart): Html {
  const top = ceiling(
    Math.max(
      1,
      ...days.map((_, i) => series.reduce((sum, { values }) => sum + (values[i] ?? 0), 0)),
    ),
  )
  const wide = WIDTH / days.length
  const bars = days.map((_, i) => {
    let at = HEIGHT
    return series.map(({ tone, values }) => {
      const tall = ((values[i] ?? 0) / top) * HEIGHT
      at -= tall
      return (
        tall > 0 &&
        html`<rect class="bar-${tone}" x="${(i * wide + wide * 0.12).toFixed(2)}" y="${at.toFixed(2)}" width="${(wide * 0.76).toFixed(2)}" height="${tall.toFixed(2)}"/>`
      )
    })
  })
  const lines = [0.25, 0.5, 0.75].map(
    (part) => html`<path class="grid" d="M0 ${HEIGHT * part}H${WIDTH}"/>`,
  )
  const sum = series
    .map(
      ({ name, values }) =>
        `${name}: ${values.reduce((all, value) => all + value, 0).toLocaleString('en')}`,
    )
    .join(', ')
  return html`<figure class="chart">
<figcaption><span class="chart-title">${title}</span>${series.length > 1 && html`<span class="chart-key">${series.map(({ name, tone }) => html`<span class="key-${tone}">${name}</span>`)}</span>`}</figcaption>
<div class="chart-body"><span class="chart-top">${top.toLocaleString('en')} ${unit}</span>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${title}, by day. ${sum}. The table below has every number.">${lines}${bars}</svg>
<div class="chart-days"><span>${formatDate(days[0]!)}</span><span>${formatDate(days.at(-1)!)}</span></div></div>
<details><summary>Numbers</summary>${table(title, ['Day', ...series.map(({ name }) => name)], days.map((one, i) => [one, ...series.map(({ values }) => values[i] ?? 0)]).reverse())}</details>
</figure>`
}

/** A list of counts as bars that lie. */
export function countBars(title: string, rows: readonly { name: string; count: number }[]): Html {
  const most = Math.max(1, ...rows.map((row) => row.count))
  return html`<section class="counts" aria-label="${title}"><h3>${title}</h3>${
    rows.length
      ? html`<ul>${rows.map(({ name, count }) => html`<li><span>${name}</span><span class="mono">${count.toLocaleString('en')}</span><svg viewBox="0 0 100 6" preserveAspectRatio="none" aria-hidden="true"><rect class="bar-rest" width="100" height="6"/><rect class="bar-a" width="${((count / most) * 100).toFixed(1)}" height="6"/></svg></li>`)}</ul>`
      : html`<p class="soft">Nothing yet.</p>`
  }</section>`
}

/** One part of a whole, such as devices that started. */
export const meter = (
  parts: readonly { tone: 'ok' | 'bad' | 'rest'; part: number }[],
  says: string,
): Html => {
  let at = 0
  return html`<svg class="meter" viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label="${says}">${parts.map(
    ({ tone, part }) => {
      const drawn = html`<rect class="meter-${tone}" x="${(at * 100).toFixed(2)}" width="${(part * 100).toFixed(2)}" height="6"/>`
      at += part
      return drawn
    },
  )}</svg>`
}

/** A number a day without a scale, for a line of a table. */
export function sparkBars(values: readonly number[], says: string): Html {
  const top = Math.max(1, ...values)
  const bars = values.map((value, i) => {
    const tall = (value / top) * 24
    return (
      value > 0 &&
      html`<rect class="bar-a" x="${i * 4}" y="${(24 - tall).toFixed(1)}" width="3" height="${tall.toFixed(1)}"/>`
    )
  })
  return html`<svg class="spark" viewBox="0 0 ${values.length * 4 - 1} 24" preserveAspectRatio="none" role="img" aria-label="${says}"><title>${says}</title>${bars}</svg>`
}
