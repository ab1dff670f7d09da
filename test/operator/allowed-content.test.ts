import assert from 'node:assert/strict'
import { test } from 'node:test'
import { listingTypes } from '../../src/core/settings/table.ts'
import { assetTypes } from '../../src/listings/fields/fields.ts'
import { connect } from '../agents/mcp-client.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must, refused } from '../support/builders.ts'
import { sharedConsole, startConsole } from './fixtures.ts'

const startShared = sharedConsole()

const GAMES = '/api/v1/private/games'
const PAGES = '/api/v1/public/games'

test('the setting of types names every type of listing', () => {
  assert.deepEqual([...listingTypes].sort(), [...assetTypes].sort())
})

test('types that are off can be neither created nor chosen, and listings of them stay', async (t) => {
  const { a, set, post, patch, get, signedIn, published } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const tool = await published({ owner, asset_type: 'dev_asset' })
  const game = await a.listing({ owner })
  await set({ asset_types: ['application', 'tool'] })
  assert.deepEqual(must(await get('/api/v1/public/store-rules')).asset_types, [
    'application',
    'tool',
  ])
  const create = (body: object) => post(GAMES, { name: 'Tide', ...body }, owner)
  assert.deepEqual(refused(await create({ asset_type: 'dev_asset' })), [422, 4268])
  assert.deepEqual(refused(await create({})), [422, 4268])
  must(await create({ asset_type: 'application' }))
  const change = await patch(`${GAMES}/${game.uid}`, { asset_type: 'dev_asset' }, owner)
  assert.deepEqual(refused(change), [422, 4268])
  assert.deepEqual(change.body.data, {
    field: 'asset_type',
    asset_types: ['application', 'tool'],
  })
  must(await patch(`${GAMES}/${game.uid}`, { asset_type: 'application' }, owner))
  assert.deepEqual(
    refused(await patch(`${GAMES}/${game.uid}`, { asset_type: 'game' }, owner)),
    [422, 4268],
  )
  must(await patch(`${GAMES}/${tool.uid}`, { asset_type: 'dev_asset', tagline: 'Still' }, owner))
  must(await get(`${PAGES}/${tool.uid}`))

  const browser = signedIn(owner)
  const typesOn = async (path: string) =>
    [...(await browser.open(path)).body.matchAll(/<option value="(\w+)"/g)].map(([, type]) => type)
  assert.deepEqual(await typesOn('/dashboard/new'), ['application', 'tool'])
  const settings = await typesOn(`/dashboard/${tool.vanity_name}/settings`)
  assert.deepEqual(settings.filter((type) => assetTypes.includes(type as never)).sort(), [
    'application',
    'dev_asset',
    'tool',
  ])
})

test('an agent cannot create a listing of a type that is off', async (t) => {
  const { a, set, url } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  await set({ asset_types: ['tool'] })
  const { key } = await a.key('agent', owner, ['mcp:catalog.write', 'mcp:read'])
  const { call } = await connect(t, url, '/mcp', key)
  assert.equal((await call('create_game', { name: 'Tide' })).refused?.code, 4268)
})

test('a store without paid listings refuses prices and keeps those from before', async (t) => {
  const { a, set, post, put, patch, get, signedIn, published } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const paid = await published({ owner }, { price_cents: 500 })
  const free = await a.listing({ owner })
  const draft = await published({ owner }, { price_cents: 700 })
  must(await patch(`${GAMES}/${draft.uid}`, { visibility: 'draft' }, owner))
  const edition = { slug: 'deluxe', name: 'Deluxe', description: '', price_cents: 900 }
  const { uid: edition_uid } = must(await post(`${GAMES}/${paid.uid}/editions`, edition, owner))
  await set({ paid_listings: false })
  assert.equal(must(await get('/api/v1/public/store-rules')).paid_listings, false)

  const price = (uid: string, price_cents: number) =>
    patch(`${GAMES}/${uid}`, { price_cents }, owner)
  assert.deepEqual(refused(await price(free.uid, 99)), [422, 4267])
  assert.deepEqual(
    refused(await put(`${GAMES}/${free.uid}/price`, { price_cents: 99 }, owner)),
    [422, 4267],
  )
  must(await price(free.uid, 0))
  assert.deepEqual(
    refused(await post(`${GAMES}/${free.uid}/editions`, edition, owner)),
    [422, 4267],
  )
  const change = (changes: object) =>
    patch(`${GAMES}/${paid.uid}/editions/${edition_uid}`, changes, owner)
  assert.deepEqual(refused(await change({ price_cents: 800 })), [422, 4267])
  must(await change({ name: 'Grand' }))
  must(await change({ active: false }))
  assert.deepEqual(refused(await change({ active: true })), [422, 4267])
  assert.equal(must(await get(`${PAGES}/${paid.uid}`)).price_cents, 500)
  must(await price(paid.uid, 500))
  assert.deepEqual(refused(await price(paid.uid, 400)), [422, 4267])

  const publish = (uid: string, more = {}) =>
    patch(`${GAMES}/${uid}`, { visibility: 'public', ...more }, owner)
  assert.deepEqual(refused(await publish(draft.uid)), [422, 4267])
  must(await publish(draft.uid, { price_cents: 0 }))

  const page = await signedIn(owner).open(`/dashboard/${free.vanity_name}/settings`)
  assert.match(page.body, /This store has only free listings\. Enter 0\./)
  assert.doesNotMatch(page.body, /editions\/new/)
})

