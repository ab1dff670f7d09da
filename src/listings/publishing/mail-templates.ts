import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'

type HeldRelease = { store: string; game: string; username: string; review_url: string }

/** To an operator. */
export const heldReleaseMail = ({ store, game, username, review_url }: HeldRelease): MailText => ({
  subject: t('mail-release-held-subject', { game, store }),
  paragraphs: [
    t('mail-release-held', { game, username, store }),
    t('mail-release-held-open', { url: review_url }),
  ],
})

type ReleaseDecision = {
  store: string
  game: string
  is_approved: boolean
  reason: string
  url: string
}

/** To the owner. */
export const releaseDecisionMail = ({ store, game, ...mail }: ReleaseDecision): MailText => ({
  subject: mail.is_approved
    ? t('mail-release-approved-subject', { game, store })
    : t('mail-release-declined-subject', { game, store }),
  paragraphs: [
    mail.is_approved
      ? t('mail-release-approved', { game, store })
      : t('mail-release-declined', { game, store }),
    ...(mail.reason ? [mail.reason] : []),
    mail.is_approved
      ? t('mail-release-approved-open', { url: mail.url })
      : t('mail-release-declined-open', { url: mail.url }),
  ],
})
