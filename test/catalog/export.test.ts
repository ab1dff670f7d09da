import assert from 'node:assert/strict'
import { test } from 'node:test'
import { exportLines } from '../../src/catalog/export/export.ts'
import { loggedIds, REQUEST_ID } from '../core/runtime/logged-ids.ts'
import { eventually } from '../support/app.ts'
import { refused } from '../support/builders.ts'
import { countStatuses, emptyCatalog, notIndexable, startCatalog } from './fixtures.ts'

const EXPORT = '/api/v1/public/export'
const lines = (text: string) =>
  text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))

test('export returns a line of JSON for each indexable listing, with a cursor', async (t) => {
  const { get, createListing, sql, url } = await emptyCatalog(t)
  const parent = await createListing({ name: 'Parent' })
  const game = await createListing({
    name: 'Line\u2028break "quoted" \u{1f680}',
    description: 'Two\nlines',
    parent_uid: parent.uid,
    price_cents: 500,
    os: ['web', 'linux'],
    band: 'healthy',
    tone: ['dark'],
    content_warnings: ['gore'],
    ai_uses: ['art'],
    license_kind: 'cc0',
    authorship_credit: 'Us',
  })
  await sql`insert into community_tags (game_uid, tag, votes) values (${game.uid}, 'loved', 3)`
  const { headers, body } = await get(EXPORT)
  assert.equal(headers['content-type'], 'application/x-ndjson; charset=utf-8')
  assert.equal(body.endsWith('\n'), true)
  const [, line] = lines(body)
  const { published_at, updated_at, ...rest } = line
  assert.ok(Date.parse(published_at) && Date.parse(updated_at))
  const image = `${url}/media/images/${'a'.repeat(64)}.png`
  assert.deepEqual(rest, {
    uid: game.uid,
    vanity_name: game.vanity_name,
    name: 'Line\u2028break "quoted" \u{1f680}',
    tagline: rest.tagline,
    description: 'Two\nlines',
    translations: {},
    trailers: [],
    asset_type: 'game',
    status: 'released',
    session_bucket: '15m',
    net: 'offline',
    players_min: 1,
    players_max: 1,
    authorship: null,
    authorship_credit: 'Us',
    price_cents: 500,
    sale: null,
    currency: 'USD',
    cover: image,
    thumbnail: image,
    developer: { uid: game.owner_uid, username: game.username },
    username: game.username,
    creator_avatar: '',
    platforms: ['linux', 'web'],
    health: 'healthy',
    has_browser_build: true,
    has_downloads: true,
    playable: ['browser'],
    genres: ['rpg'],
    tags: ['one', 'two', 'three'],
    community_tags: ['loved'],
    tone: ['dark'],
    inputs: ['gamepad'],
    content_warnings: ['gore'],
    engines: ['engine-x'],
    ai_uses: ['art'],
    languages: [],
    accessibility: [],
    system_requirements: [],
    license_kind: 'cc0',
    demo_url: '',
    anonymous_downloads: false,
    parent: { game: parent.uid },
    parent_game: {
      uid: parent.uid,
      vanity_name: parent.vanity_name,
      name: 'Parent',
      asset_type: 'game',
    },
    url: `${url}/${game.username}/${game.vanity_name}`,
    cursor: String(game.asset_id),
  })
})

test('export omits listings that are not indexable, also as parents', async (t) => {
  const { get, createListing, updateListing, sql } = await emptyCatalog(t)
  const game = await createListing()
  const mod = await createListing({ asset_type: 'mod', parent_uid: game.uid })
  const exported = async () => lines((await get(EXPORT)).body)
  assert.equal((await exported()).length, 2)
  for (const fields of notIndexable) {
    await updateListing(game.uid, fields)
    const remaining = await exported()
    assert.deepEqual(
      remaining.map(({ uid }) => uid),
      [mod.uid],
      JSON.stringify(fields),
    )
    // A listing that is not indexable is still public.
    assert.equal(remaining[0].parent === null, !('indexable' in fields), JSON.stringify(fields))
    await updateListing(game.uid, { visibility: 'public', adult: false, indexable: true })
  }
  await sql`update users set email_verified_at = null where uid = ${game.owner_uid}`
  assert.equal((await exported()).length, 1)
})

