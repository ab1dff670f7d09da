import { closeSync, existsSync, openSync, readFileSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import { parseEnv } from 'node:util'
import { parseKeys } from '../security/secrets.ts'
import { integer, listOf, oneOf, onOff } from '../settings/parse.ts'
import { defaultSettings, type FixedSettings, readFixedSettings } from '../settings/table.ts'
import { languageNames, pseudoLanguages } from '../text/languages.ts'
import { retention } from './retention.ts'

export const allRoles = ['api', 'upload', 'worker', 'web'] as const
export type Role = (typeof allRoles)[number]
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

/** The settings as the operator wrote them. Nothing else reads the environment. */
export type Environment = Record<string, string | undefined>

type Field<T> = { env: string; parse: (text: string) => T; fallback: T; lenient?: true }
const field = <T>(env: string, parse: (text: string) => T, fallback: T): Field<T> => ({
  env,
  parse,
  fallback,
})
/**
 * A setting of OpenTelemetry whose invalid values are ignored with a warning, as its specification
 * demands: one set of variables is often given to many services.
 */
const lenient = <T>(...args: Parameters<typeof field<T>>): Field<T> => ({
  ...field<T>(...args),
  lenient: true,
})

const text = (value: string) => value
const folder = (value: string) => resolve(value)
const url =
  (...schemes: string[]) =>
  (value: string) => {
    if (!URL.canParse(value) || !schemes.includes(new URL(value).protocol.slice(0, -1)))
      throw `an address starting with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}`
    return value
  }
/** An origin: no path, no query, no trailing slash. */
const origin = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (
    !parsed ||
    !['http:', 'https:'].includes(parsed.protocol) ||
    parsed.origin !== value.replace(/\/$/, '')
  )
    throw 'an address such as https://store.example, without a path'
  return parsed.origin
}
/** The origins of games, one for each: the star is in place of the name of a game. */
const originPattern = (value: string) => {
  const star = /^https?:\/\/\*\.(?=[^*]+$)/.exec(value)
  if (!star) throw 'an address such as https://*.play.example, without a path'
  origin(value.replace('*.', ''))
  return value.replace(/\/$/, '')
}
/** An address to which paths are added. */
const prefix = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  if (
    !parsed ||
    !['http:', 'https:'].includes(parsed.protocol) ||
    parsed.search ||
    parsed.hash ||
    parsed.username
  )
    throw 'an address starting with https:// or http://, without a query'
  return parsed.href.replace(/\/+$/, '')
}
/** Hosts, each with an optional port; a leading dot means every host under the name. */
const imageHosts = (value: string) => {
  const hosts = value
    .toLowerCase()
    .split(',')
    .map((host) => host.trim().replace(/:443$/, ''))
    .filter(Boolean)
  const suffix = /^(?:\.[a-z0-9-]+)+$/
  const host_and_port = /^(?:[a-z0-9-]+(?:\.[a-z0-9-]+)*|\[[0-9a-f:]+\])(?::\d{1,5})?$/
  if (!hosts.length || !hosts.every((host) => suffix.test(host) || host_and_port.test(host)))
    throw 'host names or host:port, or .name for all hosts under it, separated by commas'
  return hosts
}
const secretsKey = (value: string) => {
  try {
    parseKeys(value, 'SECRETS_KEY')
  } catch {
    throw (
      '32 bytes in base64 (openssl rand -base64 32), ' +
      'or several as 2:<base64>,1:<base64> with the current one first'
    )
  }
  return value
}
const date = (value: string) => {
  const moment = new Date(value)
  if (!/^\d{4}-\d\d-\d\d/.test(value) || Number.isNaN(moment.getTime()))
    throw 'a date such as 2026-11-01'
  return moment
}
const slug = (value: string) => {
  if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(value))
    throw 'lowercase letters, digits and dashes, at most 32'
  return value
}
const contacts = (value: string) => {
  const items = value.split(',').map((item) => item.trim())
  // No spaces: security.txt has one contact per line.
  const isContact = (item: string) =>
    /^(mailto:[!-?A-~]+@[!-?A-~]+|https:\/\/[!-~]+|tel:[\d+-]+)$/.test(item)
  if (!items.every(isContact)) throw 'mailto:, https: or tel: addresses, separated by commas'
  return items
}
const prefixes = (value: string) => {
  const items = value.split(',').map((item) => item.trim())
  if (!items.every((item) => URL.canParse(item) && /^https?:\/\/[^/]+\/./.test(item)))
    throw 'a comma-separated list of addresses with a path'
  return items
}
/** A path on the proxy, with a slash at both ends. */
const proxyPath = (value: string) => {
  if (!/^\/([\w.-]+\/)+$/.test(value)) throw 'a path with a slash at both ends, such as /_objects/'
  return value
}
/** A bucket with its credentials; special characters are percent-encoded. */
const bucketUrl = (value: string) => {
  const parsed = URL.canParse(value) ? new URL(value) : undefined
  const is_bucket =
    parsed &&
    /^https?:$/.test(parsed.protocol) &&
    parsed.username &&
    parsed.password &&
    /^\/[^/]+\/?$/.test(parsed.pathname)
  if (!is_bucket)
    throw 'an address such as https://KEY:SECRET@objects.example/bucket?region=eu-west-1'
  return value
}
/** A file of SHA-1 hashes with counts; its first line shows whether it is one. */
const hashFile = (value: string) => {
  const path = resolve(value)
  const expectation =
    'the path of a readable file of SHA-1 hashes with counts, one per line, sorted by hash'
  try {
    const file = openSync(path, 'r')
    const start = Buffer.alloc(64)
    const bytes = readSync(file, start)
    closeSync(file)
    if (/^[0-9A-F]{40}:\d+\s/i.test(`${start.toString('latin1', 0, bytes)}\n`)) return path
  } catch {}
  throw expectation
}
/** As the specification of OpenTelemetry has it: name=value pairs, percent-encoded. */
const pairList = (value: string) => {
  const pairs = value.split(',').map((pair) => /^\s*([\w.-]+)\s*=\s*(.*?)\s*$/.exec(pair))
  try {
    return Object.fromEntries(pairs.map((pair) => [pair![1]!, decodeURIComponent(pair![2]!)]))
  } catch {
    throw 'name=value pairs, separated by commas, with values that are percent-encoded'
  }
}
const headerList = (value: string) =>
  Object.fromEntries(
    Object.entries(pairList(value)).map(([name, content]) => [name.toLowerCase(), content]),
  )
