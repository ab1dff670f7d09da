import assert from 'node:assert/strict'
import { randomInt, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startPaymentSimulator } from '../../sim/payments/server.ts'
import { verifyLedger } from '../../src/payments/ledger/verify.ts'
import { reconcileOrders } from '../../src/payments/orders/jobs.ts'
import { type Answer, client, eventually, runJob, startApp } from '../support/app.ts'
import { makePublic, newAddress, type Person } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { loopCount } from '../support/loop-count.ts'
import { ORDERS, paymentSettings, WEBHOOK } from './fixtures.ts'

const PURCHASES = loopCount({ short: 24, full: 10_000 })
const KILLS = loopCount({ short: 2, full: 500 })
/** A person may make 30 orders per minute. */
const LISTINGS = Math.min(25, PURCHASES)
const PARALLEL = 8

test('purchases survive kills, bad webhooks and lost answers', async (t) => {
  const provider = await startPaymentSimulator()
  cleanup(t, () => provider.stop())
  const { world, control } = provider
  const env = { ...paymentSettings(provider), PROXY_HOPS: '1', SLIPWAY_ROLES: 'api' }
  const app = await startApp(t, env)
  const { a, sql, core } = app
  const PORT = await freePort()
  const child = childService(t, { ...app.settings, SLIPWAY_ROLES: 'api,worker', PORT })
  const url = await child.start()
  control.webhook({ url: `${url}${WEBHOOK}` })

  const listings: string[] = []
  for (let index = 0; index < LISTINGS; index++) {
    const owner = await a.verifiedDeveloper()
    const account_ref = `acct_${index}`
    world.accounts.set(account_ref, { id: account_ref, charges_enabled: true })
    await sql`
      insert into payment_accounts (user_uid, account_ref, charges_enabled)
      values (${owner.uid}, ${account_ref}, true)`
    const { uid } = await a.listing({ owner })
    await sql`update listings set price_cents = ${100 + index * 37} where uid = ${uid}`
    await makePublic(sql, uid)
    listings.push(uid)
  }
  const buyers: Person[] = []
  for (let index = 0; index < Math.ceil(PURCHASES / LISTINGS); index++)
    buyers.push(await a.verified())

  control.webhooks({ shares: { lost: 10, doubled: 10, late: 5, reordered: 5 } })
  const { post } = client(url)
  /**
   * A tenth of the answers of the provider are lost after it has acted. While the service is down,
   * no more of them are planned, or it would find nothing but lost answers when it is back.
   */
  const disturb = () => {
    if (randomInt(10) === 0 && !world.faults.length)
      control.fault({ on: 'POST /v1/checkout/sessions', mode: 'lost', times: 1 })
  }
  async function orderUntilAnswered(buyer: Person, game: string): Promise<Answer> {
    const headers = { 'idempotency-key': randomUUID(), ...newAddress() }
    return eventually(
      'an answer to an order',
      async () => {
        disturb()
        const call = { token: buyer.token, headers }
        const answer = await post(ORDERS, { game }, call).catch(() => undefined)
        // A buyer who repeats often reaches the limit of requests.
        return answer && answer.status < 500 && answer.status !== 429 ? answer : undefined
      },
      300,
    )
  }
  let bought = 0
  async function buy(index: number) {
    const buyer = buyers[Math.floor(index / LISTINGS)]!
    const answer = await orderUntilAnswered(buyer, listings[index % LISTINGS]!)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const session = answer.body.data.checkout_url.split('/').at(-1)
    // An eighth of the buyers leave the checkout.
    if (randomInt(8) > 0) control.pay({ session })
    bought++
  }
  let next = 0
  const work = async () => {
    while (next < PURCHASES) await buy(next++)
  }
  const workers = Promise.all(Array.from({ length: PARALLEL }, work))
  const killer = (async () => {
    for (let kills = 1; kills <= KILLS; kills++) {
      const target = Math.floor((PURCHASES * kills) / (KILLS + 1))
      while (bought < target) await pause(5)
      await child.kill()
      await child.start()
    }
  })()
  await Promise.all([workers, killer])
  await control.settled()
  control.clearFaults()
  await control.deliverLate()

  // The clock of the reconcile job: every order is due.
  await eventually(
    'every payment to be noticed',
    async () => {
      await sql`
        update orders set created_at = now() - interval '1 hour', checked_at = null
        where state = 'open'`
      await runJob({ core, sql }, reconcileOrders)
      const [row] = await sql<{ count: number }[]>`
        select count(*)::int as count from orders where state = 'paid'`
      const paid = [...world.sessions.values()].filter((session) => session.status === 'complete')
      return row!.count === paid.length
    },
    300,
  )
  const paid = new Set(
    [...world.sessions.values()]
      .filter(({ status }) => status === 'complete')
      .map(({ client_reference_id }) => client_reference_id as string),
  )
  const rows = await sql<{ uid: string; has_copy: boolean; payments: number }[]>`
    select o.uid,
      exists (
        select from licences c
        where c.user_uid = o.buyer_uid and c.game_uid = o.game_uid and c.source = 'purchase'
      ) as has_copy,
      (
        select count(*)::int from ledger_transactions t
        where t.order_uid = o.uid and t.kind = 'payment'
      ) as payments
    from orders o`
  const wrong = rows.filter(
    ({ uid, has_copy, payments }) =>
      has_copy !== paid.has(uid) || payments !== (paid.has(uid) ? 1 : 0),
  )
  assert.deepEqual(wrong, [], 'copies without payment, payments without copy, double grants')
  assert.equal(rows.length, PURCHASES)
  const [copies] = await sql<{ count: number }[]>`
    select count(*)::int as count from licences where source = 'purchase'`
  assert.equal(copies!.count, paid.size)
  assert.equal(world.sessions.size, PURCHASES, 'no order has two checkouts')
  const [sum] = await sql<{ sum: number }[]>`
    select coalesce(sum(amount_minor), 0)::int as sum from ledger_entries`
  assert.equal(sum!.sum, 0)
  const { signal } = new AbortController()
  const { problems } = await verifyLedger(core, { since: new Date(0), signal })
  assert.deepEqual(problems, [])
})