test('export by pages or from any cursor returns every listing once, in one order', async (t) => {
  const { get, createManyListings } = await startCatalog(t)
  await createManyListings(600)
  const all = lines((await get(EXPORT)).body)
  assert.equal(all.length, 600)
  for (const limit of [1, 249, 250, 251, 599, 600, 601]) {
    const paged: any[] = []
    for (let cursor = '0', more = limit > 1; ; cursor = paged.at(-1).cursor) {
      const page = lines((await get(`${EXPORT}?limit=${limit}&cursor=${cursor}`)).body)
      paged.push(...page)
      if (!more || page.length < limit) break
    }
    assert.deepEqual(paged, all.slice(0, paged.length), `pages of ${limit}`)
    assert.equal(paged.length, limit === 1 ? 1 : 600)
  }
  assert.deepEqual(lines((await get(`${EXPORT}?cursor=${all[399].cursor}`)).body), all.slice(400))
  assert.equal((await get(`${EXPORT}?cursor=999999999999999`)).body, '')
})

test('rejects invalid cursors and limits with 400 and the name of the field', async (t) => {
  const { get } = await emptyCatalog(t)
  for (const query of [
    'cursor=x',
    'cursor=-1',
    'cursor=',
    `cursor=${'9'.repeat(16)}`,
    'limit=0',
    'limit=-1',
    'limit=x',
    'limit=1.5',
    'limit=1000000001',
  ]) {
    const answer = await get(`${EXPORT}?${query}`)
    assert.deepEqual(refused(answer), [400, 4000], query)
    assert.match(answer.body.error.message, new RegExp(query.split('=')[0]!))
  }
})

test('export during edits returns unchanged listings once and no hidden ones', async (t) => {
  const { core, createManyListings, sql } = await startCatalog(t)
  const uids = await createManyListings(1000)
  const ordered = (await sql<{ uid: string }[]>`select uid from listings order by asset_id`).map(
    ({ uid }) => uid,
  )
  assert.equal(uids.length, 1000)
  const seen: string[] = []
  const gone = new Set<string>()
  const pieces = exportLines(core, 0, Number.POSITIVE_INFINITY)
  for await (const piece of pieces) {
    seen.push(...lines(piece).map(({ uid }) => uid))
    // Between two batches, edit everything, hide some listings ahead and publish some behind again.
    await sql`update listings set name = name || '!', updated_at = now(), published_at = now()`
    const ahead = ordered.slice(ordered.indexOf(seen.at(-1)!) + 1).filter((_, n) => n % 7 === 0)
    for (const uid of ahead) gone.add(uid)
    await sql`update listings set visibility = 'draft' where uid = any(${ahead}::uuid[])`
    await sql`update listings set visibility = 'public' where uid = any(${seen}::uuid[])`
  }
  assert.equal(new Set(seen).size, seen.length)
  const stayed = ordered.filter((uid) => !gone.has(uid))
  assert.ok(
    seen.length === stayed.length && seen.every((uid, n) => uid === stayed[n]),
    'not in the order of creation',
  )
  assert.ok(gone.size > 100)
})

test('aborts the response when an export fails, and returns 503 without a database', async (t) => {
  const { core, createManyListings, url, get } = await startCatalog(t)
  await createManyListings(600)
  const slow = core.slow
  let calls = 0
  const failing = (from: number) =>
    new Proxy(slow, {
      apply(target, self, args) {
        if (String(args[0]).includes('anonymous_downloads') && ++calls >= from)
          throw Object.assign(new Error('away'), { code: 'CONNECTION_CLOSED' })
        return Reflect.apply(target as any, self, args)
      },
    })
  const ids = loggedIds(t, core)
  core.slow = failing(2)
  await assert.rejects(fetch(`${url}${EXPORT}`).then((answer) => answer.text()))
  await eventually('the failure to be logged', () => ids.length > 0)
  assert.match(String(ids), REQUEST_ID)
  calls = 0
  core.slow = failing(1)
  assert.deepEqual(refused(await get(EXPORT)), [503, 5031])
  core.slow = slow
  assert.equal(lines((await get(EXPORT)).body).length, 600)
})

test('limits an address to 60 exports per minute', async (t) => {
  const { get } = await startCatalog(t)
  assert.deepEqual(await countStatuses(get, { count: 61 }, () => `${EXPORT}?limit=1`), {
    200: 60,
    429: 1,
  })
})
