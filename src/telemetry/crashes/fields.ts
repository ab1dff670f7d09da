import { refuse } from '../../core/runtime/errors.ts'
import { osAliases } from '../../listings/fields/platforms.ts'
import { isObject, readMetadata, withoutIds } from '../metadata.ts'
import { readTime } from '../timestamps.ts'

const MAX_TEXT = 255
const MAX_MESSAGE = 4000
const MAX_METADATA = 64 * 1024

type Fields = Record<string, unknown>

/** What a report says about the program and the player; stored as it was sent. */
export type ReportedFields = {
  app_name: string
  app_version: string
  engine_version: string
  os: string
  arch: string
  user_message: string
  anonymous: boolean
}

/** A crash report after its fields were checked. */
export type Report = ReportedFields & {
  report_id: string | undefined
  app_id: string | undefined
  build_id: string | undefined
  device_uid: string | undefined
  session_id: string | undefined
  claimed_us: number | undefined
  has_dump: boolean
  has_log: boolean
  /** The error message of the program, or else what the player wrote. */
  message: string
  metadata: Fields
}

const reservedFields = new Set(
  `id report_id app_id build_id device_uid session_id timestamp has_dump has_log anonymous app_name
  app_version engine_version os arch user_message metadata`.split(/\s+/),
)

/**
 * The fields that a form can send as parts of their own instead of in its metadata, and the names
 * that Breakpad has for two of them. Breakpad sends neither headers nor JSON.
 */
export const formFields = new Map<string, string>([
  ...`id report_id app_id build_id device_uid session_id app_name app_version engine_version os
  arch user_message severity`
    .split(/\s+/)
    .map((name) => [name, name] as const),
  ['prod', 'app_name'],
  ['ver', 'app_version'],
])

/**
 * Reads the JSON body, or the metadata part of a form. Texts that are too long are truncated,
 * because an incomplete report is better than none.
 */
export function readReport(fields: unknown): Report {
  if (!isObject(fields))
    return refuse('MALFORMED', undefined, 'body: a crash report must be an object')
  const extra = Object.fromEntries(
    Object.entries(fields).filter(([name]) => !reservedFields.has(name)),
  )
  const metadata =
    readMetadata([extra, fields.metadata], 'body.metadata', MAX_METADATA)?.metadata ?? {}
  // Some reporters put standard fields into the metadata.
  const text = (name: string, max_length = MAX_TEXT) =>
    readText(fields, name, max_length) ?? textOrUndefined(metadata[name], max_length)
  const user_message = text('user_message', MAX_MESSAGE) ?? ''
  const os = (text('os') ?? '').toLowerCase()
  return {
    report_id: text('id') ?? text('report_id'),
    app_id: text('app_id'),
    build_id: text('build_id'),
    device_uid: text('device_uid'),
    session_id: text('session_id'),
    claimed_us: readTime(fields.timestamp),
    has_dump: readFlag(fields, 'has_dump'),
    has_log: readFlag(fields, 'has_log'),
    anonymous: readFlag(fields, 'anonymous'),
    app_name: text('app_name') ?? '',
    app_version: text('app_version') ?? '',
    engine_version: text('engine_version') ?? '',
    os: Object.hasOwn(osAliases, os) ? osAliases[os]! : os,
    arch: (text('arch') ?? '').toLowerCase(),
    user_message,
    message:
      textOrUndefined(metadata.message, MAX_MESSAGE) ??
      textOrUndefined(metadata.error, MAX_MESSAGE) ??
      user_message,
    metadata: withoutIds(metadata),
  }
}

function readText(fields: Fields, name: string, max_length: number): string | undefined {
  const value = fields[name]
  if (value === undefined || value === null || typeof value === 'string')
    return textOrUndefined(value, max_length)
  return refuse('MALFORMED', undefined, `body.${name}: must be a string`)
}

const textOrUndefined = (value: unknown, max_length: number): string | undefined =>
  typeof value === 'string' && value !== '' ? value.slice(0, max_length).toWellFormed() : undefined

function readFlag(fields: Fields, name: string): boolean {
  const value = fields[name] ?? false
  return typeof value === 'boolean'
    ? value
    : refuse('MALFORMED', undefined, `body.${name}: must be true or false`)
}
