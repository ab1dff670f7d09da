import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageText } from '../../src/listings/page/page.ts'
import { type Answer, startApp } from '../support/app.ts'
import { makePublic, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, PAGES, publicListing } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

/** Returns the distinct statuses of the responses, sorted. */
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort()

test('concurrent edits of listings that depend on each other do not deadlock', async (t) => {
  const app = await sharedApp(t)
  const [a, b] = [
    await publicListing(app, { asset_type: 'plugin' }),
    await publicListing(app, { asset_type: 'plugin' }),
  ]
  const link = (from: typeof a, to: typeof a) =>
    app.put(
      `${GAMES}/${from.uid}/dependencies`,
      { dependencies: [{ game: to.uid, kind: 'uses' }] },
      from.owner,
    )
  const rename = (listing: typeof a, n: number) =>
    app.patch(`${GAMES}/${listing.uid}`, { name: `Name ${n}` }, listing.owner)
  await app.sql`update listings set visibility = 'draft' where uid in (${a.uid}, ${b.uid})`
  await app.sql`
    insert into listing_dependencies
    values (${a.uid}, 0, ${b.uid}, 'uses'), (${b.uid}, 0, ${a.uid}, 'uses')`
  const [before] =
    await app.sql`select deadlocks from pg_stat_database where datname = current_database()`
  assert.deepEqual(
    statuses(await Promise.all(Array.from({ length: 30 }, (_, n) => rename(n % 2 ? a : b, n)))),
    [200],
  )
  await app.sql`update listings set visibility = 'public' where uid in (${a.uid}, ${b.uid})`
  const linked = await Promise.all(
    Array.from({ length: 20 }, (_, n) => (n % 2 ? link(a, b) : link(b, a))),
  )
  // These pages already fail the listing check, so their edits must not be rejected for it.
  assert.deepEqual(statuses(linked), [200])
  await app.sql`select pg_stat_force_next_flush()`
  const [after] =
    await app.sql`select deadlocks from pg_stat_database where datname = current_database()`
  assert.equal(after!.deadlocks, before!.deadlocks)
})

test('of six concurrent requests for one vanity name, exactly one succeeds', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.developer()
  const listings = await Promise.all(Array.from({ length: 6 }, () => app.a.listing({ owner })))
  const answers = await Promise.all(
    listings.map(({ uid }) => app.patch(`${GAMES}/${uid}`, { vanity_name: 'wanted' }, owner)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  assert.equal(answers.find(({ status }) => status === 409)!.body.data.field, 'vanity_name')
})

test('a link to a listing that is being deleted is rejected or removed with it', async (t) => {
  const app = await sharedApp(t)
  const owner = await app.a.developer()
  for (let round = 0; round < 4; round++) {
    const [target, mod] = [
      await publicListing(app, { owner }),
      await app.a.listing({ owner, asset_type: 'mod' }),
    ]
    const answers = await Promise.all([
      app.del(`${GAMES}/${target.uid}`, owner),
      app.patch(`${GAMES}/${mod.uid}`, { parent: { game: target.uid } }, owner),
      app.put(`${GAMES}/${mod.uid}/similar`, { games: [target.uid] }, owner),
      app.put(
        `${GAMES}/${mod.uid}/dependencies`,
        { dependencies: [{ game: target.uid, kind: 'supports' }] },
        owner,
      ),
      app.post(`${GAMES}/${target.uid}/deploy-keys`, undefined, owner),
    ])
    for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body))
    const page = must(await app.get(`${GAMES}/${mod.uid}`, owner))
    assert.deepEqual([page.parent, page.similar, page.relations.uses], [null, [], []])
  }
})

test('the name of a hidden page is not shown to owners of pages that link to it', async (t) => {
  const app = await sharedApp(t)
  const [own, theirs] = [await app.a.listing({ asset_type: 'mod' }), await publicListing(app)]
  must(await app.patch(`${GAMES}/${own.uid}`, { parent: { game: theirs.uid } }, own.owner))
  must(await app.put(`${GAMES}/${own.uid}/similar`, { games: [theirs.uid] }, own.owner))
  must(
    await app.put(
      `${GAMES}/${own.uid}/dependencies`,
      { dependencies: [{ game: theirs.uid, kind: 'supports' }] },
      own.owner,
    ),
  )
  must(
    await app.patch(
      `${GAMES}/${theirs.uid}`,
      { visibility: 'owner', name: 'Unannounced Sequel' },
      theirs.owner,
    ),
  )
  const page = await app.get(`${GAMES}/${own.uid}`, own.owner)
  assert.doesNotMatch(JSON.stringify(page.body), /Unannounced/)
})

test('adult titles are named on adult pages only, and no adult page is indexable', async (t) => {
  const app = await sharedApp(t)
  const [page, adult] = [await publicListing(app), await publicListing(app)]
  must(await app.put(`${GAMES}/${page.uid}/similar`, { games: [adult.uid] }, page.owner))
  must(await app.patch(`${GAMES}/${adult.uid}`, { adult: true }, adult.owner))
  const similar = async () => must(await app.get(`${PAGES}/${page.uid}`)).similar.length
  assert.equal(await similar(), 0)
  assert.equal(must(await app.get(`${PAGES}/${adult.uid}`)).indexable, false)
  must(await app.patch(`${GAMES}/${page.uid}`, { adult: true }, page.owner))
  assert.equal(await similar(), 1)
})