test('a store without adult content refuses it and shows such listings to owners only', async (t) => {
  const { a, set, patch, post, get, signedIn, published, visitor } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const adult = await published({ owner, name: 'Red Lantern' }, { adult: true })
  const unlisted = await published({ owner }, { adult: true })
  must(await patch(`${GAMES}/${unlisted.uid}`, { visibility: 'invisible' }, owner))
  const other = await a.listing({ owner })
  await set({ adult_content: false })

  for (const { uid, path } of [adult, unlisted]) {
    const missing = await get(`${PAGES}/00000000-0000-4000-8000-000000000000`)
    assert.deepEqual((await get(`${PAGES}/${uid}`)).body, missing.body)
    assert.equal((await visitor().open(path)).status, 404)
    assert.equal((await signedIn(owner).open(path)).status, 200)
  }
  const dashboard = await signedIn(owner).open(`/dashboard/${adult.vanity_name}/overview`)
  assert.match(dashboard.body, /This store does not allow adult content\. Only its owner/)
  const settings = await signedIn(owner).open(`/dashboard/${other.vanity_name}/settings`)
  assert.match(settings.body, /This store does not allow adult content\./)
  assert.doesNotMatch((await signedIn(owner).open('/settings')).body, /action="\/settings\/adult"/)

  const change = (uid: string, changes: object) => patch(`${GAMES}/${uid}`, changes, owner)
  assert.deepEqual(refused(await change(other.uid, { adult: true })), [422, 4266])
  assert.deepEqual(refused(await post(GAMES, { name: 'Tide', adult: true }, owner)), [422, 4266])
  for (const visibility of ['public', 'invisible'])
    assert.deepEqual(refused(await change(adult.uid, { visibility })), [422, 4266])
  must(await change(adult.uid, { adult: true, tagline: 'Edited meanwhile' }))

  await set({ adult_content: true })
  assert.equal(must(await get(`${PAGES}/${adult.uid}`)).visibility, 'public')
  assert.equal(must(await get(`${PAGES}/${unlisted.uid}`)).visibility, 'invisible')
  must(await change(other.uid, { adult: true }))
})

test('what the owner decides about a hidden adult listing stays when adult content is back', async (t) => {
  const { a, set, patch, get, published } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const withdrawn = await published({ owner }, { adult: true })
  const tamed = await published({ owner }, { adult: true })
  await set({ adult_content: false })
  const change = (uid: string, changes: object) => patch(`${GAMES}/${uid}`, changes, owner)
  must(await change(withdrawn.uid, { visibility: 'draft' }))
  must(await change(tamed.uid, { adult: false }))
  assert.equal((await get(`${PAGES}/${tamed.uid}`)).status, 404)
  await set({ adult_content: true })
  const visibility = async (uid: string) =>
    must(await get(`${GAMES}/${uid}`, owner)).visibility as string
  assert.equal(await visibility(withdrawn.uid), 'draft')
  assert.equal(await visibility(tamed.uid), 'owner')
  must(await change(tamed.uid, { visibility: 'public' }))
})

test('adult listings are hidden in every process, and from the start of one', async (t) => {
  const { a, set, get, patch, sql, settings } = await startConsole(t)
  const other = await startApp(t, { DATABASE_URL: settings.DATABASE_URL })
  const { uid, owner } = await a.listing({ owner: await a.verifiedDeveloper() })
  must(await patch(`${GAMES}/${uid}`, { adult: true }, owner))
  await makePublic(sql, uid)
  await set({ adult_content: false })
  assert.equal((await other.get(`${PAGES}/${uid}`)).status, 404)
  await eventually('the setting', () => !other.core.settings.current.adult_content)
  await set({ adult_content: null })
  assert.equal((await get(`${PAGES}/${uid}`)).status, 200)
  const fixed = await startApp(t, { DATABASE_URL: settings.DATABASE_URL, ADULT_CONTENT: 'off' })
  assert.equal((await fixed.get(`${PAGES}/${uid}`)).status, 404)
})

test('no adult listing stays public when it is published while the setting changes', async (t) => {
  const { a, set, patch, get, published } = await startShared(t)
  const owner = await a.verifiedDeveloper()
  const listing = await published({ owner }, { adult: true })
  for (let round = 0; round < 6; round++) {
    await set({ adult_content: true })
    must(await patch(`${GAMES}/${listing.uid}`, { visibility: 'draft' }, owner))
    await Promise.all([
      set({ adult_content: false }),
      patch(`${GAMES}/${listing.uid}`, { visibility: 'public' }, owner),
    ])
    assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 404, `round ${round}`)
  }
})
