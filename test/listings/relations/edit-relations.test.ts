import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { makePublic, must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { GAMES, PAGES, publicListing } from '../fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('similar titles preserve their order; invalid ones are 4072', async (t) => {
  const app = await sharedApp(t)
  const { a, put, get, sql } = app
  const listing = await a.listing()
  const [first, second, tool, draft] = [
    await publicListing(app),
    await publicListing(app),
    await publicListing(app, { asset_type: 'tool' }),
    await a.listing(),
  ]
  const set = (games: unknown) => put(`${GAMES}/${listing.uid}/similar`, { games }, listing.owner)
  assert.deepEqual(
    must(await set([second.uid, first.vanity_name])).similar.map(({ uid }: any) => uid),
    [second.uid, first.uid],
  )
  for (const games of [
    [draft.uid],
    [listing.uid],
    [tool.uid],
    [randomUUID()],
    [first.uid, first.vanity_name],
    Array(11).fill(first.uid),
    'x',
    [5],
  ])
    assert.deepEqual(refused(await set(games)), [422, 4072], JSON.stringify(games).slice(0, 40))
  await sql`update listings set visibility = 'draft' where uid = ${second.uid}`
  assert.deepEqual(
    must(await get(`${PAGES}/${listing.uid}`, listing.owner)).similar.map(({ uid }: any) => uid),
    [first.uid],
    'a listing that was hidden later is named',
  )
  assert.deepEqual(must(await set([])).similar, [])
})

test('dependencies show on both pages while both are public; invalid ones are 4229', async (t) => {
  const app = await sharedApp(t)
  const { a, put, get, sql } = app
  const mod = await publicListing(app, { asset_type: 'mod', name: 'A mod' })
  const [game, tool, plugin, draft] = [
    await publicListing(app),
    await publicListing(app, { asset_type: 'tool' }),
    await publicListing(app, { asset_type: 'plugin' }),
    await a.listing(),
  ]
  const set = (dependencies: unknown) =>
    put(`${GAMES}/${mod.uid}/dependencies`, { dependencies }, mod.owner)
  await sql`update listings set visibility = 'draft' where uid = ${mod.uid}`
  const uses = must(
    await set([
      { game: game.uid, kind: 'supports' },
      { game: plugin.vanity_name, kind: 'uses' },
      { game: tool.uid, kind: 'made_with' },
    ]),
  ).relations.uses
  assert.deepEqual(
    uses.map(({ uid, kind }: any) => [uid, kind]),
    [
      [game.uid, 'supports'],
      [plugin.uid, 'uses'],
      [tool.uid, 'made_with'],
    ],
  )
  const usedBy = async () => must(await get(`${PAGES}/${game.uid}/relations`)).relations.used_by
  assert.deepEqual(await usedBy(), [], 'a draft is named on a public page')
  await makePublic(app.sql, mod.uid)
  assert.deepEqual(await usedBy(), [
    {
      uid: mod.uid,
      vanity_name: mod.vanity_name,
      name: 'A mod',
      asset_type: 'mod',
      kind: 'supports',
    },
  ])
  assert.deepEqual(
    must(await get(`${PAGES}/${game.uid}`)).relations.used_by,
    await usedBy(),
    'the page and the route differ',
  )
  for (const dependencies of [
    [{ game: draft.uid, kind: 'supports' }],
    [{ game: mod.uid, kind: 'uses' }],
    [{ game: game.uid, kind: 'likes' }],
    [{ game: game.uid, kind: 'uses' }],
    [
      { game: game.uid, kind: 'supports' },
      { game: game.uid, kind: 'supports' },
    ],
    Array(51).fill({ game: game.uid, kind: 'supports' }),
    {},
    [game.uid],
  ])
    assert.deepEqual(
      refused(await set(dependencies)),
      [422, 4229],
      JSON.stringify(dependencies).slice(0, 50),
    )
})

test('engine ranges preserve their order, and invalid ones return 4230', async (t) => {
  const { a, put, get } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const set = (ranges: unknown) => put(`${GAMES}/${uid}/engine-compat`, { ranges }, owner)
  const ranges = [
    {
      engine: 'engine-x',
      min_version: '4.1',
      max_version: '4.3',
      renderer: 'forward',
      platform: 'linux',
    },
    { engine: 'engine-y', min_version: null, max_version: null, renderer: null, platform: null },
  ]
  must(await set(ranges))
  assert.deepEqual(must(await get(`${PAGES}/${uid}/relations`, owner)).engine_compat, ranges)
  for (const invalid of [
    [{ engine: 'Engine X' }],
    [{ engine: 'x', min_version: 'new' }],
    [{ engine: 'x', min_version: '4.3', max_version: '4.2' }],
    [{ engine: 'x', platform: 'amiga' }],
    Array(11).fill({ engine: 'x' }),
    'x',
  ])
    assert.deepEqual(refused(await set(invalid)), [422, 4230], JSON.stringify(invalid).slice(0, 50))
  must(await set([]))
  assert.deepEqual(must(await get(`${PAGES}/${uid}`, owner)).engine_compat, [])
})

test('store links are replaced together, shown with a label, and rejected with 4238', async (t) => {
  const { a, put, get } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const URL = `${GAMES}/${uid}/store-links`
  const set = (store_links: unknown) => put(URL, { store_links }, owner)
  const offered = must(await get(URL, owner))
  assert.deepEqual([offered.store_links, offered.stores.length], [[], 11])
  const host = (platform: string) =>
    offered.stores.find((store: any) => store.platform === platform).hosts[0]
  const saved = must(
    await set([
      { platform: 'store_02', url: `https://${host('store_02')}/game/x#reviews` },
      { platform: 'store_01', url: `https://${host('store_01')}/app/1` },
    ]),
  )
  assert.deepEqual(
    must(await get(`${PAGES}/${uid}`, owner)).store_links.map(({ platform, url }: any) => [
      platform,
      url,
    ]),
    [
      ['store_01', `https://${host('store_01')}/app/1`],
      ['store_02', `https://${host('store_02')}/game/x`],
    ],
  )
  assert.ok(saved.store_links[0].label)
  for (const links of [
    [{ platform: 'store_12', url: 'https://x.example' }],
    [{ platform: 'store_01', url: 'https://evil.example' }],
    [{ platform: 'store_01', url: `http://${host('store_01')}/` }],
    [{ platform: 'store_01', url: `https://${host('store_01')}.evil.example/` }],
    [{ platform: 'store_01', url: `https://evil-${host('store_01')}/` }],
    [
      { platform: 'store_01', url: `https://${host('store_01')}/a` },
      { platform: 'store_01', url: `https://${host('store_01')}/b` },
    ],
    'x',
  ])
    assert.deepEqual(refused(await set(links)), [422, 4238], JSON.stringify(links))
  assert.equal(
    must(await get(URL, owner)).store_links.length,
    2,
    'a refused list changed the links',
  )
  assert.deepEqual(must(await set([])).store_links, [])
})
