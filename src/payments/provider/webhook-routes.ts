import { Type } from 'typebox'
import { transact } from '../../core/database/transaction.ts'
import { readRequestBody } from '../../core/http/read-body.ts'
import { anyone, FreeForm, route } from '../../core/http/route.ts'
import { refuse } from '../../core/runtime/errors.ts'
import { KIB } from '../../core/runtime/units.ts'
import { isUuid } from '../../core/security/crypto.ts'
import { overall, perIp } from '../../core/security/limits.ts'
import { findAccountByRef } from '../accounts/queries.ts'
import { findOrder, findOrderByPayment, recordEvent } from '../orders/queries.ts'
import { readEvent } from './stripe/webhook.ts'

const MAX_BODY = 512 * KIB

/**
 * Messages of the payment provider. A message only says where to look: a job reads the provider's
 * own record, so that order, repetition and age of messages do not matter.
 */
export const paymentWebhook = route({
  method: 'POST',
  url: '/api/v1/payments/webhook',
  summary: 'Receive a signed message of the payment provider',
  // Only the provider calls it, by its own documentation.
  hidden: true,
  auth: anyone,
  limits: [perIp(600), overall(6000)],
  raw_body: true,
  described: { body: { 'application/json': FreeForm('An event of the provider') } },
  data: Type.Object({ received: Type.Boolean() }),
  errors: ['INVALID_SIGNATURE', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
  async handle({ core, sql, request }) {
    const body = await readRequestBody(request.raw, MAX_BODY)
    const signature = request.headers['stripe-signature']
    const event = await readEvent(core, body, signature as string | undefined)
    if (!event) refuse('INVALID_SIGNATURE')
    await transact(sql, async (tx) => {
      if (!(await recordEvent(tx, event))) return
      const { subject, account_ref } = event
      if (subject?.kind === 'account' && account_ref) {
        const account = await findAccountByRef(tx, account_ref)
        if (account)
          await core.jobs.send(tx, 'payments.check-account', { user_uid: account.user_uid })
        return
      }
      const order =
        subject?.kind === 'order' && isUuid(subject.order_uid)
          ? await findOrder(tx, subject.order_uid)
          : subject?.kind === 'payment'
            ? await findOrderByPayment(tx, subject.payment_ref)
            : undefined
      if (order) await core.jobs.send(tx, 'payments.sync', { order_uid: order.uid })
    })
    return { received: true }
  },
})
