import { refuse } from '../../core/runtime/errors.ts'
import { DAY } from '../../core/runtime/units.ts'
import { isObject, readMetadata } from '../metadata.ts'
import { readTime } from '../timestamps.ts'

export const MAX_EVENTS = 100
export const MAX_NAME = 64
export const MAX_ID = 128
export const MAX_MS = 600_000
export const MAX_SECONDS = DAY

type Fields = Record<string, unknown>
/** An event as sent, after its fields were checked. */
export type SentEvent = {
  event: string
  event_id: string | undefined
  claimed_us: number | undefined
  device_uid: string | undefined
  session_id: string | undefined
  /** The milliseconds or seconds of a standard event. */
  value: number | null
  /** As JSON. */
  metadata: string | null
  app_id: string | undefined
  build_id: string | undefined
}

type Reject = (reason: string) => never
type StandardEvent = {
  needs_device?: true
  field?: 'ms' | 'seconds'
  read?: (fields: Fields, reject: Reject) => number | null
}

/** Any other name is an event of the game's own. */
const standardEvents: Record<string, StandardEvent> = {
  session_start: {},
  boot_ok: { needs_device: true, field: 'ms', read: readMilliseconds },
  first_input: { field: 'ms', read: readMilliseconds },
  session_end: { field: 'seconds', read: readSeconds },
  quit: {},
  crash: { needs_device: true },
}
export const standardEventNames = Object.keys(standardEvents)

export const isStandard = (event: string) => Object.hasOwn(standardEvents, event)

/**
 * Fields that are not metadata, besides the value field of a standard event. All other fields of an
 * event are added to its metadata.
 */
const reservedFields = new Set(
  `event event_id timestamp session_id device_uid anonymous metadata properties app_id build_id
  app_version build_channel engine_version`.split(/\s+/),
)

/** One invalid event rejects the whole request; the error gives its index. */
export function readEvents(events: readonly unknown[]): SentEvent[] {
  if (events.length > MAX_EVENTS)
    refuse(
      'TOO_MANY_EVENTS',
      { events: events.length, max_events: MAX_EVENTS },
      `A request may contain at most ${MAX_EVENTS} events`,
    )
  return events.map(readEvent)
}

function readEvent(fields: unknown, index: number): SentEvent {
  const path = `body.events[${index}]`
  if (!isObject(fields)) return refuse('MALFORMED', undefined, `${path}: must be an object`)
  const { event } = fields
  if (typeof event !== 'string' || event.length === 0 || event.length > MAX_NAME)
    return refuse(
      'MALFORMED',
      undefined,
      `${path}.event: must be a name of 1 to ${MAX_NAME} characters`,
    )
  const standard = isStandard(event) ? standardEvents[event] : undefined
  const reject: Reject = (reason) =>
    standard
      ? refuse('INVALID_EVENT', { index }, `Event ${index} (${event}): ${reason}`)
      : refuse('MALFORMED', undefined, `${path}: ${reason}`)
  const device_uid = readId(fields, 'device_uid', reject)
  if (standard?.needs_device && device_uid === undefined) reject('device_uid is required')
  const extra = extraFields(fields, standard?.field)
  return {
    event,
    event_id: readId(fields, 'event_id', reject),
    claimed_us: readTime(fields.timestamp),
    device_uid,
    session_id: readId(fields, 'session_id', reject),
    value: standard?.read?.(fields, reject) ?? null,
    metadata:
      readMetadata([extra, fields.properties, fields.metadata], `${path}.metadata`)?.text ?? null,
    app_id: textOrUndefined(fields.app_id),
    build_id: textOrUndefined(fields.build_id),
  }
}

const textOrUndefined = (value: unknown) => (typeof value === 'string' ? value : undefined)

function readId(fields: Fields, name: string, reject: Reject): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || value.length > MAX_ID)
    return reject(`${name} must be a string of at most ${MAX_ID} characters`)
  return value
}

function extraFields(fields: Fields, value_field: string | undefined): Fields | undefined {
  let extra: Fields | undefined
  for (const name in fields) {
    if (name === value_field || reservedFields.has(name)) continue
    extra ??= {}
    extra[name] = fields[name]
  }
  return extra
}

function readMilliseconds({ ms }: Fields, reject: Reject): number | null {
  if (ms === undefined || ms === null) return null
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_MS))
    return reject(`ms must be a number from 0 to ${MAX_MS}`)
  return Math.round(ms)
}

/** Older clients send `properties.session_sec`, which may be a fraction. */
function readSeconds({ seconds, properties }: Fields, reject: Reject): number {
  const older = isObject(properties) ? properties.session_sec : undefined
  const value = seconds ?? (typeof older === 'number' ? Math.floor(older) : older)
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_SECONDS)
    return reject(`seconds must be a whole number from 0 to ${MAX_SECONDS}`)
  return value
}
