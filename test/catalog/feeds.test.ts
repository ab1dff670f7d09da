import assert from 'node:assert/strict'
import { test } from 'node:test'
import { atom, searchHead } from '../../src/catalog/feeds/atom.ts'
import type { Addresses } from '../../src/core/runtime/config.ts'
import { defaultSettings } from '../../src/core/settings/table.ts'
import { eventually } from '../support/app.ts'
import { refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { needs } from '../support/system-packages.ts'
import { countStatuses, emptyCatalog, notIndexable, startCatalog } from './fixtures.ts'
import { assertXml, xpath } from './xml.ts'

const entries = (xml: string) =>
  [...xml.matchAll(/<id>urn:uuid:([^<]+)</g)].map((match) => match[1]!)
const day = (n: number) => new Date(Date.UTC(2026, 0, n))

test('feeds of new and updated listings are valid Atom in their order', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get, createListing, url } = await emptyCatalog(t)
  const first = await createListing({
    published_at: day(1),
    updated_at: day(9),
    name: 'Tom & "Jerry" <3',
    tagline: "It's ]]> & more",
  })
  const second = await createListing({ published_at: day(2), updated_at: day(3), tagline: '' })
  for (const [name, expected] of [
    ['new', [second.uid, first.uid]],
    ['updated', [first.uid, second.uid]],
  ] as const) {
    const { status, headers, body } = await get(`/feeds/${name}.atom`)
    assert.deepEqual(
      [status, headers['content-type']],
      [200, 'application/atom+xml; charset=utf-8'],
    )
    assertXml(body, 'atom')
    assert.deepEqual(entries(body), expected)
    const ofFeed = (name: string) => xpath(body, `string(/*/*[local-name()='${name}'])`)
    assert.deepEqual(
      [ofFeed('id'), ofFeed('updated')],
      [`${url}/feeds/${name}.atom`, '2026-01-09T00:00:00.000Z'],
    )
    assert.equal(headers['last-modified'], 'Fri, 09 Jan 2026 00:00:00 GMT')
  }
  const { body } = await get('/feeds/new.atom')
  const inEntry = (path: string) => xpath(body, `string(//*[local-name()='entry'][2]${path})`)
  assert.equal(inEntry("/*[local-name()='title']"), 'Tom & "Jerry" <3')
  assert.equal(inEntry("/*[local-name()='summary']"), "It's ]]> & more")
  assert.equal(
    inEntry("/*[local-name()='link']/@href"),
    `${url}/${first.username}/${first.vanity_name}`,
  )
  assert.equal(inEntry("/*[local-name()='published']"), '2026-01-01T00:00:00.000Z')
  assert.equal(inEntry("/*[local-name()='author']/*[local-name()='name']"), first.username)
})

const odd = fc.constantFrom('<', '&', ']', '>', '"', "'", '-', '!', '\r', '\0', '\ud800')
const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: odd, maxLength: 20 }),
)
const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" }

test('a feed of any listing text is well formed and preserves the text', (t) => {
  if (!needs(t, 'xmllint')) return
  const addresses = {
    base_url: 'https://x.example',
    upload_url: '',
    web_url: 'https://x.example',
    issuer: '',
    mcp_auth_url: 'https://store.example',
  }
  const row = {
    uid: crypto.randomUUID(),
    vanity_name: 'game',
    username: 'maker',
    genres: [],
    published_at: day(1),
    updated_at: day(2),
    price_cents: 0,
    sale_facts: null,
  }
  const head = {
    title: 'T',
    self: 'https://x.example/feeds/search.atom?q=a&sort="',
    page: 'https://x.example/',
  }
  // Characters that XML cannot contain are removed, and parsers turn a carriage return into a
  // newline.
  const asParsed = (text: string) =>
    text
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/gu, '')
      .replace(/\r\n?/g, '\n')
  fc.assert(
    fc.property(fc.array(texts, { minLength: 30, maxLength: 50 }), (all) => {
      const rows = all.map((text) => ({ ...row, name: text, tagline: `${text}|`, tags: [text] }))
      const { xml } = atom({ addresses, settings: { current: defaultSettings } }, head, rows)
      assertXml(xml, 'atom')
      const summaries = xpath(xml, "//*[local-name()='summary']/text()").replace(
        /&(\w+);/g,
        (_, name) => entities[name]!,
      )
      assert.equal(summaries, all.map((text) => asParsed(`${text}|`)).join('\n'))
    }),
    { numRuns: 15 },
  )
})

