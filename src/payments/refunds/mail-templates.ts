import type { MailText } from '../../core/text/mail-text.ts'
import { type LocalText, t } from '../../core/text/text.ts'
import type { OrderRow } from '../orders/queries.ts'
import { formatMoney } from '../receipts/money.ts'
import { failureFor, type RefundFailure } from './failure.ts'

type Order = Pick<OrderRow, 'uid' | 'title' | 'currency' | 'amount_minor' | 'refunded_minor'>
type Details = { store: string; url: string; reason: string }

/** To the developer or operator who sent the refund. */
export const refundFailedMail = (order: Order, { store, url, reason }: Details): MailText => ({
  subject: t('mail-refund-failed-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund-failed', { game: order.title }),
    ...(reason ? [reason] : []),
    t('mail-refund-failed-open', { url }),
  ],
})

const failureTexts: Record<RefundFailure, LocalText> = {
  card_closed: t('mail-refund-failed-closed'),
  not_sent: t('mail-refund-failed-not-sent'),
}

/** To the buyer, without the words of the provider, which can name the account of the developer. */
export const buyerFailedMail = (order: Order, { store, url, reason }: Details): MailText => ({
  subject: t('mail-refund-failed-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund-failed-buyer', { game: order.title }),
    failureTexts[failureFor(reason)],
    t('mail-refund-failed-open', { url }),
  ],
})

/** To operators: the provider did not refund an order. */
export const operatorFailedMail = (order: Order, { store, url, reason }: Details): MailText => ({
  subject: t('mail-refund-failed-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-operator-refund-failed', { game: order.title, order: order.uid }),
    ...(reason ? [reason] : []),
    t('mail-operator-orders', { url }),
  ],
})

/** To operators: a buyer asks for a refund, and the developer has no account any more. */
export const operatorRequestMail = (order: Order, { store, url, reason }: Details): MailText => ({
  subject: t('mail-operator-request-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-operator-request', {
      game: order.title,
      total: formatMoney(order.amount_minor, order.currency),
      amount: formatMoney(order.amount_minor - order.refunded_minor, order.currency),
    }),
    ...(reason ? [reason] : []),
    t('mail-operator-orders', { url }),
  ],
})
