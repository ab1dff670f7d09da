import { read } from '../../call.ts'
import { barChart, countBars, daysBack } from '../../components/chart.ts'
import { formatCount, labelOf } from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { emptyState } from '../../components/table.ts'
import { type Desk, deskPage, roomPage, section } from '../project-page.ts'

type Counted<K extends string> = ({ count: number } & Record<K, string>)[]
type Downloads = {
  total: number
  unique_users: number
  anonymous: number
  licenses_granted: number
  by_source: Counted<'source'>
  by_access: Counted<'access'>
  by_client: Counted<'client'>
  by_outcome: Counted<'outcome'>
  by_country: Counted<'country'>
  daily: Counted<'day'>
}

const DAYS = 30
const TOP = 10
const countries = new Intl.DisplayNames('en', { type: 'region' })
const country = (code: string) =>
  /^[A-Z]{2}$/.test(code) ? (countries.of(code) ?? code) : 'Unknown'
const outcomes: Record<string, string> = {
  ok: 'Given',
  sign_in_required: 'Asked to sign in',
  payment_required: 'Asked to buy',
  scanning: 'Still scanning',
}

const figure = (value: number, text: string) =>
  html`<li><strong>${value.toLocaleString('en')}</strong> ${text}</li>`

export async function showDownloads(desk: Desk) {
  const { downloads } = await read<{ downloads: Downloads }>(
    desk.request,
    `${desk.api}/download-analytics`,
  )
  const days = daysBack(DAYS, new Date())
  const found = new Map(downloads.daily.map((row) => [row.day.slice(0, 10), row.count]))
  const bars = <K extends string>(
    title: string,
    rows: Counted<K>,
    key: K,
    named: (name: string) => string = labelOf,
  ) =>
    countBars(
      title,
      rows.slice(0, TOP).map((row) => ({ name: named(row[key]), count: row.count })),
    )
  return roomPage(desk, 'downloads', {
    title: 'Downloads',
    body: html`<h1>Downloads</h1>${
      downloads.total + downloads.by_outcome.length === 0
        ? emptyState(
            'Nobody has downloaded it in thirty days',
            'Every attempt is counted here, those that were refused as well. No address is kept.',
          )
        : html`<ul class="figures">${figure(downloads.total, formatCount(downloads.total, 'download').replace(/^\S+ /, ''))}${figure(downloads.unique_users, 'people with an account')}${figure(downloads.anonymous, 'without an account')}${figure(downloads.licenses_granted, 'new copies')}</ul>
${section('daily', 'By day', barChart({ title: 'Downloads', unit: 'a day', days, series: [{ name: 'Downloads', tone: 'a', values: days.map((day) => found.get(day) ?? 0) }] }))}
${section('by', 'Where they came from', html`<div class="counts-grid">${bars('Countries', downloads.by_country, 'country', country)}${bars('Sources', downloads.by_source, 'source')}${bars('Programs', downloads.by_client, 'client')}${bars('Access', downloads.by_access, 'access')}${bars('Outcomes', downloads.by_outcome, 'outcome', (name) => outcomes[name] ?? labelOf(name))}</div>`, 'The last thirty days. Totals count what was really given.')}`
    }`,
  })
}

export const downloadRoutes = [deskPage('downloads', 'Downloads of a project', showDownloads)]
