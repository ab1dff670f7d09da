import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readPackageById } from '../../src/assets/packages/queries.ts'
import { type Answer, type Call, eventually } from '../support/app.ts'
import { refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256 } from '../uploads/zips.ts'
import {
  type AssetApp,
  addon,
  eventuallyLists,
  LIBRARY,
  STORE,
  startAssetApp,
  template,
} from './fixtures.ts'

const sharedAssetApp = sharedInFile(startAssetApp)

const names = ({ body }: Answer) => body.hits.map(({ asset }: any) => asset.name) as string[]
const SEARCH = `${STORE}/search/query/`

const eventuallyFinds = (app: AssetApp, query: string, expected: string[], call: Call = {}) =>
  eventuallyLists(app, `${SEARCH}?${query}`, { names, expected, call })

/** Inserts a clean file for each row of `new_builds`, with the uid of its build. */
const insertCleanFiles = ({ sql }: AssetApp) => sql`
  insert into files (
    uid, game_uid, build_uid, os, arch, channel,
    filename, size, checksum, scan, method
  )
  select
    uid, game_uid, uid, 'linux', 'x86_64', 'stable',
    'a.zip', 1, repeat('a', 64), 'clean', 'website'
  from new_builds`

test('the store protocol returns its root, the licenses and the tags of packages', async (t) => {
  const app = await startAssetApp(t)
  await app.publish({ fields: { tags: ['water', 'shader-art', 'tools'] } })
  await app.publish({ fields: { tags: ['water', 'audio', 'tools'] } })
  const root = await app.get(`${STORE}/`)
  assert.deepEqual([root.status, root.body.name], [200, 'Slipway'])
  assert.equal((await app.get(STORE)).status, 200)
  assert.deepEqual(
    [root.headers['cache-control'], root.headers.vary, root.headers['access-control-allow-origin']],
    ['private, max-age=60', 'Authorization, SVC_GAMES', '*'],
  )
  assert.deepEqual(
    (await app.get(`${STORE}/licenses/`)).body,
    ['CC0', 'CC-BY', 'CC-BY-SA', 'Source Available', 'Proprietary', 'Unknown'].map((type) => ({
      type,
    })),
  )
  const tags = await eventually('the tags', async () => {
    const { body } = await app.get(`${STORE}/tags/?featured_only=true`)
    return body.length === 4 && body
  })
  assert.deepEqual(tags, [
    { display_name: 'Tools', slug: 'tools' },
    { display_name: 'Water', slug: 'water' },
    { display_name: 'Audio', slug: 'audio' },
    { display_name: 'Shader art', slug: 'shader-art' },
  ])
  await app.sql`update listings set asset_type = 'game'`
  await eventually('no tags', async () => (await app.get(`${STORE}/tags/`)).body.length === 0)
})

