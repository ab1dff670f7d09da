import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../../support/app.ts'
import { startSearch } from './fixtures.ts'

test('sales start and end in search results without another change of the listing', async (t) => {
  const { sql, createListing, names, search, waitForIndex } = await startSearch(t)
  const starting = await createListing({ name: 'Starting', price_cents: 2000 })
  const ending = await createListing({ name: 'Ending', price_cents: 3000 })
  await createListing({ name: 'Dear', price_cents: 1500 })
  await createListing({ name: 'Free' })
  const sorted = async (query: string) => (await names(query)).toSorted()
  const addSale = async (game_uid: string, from: number, to: number) => {
    const [row] = await sql<{ starts_at: Date; ends_at: Date }[]>`
      insert into sales (uid, game_uid, percent, starts_at, ends_at)
      values (
        gen_random_uuid(), ${game_uid}, 50,
        now() + ${from} * interval '1 second', now() + ${to} * interval '1 second')
      returning starts_at, ends_at`
    return row!
  }
  const later = await addSale(starting, 4, 3600)
  const sooner = await addSale(ending, -3600, 4)
  await waitForIndex()
  const first = await names('on_sale=true')
  // On a busy machine the moments may have passed already.
  if (Date.now() < Math.min(later.starts_at.getTime(), sooner.ends_at.getTime()))
    assert.deepEqual(first, ['Ending'])
  await eventually(
    'one sale to end and the other to start',
    async () => (await names('on_sale=true')).join() === 'Starting',
  )
  assert.deepEqual(await sorted('max_price=1000'), ['Free', 'Starting'])
  assert.deepEqual(await sorted('max_price=1500'), ['Dear', 'Free', 'Starting'])
  assert.deepEqual(await names('max_price=999'), ['Free'])
  assert.deepEqual(await names('max_price=0'), ['Free'])
  const [item] = (await search('on_sale=true')).items
  assert.deepEqual([item.price_cents, item.sale.price_cents, item.sale.percent], [2000, 1000, 50])
  const [after] = (await search('q=Ending')).items
  assert.equal(after.sale, null)
  assert.equal((await search('max_price=nonsense')).total, 4)
  assert.equal((await search('on_sale=nonsense')).total, 4)
})
