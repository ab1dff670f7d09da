import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ShelfKind, shelfKinds, shelfRules } from '../../src/catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../src/catalog/shelves/shelves.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { addCopy, must, refused } from '../support/builders.ts'
import { ago, countStatuses, emptyCatalog, hidden, startCatalog } from './fixtures.ts'

const SHELF = '/api/v1/public/shelves'

/** The fields that make the default listing fit each shelf. */
const fitting: Record<ShelfKind, Record<string, unknown>> = {
  tonight: { band: 'healthy' },
  unheard_of: {},
  featured: { band: 'excellent' },
  new: {},
  recently_updated: {},
  made_with_svc_engine: { engines: ['other', 'svc-engine'] },
  in_development: { status: 'prototype' },
  browser_playable: { os: ['web', 'linux'] },
  community: {},
  tools_and_assets: { asset_type: 'dev_asset' },
}

async function startShelves(t: TestContext) {
  const app = await emptyCatalog(t)
  const { sql, get } = app
  const uids = async (kind: string, query = '') =>
    must(await get(`${SHELF}/${kind}${query}`)).items.map(({ uid }: any) => uid) as string[]
  /** Adds this number of community tags with enough votes to show. */
  const addCommunityTags = async (game_uid: string, tags: number) => {
    for (let n = 0; n < tags; n++)
      await sql`insert into community_tags ${sql({ game_uid, tag: `fan-${n}`, votes: 3 })}`
  }
  async function createFittingListing(kind: ShelfKind, more: Record<string, unknown> = {}) {
    const made = await app.createListing({ ...fitting[kind], ...more })
    if (kind === 'community') await addCommunityTags(made.uid, 1)
    return made
  }
  async function review(game_uid: string, { days = 0, free = false } = {}) {
    const { uid: user_uid } = await app.createDeveloper()
    await addCopy(sql, game_uid, user_uid, free ? 'free' : 'grant')
    const row = {
      uid: crypto.randomUUID(),
      game_uid,
      user_uid,
      free_copy: free,
      enjoyed: true,
      quality: 5,
      created_at: ago(days),
    }
    await sql`insert into reviews ${sql(row)}`
  }
  return { ...app, uids, createFittingListing, review, addCommunityTags }
}

test('a shelf returns its kind, os, date and complete cards', async (t) => {
  const { get, createFittingListing, url } = await startShelves(t)
  const game = await createFittingListing('tonight', {
    os: ['web', 'windows'],
    tagline: 'Quick',
    authorship: 'human',
    price_cents: 499,
  })
  const data = must(await get(`${SHELF}/tonight?os=windows`))
  const { items, ...head } = data
  assert.deepEqual(head, {
    kind: 'tonight',
    os: 'windows',
    date: new Date().toISOString().slice(0, 10),
  })
  const { published_at, updated_at, ...item } = items[0]
  assert.ok(Date.parse(published_at) <= Date.parse(updated_at))
  assert.deepEqual(item, {
    uid: game.uid,
    vanity_name: game.vanity_name,
    name: game.name,
    tagline: 'Quick',
    asset_type: 'game',
    status: 'released',
    developer: { uid: game.owner_uid, username: game.username },
    username: game.username,
    creator_avatar: '',
    price_cents: 499,
    currency: 'USD',
    sale: null,
    cover: `${url}/media/images/${'a'.repeat(64)}.png`,
    thumbnail: `${url}/media/images/${'a'.repeat(64)}.png`,
    session_bucket: '15m',
    authorship: 'human',
    health: 'healthy',
    platforms: ['web', 'windows'],
    has_browser_build: true,
    has_downloads: true,
    playable: ['browser'],
    url: `${url}/${game.username}/${game.vanity_name}`,
  })
  assert.equal(items.length, 1)
})

