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
}
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
    case 'look':
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
  const { a, core, sql, forSale, order, copyOf, provider } = app
  const { control } = provider
  const listing = await forSale(PRICE)
  control.webhooks({ mode: 'lost' })
  const history = fc.array(fc.constantFrom(...steps), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(history, async (chosen) => {
      const buyer = await a.verified()
      const { order: made, session } = await order(buyer, listing)
      const model: Model = { status: 'open', refunded: 0, dispute: 'none' }
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
        look: () => Promise.all([syncOrder(core, made.uid), syncOrder(core, made.uid)]),
      }
      for (const step of [...chosen, 'look' as const]) {
        if (!isPossible(model, step)) continue
        await run[step]()
        if (step !== 'look') continue
        const [row] = await sql`
          select state, refunded_minor, problem from orders where uid = ${made.uid}`
        const expected = expectedState(model)
        assert.deepEqual(
          { ...row },
          { state: expected, refunded_minor: model.refunded, problem: '' },
        )
        assert.equal((await copyOf(buyer, listing)) !== undefined, expected === 'paid')
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
