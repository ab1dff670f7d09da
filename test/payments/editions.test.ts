import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type HeldEdition, raisedEdition } from '../../src/library/edition-rules.ts'
import { syncOrder } from '../../src/payments/orders/apply.ts'
import { type Listing, must, newAddress, type Person, refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { ORDERS, type PaymentApp, sharedPaymentApp } from './fixtures.ts'

const startApp = sharedPaymentApp()

const GAMES = '/api/v1/private/games'
const PRICES = { standard: 1000, deluxe: 2000, beta: 500 }

/** A listing with three editions; the cheapest one has beta access. */
async function withEditions({ forSale, post }: PaymentApp) {
  const listing = await forSale()
  const uids: Record<string, string> = {}
  for (const [slug, price_cents] of Object.entries(PRICES)) {
    const kind = slug === 'beta' ? 'beta_access' : slug
    const edition = { slug, name: slug, description: '', kind, price_cents }
    uids[slug] = must(await post(`${GAMES}/${listing.uid}/editions`, edition, listing.owner)).uid
  }
  return { listing, uids }
}

const keyFor = async ({ post }: PaymentApp, { uid, owner }: Listing, edition?: string) =>
  must(await post(`${GAMES}/${uid}/key-batches`, { label: 'Press', size: 1, edition }, owner))
    .keys[0] as string

const redeem = ({ post }: PaymentApp, key: string, { token }: Person) =>
  post('/api/v1/private/redeem', { key }, { token, headers: newAddress() })

test('whoever has an edition cannot buy the same or a cheaper one', async (t) => {
  const app = await startApp(t)
  const { bought, post, order, copyOf, reaches, provider } = app
  const { listing, uids } = await withEditions(app)
  const { buyer } = await bought(listing, { edition: 'deluxe' })
  for (const edition of ['deluxe', 'standard', undefined]) {
    const answer = await post(ORDERS, { game: listing.uid, edition }, buyer)
    assert.deepEqual(refused(answer), [409, 4090], edition)
    assert.match(answer.body.error.message, /have this already/)
  }
  // Beta access is something new; the copy stays one of the dearer edition.
  const { order: made, session } = await order(buyer, listing, { edition: 'beta' })
  provider.control.pay({ session })
  await reaches(buyer, made.uid, 'paid')
  assert.equal((await copyOf(buyer, listing))?.edition_uid, uids.deluxe)
  assert.deepEqual(
    refused(await post(ORDERS, { game: listing.uid, edition: 'beta' }, buyer)),
    [409, 4090],
  )
})

test('a copy without an edition counts as one of the cheapest edition', async (t) => {
  const app = await startApp(t)
  const { a, post, order, forSale } = app
  const listing = await forSale()
  const buyer = await a.verified()
  must(await redeem(app, await keyFor(app, listing), buyer))
  const url = `${GAMES}/${listing.uid}/editions`
  const edition = (slug: string, price_cents: number) => ({ slug, name: slug, price_cents })
  must(await post(url, { ...edition('plain', 1000), kind: 'standard' }, listing.owner))
  must(await post(url, { ...edition('more', 1500), kind: 'deluxe' }, listing.owner))
  const plain = await post(ORDERS, { game: listing.uid, edition: 'plain' }, buyer)
  assert.deepEqual(refused(plain), [409, 4090])
  await order(buyer, listing, { edition: 'more' })
})

test('editions that are paid at the same time leave the dearer one', async (t) => {
  const app = await startApp(t)
  const { a, order, copyOf, reaches, stateOf, core, provider, ledgerSum } = app
  const { listing, uids } = await withEditions(app)
  provider.control.webhooks({ mode: 'lost' })
  for (let round = 0; round < 4; round++) {
    const buyer = await a.verified()
    const standard = await order(buyer, listing, { edition: 'standard' })
    const deluxe = await order(buyer, listing, { edition: 'deluxe' })
    for (const { session } of [standard, deluxe]) provider.control.pay({ session })
    const orders = round % 2 ? [deluxe, standard] : [standard, deluxe]
    await Promise.all(orders.map((made) => syncOrder(core, made.order.uid)))
    assert.equal((await copyOf(buyer, listing))?.edition_uid, uids.deluxe)
    assert.equal(await stateOf(buyer, deluxe.order.uid), 'paid')
    // If the dearer one was first, the other gave nothing and goes back.
    const refunds = must(await app.get(`${ORDERS}/${standard.order.uid}`, buyer)).refunds
    if (refunds.length) await reaches(buyer, standard.order.uid, 'refunded')
    assert.equal((await copyOf(buyer, listing))?.edition_uid, uids.deluxe)
  }
  assert.equal(await ledgerSum(), 0)
})

test('a refund of the upgrade restores the earlier edition while that is paid', async (t) => {
  const app = await startApp(t)
  const { bought, order, copyOf, reaches, provider } = app
  const { listing, uids } = await withEditions(app)
  for (const first_is_refunded of [false, true]) {
    const first = await bought(listing, { edition: 'standard' })
    const { buyer } = first
    const upgrade = await order(buyer, listing, { edition: 'deluxe' })
    provider.control.pay({ session: upgrade.session })
    await reaches(buyer, upgrade.order.uid, 'paid')
    if (first_is_refunded) {
      provider.control.refund({ session: first.session })
      await reaches(buyer, first.order.uid, 'refunded')
      assert.equal((await copyOf(buyer, listing))?.edition_uid, uids.deluxe)
    }
    provider.control.refund({ session: upgrade.session })
    await reaches(buyer, upgrade.order.uid, 'refunded')
    const rest = await copyOf(buyer, listing)
    assert.equal(rest?.edition_uid, first_is_refunded ? undefined : uids.standard)
  }
})

test('a key of a cheaper edition stays valid for somebody else', async (t) => {
  const app = await startApp(t)
  const { a, bought, copyOf } = app
  const { listing, uids } = await withEditions(app)
  const { buyer } = await bought(listing, { edition: 'deluxe' })
  const key = await keyFor(app, listing, 'standard')
  assert.deepEqual(refused(await redeem(app, key, buyer)), [409, 4090])
  assert.equal((await copyOf(buyer, listing))?.edition_uid, uids.deluxe)
  const other = await a.verified()
  must(await redeem(app, key, other))
  assert.equal((await copyOf(other, listing))?.edition_uid, uids.standard)
})

test('no sequence of editions lowers a copy or loses beta access', () => {
  const kinds = ['standard', 'deluxe', 'beta_access', 'bundle']
  const edition = fc.record({
    uid: fc.uuid(),
    kind: fc.constantFrom(...kinds),
    price_cents: fc.integer({ min: 0, max: 5 }),
  })
  fc.assert(
    fc.property(fc.array(edition, { minLength: 1, maxLength: 8 }), ([first, ...rest]) => {
      const prices = new Map([first!, ...rest].map(({ uid, price_cents }) => [uid, price_cents]))
      let held: HeldEdition = { edition_uid: first!.uid, edition_kind: first!.kind, ...first! }
      let has_beta = first!.kind === 'beta_access'
      for (const next of rest) {
        has_beta ||= next.kind === 'beta_access'
        const raised = raisedEdition(held, next)
        if (raised) held = { ...raised, price_cents: prices.get(raised.edition_uid!)! }
        assert.ok(held.price_cents >= next.price_cents)
        assert.equal(held.edition_kind === 'beta_access', has_beta)
        assert.equal(raisedEdition(held, next), null, 'nothing can be bought twice')
      }
    }),
  )
})
