import { explain } from '../../core/runtime/reasons.ts'
import {
  boundedList,
  type Field,
  flag,
  invalidField,
  wholeNumber,
} from '../../listings/fields/text.ts'
import { type WebhookRules, webhookProblem } from '../deliveries/webhook-url.ts'

export const MAX_WEBHOOKS = 5
export const DEFAULT_DAILY_CAP = 10
export const MAX_DAILY_CAP = 10_000
const MAX_URL_BYTES = 2000

export type Settings = { enabled: boolean; daily_cap: number; webhook_urls: string[] }
export const defaultSettings: Settings = {
  enabled: false,
  daily_cap: DEFAULT_DAILY_CAP,
  webhook_urls: [],
}

export type SettingsChange = Partial<Record<keyof Settings, unknown>>

const settingsField = (field: string): Field => ({ refusal: 'MALFORMED', field })

/** The settings after a change; fields that are not sent stay as they are. */
export function changeSettings(
  current: Settings,
  change: SettingsChange,
  rules: WebhookRules,
): Settings {
  const { enabled, daily_cap, webhook_urls } = change
  return {
    enabled: enabled === undefined ? current.enabled : flag(settingsField('enabled'), enabled),
    daily_cap:
      daily_cap === undefined
        ? current.daily_cap
        : wholeNumber(settingsField('daily_cap'), daily_cap, 1, MAX_DAILY_CAP),
    webhook_urls:
      webhook_urls === undefined ? current.webhook_urls : readWebhooks(webhook_urls, rules),
  }
}

function readWebhooks(value: unknown, rules: WebhookRules): string[] {
  const field = settingsField('webhook_urls')
  const items = boundedList(field, value, MAX_WEBHOOKS, `give at most ${MAX_WEBHOOKS} URLs`)
  const urls = items.map((item, index) =>
    readWebhook(settingsField(`webhook_urls[${index}]`), item, rules),
  )
  return [...new Set(urls)]
}

/** Error messages do not repeat the URL, because whoever has it can write to the receiver. */
function readWebhook(field: Field, value: unknown, rules: WebhookRules): string {
  if (typeof value !== 'string') invalidField(field, 'send a URL as text')
  if (Buffer.byteLength(value) > MAX_URL_BYTES)
    invalidField(
      field,
      explain('link_bytes', `use at most ${MAX_URL_BYTES} bytes`, { count: MAX_URL_BYTES }),
    )
  const problem = webhookProblem(value, rules)
  return problem ? invalidField(field, problem) : value
}
