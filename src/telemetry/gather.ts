import { dayOf } from './clocks.ts'
import type { CountNews, DeviceNews, Key, News, SessionNews } from './event-queries.ts'

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
  metadata: Record<string, unknown> | null
}

export const MAX_NAMES = 500
export const OTHER = '(other)'

/** Of those that came together, each once. */
export function distinct(events: readonly KeptEvent[]): KeptEvent[] {
  const seen = new Set<bigint>()
  return events.filter(({ key }) => key === undefined || (!seen.has(key) && seen.add(key)))
}

/** In one order for everyone, so that no two writers wait for each other; and so that neighbours in the index are written one after another. */
export function keysOf(events: readonly KeptEvent[]): Key[] {
  const keys = events.flatMap(({ key, at_us }) => (key === undefined ? [] : [{ day: dayOf(at_us), event_key: key }]))
  return keys.sort((a, b) => (a.event_key < b.event_key ? -1 : 1))
}

/** What a heap of events comes to. `known` are the names counted so far: a game that makes up names has the rest counted as one. */
export function gather(events: readonly KeptEvent[], known: Map<string, Set<string>>): News {
  const packs = new Map<string, { day: string; build_uid: string; events: string[] }>()
  const devices = new Map<string, DeviceNews>()
  const sessions = new Map<string, SessionNews>()
  const counts = new Map<string, CountNews>()
  for (const one of events) {
    const { build_uid, at_us, device, event, value } = one
    const day = dayOf(at_us)
    upsert(packs, `${build_uid} ${day}`, () => ({ day, build_uid, events: [] })).events.push(asJson(one))
    if (device)
      tell(
        upsert(devices, `${build_uid} ${device}`, () => unknownDevice(build_uid, device, day)),
        event,
        at_us,
        day,
      )
    if (event === 'session_end' && value !== null) {
      const seconds = sessionBucket(value)
      upsert(sessions, `${build_uid} ${day} ${seconds}`, () => ({ build_uid, day, seconds, sessions: 0 })).sessions++
    }
    const name = countedAs(
      event,
      upsert(known, `${build_uid} ${day}`, () => new Set()),
    )
    upsert(counts, `${build_uid} ${day} ${name}`, () => ({ build_uid, day, event: name, events: 0 })).events++
  }
  return {
    packs: [...packs.values()].map((pack) => ({ ...pack, events: `[${pack.events.join(',')}]` })),
    devices: [...devices.values()],
    sessions: [...sessions.values()],
    counts: [...counts.values()],
  }
}

function upsert<V>(map: Map<string, V>, key: string, make: () => V): V {
  const known = map.get(key)
  if (known !== undefined) return known
  const made = make()
  map.set(key, made)
  return made
}

function countedAs(event: string, names: Set<string>): string {
  if (names.has(event)) return event
  if (names.size >= MAX_NAMES) return OTHER
  names.add(event)
  return event
}

const unknownDevice = (build_uid: string, device: string, day: string): DeviceNews => ({
  build_uid,
  device,
  last_seen: day,
  first_boot_us: null,
  last_boot: null,
  first_crash_us: null,
  last_crash: null,
})

function tell(told: DeviceNews, event: string, at_us: number, day: string): void {
  if (day > told.last_seen) told.last_seen = day
  if (event === 'boot_ok') {
    told.first_boot_us = Math.min(told.first_boot_us ?? at_us, at_us)
    if (told.last_boot === null || day > told.last_boot) told.last_boot = day
  } else if (event === 'crash') {
    told.first_crash_us = Math.min(told.first_crash_us ?? at_us, at_us)
    if (told.last_crash === null || day > told.last_crash) told.last_crash = day
  }
}

/** To the second for an hour, to ten seconds beyond: a build has a few thousand lengths a day at most, however many play it. */
export const sessionBucket = (seconds: number): number => (seconds <= 3600 ? seconds : Math.floor(seconds / 10) * 10)

function asJson({ event, at_us, device, session, value, metadata }: KeptEvent): string {
  let text = `{"event":${JSON.stringify(event)},"at":"${isoOf(at_us)}"`
  if (device) text += `,"device":"${device}"`
  if (session) text += `,"session":"${session}"`
  if (value !== null) text += `,"value":${value}`
  if (metadata) text += `,"metadata":${JSON.stringify(metadata)}`
  return `${text}}`
}

/** To the microsecond, which tells apart what happened in one millisecond. */
function isoOf(at_us: number): string {
  const ms = Math.floor(at_us / 1000)
  return `${new Date(ms).toISOString().slice(0, -1)}${String(at_us - ms * 1000).padStart(3, '0')}Z`
}
