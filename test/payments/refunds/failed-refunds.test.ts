import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verifyLedger } from '../../../src/payments/ledger/verify.ts'
import { syncOrder } from '../../../src/payments/orders/apply.ts'
import { reconcileOrders } from '../../../src/payments/orders/jobs.ts'
import type { OrderProblem } from '../../../src/payments/orders/problems.ts'
import { setProblem } from '../../../src/payments/orders/queries.ts'
import { eventually, outbox, runJob } from '../../support/app.ts'
import { must, PASSWORD, type Person } from '../../support/builders.ts'
import { signedIn } from '../../web/dashboard-fixtures.ts'
import { ORDERS, type PaymentApp, SALES, sharedPaymentApp } from '../fixtures.ts'

const startApp = sharedPaymentApp()

const OPERATIONS = '/api/v1/private/operations/orders'

const readOrder = async ({ get }: PaymentApp, buyer: Person, uid: string) =>
  must(await get(`${ORDERS}/${uid}`, buyer))

const problemOf = async ({ get }: PaymentApp, operator: Person, uid: string) =>
  must(await get(OPERATIONS, operator)).items.find((order: { uid: string }) => order.uid === uid)
    ?.problem as string | undefined

const mailed = ({ data_dir }: PaymentApp, { email }: Person, subject: RegExp) =>
  eventually(`a mail to ${email}`, () =>
    outbox(data_dir).find((mail) => mail.to === email && subject.test(mail.subject)),
  )

const ledgerProblems = async ({ core }: PaymentApp) => {
  const { signal } = new AbortController()
  return (await verifyLedger(core, { since: new Date(0), signal })).problems
}

test('a refund that the provider refuses ends at once, and people are told', async (t) => {
  const app = await startApp(t)
  const { bought, post, operator, provider, copyOf, reaches } = app
  const manager = await operator()
  const earlier_calls = provider.world.calls.length
  const { buyer, listing, order } = await bought()
  provider.control.fault({ on: 'POST /v1/refunds', mode: 'status', status: 400 })
  must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
  await eventually(
    'a failed refund',
    async () => (await readOrder(app, buyer, order.uid)).refunds[0].state === 'failed',
  )
  const { refunds, state } = await readOrder(app, buyer, order.uid)
  assert.deepEqual([state, refunds[0].failure], ['paid', 'not_sent'])
  assert.match(refunds[0].answer, /provider did not send the refund/)
  const listed = must(await app.get(ORDERS, buyer)).items[0].refunds[0]
  assert.deepEqual(listed, refunds[0], 'the list of orders says the same')
  const sold = must(await app.get(SALES, listing.owner)).items[0].refunds[0]
  assert.deepEqual([sold.failure, sold.answer], ['not_sent', 'An unknown error occurred'])
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  const calls = provider.world.calls
    .slice(earlier_calls)
    .filter(({ call }) => call === 'POST /v1/refunds')
  assert.equal(calls.length, 1)
  const to_buyer = await mailed(app, buyer, /refund.*failed/)
  assert.doesNotMatch(to_buyer.text, /An unknown error occurred/)
  assert.match(to_buyer.text, /did not send the money/)
  const mail = await mailed(app, manager, /refund.*failed/)
  assert.match(mail.text, /An unknown error occurred/)
  assert.match((await problemOf(app, manager, order.uid)) ?? '', /A refund failed/)
  // Reading the record again does not solve it; another refund does.
  await syncOrder(app.core, order.uid)
  assert.match((await problemOf(app, manager, order.uid)) ?? '', /A refund failed/)
  const page = await signedIn(app, manager).open(`/operator/orders/${order.uid}`)
  assert.match(page.body, new RegExp(`/operator/orders/${order.uid}/refund`))
  provider.control.clearFaults()
  must(await post(`${SALES}/${order.uid}/refund`, {}, manager))
  await reaches(buyer, order.uid, 'refunded')
  await eventually(
    'no problem',
    async () => (await problemOf(app, manager, order.uid)) === undefined,
  )
})

test('a refund of what was refunded at the provider is no problem', async (t) => {
  const app = await startApp(t)
  const { bought, post, operator, provider, reaches, sql } = app
  await operator()
  const { buyer, order, session } = await bought()
  provider.control.webhooks({ mode: 'lost' })
  provider.control.refund({ session })
  must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
  await reaches(buyer, order.uid, 'refunded')
  await eventually(
    'the end of the refund',
    async () => (await readOrder(app, buyer, order.uid)).refunds[0].state === 'failed',
  )
  const [row] = await sql`select problem from orders where uid = ${order.uid}`
  assert.equal(row!.problem, '')
  assert.deepEqual(await ledgerProblems(app), [])
})

