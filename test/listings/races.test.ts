import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answer, startApp } from '../support/app.ts'
import { must, type Person } from '../support/builders.ts'

const MINE = '/api/v1/private/games'
const PAGE = '/api/v1/public/games'
const refused = ({ status, body }: Answer) => [status, body.error?.code]
type App = Awaited<ReturnType<typeof startApp>>

async function publicListing(app: App, asked: { owner?: Person; asset_type?: string } = {}) {
  const listing = await app.a.listing(asked)
  await app.sql`update listings set visibility = 'public', published_at = now(), public_since = now() where uid = ${listing.uid}`
  return listing
}

/** Returns the distinct statuses of the responses, sorted. */
const statuses = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort()

test('concurrent edits of listings that depend on each other neither fail nor deadlock', async (t) => {
  const app = await startApp(t)
  const [a, b] = [
    await publicListing(app, { asset_type: 'plugin' }),
    await publicListing(app, { asset_type: 'plugin' }),
  ]
  const link = (from: typeof a, to: typeof a) =>
    app.put(
      `${MINE}/${from.uid}/dependencies`,
      { dependencies: [{ game: to.uid, kind: 'uses' }] },
      from.owner,
    )
  const rename = (one: typeof a, n: number) =>
    app.patch(`${MINE}/${one.uid}`, { name: `Name ${n}` }, one.owner)
  await app.sql`update listings set visibility = 'draft' where uid in (${a.uid}, ${b.uid})`
  await app.sql`insert into listing_dependencies values (${a.uid}, 0, ${b.uid}, 'uses'), (${b.uid}, 0, ${a.uid}, 'uses')`
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

test('of six concurrent requests for one vanity name, one succeeds and the others are rejected', async (t) => {
  const app = await startApp(t)
  const owner = await app.a.developer()
  const listings = await Promise.all(Array.from({ length: 6 }, () => app.a.listing({ owner })))
  const answers = await Promise.all(
    listings.map(({ uid }) => app.patch(`${MINE}/${uid}`, { vanity_name: 'wanted' }, owner)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409, 409, 409, 409])
  assert.equal(answers.find(({ status }) => status === 409)!.body.data.field, 'vanity_name')
})

test('a link to a listing that is being deleted is rejected or removed with it', async (t) => {
  const app = await startApp(t)
  const owner = await app.a.developer()
  for (let round = 0; round < 4; round++) {
    const [target, mod] = [
      await publicListing(app, { owner }),
      await app.a.listing({ owner, asset_type: 'mod' }),
    ]
    const answers = await Promise.all([
      app.del(`${MINE}/${target.uid}`, owner),
      app.patch(`${MINE}/${mod.uid}`, { parent: { game: target.uid } }, owner),
      app.put(`${MINE}/${mod.uid}/similar`, { games: [target.uid] }, owner),
      app.put(
        `${MINE}/${mod.uid}/dependencies`,
        { dependencies: [{ game: target.uid, kind: 'supports' }] },
        owner,
      ),
      app.post(`${MINE}/${target.uid}/deploy-keys`, undefined, owner),
    ])
    for (const { status, body } of answers) assert.ok(status < 500, JSON.stringify(body))
    const page = must(await app.get(`${MINE}/${mod.uid}`, owner))
    assert.deepEqual([page.parent, page.similar, page.relations.uses], [null, [], []])
  }
})

test('the name of a page that became hidden is not shown to owners of pages that link to it', async (t) => {
  const app = await startApp(t)
  const [mine, theirs] = [await app.a.listing({ asset_type: 'mod' }), await publicListing(app)]
  must(await app.patch(`${MINE}/${mine.uid}`, { parent: { game: theirs.uid } }, mine.owner))
  must(await app.put(`${MINE}/${mine.uid}/similar`, { games: [theirs.uid] }, mine.owner))
  must(
    await app.put(
      `${MINE}/${mine.uid}/dependencies`,
      { dependencies: [{ game: theirs.uid, kind: 'supports' }] },
      mine.owner,
    ),
  )
  must(
    await app.patch(
      `${MINE}/${theirs.uid}`,
      { visibility: 'owner', name: 'Unannounced Sequel' },
      theirs.owner,
    ),
  )
  const page = await app.get(`${MINE}/${mine.uid}`, mine.owner)
  assert.doesNotMatch(JSON.stringify(page.body), /Unannounced/)
})

test('adult titles are named on adult pages only, and no adult page is indexable', async (t) => {
  const app = await startApp(t)
  const [page, adult] = [await publicListing(app), await publicListing(app)]
  must(await app.put(`${MINE}/${page.uid}/similar`, { games: [adult.uid] }, page.owner))
  must(await app.patch(`${MINE}/${adult.uid}`, { adult: true }, adult.owner))
  const similar = async () => must(await app.get(`${PAGE}/${page.uid}`)).similar.length
  assert.equal(await similar(), 0)
  assert.equal(must(await app.get(`${PAGE}/${adult.uid}`)).indexable, false)
  must(await app.patch(`${MINE}/${page.uid}`, { adult: true }, page.owner))
  assert.equal(await similar(), 1)
})

test('an agent key changes the price only with mcp:money', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await app.a.listing()
  const { key } = await app.a.key('agent', owner, ['mcp:catalog.write'])
  assert.deepEqual(
    refused(await app.patch(`${MINE}/${uid}`, { price_cents: 700 }, { token: key })),
    [403, 4031],
  )
  must(await app.patch(`${MINE}/${uid}`, { tagline: 'fine' }, { token: key }))
  const { key: money } = await app.a.key('agent', owner, ['mcp:catalog.write', 'mcp:money'])
  must(await app.patch(`${MINE}/${uid}`, { price_cents: 700 }, { token: money }))
})

test('a bundle shows the public only its public parts, and deleted parts are removed', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await publicListing(app)
  const [part, draft] = [await publicListing(app, { owner }), await app.a.listing({ owner })]
  const body = {
    slug: 'all',
    name: 'All',
    kind: 'bundle',
    price_cents: 500,
    bundle_asset_uids: [part.uid, draft.uid],
  }
  const edition = must(await app.post(`${MINE}/${uid}/editions`, body, owner))
  assert.deepEqual(must(await app.get(`${PAGE}/${uid}`)).editions[0].bundle_asset_uids, [part.uid])
  must(await app.del(`${MINE}/${draft.uid}`, owner))
  assert.deepEqual(
    must(await app.patch(`${MINE}/${uid}/editions/${edition.uid}`, { name: 'Everything' }, owner))
      .bundle_asset_uids,
    [part.uid],
  )
})