test('search results, packages and releases have every field of the protocol', async (t) => {
  const app = await startAssetApp(t)
  const maker = await app.a.verifiedDeveloper({ username: 'Wave-Maker' })
  const kit = await app.publish({
    owner: maker,
    name: 'Waves',
    version: '1.0',
    engine_version: '4.2.1',
    ranges: [{ engine: 'godot', min_version: '4.0', max_version: '4.6' }],
    fields: {
      license_kind: 'cc-by',
      tags: ['water'],
      tagline: 'Wet',
      description: '*big*',
      demo_url: 'https://video.example/1',
    },
  })
  const second = addon('waves', [{ name: 'waves-1.0/more' }])
  await app.release(kit, {
    version: '2.0',
    engine_version: '4.7',
    bytes: second,
    description: 'New [things]',
    changelog_items: [{ title: 'Foam', description: 'on **top**' }],
  })
  const thumbnail = await app.show(kit.uid, 'thumbnail', 'webp')
  const shot = await app.show(kit.uid, 'gallery', 'gif')
  const { body } = await eventuallyFinds(
    app,
    'query=wav&require_release=true&type=0&sort=relevance&compatibility=4.7&page=1',
    ['Waves'],
  )
  const asset = {
    name: 'Waves',
    slug: kit.vanity_name,
    store_url: `${app.url}/Wave-Maker/${kit.vanity_name}`,
    license_type: 'CC-BY',
    license_url: 'https://creativecommons.org/licenses/by/4.0/',
    reviews_score: 0,
    thumbnail: `${app.url}/media/editor/${thumbnail}-preview.jpg`,
    publisher: { name: 'Wave-Maker', slug: 'wave-maker', verified: true },
  }
  assert.deepEqual(body, { count: 1, hits: [{ asset }] })
  const detail = {
    ...asset,
    body_bbcode: 'Wet\n\n[i]big[/i]',
    source: '',
    tags: [{ display_name: 'Water', slug: 'water' }],
    media: [`${app.url}/media/editor/${shot}-screenshot.jpg`],
    video_playback_url: 'https://video.example/1',
    video_thumbnail_url: `${app.url}/media/editor/${shot}-preview.jpg`,
  }
  for (const path of [`wave-maker/${kit.vanity_name}/`, `Wave-Maker/${kit.vanity_name}`])
    assert.deepEqual((await app.get(`${STORE}/assets/${path}`)).body, detail)
  const [first] = await app.sql`select uid from files where checksum = ${sha256(kit.bytes)}`
  const [newer] = await app.sql`select uid from files where checksum = ${sha256(second)}`
  const download = (file: any) =>
    `${app.url}${LIBRARY}/asset/${kit.asset_id}/download?file=${file.uid}`
  const releases = [
    {
      download_url: download(newer),
      version: '2.0',
      stable: true,
      min_godot_version: '4.7',
      max_godot_version: '',
      changes_bbcode: 'New [lb]things]\n\n[b]Foam[/b]\non [b]top[/b]',
    },
    {
      download_url: download(first),
      version: '1.0',
      stable: true,
      min_godot_version: '4.2',
      max_godot_version: '4.6',
      changes_bbcode: '',
    },
  ]
  const path = `${STORE}/releases/wave-maker/${kit.vanity_name}/`
  assert.deepEqual((await app.get(path)).body, releases)
  assert.deepEqual(
    (await app.get(`${path}?compatibility=4.6.1&stable_only=true`)).body,
    releases.slice(1),
  )
  assert.deepEqual((await app.get(`${path}?compatibility=4.7`)).body, releases)
  assert.deepEqual((await app.get(`${path}?compatibility=junk`)).body, [])
  const answer = await fetch(releases[0]!.download_url)
  assert.equal(
    sha256(Buffer.from(await answer.arrayBuffer())),
    sha256(second),
    'the zip differs from that of the other protocol',
  )
})

test('the editor range of a release comes from its listing when the build has none', async (t) => {
  const app = await sharedAssetApp(t)
  const span = async (
    ranges: { engine: string; min_version?: string; max_version?: string }[],
    engine_version: string | null,
  ) => {
    const kit = await app.publish({ engine_version, ranges })
    const { body } = await app.get(`${STORE}/releases/${kit.owner.username}/${kit.vanity_name}/`)
    return [body[0].min_godot_version, body[0].max_godot_version]
  }
  assert.deepEqual(
    await span(
      [
        { engine: 'godot', min_version: '3.2.1', max_version: '3.6' },
        { engine: 'godot', min_version: '4.0', max_version: '4.12' },
      ],
      null,
    ),
    ['3.2', '4.12'],
  )
  assert.deepEqual(await span([{ engine: 'godot', min_version: '4.1' }], null), ['4.1', ''])
  assert.deepEqual(await span([{ engine: 'godot', max_version: '4.1' }], null), ['', '4.1'])
  assert.deepEqual(
    await span(
      [
        { engine: 'godot', max_version: '3.6' },
        { engine: 'godot', min_version: '4.0' },
      ],
      '3.5',
    ),
    ['3.5', '3.6'],
  )
  assert.deepEqual(await span([], '4.2'), ['4.2', ''])
})

