import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'

type Decision = { store: string; game: string; is_approved: boolean; url: string }

/** To the person who asked for a copy. */
export const keyRequestMail = ({ store, game, is_approved, url }: Decision): MailText => ({
  subject: is_approved
    ? t('mail-key-request-approved-subject', { game, store })
    : t('mail-key-request-declined-subject', { game, store }),
  paragraphs: is_approved
    ? [t('mail-key-request-approved', { game, store }), t('mail-key-request-open', { url })]
    : [t('mail-key-request-declined', { game, store })],
})
