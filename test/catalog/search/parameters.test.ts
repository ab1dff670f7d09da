import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { repeatUses } from '../../extstore/repeat-uses.ts'
import { must } from '../../support/builders.ts'
import { emptySearch, SEARCH, startSearch } from './fixtures.ts'

type SearchApp = Awaited<ReturnType<typeof startSearch>>

/** Four listings that differ in every field, so that each is found by its own values only. */
async function catalog({ createListing, build, sql }: SearchApp) {
  const cafe = await createListing({
    name: 'Café Tycoon',
    tagline: 'Brew and build',
    tags: ['tower-defense', 'cozy', 'economy'],
    genres: ['management', 'strategy'],
    tone: ['cozy'],
    session_bucket: '15m',
    net: 'offline',
    players_min: 1,
    players_max: 4,
    authorship: 'human',
    engines: ['godot'],
  })
  const drive = await createListing({
    name: 'Night Drive',
    description: 'A cafe by the road',
    tags: ['racing', 'cars', 'night'],
    genres: ['racing'],
    tone: ['dark'],
    session_bucket: '1h',
    net: 'online',
    players_min: 2,
    players_max: 2,
    authorship: 'agent_heavy',
    ai_uses: ['art', 'code'],
    content_warnings: ['violence'],
    engines: ['unity'],
  })
  const mod = await createListing({
    name: 'Better Engines',
    asset_type: 'mod',
    tags: ['cars', 'tuning', 'sound'],
    license_kind: 'cc-by',
    ai_uses: ['audio'],
  })
  const plugin = await createListing({
    name: 'Shader Box',
    asset_type: 'plugin',
    tags: ['shaders', 'visual', 'tools'],
    license_kind: 'cc0',
  })
  await build(cafe, 'windows', 'x86_64')
  await build(cafe, 'linux', 'arm64')
  await build(drive, 'macos', 'universal')
  await build(mod, 'linux', 'x86_64', { scan: 'scanning', head: false })
  await build(plugin, 'windows', 'x86_64', { channel: 'beta' })
  const ranges = [
    {
      game_uid: plugin,
      position: 0,
      engine: 'godot',
      min_version: '4.1',
      max_version: '4.2',
      renderer: 'mobile',
    },
    {
      game_uid: plugin,
      position: 1,
      engine: 'bevy',
      min_version: null,
      max_version: '0.14',
      renderer: null,
    },
    {
      game_uid: mod,
      position: 0,
      engine: 'unity',
      min_version: '2022',
      max_version: null,
      renderer: null,
    },
  ]
  await sql`insert into listing_engine_ranges ${sql(ranges)}`
  return { cafe, drive, mod, plugin }
}

const [CAFE, DRIVE, MOD, PLUGIN] = ['Café Tycoon', 'Night Drive', 'Better Engines', 'Shader Box']
const all = [PLUGIN, MOD, DRIVE, CAFE]

