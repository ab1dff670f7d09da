import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  disputeEntries,
  type Entry,
  paymentEntries,
  refundEntries,
  wonDisputeEntries,
} from '../../src/payments/ledger/entries.ts'
import { feeOf, includedTax, refundedFee } from '../../src/payments/ledger/fees.ts'
import { canBecome, orderStates, stateOf } from '../../src/payments/orders/states.ts'
import { refundWay } from '../../src/payments/refunds/refund-window.ts'
import { fc } from '../support/property.ts'

const sum = (entries: Entry[]) =>
  entries.reduce((total, { amount_minor }) => total + amount_minor, 0)
/** How many digits the minor unit has, written down independently of the code. */
const currencies = { USD: 2, EUR: 2, GBP: 2, JPY: 0, KWD: 3 }
const rules = { fixed_cents: 25, percent: 8 }

/** The same by exact arithmetic: twice the value plus one, halved, rounds half up. */
function expectedFee(amount: bigint, digits: number): bigint {
  const fixed = (2n * 25n * 10n ** BigInt(digits) + 100n) / 200n
  const share = (2n * amount * 8n + 100n) / 200n
  const fee = fixed + share
  return fee > amount ? amount : fee
}

test('the fee of every amount in five currencies is exact, and never more than the price', () => {
  for (const [currency, digits] of Object.entries(currencies))
    for (let amount = 1; amount <= 100_000; amount++) {
      const fee = feeOf(amount, currency, rules)
      if (BigInt(fee) !== expectedFee(BigInt(amount), digits) || fee > amount || fee < 0)
        assert.fail(`${amount} ${currency}: ${fee}`)
    }
})

test('known fees: half a unit rounds up, the fixed part follows the currency', () => {
  assert.equal(feeOf(1000, 'USD', rules), 105)
  assert.equal(feeOf(1006, 'USD', rules), 25 + 80)
  assert.equal(feeOf(1007, 'USD', rules), 25 + 81)
  assert.equal(feeOf(1000, 'JPY', rules), 0 + 80)
  assert.equal(feeOf(1000, 'KWD', rules), 250 + 80)
  assert.equal(feeOf(10, 'USD', rules), 10)
  assert.equal(feeOf(0, 'USD', rules), 0)
})

test('the transactions of any history of an order add up to zero', () => {
  const history = fc.record({
    amount_minor: fc.integer({ min: 1, max: 1_000_000 }),
    percent: fc.integer({ min: 0, max: 100 }),
    processing_minor: fc.integer({ min: 0, max: 5000 }),
    parts: fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 8 }),
  })
  fc.assert(
    fc.property(history, ({ amount_minor, percent, processing_minor, parts }) => {
      const fee_minor = feeOf(amount_minor, 'USD', { fixed_cents: 25, percent })
      const order = { amount_minor, fee_minor }
      assert.equal(sum(paymentEntries({ ...order, processing_minor })), 0)
      let refunded = 0
      let fee_back = 0
      for (const part of [...parts, amount_minor]) {
        const amount = Math.min(part, amount_minor - refunded)
        if (amount === 0) break
        const entries = refundEntries(order, refunded, amount)
        assert.equal(sum(entries), 0)
        fee_back -= entries.find(({ account }) => account === 'store')?.amount_minor ?? 0
        refunded += amount
      }
      // Partial refunds give back the whole fee in the end, whatever their sizes.
      if (refunded === amount_minor) assert.equal(fee_back, fee_minor)
      assert.equal(sum(disputeEntries(amount_minor, processing_minor)), 0)
      assert.equal(sum(wonDisputeEntries(amount_minor)), 0)
    }),
  )
})

test('the included tax and the net price add up to the price', () => {
  assert.equal(includedTax(11_900, 1900), 1900)
  assert.equal(includedTax(1000, 0), 0)
  assert.equal(includedTax(1000, 10_000), 500)
  assert.equal(refundedFee({ amount_minor: 0, fee_minor: 0 }, 0), 0)
})

test('an order has the state that the facts say, and only allowed changes lead to it', () => {
  const amounts = { amount_minor: 100, refunded_minor: 0 }
  const facts = { is_paid: true, is_disputed: false, is_expired: false }
  assert.equal(stateOf(amounts, { ...facts, is_paid: false }), 'open')
  assert.equal(stateOf(amounts, { ...facts, is_paid: false, is_expired: true }), 'expired')
  assert.equal(stateOf(amounts, facts), 'paid')
  assert.equal(stateOf({ ...amounts, refunded_minor: 99 }, facts), 'paid')
  assert.equal(stateOf({ ...amounts, refunded_minor: 100 }, facts), 'refunded')
  assert.equal(stateOf(amounts, { ...facts, is_disputed: true }), 'disputed')
  const allowed = orderStates.flatMap((from) =>
    orderStates.filter((to) => canBecome(from, to)).map((to) => `${from} ${to}`),
  )
  assert.deepEqual(allowed.sort(), [
    'disputed paid',
    'disputed refunded',
    'expired paid',
    'open expired',
    'open paid',
    'paid disputed',
    'paid refunded',
    'refunded disputed',
    'refunded paid',
  ])
})

test('a return at once ends with the window and with the play time', () => {
  const paid_at = new Date('2027-01-01T00:00:00Z')
  const order = { state: 'paid', paid_at, amount_minor: 100, refunded_minor: 0 } as const
  const limits = { refund_window_hours: 24, refund_play_minutes: 120 }
  const at = (hours: number) => new Date(paid_at.getTime() + hours * 3_600_000)
  const way = (hours: number, play_seconds = 0, is_pending = false) =>
    refundWay(order, { play_seconds, is_pending }, limits, at(hours))
  assert.equal(way(24), 'now')
  assert.equal(way(24.001), 'request')
  assert.equal(way(1, 7200), 'now')
  assert.equal(way(1, 7201), 'request')
  assert.equal(way(1, 0, true), 'no')
  const facts = { play_seconds: 0, is_pending: false }
  assert.equal(refundWay({ ...order, refunded_minor: 100 }, facts, limits, at(1)), 'no')
  assert.equal(refundWay({ ...order, state: 'disputed' }, facts, limits, at(1)), 'no')
})
