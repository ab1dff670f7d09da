import { HOUR } from '../../core/runtime/units.ts'
import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'
import { deliveryErrorText } from './error-text.ts'
import type { DisabledReceiver } from './receiver-queries.ts'
import { MAX_RETRY_SECONDS } from './retry-schedule.ts'

/**
 * Sent when a webhook is disabled. It names only the origin of the URL: whoever knows the whole
 * address can write to it, and many machines read mail.
 */
export function disabledWebhookMail(
  { game_name: game, url, last_error }: DisabledReceiver,
  is_gone: boolean,
): MailText {
  const { origin } = new URL(url)
  return {
    subject: t('mail-webhook-subject', { game: game.replaceAll(/\p{C}/gu, ' ') }),
    paragraphs: [
      is_gone
        ? t('mail-webhook-gone', { game, origin })
        : t('mail-webhook-failed', { game, origin, hours: MAX_RETRY_SECONDS / HOUR }),
      t('mail-webhook-error', { error: deliveryErrorText(String(last_error)) }),
      t('mail-webhook-nothing-lost'),
      t('mail-webhook-enable'),
    ],
  }
}
