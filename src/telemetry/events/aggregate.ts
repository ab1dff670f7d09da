import { dayOf, daysBetween } from '../timestamps.ts'
import { isStandard } from './fields.ts'
import type { DayKeys, DeviceNews, News } from './queries.ts'

/** An event as it is kept: ids hashed, time believed. */
export type KeptEvent = {
  build_uid: string
  /** Undefined without an id to recognise it by. */
  key: bigint | undefined
  event: string
  at_us: number
  device: string | undefined
  session: string | undefined
  value: number | null
  /** As JSON. */
  metadata: string | null
}

const DAY_MS = 86_400_000
export const MAX_NAMES = 500
/** How many builds and days have their names remembered; of more, those not heard of for longest begin anew. */
export const MOST_KNOWN = 1000
export const OTHER = '(other)'

/** Of those that came together, each once. */
export function distinct(events: readonly KeptEvent[]): KeptEvent[] {
  const seen = new Set<bigint>()
  return events.filter(({ key }) => key === undefined || (!seen.has(key) && seen.add(key)))
}

/** By day, in one order for everyone, so that no two writers wait for each other and neighbours in the index are written one after another. */
export function keysOf(events: readonly KeptEvent[], oldest: string): DayKeys[] {
  const days = new Map<string, bigint[]>()
  for (const { key, at_us } of events)
    if (key !== undefined) upsert(days, dayOf(at_us), () => []).push(key)
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, keys]) => ({
      day,
      before: day > oldest ? dayBefore(day) : null,
      keys: BigInt64Array.from(keys).sort(),
    }))
}

const dayBefore = (day: string) => dayOf((Date.parse(day) - DAY_MS) * 1000)

/** What one build had on one day. */
type Part = {
  day: string
  build_uid: string
  events: string[]
  counts: Map<string, number>
  sessions: Map<number, number>
  names: Set<string>
}

/** What a heap of events comes to. `known` are the names counted so far: a game that makes up names has the rest counted as one. */
export function gather(events: readonly KeptEvent[], known: Map<string, Set<string>>): News {
  const parts = new Map<string, Part>()
  const devices = new Map<string, DeviceNews>()
  let part: Part | undefined
  let told: DeviceNews | undefined
  // Events come in runs of one build, day and device: what the last one belonged to is looked at first.
  for (const one of events) {
    const { build_uid, at_us, device, event, value } = one
    const day = dayOf(at_us)
    if (part?.build_uid !== build_uid || part.day !== day)
      part = upsert(parts, `${build_uid} ${day}`, () => emptyPart(build_uid, day, known))
    part.events.push(asJson(one))
    const name = countedAs(event, part.names)
    part.counts.set(name, (part.counts.get(name) ?? 0) + 1)
    if (event === 'session_end' && value !== null) {
      const seconds = sessionBucket(value)
      part.sessions.set(seconds, (part.sessions.get(seconds) ?? 0) + 1)
    }
    if (device === undefined) continue
    if (told?.device !== device || told.build_uid !== build_uid)
      told = upsert(devices, build_uid + device, () => unknownDevice(build_uid, device, day))
    tell(told, event, at_us, day)
  }
  return asNews([...parts.values()], [...devices.values()])
}

const asNews = (parts: Part[], devices: DeviceNews[]): News => ({
  packs: parts.map(({ day, build_uid, events }) => ({
    day,
    build_uid,
    events: `[${events.join(',')}]`,
  })),
  devices,
  sessions: parts.flatMap(({ day, build_uid, sessions }) =>
    [...sessions].map(([seconds, count]) => ({ build_uid, day, seconds, sessions: count })),
  ),
  counts: parts.flatMap(({ day, build_uid, counts }) =>
    [...counts].map(([event, count]) => ({ build_uid, day, event, events: count })),
  ),
})

const emptyPart = (build_uid: string, day: string, known: Map<string, Set<string>>): Part => ({
  ...{ day, build_uid, events: [], counts: new Map(), sessions: new Map() },
  names: namesOf(known, `${build_uid} ${day}`),
})

function namesOf(known: Map<string, Set<string>>, key: string): Set<string> {
  const names = known.get(key) ?? new Set()
  // The last one heard of stands last.
  known.delete(key)
  known.set(key, names)
  if (known.size > MOST_KNOWN) known.delete(known.keys().next().value!)
  return names
}

function upsert<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function countedAs(event: string, names: Set<string>): string {
  // However many names a game makes up, those that mean something are counted.
  if (isStandard(event) || names.has(event)) return event
  if (names.size >= MAX_NAMES) return OTHER
  names.add(event)
  return event
}

const unknownDevice = (build_uid: string, device: string, day: string): DeviceNews => ({
  build_uid,
  device,
  last_seen: day,
  days: 1,
  first_boot_us: null,
  last_boot: null,
  first_crash_us: null,
  last_crash: null,
})

function tell(told: DeviceNews, event: string, at_us: number, day: string): void {
  if (day !== told.last_seen) seeOn(told, day)
  if (event === 'boot_ok') {
    told.first_boot_us = Math.min(told.first_boot_us ?? at_us, at_us)
    if (told.last_boot === null || day > told.last_boot) told.last_boot = day
  } else if (event === 'crash') {
    told.first_crash_us = Math.min(told.first_crash_us ?? at_us, at_us)
    if (told.last_crash === null || day > told.last_crash) told.last_crash = day
  }
}

/** Another day than the last one it was seen on: later, and the others move back; or earlier. */
function seeOn(told: DeviceNews, day: string): void {
  const later = daysBetween(told.last_seen, day)
  if (later < 0) told.days |= bitOf(-later)
  else told.days = (later < 32 ? told.days << later : 0) | 1
  if (later > 0) told.last_seen = day
}

const bitOf = (back: number): number => (back < 32 ? 1 << back : 0)

/** To the second for an hour, to ten seconds beyond: a build has a few thousand lengths a day at most, however many play it. */
export const sessionBucket = (seconds: number): number =>
  seconds <= 3600 ? seconds : Math.floor(seconds / 10) * 10

/** Times to the microsecond, which tells apart what happened in one millisecond. */
function asJson({ event, at_us, device, session, value, metadata }: KeptEvent): string {
  let text = `{"event":${JSON.stringify(event)},"at":${at_us}`
  if (device) text += `,"device":"${device}"`
  if (session) text += `,"session":"${session}"`
  if (value !== null) text += `,"value":${value}`
  if (metadata) text += `,"metadata":${metadata}`
  return `${text}}`
}