test('every search parameter and alias filters as documented, alone and combined', async (t) => {
  const app = await emptySearch(t)
  await catalog(app)
  await app.waitForIndex()
  const cases: Record<string, string[]> = {
    '': all,
    'q=cafe': [CAFE, DRIVE],
    'search=cafe': [CAFE, DRIVE],
    'q=CAF%C3%89%20road': [DRIVE],
    'q=road+cafe+tycoon': [],
    'q=tyc': [CAFE],
    'q=tyc+cafe': [],
    'q=tycon': [CAFE],
    'q=ycoon': [],
    'q=night': [DRIVE],
    'q=defense': [CAFE],
    'asset_type=mod': [MOD],
    'type=mod,plugin': [PLUGIN, MOD],
    'asset_type=mod&type=plugin': [PLUGIN, MOD],
    'asset_type=mod&asset_type=plugin': [PLUGIN, MOD],
    'asset_type=%20MOD%20,nonsense': [MOD],
    'asset_type=nonsense': all,
    'genres=racing,management': [DRIVE, CAFE],
    'genres=racing&tone=cozy': [],
    'tags=cars': [MOD, DRIVE],
    'tags=Tower%20Defense': [CAFE],
    'tags=cars,night': [DRIVE, MOD],
    'tags=never-used': [],
    'tags=%C3%A9': all,
    'tone=dark': [DRIVE],
    'ai_uses=code,audio': [MOD, DRIVE],
    'session_bucket=15m': [CAFE],
    'net=online,offline': [DRIVE, CAFE],
    'authorship=human': [CAFE],
    'os=windows': [CAFE],
    'os=win64': [CAFE],
    'os=linux,macos': [DRIVE, CAFE],
    'os=web': [],
    'os=linux&arch=arm64': [CAFE],
    'os=linux&arch=x86_64': [],
    'os=linux&arch=aarch64': [CAFE],
    'os=macos&arch=arm64': [DRIVE],
    'arch=arm64': all,
    'exclude_types=game': [PLUGIN, MOD],
    'asset_type=game,mod&exclude_types=game': [MOD],
    'exclude_genres=racing': [PLUGIN, MOD, CAFE],
    'exclude_tone=cozy': [PLUGIN, MOD, DRIVE],
    'exclude_tags=cars,shaders': [CAFE],
    'exclude_tags=nonsense': all,
    'exclude_warnings=violence': [PLUGIN, MOD, CAFE],
    'exclude_ai_uses=art': [PLUGIN, MOD, CAFE],
    'players=4': [CAFE],
    'players=2': [DRIVE, CAFE],
    'players=5': [],
    'players=65': [],
    'players=0': [],
    'players=many': all,
    'players=2.5': all,
    'engine=godot': [PLUGIN, CAFE],
    'engine=unity': [MOD, DRIVE],
    'engine=godot&engine_version=4.2.7': [PLUGIN],
    'engine=godot&engine_version=4.3': [],
    'engine=bevy&engine_version=4.2': [],
    'engine_version=4.2': [PLUGIN],
    'engine_version=latest': all,
    'renderer=mobile': [PLUGIN, MOD],
    'engine=godot&renderer=forward': [],
    'engine=bevy&renderer=forward': [PLUGIN],
    'engine=godot&engine_version=0.14&renderer=mobile': [],
    'license=cc0': [PLUGIN],
    'license=mit': all,
    'sort=newest': all,
    'sort=other': all,
    'sort=name': all,
    'page_size=2': [PLUGIN, MOD],
    'page_size=2&page=2': [DRIVE, CAFE],
    'page_size=2&page=3': [],
    'page=0': all,
    'page=-5&page_size=-5': [PLUGIN],
    'page=x&page_size=y': all,
  }
  const mismatches: Record<string, unknown> = {}
  for (const [query, expected] of Object.entries(cases)) {
    const results = await app.names(query)
    if (JSON.stringify(results) !== JSON.stringify(expected))
      mismatches[query] = { results, expected }
  }
  assert.deepEqual(mismatches, {})
})

test('a result has the fields, health, scan, platforms, score and matched tags', async (t) => {
  const app = await emptySearch(t)
  const { cafe, drive, mod, plugin } = await catalog(app)
  await app.sql`update listings set parent_uid = ${cafe} where uid = ${mod}`
  const bad = await app.build(drive, 'windows', 'x86_64', { scan: 'infected', head: false })
  const build_uid = await app.build(cafe, 'web', 'wasm32')
  const health = { build_uid, game_uid: cafe, band: 'healthy', devices: 30 }
  await app.sql`insert into build_health ${app.sql(health)}`
  const edition = {
    uid: randomUUID(),
    game_uid: cafe,
    slug: 'deluxe',
    name: 'Deluxe',
    kind: 'deluxe',
    price_cents: 999,
    active: true,
  }
  await app.sql`insert into editions ${app.sql(edition)}`
  await app.waitForIndex()
  assert.ok(bad)
  const { items, total, page, page_size } = await app.search('q=tower+defense&tags=cozy,cars')
  assert.deepEqual([total, page, page_size], [1, 1, 20])
  const { uid, score, published_at, created_at, updated_at, developer, ...item } = items[0]
  assert.equal(uid, cafe)
  assert.ok(score > 0 && developer.username)
  for (const time of [published_at, created_at, updated_at]) assert.ok(Date.parse(time), time)
  assert.deepEqual(item, {
    vanity_name: item.vanity_name,
    name: CAFE,
    tagline: 'Brew and build',
    asset_type: 'game',
    status: 'development',
    visibility: 'public',
    indexable: true,
    anonymous_downloads: false,
    demo_url: '',
    parent: null,
    parent_game: null,
    has_mods: true,
    has_tools: false,
    price_cents: 999,
    sale: null,
    creator_avatar: '',
    currency: 'USD',
    cover: '',
    thumbnail: '',
    genres: ['management', 'strategy'],
    tags: ['tower-defense', 'cozy', 'economy'],
    community_tags: [],
    tone: ['cozy'],
    inputs: [],
    content_warnings: [],
    engines: ['godot'],
    ai_uses: [],
    languages: [],
    accessibility: [],
    session_bucket: '15m',
    net: 'offline',
    players_min: 1,
    players_max: 4,
    authorship: 'human',
    authorship_credit: null,
    license_kind: null,
    adult: false,
    health: 'healthy',
    scan: 'clean',
    platforms: ['linux', 'web', 'windows'],
    has_browser_build: true,
    has_downloads: true,
    playable: ['browser'],
    matched_tags: ['tower-defense', 'cozy'],
  })
  const results = await app.search('tags=cars')
  const scans = results.items.map((item: any) => [item.uid, item.scan, item.platforms, item.health])
  assert.deepEqual(scans, [
    [mod, 'scanning', [], 'unrated'],
    [drive, 'clean', ['macos'], 'unrated'],
  ])
  const [child] = results.items
  assert.deepEqual(child.parent, { game: cafe })
  assert.deepEqual(child.parent_game, {
    uid: cafe,
    vanity_name: item.vanity_name,
    name: CAFE,
    asset_type: 'game',
  })
  const { items: beta_only } = await app.search('tags=shaders')
  assert.deepEqual(
    beta_only.map((item: any) => [item.uid, item.scan, item.platforms]),
    [[plugin, 'clean', []]],
    'files of every channel count for scan, those of the stable one for platforms',
  )
})

