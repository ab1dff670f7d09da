import assert from 'node:assert/strict'
import { test } from 'node:test'
import { syncOrder } from '../../src/payments/orders/apply.ts'
import { type Listing, must, newAddress, type Person } from '../support/builders.ts'
import { loopCount } from '../support/loop-count.ts'
import { type PaymentApp, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const GAMES = '/api/v1/private/games'

const makeKeys = async ({ post }: PaymentApp, { uid, owner }: Listing, size: number) =>
  must(await post(`${GAMES}/${uid}/key-batches`, { label: 'Press', size }, owner)).keys as string[]

const redeem = ({ post }: PaymentApp, key: string, { token }: Person) =>
  post('/api/v1/private/redeem', { key }, { token, headers: newAddress() })

test('a payment for what a key gave meanwhile goes back by itself', async (t) => {
  const app = await startApp(t)
  const { a, forSale, order, reaches, copyOf, entriesOf, ledgerSum, provider } = app
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  must(await redeem(app, (await makeKeys(app, listing, 1))[0]!, buyer))
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'refunded')
  // The copy is that of the key, and stays.
  assert.equal((await copyOf(buyer, listing))?.source, 'key')
  const own = (await entriesOf(made.uid)).filter(({ account }) => account === 'buyer')
  assert.deepEqual(
    own.map(({ amount_minor }) => amount_minor),
    [-1000, 1000],
  )
  assert.equal(await ledgerSum(), 0)
})

test('a payment for what a gift gave meanwhile goes back by itself', async (t) => {
  const { a, forSale, order, bought, reaches, copyOf, provider, get, post } = await startApp(t)
  const listing = await forSale()
  const buyer = await a.verified()
  const { order: made, session } = await order(buyer, listing)
  const gift = await bought(listing, { gift_to: buyer.username })
  const [waiting] = must(await get('/api/v1/private/gifts', buyer)).items
  must(await post(`/api/v1/private/gifts/${waiting.uid}/accept`, undefined, buyer))
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'refunded')
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  // Only the gift gave the copy, so only its refund takes it.
  provider.control.refund({ session: gift.session })
  await reaches(gift.buyer, gift.order.uid, 'refunded')
  assert.equal(await copyOf(buyer, listing), undefined)
})

test('a copy that was removed from the library can be bought again', async (t) => {
  const { bought, order, del, reaches, copyOf, provider } = await startApp(t)
  const { buyer, listing } = await bought()
  must(await del(`${GAMES}/${listing.uid}/library`, buyer))
  const { order: made, session } = await order(buyer, listing)
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'paid')
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
})

const ROUNDS = loopCount({ short: 8, full: 300 })

test('a key and a payment at the same moment are never both used for one copy', async (t) => {
  const app = await startApp(t)
  const { a, forSale, order, copyOf, core, sql, provider, ledgerSum } = app
  const listing = await forSale()
  const keys = await makeKeys(app, listing, ROUNDS)
  provider.control.webhooks({ mode: 'lost' })
  for (const key of keys) {
    const buyer = await a.verified()
    const { order: made, session } = await order(buyer, listing)
    provider.control.pay({ session })
    const [redeemed] = await Promise.all([redeem(app, key, buyer), syncOrder(core, made.uid)])
    const [refund] = await sql<{ count: number }[]>`
      select count(*)::int as count
      from order_refunds
      where order_uid = ${made.uid} and reason = 'automatic'`
    // Either the key was used and the money goes back, or the key is still valid.
    assert.equal(redeemed.status === 200, refund!.count === 1)
    assert.equal(
      (await copyOf(buyer, listing))?.source,
      redeemed.status === 200 ? 'key' : 'purchase',
    )
  }
  assert.equal(await ledgerSum(), 0)
})
