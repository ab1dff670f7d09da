import type { Core } from '../../core/runtime/core.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { perCore } from '../../core/runtime/per-core.ts'
import { MIB } from '../../core/runtime/units.ts'
import { DAY_US, dayOf, MAX_AGE_US } from '../timestamps.ts'
import { aggregate, distinct, keysByDay, type NameCache, type StoredEvent } from './aggregate.ts'
import { createEventDays, writeEvents } from './queries.ts'

/** Limits of one write. */
const MAX_BATCH_EVENTS = 2_000
const MAX_BATCH_BYTES = 8 * MIB
/** Limits of the buffer, beyond which senders are refused with a retryable error. */
const MAX_BUFFERED_EVENTS = 100_000
const MAX_BUFFERED_BYTES = 64 * MIB
/** The approximate size of an event without its metadata. */
const EVENT_BYTES = 200
/** What must be buffered before a second write starts while one is in progress. */
const PARALLEL_REQUESTS = 32
const PARALLEL_EVENTS = 500
/**
 * How soon after new events launch health is recomputed, and how often that job is enqueued. The
 * job also runs on a schedule, so a failure to enqueue it only delays the result.
 */
const HEALTH_DELAY_SECONDS = 5
const HEALTH_INTERVAL_MS = 30_000
const MAX_TRIES = 5
export const DAYS_AHEAD = 7

/**
 * Errors after which a write is tried again: the partition of a day is missing, or another write
 * took the same key or row at the same moment.
 */
const retryableErrors: Record<string, 'missing_day' | 'race'> = {
  '23514': 'missing_day',
  '42P01': 'missing_day',
  '23505': 'race',
  '42P07': 'race',
  '40P01': 'race',
  '40001': 'race',
}
/**
 * Errors after which nothing was written. After any other error, such as a lost connection, the
 * write may have been committed.
 */
const notWritten = /^(?!40003)(22|23|40|42|54)[0-9A-Z]{3}$/
const codeOf = (error: unknown) => String((error as { code?: unknown }).code ?? '')

type BufferedRequest = {
  events: StoredEvent[]
  bytes: number
  done: PromiseWithResolvers<void>
}
type EventBuffer = {
  requests: BufferedRequest[]
  count: number
  bytes: number
  writers: number
  max_writers: number
  flush_scheduled: boolean
  names: NameCache
  names_day: string
  health_requested_at: number
}

const bufferOf = perCore(
  (core): EventBuffer => ({
    requests: [],
    count: 0,
    bytes: 0,
    writers: 0,
    max_writers: core.events.options.max,
    flush_scheduled: false,
    names: new Map(),
    names_day: '',
    health_requested_at: 0,
  }),
)

/** How many events wait to be written, and how full the buffer is, for metrics. */
export function readBufferUse(core: Core): { events: number; share: number } {
  const { count, bytes } = bufferOf(core)
  const share = Math.max(count / MAX_BUFFERED_EVENTS, bytes / MAX_BUFFERED_BYTES)
  return { events: count, share }
}

/**
 * Resolves once the events are committed. Requests that arrive during a write share the next one.
 */
export function storeEvents(core: Core, events: StoredEvent[]): Promise<void> {
  if (events.length === 0) return Promise.resolve()
  const buffer = bufferOf(core)
  const bytes = events.reduce((sum, { metadata }) => sum + EVENT_BYTES + (metadata?.length ?? 0), 0)
  if (
    buffer.count + events.length > MAX_BUFFERED_EVENTS ||
    buffer.bytes + bytes > MAX_BUFFERED_BYTES
  )
    refuse('UNAVAILABLE', undefined, 'Too many events are waiting to be stored. Try again shortly.')
  const done = Promise.withResolvers<void>()
  buffer.requests.push({ events, bytes, done })
  buffer.count += events.length
  buffer.bytes += bytes
  if (!buffer.flush_scheduled && canStartWriter(buffer)) {
    buffer.flush_scheduled = true
    // Runs after this turn of the event loop, so that requests of the same turn share the write.
    setImmediate(() => {
      buffer.flush_scheduled = false
      void flush(core, buffer)
    })
  }
  return done.promise
}

const canStartWriter = ({ writers, max_writers, requests, count }: EventBuffer) =>
  writers === 0 ||
  (writers < max_writers && (requests.length >= PARALLEL_REQUESTS || count >= PARALLEL_EVENTS))

