import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currencyCodes, decimalAmount } from '../../../src/listings/prices/currencies.ts'
import { listingSale, type OfferFacts, offersOf } from '../../../src/listings/prices/offers.ts'
import {
  lowestPrice,
  type PastPrice,
  type PastSale,
  percentOff,
  type Reduction,
  saleLimits,
  salePrice,
} from '../../../src/listings/prices/sale-rules.ts'
import {
  applyCoupon,
  couponProblem,
  normalizeCode,
} from '../../../src/payments/coupons/coupon-rules.ts'
import { fc } from '../../support/property.ts'

const DAY = 86_400_000
const price = fc.integer({ min: 1, max: 100_000 })
const reduction: fc.Arbitrary<Reduction> = fc.oneof(
  fc.integer({ min: 1, max: 95 }).map((percent) => ({ percent, amount_cents: null })),
  fc.integer({ min: 1, max: 200_000 }).map((amount_cents) => ({ percent: null, amount_cents })),
)

test('a sale never costs more than the list price, nor less than the greatest reduction', () => {
  fc.assert(
    fc.property(price, price, reduction, (list_minor, list_cents, off) => {
      const sold = salePrice({ list_minor, list_cents }, off)
      assert.ok(Number.isInteger(sold))
      assert.ok(sold >= 1 && sold <= list_minor)
      assert.ok(sold >= Math.floor((list_minor * (100 - saleLimits.percent)) / 100) - 1)
      const percent = percentOff(list_minor, sold)
      assert.ok(percent >= 0 && percent <= 100)
    }),
  )
})

test('percent is exact to the smallest unit, rounded down, for every price', () => {
  for (let list = 0; list <= 100_000; list++)
    for (const percent of [1, 10, 33, 50, 75, 95]) {
      const sold = salePrice(
        { list_minor: list, list_cents: list },
        { percent, amount_cents: null },
      )
      const exact = Number((BigInt(list) * BigInt(100 - percent)) / 100n)
      assert.equal(sold, list === 0 ? 0 : Math.max(1, exact))
    }
})

test('an amount takes the same share off in every currency', () => {
  const off = { percent: null, amount_cents: 500 }
  assert.equal(salePrice({ list_minor: 2000, list_cents: 2000 }, off), 1500)
  assert.equal(salePrice({ list_minor: 1800, list_cents: 2000 }, off), 1350)
  assert.equal(salePrice({ list_minor: 2999, list_cents: 2000 }, off), 2249)
  // At most 95 percent: a price that was lowered later does not become free.
  assert.equal(salePrice({ list_minor: 400, list_cents: 400 }, off), 20)
})

test('a coupon takes off what it says, and an offer never costs less than nothing', () => {
  const coupon = fc.oneof(
    fc.integer({ min: 1, max: 100 }).map((percent) => ({ percent, amount_cents: null })),
    fc.integer({ min: 1, max: 200_000 }).map((amount_cents) => ({ percent: null, amount_cents })),
  )
  fc.assert(
    fc.property(price, price, coupon, (list_minor, list_cents, off) => {
      const sold = applyCoupon({ price_minor: list_minor, list_minor, list_cents }, off)
      assert.ok(Number.isInteger(sold) && sold >= 0 && sold < list_minor)
    }),
  )
  const dollars = { price_minor: 1500, list_minor: 2000, list_cents: 2000 }
  assert.equal(applyCoupon(dollars, { percent: 10, amount_cents: null }), 1350)
  assert.equal(applyCoupon(dollars, { percent: null, amount_cents: 501 }), 999)
  assert.equal(applyCoupon(dollars, { percent: 100, amount_cents: null }), 0)
  assert.equal(applyCoupon(dollars, { percent: null, amount_cents: 1501 }), 0)
})

test('the limits of a coupon hold at both sides', () => {
  const coupon = {
    max_uses: 5,
    max_per_person: 2,
    starts_at: new Date(1000),
    ends_at: new Date(2000),
    uses: 4,
    own_uses: 1,
  }
  assert.equal(couponProblem(coupon, new Date(999)), 'not_started')
  assert.equal(couponProblem(coupon, new Date(1000)), null)
  assert.equal(couponProblem(coupon, new Date(1999)), null)
  assert.equal(couponProblem(coupon, new Date(2000)), 'ended')
  assert.equal(couponProblem({ ...coupon, uses: 5 }, new Date(1500)), 'used_up')
  assert.equal(couponProblem({ ...coupon, own_uses: 2 }, new Date(1500)), 'used_by_you')
  const endless = { ...coupon, max_uses: null, ends_at: null, uses: 1e6 }
  assert.equal(couponProblem(endless, new Date(1e15)), null)
  assert.equal(normalizeCode(' fall-25 '), 'FALL-25')
  for (const bad of ['', 'abc', '-abcd', 'a b c d', 'x'.repeat(33)])
    assert.equal(normalizeCode(bad), null)
  assert.equal(normalizeCode('x'.repeat(32))?.length, 32)
})

/** What buyers paid at a moment, by the definition. */
function paidAt(at: number, prices: PastPrice[], sales: PastSale[]): number | null {
  const list = prices.filter((entry) => entry.at <= at).at(-1)?.price_minor
  if (!list) return null
  const running = sales.filter((sale) => sale.starts_at <= at && at < sale.ends_at)
  const sold = running.map((sale) => salePrice({ list_minor: list, list_cents: list }, sale))
  return Math.min(list, ...sold)
}

