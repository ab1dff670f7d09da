import type { RouteData } from '../../../core/http/route.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { type Text, t } from '../../../core/text/text.ts'
import { downloadAnalytics } from '../../../downloads/routes.ts'
import { readApi } from '../../call.ts'
import { barChart, countBars, daysBack } from '../../components/chart.ts'
import { labelOf, regionName } from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { emptyState } from '../../components/table.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'

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
  mcp_dev: t('download-developer-agents'),
  mcp_player: t('download-player-agents'),
  ok: t('download-ok'),
  other: t('download-other'),
  owner: t('download-by-owner'),
  payment_required: t('download-purchase-required'),
  purchase: t('download-purchase'),
  scanning: t('download-scanning'),
  sign_in_required: t('download-sign-in-required'),
  svc_editor: t('download-slipway-editor'),
  third_party_editor: t('download-other-editors'),
  unavailable: t('download-unavailable'),
  website: t('download-website'),
}
const nameOfValue = (value: string) => labels[value] ?? labelOf(value)

const figure = (id: string, count: number): Html => html`
  <li>${richText(id, { count, strong: strongText })}</li>`

function bars<K extends string>(
  title: Text,
  counts: Counts<K>,
  key: K,
  nameOf: (value: string) => Text = nameOfValue,
): Html {
  const rows = counts.slice(0, MAX_BARS)
  return countBars(
    title,
    rows.map((row) => ({ name: nameOf(row[key]), count: row.count })),
  )
}

function dailyChart({ daily }: Downloads): Html {
  const days = daysBack(STATISTICS_DAYS, new Date())
  const counts = new Map(daily.map(({ day, count }) => [day.slice(0, 10), count]))
  const values = days.map((day) => counts.get(day) ?? 0)
  const series = [{ name: t('section-downloads'), tone: 'a' as const, values }]
  return barChart({ title: t('section-downloads'), unit: t('per-day'), days, series })
}

function statistics(downloads: Downloads): Html {
  const breakdown = html`
    <div class="counts-grid">
      ${bars(t('downloads-countries'), downloads.by_country, 'country', countryName)}
      ${bars(t('downloads-sources'), downloads.by_source, 'source')}
      ${bars(t('downloads-clients'), downloads.by_client, 'client')}
      ${bars(t('downloads-access'), downloads.by_access, 'access')}
      ${bars(t('downloads-outcomes'), downloads.by_outcome, 'outcome')}
    </div>`
  return html`
    <ul class="figures">
      ${figure('figure-downloads', downloads.total)}
      ${figure('figure-people', downloads.unique_users)}
      ${figure('figure-anonymous', downloads.anonymous)}
      ${figure('figure-copies', downloads.licenses_granted)}
    </ul>
    ${subsection('daily', t('downloads-by-day'), dailyChart(downloads))}
    ${subsection(
      'by',
      t('downloads-breakdown'),
      breakdown,
      t('downloads-breakdown-text', { days: STATISTICS_DAYS }),
    )}`
}

export async function showDownloads(project: ProjectContext) {
  const { request, uid } = project
  const { downloads } = await readApi(request, downloadAnalytics, { params: { uid } })
  const none = emptyState(t('downloads-none', { days: STATISTICS_DAYS }), t('downloads-none-text'))
  const has_data = downloads.total > 0 || downloads.by_outcome.length > 0
  return renderSection(project, 'downloads', {
    title: t('section-downloads'),
    body: html`
      ${has_data ? statistics(downloads) : none}`,
  })
}

export const downloadRoutes = [projectPage('downloads', 'Downloads of a project', showDownloads)]
