import { type Series, sparkBars } from '../../components/chart.ts'
import { formatCount } from '../../components/format.ts'
import type { Build } from '../builds/builds.ts'

export type ActiveDay = { build_id: string; day: string; devices: number }
export type Active = Map<string, number[]>

/** By build, those with most devices first: a number for each day. */
export function activeByBuild(days: string[], active_devices: readonly ActiveDay[]): Active {
  const at = new Map(days.map((day, i) => [day, i]))
  const active: Active = new Map()
  for (const { build_id, day, devices } of active_devices) {
    if (!at.has(day)) continue
    if (!active.has(build_id)) active.set(build_id, new Array(days.length).fill(0))
    active.get(build_id)![at.get(day)!] = devices
  }
  return new Map([...active].sort(([, a], [, b]) => sum(b) - sum(a)))
}

const tones = ['a', 'c', 'd'] as const
const OTHERS = 'Other versions'

/** The versions that most devices use, each in a colour of its own, and all others together. */
export function activeSeries(builds: Build[], active: Active): Series[] {
  const version = new Map(builds.map((build) => [build.build_id, build.version]))
  const sums = new Map<string, number[]>()
  for (const [build_id, values] of active) addTo(sums, version.get(build_id) ?? OTHERS, values)
  const named = [...sums]
    .filter(([name]) => name !== OTHERS)
    .sort(([, a], [, b]) => sum(b) - sum(a))
  const shown: Series[] = named
    .slice(0, tones.length)
    .map(([name, values], i) => ({ name, tone: tones[i]!, values }))
  const rest = new Map<string, number[]>()
  for (const values of [
    ...named.slice(tones.length).map(([, values]) => values),
    sums.get(OTHERS) ?? [],
  ])
    addTo(rest, OTHERS, values)
  const others = rest.get(OTHERS) ?? []
  return others.length ? [...shown, { name: OTHERS, tone: 'e', values: others }] : shown
}

function addTo(sums: Map<string, number[]>, name: string, values: readonly number[]) {
  if (values.length)
    sums.set(
      name,
      values.map((value, i) => value + (sums.get(name)?.[i] ?? 0)),
    )
}

const sum = (values: readonly number[]) => values.reduce((all, one) => all + one, 0)

/** The days of one build, small enough for a line of a table. */
export const activity = (active: Active, build_id: string) => {
  const values = active.get(build_id)
  if (!values) return '–'
  return sparkBars(
    values,
    `At most ${formatCount(Math.max(...values), 'device')} a day, ${formatCount(values.at(-1)!, 'device')} today`,
  )
}