test("a package found by its listing's engine range has a release for that editor", async (t) => {
  const app = await startAssetApp(t)
  const ranges = [{ engine: 'godot', min_version: '4.0', max_version: '4.6' }]
  const kit = await app.publish({ name: 'Kit', version: '1.0', engine_version: '4.3', ranges })
  await app.release(kit, { version: '2.0', engine_version: '4.4' })
  await eventuallyFinds(app, 'compatibility=4.1', ['Kit'])
  const versions = async (query: string) =>
    (
      await app.get(`${STORE}/releases/${kit.owner.username}/${kit.vanity_name}/?${query}`)
    ).body.map(({ version }: any) => version)
  assert.deepEqual(
    await versions('compatibility=4.1'),
    ['2.0'],
    'an older editor gets another version than in the other protocol',
  )
  assert.deepEqual(await versions('compatibility=4.3'), ['1.0'])
  assert.deepEqual(await versions('compatibility=3.6'), [])
  assert.deepEqual(
    await versions('compatibility=3.6&compatibility=4.3'),
    ['1.0'],
    'the last value of a repeated parameter is not used',
  )
})

test('release notes are truncated to 4000 characters, and releases to the newest 20', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish({ version: '1.0' })
  const set = (fields: object) =>
    app.sql`update builds set ${app.sql(fields as never)} where uid = ${kit.build_id}`
  const releases = async () =>
    (await app.get(`${STORE}/releases/${kit.owner.username}/${kit.vanity_name}/`)).body
  await set({ description: 'a'.repeat(5000), changelog_items: [{ title: 'b', description: '' }] })
  assert.equal((await releases())[0].changes_bbcode, 'a'.repeat(4000))
  await set({ description: `${'a'.repeat(3999)}\u{1f3ae}`, changelog_items: [] })
  assert.equal((await releases())[0].changes_bbcode, 'a'.repeat(3999), 'a character was split')
  const items = ['b', 'c', 'd'].map((letter) => ({
    title: letter,
    description: letter.repeat(1600),
  }))
  await set({ description: 'a', changelog_items: [...items, { title: 'e', description: '' }] })
  assert.equal(
    (await releases())[0].changes_bbcode,
    `a\n\n[b]b[/b]\n${'b'.repeat(1600)}\n\n[b]c[/b]\n${'c'.repeat(1600)}`,
  )
  const version = (await readPackageById(app.sql, Number(kit.asset_id), null))?.versions[0]
  assert.deepEqual(
    [version?.description, version?.changelog_items],
    ['', []],
    'the notes are read where they are not shown',
  )
  await app.sql`
    with new_builds as (
      insert into builds (uid, game_uid, version, engine_version, os, arch)
      select gen_random_uuid(), ${kit.uid}, '2.' || n, '3.2', 'linux', 'x86_64'
      from generate_series(1, 24) n
      returning uid, game_uid),
    new_files as (
      ${insertCleanFiles(app)}
      returning uid)
    update channel_heads
    set previous = array(select uid from new_files)
    where game_uid = ${kit.uid}`
  assert.deepEqual(
    (await releases()).map(({ version }: any) => version),
    Array.from({ length: 20 }, (_, i) => `2.${24 - i}`),
  )
})

