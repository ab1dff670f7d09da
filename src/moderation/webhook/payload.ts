import { escapeChatText } from '../../bugs/deliveries/chat-text.ts'
import { isChatWebhook } from '../../bugs/deliveries/chat-webhook.ts'
import type { DeliveryKind } from '../../bugs/deliveries/queries.ts'
import { signJson } from '../../bugs/deliveries/signing.ts'
import type { Core } from '../../core/runtime/core.ts'
import type { ReportFacts } from './queries.ts'

/** The limits of one embed of the chat service. */
const MAX_TITLE = 256
const MAX_VALUE = 1024

export type WebhookEvent = 'report.created' | 'report.test'
export type Payload = { kind: DeliveryKind; body: string }

/** Where moderators decide about the target of a report. */
const queueUrl = (web_url: string, { target_type, target_id }: ReportFacts) =>
  `${web_url}/operator/moderation/${target_type}/${encodeURIComponent(target_id)}`

/** What a receiver is sent: signed JSON, or an embed if it is a chat service. */
export function reportPayload(
  { config, addresses, settings }: Core,
  key: string,
  event: WebhookEvent,
  report: ReportFacts,
): Payload {
  const url = queueUrl(addresses.web_url, report)
  const { reports_webhook_url, store_name } = settings.current
  if (isChatWebhook(reports_webhook_url, config.chat_webhook_prefixes))
    return { kind: 'chat', body: chatEmbed(store_name, report, url) }
  const body = signJson(key, {
    event,
    report_id: report.report_uid,
    target_type: report.target_type,
    target_id: report.target_id,
    target_title: report.target_name,
    kind: report.kind,
    state: report.decided_at ? 'decided' : 'open',
    created_at: report.created_at.toISOString(),
    url,
  })
  return { kind: 'json', body }
}

function chatEmbed(store: string, { target_type, target_name, kind }: ReportFacts, url: string) {
  const field = (name: string, value: string) => ({
    name,
    value: escapeChatText(value, MAX_VALUE),
    inline: true,
  })
  const embed = {
    title: escapeChatText(`New report: ${target_name}`, MAX_TITLE),
    url,
    fields: [field('Store', store), field('Target', target_type), field('Reason', kind)],
  }
  return JSON.stringify({ embeds: [embed], allowed_mentions: { parse: [] } })
}
