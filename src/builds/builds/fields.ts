import type { ErrorName } from '../../core/runtime/errors.ts'
import {
  type Field,
  invalidField,
  list,
  longerThan,
  markdown,
  plainText,
  quoteValue,
  record,
  requiredText,
} from '../../listings/fields/text.ts'
import {
  MAX_VERSION,
  normalizeVersion,
  operatingSystems,
  osAliases,
} from '../../listings/fields/versions.ts'

export const MAX_TITLE = 255
export const MAX_DESCRIPTION = 10_000
export const MAX_CHANGELOG = 100
export const MAX_APP_NAME = 80
export const MAX_BUILD_TYPE = 32
export const MAX_DEMO_URL = 255
export const DEFAULT_CHANNEL = 'stable'
export const MAIN_APP = ''

export const architectures = [
  'x86_64',
  'x86',
  'arm64',
  'arm32',
  'arm',
  'universal',
  'wasm32',
  'wasm',
] as const
export const archAliases: Record<string, (typeof architectures)[number]> = {
  amd64: 'x86_64',
  x64: 'x86_64',
  aarch64: 'arm64',
}
const CHANNEL = /^[a-z0-9][a-z0-9_-]{0,31}$/
const APP = /^[a-z0-9][a-z0-9-]{0,31}$/
const CHECKSUM = /^(?:sha256:)?([0-9a-f]{64})$/

export type Platform = { os: string; arch: string; channel: string }
export type ChangelogItem = { title: string; description: string }
export type Registration = Platform & {
  app: string
  /** Unset keeps the name the app has. */
  app_name: string | undefined
  version: string
  build_type: string
  title: string
  description: string
  engine_version: string | null
  demo_url: string
  changelog_items: ChangelogItem[]
}
type Sent = Record<string, unknown>

const at = (refusal: ErrorName) => (field: string) => ({ refusal, field })
const registering = at('INVALID_REGISTRATION')
const uploading = at('INVALID_UPLOAD')

/** Everything a registration says, held to its rules. What a platform is, is refused with the code of uploads, as there. */
export function readRegistration(sent: Sent): Registration {
  const version = requiredText(registering('version'), sent.version, MAX_VERSION)
  return {
    ...readApp(sent, registering),
    ...readPlatform(sent),
    version,
    build_type: buildType(registering('build_type'), sent.build_type),
    title:
      plainText(registering('title'), sent.title, MAX_TITLE) ||
      plainText(registering('build'), sent.build, MAX_TITLE) ||
      version,
    description: markdown(registering('description'), sent.description, MAX_DESCRIPTION),
    engine_version: engineVersion(registering('engine_version'), sent.engine_version),
    demo_url: demoUrl(registering('demo_url'), sent.demo_url),
    changelog_items: changelog(sent.changelog_items),
  }
}

/** os, arch and channel, each with its aliases; empty means not said, and a channel not said is stable. */
export function readPlatform(sent: Sent): Platform {
  return {
    ...readTarget(sent),
    channel: readChannel(uploading('channel'), sent.channel) || DEFAULT_CHANNEL,
  }
}

/** As readPlatform, with what is not said left empty: a file takes it from its build. */
export function readFilePlatform(sent: Sent): Platform {
  return { ...readTarget(sent), channel: readChannel(uploading('channel'), sent.channel) }
}

function readTarget(sent: Sent) {
  return {
    os: word(uploading('os'), sent.os, operatingSystems, osAliases),
    arch: word(uploading('arch'), sent.arch, architectures, archAliases),
  }
}

export function readChannel(field: Field, value: unknown): string {
  const channel = lowered(field, value)
  if (channel === '' || CHANNEL.test(channel)) return channel
  invalidField(
    field,
    `${quoteValue(value)} is not a channel; use lowercase letters, digits, - and _, up to 32, beginning with a letter or digit`,
  )
}

/** Which program of the project; nothing said is the main one. */
export function readApp(
  sent: Sent,
  field: (name: string) => Field = uploading,
): { app: string; app_name: string | undefined } {
  const app = lowered(field('app'), sent.app)
  if (app !== MAIN_APP && !APP.test(app))
    invalidField(
      field('app'),
      `${quoteValue(sent.app)} is not an app; use lowercase letters, digits and dashes, up to 32`,
    )
  const app_name = plainText(field('app_name'), sent.app_name, MAX_APP_NAME)
  if (app_name && app === MAIN_APP) invalidField(field('app_name'), 'name an app with it')
  return { app, app_name: app_name || undefined }
}

/** The SHA-256 of the zip, in lowercase hex. */
export function readChecksum(value: unknown): string {
  const field = uploading('checksum')
  const found = CHECKSUM.exec(lowered(field, value))?.[1]
  return (
    found ??
    invalidField(
      field,
      'send the SHA-256 of the zip as 64 hex characters, with or without sha256: before it',
    )
  )
}

export function buildType(field: Field, value: unknown): string {
  return plainText(field, value, MAX_BUILD_TYPE).toLowerCase() || 'game'
}

function engineVersion(field: Field, value: unknown): string | null {
  if (value === undefined || value === null || value === '') return null
  const version = typeof value === 'string' ? normalizeVersion(value) : null
  return (
    version ??
    invalidField(
      field,
      `${quoteValue(value)} is not a version; write numbers such as 4.2, 4.2.1 or 4.3-beta2`,
    )
  )
}

function demoUrl(field: Field, value: unknown): string {
  const text = plainText(field, value, MAX_DEMO_URL)
  if (text !== '' && (!/^https?:\/\/[^/]/i.test(text) || !URL.canParse(text)))
    invalidField(field, 'send a whole http or https link')
  return text
}

function changelog(value: unknown): ChangelogItem[] {
  if (value === undefined || value === null) return []
  const items = list(registering('changelog_items'), value)
  if (items.length > MAX_CHANGELOG)
    invalidField(
      registering('changelog_items'),
      `give at most ${MAX_CHANGELOG} items; this list has ${items.length}`,
    )
  return items.map((item, index) => changelogItem(item, `changelog_items[${index}]`))
}

function changelogItem(item: unknown, name: string): ChangelogItem {
  const { title, description } = record(registering(name), item)
  return {
    title: requiredText(registering(`${name}.title`), title, MAX_TITLE),
    description: markdown(registering(`${name}.description`), description, MAX_DESCRIPTION),
  }
}

function word<T extends string>(
  field: Field,
  value: unknown,
  allowed: readonly T[],
  aliases: Record<string, T>,
): T | '' {
  const name = lowered(field, value)
  if (name === '') return ''
  const alias = Object.hasOwn(aliases, name) ? aliases[name] : undefined
  return (
    alias ??
    allowed.find((one) => one === name) ??
    invalidField(field, `${quoteValue(value)} is not one of ${allowed.join(', ')}`)
  )
}

function lowered(field: Field, value: unknown): string {
  if (value === undefined || value === null) return ''
  if (typeof value !== 'string' || longerThan(value, 255))
    invalidField(field, `send a short text, not ${quoteValue(value)}`)
  return value.trim().toLowerCase()
}