test('results count adult mods for viewers who see them, and hide adult parents', async (t) => {
  const app = await emptySearch(t)
  const { createListing, sql, a, put, search } = app
  const game = await createListing({ tags: ['base'] })
  const mod = await createListing({ asset_type: 'mod', tags: ['extra'], adult: true })
  await sql`update listings set parent_uid = ${game} where uid = ${mod}`
  await app.waitForIndex()
  const grown_up = await a.user()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, grown_up))
  // Each viewer is answered twice, so that both answers may come from the cache.
  for (let times = 0; times < 2; times++) {
    assert.equal((await search('tags=base')).items[0].has_mods, false)
    assert.equal((await search('tags=base', grown_up)).items[0].has_mods, true)
    assert.equal((await search('tags=base', await a.user())).items[0].has_mods, false)
  }
  const owner = await a.user()
  await sql`update listings set owner_uid = ${owner.uid} where uid = ${mod}`
  assert.equal((await search('tags=base', owner)).items[0].has_mods, true, 'who runs the mod')
  const parents = async () => {
    const { items } = await search('tags=extra', grown_up)
    return [items[0].parent, items[0].parent_game?.uid]
  }
  assert.deepEqual(await parents(), [{ game }, game])
  await sql`update listings set adult = true where uid = ${game}`
  assert.deepEqual(await parents(), [{ game }, game], 'an adult listing names an adult parent')
  await sql`update listings set adult = false where uid = ${mod}`
  assert.deepEqual(await parents(), [null, undefined], 'others do not')
})

test('relevance ranks launch problems last, then by score, then by time', async (t) => {
  const app = await emptySearch(t)
  const { createListing, build, sql } = app
  const troubled = await createListing({ name: 'Orbit', tags: ['orbit'] })
  await createListing({
    name: 'Old Orbit',
    published_at: new Date('2020-01-01'),
    updated_at: new Date('2026-05-01'),
  })
  await createListing({ name: 'New Orbit', updated_at: new Date('2026-02-01') })
  await createListing({ name: 'By tag', tags: ['orbit'], updated_at: new Date('2026-03-01') })
  await createListing({
    name: 'By tagline',
    tagline: 'In orbit',
    updated_at: new Date('2026-04-01'),
  })
  await createListing({
    name: 'By description',
    description: 'Orbit, orbit, orbit and orbit',
    updated_at: new Date('2026-01-01'),
  })
  const build_uid = await build(troubled, 'linux', 'x86_64')
  const health = { build_uid, game_uid: troubled, band: 'problematic', devices: 30 }
  await sql`insert into build_health ${sql(health)}`
  await sql`update listings set updated_at = '2025-01-01' where uid = ${troubled}`
  await app.waitForIndex()
  assert.deepEqual(await app.names('q=orbit'), [
    'New Orbit',
    'Old Orbit',
    'By tag',
    'By tagline',
    'By description',
    'Orbit',
  ])
  assert.deepEqual(await app.names('q=orbit&sort=newest'), [
    'By description',
    'By tagline',
    'By tag',
    'New Orbit',
    'Orbit',
    'Old Orbit',
  ])
  assert.deepEqual(await app.names('q=orbit&sort=updated'), [
    'Old Orbit',
    'By tagline',
    'By tag',
    'New Orbit',
    'By description',
    'Orbit',
  ])
  assert.deepEqual(await app.names(''), [
    'By description',
    'By tagline',
    'By tag',
    'New Orbit',
    'Old Orbit',
    'Orbit',
  ])
})

test('authorship does not affect the ranking', async (t) => {
  const app = await emptySearch(t)
  const made = ['human', 'human_agent', 'agent_heavy', null]
  for (const [i, authorship] of made.entries())
    await app.createListing({ name: `Twin ${i}`, authorship })
  for (const [i, authorship] of made.entries())
    await app.createListing({ name: `Twin ${7 - i}`, authorship })
  await app.waitForIndex()
  assert.deepEqual(await app.names('q=twin'), [
    'Twin 4',
    'Twin 5',
    'Twin 6',
    'Twin 7',
    'Twin 3',
    'Twin 2',
    'Twin 1',
    'Twin 0',
  ])
})

