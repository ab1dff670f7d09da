import { findRecipient } from '../../accounts/publishing/queries.ts'
import { job, type Run } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type MailText, mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { readOrderNotes } from '../operations/queries.ts'
import { findOrder, type OrderRow } from '../orders/queries.ts'
import { isSent } from '../refunds/left.ts'
import { messageToBuyer, refundOrigin } from '../refunds/origin.ts'
import { findRefund, readRefunds } from '../refunds/queries.ts'
import { hasCopyStill } from './kept-copy.ts'
import {
  disputeMail,
  receiptMail,
  refundByHandMail,
  refundDeclinedMail,
  refundMail,
  refundRequestMail,
  saleMail,
} from './mail-templates.ts'

type OrderJob = { order_uid: string }
type RefundJob = OrderJob & { refund_uid: string }
type Store = { store: string; url: string }

const storeOf = ({ settings, addresses }: Core, path: string): Store => ({
  store: settings.current.store_name,
  url: `${addresses.web_url}${path}`,
})

/** Sends a mail to a person who still has an account. */
async function mailTo(
  { core, id }: Pick<Run, 'core' | 'id'>,
  user_uid: string | null,
  text: MailText,
): Promise<void> {
  const recipient = user_uid && (await findRecipient(core.sql, user_uid))
  if (!recipient) return
  const mail = writeMail(text, mailLanguage(core.config, recipient.language))
  await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
}

const toBuyer = (run: Run<unknown>, order: OrderRow, text: (store: Store) => MailText) =>
  mailTo(run, order.buyer_uid, text(storeOf(run.core, `/library/orders/${order.uid}`)))
const toSeller = (run: Run<unknown>, order: OrderRow, text: (store: Store) => MailText) =>
  mailTo(run, order.seller_uid, text(storeOf(run.core, '/settings/payments')))

/** The receipt of the buyer; another job mails the seller, so that each is sent once. */
export const mailReceipt = job<OrderJob & { goes_back?: boolean }>({
  name: 'payments.mail-receipt',
  async handle(run) {
    const { order_uid, goes_back = false } = run.data
    const order = await findOrder(run.core.sql, order_uid)
    if (order) await toBuyer(run, order, (store) => receiptMail({ ...order, goes_back }, store))
  },
})

export const mailSale = job<OrderJob>({
  name: 'payments.mail-sale',
  async handle(run) {
    const order = await findOrder(run.core.sql, run.data.order_uid)
    if (order) await toSeller(run, order, (store) => saleMail(order, store))
  },
})

/** `refunded_minor` is what went back so far, `amount_minor` what goes back now. */
type RefundedJob = OrderJob & { refunded_minor: number; amount_minor?: number }

export const mailRefund = job<RefundedJob>({
  name: 'payments.mail-refund',
  async handle(run) {
    const { order_uid, refunded_minor, amount_minor: sent_minor = refunded_minor } = run.data
    const { sql } = run.core
    const order = await findOrder(sql, order_uid)
    if (!order) return
    const sent = { refunded_minor, sent_minor }
    const refund = (await readRefunds(sql, [order_uid])).findLast(
      (row) => isSent(row) && row.amount_minor === sent_minor,
    )
    const outcome = {
      message: refund ? messageToBuyer(order, refund) : '',
      is_automatic: refund !== undefined && refundOrigin(order, refund) === 'store',
      keeps_copy: await hasCopyStill(sql, order),
    }
    await toBuyer(run, order, (store) => refundMail({ ...order, ...sent }, outcome, store))
  },
})

type RefundByHandJob = OrderJob & { operator_uid: string; amount_minor: number }

/** Tells an operator that money has to be sent back by hand; not if it went back meanwhile. */
export const mailRefundByHand = job<RefundByHandJob>({
  name: 'payments.mail-refund-by-hand',
  async handle(run) {
    const { order_uid, operator_uid, amount_minor: sent_minor } = run.data
    const order = await findOrder(run.core.sql, order_uid)
    const [notes] = await readOrderNotes(run.core.sql, [order_uid])
    if (!order || !notes?.by_hand_minor) return
    const store = storeOf(run.core, `/operator/orders/${order_uid}`)
    await mailTo(run, operator_uid, refundByHandMail({ ...order, sent_minor }, store))
  },
})

export const mailRefundRequest = job<RefundJob>({
  name: 'payments.mail-refund-request',
  async handle(run) {
    const order = await findOrder(run.core.sql, run.data.order_uid)
    const refund = await findRefund(run.core.sql, run.data.refund_uid)
    if (!order || refund?.state !== 'requested') return
    await toSeller(run, order, (store) => refundRequestMail(order, refund, store))
  },
})

export const mailRefundDeclined = job<RefundJob>({
  name: 'payments.mail-refund-declined',
  async handle(run) {
    const order = await findOrder(run.core.sql, run.data.order_uid)
    const refund = await findRefund(run.core.sql, run.data.refund_uid)
    if (!order || !refund) return
    await toBuyer(run, order, (store) => refundDeclinedMail(order, refund, store))
  },
})

export const mailDispute = job<OrderJob>({
  name: 'payments.mail-dispute',
  async handle(run) {
    const order = await findOrder(run.core.sql, run.data.order_uid)
    if (order) await toSeller(run, order, (store) => disputeMail(order, store))
  },
})
