import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { Answer, Call } from '../support/app.ts'
import { addCopy, must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { type AssetApp, eventuallyLists, LIBRARY, startAssetApp, template } from './fixtures.ts'

const LIST = `${LIBRARY}/asset`
const startOnce = sharedInFile((t) => startAssetApp(t, { PROXY_HOPS: '1' }))

/**
 * One service for the tests of a file, without the packages of earlier tests. Each request has a
 * client address of its own, because of the rate limits.
 */
async function startShared(t: TestContext): Promise<AssetApp> {
  const app = await startOnce(t)
  await app.sql`delete from all_listings`
  const get = (path: string, call: Call = {}) =>
    app.get(path, { ...call, headers: { ...newAddress(), ...call.headers } })
  return { ...app, get }
}
const titles = ({ body }: Answer) => body.result.map(({ title }: any) => title) as string[]

const listed = (app: AssetApp, query: string, expected: string[], call: Call = {}) =>
  eventuallyLists(app, `${LIST}?${query}`, { names: titles, expected, call })

test('a list has every field of the protocol with the expected types', async (t) => {
  const app = await startShared(t)
  const kit = await app.publish({ name: 'Rain', fields: { license_kind: 'cc0' } })
  const thumbnail = await app.show(kit.uid, 'thumbnail', 'webp')
  const { body, headers } = await listed(app, '', ['Rain'])
  const { modify_date, author_id, ...row } = body.result[0]
  assert.match(modify_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.match(author_id, /^[1-9]\d*$/)
  assert.deepEqual(
    { ...body, result: [row] },
    {
      result: [
        {
          asset_id: kit.asset_id,
          title: 'Rain',
          author: kit.owner.username,
          category: 'Plugins',
          category_id: '1',
          godot_version: '3.2',
          rating: '0',
          cost: 'CC0',
          support_level: 'community',
          icon_url: `${app.url}/media/editor/${thumbnail}-icon.png`,
          version: '1',
          version_string: '1.0',
          anonymous_download: true,
          download_requires: 'none',
          price_cents: 0,
          currency: 'USD',
        },
      ],
      page: 0,
      pages: 1,
      page_length: 40,
      total: 1,
      total_items: 1,
    },
  )
  assert.deepEqual(
    [headers['cache-control'], headers.vary, headers['access-control-allow-origin']],
    ['private, max-age=60', 'Authorization, SVC_GAMES', '*'],
  )
  const signed_in = await app.get(LIST, kit.owner)
  assert.equal(signed_in.headers['cache-control'], 'private, no-store')
  assert.ok(!JSON.stringify(body).includes('null'))
})

test('each filter returns only matching packages, and an unknown value returns none', async (t) => {
  const app = await startShared(t)
  const other = await app.a.verifiedDeveloper({ username: 'Other-Maker' })
  await app.publish({
    name: 'Anvil',
    fields: { license_kind: 'cc-by', price_cents: 300, tags: ['metal', 'forge', 'tools'] },
  })
  await app.publish({
    name: 'Brush',
    asset_type: 'dev_asset',
    engine_version: '3.4',
    fields: { license_kind: 'cc0', tagline: 'Paints in Océans' },
  })
  await app.publish({
    name: 'Chisel',
    asset_type: 'tool',
    engine_version: null,
    ranges: [{ engine: 'godot', min_version: '4.1', max_version: '4.3' }],
    owner: other,
  })
  await app.publish({ name: 'Draft of a game', bytes: template('draft') })
  await listed(app, 'type=any&sort=name', ['Anvil', 'Brush', 'Chisel', 'Draft of a game'])
  const table: [string, string[]][] = [
    ['', ['Anvil', 'Brush', 'Chisel']],
    ['type=project', ['Draft of a game']],
    ['type=addon', ['Anvil', 'Brush', 'Chisel']],
    ['type=nonsense', ['Anvil', 'Brush', 'Chisel']],
    ['category=1', ['Anvil']],
    ['category=2', ['Brush']],
    ['category=3', ['Chisel']],
    ['category=4', []],
    ['type=project&category=4', ['Draft of a game']],
    ['type=project&category=1', []],
    ['category=0', ['Anvil', 'Brush', 'Chisel']],
    ['category=', ['Anvil', 'Brush', 'Chisel']],
    ['category=99', []],
    ['category=abc', []],
    ['category=-1', []],
    ['category=1e0', []],
    ['category=99999999999999999999', []],
    ['support=official+community+testing', ['Anvil', 'Brush', 'Chisel']],
    ['support=official%2Bcommunity', ['Anvil', 'Brush', 'Chisel']],
    ['support=community', ['Anvil', 'Brush', 'Chisel']],
    ['support=', ['Anvil', 'Brush', 'Chisel']],
    ['support=official', []],
    ['support=official+testing', []],
    ['support=nonsense', []],
    ['godot_version=3.2', ['Anvil']],
    ['godot_version=3.2.3', ['Anvil']],
    ['godot_version=3.4', ['Anvil', 'Brush']],
    ['godot_version=3.1', []],
    ['godot_version=4.0', []],
    ['godot_version=4.1', ['Chisel']],
    ['godot_version=4.9', ['Chisel']],
    // A page of one result is only filled if the index itself filters by version.
    ['godot_version=4.9&max_results=1', ['Chisel']],
    ['godot_version=2.1', []],
    ['godot_version=3', ['Anvil', 'Brush']],
    ['godot_version=any', ['Anvil', 'Brush', 'Chisel']],
    ['godot_version=', ['Anvil', 'Brush', 'Chisel']],
    ['godot_version=junk', []],
    ['godot_version=999.999', []],
    ['godot_version=-3.2', []],
    ['filter=anv', ['Anvil']],
    ['filter=OCEANS', ['Brush']],
    ['filter=paints%20brush', ['Brush']],
    ['filter=paints%20anvil', []],
    ['filter=metal', ['Anvil']],
    ['filter=%23forge', ['Anvil']],
    ['filter=%23nothing', []],
    ['filter=nothing', []],
    ['filter=%25', []],
    ['filter=%23', []],
    ['filter=%23%21%21', []],
    ['filter=%23%21%21%20anvil', []],
    ['filter=%23forge%20%21', ['Anvil']],
    ['filter=%20', ['Anvil', 'Brush', 'Chisel']],
    ['filter=chisel&filter=anvil', ['Anvil']],
    ['page=1&page=0', ['Anvil', 'Brush', 'Chisel']],
    [`filter=anvil${'%20'.repeat(95)}brush`, ['Anvil']],
    ['user=other-maker', ['Chisel']],
    ['user=Nobody', []],
    ['cost=CC-BY', ['Anvil']],
    ['cost=cc0', ['Brush']],
    ['cost=Unknown', ['Chisel']],
    ['cost=MIT', []],
    ['price=free', ['Brush', 'Chisel']],
    ['price=paid', ['Anvil']],
    ['price=cheap', []],
    ['godot_version=3.4&category=2&cost=CC0&price=free&filter=brush&support=community', ['Brush']],
    ['unheard=of', ['Anvil', 'Brush', 'Chisel']],
  ]
  for (const [query, expected] of table) {
    const answer = await app.get(`${LIST}?sort=name&${query}`)
    assert.deepEqual([answer.status, titles(answer)], [200, expected], query)
    assert.deepEqual(
      [answer.body.total, answer.body.total_items],
      [expected.length, expected.length],
      query,
    )
  }
})

test('a list is sorted by the requested key, in both directions', async (t) => {
  const app = await startShared(t)
  const made = [
    ['beta', 'cc0', 3],
    ['Alpha', null, 5],
    ['gamma', 'source-available', 1],
    ['delta', 'cc-by', 4],
  ] as const
  for (const [name, license_kind, quality] of made) {
    const kit = await app.publish({ name, fields: { license_kind } })
    const player = await app.a.user()
    await addCopy(app.sql, kit.uid, player.uid, 'grant')
    const review = {
      uid: crypto.randomUUID(),
      game_uid: kit.uid,
      user_uid: player.uid,
      free_copy: false,
      enjoyed: true,
      quality,
    }
    await app.sql`insert into reviews ${app.sql(review)}`
  }
  const orders = {
    updated: ['delta', 'gamma', 'Alpha', 'beta'],
    name: ['Alpha', 'beta', 'delta', 'gamma'],
    cost: ['delta', 'beta', 'gamma', 'Alpha'],
    rating: ['Alpha', 'delta', 'beta', 'gamma'],
  }
  for (const [sort, expected] of Object.entries(orders)) {
    const { body } = await listed(app, `sort=${sort}`, expected)
    if (sort === 'rating')
      assert.deepEqual(
        body.result.map(({ rating }: any) => rating),
        ['100', '80', '60', '20'],
      )
    await listed(app, `sort=${sort}&reverse=true`, expected.toReversed())
    await listed(app, `sort=${sort}&reverse=false`, expected)
  }
  await listed(app, '', orders.updated)
  await listed(app, 'sort=nonsense', orders.updated)
  const [beta] = await app.sql`select uid, owner_uid from listings where name = 'beta'`
  const [owner] = await app.sql`select username from users where uid = ${beta!.owner_uid}`
  assert.ok(owner)
  await app.sql`update files set uploaded_at = now() where game_uid = ${beta!.uid}`
  await listed(app, '', ['beta', 'delta', 'gamma', 'Alpha'])
})

test('page, offset and length values out of range are clamped', async (t) => {
  const app = await startShared(t)
  for (const name of ['a', 'b', 'c', 'd', 'e']) await app.publish({ name })
  await listed(app, 'sort=name', ['a', 'b', 'c', 'd', 'e'])
  const table: [string, string, { page: number; pages: number; page_length: number }][] = [
    ['max_results=2', 'ab', { page: 0, pages: 3, page_length: 2 }],
    ['max_results=2&page=1', 'cd', { page: 1, pages: 3, page_length: 2 }],
    ['max_results=2&page=2', 'e', { page: 2, pages: 3, page_length: 2 }],
    ['max_results=2&page=3', '', { page: 3, pages: 3, page_length: 2 }],
    ['max_results=2&offset=1', 'bc', { page: 0, pages: 3, page_length: 2 }],
    ['max_results=2&offset=3&page=0', 'de', { page: 1, pages: 3, page_length: 2 }],
    ['max_results=0', 'a', { page: 0, pages: 5, page_length: 1 }],
    ['max_results=-5', 'a', { page: 0, pages: 5, page_length: 1 }],
    ['max_results=501', 'abcde', { page: 0, pages: 1, page_length: 500 }],
    ['max_results=99999999999999999999', 'abcde', { page: 0, pages: 1, page_length: 500 }],
    ['max_results=junk', 'abcde', { page: 0, pages: 1, page_length: 40 }],
    ['page=-1', 'abcde', { page: 0, pages: 1, page_length: 40 }],
    ['page=junk', 'abcde', { page: 0, pages: 1, page_length: 40 }],
    ['page=1.5', 'abcde', { page: 0, pages: 1, page_length: 40 }],
    ['offset=-3', 'abcde', { page: 0, pages: 1, page_length: 40 }],
  ]
  for (const [query, expected, frame] of table) {
    const answer = await app.get(`${LIST}?sort=name&${query}`)
    const { page, pages, page_length, total } = answer.body
    assert.deepEqual(
      [titles(answer).join(''), { page, pages, page_length }, total],
      [expected, frame, 5],
      query,
    )
  }
  for (const query of [
    'page=99999999999999999999',
    'offset=9223372036854775808',
    'page=2147483648&max_results=500',
  ]) {
    const answer = await app.get(`${LIST}?${query}`)
    assert.deepEqual([answer.status, answer.body.result, answer.body.total], [200, [], 5], query)
    assert.ok(Number.isSafeInteger(answer.body.page))
  }
})

test('no query parameter causes a server error', async (t) => {
  const app = await startShared(t)
  const names = [
    'type',
    'category',
    'support',
    'filter',
    'user',
    'cost',
    'price',
    'godot_version',
    'max_results',
    'page',
    'offset',
    'sort',
    'reverse',
  ]
  const values = [
    '',
    '%00',
    '%ff%fe',
    '%',
    '%E0%A4%A',
    '%F0%9F%8E%AE',
    '-1',
    '1e400',
    '0x10',
    '9'.repeat(400),
    'x'.repeat(4000),
    '%27%3B--',
    '*',
    '%5B%5D',
    'null',
    '%2B',
    'constructor',
    '__proto__',
  ]
  for (const name of names)
    for (const value of values) {
      const answer = await app.get(`${LIST}?${name}=${value}`)
      assert.ok(
        answer.status === 200 || (answer.status === 400 && answer.body.error.code === 4000),
        `${name}=${value}: ${answer.status}`,
      )
      if (answer.status === 200) assert.deepEqual(answer.body.result, [])
    }
})

test('lists only what the caller may see, and follows changes of visibility', async (t) => {
  const app = await startShared(t)
  const kit = await app.publish({ name: 'Kit' })
  const { owner } = kit
  const player = await app.a.verified()
  const set = (fields: object) => app.update(kit.uid, fields)
  await listed(app, '', ['Kit'])
  for (const visibility of ['draft', 'owner', 'invisible']) {
    await set({ visibility })
    const next = await app.get(LIST)
    assert.deepEqual(
      [titles(next), next.body.total],
      [[], 0],
      `${visibility}: the next list still has the package`,
    )
    await listed(app, '', ['Kit'], owner)
    await listed(app, 'filter=ki', ['Kit'], owner)
    await listed(app, 'filter=other', [], owner)
    await listed(app, 'category=2', [], owner)
    await listed(app, 'cost=CC0', [], owner)
    await listed(app, 'price=paid', [], owner)
    await listed(app, 'godot_version=3.1', [], owner)
    await listed(app, 'godot_version=3.2', ['Kit'], owner)
    await listed(app, '', [], player)
  }
  await set({ visibility: 'public', adult: true })
  await listed(app, '', [])
  await listed(app, '', ['Kit'], owner)
  await listed(app, '', [], player)
  must(await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, player))
  await listed(app, '', ['Kit'], player)
  await set({ adult: false })
  await listed(app, '', ['Kit'])
  assert.deepEqual((await app.get(LIST, owner)).body.total, 1, 'a public package is listed twice')
  await app.sql`update users set email_verified_at = null where uid = ${owner.uid}`
  assert.deepEqual(titles(await app.get(LIST)), [])
  assert.deepEqual(
    [titles(await app.get(LIST, owner)), (await app.get(LIST, owner)).body.total],
    [['Kit'], 1],
  )
  await app.sql`update users set email_verified_at = now() where uid = ${owner.uid}`
  await set({ asset_type: 'game_asset' })
  await listed(app, '', [])
  await app.release(kit, { version: '2.0', engine_version: '3.2', bytes: template('kit') })
  await listed(app, 'type=project', ['Kit'])
  assert.deepEqual(refused(await app.get(LIST, { token: 'junk' })), [401, 4010])
})

test('a list row shows the current state of its package after every change', async (t) => {
  const app = await startShared(t)
  const kit = await app.publish({ name: 'Kit' })
  const row = async () => (await app.get(LIST)).body.result[0]
  await listed(app, '', ['Kit'])
  must(await app.patch(`/api/v1/private/games/${kit.uid}`, { name: 'Kit of kits' }, kit.owner))
  assert.equal((await row()).title, 'Kit of kits')
  await app.sql`update listings set anonymous_downloads = false where uid = ${kit.uid}`
  assert.equal((await row()).download_requires, 'sign_in')
  await app.release(kit, { version: '2.0', engine_version: '3.2' })
  assert.equal((await row()).version_string, '2.0')
})

test('drafts of the caller come before public packages, across all pages', async (t) => {
  const app = await startShared(t)
  const { owner } = await app.publish({ name: 'a' })
  await app.publish({ name: 'b' })
  await app.publish({ name: 'y', fields: { visibility: 'draft', license_kind: 'cc0' } })
  await app.publish({ name: 'Z', fields: { visibility: 'draft', license_kind: 'cc-by' } })
  await listed(app, 'sort=name', ['a', 'b'])
  await listed(app, 'sort=name', ['y', 'Z', 'a', 'b'], owner)
  await listed(app, 'sort=name&reverse=true', ['Z', 'y', 'b', 'a'], owner)
  await listed(app, 'sort=updated', ['Z', 'y', 'b', 'a'], owner)
  await listed(app, 'sort=updated&reverse=true', ['y', 'Z', 'a', 'b'], owner)
  assert.deepEqual(titles(await app.get(`${LIST}?sort=cost`, owner)).slice(0, 2), ['Z', 'y'])
  assert.deepEqual(titles(await app.get(`${LIST}?filter=%21`, owner)), [])
  for (const [page, expected] of [['y', 'Z', 'a'], ['b'], []].entries()) {
    const { body } = await listed(app, `sort=name&max_results=3&page=${page}`, expected, owner)
    assert.deepEqual([body.total, body.pages], [4, 2])
  }
})

test('a list shows each editor the version it would download', async (t) => {
  const app = await startShared(t)
  const kit = await app.publish({ name: 'Kit', version: '1.0', engine_version: '3.2' })
  await app.release(kit, { version: '2.0', engine_version: '4.1' })
  const version = async (query: string, call = {}) =>
    (await listed(app, query, ['Kit'], call)).body.result[0].version_string
  assert.equal(await version('godot_version=4.2'), '2.0')
  assert.equal(await version('godot_version=3.5'), '1.0')
  assert.equal(await version('', app.editor('3.2.3')), '1.0')
  assert.equal(await version('', app.editor('5.0')), '2.0')
  assert.equal(await version(''), '2.0')
})
