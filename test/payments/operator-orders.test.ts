import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { makePublic, must, type Person, refused } from '../support/builders.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { ORDERS, SALES, startPaymentApp } from './fixtures.ts'

const OPERATIONS = '/api/v1/private/operations/orders'

/** A store that takes transfers, with an operator. */
async function startTransfers(t: Parameters<typeof startApp>[0]) {
  const app = await startApp(t, { PAYMENT_INSTRUCTIONS: 'IBAN XX00 0000' })
  const { a, sql, post, get } = app
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const listing = await a.listing({ owner: await a.verifiedDeveloper(), name: 'Saltmarsh' })
  await sql`update listings set price_cents = 900 where uid = ${listing.uid}`
  await makePublic(sql, listing.uid)
  const ordered = async (buyer: Person): Promise<string> =>
    must(await post(ORDERS, { game: listing.uid }, buyer)).order.uid
  const settle = (uid: string, reference: string) =>
    post(`${OPERATIONS}/${uid}/settle`, { reference }, operator)
  const paid = async (buyer: Person, reference = 'TX 1') => {
    const uid = await ordered(buyer)
    must(await settle(uid, reference))
    return uid
  }
  const read = async (uid: string) => must(await get(`${OPERATIONS}/${uid}`, operator))
  const listed = async (query: Record<string, string> = {}): Promise<string[]> => {
    const path = `${OPERATIONS}?${new URLSearchParams(query)}`
    return must(await get(path, operator)).items.map(({ uid }: { uid: string }) => uid)
  }
  const transferBack = (uid: string, how: string, person = operator) =>
    post(`${OPERATIONS}/${uid}/transfer-back`, { how, reference: 'BACK 7' }, person)
  const isRefunded = (uid: string) =>
    eventually('the refund', async () => (await read(uid)).state === 'refunded')
  return {
    ...app,
    operator,
    listing,
    ordered,
    settle,
    paid,
    read,
    listed,
    transferBack,
    isRefunded,
  }
}

test('a returned transfer waits for an operator until they record what they sent', async (t) => {
  const app = await startTransfers(t)
  const { a, post, paid, read, listed, transferBack, isRefunded, operator, data_dir } = app
  const buyer = await a.verified()
  const uid = await paid(buyer)
  assert.deepEqual(await listed(), [], 'nobody waits for a transfer that was confirmed')
  assert.deepEqual(refused(await transferBack(uid, 'sent')), [409, 4090])
  must(await post(`${ORDERS}/${uid}/return`, { reason: 'Not for me' }, buyer))
  await isRefunded(uid)
  assert.deepEqual(await listed(), [uid])
  assert.deepEqual(await listed({ filter: 'refund_by_hand' }), [uid])
  assert.equal((await read(uid)).by_hand_minor, 900)
  const mail = await eventually('a mail for the operator', async () =>
    outbox(data_dir).find(
      ({ to, text }) => to === operator.email && text.includes(`/operator/orders/${uid}`),
    ),
  )
  assert.match(mail.text, /\$9\.00/)

  assert.equal((await transferBack(uid, 'sent', buyer)).status, 403)
  const done = must(await transferBack(uid, 'sent'))
  assert.equal(done.by_hand_minor, 0)
  assert.deepEqual(
    done.events.map(({ kind }: { kind: string }) => kind),
    [
      'ordered',
      'transfer_confirmed',
      'payment',
      'refund_requested',
      'refund',
      'transfer_sent_back',
    ],
  )
  const [, confirmed, , requested, , sent] = done.events
  assert.deepEqual([confirmed.by, confirmed.note], [operator.username, 'TX 1'])
  assert.deepEqual([requested.by, requested.note], [buyer.username, 'Not for me'])
  assert.deepEqual([sent.by, sent.note, sent.amount_minor], [operator.username, 'BACK 7', 900])
  assert.deepEqual(await listed(), [])
  assert.deepEqual(refused(await transferBack(uid, 'sent')), [409, 4090], 'once')
})

test('a transfer that the bank returned is refunded, and nothing is left to send', async (t) => {
  const { a, sql, paid, ordered, read, listed, transferBack, isRefunded } = await startTransfers(t)
  const buyer = await a.verified()
  const uid = await paid(buyer)
  must(await transferBack(uid, 'returned'))
  await isRefunded(uid)
  assert.equal((await read(uid)).by_hand_minor, 0)
  assert.deepEqual(await listed(), [])
  const [copy] = await sql`select source from licences where user_uid = ${buyer.uid}`
  assert.equal(copy, undefined)
  const open = await ordered(await a.verified())
  assert.deepEqual(refused(await transferBack(open, 'returned')), [409, 4239])
})

