import { type Series, sparkBars } from '../pieces/chart.ts'
import { count, platform } from '../pieces/format.ts'
import type { Build } from './builds.ts'

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
  const sum = (values: number[]) => values.reduce((all, one) => all + one, 0)
  return new Map([...active].sort(([, a], [, b]) => sum(b) - sum(a)))
}

const tones = ['a', 'c', 'd'] as const

/** The builds that most devices use, each in a colour of its own, and all others together. */
export function activeSeries(days: string[], builds: Build[], active: Active): Series[] {
  const known = new Map(builds.map((build) => [build.build_id, build]))
  const named = [...active].filter(([build_id]) => known.has(build_id)).slice(0, tones.length)
  const shown = named.map(([build_id, values], i) => {
    const { version, os } = known.get(build_id)!
    return { name: `${version} ${platform(os)}`, tone: tones[i]!, values }
  })
  const others = [...active].filter(([build_id]) => !named.some(([name]) => name === build_id)).map(([, values]) => values)
  if (others.length === 0) return shown
  return [...shown, { name: 'Other builds', tone: 'e', values: days.map((_, i) => others.reduce((all, values) => all + values[i]!, 0)) }]
}

/** The days of one build, small enough for a line of a table. */
export const activity = (active: Active, build_id: string) => {
  const values = active.get(build_id)
  if (!values) return '–'
  return sparkBars(values, `At most ${count(Math.max(...values), 'device')} a day, ${count(values.at(-1)!, 'device')} today`)
}
