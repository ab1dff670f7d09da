import { refuse } from '../../core/runtime/errors.ts'
import { osAliases } from '../../listings/fields/versions.ts'
import { isObject, readMetadata, withoutIds } from '../metadata.ts'
import { readTime } from '../timestamps.ts'

const MAX_TEXT = 255
const MAX_MESSAGE = 4000
const MAX_METADATA = 64 * 1024

/** A crash report as it was sent, checked. */
export type Report = {
  report_id: string | undefined
  app_id: string | undefined
  build_id: string | undefined
  device_uid: string | undefined
  session_id: string | undefined
  claimed_us: number | undefined
  has_dump: boolean
  has_log: boolean
  anonymous: boolean
  app_name: string
  app_version: string
  engine_version: string
  os: string
  arch: string
  user_message: string
  /** What the program said when it ended; what the player said where it said nothing. */
  message: string
  metadata: Record<string, unknown>
}

const ownFields = new Set(
  `id report_id app_id build_id device_uid session_id timestamp has_dump has_log anonymous app_name app_version engine_version os arch
  user_message metadata`.split(/\s+/),
)

/** The JSON form, and the metadata part of the other. Texts that are too long are cut: half a report is better than none. */
export function readReport(sent: unknown): Report {
  if (!isObject(sent)) return refuse('MALFORMED', undefined, 'body: a crash report is an object')
  const extras = Object.fromEntries(Object.entries(sent).filter(([name]) => !ownFields.has(name)))
  const metadata =
    readMetadata([extras, sent.metadata], 'body.metadata', MAX_METADATA)?.metadata ?? {}
  // What is not on the report itself may be among its metadata, where some reporters put it.
  const text = (name: string, most = MAX_TEXT) =>
    readText(sent, name, most) ?? readText(metadata, name, most, true)
  const user_message = text('user_message', MAX_MESSAGE) ?? ''
  const os = (text('os') ?? '').toLowerCase()
  return {
    report_id: text('id') ?? text('report_id'),
    app_id: text('app_id'),
    build_id: text('build_id'),
    device_uid: text('device_uid'),
    session_id: text('session_id'),
    claimed_us: readTime(sent.timestamp),
    ...{
      has_dump: readFlag(sent, 'has_dump'),
      has_log: readFlag(sent, 'has_log'),
      anonymous: readFlag(sent, 'anonymous'),
    },
    app_name: text('app_name') ?? '',
    app_version: text('app_version') ?? '',
    engine_version: text('engine_version') ?? '',
    os: Object.hasOwn(osAliases, os) ? osAliases[os]! : os,
    arch: (text('arch') ?? '').toLowerCase(),
    user_message,
    message:
      readText(metadata, 'message', MAX_MESSAGE, true) ??
      readText(metadata, 'error', MAX_MESSAGE, true) ??
      user_message,
    metadata: withoutIds(metadata),
  }
}

function readText(
  from: Record<string, unknown>,
  name: string,
  most: number,
  lenient = false,
): string | undefined {
  const value = from[name]
  if (value === undefined || value === null || value === '') return undefined
  if (typeof value === 'string') return value.slice(0, most).toWellFormed()
  return lenient ? undefined : refuse('MALFORMED', undefined, `body.${name}: must be text`)
}

function readFlag(from: Record<string, unknown>, name: string): boolean {
  const value = from[name] ?? false
  return typeof value === 'boolean'
    ? value
    : refuse('MALFORMED', undefined, `body.${name}: must be true or false`)
}