test('operators filter orders by state and find them by number, reference and buyer', async (t) => {
  const app = await startTransfers(t)
  const { a, sql, post, ordered, paid, listed, settle } = app
  const buyer = await a.verified()
  const open = await ordered(await a.verified())
  const paid_uid = await paid(buyer, 'SEPA 4711 100%')
  const expired = await ordered(await a.verified())
  await sql`update orders set state = 'expired', ended_at = now() where uid = ${expired}`
  const broken = await paid(await a.verified(), 'SEPA 4712')
  await sql`update orders set problem = 'The provider reports 1 USD' where uid = ${broken}`
  const wanted = await paid(await a.verified(), 'OTHER')
  await sql`
    insert into order_refunds (uid, order_uid, state, amount_minor)
    values (gen_random_uuid(), ${wanted}, 'requested', 900)`
  const groups: Record<string, string[]> = {
    attention: [broken, open],
    open: [open],
    transfer: [open],
    paid: [wanted, broken, paid_uid],
    refund_requested: [wanted],
    refund_by_hand: [],
    problem: [broken],
    expired: [expired],
    all: [wanted, broken, expired, paid_uid, open],
  }
  for (const [filter, uids] of Object.entries(groups))
    assert.deepEqual(await listed({ filter }), uids, filter)
  // Without its seller, a request has nobody else who could answer it.
  await sql`update orders set seller_uid = null where uid = ${wanted}`
  assert.deepEqual(await listed(), [wanted, broken, open])

  const search = (q: string) => listed({ filter: 'all', q })
  assert.deepEqual(await search(expired), [expired])
  assert.deepEqual(await search(expired.replaceAll('-', '').slice(0, 30).toUpperCase()), [expired])
  assert.deepEqual(await search(' sepa 47 '), [broken, paid_uid])
  assert.deepEqual(await search('100%'), [paid_uid], 'a sign of patterns is text')
  assert.deepEqual(await search(`manual-${paid_uid}`), [paid_uid])
  assert.deepEqual(await search(buyer.username.toUpperCase()), [paid_uid])
  assert.deepEqual(await search('nothing like it'), [])

  // The money of an expired order can still arrive.
  assert.equal(must(await settle(expired, 'LATE')).state, 'paid')
  assert.deepEqual(await search('late'), [expired])
  const stranger = await a.verified()
  assert.equal((await app.get(`${OPERATIONS}/${paid_uid}`, stranger)).status, 403)
  assert.equal((await app.get(`${OPERATIONS}?filter=nonsense`, app.operator)).status, 400)
  must(await post(`${SALES}/${wanted}/refund`, { decline: true }, app.operator))
  assert.deepEqual(await listed({ filter: 'refund_requested' }), [])
})

test('the overview counts the orders that wait for an operator and links to them', async (t) => {
  const app = await startTransfers(t)
  const { a, sql, get, post, ordered, paid, listed, settle, transferBack, isRefunded } = app
  const overview = async () => must(await get('/api/v1/private/operations/overview', app.operator))
  const console_user = signedIn(app, app.operator)
  const page = async () => (await console_user.open('/operator')).body as string
  const countOf = async () => {
    const { orders } = (await overview()).waiting
    assert.equal(orders, (await listed()).length, 'the list has as many')
    return orders
  }
  assert.equal(await countOf(), 0)
  assert.doesNotMatch(await page(), /filter=attention/)

  const unpaid = await ordered(await a.verified())
  const broken = await paid(await a.verified(), 'TX 2')
  await sql`update orders set problem = 'A refund failed: declined' where uid = ${broken}`
  const buyer = await a.verified()
  const returned = await paid(buyer, 'TX 3')
  must(await post(`${ORDERS}/${returned}/return`, { reason: '' }, buyer))
  await isRefunded(returned)
  const disputed = await paid(await a.verified(), 'TX 4')
  await sql`update orders set state = 'disputed', ended_at = now() where uid = ${disputed}`
  assert.equal(await countOf(), 4)
  const body = await page()
  assert.match(
    body,
    /<a href="\/operator\/orders\?filter=attention">4 orders<\/a> need an operator/,
  )
  const list = (await console_user.open('/operator/orders?filter=attention')).body
  for (const uid of [unpaid, broken, returned, disputed]) assert.match(list, new RegExp(uid))

  must(await settle(unpaid, 'TX 1'))
  assert.equal(await countOf(), 3)
  must(await transferBack(returned, 'sent'))
  assert.equal(await countOf(), 2)
  await sql`update orders set problem = '' where uid = ${broken}`
  assert.equal(await countOf(), 1)
  assert.match(await page(), /1 order<\/a> needs an operator/)
  // Nobody can answer a dispute as old as that, and it stays under its own filter.
  await sql`update orders set ended_at = now() - interval '31 days' where uid = ${disputed}`
  assert.equal(await countOf(), 0)
  assert.deepEqual(await listed({ filter: 'disputed' }), [disputed])
})