test('feeds omit listings that are not indexable', async (t) => {
  const { get, createListing, updateListing, sql, createDeveloper } = await emptyCatalog(t)
  const owner = await createDeveloper()
  const { uid, owner_uid, username } = await createListing({ owner })
  const isInFeeds = async () => {
    const feeds = [
      '/feeds/new.atom',
      '/feeds/updated.atom',
      `/${username}/feed.atom`,
      `/${username}/feed.atom?sort=updated`,
    ]
    const results = await Promise.all(
      feeds.map(async (path) => JSON.stringify((await get(path)).body).includes(uid)),
    )
    assert.equal(new Set(results).size, 1, `all or none: ${results}`)
    return results[0]
  }
  assert.ok(await isInFeeds())
  for (const fields of notIndexable) {
    await updateListing(uid, fields)
    assert.ok(!(await isInFeeds()), JSON.stringify(fields))
    await updateListing(uid, { visibility: 'public', adult: false, indexable: true })
  }
  await sql`update users set email_verified_at = null where uid = ${owner_uid}`
  assert.ok(!(await isInFeeds()))
})

test('listings that are not indexable do not shorten a search feed', async (t) => {
  const { get, createListing, sql } = await emptyCatalog(t)
  const indexable = await createListing({ published_at: day(1), tags: ['crowd'] })
  for (let n = 0; n < 101; n++)
    await createListing({ published_at: day(2), tags: ['crowd'], indexable: false })
  const [counted] = await sql`select count(*)::int as hidden from listings where not indexable`
  assert.equal(counted!.hidden, 101)
  await eventually(
    'the index',
    async () => (await get('/api/v1/public/search?tags=crowd')).body.data.total === 102,
  )
  assert.deepEqual(entries((await get('/feeds/search.atom?tags=crowd')).body), [indexable.uid])
})

test('a search feed has one canonical URL for equivalent parameters', () => {
  const addresses = { web_url: 'https://x.example' } as Addresses
  const store = { addresses, settings: { current: defaultSettings } }
  const idOf = (tags: string[]) => searchHead(store, { tags }, 'newest').self
  assert.equal(
    new Set(
      [
        ['a', 'b'],
        ['b', 'a'],
        ['A', 'b', ''],
        ['a', ' b', 'a'],
      ].map(idOf),
    ).size,
    1,
  )
  assert.notEqual(idOf(['a']), idOf(['b']))
})

test('a developer’s feed ignores the case of the name; unknown names return 404', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get, createListing, createDeveloper, url } = await startCatalog(t)
  const owner = await createDeveloper({ username: 'Big-Studio' })
  const first = await createListing({ owner, published_at: day(1), updated_at: day(5) })
  const second = await createListing({ owner, published_at: day(2), updated_at: day(3) })
  await createListing()
  const { body } = await get('/big-studio/feed.atom')
  assertXml(body, 'atom')
  assert.deepEqual(entries(body), [second.uid, first.uid])
  assert.ok(
    body.includes(
      `<link rel="self" type="application/atom+xml" href="${url}/Big-Studio/feed.atom"/>`,
    ),
  )
  const updated = (await get('/Big-Studio/feed.atom?sort=updated')).body
  assert.deepEqual(entries(updated), [first.uid, second.uid])
  assert.notEqual(
    updated.match(/<id>[^<]+/)[0],
    body.match(/<id>[^<]+/)[0],
    'two feeds have the same id',
  )
  const idle = await createDeveloper()
  for (const nobody of ['nobody-here', idle.username])
    assert.deepEqual(refused(await get(`/${nobody}/feed.atom`)), [404, 4040])
  assert.deepEqual(refused(await get('/big-studio/feed.atom?sort=best')), [400, 4000])
})

test('a search feed is valid, sorted, and omits listings that are not indexable', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get, createListing, updateListing, url } = await emptyCatalog(t)
  const old = await createListing({
    name: 'Space trader',
    published_at: day(1),
    updated_at: day(9),
    genres: ['strategy'],
  })
  const young = await createListing({
    name: 'Space & time',
    published_at: day(2),
    updated_at: day(3),
  })
  await createListing({ name: 'Meadow' })
  const adult = await createListing({ name: 'Space adult', adult: true })
  const unlisted = await createListing({ name: 'Space unlisted', indexable: false })
  const results = async (query: string) => entries((await get(`/feeds/search.atom${query}`)).body)
  await eventually('the index', async () => (await results('?q=space')).length === 2)
  const { headers, body } = await get('/feeds/search.atom?q=space')
  assertXml(body, 'atom')
  assert.equal(headers['content-type'], 'application/atom+xml; charset=utf-8')
  assert.deepEqual(entries(body), [young.uid, old.uid])
  assert.deepEqual(await results('?q=space&sort=updated'), [old.uid, young.uid])
  assert.deepEqual(await results('?q=space&genres=strategy,none'), [old.uid])
  assert.deepEqual(await results('?search=space&genres=strategy&genres=action'), [old.uid])
  assert.ok(!(await results('')).some((uid) => [adult.uid, unlisted.uid].includes(uid)))
  assert.equal((await results('')).length, 3)
  await updateListing(young.uid, { visibility: 'draft' })
  assert.deepEqual(
    await results('?q=space'),
    [old.uid],
    'the next feed still has the hidden listing',
  )
  assert.equal(
    (await get('/feeds/search.atom?q=space', { headers: { 'if-none-match': headers.etag! } }))
      .status,
    200,
  )

  const self = async (query: string) =>
    xpath((await get(`/feeds/search.atom${query}`)).body, "string(/*/*[local-name()='id'])")
  assert.equal(await self('?genres=rpg&q=space'), `${url}/feeds/search.atom?genres=rpg&q=space`)
  for (const same of [
    '?q=space&genres=rpg',
    '?search=space&genres=rpg&page=3&page_size=2&utm=x',
    '?genres=rpg&q=space&sort=junk',
  ])
    assert.equal(await self(same), `${url}/feeds/search.atom?genres=rpg&q=space`, same)
})

