import type { MailText } from '../../core/text/mail-text.ts'
import { type LocalText, t } from '../../core/text/text.ts'

type Store = { store: string; url: string }
type Gift = {
  title: string
  giver: string | null
  /** Whether the mail may say what it is: not for adult content that nobody turned on. */
  is_named: boolean
}

/** To the receiver. */
export const giftMail = (gift: Gift, { store, url }: Store): MailText => ({
  subject: t('mail-gift-subject', { store }),
  paragraphs: [giverText(gift, store), t('mail-gift-open', { url }), t('mail-gift-unwanted')],
})

function giverText({ title, giver, is_named }: Gift, store: string): LocalText {
  if (giver === null) return t('mail-gift-somebody', { store })
  return is_named
    ? t('mail-gift', { giver, game: title, store })
    : t('mail-gift-adult', { giver, store })
}

/** To the buyer. */
export const giftAnswerMail = (
  { title, receiver, is_accepted }: { title: string; receiver: string; is_accepted: boolean },
  { store, url }: Store,
): MailText => ({
  subject: is_accepted
    ? t('mail-gift-accepted-subject', { game: title, store })
    : t('mail-gift-declined-subject', { game: title, store }),
  paragraphs: [
    is_accepted
      ? t('mail-gift-accepted', { receiver, game: title })
      : t('mail-gift-declined', { receiver, game: title }),
    t('mail-receipt-open', { url }),
  ],
})

/** To whoever had accepted it. */
export const giftTakenMail = (title: string, { store, url }: Store): MailText => ({
  subject: t('mail-gift-taken-subject', { game: title, store }),
  paragraphs: [t('mail-gift-taken', { game: title }), t('mail-gift-library', { url })],
})