test('operators settle late transfers, refund, and record transfers back by pages', async (t) => {
  const app = await startTransfers(t)
  const { a, sql, ordered, operator, read, isRefunded } = app
  const person = await a.verified()
  const uid = await ordered(person)
  await sql`update orders set state = 'expired', ended_at = now() where uid = ${uid}`
  const console_user = signedIn(app, operator)
  const path = `/operator/orders/${uid}`
  const open = async (of = path) => (await console_user.open(of)).body as string
  assert.match(await open('/operator/orders?filter=expired'), new RegExp(path))
  assert.doesNotMatch(await open('/operator/orders'), new RegExp(path))
  assert.match(await open(`/operator/orders?q=${uid.slice(0, 13)}`), new RegExp(path))
  const expired = await open()
  assert.match(expired, /This order has expired/)
  assert.doesNotMatch(expired, /\/refund"/)
  const empty = await console_user.send(`${path}/settle`, { reference: ' ' })
  assert.equal(empty.status, 400)
  assert.match(empty.body, /id="f-reference-error"/)
  await console_user.submit(`${path}/settle`, { reference: 'TX 5' })
  assert.match(await open(), /TX 5/)
  const send = (amount: string) =>
    console_user.send(`${path}/refund`, { amount, currency: 'USD', reason: 'Sorry for the bug' })
  for (const wrong of ['9.01', 'a lot', '0', '-1']) {
    const answer = await send(wrong)
    assert.ok(answer.status >= 400, wrong)
    assert.match(answer.body, /id="f-amount-error"/, wrong)
    assert.match(answer.body, /Sorry for the bug/, 'what was typed stays')
  }
  assert.equal((await send('2,50')).status, 303)
  const page = await eventually('the part to send', async () => {
    const body = await open()
    return /Send \$2\.50 back/.test(body) ? body : undefined
  })
  assert.match(page, /Sorry for the bug/)
  assert.match(page, /\$6\.50 is left/)
  await console_user.submit(`${path}/sent`, { sent_reference: 'BACK 1' })
  assert.doesNotMatch(await open(), /Send \$2\.50 back/)
  await console_user.submit(`${path}/returned`, {
    returned_reference: 'BOUNCE',
    returned_reason: 'Your bank took it back',
  })
  await isRefunded(uid)
  assert.equal((await read(uid)).by_hand_minor, 0)
  assert.match(await open(), /BOUNCE/)
  assert.equal((await signedIn(app, person).open(path)).status, 404)
})

test('an operator refunds an order that was paid by card, with a recent sign-in', async (t) => {
  const app = await startPaymentApp(t)
  const { a, sql, bought, reaches } = app
  const { buyer, order } = await bought()
  const operator = await a.verified()
  await sql`insert into operators (user_uid) values (${operator.uid})`
  const console_user = signedIn(app, operator)
  const path = `/operator/orders/${order.uid}`
  const { body } = await console_user.open(path)
  assert.match(body, /\$10\.00 is left/)
  assert.doesNotMatch(body, /The bank returned the transfer/)
  const refund = { amount: '', currency: 'USD', reason: '' }
  await sql`
    update sessions set created_at = now() - interval '11 minutes'
    where user_uid = ${operator.uid}`
  const old = await console_user.send(`${path}/refund`, refund)
  assert.match(old.body, /Confirm/)
  await sql`update sessions set created_at = now() where user_uid = ${operator.uid}`
  await console_user.submit(`${path}/refund`, refund)
  await reaches(buyer, order.uid, 'refunded')
})
