import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { startCatalog } from './fixtures.ts'

/** A store with a playable game, one that cannot be played, and one without a web build. */
async function startPlayable(t: TestContext, env: Record<string, string> = {}) {
  const app = await startCatalog(t, env)
  const listing = { tags: ['one', 'two', 'three'], asset_type: 'game' }
  const playable = await app.createListing({ ...listing, name: 'Playable', os: ['web', 'linux'] })
  const broken = await app.createListing({ ...listing, name: 'Broken', os: ['web'] })
  const native = await app.createListing({ ...listing, name: 'Native', os: ['linux'] })
  await app.sql`
    update files set web_problem = 'no_index', web_limits = 'x' where game_uid = ${broken.uid}`
  const search = async (query: string) => {
    const { items, facets } = must(await app.get(`/api/v1/public/search?${query}`))
    return { names: items.map(({ name }: { name: string }) => name).sort(), items, facets }
  }
  await eventually('the index', async () => (await search('tags=one')).names.length === 3)
  return { ...app, playable, broken, native, search }
}

const REMOTE = { BASE_URL: 'https://store.example' }

test('the search finds games that can be played in the browser', async (t) => {
  const { search } = await startPlayable(t)
  await eventually(
    'the check of the second game',
    async () => (await search('playable=browser')).names.length === 1,
  )
  assert.deepEqual((await search('playable=browser')).names, ['Playable'])
  assert.deepEqual((await search('playable=Browser')).names, ['Playable'])
  assert.deepEqual((await search('playable=browser&os=linux')).names, ['Playable'])
  // It is another filter than the system: a build that cannot be played can be downloaded.
  assert.deepEqual((await search('os=web')).names, ['Broken', 'Playable'])
  // Unknown values are ignored, as in all filters.
  assert.equal((await search('playable=phone')).names.length, 3)
  assert.deepEqual((await search('facets=playable')).facets, {
    playable: [{ value: 'browser', count: 1 }],
  })
})

test('lists, pages, exports and texts say what can be played', async (t) => {
  const { get, search, playable, broken, native, url } = await startPlayable(t)
  await eventually('the index', async () => (await search('playable=browser')).names.length === 1)
  const lines = (await get('/api/v1/public/export')).body.trim().split('\n').map(JSON.parse)
  const { items: cards } = must(await get('/api/v1/public/shelves/new'))
  const { items: results } = await search('tags=one')
  for (const [game, places] of [
    [playable, ['browser']],
    [broken, []],
    [native, []],
  ] as const) {
    const ofGame = (items: any[]) => items.find(({ uid }) => uid === game.uid).playable
    assert.deepEqual(ofGame(lines), places, 'export')
    assert.deepEqual(ofGame(cards), places, 'shelf')
    assert.deepEqual(ofGame(results), places, 'search')
    const listing = must(await get(`/api/v1/public/games/${game.uid}`))
    assert.deepEqual(listing.playable, places, 'page')
    const path = `/${game.username}/${game.vanity_name}`
    const is_playable = places.length > 0
    const { body: page } = await get(path)
    assert.equal(page.includes(`href="${path}/play"`), is_playable, 'button')
    assert.equal(/"gamePlatform":\[[^\]]*"Web browser"/.test(page), is_playable, 'JSON-LD')
    const { body: embed } = await get(`${path}/embed`)
    assert.equal(/>Play now</.test(embed), is_playable, 'embed')
    assert.equal(embed.includes(`href="${url}${path}/play"`), is_playable, 'embed')
    const { body: text } = await get(`${path}/llms.txt`)
    assert.equal(text.includes('- Playable: in the browser'), is_playable, 'llms.txt')
    assert.equal(text.includes(`${path}/play`), is_playable, 'llms.txt')
  }
  const shelf = must(await get('/api/v1/public/shelves/browser_playable')).items
  assert.deepEqual(
    shelf.map(({ uid }: { uid: string }) => uid),
    [playable.uid],
  )
})

test('the website filters by it, shows the filter and marks cards', async (t) => {
  const { get, search } = await startPlayable(t)
  await eventually('the index', async () => (await search('playable=browser')).names.length === 1)
  const all = (await get('/search')).body
  assert.match(all, /href="\/search\?playable=browser"[^>]*>[\s\S]*?In the browser/)
  assert.equal(all.match(/Plays in the browser/g)?.length, 1)
  const { body } = await get('/search?playable=browser')
  assert.match(body, /Playable/)
  assert.doesNotMatch(body, /Broken|Native/)
  assert.match(body, /class="chip"[^>]*href="\/search"[^>]*>[\s\S]*?In the browser/)
  assert.doesNotMatch((await get('/search?playable=phone')).body, /class="chip"/)
})

test('a store without origins for games plays nothing', async (t) => {
  const { get, search, playable } = await startPlayable(t, REMOTE)
  await eventually('the index', async () => (await search('os=web')).names.length === 2)
  assert.deepEqual((await search('playable=browser')).names, [])
  assert.deepEqual((await search('facets=playable,price')).facets, {
    price: [{ value: 'free', count: 3 }],
  })
  assert.deepEqual(must(await get('/api/v1/public/shelves/browser_playable')).items, [])
  const [item] = (await search('q=Playable')).items
  assert.deepEqual([item.playable, item.has_browser_build], [[], true])
  const path = `/${playable.username}/${playable.vanity_name}`
  assert.doesNotMatch((await get(path)).body, /Play in the browser|"Web browser"/)
  assert.doesNotMatch((await get('/search')).body, /Plays in the browser|playable=browser/)
})

test('a listing is found as soon as its build can be played, and no longer than that', async (t) => {
  const { search, sql, broken, playable } = await startPlayable(t)
  const expect = (names: string[]) =>
    eventually(
      names.join(),
      async () => (await search('playable=browser')).names.join() === names.join(),
    )
  await expect(['Playable'])
  await sql`update files set web_problem = null where game_uid = ${broken.uid}`
  await expect(['Broken', 'Playable'])
  await sql`update listings set visibility = 'draft' where uid = ${playable.uid}`
  await expect(['Broken'])
  await sql`update files set scan = 'infected' where game_uid = ${broken.uid}`
  await expect([])
})
