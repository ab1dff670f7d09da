import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { entry, sharedImportApp } from './fixtures.ts'

const startStrict = sharedImportApp({ ADULT_CONTENT: 'off', PAID_LISTINGS: 'off' })
const startWithoutGames = sharedImportApp({ ASSET_TYPES: 'tool' })

test('an import into a store of free listings leaves the price out', async () => {
  const { app, preview, imported, listing, developer } = await startStrict()
  const who = await developer()
  const request = app()
  const skipped = entry(must(await preview(who, request)), 'skipped', 'price_cents')
  assert.equal(skipped?.reason, 'This store has only free listings')
  const { game_uid } = must(await imported(who, request))
  assert.equal((await listing(who, game_uid)).price_cents, 0)
})

test('an adult game is not imported into a store without adult content', async () => {
  const { app, preview, imported, developer, get } = await startStrict()
  const who = await developer()
  const request = app({ content_descriptors: { ids: [3], notes: null } })
  assert.deepEqual(refused(await preview(who, request)), [422, 4266])
  assert.deepEqual(refused(await imported(who, request)), [422, 4266])
  assert.deepEqual(must(await get('/api/v1/private/games', who)).items, [])
})

test('nothing is imported into a store that takes no games', async () => {
  const { app, preview, imported, developer } = await startWithoutGames()
  const who = await developer()
  assert.deepEqual(refused(await preview(who, app())), [422, 4268])
  assert.deepEqual(refused(await imported(who, app())), [422, 4268])
})
