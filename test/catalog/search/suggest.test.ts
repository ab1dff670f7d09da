import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { emptySearch } from './fixtures.ts'

const SUGGEST = '/api/v1/public/search/suggest'

test('names, developers, tags and engines that begin with the text are suggested', async (t) => {
  const { get, a, createListing, waitForIndex } = await emptySearch(t)
  const owner = await a.developer({ username: 'cozyworks' })
  const base = { owner_uid: owner.uid, tags: ['cozy', 'cosmic'], engines: ['cocos'] }
  await createListing({ ...base, name: 'Cozy Harbor' })
  await createListing({ ...base, name: 'Night Train', tags: ['cozy'] })
  await waitForIndex()
  const suggest = async (q: string) => must(await get(`${SUGGEST}?q=${encodeURIComponent(q)}`))
  const { listings, developers, tags, engines } = await suggest('co')
  assert.deepEqual(developers, [{ username: 'cozyworks' }])
  assert.deepEqual(tags, [
    { value: 'cozy', count: 2 },
    { value: 'cosmic', count: 1 },
  ])
  assert.deepEqual(engines, [{ value: 'cocos', count: 2 }])
  assert.equal(listings[0].name, 'Cozy Harbor')
  assert.equal(listings[0].username, 'cozyworks')
  assert.match(listings[0].url, /\/cozyworks\/listing-/)
  assert.deepEqual(
    (await suggest('COZY har')).listings.map(({ name }: never) => name),
    ['Cozy Harbor'],
  )
  const none = { listings: [], developers: [], tags: [], engines: [] }
  assert.deepEqual(await suggest('c'), none)
  assert.deepEqual(await suggest(' '), none)
  assert.deepEqual(await suggest('zzzz'), none)
  assert.deepEqual((await suggest('co%')).developers, [], 'signs of patterns are only text')
  assert.deepEqual(refused(await get(`${SUGGEST}?q=${'a'.repeat(201)}`)), [400, 4000])
  assert.deepEqual(must(await get(SUGGEST)), none)
})

test('nothing of a listing that the viewer may not see is suggested', async (t) => {
  const { get, put, sql, a, createListing, waitForIndex } = await emptySearch(t)
  const shy = await a.developer({ username: 'secretive' })
  const adult_owner = await a.developer({ username: 'secretadult' })
  const hidden = await createListing({
    owner_uid: shy.uid,
    name: 'Secret Project',
    tags: ['secret-tag'],
    engines: ['secretengine'],
  })
  await createListing({
    owner_uid: adult_owner.uid,
    name: 'Secret Adult',
    tags: ['secret-adult'],
    adult: true,
  })
  await waitForIndex()
  const suggest = async (who?: { token: string }) => must(await get(`${SUGGEST}?q=secret`, who))
  const before = await suggest()
  assert.deepEqual(before.tags, [{ value: 'secret-tag', count: 1 }])
  assert.deepEqual(before.developers, [{ username: 'secretive' }])
  assert.deepEqual(
    before.listings.map(({ name }: never) => name),
    ['Secret Project'],
  )

  const adult = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, adult))
  const seen = await suggest(adult)
  assert.equal(seen.tags.length, 2)
  assert.equal(seen.developers.length, 2)
  assert.equal(seen.listings.length, 2)

  await sql`update listings set visibility = 'draft' where uid = ${hidden}`
  await waitForIndex()
  assert.deepEqual(await suggest(), { listings: [], developers: [], tags: [], engines: [] })
})