test('an agent key changes the price only with mcp:money', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await app.a.listing()
  const { key } = await app.a.key('agent', owner, ['mcp:catalog.write'])
  assert.deepEqual(
    refused(await app.patch(`${GAMES}/${uid}`, { price_cents: 700 }, { token: key })),
    [403, 4031],
  )
  must(await app.patch(`${GAMES}/${uid}`, { tagline: 'fine' }, { token: key }))
  const { key: money } = await app.a.key('agent', owner, ['mcp:catalog.write', 'mcp:money'])
  must(await app.patch(`${GAMES}/${uid}`, { price_cents: 700 }, { token: money }))
})

test('a bundle shows only its public parts, and deleted parts are removed', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await publicListing(app)
  const [part, draft] = [await publicListing(app, { owner }), await app.a.listing({ owner })]
  const body = {
    slug: 'all',
    name: 'All',
    kind: 'bundle',
    price_cents: 500,
    bundle_asset_uids: [part.uid, draft.uid],
  }
  const edition = must(await app.post(`${GAMES}/${uid}/editions`, body, owner))
  assert.deepEqual(must(await app.get(`${PAGES}/${uid}`)).editions[0].bundle_asset_uids, [part.uid])
  must(await app.del(`${GAMES}/${draft.uid}`, owner))
  assert.deepEqual(
    must(await app.patch(`${GAMES}/${uid}/editions/${edition.uid}`, { name: 'Everything' }, owner))
      .bundle_asset_uids,
    [part.uid],
  )
})

test('changing the type removes links that the new type cannot have', async (t) => {
  const app = await sharedApp(t)
  const [plugin, game] = [await app.a.listing({ asset_type: 'plugin' }), await publicListing(app)]
  must(
    await app.put(
      `${GAMES}/${plugin.uid}/dependencies`,
      { dependencies: [{ game: game.uid, kind: 'supports' }] },
      plugin.owner,
    ),
  )
  assert.deepEqual(
    must(await app.patch(`${GAMES}/${plugin.uid}`, { asset_type: 'game_asset' }, plugin.owner))
      .relations.uses,
    [],
  )
})

test('accepting an invite can accept the terms too, and an invite can name a uid', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await app.a.listing()
  const player = await app.a.user()
  must(await app.post(`${GAMES}/${uid}/admins`, { username: player.uid }, owner))
  must(await app.post(`/api/v1/private/invites/${uid}/accept`, { accept_terms: true }, player))
  assert.equal(must(await app.get('/api/v1/private/account', player)).developer, true)
  assert.equal((await app.get(`${GAMES}/${uid}`, player)).status, 200)
})

test('long lists are paginated and include the total', async (t) => {
  const app = await sharedApp(t)
  const game = await publicListing(app)
  for (let n = 0; n < 3; n++) {
    const { uid } = await publicListing(app, { owner: game.owner, asset_type: 'mod' })
    await app.sql`update listings set parent_uid = ${game.uid} where uid = ${uid}`
  }
  const children = must(await app.get(`${PAGES}/${game.uid}/children?page=2&page_size=2`))
  assert.deepEqual(
    [children.items.length, children.total, children.page, children.page_size],
    [1, 3, 2, 2],
  )
  const page = must(await app.get(`${GAMES}?page=1&page_size=3`, game.owner))
  assert.deepEqual([page.items.length, page.total], [3, 4])
  assert.equal(must(await app.get(`${GAMES}?page=-5&page_size=100000`, game.owner)).page_size, 100)
})

test('links and names of a page are validated as they would be stored', async (t) => {
  const app = await sharedApp(t)
  const { uid, owner } = await app.a.listing()
  for (const demo_url of [
    `https://a.example/${'é'.repeat(200)}`,
    'http://127.0.0.1:22/',
    'http://localhost/',
    'ht\ntps://a.example/',
  ])
    assert.deepEqual(
      refused(await app.patch(`${GAMES}/${uid}`, { demo_url }, owner)),
      [400, 4000],
      demo_url,
    )
  for (const name of ['\u3164', '\u2800', '\u202egnp.exe'])
    assert.deepEqual(
      refused(await app.patch(`${GAMES}/${uid}`, { name }, owner)),
      [400, 4000],
      JSON.stringify(name),
    )
})

test('those who read a page right after a change share one query', async (t) => {
  const { a, core, sql } = await sharedApp(t)
  const { uid } = await a.listing()
  await makePublic(sql, uid)
  let pages = 0
  const read = () =>
    pageText(core, null, uid, ({ tagline }) => {
      pages++
      return tagline
    })
  for (const tagline of ['First', 'Second']) {
    await sql`update listings set tagline = ${tagline} where uid = ${uid}`
    pages = 0
    const texts = await Promise.all(Array.from({ length: 20 }, read))
    assert.deepEqual([new Set(texts), pages], [new Set([tagline]), 1])
  }
})