test('shelves omit hidden, adult and unverified listings, and those without a file', async (t) => {
  const { createFittingListing, uids, updateListing, sql, createDeveloper } = await startShelves(t)
  for (const kind of shelfKinds) {
    const game = await createFittingListing(kind)
    const isShown = async () => (await uids(kind)).includes(game.uid)
    assert.ok(await isShown(), kind)
    for (const fields of hidden) {
      await updateListing(game.uid, fields)
      assert.ok(!(await isShown()), `${kind} ${JSON.stringify(fields)}`)
      await updateListing(game.uid, { visibility: 'public', adult: false })
    }
    await sql`update users set email_verified_at = null where uid = ${game.owner_uid}`
    assert.ok(!(await isShown()), `${kind}, unverified owner`)
    await sql`update users set email_verified_at = now() where uid = ${game.owner_uid}`
    for (const scan of ['scanning', 'infected', 'error']) {
      await sql`update files set scan = ${scan} where game_uid = ${game.uid}`
      assert.ok(!(await isShown()), `${kind} ${scan}`)
    }
    await sql`update files set scan = 'clean' where game_uid = ${game.uid}`
    assert.ok(await isShown(), `${kind}, all conditions restored`)
    await updateListing(game.uid, { indexable: false })
    assert.ok(await isShown(), `${kind}, not indexable`)
    assert.ok(
      !(await uids(kind)).includes(
        (await createFittingListing(kind, { owner: await createDeveloper({ verified: false }) }))
          .uid,
      ),
      kind,
    )
  }
})

test('a download counts only at the head of a stable channel that is shown', async (t) => {
  const { createListing, build, uids, sql } = await startShelves(t)
  const { uid } = await createListing({ os: [] })
  const isShown = async () => (await uids('new')).includes(uid)
  await build(uid, { channel: 'beta' })
  assert.ok(!(await isShown()), 'beta')
  await build(uid, { app: 'server' })
  assert.ok(!(await isShown()), 'a dedicated server')
  await build(uid, { head: false })
  assert.ok(!(await isShown()), 'a build that is not the head')
  await build(uid)
  assert.ok(await isShown())
  await sql`
    insert into channels (game_uid, app, channel, expires_at)
    values (${uid}, '', 'stable', now() - interval '1 second')`
  assert.ok(!(await isShown()), 'an expired channel')
  await sql`update channels set expires_at = now() + interval '1 hour'`
  assert.ok(await isShown())
})

test('os filters by any name of a platform, and unknown names are ignored', async (t) => {
  const { createFittingListing, uids, get } = await startShelves(t)
  const linux = await createFittingListing('tonight', { os: ['linux'] })
  const windows = await createFittingListing('tonight', { os: ['windows', 'macos'] })
  assert.deepEqual(await uids('tonight', '?os=linux'), [linux.uid])
  for (const name of ['windows', 'Win', ' win64 ', 'macos', 'darwin'])
    assert.deepEqual(await uids('tonight', `?os=${name}`), [windows.uid], name)
  assert.deepEqual(await uids('tonight', '?os=android'), [])
  for (const junk of [
    '?os=',
    '?os=amiga',
    `?os=${'x'.repeat(5000)}`,
    '?os=__proto__',
    "?os=';drop table listings",
  ]) {
    assert.equal(must(await get(`${SHELF}/tonight${junk}`)).os, null)
    assert.deepEqual((await uids('tonight', junk)).sort(), [linux.uid, windows.uid].sort(), junk)
  }
})

test('tonight shows 15-minute games whose newest stable build launches well', async (t) => {
  const { createFittingListing, uids, build, sql } = await startShelves(t)
  const isShown = async (more: Record<string, unknown>) => {
    const { uid } = await createFittingListing('tonight', more)
    return (await uids('tonight', '?limit=24')).includes(uid)
  }
  assert.ok(await isShown({ band: 'excellent' }))
  for (const band of ['mixed', 'problematic', 'unrated', undefined])
    assert.ok(!(await isShown({ band })), band)
  for (const session_bucket of ['1h', '3h', 'endless', null])
    assert.ok(!(await isShown({ session_bucket })), String(session_bucket))
  for (const asset_type of ['application', 'mod', 'tool'])
    assert.ok(!(await isShown({ asset_type })), asset_type)
  const game = await createFittingListing('tonight')
  await sql`update builds set created_at = now() - interval '1 day' where game_uid = ${game.uid}`
  await build(game.uid, { band: 'mixed' })
  assert.ok(!(await uids('tonight')).includes(game.uid), 'the health of an older build was used')
})