test('a search parameter returns only matching packages, an unknown value none', async (t) => {
  const app = await startAssetApp(t)
  const make = (name: string, more: object) => app.publish({ name, ...more })
  await make('Anvil', { engine_version: '4.2', fields: { license_kind: 'cc0', tags: ['metal'] } })
  await make('Brush', { engine_version: '4.7', fields: { license_kind: 'cc-by' } })
  await make('Castle', { engine_version: '4.7', bytes: template('castle') })
  await eventuallyFinds(app, 'sort=created_asc', ['Anvil', 'Brush', 'Castle'])
  for (const [query, expected] of [
    ['', ['Castle', 'Brush', 'Anvil']],
    ['type=0', ['Brush', 'Anvil']],
    ['type=1', ['Castle']],
    ['type=2', []],
    ['type=junk', []],
    ['query=bru', ['Brush']],
    ['query=%23metal', ['Anvil']],
    ['query=nothing', []],
    ['compatibility=4.6', ['Anvil']],
    ['compatibility=4.7.1', ['Castle', 'Brush', 'Anvil']],
    ['compatibility=3.6', []],
    ['compatibility=junk', []],
    ['licenses=CC0', ['Anvil']],
    ['licenses=CC0,CC-BY', ['Brush', 'Anvil']],
    ['licenses=CC0&licenses=CC-BY', ['Brush', 'Anvil']],
    ['licenses=CC0,MIT', ['Anvil']],
    ['licenses=MIT', []],
    ['licenses=', ['Castle', 'Brush', 'Anvil']],
    ['sort=created_desc', ['Castle', 'Brush', 'Anvil']],
    ['sort=created_asc', ['Anvil', 'Brush', 'Castle']],
    ['sort=updated_desc', ['Castle', 'Brush', 'Anvil']],
    ['sort=updated_asc', ['Anvil', 'Brush', 'Castle']],
    ['sort=reviews_desc', ['Castle', 'Brush', 'Anvil']],
    ['sort=constructor', ['Castle', 'Brush', 'Anvil']],
    ['page=0', ['Castle', 'Brush', 'Anvil']],
    ['page=-7', ['Castle', 'Brush', 'Anvil']],
    ['page=junk', ['Castle', 'Brush', 'Anvil']],
    ['page=2', []],
    ['page=2&page=1', ['Castle', 'Brush', 'Anvil']],
    ['query=castle&query=bru', ['Brush']],
    ['query=%23%21%21', []],
    ['query=%21', []],
    ['page=99999999999999999999', []],
    ['require_release=junk', ['Castle', 'Brush', 'Anvil']],
  ] as [string, string[]][]) {
    const answer = await app.get(`${SEARCH}?${query}`)
    assert.deepEqual([answer.status, names(answer)], [200, expected], query)
  }
  const many = Array.from({ length: 23 }, (_, i) => i)
  await app.sql`
    with new_listings as (
      insert into listings (uid, owner_uid, vanity_name, name, asset_type, visibility, published_at)
      select
        gen_random_uuid(), l.owner_uid, 'copy-' || n, 'Copy ' || n, 'plugin', 'public', now()
      from listings l, unnest(${many}::int[]) n
      where l.name = 'Anvil'
      returning uid),
    new_builds as (
      insert into builds (uid, game_uid, version, engine_version, os, arch)
      select uid, uid, '1.0', '4.2', 'linux', 'x86_64'
      from new_listings
      returning uid, game_uid),
    new_files as (
      ${insertCleanFiles(app)}
      returning uid)
    insert into channel_heads (game_uid, app, channel, os, arch, build_uid)
    select uid, '', 'stable', 'linux', 'x86_64', uid
    from new_files`
  const first = await eventually('26 packages', async () => {
    const answer = await app.get(SEARCH)
    return answer.body.count === 26 && answer
  })
  assert.equal(first.body.hits.length, 24)
  const second = await app.get(`${SEARCH}?page=2`)
  assert.deepEqual([second.body.count, second.body.hits.length], [26, 2])
})

test('missing packages, bad tokens and invalid input return the error envelope', async (t) => {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const own = `${kit.owner.username}/${kit.vanity_name}/`
  await app.sql`update listings set visibility = 'draft'`
  for (const path of [
    `assets/${own}`,
    `releases/${own}`,
    'assets/nobody/nothing/',
    'releases/a/%F0%9F%8E%AE/',
    `assets/${'x'.repeat(400)}/y/`,
  ]) {
    assert.deepEqual(refused(await app.get(`${STORE}/${path}`)), [404, 4040], path)
    assert.deepEqual(
      refused(await app.get(`${STORE}/${path}`, { token: 'junk' })),
      [401, 4010],
      path,
    )
  }
  assert.equal((await app.get(`${STORE}/assets/${own}`, kit.owner)).status, 200)
  for (const path of ['', 'tags/', 'licenses/', 'search/query/'])
    assert.deepEqual(refused(await app.get(`${STORE}/${path}`, { token: 'junk' })), [401, 4010])
  for (const name of [
    'query',
    'require_release',
    'type',
    'sort',
    'compatibility',
    'licenses',
    'page',
  ])
    for (const value of [
      '%00',
      '%ff',
      '%',
      '9'.repeat(500),
      '%5B%5D',
      '__proto__',
      'x'.repeat(4000),
    ]) {
      const { status } = await app.get(`${SEARCH}?${name}=${value}`)
      assert.ok(status === 200 || status === 400, `${name}=${value}: ${status}`)
    }
})
