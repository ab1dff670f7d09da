import type { RouteData } from '../../../core/http/route.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import type { Text } from '../../../core/text/text.ts'
import { downloadAnalytics } from '../../../downloads/routes.ts'
import { readApi } from '../../call.ts'
import { barChart, countBars, daysBack } from '../../components/chart.ts'
import { formatNumber, labelOf } from '../../components/format.ts'
import { type Html, html } from '../../components/html.ts'
import { emptyState } from '../../components/table.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'

type Downloads = RouteData<typeof downloadAnalytics>['downloads']
type Counts<K extends string> = ({ count: number } & Record<K, string>)[]

const MAX_BARS = 10
const regionNames = new Intl.DisplayNames('en', { type: 'region' })
const countryName = (code: string) =>
  /^[A-Z]{2}$/.test(code) ? (regionNames.of(code) ?? code) : 'Unknown'
const labels: Record<string, string> = {
  ok: 'Downloaded',
  sign_in_required: 'Sign-in required',
  payment_required: 'Purchase required',
  scanning: 'Scan in progress',
  asset_library: 'Editor asset library',
  api: 'API',
  mcp_player: 'Player agents',
  mcp_dev: 'Developer agents',
  third_party_editor: 'Other editors',
  svc_editor: 'Slipway editor',
}
const nameOfValue = (value: string) => labels[value] ?? labelOf(value)

const figure = (value: number, text: string): Html => html`
  <li><strong>${formatNumber(value)}</strong> ${text}</li>`

function bars<K extends string>(
  title: string,
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
  const series = [{ name: 'Downloads', tone: 'a' as const, values }]
  return barChart({ title: 'Downloads', unit: 'per day', days, series })
}

function statistics(downloads: Downloads): Html {
  const breakdown = html`
    <div class="counts-grid">
      ${bars('Countries', downloads.by_country, 'country', countryName)}
      ${bars('Sources', downloads.by_source, 'source')}
      ${bars('Clients', downloads.by_client, 'client')}
      ${bars('Access', downloads.by_access, 'access')}
      ${bars('Outcomes', downloads.by_outcome, 'outcome')}
    </div>`
  return html`
    <ul class="figures">
      ${figure(downloads.total, downloads.total === 1 ? 'download' : 'downloads')}
      ${figure(downloads.unique_users, 'people with an account')}
      ${figure(downloads.anonymous, 'without an account')}
      ${figure(downloads.licenses_granted, 'new copies')}
    </ul>
    ${subsection('daily', 'By day', dailyChart(downloads))}
    ${subsection(
      'by',
      'Breakdown',
      breakdown,
      `The last ${STATISTICS_DAYS} days. The totals above leave out refused attempts.`,
    )}`
}

export async function showDownloads(project: ProjectContext) {
  const { request, uid } = project
  const { downloads } = await readApi(request, downloadAnalytics, { params: { uid } })
  const none = emptyState(
    `No downloads in the last ${STATISTICS_DAYS} days`,
    'Every attempt is counted here, including refused ones. No IP addresses are stored.',
  )
  const has_data = downloads.total > 0 || downloads.by_outcome.length > 0
  return renderSection(project, 'downloads', {
    title: 'Downloads',
    body: html`
      ${has_data ? statistics(downloads) : none}`,
  })
}

export const downloadRoutes = [projectPage('downloads', 'Downloads of a project', showDownloads)]
