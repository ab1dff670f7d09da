import assert from 'node:assert/strict'
import { test } from 'node:test'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { startCatalog } from './fixtures.ts'

test('feeds and llms.txt name the price of a listing, and its sale while one runs', async (t) => {
  const { sql, get, createListing } = await startCatalog(t)
  const listing = { name: 'Lantern', tagline: 'A light', price_cents: 2000 }
  const { uid, username, vanity_name } = await createListing(listing)
  await createListing({ name: 'Free', tagline: 'For nothing' })
  const texts = async () => {
    const [feed, page] = await Promise.all([
      get('/feeds/new.atom'),
      get(`/${username}/${vanity_name}/llms.txt`),
    ])
    const summaries = [...String(feed.body).matchAll(/<summary>(.*)<\/summary>/g)]
    const price = /^- Price: (.*)$/m.exec(String(page.body))?.[1]
    return { feed: summaries.map((match) => match[1]).toSorted(), price }
  }
  assert.deepEqual(await texts(), {
    feed: ['A light · 20.00 USD', 'For nothing'],
    price: '20.00 USD',
  })
  const ends_at = new Date(Date.now() + 3 * DAY_MS)
  await sql`
    insert into price_history (game_uid, currency, price_minor, at)
    values (${uid}, 'USD', 1800, now() - interval '20 days'),
      (${uid}, 'USD', 2000, now() - interval '10 days')`
  await sql`
    insert into sales (uid, game_uid, percent, starts_at, ends_at)
    values (gen_random_uuid(), ${uid}, 25, now() - interval '1 second', ${ends_at})`
  const reduced =
    `15.00 USD instead of 20.00 USD until ${ends_at.toISOString().slice(0, 10)}` +
    '; lowest price of the 30 days before: 18.00 USD'
  assert.deepEqual(await texts(), { feed: [`A light · ${reduced}`, 'For nothing'], price: reduced })
})