test('unheard_of shows new listings on few devices shortly after their launch', async (t) => {
  const { createFittingListing, core } = await startShelves(t)
  const now = new Date()
  const at = (days: number, ms = 0) => new Date(now.getTime() - days * DAY_MS + ms)
  const isShown = async (more: Record<string, unknown>) => {
    const { uid } = await createFittingListing('unheard_of', more)
    return (await loadShelf(core, 'unheard_of', { os: null, limit: 24, now })).rows.some(
      (row) => row.uid === uid,
    )
  }
  assert.ok(await isShown({ published_at: at(60) }))
  assert.ok(!(await isShown({ published_at: at(60, -1) })))
  assert.ok(!(await isShown({ published_at: null })))
  assert.ok(await isShown({ reach: { devices: 49 } }))
  assert.ok(!(await isShown({ reach: { devices: 50 } })))
  assert.ok(await isShown({ reach: { devices: 1, first_boot_ok_at: at(14) } }))
  assert.ok(!(await isShown({ reach: { devices: 1, first_boot_ok_at: at(14, -1) } })))
  assert.ok(await isShown({ reach: { devices: 0, first_boot_ok_at: null } }))
  assert.ok(await isShown({ asset_type: 'application' }))
  assert.ok(!(await isShown({ asset_type: 'plugin' })))
})

test('unheard_of omits a listing while it fails the listing check', async (t) => {
  const { createFittingListing, uids, images, sql, updateListing } = await startShelves(t)
  const { uid } = await createFittingListing('unheard_of', { gallery: 3 })
  assert.deepEqual(await uids('unheard_of'), [])
  assert.deepEqual(await uids('new'), [uid], 'another shelf requires the listing check')
  await sql`delete from listing_images where game_uid = ${uid}`
  await images(uid)
  assert.deepEqual(await uids('unheard_of'), [uid])
  await updateListing(uid, { genres: [] })
  assert.deepEqual(await uids('unheard_of'), [])
})

test('the other eight shelves apply the rule that they are named after', async (t) => {
  const { createFittingListing, core, uids, review, updateListing, addCommunityTags } =
    await startShelves(t)
  const now = new Date()
  const isShown = async (kind: ShelfKind, more: Record<string, unknown>) => {
    const { uid } = await createFittingListing(kind, more)
    return (await loadShelf(core, kind, { os: null, limit: 24, now })).rows.some(
      (row) => row.uid === uid,
    )
  }
  assert.ok(!(await isShown('featured', { thumbnail: false })))
  assert.ok(!(await isShown('featured', { band: 'mixed' })))
  assert.ok(!(await isShown('featured', { asset_type: 'application' })))
  assert.ok(await isShown('new', { published_at: new Date(now.getTime() - 30 * DAY_MS) }))
  assert.ok(!(await isShown('new', { published_at: new Date(now.getTime() - 30 * DAY_MS - 1) })))
  assert.ok(!(await isShown('new', { asset_type: 'tool' })))
  assert.ok(!(await isShown('recently_updated', { asset_type: 'mod' })))
  assert.ok(!(await isShown('made_with_svc_engine', { engines: ['svc-engine-2'] })))
  assert.ok(await isShown('in_development', { status: 'development' }))
  assert.ok(!(await isShown('in_development', { status: 'released' })))
  assert.ok(!(await isShown('browser_playable', { os: ['linux'] })))
  for (const asset_type of ['tool', 'mod', 'plugin', 'game_asset', 'dev_asset'])
    assert.ok(await isShown('tools_and_assets', { asset_type }))
  for (const asset_type of ['game', 'application'])
    assert.ok(!(await isShown('tools_and_assets', { asset_type })))

  const quiet = await createFittingListing('new')
  const isInCommunity = async () => (await uids('community', '?limit=24')).includes(quiet.uid)
  assert.ok(!(await isInCommunity()))
  await review(quiet.uid, { days: 90.001 })
  assert.ok(!(await isInCommunity()), 'an old review counted')
  await review(quiet.uid, { days: 89.999, free: true })
  assert.ok(await isInCommunity())
  await updateListing(quiet.uid, { price_cents: 500 })
  assert.ok(!(await isInCommunity()), 'a review on a free copy counted while there is a price')
  await addCommunityTags(quiet.uid, 1)
  assert.ok(await isInCommunity())
})

