import type { RouteData } from '../../../core/http/route.ts'
import { t } from '../../../core/text/text.ts'
import type { eventAnalytics } from '../../../telemetry/events/routes.ts'
import { type Series, sparkBars } from '../../components/chart.ts'
import { formatCount } from '../../components/format.ts'
import type { Build } from '../builds/builds.ts'

type ActiveDay = RouteData<typeof eventAnalytics>['active_devices'][number]
/** Devices per day, by build. */
export type Activity = Map<string, number[]>

/** The devices per day of each build, builds with the most devices first. */
export function activeByBuild(days: string[], active_devices: readonly ActiveDay[]): Activity {
  const indexes = new Map(days.map((day, i) => [day, i]))
  const activity: Activity = new Map()
  for (const { build_id, day, devices } of active_devices) {
    const index = indexes.get(day)
    if (index === undefined) continue
    const values = activity.get(build_id) ?? new Array<number>(days.length).fill(0)
    values[index] = devices
    activity.set(build_id, values)
  }
  return new Map([...activity].sort(byTotal))
}

const byTotal = ([, a]: [unknown, number[]], [, b]: [unknown, number[]]) => sum(b) - sum(a)
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)

const tones = ['a', 'c', 'd'] as const
/** No version has this name. */
const OTHERS = Symbol('other versions')
type VersionName = string | typeof OTHERS

/** A series for each version with the most devices, and one for all other versions. */
export function activeSeries(builds: Build[], activity: Activity): Series[] {
  const versions = new Map(builds.map(({ build_id, version }) => [build_id, version]))
  const totals = new Map<VersionName, number[]>()
  for (const [build_id, values] of activity)
    addValues(totals, versions.get(build_id) ?? OTHERS, values)
  const ranked = [...totals]
    .filter((entry): entry is [string, number[]] => entry[0] !== OTHERS)
    .sort(byTotal)
  const series: Series[] = ranked
    .slice(0, tones.length)
    .map(([name, values], i) => ({ name, tone: tones[i]!, values }))
  for (const [, values] of ranked.slice(tones.length)) addValues(totals, OTHERS, values)
  const others = totals.get(OTHERS)
  return others
    ? [...series, { name: t('health-other-versions'), tone: 'e', values: others }]
    : series
}

function addValues(
  totals: Map<VersionName, number[]>,
  name: VersionName,
  values: readonly number[],
) {
  const total = totals.get(name)
  totals.set(
    name,
    values.map((value, i) => value + (total?.[i] ?? 0)),
  )
}

/** The devices per day of a build, small enough for a row of a table. */
export const activitySpark = (activity: Activity, build_id: string) => {
  const values = activity.get(build_id)
  if (!values) return '–'
  const peak = formatCount(Math.max(...values), 'device')
  const today = formatCount(values.at(-1)!, 'device')
  return sparkBars(values, t('health-devices-peak', { peak, today }))
}
