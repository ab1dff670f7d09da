import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyLedger } from '../../src/payments/ledger/verify.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must, refused } from '../support/builders.ts'
import { ORDERS, SALES, startPaymentApp } from './fixtures.ts'

const OPERATIONS = '/api/v1/private/operations/orders'

test('a transfer is confirmed by an operator with its reference', async (t) => {
  const env = { PAYMENT_INSTRUCTIONS: 'IBAN XX00 0000' }
  const { a, sql, post, get, core } = await startApp(t, env)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  await sql`update listings set price_cents = 900 where uid = ${listing.uid}`
  await makePublic(sql, listing.uid)
  const buyer = await a.verified()
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const { order } = must(await post(ORDERS, { game: listing.uid }, buyer))
  assert.deepEqual([order.provider, order.state], ['manual', 'open'])
  const settle = (person = operator, body: object = { reference: 'TX 1' }) =>
    post(`${OPERATIONS}/${order.uid}/settle`, body, { token: person.token })
  assert.equal((await settle(buyer)).status, 403)
  assert.equal(must(await get(OPERATIONS, operator)).items[0].uid, order.uid)
  assert.equal(must(await settle()).state, 'paid')
  assert.deepEqual(refused(await settle()), [409, 4090])
  const [copy] = await sql`select source from licences where user_uid = ${buyer.uid}`
  assert.equal(copy!.source, 'purchase')
  must(await post(`${SALES}/${order.uid}/refund`, {}, listing.owner))
  await eventually('the refund', async () => {
    const { state } = must(await get(`${ORDERS}/${order.uid}`, buyer))
    return state === 'refunded'
  })
  const { signal } = new AbortController()
  const { problems, checked } = await verifyLedger(core, { since: new Date(0), signal })
  assert.deepEqual([problems, checked], [[], 1])
})

test('without settings, prices show and buying is not open yet', async (t) => {
  const { a, sql, post, get } = await startApp(t)
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  await sql`update listings set price_cents = 900 where uid = ${listing.uid}`
  await makePublic(sql, listing.uid)
  const buyer = await a.verified()
  assert.deepEqual(refused(await post(ORDERS, { game: listing.uid }, buyer)), [409, 4232])
  const page = await get(`/${listing.owner.username}/${listing.vanity_name}`)
  assert.match(page.body, /\$9\.00/)
  assert.match(page.body, /Not for sale here yet/)
})

test('the ledger is append-only, and every transaction adds up to zero', async (t) => {
  const { bought, sql, core } = await startPaymentApp(t)
  const { order } = await bought()
  const isRefused = (change: Promise<unknown>) =>
    assert.rejects(change, /append-only|add up to zero/)
  await isRefused(sql`update ledger_entries set amount_minor = 1`)
  await isRefused(sql`delete from ledger_entries`)
  await isRefused(sql`delete from ledger_transactions`)
  await isRefused(sql`truncate ledger_transactions cascade`)
  await isRefused(sql`
    insert into ledger_entries (transaction_uid, position, account, amount_minor)
    select uid, 9, 'store', 1 from ledger_transactions`)
  const { signal } = new AbortController()
  const check = () => verifyLedger(core, { since: new Date(0), signal })
  assert.deepEqual(await check(), { problems: [], checked: 1 })
  await sql`update orders set refunded_minor = 5 where uid = ${order.uid}`
  const { problems } = await check()
  assert.deepEqual(
    problems.map(({ order_uid }) => order_uid),
    [order.uid],
  )
})

test('the ledger is compared with the record of the provider', async (t) => {
  const { bought, core, provider } = await startPaymentApp(t)
  const { order, session } = await bought()
  provider.control.webhooks({ mode: 'lost' })
  provider.control.refund({ session, amount: 100 })
  const { signal } = new AbortController()
  const { problems } = await verifyLedger(core, { since: new Date(0), signal })
  assert.deepEqual(problems, [
    { order_uid: order.uid, problem: 'refunded: 100 USD at the provider, 0 in the ledger' },
  ])
})