test('the lowest price is that of every hour of the 30 days before', () => {
  const HOUR = 3_600_000
  const hour = fc.integer({ min: 0, max: 60 * 24 })
  const prices = fc
    .array(fc.record({ price_minor: fc.integer({ min: 0, max: 5000 }), at: hour }), {
      maxLength: 6,
    })
    .map((list) => list.toSorted((a, b) => a.at - b.at))
  const sales = fc.array(
    fc.tuple(reduction, hour, fc.integer({ min: 1, max: 300 })).map(([off, starts_at, hours]) => ({
      ...off,
      starts_at,
      ends_at: starts_at + hours,
    })),
    { maxLength: 5 },
  )
  const inMs = <T extends object>(entry: T) =>
    Object.fromEntries(
      Object.entries(entry).map(([name, value]) => [
        name,
        ['at', 'starts_at', 'ends_at'].includes(name) ? Number(value) * HOUR : value,
      ]),
    ) as T
  fc.assert(
    fc.property(prices, sales, (price_list, sale_list) => {
      const before = 60 * 24 * HOUR
      const history = price_list.map(inMs)
      const past = sale_list.map((sale) => inMs(sale) as PastSale)
      const hours = Array.from({ length: 30 * 24 }, (_, i) => before - (i + 1) * HOUR)
      const paid = hours.map((at) => paidAt(at, history, past)).filter((value) => value !== null)
      const expected = paid.length ? Math.min(...paid) : null
      assert.equal(
        lowestPrice(before, { prices: history, dollar_prices: history, sales: past }),
        expected,
      )
    }),
  )
})

const at = (days: number) => new Date(days * DAY).toISOString()
const facts: OfferFacts = {
  at: at(100),
  editions: [{ edition_uid: null, price_cents: 2000 }],
  prices: [
    { edition_uid: null, currency: 'JPY', amount_minor: 2800 },
    { edition_uid: null, currency: 'EUR', amount_minor: 1899 },
  ],
  chosen: [],
  sales: [],
  history: [
    { edition_uid: null, currency: 'USD', price_minor: 1500, at: at(10) },
    { edition_uid: null, currency: 'USD', price_minor: 2000, at: at(80) },
    { edition_uid: null, currency: 'EUR', price_minor: 1899, at: at(80) },
  ],
}
const sale = {
  uid: 's',
  edition_uid: null,
  percent: 25,
  amount_cents: null,
  starts_at: at(99),
  ends_at: at(101),
  event: 'Autumn',
}

test('offers have their sale, in every currency, with the lowest price before it', () => {
  const offers = offersOf({ ...facts, sales: [sale] })
  assert.deepEqual(
    offers.map(({ currency, list_minor, price_minor, sale }) => [
      currency,
      list_minor,
      price_minor,
      sale?.percent,
      sale?.lowest_minor,
    ]),
    [
      ['USD', 2000, 1500, 25, 1500],
      ['EUR', 1899, 1424, 25, 1899],
      ['JPY', 2800, 2100, 25, null],
    ],
  )
  // It costs the list price before the start and from the end on.
  for (const days of [98.9, 101])
    assert.equal(listingSale({ ...facts, at: at(days), sales: [sale] }), null)
  assert.equal(listingSale({ ...facts, at: at(99), sales: [sale] })?.price_cents, 1500)
  // Of several sales the lowest price counts; an earlier sale counts for the lowest price before.
  const earlier = { ...sale, uid: 'e', percent: 60, starts_at: at(75), ends_at: at(76) }
  const deeper = { ...sale, uid: 'd', percent: 50 }
  const best = listingSale({ ...facts, sales: [earlier, sale, deeper] })
  assert.deepEqual([best?.uid, best?.price_cents, best?.lowest_price_cents], ['d', 1000, 600])
})

test('a sale of one edition is shown only if it makes the lowest price', () => {
  const editions = [
    { edition_uid: 'a', price_cents: 1000 },
    { edition_uid: 'b', price_cents: 3000 },
  ]
  const of_b = (percent: number) =>
    listingSale({ ...facts, editions, sales: [{ ...sale, edition_uid: 'b', percent }] })
  assert.equal(of_b(10), null)
  assert.equal(of_b(90)?.price_cents, 300)
  // What is free has no other prices and no sale.
  const free = { ...facts, editions: [{ edition_uid: null, price_cents: 0 }], sales: [sale] }
  assert.deepEqual(
    offersOf(free).map(({ currency, price_minor, sale }) => [currency, price_minor, sale]),
    [['USD', 0, null]],
  )
})

test('amounts have the digits of their currency', () => {
  assert.equal(decimalAmount(1234, 'USD'), '12.34')
  assert.equal(decimalAmount(1200, 'EUR'), '12.00')
  assert.equal(decimalAmount(1234, 'JPY'), '1234')
  assert.equal(decimalAmount(1234, 'KWD'), '1.234', 'a provider may hold other currencies')
  for (const currency of currencyCodes) {
    const { maximumFractionDigits } = new Intl.NumberFormat('en', {
      style: 'currency',
      currency,
    }).resolvedOptions()
    assert.equal(decimalAmount(1, currency).split('.')[1]?.length ?? 0, maximumFractionDigits)
  }
})
