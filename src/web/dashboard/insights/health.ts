import { isStandard } from '../../../telemetry/events/fields.ts'
import { BANDS_EXPLAINED, MIN_DEVICES } from '../../../telemetry/health/bands.ts'
import { read } from '../../call.ts'
import { healthBadge } from '../../components/badge.ts'
import { barChart, daysBack, meter, type Series } from '../../components/chart.ts'
import {
  dateTimeTag,
  formatCount,
  formatDuration,
  formatPercent,
  platformLabel,
} from '../../components/format.ts'
import { html } from '../../components/html.ts'
import { emptyState, table } from '../../components/table.ts'
import type { Build, Builds } from '../builds/builds.ts'
import { type Desk, deskPage, roomPage, section } from '../project-page.ts'
import { type Active, type ActiveDay, activeByBuild, activeSeries, activity } from './activity.ts'

type Events = {
  totals: { event: string; count: number }[]
  daily: { day: string; event: string; count: number }[]
  new_devices: { day: string; devices: number }[]
  active_devices: ActiveDay[]
}
type Warning = {
  uid: string
  version: string
  os: string
  arch: string
  band: string
  previous_version: string
  previous_band: string
  created_at: string
}

const DAYS = 30

function starts({ health }: Build) {
  const { devices, boot_ok, crash_on_boot } = health
  if (!devices) return '–'
  const rest = Math.max(0, devices - boot_ok - crash_on_boot)
  const says = `${formatPercent(boot_ok, devices)} started, ${formatPercent(crash_on_boot, devices)} crashed first`
  return html`${meter(
    [
      { tone: 'ok', part: boot_ok / devices },
      { tone: 'rest', part: rest / devices },
      { tone: 'bad', part: crash_on_boot / devices },
    ],
    says,
  )}<small>${says}</small>`
}

const buildsTable = (base: string, builds: Build[], active: Active) =>
  table(
    'Launch health by build',
    ['Build', 'Health', 'Devices', 'Active by day', 'Starts', 'Median session'],
    builds.map((build) => [
      html`<a class="mono" href="${base}/builds/${build.build_id}">${build.version}</a><br><small class="soft">${platformLabel(build.os, build.arch)}, ${build.channel}</small>`,
      healthBadge(build.health.band),
      build.health.devices.toLocaleString('en'),
      activity(active, build.build_id),
      starts(build),
      build.health.median_session_seconds === null
        ? '–'
        : formatDuration(build.health.median_session_seconds),
    ]),
  )

const perDay = (days: string[], { daily }: Events, event: string) => {
  const found = new Map(
    daily.filter((row) => row.event === event).map((row) => [row.day.slice(0, 10), row.count]),
  )
  return days.map((day) => found.get(day) ?? 0)
}

const newDevices = (days: string[], { new_devices }: Events) => {
  const found = new Map(new_devices.map(({ day, devices }) => [day, devices]))
  return days.map((day) => found.get(day) ?? 0)
}

const charts = (days: string[], events: Events, builds: Build[], active: Active) => {
  const draw = (title: string, series: Series[]) => barChart({ title, unit: 'a day', days, series })
  const devices = activeSeries(builds, active)
  return html`${devices.length > 0 && draw('Active devices by version', devices)}${draw(
    'Starts and crashes',
    [
      { name: 'Started', tone: 'a', values: perDay(days, events, 'boot_ok') },
      { name: 'Crashed', tone: 'b', values: perDay(days, events, 'crash') },
    ],
  )}${draw('Sessions', [{ name: 'Sessions', tone: 'c', values: perDay(days, events, 'session_start') }])}${draw(
    'New devices',
    [{ name: 'First starts', tone: 'a', values: newDevices(days, events) }],
  )}`
}

const warning = ({
  version,
  os,
  arch,
  band,
  previous_version,
  previous_band,
  created_at,
}: Warning) =>
  html`<p class="notice notice-warn"><span><strong>${version}</strong> on ${platformLabel(os, arch)} starts worse than ${previous_version}: ${band} after ${previous_band}. <small class="soft">${dateTimeTag(created_at)}</small></span></p>`

export async function showHealth(desk: Desk) {
  const { request, api, base } = desk
  const [{ builds }, events, { warnings }] = await Promise.all([
    read<Builds>(request, `${api}/builds?page_size=50`),
    read<Events>(request, `${api}/event-analytics`),
    read<{ warnings: Warning[] }>(request, `${api}/health-warnings`),
  ])
  const days = daysBack(DAYS, new Date())
  const active = activeByBuild(days, events.active_devices)
  const own = events.totals.filter(({ event }) => !isStandard(event))
  return roomPage(desk, 'health', {
    title: 'Health',
    body: html`<h1>Health</h1>${warnings.slice(0, 3).map(warning)}
${events.totals.length ? section('devices', 'Launches and devices over time', charts(days, events, builds, active)) : nothingYet(base)}
${section('by-build', 'By build', builds.length ? buildsTable(base, builds, active) : html`<p class="soft">No builds yet.</p>`, BANDS_EXPLAINED)}
${own.length > 0 && section('own', 'Events of your own', ownEvents(own))}`,
  })
}

const nothingYet = (base: string) =>
  emptyState(
    'No game has called home yet',
    html`Your game sends <code>boot_ok</code> once it runs, with the build id of the build it is. Once ${MIN_DEVICES} devices have sent it, your page shows how well the game starts.`,
    html`<a class="button button-quiet" href="${base}/builds">Build ids are on each build</a>`,
  )

const ownEvents = (own: Events['totals']) =>
  table(
    'Events of your own',
    ['Event', 'Thirty days'],
    own.map((row) => [html`<code>${row.event}</code>`, formatCount(row.count, 'time')]),
  )

export const healthRoutes = [deskPage('health', 'Launch health of a project', showHealth)]