for (const is_reported of [true, false])
  test(`a refund that fails later is noticed ${is_reported ? 'by webhook' : 'by the reconcile job'}`, async (t) => {
    const app = await startApp(t)
    const { bought, post, operator, provider, copyOf, reaches, core, sql, ledgerSum } = app
    const manager = await operator()
    const { buyer, listing, order } = await bought()
    provider.control.refunds({ status: 'pending' })
    must(await post(`${ORDERS}/${order.uid}/return`, {}, buyer))
    await reaches(buyer, order.uid, 'refunded')
    assert.equal(await copyOf(buyer, listing), undefined)
    const refund = [...provider.world.refunds.keys()].at(-1)
    if (!is_reported) provider.control.webhooks({ mode: 'lost' })
    provider.control.failRefund({ refund })
    if (!is_reported) {
      await sql`update orders set checked_at = now() - interval '25 hours'`
      await runJob({ core, sql }, reconcileOrders)
    }
    await reaches(buyer, order.uid, 'paid')
    const { refunds, refunded_minor } = await readOrder(app, buyer, order.uid)
    assert.deepEqual(
      [refunded_minor, refunds[0].state, refunds[0].failure],
      [0, 'failed', 'card_closed'],
    )
    assert.doesNotMatch(refunds[0].answer, /expired_or_canceled_card/)
    const { body } = await signedIn(app, buyer).open(`/library/orders/${order.uid}`)
    assert.match(body, /card or account that you paid with does not take money/)
    assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
    const to_buyer = await mailed(app, buyer, /refund.*failed/)
    assert.match(to_buyer.text, /card or account that you paid with does not take money/)
    await mailed(app, manager, /refund.*failed/)
    assert.match((await problemOf(app, manager, order.uid)) ?? '', /expired_or_canceled_card/)
    const { events } = must(await app.get(`${OPERATIONS}/${order.uid}`, manager))
    assert.deepEqual(
      events.map(({ kind }: { kind: string }) => kind),
      ['ordered', 'payment', 'refund_requested', 'refund', 'refund_failed'],
    )
    assert.deepEqual(await ledgerProblems(app), [])
    assert.equal(await ledgerSum(), 0)
    // The same again changes nothing.
    await syncOrder(core, order.uid)
    assert.equal((await readOrder(app, buyer, order.uid)).refunded_minor, 0)
    provider.control.webhooks({ mode: 'deliver' })
    provider.control.refunds({ status: 'succeeded' })
    must(await post(`${SALES}/${order.uid}/refund`, {}, listing.owner))
    await reaches(buyer, order.uid, 'refunded')
    assert.equal(await problemOf(app, manager, order.uid), undefined)
    assert.deepEqual(await ledgerProblems(app), [])
    assert.equal(await ledgerSum(), 0)
  })

test('parts that fail leave the fee of the store exact', async (t) => {
  const app = await startApp(t)
  const { bought, post, provider, entriesOf, reaches } = app
  const { buyer, listing, order } = await bought()
  const refund = async (amount_minor: number, total: number) => {
    must(await post(`${SALES}/${order.uid}/refund`, { amount_minor }, listing.owner))
    await eventually(
      `${total} back`,
      async () => (await readOrder(app, buyer, order.uid)).refunded_minor === total,
    )
    return [...provider.world.refunds.keys()].at(-1)!
  }
  const first = await refund(333, 333)
  await refund(333, 666)
  provider.control.failRefund({ refund: first })
  await eventually(
    'less back',
    async () => (await readOrder(app, buyer, order.uid)).refunded_minor === 333,
  )
  await refund(667, 1000)
  await reaches(buyer, order.uid, 'refunded')
  const store = (await entriesOf(order.uid)).filter(({ account }) => account === 'store')
  assert.equal(
    store.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
    0,
  )
  assert.deepEqual(await ledgerProblems(app), [])
})

