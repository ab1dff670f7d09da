import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'

type Rejection = {
  store: string
  filename: string
  game: string
  version: string
  detail: string
  url: string
  is_owner: boolean
}

/** To the owner of the listing, and to the moderation team. */
export const rejectionMail = ({ url, is_owner, detail, ...file }: Rejection): MailText => ({
  subject: t('mail-rescan-subject', { filename: file.filename, game: file.game }),
  paragraphs: [
    t('mail-rescan', file),
    detail,
    is_owner ? t('mail-rescan-owner', { url }) : t('mail-rescan-team', { url }),
  ],
})
