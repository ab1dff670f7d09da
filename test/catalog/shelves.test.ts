import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { type ShelfKind, shelfKinds, shelfRules } from '../../src/catalog/shelves/shelf-rules.ts'
import { loadShelf } from '../../src/catalog/shelves/shelves.ts'
import type { Answer } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { ago, DAY, flood, stage } from './fixtures.ts'

const SHELF = '/api/v1/public/shelves'
const refused = ({ status, body }: Answer) => [status, body.error?.code]

/** What makes the game of the stage stand on each shelf. */
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

async function shop(t: TestContext) {
  const app = await stage(t)
  const { sql, get } = app
  const uids = async (kind: string, query = '') =>
    must(await get(`${SHELF}/${kind}${query}`)).items.map(({ uid }: any) => uid) as string[]
  /** The tags of players, as votes counted. */
  const tagged = async (game_uid: string, tags: number) => {
    for (let n = 0; n < tags; n++)
      await sql`insert into community_tags (game_uid, tag, votes) values (${game_uid}, ${`fan-${n}`}, 3)`
  }
  async function fit(kind: ShelfKind, more: Record<string, unknown> = {}) {
    const made = await app.listing({ ...fitting[kind], ...more })
    if (kind === 'community') await tagged(made.uid, 1)
    return made
  }
  async function review(game_uid: string, { days = 0, free = false } = {}) {
    const { uid: user_uid } = await app.maker()
    await sql`insert into licences (user_uid, game_uid, source) values (${user_uid}, ${game_uid}, ${free ? 'free' : 'grant'})`
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
  return { ...app, uids, fit, review, tagged }
}

test('4.3: a shelf tells its kind, os, date and cards with every field of a card', async (t) => {
  const { get, fit, url } = await shop(t)
  const game = await fit('tonight', {
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
    ...{
      uid: game.uid,
      vanity_name: game.vanity_name,
      name: game.name,
      tagline: 'Quick',
      asset_type: 'game',
      status: 'released',
    },
    ...{
      developer: { uid: game.owner_uid, username: game.username },
      username: game.username,
      creator_avatar: '',
      price_cents: 499,
      currency: 'USD',
    },
    ...{
      cover: `${url}/media/images/${'a'.repeat(64)}.png`,
      thumbnail: `${url}/media/images/${'a'.repeat(64)}.png`,
    },
    ...{
      session_bucket: '15m',
      authorship: 'human',
      health: 'healthy',
      platforms: ['web', 'windows'],
    },
    ...{
      has_browser_build: true,
      has_downloads: true,
      url: `${url}/${game.username}/${game.vanity_name}`,
    },
  })
  assert.equal(items.length, 1)
})

test('every shelf takes a listing that fits it, and none that is hidden, adult, unverified or without a clean stable download', async (t) => {
  const { fit, uids, set, sql, maker } = await shop(t)
  for (const kind of shelfKinds) {
    const game = await fit(kind)
    const shown = async () => (await uids(kind)).includes(game.uid)
    assert.ok(await shown(), kind)
    for (const fields of [
      { visibility: 'invisible' },
      { visibility: 'draft' },
      { visibility: 'owner' },
      { adult: true },
    ]) {
      await set(game.uid, fields)
      assert.ok(!(await shown()), `${kind} ${JSON.stringify(fields)}`)
      await set(game.uid, { visibility: 'public', adult: false })
    }
    await sql`update users set email_verified_at = null where uid = ${game.owner_uid}`
    assert.ok(!(await shown()), `${kind}, unverified owner`)
    await sql`update users set email_verified_at = now() where uid = ${game.owner_uid}`
    for (const scan of ['scanning', 'infected', 'error']) {
      await sql`update files set scan = ${scan} where game_uid = ${game.uid}`
      assert.ok(!(await shown()), `${kind} ${scan}`)
    }
    await sql`update files set scan = 'clean' where game_uid = ${game.uid}`
    assert.ok(await shown(), `${kind}, all as before`)
    await set(game.uid, { indexable: false })
    assert.ok(await shown(), `${kind}: search engines are another matter`)
    assert.ok(
      !(await uids(kind)).includes(
        (await fit(kind, { owner: await maker({ verified: false }) })).uid,
      ),
      kind,
    )
  }
})

test('a download counts when the stable channel of the main app points at it, and while that channel is shown', async (t) => {
  const { listing, build, uids, sql } = await shop(t)
  const { uid } = await listing({ os: [] })
  const shown = async () => (await uids('new')).includes(uid)
  await build(uid, { channel: 'beta' })
  assert.ok(!(await shown()), 'beta')
  await build(uid, { app: 'server' })
  assert.ok(!(await shown()), 'a dedicated server')
  await build(uid, { head: false })
  assert.ok(!(await shown()), 'an older build that nothing points at')
  await build(uid)
  assert.ok(await shown())
  await sql`insert into channels (game_uid, app, channel, expires_at) values (${uid}, '', 'stable', now() - interval '1 second')`
  assert.ok(!(await shown()), 'a channel past its end')
  await sql`update channels set expires_at = now() + interval '1 hour'`
  assert.ok(await shown())
})

test('os chooses by platform under any of its names; a word that is no os chooses nothing', async (t) => {
  const { fit, uids, get } = await shop(t)
  const [linux, windows] = [
    await fit('tonight', { os: ['linux'] }),
    await fit('tonight', { os: ['windows', 'macos'] }),
  ]
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

test('2.12: tonight has games of 15 minutes whose newest stable build starts well', async (t) => {
  const { fit, uids, build, sql } = await shop(t)
  const shown = async (more: Record<string, unknown>) => {
    const { uid } = await fit('tonight', more)
    return (await uids('tonight', '?limit=24')).includes(uid)
  }
  assert.ok(await shown({ band: 'excellent' }))
  for (const band of ['mixed', 'problematic', 'unrated', undefined])
    assert.ok(!(await shown({ band })), band)
  for (const session_bucket of ['1h', '3h', 'endless', null])
    assert.ok(!(await shown({ session_bucket })), String(session_bucket))
  for (const asset_type of ['application', 'mod', 'tool'])
    assert.ok(!(await shown({ asset_type })), asset_type)
  const game = await fit('tonight')
  await sql`update builds set created_at = now() - interval '1 day' where game_uid = ${game.uid}`
  await build(game.uid, { band: 'mixed' })
  assert.ok(
    !(await uids('tonight')).includes(game.uid),
    'a newer stable build speaks for the listing',
  )
})

test('2.12: unheard_of has what was published in 60 days, on fewer than 50 devices, at most 14 days after its first good start', async (t) => {
  const { fit, core } = await shop(t)
  const now = new Date()
  const at = (days: number, ms = 0) => new Date(now.getTime() - days * DAY + ms)
  const shown = async (more: Record<string, unknown>) => {
    const { uid } = await fit('unheard_of', more)
    return (await loadShelf(core, 'unheard_of', { os: null, limit: 24, now: now })).rows.some(
      (row) => row.uid === uid,
    )
  }
  assert.ok(await shown({ published_at: at(60) }))
  assert.ok(!(await shown({ published_at: at(60, -1) })))
  assert.ok(!(await shown({ published_at: null })))
  assert.ok(await shown({ reach: { devices: 49 } }))
  assert.ok(!(await shown({ reach: { devices: 50 } })))
  assert.ok(await shown({ reach: { devices: 1, first_boot_ok_at: at(14) } }))
  assert.ok(!(await shown({ reach: { devices: 1, first_boot_ok_at: at(14, -1) } })))
  assert.ok(await shown({ reach: { devices: 0, first_boot_ok_at: null } }))
  assert.ok(await shown({ asset_type: 'application' }))
  assert.ok(!(await shown({ asset_type: 'plugin' })))
})

test('unheard_of leaves out a public page that fails the listing check, such as one in its grace, and takes it when it passes', async (t) => {
  const { fit, uids, images, sql, set } = await shop(t)
  const { uid } = await fit('unheard_of', { gallery: 3 })
  assert.deepEqual(await uids('unheard_of'), [])
  assert.deepEqual(await uids('new'), [uid], 'the other shelves do not ask for it')
  await sql`delete from listing_images where game_uid = ${uid}`
  await images(uid)
  assert.deepEqual(await uids('unheard_of'), [uid])
  await set(uid, { genres: [] })
  assert.deepEqual(await uids('unheard_of'), [])
})

test('the other eight shelves each ask for what they are named after', async (t) => {
  const { fit, core, uids, review, set, tagged } = await shop(t)
  const now = new Date()
  const shown = async (kind: ShelfKind, more: Record<string, unknown>) => {
    const { uid } = await fit(kind, more)
    return (await loadShelf(core, kind, { os: null, limit: 24, now: now })).rows.some(
      (row) => row.uid === uid,
    )
  }
  assert.ok(!(await shown('featured', { thumbnail: false })))
  assert.ok(!(await shown('featured', { band: 'mixed' })))
  assert.ok(!(await shown('featured', { asset_type: 'application' })))
  assert.ok(await shown('new', { published_at: new Date(now.getTime() - 30 * DAY) }))
  assert.ok(!(await shown('new', { published_at: new Date(now.getTime() - 30 * DAY - 1) })))
  assert.ok(!(await shown('new', { asset_type: 'tool' })))
  assert.ok(!(await shown('recently_updated', { asset_type: 'mod' })))
  assert.ok(!(await shown('made_with_svc_engine', { engines: ['svc-engine-2'] })))
  assert.ok(await shown('in_development', { status: 'development' }))
  assert.ok(!(await shown('in_development', { status: 'released' })))
  assert.ok(!(await shown('browser_playable', { os: ['linux'] })))
  for (const asset_type of ['tool', 'mod', 'plugin', 'game_asset', 'dev_asset'])
    assert.ok(await shown('tools_and_assets', { asset_type }))
  for (const asset_type of ['game', 'application'])
    assert.ok(!(await shown('tools_and_assets', { asset_type })))

  const quiet = await fit('new')
  const heard = async () => (await uids('community', '?limit=24')).includes(quiet.uid)
  assert.ok(!(await heard()))
  await review(quiet.uid, { days: 90.001 })
  assert.ok(!(await heard()), 'reviewed too long ago')
  await review(quiet.uid, { days: 89.999, free: true })
  assert.ok(await heard())
  await set(quiet.uid, { price_cents: 500 })
  assert.ok(!(await heard()), 'a review on a free copy does not count while there is a price')
  await tagged(quiet.uid, 1)
  assert.ok(await heard())
})

test('new is newest first, recently_updated by the newest stable upload, community by reviews and tags together', async (t) => {
  const { fit, uids, build, review, tagged, listing } = await shop(t)
  const old = await listing({ published_at: ago(3), os: [] })
  const recent = await listing({ published_at: ago(2), os: [] })
  await build(old.uid, { uploaded_at: ago(2) })
  await build(recent.uid, { uploaded_at: ago(1) })
  assert.deepEqual(await uids('new'), [recent.uid, old.uid])
  assert.deepEqual(await uids('recently_updated'), [recent.uid, old.uid])
  await build(old.uid, { channel: 'beta' })
  assert.deepEqual(
    await uids('recently_updated'),
    [recent.uid, old.uid],
    'an upload to beta is no news',
  )
  await build(old.uid)
  assert.deepEqual(await uids('recently_updated'), [old.uid, recent.uid])
  await tagged(old.uid, 2)
  const loved = await fit('community')
  await review(loved.uid)
  await review(loved.uid)
  assert.deepEqual(await uids('community'), [loved.uid, old.uid])
})

test('a shelf holds twelve unless asked for 1 to 24; other limits are 400', async (t) => {
  const { fit, uids, get, maker } = await shop(t)
  const owner = await maker()
  const all = new Set<string>()
  for (let n = 0; n < 25; n++) all.add((await fit('tonight', { owner })).uid)
  const [twelve, most] = [await uids('tonight'), await uids('tonight', '?limit=24')]
  assert.equal(twelve.length, 12)
  assert.equal(most.length, 24)
  assert.deepEqual(most.slice(0, 12), twelve)
  assert.deepEqual(await uids('tonight', '?limit=1'), twelve.slice(0, 1))
  assert.ok(most.every((uid) => all.has(uid)) && new Set(most).size === 24)
  for (const limit of ['0', '25', '-1', 'many', '1.5', '1e9', '99999999999999999999'])
    assert.deepEqual(refused(await get(`${SHELF}/tonight?limit=${limit}`)), [400, 4000], limit)
})

test('a kind that is no shelf is 404, 4040, whatever it is called', async (t) => {
  const { get } = await stage(t)
  for (const kind of ['tomorrow', 'TONIGHT', '__proto__', 'constructor', '%27', 'x'.repeat(513)])
    assert.deepEqual(refused(await get(`${SHELF}/${kind}`)), [404, 4040], kind)
  assert.equal(Object.keys(shelfRules).length, 10)
})

test('a bad token is told on a shelf as everywhere, and a good one changes nothing', async (t) => {
  const { get, a, fit, put } = await shop(t)
  await fit('tonight', { adult: true })
  assert.deepEqual(
    refused(await get(`${SHELF}/tonight`, { token: 'svc_sess_nonsense' })),
    [401, 4010],
  )
  const grown_up = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, grown_up))
  assert.deepEqual(
    must(await get(`${SHELF}/tonight`, grown_up)).items,
    [],
    'adult listings stand on no shelf, for nobody',
  )
})

test('all callers together have 1,200 shelves a minute', async (t) => {
  const { get } = await stage(t)
  assert.deepEqual(await flood(get, 1201, (n) => `${SHELF}/${shelfKinds[n % 10]}`), {
    200: 1200,
    429: 1,
  })
})
