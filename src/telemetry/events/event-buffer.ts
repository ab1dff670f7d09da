import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { dayOf, OLDEST_US } from '../timestamps.ts'
import { distinct, gather, type KeptEvent, keysOf } from './aggregate.ts'
import { makeDays, writeEvents } from './queries.ts'

const DAY_US = 86_400_000_000
/** As much as one write takes, and how much may wait for one before senders are asked to come back. */
const MOST_TOGETHER = 2_000
const MOST_WAITING = 100_000
/** The same in bytes, of which an event has about so many besides its metadata. */
const BYTES_TOGETHER = 8 * 1024 * 1024
const BYTES_WAITING = 64 * 1024 * 1024
const EVENT_BYTES = 200
/** How much must wait for another write to begin beside the one under way, while there are connections for it. */
const REQUESTS_BESIDE = 32
const EVENTS_BESIDE = 500
/** How soon after news the health is looked at, and how often that is asked for; the schedule of the job is the guarantee. */
const SOON_SECONDS = 5
const HINT_MS = 30_000
const TRIES = 5
/** No table for a day; or another write took the same key or row at the same moment, and the next try finds it. */
const mendable: Record<string, 'day' | 'race'> = {
  ...{ '23514': 'day', '42P01': 'day' },
  ...{ '23505': 'race', '42P07': 'race', '40P01': 'race', '40001': 'race' },
}
/** What the database said no to was not written. After anything else, such as a lost connection, it may have been. */
const unwritten = /^(?!40003)(22|23|40|42|54)[0-9A-Z]{3}$/
const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')
export const DAYS_AHEAD = 7

type Waiting = { events: KeptEvent[]; bytes: number; done: PromiseWithResolvers<void> }
type Desk = {
  most_writers: number
  waiting: Waiting[]
  count: number
  bytes: number
  writers: number
  called: boolean
  names: Map<string, Set<string>>
  names_day: string
  hinted_at: number
}
const desks = new WeakMap<Core, Desk>()

/** Resolves once the events are on the disk. Requests that come while a write is under way share the next one. */
export function keepEvents(core: Core, events: KeptEvent[]): Promise<void> {
  if (events.length === 0) return Promise.resolve()
  const desk = deskOf(core)
  const bytes = events.reduce((sum, { metadata }) => sum + EVENT_BYTES + (metadata?.length ?? 0), 0)
  if (desk.count + events.length > MOST_WAITING || desk.bytes + bytes > BYTES_WAITING)
    refuse(
      'UNAVAILABLE',
      undefined,
      'Too many events are waiting to be written; send them again shortly',
    )
  const done = Promise.withResolvers<void>()
  desk.waiting.push({ events, bytes, done })
  desk.count += events.length
  desk.bytes += bytes
  if (!desk.called && mayWrite(desk)) {
    desk.called = true
    // After this turn of the event loop, so that what arrived with it goes along.
    setImmediate(() => {
      desk.called = false
      void writeAll(core, desk)
    })
  }
  return done.promise
}

const mayWrite = ({ most_writers, writers, waiting, count }: Desk) =>
  writers === 0 ||
  (writers < most_writers && (waiting.length >= REQUESTS_BESIDE || count >= EVENTS_BESIDE))

function deskOf(core: Core): Desk {
  const known = desks.get(core)
  if (known) return known
  const made: Desk = {
    ...{
      most_writers: core.events.options.max,
      writers: 0,
      waiting: [],
      count: 0,
      bytes: 0,
      called: false,
    },
    ...{ names: new Map(), names_day: '', hinted_at: 0 },
  }
  desks.set(core, made)
  return made
}

/** One write at a time while few wait, for they cost less together; more beside it when enough wait for that to matter. */
async function writeAll(core: Core, desk: Desk): Promise<void> {
  desk.writers++
  while (desk.waiting.length) {
    const batch = takeBatch(desk)
    try {
      await writeBatch(core, desk, batch)
    } catch (error) {
      if (batch.length > 1 && unwritten.test(codeOf(error))) await writeAlone(core, desk, batch)
      else for (const { done } of batch) done.reject(error)
    }
    for (const { done } of batch) done.resolve()
  }
  desk.writers--
}

function takeBatch(desk: Desk): Waiting[] {
  let [events, bytes, requests] = [0, 0, 0]
  for (const next of desk.waiting) {
    if (
      requests > 0 &&
      (events + next.events.length > MOST_TOGETHER || bytes + next.bytes > BYTES_TOGETHER)
    )
      break
    events += next.events.length
    bytes += next.bytes
    requests++
  }
  desk.count -= events
  desk.bytes -= bytes
  return desk.waiting.splice(0, requests)
}

/** What was refused together is tried one by one, so that nobody answers for another's events; once the database is away the rest fail. */
async function writeAlone(core: Core, desk: Desk, batch: Waiting[]): Promise<void> {
  let away: unknown
  for (const one of batch) {
    if (away) one.done.reject(away)
    else
      await writeBatch(core, desk, [one]).then(one.done.resolve, (error: unknown) => {
        if (!/^(22|23|54)/.test(codeOf(error))) away = error
        one.done.reject(error)
      })
  }
}

async function writeBatch(core: Core, desk: Desk, batch: Waiting[]): Promise<void> {
  const events = distinct(
    batch.length === 1 ? batch[0]!.events : batch.flatMap(({ events }) => events),
  )
  for (let tries = 1; ; tries++) {
    const now_us = Date.now() * 1000
    try {
      return await write(core, desk, events, now_us)
    } catch (error) {
      const mend = mendable[codeOf(error)]
      if (tries === TRIES || !mend) throw error
      if (mend === 'day')
        await makeDays(core.events, oldestDay(now_us), dayOf(now_us + DAYS_AHEAD * DAY_US)).catch(
          leaveToOther,
        )
    }
  }
}

/** Of two who miss the same day one makes it; the other finds it at the next try. */
function leaveToOther(error: unknown): void {
  if (mendable[codeOf(error)] !== 'race') throw error
}

/** The first day that has tables: no event falls on it, but one of the next day may have come before as one of this. */
const oldestDay = (now_us: number) => dayOf(now_us - OLDEST_US - DAY_US)

/** In one go, as if none of them had come before; those that had are told, and left out of the next try. */
async function write(core: Core, desk: Desk, events: KeptEvent[], now_us: number): Promise<void> {
  const today = dayOf(now_us)
  if (desk.names_day !== today) {
    desk.names_day = today
    desk.names.clear()
  }
  let fresh = events
  while (fresh.length) {
    const { known, news } = await writeEvents(
      core.events,
      keysOf(fresh, oldestDay(now_us)),
      gather(fresh, desk.names),
    )
    if (news) hint(core, desk)
    if (known.length === 0) return
    const seen = new Set(known)
    fresh = fresh.filter(({ key }) => key === undefined || !seen.has(String(key)))
  }
}

function hint(core: Core, desk: Desk): void {
  const now = Date.now()
  if (now - desk.hinted_at < HINT_MS) return
  desk.hinted_at = now
  core.jobs
    .send(core.sql, 'telemetry.health', {}, { key: 'soon', after_seconds: SOON_SECONDS })
    .catch((error: Error) =>
      core.log.warn({ error: error.message }, 'launch health waits for its schedule'),
    )
}