test('new, recently_updated and community are sorted by their own criteria', async (t) => {
  const { createFittingListing, uids, build, review, addCommunityTags, createListing } =
    await startShelves(t)
  const old = await createListing({ published_at: ago(3), os: [] })
  const recent = await createListing({ published_at: ago(2), os: [] })
  await build(old.uid, { uploaded_at: ago(2) })
  await build(recent.uid, { uploaded_at: ago(1) })
  assert.deepEqual(await uids('new'), [recent.uid, old.uid])
  assert.deepEqual(await uids('recently_updated'), [recent.uid, old.uid])
  await build(old.uid, { channel: 'beta' })
  assert.deepEqual(
    await uids('recently_updated'),
    [recent.uid, old.uid],
    'an upload to beta counted as an update',
  )
  await build(old.uid)
  assert.deepEqual(await uids('recently_updated'), [old.uid, recent.uid])
  await addCommunityTags(old.uid, 2)
  const loved = await createFittingListing('community')
  await review(loved.uid)
  await review(loved.uid)
  assert.deepEqual(await uids('community'), [loved.uid, old.uid])
})

test('a shelf has 12 items by default and 1 to 24 by limit; other limits return 400', async (t) => {
  const { createFittingListing, uids, get, createDeveloper } = await startShelves(t)
  const owner = await createDeveloper()
  const all = new Set<string>()
  for (let n = 0; n < 25; n++) all.add((await createFittingListing('tonight', { owner })).uid)
  const twelve = await uids('tonight')
  const all_items = await uids('tonight', '?limit=24')
  assert.equal(twelve.length, 12)
  assert.equal(all_items.length, 24)
  assert.deepEqual(all_items.slice(0, 12), twelve)
  assert.deepEqual(await uids('tonight', '?limit=1'), twelve.slice(0, 1))
  assert.ok(all_items.every((uid) => all.has(uid)) && new Set(all_items).size === 24)
  for (const limit of ['0', '25', '-1', 'many', '1.5', '1e9', '99999999999999999999'])
    assert.deepEqual(refused(await get(`${SHELF}/tonight?limit=${limit}`)), [400, 4000], limit)
})

test('an unknown shelf returns 404 with code 4040', async (t) => {
  const { get } = await emptyCatalog(t)
  for (const kind of ['tomorrow', 'TONIGHT', '__proto__', 'constructor', '%27', 'x'.repeat(513)])
    assert.deepEqual(refused(await get(`${SHELF}/${kind}`)), [404, 4040], kind)
  assert.equal(Object.keys(shelfRules).length, 10)
})

test('rejects an invalid token on a shelf, and a valid one changes nothing', async (t) => {
  const { get, a, createFittingListing, put } = await startShelves(t)
  await createFittingListing('tonight', { adult: true })
  assert.deepEqual(
    refused(await get(`${SHELF}/tonight`, { token: 'svc_sess_nonsense' })),
    [401, 4010],
  )
  const grown_up = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, grown_up))
  assert.deepEqual(
    must(await get(`${SHELF}/tonight`, grown_up)).items,
    [],
    'a shelf shows an adult listing',
  )
})

test('limits shelves to 120 per minute for an address', async (t) => {
  const { get } = await startCatalog(t)
  const path = (n: number) => `${SHELF}/${shelfKinds[n % 10]}`
  assert.deepEqual(await countStatuses(get, { count: 121 }, path), { 200: 120, 429: 1 })
})
