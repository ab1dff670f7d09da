import assert from 'node:assert/strict'
import { test } from 'node:test'
import { agentScopes, operatorScopes, playerScopes } from '../../src/accounts/keys/scopes.ts'
import { routes } from '../../src/routes.ts'
import { connect } from '../agents/mcp-client.ts'
import { refused } from '../support/builders.ts'
import { sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

/** Routes that move money or decide where it goes, or make games free: coupons do. */
const MOVES_MONEY =
  /^\/api\/v1\/private\/(orders\/:order_uid\/return|sales\/|account\/payments|operations\/orders|games\/:uid\/coupons)/
const moneyRoutes = routes.filter(({ method, url }) => method !== 'GET' && MOVES_MONEY.test(url))

test('an agent reads sales, orders and payouts of its developer with mcp:money', async (t) => {
  const app = await startApp(t)
  const { a, url, seller, forSale, bought, provider } = app
  const owner = await seller()
  const account = [...provider.world.accounts.keys()].at(-1)!
  const listing = await forSale(1000, owner)
  const { buyer } = await bought(listing)
  provider.control.payout({ account, amount: 100 })
  const { key } = await a.key('agent', owner, ['mcp:money'])
  const agent = await connect(t, url, '/mcp', key)
  const { uid } = listing
  const { data } = await agent.call('get_sales', { uid, report: 'sales', days: 7 })
  assert.equal(data.sales.totals[0].gross_minor, 1000)
  const { data: sold } = await agent.call('get_sales', { uid, report: 'orders' })
  assert.equal(sold.orders.length, 1)
  const text = JSON.stringify([data, sold])
  for (const name of [buyer.uid, buyer.username]) assert.ok(!text.includes(name))
  const { data: balance } = await agent.call('get_sales', { report: 'payouts' })
  assert.equal(balance.payouts.payouts[0].amount_minor, 100)
  const missing = await agent.call('get_sales', { report: 'sales' })
  assert.match(missing.refused!.message, /^arguments\.uid: name the listing/)
  const other = await forSale()
  const foreign = await agent.call('get_sales', { uid: other.uid, report: 'sales' })
  assert.equal(foreign.refused!.code, 4040)

  const { key: reader } = await a.key('agent', owner, ['mcp:read'])
  const blind = await connect(t, url, '/mcp', reader)
  assert.ok(!(await blind.list()).some(({ name }) => name === 'get_sales'))
  const denied = await blind.call('get_sales', { uid, report: 'sales' })
  assert.deepEqual([denied.refused!.status, denied.refused!.code], [403, 4031])
})

test('no agent moves money, whatever scopes its key has', async (t) => {
  const app = await startApp(t)
  const { a, sql, url, call, seller, forSale, bought, ledgerSum, stateOf } = app
  const owner = await seller()
  await sql`insert into operators (user_uid) values (${owner.uid})`
  const listing = await forSale(1000, owner)
  const { buyer, order } = await bought(listing)
  const keys = [
    await a.key('agent', owner, [...agentScopes, ...operatorScopes]),
    await a.key('agent', owner, ['mcp:money']),
    await a.key('player', buyer, [...playerScopes]),
  ]
  // A new route of this kind is tried too; that there are these is what the test is about.
  for (const path of [
    '/orders/:order_uid/return',
    '/sales/:order_uid/refund',
    '/settle',
    '/coupons',
  ])
    assert.ok(
      moneyRoutes.some((route) => route.url.endsWith(path)),
      path,
    )
  const facts = async () => {
    const [row] = await sql`
      select (select count(*)::int from order_refunds) as refunds,
        (select count(*)::int from coupons) as coupons,
        (select count(*)::int from ledger_transactions) as transactions`
    return { ...row, sum: await ledgerSum() }
  }
  const before = await facts()
  const bodies: Record<string, object> = {
    refund: {},
    return: { reason: '' },
    settle: { reference: 'X' },
    coupons: { code: 'CHEAP', percent: 100 },
    'transfer-back': { how: 'sent', reference: 'X' },
  }
  for (const { key: token } of keys)
    for (const route of moneyRoutes) {
      const path = route.url
        .replace(':order_uid', order.uid)
        .replace(':uid', listing.uid)
        .replace(':coupon_uid', order.uid)
      const body = bodies[route.url.split('/').at(-1)!] ?? {}
      const answer = await call(route.method, path, { body, token })
      const [status, code] = refused(answer)
      assert.ok(
        status === 403 && (code === 4033 || code === 4031),
        `${route.url} ${status} ${code}`,
      )
    }
  assert.deepEqual(await facts(), before)
  assert.equal(await stateOf(buyer, order.uid), 'paid')

  const agent = await connect(t, url, '/mcp', keys[0]!.key)
  const names = (await agent.list()).map(({ name }) => name)
  assert.deepEqual(
    names.filter((name) => /refund|payout|settle|order(?!_media)|buy|pay/.test(name)),
    [],
    'no tool moves money',
  )
})