const ratio = (value: string) => {
  const number = Number(value)
  if (!(number >= 0 && number <= 1)) throw 'a number from 0 to 1'
  return number
}
const trueOrFalse = (value: string) => oneOf(['true', 'false'])(value.toLowerCase()) === 'true'
const samplers = [
  'always_on',
  'always_off',
  'traceidratio',
  'parentbased_always_on',
  'parentbased_always_off',
  'parentbased_traceidratio',
] as const
const port = integer(0, 65535)
const metricsPort = (value: string) => (value === 'off' ? undefined : port(value))

const fields = {
  host: field('HOST', text, '127.0.0.1'),
  port: field('PORT', port, 8080),
  metrics_host: field('METRICS_HOST', text, '127.0.0.1'),
  metrics_port: field<number | undefined>('METRICS_PORT', metricsPort, 9464),
  data_dir: field('DATA_DIR', folder, resolve('.data')),
  roles: field<Role[]>('SLIPWAY_ROLES', listOf(allRoles), [...allRoles]),
  base_url: field<string | undefined>('BASE_URL', origin, undefined),
  upload_url: field<string | undefined>('UPLOAD_URL', origin, undefined),
  web_url: field<string | undefined>('WEB_URL', origin, undefined),
  play_url: field<string | undefined>('PLAY_URL', originPattern, undefined),
  play_max_files: field('PLAY_MAX_FILES', integer(1, 1_000_000), 20_000),
  play_max_unpacked_mib: field('PLAY_MAX_UNPACKED_MIB', integer(1, 1_000_000), 2048),
  play_max_file_mib: field('PLAY_MAX_FILE_MIB', integer(1, 1_000_000), 500),
  issuer: field<string | undefined>('ISSUER', text, undefined),
  mcp_auth_url: field<string | undefined>('MCP_AUTH_URL', origin, undefined),
  drill: field('SLIPWAY_DRILL', onOff, false),
  database_url: field<string | undefined>('DATABASE_URL', url('postgres', 'postgresql'), undefined),
  database_replica_url: field<string | undefined>(
    'DATABASE_REPLICA_URL',
    url('postgres', 'postgresql'),
    undefined,
  ),
  database_connections: field('DATABASE_CONNECTIONS', integer(2, 500), 10),
  database_timeout: field('DATABASE_TIMEOUT', integer(1, 600), 3),
  s3_url: field<string | undefined>('S3_URL', bucketUrl, undefined),
  s3_public_url: field<string | undefined>('S3_PUBLIC_URL', prefix, undefined),
  backup_target: field<string | undefined>('BACKUP_TARGET', text, undefined),
  backup_passphrase: field<string | undefined>('BACKUP_PASSPHRASE', text, undefined),
  backup_passphrase_file: field<string | undefined>('BACKUP_PASSPHRASE_FILE', folder, undefined),
  replica_s3_url: field<string | undefined>('REPLICA_S3_URL', bucketUrl, undefined),
  scrub_days: field('SCRUB_DAYS', integer(0, 3650), 30),
  scrub_mb_per_second: field('SCRUB_MB_PER_SECOND', integer(1, 100_000), 10),
  redis_url: field<string | undefined>('REDIS_URL', url('redis', 'rediss'), undefined),
  clamd_url: field<string | undefined>('CLAMD_URL', url('tcp', 'unix'), undefined),
  country_database: field<string | undefined>('COUNTRY_DATABASE', folder, undefined),
  breached_passwords: field<string | undefined>('BREACHED_PASSWORDS', hashFile, undefined),
  min_free_disk_mib: field<number | undefined>(
    'MIN_FREE_DISK_MIB',
    integer(0, 1_000_000_000),
    undefined,
  ),
  zip_max_entries: field('ZIP_MAX_ENTRIES', integer(1, 10_000_000), 200_000),
  zip_max_unpacked_gb: field('ZIP_MAX_UNPACKED_GB', integer(1, 100_000), 50),
  patch_bases: field('PATCH_BASES', integer(0, 10), 3),
  update_url: field<string | undefined>('UPDATE_URL', url('https'), undefined),
  smtp_url: field<string | undefined>('SMTP_URL', url('smtp', 'smtps'), undefined),
  secrets_key: field<string | undefined>('SECRETS_KEY', secretsKey, undefined),
  proxy_hops: field('PROXY_HOPS', integer(0, 10), 0),
  drain_seconds: field('DRAIN_SECONDS', integer(0, 600), 0),
  accel_prefix: field<string | undefined>('ACCEL_PREFIX', proxyPath, undefined),
  listing_check_since: field<Date | undefined>('LISTING_CHECK_SINCE', date, undefined),
  languages: field<string[]>(
    'LANGUAGES',
    listOf([...Object.keys(languageNames), ...pseudoLanguages]),
    ['en', 'de'],
  ),
  house_engine: field('HOUSE_ENGINE', slug, 'svc-engine'),
  security_contact: field<string[] | undefined>('SECURITY_CONTACT', contacts, undefined),
  security_expires: field<Date | undefined>('SECURITY_EXPIRES', date, undefined),
  webhook_loopback: field<boolean | undefined>('WEBHOOK_LOOPBACK', onOff, undefined),
  chat_webhook_prefixes: field('CHAT_WEBHOOK_PREFIXES', prefixes, [
    'https://discord.com/api/webhooks/',
    'https://discordapp.com/api/webhooks/',
  ]),
  extstore_api_url: field<string | undefined>('EXTSTORE_API_URL', prefix, undefined),
  extstore_openid_url: field<string | undefined>('EXTSTORE_OPENID_URL', prefix, undefined),
  extstore_store_url: field<string | undefined>('EXTSTORE_STORE_URL', prefix, undefined),
  extstore_public_api_url: field<string | undefined>('EXTSTORE_PUBLIC_API_URL', prefix, undefined),
  extstore_image_hosts: field<string[] | undefined>('EXTSTORE_IMAGE_HOSTS', imageHosts, undefined),
  stripe_secret_key: field<string | undefined>('STRIPE_SECRET_KEY', text, undefined),
  stripe_webhook_secret: field<string | undefined>('STRIPE_WEBHOOK_SECRET', text, undefined),
  stripe_api_url: field<string | undefined>('STRIPE_API_URL', origin, undefined),
  payment_instructions: field<string | undefined>('PAYMENT_INSTRUCTIONS', text, undefined),
  refund_play_minutes: field('REFUND_PLAY_MINUTES', integer(0, 1_000_000), 120),
  trash_days: field('TRASH_DAYS', integer(0, 3650), retention.trash_days),
  event_retention_days: field('EVENT_RETENTION_DAYS', integer(32, 3650), retention.event_days),
  crash_retention_days: field('CRASH_RETENTION_DAYS', integer(1, 3650), retention.crash_days),
  crash_reports_per_day: field('CRASH_REPORTS_PER_DAY', integer(1, 10_000_000), 5_000),
  crash_uploads_per_day: field('CRASH_UPLOADS_PER_DAY', integer(0, 10_000_000), 500),
  otel_endpoint: field<string | undefined>('OTEL_EXPORTER_OTLP_ENDPOINT', prefix, undefined),
  otel_traces_endpoint: field<string | undefined>(
    'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    prefix,
    undefined,
  ),
  otel_headers: field<Record<string, string>>('OTEL_EXPORTER_OTLP_HEADERS', headerList, {}),
  otel_protocol: lenient('OTEL_EXPORTER_OTLP_PROTOCOL', oneOf(['http/json']), 'http/json'),
  otel_exporter: lenient('OTEL_TRACES_EXPORTER', oneOf(['otlp', 'none']), 'otlp'),
  otel_service_name: field<string | undefined>('OTEL_SERVICE_NAME', text, undefined),
  otel_resource: lenient<Record<string, string>>('OTEL_RESOURCE_ATTRIBUTES', pairList, {}),
  otel_sampler: lenient<(typeof samplers)[number]>(
    'OTEL_TRACES_SAMPLER',
    oneOf(samplers),
    'parentbased_always_on',
  ),
  otel_sampler_ratio: lenient('OTEL_TRACES_SAMPLER_ARG', ratio, 1),
  otel_delay_ms: lenient('OTEL_BSP_SCHEDULE_DELAY', integer(1, 600_000), 5_000),
  otel_disabled: lenient('OTEL_SDK_DISABLED', trueOrFalse, false),
  log_level: field('LOG_LEVEL', oneOf(logLevels), 'info'),
}

