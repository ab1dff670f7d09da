import { HOUR } from '../../core/runtime/units.ts'
import type { DisabledReceiver } from './receiver-queries.ts'
import { MAX_RETRY_SECONDS } from './retry-schedule.ts'

/**
 * Sent when a webhook is disabled. It names only the origin of the URL: whoever knows the whole
 * address can write to it, and many machines read mail.
 */
export function disabledWebhookMail(
  { game_name, url, last_error }: DisabledReceiver,
  is_gone: boolean,
) {
  const { origin } = new URL(url)
  const reason = is_gone
    ? `The webhook at ${origin} that receives bug reports for ${game_name} no longer exists, ` +
      'so it was disabled.'
    : `Bug reports for ${game_name} could not be delivered to ${origin} for ` +
      `${MAX_RETRY_SECONDS / HOUR} hours, so this webhook was disabled.`
  const paragraphs = [
    reason,
    `The last error was: ${last_error}.`,
    'No report was lost. You can resend every delivery in the bug reporter settings.',
    'To enable the webhook again, save the settings once more or resend one of the deliveries.',
  ]
  return {
    subject: `A bug webhook of ${game_name.replaceAll(/\p{C}/gu, ' ')} was disabled`,
    text: `${paragraphs.join('\n\n')}\n`,
  }
}
