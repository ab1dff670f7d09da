import { explain } from '../../core/runtime/reasons.ts'
import { normalizeVersion } from '../../listings/fields/engine-versions.ts'
import { architectures, operatingSystems, osAliases } from '../../listings/fields/platforms.ts'
import {
  boundedList,
  excerptOf,
  type Field,
  invalidField,
  longerThan,
  MAX_VERSION,
  markdown,
  plainText,
  quoteValue,
  record,
  requiredText,
} from '../../listings/fields/text.ts'
import {
  MAX_APP_NAME,
  MAX_BUILD_TYPE,
  MAX_CHANGELOG,
  MAX_DEMO_URL,
  MAX_DESCRIPTION,
  MAX_TITLE,
} from '../build-limits.ts'
import { type LaunchHint, readLaunchHint } from './launch-hint.ts'

export const DEFAULT_CHANNEL = 'stable'
/** The app that builds belong to unless they name another program of the project. */
export const MAIN_APP = ''

export const archAliases: Record<string, (typeof architectures)[number]> = {
  amd64: 'x86_64',
  x64: 'x86_64',
  aarch64: 'arm64',
}
const CHANNEL = /^[a-z0-9][a-z0-9_-]{0,31}$/
const APP = /^[a-z0-9][a-z0-9-]{0,31}$/
const CHECKSUM = /^(?:sha256:)?([0-9a-f]{64})$/

/**
 * Whether a build for browsers is played with the header Cross-Origin-Embedder-Policy, which threads
 * need and which keeps out resources of other origins that do not allow it.
 */
export const coepValues = ['on', 'off'] as const
export type Coep = (typeof coepValues)[number]

export type Platform = { os: string; arch: string; channel: string }
export type ChangelogItem = { title: string; description: string }
export type Registration = Platform & {
  app: string
  /** Undefined keeps the name the app has. */
  app_name: string | undefined
  version: string
  build_type: string
  title: string
  description: string
  engine_version: string | null
  demo_url: string
  changelog_items: ChangelogItem[]
  /** Undefined keeps what the build has, which is `on` for a new one. */
  coep: Coep | undefined
  /** Undefined keeps what the build has; null removes it. */
  launch: LaunchHint | null | undefined
}
/** The fields of a request, not yet validated. */
type RawFields = Record<string, unknown>

const registrationField = (field: string) => ({ refusal: 'INVALID_REGISTRATION', field }) as const
export const uploadField = (field: string) => ({ refusal: 'INVALID_UPLOAD', field }) as const

/** Validates a registration. A bad platform or channel has the error code of uploads, as there. */
export function readRegistration(fields: RawFields): Registration {
  const version = requiredText(registrationField('version'), fields.version, MAX_VERSION)
  return {
    ...readApp(fields, registrationField),
    ...readPlatform(fields),
    version,
    build_type: readBuildType(registrationField('build_type'), fields.build_type),
    title:
      plainText(registrationField('title'), fields.title, MAX_TITLE) ||
      plainText(registrationField('build'), fields.build, MAX_TITLE) ||
      version,
    description: markdown(registrationField('description'), fields.description, MAX_DESCRIPTION),
    engine_version: readEngineVersion(registrationField('engine_version'), fields.engine_version),
    demo_url: readDemoUrl(registrationField('demo_url'), fields.demo_url),
    changelog_items: readChangelog(fields.changelog_items),
    coep: readCoep(fields.coep),
    launch: readLaunchHint(fields.launch),
  }
}

/** YAML files and forms write it as a boolean, too. */
export function readCoep(value: unknown): Coep | undefined {
  if (typeof value === 'boolean') return value ? 'on' : 'off'
  return readChoice(registrationField('coep'), value, coepValues, {}) || undefined
}

/** os, arch and channel, with aliases resolved; os and arch may be empty, channel defaults. */
export function readPlatform(fields: RawFields): Platform {
  return {
    ...readSystem(fields),
    channel: readChannel(uploadField('channel'), fields.channel) || DEFAULT_CHANNEL,
  }
}

/** Like readPlatform without the default channel: a file inherits empty values from its build. */
export function readFilePlatform(fields: RawFields): Platform {
  return {
    ...readSystem(fields),
    channel: readChannel(uploadField('channel'), fields.channel),
  }
}

