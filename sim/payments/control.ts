import { randomInt } from 'node:crypto'
import { completeSession, endSession } from './api.ts'
import { deliver, deliverLate, emit, send, signature } from './webhooks.ts'
import {
  addTransaction,
  closeDispute,
  disputeCharge,
  type Fault,
  failRefund,
  type Json,
  newId,
  refundCharge,
  seconds,
  type WebhookMode,
  type World,
} from './world.ts'

/** What a test, or POST /sim/<verb>, can make happen. */
export type Verbs = ReturnType<typeof verbs>

const requirements = {
  complete: { currently_due: [], disabled_reason: null, errors: [] },
  incomplete: {
    currently_due: ['individual.verification.document'],
    disabled_reason: 'requirements.past_due',
    errors: [],
  },
}

const payoutOf = (source: string) => ({ source, type: 'payout', fee_details: [] })

export function verbs(world: World) {
  const sessionOf = (id: string) => {
    const session = world.sessions.get(id)
    if (!session) throw new Error(`There is no session ${id}`)
    return session
  }
  const chargeOf = (session_id: string) =>
    world.charges.get(world.intents.get(sessionOf(session_id).payment_intent)!.latest_charge)!
  return {
    /** Where webhooks go. */
    webhook: ({ url }: { url: string }) => {
      world.webhook_url = url
      return { url }
    },
    /** Finishes the set-up of an account, or leaves something out. */
    setUp({ account, complete = true }: { account: string; complete?: boolean }) {
      const object = world.accounts.get(account)
      if (!object) throw new Error(`There is no account ${account}`)
      Object.assign(object, {
        charges_enabled: complete,
        payouts_enabled: complete,
        details_submitted: true,
        requirements: complete ? requirements.complete : requirements.incomplete,
      })
      emit(world, 'account.updated', { ...object, account })
      return object
    },
    /** The owner of an account disconnects it from the store; what was paid into it stays. */
    deauthorize({ account }: { account: string }) {
      if (!world.accounts.delete(account)) throw new Error(`There is no account ${account}`)
      const application = { id: 'ca_simulator', object: 'application', name: 'Slipway' }
      return emit(world, 'account.application.deauthorized', { ...application, account })
    },
    pay: ({ session, country = null }: { session: string; country?: string | null }) =>
      completeSession(world, sessionOf(session), country),
    expire: ({ session }: { session: string }) => endSession(world, sessionOf(session)),
    /** A refund that somebody made at the provider itself. */
    refund({ session, amount }: { session: string; amount?: number }) {
      const charge = chargeOf(session)
      const options = { with_fee: true, ...(amount !== undefined && { amount }) }
      const refund = refundCharge(world, charge, options)
      emit(world, 'charge.refunded', charge)
      return refund
    },
    /** Refunds are accepted and stay pending from now on, or arrive at once. */
    refunds({ status }: { status: 'succeeded' | 'pending' }) {
      world.refund_status = status
      return { status }
    },
    /** A refund that was accepted fails, by default because the card of the buyer is closed. */
    failRefund({ refund: id, reason = 'expired_or_canceled_card' }: Json) {
      const refund = world.refunds.get(id)
      if (!refund) throw new Error(`There is no refund ${id}`)
      const failed = failRefund(world, refund, reason)
      emit(world, 'refund.failed', failed)
      return failed
    },
    dispute({ session }: { session: string }) {
      const dispute = disputeCharge(world, chargeOf(session))
      emit(world, 'charge.dispute.created', dispute)
      return dispute
    },
    closeDispute({ dispute, status }: { dispute: string; status: 'won' | 'lost' }) {
      const closed = closeDispute(world, world.disputes.get(dispute)!, status)
      emit(world, 'charge.dispute.closed', closed)
      return closed
    },
    payout({ account, amount, currency = 'usd' }: Json) {
      const id = newId('po')
      const arrival_date = seconds() + 86_400
      const failure_message = null
      const payout = { id, object: 'payout', account, amount, currency, arrival_date }
      const state = { created: seconds(), status: 'in_transit', failure_message }
      world.payouts.set(id, { ...payout, ...state })
      addTransaction(world, {
        account,
        amount: -amount,
        currency,
        fee: 0,
        net: -amount,
        ...payoutOf(id),
      })
      return payout
    },
    /** A payout arrived, or failed and comes back to the balance. */
    endPayout({ payout: id, status }: { payout: string; status: 'paid' | 'failed' | 'canceled' }) {
      const payout = world.payouts.get(id)
      if (!payout) throw new Error(`There is no payout ${id}`)
      const failure_message = status === 'failed' ? 'The bank account has been closed.' : null
      Object.assign(payout, { status, failure_message })
      const { account, amount, currency } = payout
      if (status !== 'paid')
        addTransaction(world, { account, amount, currency, fee: 0, net: amount, ...payoutOf(id) })
      return payout
    },
    /** What buyers paid becomes available, as it does after some days. */
    releaseFunds({ account }: { account: string }) {
      for (const transaction of world.balance_transactions.values())
        if (transaction.account === account) transaction.status = 'available'
    },
    /** What happens to webhooks from now on: always the same, or by shares in percent. */
    webhooks({ mode, shares }: { mode?: WebhookMode; shares?: Record<string, number> }) {
      world.webhook_plan = () => {
        if (mode) return mode
        let dice = randomInt(100)
        for (const [name, share] of Object.entries(shares ?? {})) {
          dice -= share
          if (dice < 0) return name as WebhookMode
        }
        return 'deliver'
      }
      return { mode, shares }
    },
    deliverLate: () => deliverLate(world),
    /** Sends an event again, as the provider does while it gets no answer. */
    replay({ event }: { event: string }) {
      const recorded = world.events.find(({ id }) => id === event)
      if (!recorded) throw new Error(`There is no event ${event}`)
      return deliver(world, recorded)
    },
    /** A webhook that the provider did not send. `at` and `secret` say how it is signed. */
    forge({ body, secret, at, header }: Json) {
      const signed = header ?? (secret ? signature(secret, body, at) : undefined)
      return send(world, 'forged', body, signed)
    },
    fault(fault: Fault) {
      world.faults.push({ ...fault })
      return fault
    },
    clearFaults() {
      world.faults.length = 0
      world.webhook_plan = () => 'deliver'
    },
    /** Waits until every webhook that was sent has been answered. */
    async settled() {
      while (world.deliveries.size) await Promise.allSettled([...world.deliveries])
    },
  }
}