type Values = { [K in keyof typeof fields]: (typeof fields)[K]['fallback'] }

export type Config = Values & {
  /** Settings of the store that operators cannot change from inside. */
  fixed_settings: FixedSettings
  /** What is wrong with settings that are ignored for it. */
  warnings: string[]
}

export class ConfigError extends Error {}

/**
 * Reads and checks every setting. Errors list all invalid ones, without values: some are secrets.
 */
export function readConfig(env: Environment): Config {
  const problems: string[] = []
  const warnings: string[] = []
  const values = Object.fromEntries(
    Object.entries<Field<unknown>>(fields).map(([name, setting]) => {
      const { env: variable, parse, fallback, lenient: is_ignored } = setting
      const value = env[variable]?.trim()
      if (!value) return [name, fallback]
      try {
        return [name, parse(value)]
      } catch (expectation) {
        const list = is_ignored ? warnings : problems
        list.push(`${variable} must be ${expectation}`)
        return [name, fallback]
      }
    }),
  ) as Values
  const fixed_settings = readFixedSettings(env, problems)
  const { min_price_cents: min, max_price_cents: max } = { ...defaultSettings, ...fixed_settings }
  if (min > max) problems.push('MAX_PRICE_CENTS must be at least MIN_PRICE_CENTS')
  if (coversStore(values))
    problems.push(
      'PLAY_URL must have names of its own: it covers an address of the store, which would then ' +
        'serve games only',
    )
  if (problems.length)
    throw new ConfigError(
      `The configuration is not valid:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
  return { ...values, fixed_settings, warnings }
}

/** Whether an address of the store is one of the names of games, which have nothing of it. */
function coversStore(values: Values): boolean {
  const { play_url, base_url, web_url, upload_url, mcp_auth_url } = values
  if (!play_url) return false
  const suffix = `.${new URL(play_url.replace('*.', '')).hostname}`
  return [base_url, web_url, upload_url, mcp_auth_url].some(
    (url) => url !== undefined && `.${new URL(url).hostname}`.endsWith(suffix),
  )
}

/** The process environment, which overrides an optional .env file. */
export function processEnvironment(): Environment {
  const file = existsSync('.env') ? parseEnv(readFileSync('.env', 'utf8')) : {}
  return { ...file, ...process.env }
}

/** Makes a drill of what this process starts, whatever the settings say. */
export function chooseDrill(): void {
  process.env.SLIPWAY_DRILL = 'on'
}

/** The public addresses of the service; each defaults to the address it listens on. */
export type Addresses = {
  base_url: string
  upload_url: string
  web_url: string
  issuer: string
  mcp_auth_url: string
  /** The origins of games, `https://*.play.example`; undefined if none was set up. */
  play_url?: string | undefined
}

export function addresses(config: Config, served: string): Addresses {
  const base_url = config.base_url ?? served
  const web_url = config.web_url ?? base_url
  return {
    base_url,
    upload_url: config.upload_url ?? base_url,
    web_url,
    issuer: config.issuer ?? base_url,
    // It uses the session of the website, so it has the website's address.
    mcp_auth_url: config.mcp_auth_url ?? web_url,
    play_url: config.play_url ?? localPlayUrl(served, web_url),
  }
}

/**
 * Browsers resolve every name below `localhost` to their own machine, so a store on this machine
 * needs no set-up. Visitors of any other store would reach theirs.
 */
function localPlayUrl(served: string, web_url: string): string | undefined {
  const { hostname } = new URL(web_url)
  const is_local = /^(?:localhost|127\.[\d.]+|\[::1\])$/.test(hostname)
  return is_local ? `http://*.play.localhost:${new URL(served).port}` : undefined
}
