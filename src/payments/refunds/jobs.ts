import { findRecipient } from '../../accounts/publishing/queries.ts'
import { transact } from '../../core/database/transaction.ts'
import { job, type Run } from '../../core/jobs/index.ts'
import type { Core } from '../../core/runtime/core.ts'
import { type MailText, mailLanguage, writeMail } from '../../core/text/mail-text.ts'
import { syncOrder } from '../orders/apply.ts'
import { findOrder, lockOrder, type OrderRow } from '../orders/queries.ts'
import { providers } from '../provider/open-providers.ts'
import { RefundRefused } from '../provider/provider.ts'
import { notifyOfFailure, type OperatorMatter } from './failed.ts'
import {
  buyerFailedMail,
  operatorFailedMail,
  operatorRequestMail,
  refundFailedMail,
} from './mail-templates.ts'
import { endRefund, findRefund } from './queries.ts'

/** Sends money back. The provider does it once, however often this job runs. */
export const sendRefund = job<{ refund_uid: string }>({
  name: 'payments.refund',
  retries: 40,
  async handle({ core, data: { refund_uid } }) {
    const refund = await findRefund(core.sql, refund_uid)
    const order = refund && (await findOrder(core.sql, refund.order_uid))
    if (!order) return
    try {
      if (refund.state === 'sending') {
        const { ref } = await providers[order.provider].refund(core, order, refund)
        await endRefund(core.sql, refund_uid, { state: 'done', provider_ref: ref, answer: '' })
      }
    } catch (error) {
      if (!(error instanceof RefundRefused)) throw error
      await endRefused(core, order.uid, { refund_uid, reason: error.message })
      return
    }
    await syncOrder(core, order.uid)
  },
})

/** Nobody is notified if the provider refused because the order was refunded or disputed there. */
async function endRefused(
  core: Core,
  order_uid: string,
  { refund_uid, reason }: { refund_uid: string; reason: string },
): Promise<void> {
  await syncOrder(core, order_uid).catch((error) =>
    core.log.warn({ err: error, order: order_uid }, 'An order could not be checked'),
  )
  await transact(core.sql, async (tx) => {
    const order = await lockOrder(tx, order_uid)
    const end = { state: 'failed', provider_ref: null, answer: reason.slice(0, 500) } as const
    if ((await endRefund(tx, refund_uid, end)) && order?.state === 'paid')
      await notifyOfFailure(core, tx, order, { refund_uid, reason })
  })
}

type FailureJob = { order_uid: string; user_uid: string; reason: string }
type Template = typeof refundFailedMail

/** Sends a mail about the order of a job to the person of the job, if they still have an account. */
async function mailPerson(
  { core, id, data }: Run<FailureJob>,
  order: OrderRow,
  { template, path }: { template: Template; path: string },
): Promise<void> {
  const recipient = await findRecipient(core.sql, data.user_uid)
  if (!recipient) return
  const store = core.settings.current.store_name
  const url = `${core.addresses.web_url}${path}`
  const text: MailText = template(order, { store, url, reason: data.reason })
  const mail = writeMail(text, mailLanguage(core.config, recipient.language))
  await core.mail.send({ ...mail, id, to: recipient.email, created_at: new Date() })
}

/** Tells whoever asked for a refund that it failed; each person by a job of their own. */
export const mailRefundFailed = job<FailureJob>({
  name: 'payments.mail-refund-failed',
  async handle(run) {
    const { order_uid, user_uid } = run.data
    const order = await findOrder(run.core.sql, order_uid)
    if (!order) return
    const is_buyer = user_uid === order.buyer_uid
    const path = is_buyer ? `/library/orders/${order_uid}` : '/settings/payments'
    const template = is_buyer ? buyerFailedMail : refundFailedMail
    await mailPerson(run, order, { template, path })
  },
})

const operatorMails = { failed: operatorFailedMail, request: operatorRequestMail }

/** Tells an operator about a refund that needs them. */
export const mailRefundOperator = job<FailureJob & { about: OperatorMatter }>({
  name: 'payments.mail-refund-operator',
  async handle(run) {
    const order = await findOrder(run.core.sql, run.data.order_uid)
    const template = operatorMails[run.data.about]
    if (order) await mailPerson(run, order, { template, path: '/operator/orders' })
  },
})
