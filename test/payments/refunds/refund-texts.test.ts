import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { eventually, outbox } from '../../support/app.ts'
import { must, type Person } from '../../support/builders.ts'
import { signedIn } from '../../web/dashboard-fixtures.ts'
import { ORDERS, type PaymentApp, SALES, sharedPaymentApp } from '../fixtures.ts'

const startApp = sharedPaymentApp()

const refundMail = (app: PaymentApp, buyer: Person, text: RegExp) =>
  eventually(`a mail about a refund that says ${text}`, () =>
    outbox(app.data_dir).find(
      (mail) => mail.to === buyer.email && /Your refund/.test(mail.subject) && text.test(mail.text),
    ),
  )

const pageOf = async (app: PaymentApp, buyer: Person, uid: string): Promise<string> =>
  (await signedIn(app, buyer).open(`/library/orders/${uid}`)).body

test('buyers read what the developer wrote about a refund, on the page and by mail', async (t) => {
  const app = await startApp(t)
  const { bought, post, get, reaches, sql } = app
  const { buyer, listing, order } = await bought()
  const refund = (body: object) => post(`${SALES}/${order.uid}/refund`, { ...body }, listing.owner)
  must(await refund({ amount_minor: 300, reason: 'Sorry about <b>the</b> crash' }))
  await eventually('300 back', async () => {
    const { refunds, refunded_minor } = must(await get(`${ORDERS}/${order.uid}`, buyer))
    return refunded_minor === 300 && refunds[0].state === 'done'
  })
  const page = await pageOf(app, buyer, order.uid)
  assert.match(page, /Message about the refund of \$3\.00/)
  assert.match(page, /Sorry about &lt;b&gt;the&lt;\/b&gt; crash/)
  const part = await refundMail(app, buyer, /Sorry about/)
  assert.doesNotMatch(part.text, /removed/, 'the copy stays')

  // The answer to a request is for its buyer too; what the buyer wrote is not a message to them.
  await sql`update orders set paid_at = now() - interval '400 days' where uid = ${order.uid}`
  must(await post(`${ORDERS}/${order.uid}/return`, { reason: 'My own words' }, buyer))
  must(await refund({ reason: 'You are right' }))
  await reaches(buyer, order.uid, 'refunded')
  const whole = await refundMail(app, buyer, /You are right/)
  assert.match(whole.text, /removed from your library/)
  assert.doesNotMatch(whole.text, /My own words/)
  const refunded = await pageOf(app, buyer, order.uid)
  assert.match(refunded, /You are right/)
  assert.doesNotMatch(refunded, /My own words/)
})

test('the form of a return and the request name what is left of the price', async (t) => {
  const app = await startApp(t)
  const { bought, post, get, sql } = app
  const { buyer, listing, order } = await bought()
  assert.match(await pageOf(app, buyer, order.uid), /\$10\.00 goes back the way you paid/)
  must(await post(`${SALES}/${order.uid}/refund`, { amount_minor: 300 }, listing.owner))
  await eventually('300 back', async () => {
    const { refunds, refunded_minor } = must(await get(`${ORDERS}/${order.uid}`, buyer))
    return refunded_minor === 300 && refunds[0].state === 'done'
  })
  assert.match(await pageOf(app, buyer, order.uid), /\$7\.00 goes back the way you paid/)
  await sql`update orders set paid_at = now() - interval '400 days' where uid = ${order.uid}`
  assert.match(await pageOf(app, buyer, order.uid), /developer decides about \$7\.00/)
  must(await post(`${ORDERS}/${order.uid}/return`, { reason: 'It crashes' }, buyer))
  const mail = await eventually('a mail to the developer', () =>
    outbox(app.data_dir).find(
      ({ to, subject }) => to === listing.owner.email && /asks for a refund/.test(subject),
    ),
  )
  assert.match(mail.text, /asks for \$7\.00 back/)
})

test('a refund that failed says so to buyer, developer and operator', async (t) => {
  const app = await startApp(t)
  const { a, bought, sql } = app
  const { buyer, listing, order } = await bought()
  await sql`
    insert into order_refunds (uid, order_uid, state, amount_minor, requested_by, answer, decided_at)
    values (gen_random_uuid(), ${order.uid}, 'failed', 1000, ${buyer.uid}, 'Balance too low', now())`
  const page = await pageOf(app, buyer, order.uid)
  assert.match(page, /The refund failed, and no money was sent/)
  assert.doesNotMatch(page, /Balance too low/, 'what the provider says is not for buyers')
  assert.match(page, /\/return"/, 'it can be tried again')
  const seller = await signedIn(app, listing.owner).open('/settings/payments')
  assert.match(seller.body, /The last refund failed/)
  assert.match(seller.body, /Balance too low/)
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const console_page = await signedIn(app, operator).open(`/operator/orders/${order.uid}`)
  assert.match(console_page.body, /A refund failed, and no money was sent/)
  assert.match(console_page.body, /Balance too low/)
})

test('a second payment that goes back takes nothing from the library, and says so', async (t) => {
  const app = await startApp(t)
  const { a, forSale, order, reaches, copyOf, provider, sql } = app
  const listing = await forSale()
  const buyer = await a.verified()
  const first = await order(buyer, listing)
  await sql`update listings set price_cents = 1200 where uid = ${listing.uid}`
  const path = `/v1/checkout/sessions/${first.session}/expire`
  provider.control.fault({ on: `POST ${path}`, mode: 'status', status: 500 })
  const second = await order(buyer, listing)
  provider.control.pay({ session: second.session })
  await reaches(buyer, second.order.uid, 'paid')
  provider.control.pay({ session: first.session })
  await reaches(buyer, first.order.uid, 'refunded')
  assert.equal((await copyOf(buyer, listing))?.source, 'purchase')
  const page = await pageOf(app, buyer, first.order.uid)
  assert.match(page, /The copy stays in your library/)
  assert.doesNotMatch(page, /removed from your library|automatic/)
  const mail = await refundMail(app, buyer, /The copy stays in your library/)
  assert.doesNotMatch(mail.text, /removed/)
  const receiptOf = (uid: string) =>
    eventually('a receipt', () =>
      outbox(app.data_dir).find(
        ({ subject, text }) => /Your receipt/.test(subject) && text.includes(uid),
      ),
    )
  assert.match((await receiptOf(second.order.uid)).text, /it is in your library/)
  const receipt = await receiptOf(first.order.uid)
  assert.match(receipt.text, /gives you nothing new, so all of it goes back/)
  assert.doesNotMatch(receipt.text, /in your library/)
  const isSold = ({ to, subject }: { to: string; subject: string }) =>
    to === listing.owner.email && /You sold/.test(subject)
  assert.equal(outbox(app.data_dir).filter(isSold).length, 1, 'the second payment is no sale')
  // The order that gave the copy takes it, and says that.
  provider.control.refund({ session: second.session })
  await reaches(buyer, second.order.uid, 'refunded')
  assert.match(await pageOf(app, buyer, second.order.uid), /removed from your library/)
  await refundMail(app, buyer, /removed from your library/)
})

test('German texts about purchases have one word for a copy', () => {
  const file = new URL('../../../messages/de/payments.ftl', import.meta.url)
  assert.doesNotMatch(readFileSync(file, 'utf8'), /\bKopien?\b/)
})