test('a search feed accepts every parameter that the search accepts', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get } = await emptyCatalog(t)
  for (const query of [
    '?q=%3C%26%22%27%3E',
    `?q=${'x'.repeat(8000)}`,
    '?players=-1',
    `?tags=${'a,'.repeat(3000)}`,
    '?page=999999999',
    '?q=a&q=b',
    '?sort=%F0%9F%9A%80',
    '?q=%ED%A0%80',
  ]) {
    const { status, body } = await get(`/feeds/search.atom${query}`)
    assert.equal(status, 200, query)
    assertXml(body, 'atom')
  }
  assert.deepEqual(refused(await get('/feeds/search.atom?q=%00')), [400, 4000])
})

test('feeds of an empty catalog are valid', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get } = await emptyCatalog(t)
  for (const name of ['new', 'updated']) assertXml((await get(`/feeds/${name}.atom`)).body, 'atom')
})

test('the update time of an entry and of its feed is never before its publication', async (t) => {
  const { get, createListing } = await emptyCatalog(t)
  const { username } = await createListing({ published_at: day(5), updated_at: day(3) })
  await createListing({ published_at: day(1), updated_at: day(2) })
  const published = `<published>${day(5).toISOString()}</published>`
  const updated = `<updated>${day(5).toISOString()}</updated>`
  for (const feed of ['/feeds/new.atom', '/feeds/updated.atom', `/${username}/feed.atom`]) {
    const { body, headers } = await get(feed)
    assert.ok(body.includes(`${published}${updated}`), feed)
    assert.ok(body.slice(0, body.indexOf('<entry>')).includes(updated), feed)
    assert.equal(headers['last-modified'], day(5).toUTCString(), feed)
  }
  assert.ok((await get('/feeds/new.atom')).body.includes(`<updated>${day(2).toISOString()}`))
})

test('a feed has at most 50 entries', async (t) => {
  const { get, createManyListings } = await emptyCatalog(t)
  await createManyListings(50)
  assert.equal(entries((await get('/feeds/new.atom')).body).length, 50)
  await createManyListings(1)
  assert.equal(entries((await get('/feeds/new.atom')).body).length, 50)
})

test('a conditional request returns 304 until the feed changes', async (t) => {
  const { get, call, createListing, updateListing } = await emptyCatalog(t)
  const { uid } = await createListing({ published_at: day(1), updated_at: day(2) })
  const other = await createListing({ published_at: day(1), updated_at: day(1) })
  const feed = '/feeds/new.atom'
  const { headers } = await get(feed)
  const { etag } = headers as { etag: string }
  const statusWith = async (sent: Record<string, string>) =>
    (await get(feed, { headers: sent })).status
  const current = { 'if-none-match': etag }
  for (const sent of [
    current,
    { 'if-none-match': `W/${etag}` },
    { 'if-none-match': `"x", ${etag}` },
    { 'if-none-match': '*' },
    { 'if-modified-since': headers['last-modified']! },
  ])
    assert.equal(await statusWith(sent), 304, JSON.stringify(sent))
  const empty = await get(feed, { headers: current })
  assert.deepEqual(
    [empty.body, empty.headers.etag, empty.headers['content-type']],
    ['', etag, undefined],
  )
  assert.equal((await call('HEAD', feed, { headers: current })).status, 304)
  assert.equal((await call('HEAD', feed)).headers.etag, etag)
  const stale: Record<string, string>[] = [
    { 'if-none-match': '"x"' },
    { 'if-none-match': '"x"', 'if-modified-since': headers['last-modified']! },
    { 'if-modified-since': 'yesterday' },
  ]
  for (const sent of stale) assert.equal(await statusWith(sent), 200, JSON.stringify(sent))
  await updateListing(other.uid, { name: 'Renamed' })
  assert.equal(await statusWith(current), 200)
  await updateListing(uid, { visibility: 'draft' })
  assert.equal(
    await statusWith({ 'if-modified-since': headers['last-modified']! }),
    200,
    'a removed listing was not noticed, because the date became older',
  )
})

test('limits an address to 120 feeds per minute', async (t) => {
  const { get } = await startCatalog(t)
  assert.deepEqual(
    await countStatuses(get, { count: 121 }, (n) => `/feeds/${n % 2 ? 'new' : 'updated'}.atom`),
    {
      200: 120,
      429: 1,
    },
  )
})
