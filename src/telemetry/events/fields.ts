import { refuse } from '../../core/runtime/errors.ts'
import { isObject, readMetadata } from '../metadata.ts'
import { readTime } from '../timestamps.ts'

export const MAX_EVENTS = 100
const MAX_NAME = 64
const MAX_ID = 128
const MAX_MS = 600_000
const MAX_SECONDS = 86_400

type Sent = Record<string, unknown>
/** An event as it was sent, checked. `value` is its milliseconds or seconds. */
export type SentEvent = {
  event: string
  event_id: string | undefined
  claimed_us: number | undefined
  device_uid: string | undefined
  session_id: string | undefined
  value: number | null
  /** As JSON. */
  metadata: string | null
  app_id: string | undefined
  build_id: string | undefined
}

type Complaint = (what: string) => never
type Standard = {
  device?: true
  field?: 'ms' | 'seconds'
  read?: (sent: Sent, complain: Complaint) => number | null
}

/** The standard events and what each must bring; any other name is the game's own. */
const standard: Record<string, Standard> = {
  session_start: {},
  boot_ok: { device: true, field: 'ms', read: readMilliseconds },
  first_input: { field: 'ms', read: readMilliseconds },
  session_end: { field: 'seconds', read: readSeconds },
  quit: {},
  crash: { device: true },
}

export const isStandard = (event: string) => Object.hasOwn(standard, event)

/** Fields with a meaning of their own, besides the one that a standard event reads; what else stands on an event belongs to its metadata. */
const ownFields = new Set(
  `event event_id timestamp session_id device_uid anonymous metadata properties app_id build_id app_version build_channel
  engine_version`.split(/\s+/),
)

/** One bad standard event refuses the whole request, and says which; so does anything that is no event at all. */
export function readEvents(events: readonly unknown[]): SentEvent[] {
  if (events.length > MAX_EVENTS)
    refuse(
      'TOO_MANY_EVENTS',
      { events: events.length, max_events: MAX_EVENTS },
      `At most ${MAX_EVENTS} events in one request`,
    )
  return events.map(readEvent)
}

function readEvent(sent: unknown, index: number): SentEvent {
  const where = `body.events[${index}]`
  if (!isObject(sent)) return refuse('MALFORMED', undefined, `${where}: must be an object`)
  const { event } = sent
  if (typeof event !== 'string' || event.length === 0 || event.length > MAX_NAME)
    return refuse(
      'MALFORMED',
      undefined,
      `${where}.event: must be a name of 1 to ${MAX_NAME} characters`,
    )
  const rule = isStandard(event) ? standard[event] : undefined
  const complain: Complaint = (what) =>
    rule
      ? refuse('INVALID_EVENT', { index }, `Event ${index} (${event}): ${what}`)
      : refuse('MALFORMED', undefined, `${where}: ${what}`)
  const device_uid = readId(sent, 'device_uid', complain)
  if (rule?.device && device_uid === undefined) complain('device_uid is needed')
  return {
    event,
    event_id: readId(sent, 'event_id', complain),
    claimed_us: readTime(sent.timestamp),
    device_uid,
    session_id: readId(sent, 'session_id', complain),
    value: rule?.read?.(sent, complain) ?? null,
    metadata:
      readMetadata([extras(sent, rule?.field), sent.properties, sent.metadata], `${where}.metadata`)
        ?.text ?? null,
    app_id: textOf(sent.app_id),
    build_id: textOf(sent.build_id),
  }
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : undefined)

function readId(sent: Sent, name: string, complain: Complaint): string | undefined {
  const value = sent[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value !== 'string' || value.length > MAX_ID)
    return complain(`${name} must be a text of at most ${MAX_ID} characters`)
  return value
}

function extras(sent: Sent, field: string | undefined): Sent | undefined {
  let found: Sent | undefined
  for (const name in sent) {
    if (name === field || ownFields.has(name)) continue
    found ??= {}
    found[name] = sent[name]
  }
  return found
}

function readMilliseconds({ ms }: Sent, complain: Complaint): number | null {
  if (ms === undefined || ms === null) return null
  if (typeof ms !== 'number' || !(ms >= 0 && ms <= MAX_MS))
    return complain(`ms must be a number from 0 to ${MAX_MS}`)
  return Math.round(ms)
}

/** Older clients say `session_sec` among the properties, and not in whole seconds. */
function readSeconds({ seconds, properties }: Sent, complain: Complaint): number {
  const older = isObject(properties) ? properties.session_sec : undefined
  const value = seconds ?? (typeof older === 'number' ? Math.floor(older) : older)
  if (typeof value !== 'number' || !Number.isInteger(value) || value < 0 || value > MAX_SECONDS)
    return complain(`seconds must be a whole number from 0 to ${MAX_SECONDS}`)
  return value
}