test('shown community tags work in filters, exclusions and words', async (t) => {
  const app = await emptySearch(t)
  const uid = await app.createListing({ name: 'Voted', tags: ['one'] })
  await app.createListing({ name: 'Other', tags: ['two'] })
  const tag = { game_uid: uid, tag: 'hidden-gem', votes: 2 }
  await app.sql`insert into community_tags ${app.sql(tag)}`
  await app.sql`update community_tags set votes = 3 where game_uid = ${uid}`
  await app.waitForIndex()
  assert.deepEqual(await app.names('tags=hidden-gem'), ['Voted'])
  assert.deepEqual(await app.names('exclude_tags=hidden-gem'), ['Other'])
  const [result] = (await app.search('q=gem+hidden')).items
  assert.deepEqual(
    [result.name, result.community_tags, result.matched_tags],
    ['Voted', ['hidden-gem'], ['hidden-gem']],
  )
  await app.sql`update community_tags set hidden = true where game_uid = ${uid}`
  await app.waitForIndex()
  assert.deepEqual(await app.names('tags=hidden-gem'), [])
})

test('requested, known facets count all matches by value, most frequent first', async (t) => {
  const app = await emptySearch(t)
  await catalog(app)
  await app.waitForIndex()
  const { facets } = await app.search(
    'facets=asset_type,tags,os,nonsense&exclude_tags=shaders&page_size=1',
  )
  assert.deepEqual(Object.keys(facets).sort(), ['asset_type', 'os', 'tags'])
  assert.deepEqual(facets.asset_type, [
    { value: 'game', count: 2 },
    { value: 'mod', count: 1 },
  ])
  assert.deepEqual(facets.tags[0], { value: 'cars', count: 2 })
  assert.equal(facets.tags.length, 8)
  assert.deepEqual(facets.os.map(({ value }: any) => value).sort(), ['linux', 'macos', 'windows'])
  const results = await app.search('q=cafe&facets=genres')
  assert.deepEqual(
    results.facets.genres.map(({ value }: any) => value),
    ['management', 'racing', 'strategy'],
  )
  assert.equal((await app.search('q=cafe')).facets, undefined)
})

test('page_size defaults to 20 and is 1 to 50; pages past the end are empty', async (t) => {
  const app = await emptySearch(t)
  await app.waitForIndex()
  const [{ owner_uid }] = (await app.sql`select uid as owner_uid from users limit 1`) as any
  await app.sql`
    insert into listings (uid, owner_uid, vanity_name, name, visibility, published_at)
    select gen_random_uuid(), ${owner_uid}, 'many-' || n, 'Many ' || n, 'public',
      now() - n * interval '1 minute'
    from generate_series(1, 60) n`
  await app.waitForIndex()
  const sizes = async (query: string) => {
    const { items, total, page, page_size } = await app.search(query)
    return [items.length, total, page, page_size]
  }
  assert.deepEqual(await sizes(''), [20, 60, 1, 20])
  assert.deepEqual(await sizes('page_size=50'), [50, 60, 1, 50])
  assert.deepEqual(await sizes('page_size=51'), [50, 60, 1, 50])
  assert.deepEqual(await sizes('page_size=1'), [1, 60, 1, 1])
  assert.deepEqual(await sizes('page_size=0'), [1, 60, 1, 1])
  assert.deepEqual(await sizes('page=3'), [20, 60, 3, 20])
  assert.deepEqual(await sizes('page=4'), [0, 60, 4, 20])
  assert.deepEqual(await sizes('page=500&page_size=20'), [0, 60, 500, 20])
  assert.deepEqual(await sizes('page=501&page_size=20'), [0, 60, 501, 20])
  assert.deepEqual(await sizes('page=99999999999999999999'), [0, 60, 1_000_000, 20])
})

test('limits an address to 300 searches per minute', async (t) => {
  const app = await startSearch(t, { PROXY_HOPS: '1' })
  const headers = { 'x-forwarded-for': '203.0.113.9' }
  must(await app.get(SEARCH, { headers }))
  const small = () => app.get(`${SEARCH}?page_size=1`, { headers })
  must(await repeatUses(app.core, 300, 298, small))
  must(await small())
  const late = await app.get(SEARCH, { headers })
  assert.equal(late.status, 429)
  assert.ok(Number(late.headers['retry-after']) > 0)
  assert.equal(
    (await app.get(SEARCH, { headers: { 'x-forwarded-for': '203.0.113.10' } })).status,
    200,
  )
})