/**
 * Writes until the buffer is empty. One writer works alone while little is buffered, because larger
 * batches cost less per event.
 */
async function flush(core: Core, buffer: EventBuffer): Promise<void> {
  buffer.writers++
  while (buffer.requests.length) {
    const batch = takeBatch(buffer)
    try {
      await writeBatch(core, buffer, batch)
    } catch (error) {
      if (batch.length > 1 && notWritten.test(codeOf(error)))
        await writeSeparately(core, buffer, batch)
      else for (const { done } of batch) done.reject(error)
    }
    for (const { done } of batch) done.resolve()
  }
  buffer.writers--
}

function takeBatch(buffer: EventBuffer): BufferedRequest[] {
  let events = 0
  let bytes = 0
  let requests = 0
  for (const next of buffer.requests) {
    const is_full =
      events + next.events.length > MAX_BATCH_EVENTS || bytes + next.bytes > MAX_BATCH_BYTES
    if (requests > 0 && is_full) break
    events += next.events.length
    bytes += next.bytes
    requests++
  }
  buffer.count -= events
  buffer.bytes -= bytes
  return buffer.requests.splice(0, requests)
}

/**
 * After a batch was rejected, writes each request alone, so that one bad request does not fail the
 * others. Once the database is unreachable, the remaining requests fail at once.
 */
async function writeSeparately(
  core: Core,
  buffer: EventBuffer,
  batch: BufferedRequest[],
): Promise<void> {
  let outage: unknown
  for (const request of batch) {
    if (outage) request.done.reject(outage)
    else
      await writeBatch(core, buffer, [request]).then(request.done.resolve, (error: unknown) => {
        if (!/^(22|23|54)/.test(codeOf(error))) outage = error
        request.done.reject(error)
      })
  }
}

async function writeBatch(
  core: Core,
  buffer: EventBuffer,
  batch: BufferedRequest[],
): Promise<void> {
  const events = distinct(
    batch.length === 1 ? batch[0]!.events : batch.flatMap(({ events }) => events),
  )
  for (let attempt = 1; ; attempt++) {
    const now_us = Date.now() * 1000
    try {
      return await write(core, buffer, events, now_us)
    } catch (error) {
      const reason = retryableErrors[codeOf(error)]
      if (attempt === MAX_TRIES || !reason) throw error
      if (reason === 'missing_day') await createMissingDays(core, now_us)
    }
  }
}

async function createMissingDays(core: Core, now_us: number): Promise<void> {
  try {
    await createEventDays(core.events, oldestDay(now_us), dayOf(now_us + DAYS_AHEAD * DAY_US))
  } catch (error) {
    // Another process created the same day at the same moment; the next try uses it.
    if (retryableErrors[codeOf(error)] !== 'race') throw error
  }
}

/**
 * The first day with partitions. It is one day before the oldest accepted event, because a repeat
 * of that event may have been stored on the day before.
 */
const oldestDay = (now_us: number) => dayOf(now_us - MAX_AGE_US - DAY_US)

/**
 * Writes optimistically, as if no event were a repeat. If the database reports repeats, it has
 * written nothing, and the rest is tried again.
 */
async function write(
  core: Core,
  buffer: EventBuffer,
  events: StoredEvent[],
  now_us: number,
): Promise<void> {
  const today = dayOf(now_us)
  if (buffer.names_day !== today) {
    buffer.names_day = today
    buffer.names.clear()
  }
  let pending = events
  while (pending.length) {
    const { repeated_keys, health_changed } = await writeEvents(
      core.events,
      keysByDay(pending, oldestDay(now_us)),
      aggregate(pending, buffer.names),
    )
    if (health_changed) requestHealthUpdate(core, buffer)
    if (repeated_keys.length === 0) return
    const repeated = new Set(repeated_keys)
    pending = pending.filter(({ key }) => key === undefined || !repeated.has(String(key)))
  }
}

function requestHealthUpdate(core: Core, buffer: EventBuffer): void {
  const now = Date.now()
  if (now - buffer.health_requested_at < HEALTH_INTERVAL_MS) return
  buffer.health_requested_at = now
  core.jobs
    .send(core.sql, 'telemetry.health', {}, { key: 'soon', after_seconds: HEALTH_DELAY_SECONDS })
    .catch((error: Error) =>
      core.log.warn(
        { error: error.message },
        'could not enqueue the launch health update; it runs on its schedule',
      ),
    )
}
