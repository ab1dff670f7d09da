import type { TestContext } from 'node:test'
import { type PaymentSimulator, startPaymentSimulator } from '../../sim/payments/server.ts'
import { DEMO_SECRET_KEY, DEMO_WEBHOOK_SECRET } from '../../sim/payments/world.ts'
import { eventually, startApp } from '../support/app.ts'
import { type Listing, makePublic, must, type Person } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { sharedInFile } from '../support/shared.ts'

export const ORDERS = '/api/v1/private/orders'
export const SALES = '/api/v1/private/sales'
export const ACCOUNT = '/api/v1/private/account/payments'
export const WEBHOOK = '/api/v1/payments/webhook'

export const paymentSettings = (provider: PaymentSimulator) => ({
  STRIPE_API_URL: provider.url,
  STRIPE_SECRET_KEY: DEMO_SECRET_KEY,
  STRIPE_WEBHOOK_SECRET: DEMO_WEBHOOK_SECRET,
})

export type PaymentApp = Awaited<ReturnType<typeof startPaymentApp>>

/** Starts the service with a simulated payment provider, and returns helpers for both. */
export async function startPaymentApp(t: TestContext, env: Record<string, string> = {}) {
  const provider = await startPaymentSimulator()
  cleanup(t, () => provider.stop())
  const app = await startApp(t, { ...paymentSettings(provider), PROXY_HOPS: '1', ...env })
  provider.control.webhook({ url: `${app.url}${WEBHOOK}` })
  return { ...app, provider, ...paymentFixtures(app, provider) }
}

/**
 * Starts the service and the provider once for the tests of a file. Each test begins with a
 * provider without faults.
 */
export function sharedPaymentApp() {
  const start = sharedInFile(startPaymentApp)
  return async (t: TestContext): Promise<PaymentApp> => {
    const app = await start(t)
    const { control } = app.provider
    control.clearFaults()
    control.webhooks({ mode: 'deliver' })
    control.refunds({ status: 'succeeded' })
    return app
  }
}

type App = Awaited<ReturnType<typeof startApp>>

export function paymentFixtures(app: App, { world, control }: PaymentSimulator) {
  const { a, sql, post, get } = app

  /** A developer whose account at the provider can take payments. */
  async function seller(): Promise<Person> {
    const person = await a.verifiedDeveloper()
    must(await post(`${ACCOUNT}/setup`, undefined, person))
    const account = [...world.accounts.keys()].at(-1)!
    control.setUp({ account })
    await eventually(
      'an account that can take payments',
      async () => must(await get(ACCOUNT, person)).charges_enabled,
    )
    return person
  }

  async function operator(): Promise<Person> {
    const person = await a.verified()
    await sql`insert into operators (user_uid) values (${person.uid})`
    return person
  }

  /** A public listing with a price. */
  async function forSale(price_cents = 1000, owner?: Person): Promise<Listing> {
    const listing = await a.listing({ owner: owner ?? (await seller()) })
    await sql`update listings set price_cents = ${price_cents} where uid = ${listing.uid}`
    await makePublic(sql, listing.uid)
    return listing
  }

  async function order(buyer: Person, listing: Pick<Listing, 'uid'>, fields = {}) {
    const body = { game: listing.uid, ...fields }
    const answer = must(await post(ORDERS, body, { token: buyer.token }))
    return { ...answer, session: sessionOf(answer.checkout_url) } as {
      order: any
      checkout_url: string
      session: string
    }
  }
  const sessionOf = (url: string) => url.split('/').at(-1)!

  const stateOf = async (buyer: Person, uid: string) =>
    must(await get(`${ORDERS}/${uid}`, { token: buyer.token })).state as string

  const reaches = (buyer: Person, uid: string, state: string) =>
    eventually(`an order that is ${state}`, async () => (await stateOf(buyer, uid)) === state)

  /** Buys a listing and waits until the order is paid. */
  async function bought(listing?: Listing, fields = {}) {
    const item = listing ?? (await forSale())
    const buyer = await a.verified()
    const made = await order(buyer, item, fields)
    control.pay({ session: made.session })
    await reaches(buyer, made.order.uid, 'paid')
    return { buyer, listing: item, ...made }
  }

  /** Waits for webhooks that are under way, and for what they start: each compares its order. */
  async function webhooksHandled() {
    await control.settled()
    await eventually('the end of the jobs of webhooks', async () => {
      const waiting = await sql`
        select from pgboss.job where name = 'payments.sync' and state < 'completed'`
      return waiting.length === 0
    })
  }

  const copyOf = async (buyer: Person, { uid }: Pick<Listing, 'uid'>) => {
    const [copy] = await sql`
      select source, edition_uid
      from licences
      where user_uid = ${buyer.uid} and game_uid = ${uid}`
    return copy as { source: string; edition_uid: string | null } | undefined
  }

  const ledgerSum = async () => {
    const [row] = await sql<{ sum: number }[]>`
      select coalesce(sum(amount_minor), 0)::int as sum from ledger_entries`
    return row!.sum
  }

  const entriesOf = async (order_uid: string) =>
    sql<{ kind: string; account: string; amount_minor: number }[]>`
      select t.kind, e.account, e.amount_minor::int
      from ledger_entries e
      join ledger_transactions t on t.uid = e.transaction_uid
      where t.order_uid = ${order_uid}
      order by t.recorded_at, t.uid, e.position`

  return {
    seller,
    operator,
    forSale,
    order,
    stateOf,
    reaches,
    bought,
    webhooksHandled,
    copyOf,
    ledgerSum,
    entriesOf,
  }
}