function readSystem(fields: RawFields) {
  return {
    os: readChoice(uploadField('os'), fields.os, operatingSystems, osAliases),
    arch: readChoice(uploadField('arch'), fields.arch, architectures, archAliases),
  }
}

export function readChannel(field: Field, value: unknown): string {
  const channel = readLowercase(field, value)
  if (channel === '' || CHANNEL.test(channel)) return channel
  invalidField(
    field,
    explain(
      'channel',
      `${quoteValue(value)} is not a channel name; ` +
        'use up to 32 lowercase letters, digits, - and _, starting with a letter or digit',
      { value: excerptOf(value) },
    ),
  )
}

/** The program of the project that a build is for; empty is the main one. */
export function readApp(
  fields: RawFields,
  field: (name: string) => Field = uploadField,
): { app: string; app_name: string | undefined } {
  const app = readLowercase(field('app'), fields.app)
  if (app !== MAIN_APP && !APP.test(app))
    invalidField(
      field('app'),
      explain(
        'app',
        `${quoteValue(fields.app)} is not an app name; ` +
          'use up to 32 lowercase letters, digits and dashes',
        { value: excerptOf(fields.app) },
      ),
    )
  const app_name = plainText(field('app_name'), fields.app_name, MAX_APP_NAME)
  if (app_name && app === MAIN_APP)
    invalidField(field('app_name'), explain('app_missing', 'send app together with app_name'))
  return { app, app_name: app_name || undefined }
}

/** Returns the SHA-256 of the file in lowercase hex. */
export function readChecksum(value: unknown): string {
  const field = uploadField('checksum')
  const checksum = CHECKSUM.exec(readLowercase(field, value))?.[1]
  return (
    checksum ??
    invalidField(
      field,
      explain(
        'checksum',
        'send the SHA-256 of the file as 64 hex characters, optionally prefixed sha256:',
      ),
    )
  )
}

export function readBuildType(field: Field, value: unknown): string {
  return plainText(field, value, MAX_BUILD_TYPE).toLowerCase() || 'game'
}

function readEngineVersion(field: Field, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const version = typeof value === 'string' ? normalizeVersion(value) : null
  return (
    version ??
    invalidField(
      field,
      explain(
        'version',
        `${quoteValue(value)} is not a version; write numbers such as 4.2, 4.2.1 or 4.3-beta2`,
        { value: excerptOf(value) },
      ),
    )
  )
}

function readDemoUrl(field: Field, value: unknown): string {
  const text = plainText(field, value, MAX_DEMO_URL)
  if (text !== '' && (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)))
    invalidField(field, explain('http_link', 'send a full http or https URL'))
  return text
}

function readChangelog(value: unknown): ChangelogItem[] {
  if (value === undefined || value === null) return []
  const field = registrationField('changelog_items')
  const items = boundedList(field, value, MAX_CHANGELOG, `give at most ${MAX_CHANGELOG} items`)
  return items.map((item, index) => readChangelogItem(item, `changelog_items[${index}]`))
}

function readChangelogItem(item: unknown, name: string): ChangelogItem {
  const { title, description } = record(registrationField(name), item)
  return {
    title: requiredText(registrationField(`${name}.title`), title, MAX_TITLE),
    description: markdown(registrationField(`${name}.description`), description, MAX_DESCRIPTION),
  }
}

function readChoice<T extends string>(
  field: Field,
  value: unknown,
  allowed: readonly T[],
  aliases: Record<string, T>,
): T | '' {
  const name = readLowercase(field, value)
  if (name === '') return ''
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  return (
    alias ??
    allowed.find((choice) => choice === name) ??
    invalidField(
      field,
      explain('not_in_list', `${quoteValue(value)} is not one of ${allowed.join(', ')}`, {
        allowed: allowed.join(', '),
      }),
    )
  )
}

/** The longest name of a system, a processor or a channel that is read at all. */
const MAX_SHORT = 255

function readLowercase(field: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string' || longerThan(value, MAX_SHORT))
    invalidField(
      field,
      explain('max_length', `send a short string, not ${quoteValue(value)}`, { count: MAX_SHORT }),
    )
  return value.trim().toLowerCase()
}
