import { listOwnBuilds } from '../../../builds/builds/routes.ts'
import type { RouteData } from '../../../core/http/route.ts'
import { STATISTICS_DAYS } from '../../../core/runtime/retention.ts'
import { joinTexts, type Text, t } from '../../../core/text/text.ts'
import { isStandard } from '../../../telemetry/events/fields.ts'
import { eventAnalytics } from '../../../telemetry/events/routes.ts'
import { MIN_DEVICES, thresholds } from '../../../telemetry/health/bands.ts'
import {
  changeSignedEvents,
  healthWarnings,
  readSignedEvents,
} from '../../../telemetry/health/routes.ts'
import { readApi } from '../../call.ts'
import { bandName, healthBadge } from '../../components/badge.ts'
import {
  barChart,
  type Chart,
  daysBack,
  inWeeks,
  meter,
  type Series,
} from '../../components/chart.ts'
import {
  dateTimeTag,
  formatCount,
  formatDuration,
  formatNumber,
  formatPercent,
  platformLabel,
} from '../../components/format.ts'
import { type Html, html, richText, strongText } from '../../components/html.ts'
import { postButton } from '../../components/secret-field.ts'
import { emptyState, table } from '../../components/table.ts'
import type { Build } from '../builds/builds.ts'
import { projectForm, sendTo } from '../project-form.ts'
import { type ProjectContext, projectPage, renderSection, subsection } from '../project-page.ts'
import { type Activity, activeByBuild, activeSeries, activitySpark } from './activity.ts'
import {
  chartFileRoute,
  csvUrl,
  dayRows,
  daysOfRange,
  rangeLinks,
  rangeName,
} from './chart-files.ts'

type Events = RouteData<typeof eventAnalytics>
type Warning = RouteData<typeof healthWarnings>['warnings'][number]

const MAX_BUILDS = 50
const MAX_WARNINGS = 3

function launchMeter({ devices, boot_ok, crash_on_boot }: Build['health']): Html | string {
  if (!devices) return '–'
  const rest = Math.max(0, devices - boot_ok - crash_on_boot)
  const started = formatPercent(boot_ok, devices)
  const crashed = formatPercent(crash_on_boot, devices)
  const text = t('health-launches-text', { started, crashed })
  const parts = [
    { tone: 'ok', part: boot_ok / devices },
    { tone: 'rest', part: rest / devices },
    { tone: 'bad', part: crash_on_boot / devices },
  ] as const
  return html`${meter(parts, text)}<small>${text}</small>`
}

function buildRow(base: string, build: Build, activity: Activity) {
  const { build_id, version, os, arch, channel, health } = build
  const { band, devices, median_session_seconds } = health
  return [
    html`
      <a class="mono" href="${base}/builds/${build_id}">${version}</a><br>
      <small class="soft">${joinTexts([platformLabel(os, arch), channel], ', ')}</small>`,
    healthBadge(band),
    formatNumber(devices),
    activitySpark(activity, build_id),
    launchMeter(health),
    median_session_seconds === null ? '–' : formatDuration(median_session_seconds),
  ]
}

const buildTable = (base: string, builds: Build[], activity: Activity): Html =>
  builds.length
    ? table(
        t('health-by-build'),
        [
          t('column-build'),
          t('section-health'),
          t('health-devices'),
          t('health-active-per-day'),
          t('health-launches'),
          t('health-median-session'),
        ],
        builds.map((build) => buildRow(base, build, activity)),
      )
    : html`<p class="soft">${t('health-no-builds')}</p>`

function eventsPerDay(days: string[], { daily }: Events, event: string): number[] {
  const rows = daily.filter((row) => row.event === event)
  const counts = new Map(rows.map(({ day, count }) => [day.slice(0, 10), count]))
  return days.map((day) => counts.get(day) ?? 0)
}

function newDevicesPerDay(days: string[], { new_devices }: Events): number[] {
  const counts = new Map(new_devices.map(({ day, devices }) => [day, devices]))
  return days.map((day) => counts.get(day) ?? 0)
}

type HealthData = {
  days: string[]
  /** Active devices are known for fewer days than events. */
  active_days: string[]
  builds: Build[]
  events: Events
  activity: Activity
}

/** The charts of the section by their names. */
function chartsOf(project: ProjectContext, data: HealthData): Map<string, Chart> {
  const { days, active_days, builds, events, activity } = data
  const perDay = (event: string) => eventsPerDay(days, events, event)
  const active = activeSeries(builds, activity)
  const charts = new Map<string, Chart>()
  const add = (name: string, title: Text, series: Series[], shown_days = days) =>
    charts.set(
      name,
      inWeeks({
        title,
        series,
        days: shown_days,
        unit: t('per-day'),
        csv_url: csvUrl(project, 'health', name),
      }),
    )
  if (active.length) add('active-devices', t('health-active-devices'), active, active_days)
  add('launches', t('health-launches-and-crashes'), [
    { name: t('health-started'), tone: 'a', values: perDay('boot_ok') },
    { name: t('health-crashed'), tone: 'b', values: perDay('crash') },
  ])
  add('sessions', t('health-sessions'), [
    { name: t('health-sessions'), tone: 'c', values: perDay('session_start') },
  ])
  add('new-devices', t('health-new-devices'), [
    { name: t('health-first-launches'), tone: 'a', values: newDevicesPerDay(days, events) },
  ])
  return charts
}