test('a request reaches operators if the developer has no account any more', async (t) => {
  const app = await startApp(t)
  const { bought, post, operator, sql, reaches } = app
  const manager = await operator()
  const { buyer, order } = await bought()
  // As the deletion of an account leaves it.
  await sql`
    update orders set seller_uid = null, paid_at = now() - interval '400 days'
    where uid = ${order.uid}`
  must(await post(`${ORDERS}/${order.uid}/return`, { reason: 'It never starts' }, buyer))
  const mail = await mailed(app, manager, /asks for a refund/)
  assert.match(mail.text, /It never starts/)
  assert.equal(await problemOf(app, manager, order.uid), '')
  const page = await signedIn(app, manager).open(`/operator/orders/${order.uid}`)
  assert.match(page.body, /It never starts/)
  must(await post(`${SALES}/${order.uid}/refund`, {}, manager))
  await reaches(buyer, order.uid, 'refunded')
  assert.equal(await problemOf(app, manager, order.uid), undefined)
})

test('a problem goes when the record of the provider can be applied again', async (t) => {
  const app = await startApp(t)
  const { bought, webhooksHandled, operator, core, sql } = app
  const manager = await operator()
  const { order } = await bought()
  await webhooksHandled()
  await sql`update orders set problem = 'No access to the account' where uid = ${order.uid}`
  assert.equal(await problemOf(app, manager, order.uid), 'No access to the account')
  await syncOrder(core, order.uid)
  assert.equal(await problemOf(app, manager, order.uid), undefined)
})

test('operators read each problem of an order in their language', async (t) => {
  const app = await startApp(t)
  const { bought, webhooksHandled, operator, get, sql } = app
  const manager = await operator()
  const { order } = await bought()
  await webhooksHandled()
  const visitor = signedIn(app, manager)
  const german = { 'accept-language': 'de' }
  const path = `/operator/orders/${order.uid}`
  const problems: [OrderProblem, string, RegExp][] = [
    [
      { code: 'amount_differs', amount_minor: 500, currency: 'EUR' },
      'The provider reports 500 EUR',
      /meldet eine Zahlung von 5,00\s€/,
    ],
    [
      { code: 'state_differs', from: 'expired', to: 'refunded' },
      "The provider's record makes a expired order refunded",
      /Abgelaufen → Erstattet/,
    ],
    [
      { code: 'refund_failed', reason: 'card <closed>' },
      'A refund failed: card <closed>',
      /kein Geld gesendet.*<q>card &lt;closed&gt;<\/q>/s,
    ],
    [
      { code: 'not_checked', reason: 'No access' },
      'No access',
      /nicht mit dem Anbieter verglichen.*<q>No access<\/q>/s,
    ],
    [
      { code: 'ledger_differs', reason: 'refunded: 1 USD' },
      'refunded: 1 USD',
      /Hauptbuch und Anbieter.*<q>refunded: 1 USD<\/q>/s,
    ],
  ]
  for (const [details, sentence, text] of problems) {
    await setProblem(sql, order.uid, details)
    const read = must(await get(`${OPERATIONS}/${order.uid}`, manager))
    assert.deepEqual([read.problem, read.problem_details], [sentence, details])
    assert.match((await visitor.open(path, german)).body, text)
  }
  // Of the previous version, which does not know the details.
  await sql`update orders set problem = 'No account' where uid = ${order.uid}`
  const read = must(await get(`${OPERATIONS}/${order.uid}`, manager))
  assert.deepEqual([read.problem, read.problem_details], ['No account', null])
  assert.match((await visitor.open(path, german)).body, /No account/)
})

test('an export has orders and refunds without what belongs to the other side', async (t) => {
  const app = await startApp(t)
  const { bought, post, provider } = app
  const { buyer, listing, order } = await bought()
  provider.control.fault({ on: 'POST /v1/refunds', mode: 'status', status: 400 })
  must(await post(`${ORDERS}/${order.uid}/return`, { reason: 'Not for me' }, buyer))
  await eventually(
    'a failed refund',
    async () => (await readOrder(app, buyer, order.uid)).refunds[0].state === 'failed',
  )
  const exported = async (person: Person) =>
    must(await post('/api/v1/private/account/export', { password: PASSWORD }, person)).tables
  const own = await exported(buyer)
  assert.equal(own['orders.buyer_uid'][0].uid, order.uid)
  assert.equal(own['order_refunds.requested_by'][0].reason, 'Not for me')
  assert.doesNotMatch(JSON.stringify(own), /An unknown error occurred|acct_/)
  const sold = await exported(listing.owner)
  assert.equal(sold['orders.seller_uid'][0].uid, order.uid)
  assert.ok(!JSON.stringify(sold).includes(buyer.uid))
})
