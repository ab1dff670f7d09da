import type { MailText } from '../../core/text/mail-text.ts'
import { t } from '../../core/text/text.ts'
import type { OrderRow } from '../orders/queries.ts'
import type { RefundRow } from '../refunds/queries.ts'
import { formatMoney } from './money.ts'

type Order = Pick<
  OrderRow,
  'uid' | 'title' | 'currency' | 'amount_minor' | 'tax_minor' | 'fee_minor' | 'seller' | 'gift_for'
>
type Store = { store: string; url: string }

const net = ({ amount_minor, tax_minor, currency }: Order) =>
  formatMoney(amount_minor - tax_minor, currency)
const total = ({ amount_minor, currency }: Order) => formatMoney(amount_minor, currency)
const tax = ({ tax_minor, currency }: Order) => formatMoney(tax_minor, currency)
const sellerLine = ({ seller: { legal_name, username, address, tax_id } }: Order) =>
  [legal_name || username, address.replace(/\s+/g, ' ').trim(), tax_id].filter(Boolean).join(', ')

/** What a payment gives; one that gives nothing goes back at once. */
function receiptText(order: Order & { goes_back: boolean }) {
  const values = { game: order.title, total: total(order) }
  if (order.goes_back) return t('mail-receipt-goes-back', values)
  return order.gift_for ? t('mail-receipt-gift', values) : t('mail-receipt', values)
}

/** To the buyer. */
export const receiptMail = (
  order: Order & { goes_back: boolean },
  { store, url }: Store,
): MailText => ({
  subject: t('mail-receipt-subject', { game: order.title, store }),
  paragraphs: [
    receiptText(order),
    t('mail-receipt-lines', { net: net(order), tax: tax(order), total: total(order) }),
    t('mail-receipt-seller', { seller: sellerLine(order) }),
    t('mail-receipt-open', { url }),
  ],
})

/** To the seller. */
export const saleMail = (order: Order, { store, url }: Store): MailText => ({
  subject: t('mail-sale-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-sale', {
      game: order.title,
      total: total(order),
      tax: tax(order),
      fee: formatMoney(order.fee_minor, order.currency),
    }),
    t('mail-sale-open', { url }),
  ],
})

/** What a refund means for the buyer. */
export type RefundOutcome = { message: string; is_automatic: boolean; keeps_copy: boolean }

/** What became of the copy or the gift after all of an order went back. */
function refundedText({ gift_for }: Order, { is_automatic, keeps_copy }: RefundOutcome) {
  if (gift_for) return is_automatic ? t('mail-refund-second-gift') : t('mail-refund-gift')
  if (is_automatic) return keeps_copy ? t('mail-refund-second') : t('mail-refund-unavailable')
  return keeps_copy ? t('mail-refund-kept') : t('mail-refund-copy')
}

/** To the buyer. */
export const refundMail = (
  order: Order & { refunded_minor: number; sent_minor: number },
  outcome: RefundOutcome,
  { store, url }: Store,
): MailText => ({
  subject: t('mail-refund-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund', {
      game: order.title,
      amount: formatMoney(order.sent_minor, order.currency),
    }),
    ...(order.refunded_minor >= order.amount_minor ? [refundedText(order, outcome)] : []),
    ...(outcome.message ? [t('mail-refund-message'), outcome.message] : []),
    t('mail-receipt-open', { url }),
  ],
})

/** To an operator: the store cannot send transfers itself. */
export const refundByHandMail = (
  order: Order & { sent_minor: number },
  { store, url }: Store,
): MailText => ({
  subject: t('mail-refund-by-hand-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund-by-hand', {
      game: order.title,
      amount: formatMoney(order.sent_minor, order.currency),
    }),
    t('mail-refund-by-hand-open', { url }),
  ],
})

type Refund = Pick<RefundRow, 'reason' | 'answer' | 'amount_minor'>

/** To the seller. */
export const refundRequestMail = (
  order: Order,
  { reason, amount_minor }: Refund,
  { store, url }: Store,
): MailText => ({
  subject: t('mail-refund-request-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund-request', {
      game: order.title,
      total: total(order),
      amount: formatMoney(amount_minor, order.currency),
    }),
    ...(reason ? [reason] : []),
    t('mail-sale-open', { url }),
  ],
})

/** To the buyer. */
export const refundDeclinedMail = (
  order: Order,
  { answer }: Refund,
  { store, url }: Store,
): MailText => ({
  subject: t('mail-refund-declined-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-refund-declined', { game: order.title }),
    ...(answer ? [answer] : []),
    t('mail-receipt-open', { url }),
  ],
})

/** To the seller. */
export const disputeMail = (order: Order, { store, url }: Store): MailText => ({
  subject: t('mail-dispute-subject', { game: order.title, store }),
  paragraphs: [
    t('mail-dispute', { game: order.title, total: total(order) }),
    t('mail-sale-open', { url }),
  ],
})
