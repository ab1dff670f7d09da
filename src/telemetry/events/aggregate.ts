import { DAY_MS, HOUR } from '../../core/runtime/units.ts'
import { dayOf, daysBetween } from '../timestamps.ts'
import { isStandard } from './fields.ts'
import type { DayKeys, DeviceRollup, EventBatch, Sender } from './queries.ts'

/** An event ready to be stored: ids are hashed and the time is corrected. */
export type StoredEvent = {
  build_uid: string
  /** Identifies repeats of the event; undefined if the sender gave no id. */
  key: bigint | undefined
  event: string
  at_us: number
  device: string | undefined
  session: string | undefined
  sender: Sender
  value: number | null
  /** As JSON. */
  metadata: string | null
}

/** The event names that were counted so far, by `build day`. */
export type NameCache = Map<string, Set<string>>

/** Names per build and day; beyond that, new names are counted as `OTHER_NAMES`. */
const MAX_NAMES = 500
/** How many builds and days have their names cached; the least recently used are evicted. */
const MAX_NAME_CACHE = 1000
const OTHER_NAMES = '(other)'

/** Drops repeats within the same batch. */
export function distinct(events: readonly StoredEvent[]): StoredEvent[] {
  const seen = new Set<bigint>()
  return events.filter(({ key }) => key === undefined || (!seen.has(key) && seen.add(key)))
}

/**
 * Groups keys by day, both sorted: all writers lock rows in the same order, which prevents
 * deadlocks, and index pages are written sequentially.
 */
export function keysByDay(events: readonly StoredEvent[], oldest: string): DayKeys[] {
  const days = new Map<string, bigint[]>()
  for (const { key, at_us } of events)
    if (key !== undefined) getOrCreate(days, dayOf(at_us), () => []).push(key)
  return [...days]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([day, keys]) => ({
      day,
      before: day > oldest ? dayBefore(day) : null,
      keys: BigInt64Array.from(keys).sort(),
    }))
}

const dayBefore = (day: string) => dayOf((Date.parse(day) - DAY_MS) * 1000)

/** The events of one build on one day. */
type BuildDay = {
  day: string
  build_uid: string
  events: string[]
  counts: Map<string, number>
  sessions: Map<number, number>
  names: Set<string>
}

/** Computes the rows that a batch of events adds or changes. */
export function aggregate(events: readonly StoredEvent[], names: NameCache): EventBatch {
  const build_days = new Map<string, BuildDay>()
  const devices = new Map<string, DeviceRollup>()
  let current: BuildDay | undefined
  let rollup: DeviceRollup | undefined
  // Consecutive events usually share build, day and device, so the last entries are tried first.
  for (const stored of events) {
    const { build_uid, at_us, device, event, value, sender } = stored
    const day = dayOf(at_us)
    if (current?.build_uid !== build_uid || current.day !== day)
      current = getOrCreate(build_days, `${build_uid} ${day}`, () =>
        emptyBuildDay(build_uid, day, names),
      )
    current.events.push(toJson(stored))
    const name = countedName(event, current.names)
    current.counts.set(name, (current.counts.get(name) ?? 0) + 1)
    if (event === 'session_end' && value !== null) {
      const seconds = sessionBucket(value)
      current.sessions.set(seconds, (current.sessions.get(seconds) ?? 0) + 1)
    }
    if (device === undefined) continue
    if (rollup?.device !== device || rollup.build_uid !== build_uid)
      rollup = getOrCreate(devices, build_uid + device, () =>
        emptyRollup(build_uid, device, day, sender),
      )
    if (sender.signed) rollup.signed = true
    updateDevice(rollup, event, at_us, day)
  }
  return toBatch([...build_days.values()], [...devices.values()])
}