/** Older events are deleted. */
const maxDays = ({ core }: ProjectContext): number => core.config.event_retention_days

async function readHealthData(project: ProjectContext): Promise<HealthData> {
  const { request, uid } = project
  const range = daysOfRange(project, maxDays(project))
  const [{ builds }, events] = await Promise.all([
    readApi(request, listOwnBuilds, { params: { uid }, query: { page_size: String(MAX_BUILDS) } }),
    readApi(request, eventAnalytics, { params: { uid }, query: { days: range } }),
  ])
  const now = new Date()
  const active_days = daysBack(Math.min(range, STATISTICS_DAYS), now)
  const activity = activeByBuild(active_days, events.active_devices)
  return { days: daysBack(range, now), active_days, builds, events, activity }
}

async function healthCharts(project: ProjectContext) {
  const charts = chartsOf(project, await readHealthData(project))
  return new Map([...charts].map(([name, chart]) => [name, dayRows(chart)]))
}

const warningNotice = (warning: Warning): Html => html`
  <p class="notice notice-warn">
    <span>
      ${richText('health-warning', {
        version: warning.version,
        platform: platformLabel(warning.os, warning.arch),
        previous: warning.previous_version,
        band: bandName(warning.band),
        previous_band: bandName(warning.previous_band),
        strong: strongText,
      })}
      <small class="soft">${dateTimeTag(warning.created_at)}</small>
    </span>
  </p>`

export async function showHealth(project: ProjectContext) {
  const { request, uid, base } = project
  const [data, { warnings }, { required }] = await Promise.all([
    readHealthData(project),
    readApi(request, healthWarnings, { params: { uid } }),
    readApi(request, readSignedEvents, { params: { uid } }),
  ])
  const { builds, events, activity } = data
  const custom = events.totals.filter(({ event }) => !isStandard(event))
  const over_time = events.totals.length
    ? html`
        ${rangeLinks(project, 'health', maxDays(project))}
        ${[...chartsOf(project, data).values()].map(barChart)}`
    : html`
        ${'days' in project.query && rangeLinks(project, 'health', maxDays(project))}
        ${noEvents(base)}`
  return renderSection(project, 'health', {
    title: t('section-health'),
    body: html`
      ${warnings.slice(0, MAX_WARNINGS).map(warningNotice)}
      ${subsection('devices', t('health-over-time'), over_time)}
      ${subsection('by-build', t('health-builds'), buildTable(base, builds, activity), bandsExplained)}
      ${subsection('signed-events', t('signed-events'), signedEvents(project, required), t('signed-events-text'))}
      ${custom.length > 0 && subsection('own', t('health-custom-events'), eventTable(project, custom))}`,
  })
}

const signedEvents = ({ base }: ProjectContext, required: boolean): Html => {
  const action = `${base}/health/signed-events/${required ? 'off' : 'on'}`
  return html`
    <p>${required ? t('signed-events-on') : t('signed-events-off')}</p>
    ${postButton(required ? t('signed-events-count-all') : t('signed-events-count-signed'), action)}`
}

const signedEventsForm = (path: 'on' | 'off') =>
  projectForm(
    `health/signed-events/${path}`,
    path === 'on' ? 'Count only signed events' : 'Count all events',
    sendTo(changeSignedEvents, () => ({ required: path === 'on' })),
    { form: 'signed-events', show: showHealth, done: t('signed-events-changed'), back: 'health' },
  )

const { excellent, healthy, mixed } = thresholds
/** How the bands are decided. */
const bandsExplained = t('health-bands', {
  days: STATISTICS_DAYS,
  devices: MIN_DEVICES,
  excellent_started: excellent.min_started,
  excellent_crashed: excellent.max_crashed,
  healthy_started: healthy.min_started,
  healthy_crashed: healthy.max_crashed,
  mixed_started: mixed.min_started,
  mixed_crashed: mixed.max_crashed,
})

const noEvents = (base: string): Html =>
  emptyState(
    t('health-no-events'),
    richText('health-no-events-text', {
      event: html`<code>boot_ok</code>`,
      count: MIN_DEVICES,
    }),
    html`<a class="button button-quiet" href="${base}/builds">${t('health-find-build-id')}</a>`,
  )

const eventTable = (project: ProjectContext, totals: Events['totals']): Html =>
  table(
    t('health-custom-events'),
    [t('health-event'), rangeName(daysOfRange(project, maxDays(project)))],
    totals.map(({ event, count }) => [html`<code>${event}</code>`, formatCount(count, 'time')]),
  )

export const healthRoutes = [
  projectPage('health', 'Launch health of a project', showHealth),
  signedEventsForm('on'),
  signedEventsForm('off'),
  chartFileRoute('health', 'Charts of the launch health of a project as CSV', healthCharts),
]
