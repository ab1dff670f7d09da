import { checkUrl } from '../../core/security/address-guard.ts'
import { isUuid } from '../../core/security/crypto.ts'
import {
  type Field,
  flag,
  invalidField,
  list,
  longerThan,
  plainText,
  quoteValue,
  VISIBLE,
  wholeNumber,
} from '../../listings/fields/text.ts'
import { osAliases } from '../../listings/fields/versions.ts'

export const MAX_MESSAGE = 4000
export const MAX_LOG_BYTES = 512 * 1024
export const MAX_SCREENSHOT_BYTES = 32 * 1024 * 1024
export const MAX_WEBHOOKS = 5
export const DEFAULT_DAILY_CAP = 10
const MAX_DAILY_CAP = 10_000
const MAX_URL_BYTES = 2000
const MAX_CLIENT_VERSION = 64
const MAX_PLATFORM = 32

export const statuses = ['open', 'fixed', 'closed'] as const
export type Status = (typeof statuses)[number]
export type Source = 'game' | 'store'

export type Settings = { enabled: boolean; daily_cap: number; webhook_urls: string[] }
export const defaultSettings: Settings = {
  enabled: false,
  daily_cap: DEFAULT_DAILY_CAP,
  webhook_urls: [],
}

/** Who filed a report: an account, an account of the external store, or both when they are linked. */
export type Reporter = { user_uid: string | null; extstore_id: string | null }

/** What reports are counted by: the account where there is one, so that both ways of filing share a count. */
export const reporterKey = ({ user_uid, extstore_id }: Reporter) =>
  user_uid ? `user:${user_uid}` : `extstore:${extstore_id}`

/** What else counts against somebody's cap: what they filed today before they linked their accounts. */
export const earlierKey = ({ user_uid, extstore_id }: Reporter) =>
  user_uid && extstore_id ? `extstore:${extstore_id}` : null

/** What a report says, besides its files. */
export type ReportText = {
  message: string
  client_version: string | null
  os: string | null
  arch: string | null
  build_id: string | null
}

export const textFields = ['message', 'client_version', 'os', 'arch', 'build_id'] as const
export const at = (field: string): Field => ({ refusal: 'MALFORMED', field })

/** Holds the texts of a report to their rules; what was sent empty was not sent. */
export function readReport(sent: Record<string, unknown>): ReportText {
  return {
    message: readMessage(sent.message),
    client_version:
      plainText(at('client_version'), sent.client_version, MAX_CLIENT_VERSION) || null,
    os: readPlatform('os', sent.os),
    arch: readPlatform('arch', sent.arch),
    build_id: readBuildId(sent.build_id),
  }
}

/** Characters are code points, as a person counts them. Kept as it was written. */
function readMessage(value: unknown): string {
  const text = value ?? ''
  if (typeof text !== 'string') invalidField(at('message'), `send text, not ${quoteValue(text)}`)
  if (!VISIBLE.test(text)) invalidField(at('message'), 'say what went wrong')
  if (longerThan(text, MAX_MESSAGE))
    invalidField(at('message'), `use at most ${MAX_MESSAGE} characters`)
  return text
}

/** A report is never refused for a platform that we have no word for. */
function readPlatform(field: string, value: unknown): string | null {
  const text = plainText(at(field), value, MAX_PLATFORM).toLowerCase()
  return (Object.hasOwn(osAliases, text) ? osAliases[text] : text) || null
}

function readBuildId(value: unknown): string | null {
  const text = plainText(at('build_id'), value, 64).toLowerCase()
  if (text === '') return null
  return isUuid(text)
    ? text
    : invalidField(at('build_id'), 'send the build_id that registering the build answered')
}

export type WebhookRules = {
  /** Whether `http://127.0.0.1` may be written to at all, and the ports there that are ours. */
  loopback: boolean
  own_ports: ReadonlySet<number>
}

/** The settings after a change; a field that is not named stays. */
export function changeSettings(
  now: Settings,
  sent: Partial<Record<keyof Settings, unknown>>,
  rules: WebhookRules,
): Settings {
  return {
    enabled: sent.enabled === undefined ? now.enabled : flag(at('enabled'), sent.enabled),
    daily_cap:
      sent.daily_cap === undefined
        ? now.daily_cap
        : wholeNumber(at('daily_cap'), sent.daily_cap, 1, MAX_DAILY_CAP),
    webhook_urls:
      sent.webhook_urls === undefined ? now.webhook_urls : readWebhooks(sent.webhook_urls, rules),
  }
}

function readWebhooks(value: unknown, rules: WebhookRules): string[] {
  const urls = list(at('webhook_urls'), value)
  if (urls.length > MAX_WEBHOOKS)
    invalidField(
      at('webhook_urls'),
      `give at most ${MAX_WEBHOOKS} URLs; this list has ${urls.length}`,
    )
  return [
    ...new Set(urls.map((url, index) => readWebhook(at(`webhook_urls[${index}]`), url, rules))),
  ]
}

/** Messages repeat nothing of the URL: whoever has it can write to where it leads. */
function readWebhook(field: Field, value: unknown, rules: WebhookRules): string {
  if (typeof value !== 'string') invalidField(field, 'send a URL as text')
  if (Buffer.byteLength(value) > MAX_URL_BYTES)
    invalidField(field, `use at most ${MAX_URL_BYTES} bytes`)
  const problem = webhookProblem(value, rules)
  return problem ? invalidField(field, problem) : value
}

/** What keeps a URL from being written to, as far as it can be said without asking a name server. Asked again at every delivery. */
export function webhookProblem(
  url: string,
  { loopback, own_ports }: WebhookRules,
): string | undefined {
  const checked = checkUrl(url, { loopback })
  if (!checked.ok)
    return `${checked.message}; give an https URL with a public host, or http://127.0.0.1 for a receiver on this machine`
  // Only the exception is not guarded: everything else may lead to public addresses alone.
  if (!checked.guarded && own_ports.has(Number(checked.url.port || 80)))
    return 'this port belongs to the service itself'
  return undefined
}
