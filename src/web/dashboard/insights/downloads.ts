import type { RouteData } from '../../../core/http/route.ts'
import { regionName } from '../../../core/text/intl-text.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { downloadAnalytics } from '../../../downloads/routes.ts'
import { readApi } from '../../call.ts'
import { barChart, type Chart, countBars, daysBack, inWeeks } from '../../components/chart.ts'
import { labelOf } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { emptyState } from '../../components/table.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'
import {
  type ChartRows,
  chartFileRoute,
  csvUrl,
  dayRows,
  daysOfRange,
  rangeLinks,
  rangeName,
} from './chart-files.ts'

type Downloads = RouteData<typeof downloadAnalytics>['downloads']
type Counts<K extends string> = ({ count: number } & Record<K, string>)[]

const MAX_BARS = 10
const countryName = (code: string): Text =>
  /^[A-Z]{2}$/.test(code) ? regionName(code) : t('country-unknown')
const labels: Record<string, Text> = {
  agent: t('download-agents'),
  anonymous: t('download-anonymous'),
  api: 'API',
  asset_library: t('download-asset-library'),
  browser: t('download-browsers'),
  free: t('price-free'),
  grant: t('download-grant'),
  key: t('download-key'),
  mcp_dev: t('download-developer-agents'),
  mcp_player: t('download-player-agents'),
  ok: t('download-ok'),
  other: t('download-other'),
  owner: t('download-by-owner'),
  payment_required: t('download-purchase-required'),
  purchase: t('download-purchase'),
  scanning: t('download-scanning'),
  withdrawn: t('download-withdrawn'),
  sign_in_required: t('download-sign-in-required'),
  svc_editor: t('download-store-editor'),
  third_party_editor: t('download-other-editors'),
  unavailable: t('download-unavailable'),
  website: t('download-website'),
}
const nameOfValue = (value: string) => labels[value] ?? labelOf(value)

const figure = (id: string, count: number): Html => html`
  <li>${richText(id, { count, strong: strongText })}</li>`

type Breakdown = { name: string; title: Text; rows: { name: Text; count: number }[] }

function breakdownsOf(downloads: Downloads): Breakdown[] {
  const { by_country, by_source, by_client, by_access, by_outcome } = downloads
  const named = <K extends string>(counts: Counts<K>, key: K, nameOf = nameOfValue) =>
    counts.map((row) => ({ name: nameOf(row[key]), count: row.count }))
  return [
    {
      name: 'countries',
      title: t('downloads-countries'),
      rows: named(by_country, 'country', countryName),
    },
    { name: 'sources', title: t('downloads-sources'), rows: named(by_source, 'source') },
    { name: 'clients', title: t('downloads-clients'), rows: named(by_client, 'client') },
    { name: 'access', title: t('downloads-access'), rows: named(by_access, 'access') },
    { name: 'outcomes', title: t('downloads-outcomes'), rows: named(by_outcome, 'outcome') },
  ]
}

const DAILY = 'daily'

function dailyChart(project: ProjectContext, { daily }: Downloads): Chart {
  const days = daysBack(daysOfRange(project), new Date())
  const counts = new Map(daily.map(({ day, count }) => [day.slice(0, 10), count]))
  const values = days.map((day) => counts.get(day) ?? 0)
  const series = [{ name: t('section-downloads'), tone: 'a' as const, values }]
  return inWeeks({
    title: t('section-downloads'),
    unit: t('per-day'),
    days,
    series,
    csv_url: csvUrl(project, 'downloads', DAILY),
  })
}

function statistics(project: ProjectContext, downloads: Downloads): Html {
  const breakdown = html`
    <div class="counts-grid">
      ${breakdownsOf(downloads).map(({ name, title, rows }) =>
        countBars(title, rows.slice(0, MAX_BARS), csvUrl(project, 'downloads', name)),
      )}
    </div>`
  return html`
    <ul class="figures">
      ${figure('figure-downloads', downloads.total)}
      ${figure('figure-people', downloads.unique_users)}
      ${figure('figure-anonymous', downloads.anonymous)}
      ${figure('figure-copies', downloads.licenses_granted)}
    </ul>
    ${subsection('daily', t('downloads-over-time'), barChart(dailyChart(project, downloads)))}
    ${subsection(
      'by',
      t('downloads-breakdown'),
      breakdown,
      t('downloads-breakdown-text', { range: rangeName(daysOfRange(project)) }),
    )}`
}

async function readDownloads(project: ProjectContext): Promise<Downloads> {
  const { request, uid } = project
  const query = { days: daysOfRange(project) }
  return (await readApi(request, downloadAnalytics, { params: { uid }, query })).downloads
}

export async function showDownloads(project: ProjectContext) {
  const downloads = await readDownloads(project)
  const days = daysOfRange(project)
  const none = emptyState(t('downloads-none', { days }), t('downloads-none-text'))
  const has_data = downloads.total > 0 || downloads.by_outcome.length > 0
  return renderSection(project, 'downloads', {
    title: t('section-downloads'),
    body: html`
      ${rangeLinks(project, 'downloads')}
      ${has_data ? statistics(project, downloads) : none}`,
  })
}

async function downloadCharts(project: ProjectContext) {
  const downloads = await readDownloads(project)
  const charts = new Map<string, ChartRows>([[DAILY, dayRows(dailyChart(project, downloads))]])
  for (const { name, title, rows } of breakdownsOf(downloads))
    charts.set(name, [[title, t('section-downloads')], ...rows.map((row) => [row.name, row.count])])
  return charts
}

export const downloadRoutes = [
  projectPage('downloads', 'Downloads of a project', showDownloads),
  chartFileRoute('downloads', 'Downloads of a project as CSV', downloadCharts),
]
