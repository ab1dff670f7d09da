import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syncOrder } from '../../src/payments/orders/apply.ts'
import type { OrderState } from '../../src/payments/orders/states.ts'
import { loopCount } from '../support/loop-count.ts'
import { fc } from '../support/property.ts'
import { startPaymentApp } from './fixtures.ts'

/** What happened at the provider, and what the store must make of it when it looks. */
type Model = {
  status: 'open' | 'complete' | 'expired'
  refunded: number
  dispute: 'none' | 'open' | 'won' | 'lost'
  /** What the store knew when it looked last: a gift can be decided about while that is paid. */
  seen: OrderState
  gift: 'none' | 'waiting' | 'accepted' | 'declined'
}
const GIFTS = '/api/v1/private/gifts'
const PRICE = 1000

const steps = [
  'pay',
  'expire',
  'refund part',
  'refund rest',
  'dispute',
  'win',
  'lose',
  'look',
  'accept',
  'decline',
] as const
type Step = (typeof steps)[number]

/** Whether the provider allows a step. */
function isPossible({ status, refunded, dispute }: Model, step: Step): boolean {
  switch (step) {
    case 'pay':
    case 'expire':
      return status === 'open'
    case 'refund part':
    case 'refund rest':
      return status === 'complete' && refunded < PRICE && dispute !== 'open' && dispute !== 'lost'
    case 'dispute':
      return status === 'complete' && refunded < PRICE && dispute === 'none'
    case 'win':
    case 'lose':
      return dispute === 'open'
    // The store itself refuses what is not possible.
    case 'look':
    case 'accept':
    case 'decline':
      return true
  }
}

/** The state of an order, written independently of the code. */
function expectedState({ status, refunded, dispute }: Model): OrderState {
  if (status !== 'complete') return status
  if (dispute === 'open' || dispute === 'lost') return 'disputed'
  return refunded === PRICE ? 'refunded' : 'paid'
}

test('any history at the provider leads to the state, copy and ledger that it means', async (t) => {
  const app = await startPaymentApp(t)
  const { a, post, core, sql, forSale, order, copyOf, provider } = app
  const { control } = provider
  const listing = await forSale(PRICE)
  control.webhooks({ mode: 'lost' })
  const history = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(history, fc.boolean(), async (chosen, is_gift) => {
      const buyer = await a.verified()
      const receiver = is_gift ? await a.verified() : buyer
      const fields = is_gift ? { gift_to: receiver.username } : {}
      const { order: made, session } = await order(buyer, listing, fields)
      const [gift] = await sql<{ uid: string }[]>`
        select uid from order_gifts where order_uid = ${made.uid}`
      assert.equal(gift !== undefined, is_gift)
      const model: Model = {
        status: 'open',
        refunded: 0,
        dispute: 'none',
        seen: 'open',
        gift: is_gift ? 'waiting' : 'none',
      }
      const decide = async (step: 'accept' | 'decline') => {
        if (!gift) return
        const is_possible = model.seen === 'paid' && model.gift === 'waiting'
        const { status } = await post(`${GIFTS}/${gift.uid}/${step}`, undefined, receiver)
        assert.equal(status, is_possible ? 200 : 409)
        if (is_possible) model.gift = step === 'accept' ? 'accepted' : 'declined'
      }
      let dispute_id = ''
      const run: Record<Step, () => unknown> = {
        pay: () => {
          control.pay({ session })
          model.status = 'complete'
        },
        expire: () => {
          control.expire({ session })
          model.status = 'expired'
        },
        'refund part': () => {
          const amount = Math.min(300, PRICE - model.refunded)
          control.refund({ session, amount })
          model.refunded += amount
        },
        'refund rest': () => {
          control.refund({ session })
          model.refunded = PRICE
        },
        dispute: () => {
          dispute_id = control.dispute({ session }).id
          model.dispute = 'open'
        },
        win: () => {
          control.closeDispute({ dispute: dispute_id, status: 'won' })
          model.dispute = 'won'
        },
        lose: () => {
          control.closeDispute({ dispute: dispute_id, status: 'lost' })
          model.dispute = 'lost'
        },
        look: async () => {
          await Promise.all([syncOrder(core, made.uid), syncOrder(core, made.uid)])
          model.seen = expectedState(model)
        },
        accept: () => decide('accept'),
        decline: () => decide('decline'),
      }
      for (const step of [...chosen, 'look' as const]) {
        if (!isPossible(model, step)) continue
        await run[step]()
        const has_copy =
          model.seen === 'paid' && (model.gift === 'none' || model.gift === 'accepted')
        assert.equal((await copyOf(receiver, listing)) !== undefined, has_copy)
        if (is_gift) assert.equal(await copyOf(buyer, listing), undefined)
        if (step !== 'look') continue
        const [row] = await sql`
          select state, refunded_minor, problem from orders where uid = ${made.uid}`
        assert.deepEqual(
          { ...row },
          { state: model.seen, refunded_minor: model.refunded, problem: '' },
        )
        const [sum] = await sql`
          select coalesce(sum(e.amount_minor), 0)::int as sum
          from ledger_entries e
          join ledger_transactions t on t.uid = e.transaction_uid
          where t.order_uid = ${made.uid}`
        assert.equal(sum!.sum, 0)
      }
    }),
    { numRuns: loopCount({ short: 30, full: 10_000 }) },
  )
})