test('changing the type removes links that the new type cannot have', async (t) => {
  const app = await startApp(t)
  const [plugin, game] = [await app.a.listing({ asset_type: 'plugin' }), await publicListing(app)]
  must(
    await app.put(
      `${MINE}/${plugin.uid}/dependencies`,
      { dependencies: [{ game: game.uid, kind: 'supports' }] },
      plugin.owner,
    ),
  )
  assert.deepEqual(
    must(await app.patch(`${MINE}/${plugin.uid}`, { asset_type: 'game_asset' }, plugin.owner))
      .relations.uses,
    [],
  )
})

test('accepting an invite can accept the terms too, and an invite can name a uid', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await app.a.listing()
  const player = await app.a.user()
  must(await app.post(`${MINE}/${uid}/admins`, { username: player.uid }, owner))
  must(await app.post(`/api/v1/private/invites/${uid}/accept`, { accept_terms: true }, player))
  assert.equal(must(await app.get('/api/v1/private/account', player)).developer, true)
  assert.equal((await app.get(`${MINE}/${uid}`, player)).status, 200)
})

test('long lists are paginated and include the total', async (t) => {
  const app = await startApp(t)
  const game = await publicListing(app)
  for (let n = 0; n < 3; n++) {
    const { uid } = await publicListing(app, { owner: game.owner, asset_type: 'mod' })
    await app.sql`update listings set parent_uid = ${game.uid} where uid = ${uid}`
  }
  const children = must(await app.get(`${PAGE}/${game.uid}/children?page=2&page_size=2`))
  assert.deepEqual(
    [children.items.length, children.total, children.page, children.page_size],
    [1, 3, 2, 2],
  )
  const mine = must(await app.get(`${MINE}?page=1&page_size=3`, game.owner))
  assert.deepEqual([mine.items.length, mine.total], [3, 4])
  assert.equal(must(await app.get(`${MINE}?page=-5&page_size=100000`, game.owner)).page_size, 100)
})

test('links and names of a page are validated as they would be stored', async (t) => {
  const app = await startApp(t)
  const { uid, owner } = await app.a.listing()
  for (const demo_url of [
    `https://a.example/${'é'.repeat(200)}`,
    'http://127.0.0.1:22/',
    'http://localhost/',
    'ht\ntps://a.example/',
  ])
    assert.deepEqual(
      refused(await app.patch(`${MINE}/${uid}`, { demo_url }, owner)),
      [400, 4000],
      demo_url,
    )
  for (const name of ['\u3164', '\u2800', '\u202egnp.exe'])
    assert.deepEqual(
      refused(await app.patch(`${MINE}/${uid}`, { name }, owner)),
      [400, 4000],
      JSON.stringify(name),
    )
})