const toBatch = (build_days: BuildDay[], devices: DeviceRollup[]): EventBatch => ({
  packs: build_days.map(({ day, build_uid, events }) => ({
    day,
    build_uid,
    events: `[${events.join(',')}]`,
  })),
  devices,
  sessions: build_days.flatMap(({ day, build_uid, sessions }) =>
    [...sessions].map(([seconds, count]) => ({ build_uid, day, seconds, sessions: count })),
  ),
  counts: build_days.flatMap(({ day, build_uid, counts }) =>
    [...counts].map(([event, count]) => ({ build_uid, day, event, events: count })),
  ),
})

const emptyBuildDay = (build_uid: string, day: string, names: NameCache): BuildDay => ({
  day,
  build_uid,
  events: [],
  counts: new Map(),
  sessions: new Map(),
  names: cachedNames(names, `${build_uid} ${day}`),
})

/** A plain map will do: an entry is added, and another evicted, once per build and day. */
function cachedNames(cache: NameCache, key: string): Set<string> {
  const names = cache.get(key) ?? new Set()
  // Reinserting moves the entry to the end, so the first entry is the least recently used.
  cache.delete(key)
  cache.set(key, names)
  if (cache.size > MAX_NAME_CACHE) cache.delete(cache.keys().next().value!)
  return names
}

function getOrCreate<V>(map: Map<string, V>, key: string, create: () => V): V {
  const existing = map.get(key)
  if (existing !== undefined) return existing
  const created = create()
  map.set(key, created)
  return created
}

/** Standard events are always counted by name, however many names a game invents. */
function countedName(event: string, names: Set<string>): string {
  if (isStandard(event) || names.has(event)) return event
  if (names.size >= MAX_NAMES) return OTHER_NAMES
  names.add(event)
  return event
}

/** The rollup of a device that was seen on one day, without a start or a crash. */
export const emptyRollup = (
  build_uid: string,
  device: string,
  day: string,
  sender: Sender,
): DeviceRollup => ({
  build_uid,
  device,
  last_seen: day,
  days: 1,
  first_boot_us: null,
  last_boot: null,
  first_crash_us: null,
  last_crash: null,
  ...sender,
})

function updateDevice(rollup: DeviceRollup, event: string, at_us: number, day: string): void {
  if (day !== rollup.last_seen) markSeen(rollup, day)
  if (event === 'boot_ok') {
    rollup.first_boot_us = Math.min(rollup.first_boot_us ?? at_us, at_us)
    if (rollup.last_boot === null || day > rollup.last_boot) rollup.last_boot = day
  } else if (event === 'crash') {
    rollup.first_crash_us = Math.min(rollup.first_crash_us ?? at_us, at_us)
    if (rollup.last_crash === null || day > rollup.last_crash) rollup.last_crash = day
  }
}

/** Sets the bit of a day. Bit 0 is the last day seen, so a later day shifts the others. */
function markSeen(rollup: DeviceRollup, day: string): void {
  const later = daysBetween(rollup.last_seen, day)
  if (later < 0) rollup.days |= dayBit(-later)
  else rollup.days = (later < 32 ? rollup.days << later : 0) | 1
  if (later > 0) rollup.last_seen = day
}

const dayBit = (days_ago: number): number => (days_ago < 32 ? 1 << days_ago : 0)

/**
 * To the second up to an hour, to ten seconds beyond. This bounds a build to a few thousand rows a
 * day, however many people play it.
 */
const sessionBucket = (seconds: number): number =>
  seconds <= HOUR ? seconds : Math.floor(seconds / 10) * 10

/** Times have microsecond precision, which keeps the order of events within one millisecond. */
function toJson({ event, at_us, device, session, value, metadata }: StoredEvent): string {
  let text = `{"event":${JSON.stringify(event)},"at":${at_us}`
  if (device) text += `,"device":"${device}"`
  if (session) text += `,"session":"${session}"`
  if (value !== null) text += `,"value":${value}`
  if (metadata) text += `,"metadata":${metadata}`
  return `${text}}`
}
