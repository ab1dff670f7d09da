import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { startPaymentSimulator } from '../../sim/payments/server.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { ORDERS, paymentFixtures, paymentSettings, WEBHOOK } from './fixtures.ts'

const CARD = '4242424242424242'

/** A proxy that keeps every byte of both directions. */
async function recordTraffic(t: TestContext, target: string) {
  const { hostname, port } = new URL(target)
  const bytes: Buffer[] = []
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    for (const [from, to] of [
      [incoming, outgoing],
      [outgoing, incoming],
    ] as const)
      from
        .on('data', (chunk) => bytes.push(chunk))
        .on('error', () => to.destroy())
        .pipe(to)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  cleanup(t, () => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, text: () => Buffer.concat(bytes).toString('latin1') }
}

test('no card data reaches the service, its database or its log', async (t) => {
  const provider = await startPaymentSimulator()
  cleanup(t, () => provider.stop())
  const to_provider = await recordTraffic(t, provider.url)
  const env = { ...paymentSettings(provider), STRIPE_API_URL: to_provider.url, PROXY_HOPS: '1' }
  const app = await startApp(t, { ...env, SLIPWAY_ROLES: 'api' })
  const log_file = join(temporaryFolder(t), 'log')
  const settings = {
    ...app.settings,
    SLIPWAY_ROLES: 'api,web,worker',
    LOG_LEVEL: 'trace',
    PORT: await freePort(),
  }
  const to_service = await recordTraffic(t, await childService(t, settings, { log_file }).start())
  provider.control.webhook({ url: `${to_service.url}${WEBHOOK}` })
  const { forSale } = paymentFixtures(app, provider)
  const listing = await forSale()
  const { token } = await app.a.verified()
  const { get, post } = client(to_service.url)

  const { order, checkout_url } = must(await post(ORDERS, { game: listing.uid }, { token }))
  assert.equal(new URL(checkout_url).origin, provider.url)
  const form = new URLSearchParams({ action: 'pay', card: CARD })
  const answer = await fetch(checkout_url, { method: 'POST', body: form, redirect: 'manual' })
  assert.match(answer.headers.get('location')!, new RegExp(`/library/orders/${order.uid}$`))
  await eventually(
    'the payment',
    async () => must(await get(`${ORDERS}/${order.uid}`, { token })).state === 'paid',
  )

  for (const [place, text, expected] of [
    ['the requests of the provider', to_service.text(), 'checkout.session.completed'],
    ['the answers of the provider', to_provider.text(), 'checkout.session'],
    ['the log', await logText(log_file), `"route":"${WEBHOOK}"`],
  ] as const) {
    assert.ok(text.includes(expected), `${place}: nothing was recorded`)
    assert.ok(!text.includes(CARD), place)
  }
  const tables = await app.sql<{ name: string }[]>`
    select table_name as name
    from information_schema.tables
    where table_schema = current_schema() and table_type = 'BASE TABLE'`
  for (const { name } of tables) {
    const [row] = await app.sql`
      select from ${app.sql(name)} t where t::text like ${`%${CARD}%`} limit 1`
    assert.equal(row, undefined, name)
  }
})

/** Lines are written with a delay. */
async function logText(file: string): Promise<string> {
  const read = () => readFileSync(file, 'utf8')
  await eventually('the log of the webhook', async () => read().includes(WEBHOOK))
  return read()
}
