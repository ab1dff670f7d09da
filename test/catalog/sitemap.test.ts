import assert from 'node:assert/strict'
import { test } from 'node:test'
import { SECTION_SIZE, sitemapJson } from '../../src/catalog/sitemap/sitemap.ts'
import { must, newAddress, refused } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { countStatuses, emptyCatalog, notIndexable, startCatalog } from './fixtures.ts'
import { assertXml, locations } from './xml.ts'

/** The two pages of the service itself are part of a sitemap with a single file. */
const MAX_SINGLE_FILE = SECTION_SIZE - 2
const SITEMAP = '/api/v1/public/sitemap'

test('the JSON sitemap lists indexable listings and each developer once', async (t) => {
  const { get, createListing, createDeveloper, url } = await emptyCatalog(t)
  const owner = await createDeveloper()
  const first = await createListing({ owner, updated_at: new Date('2026-01-01T00:00:00Z') })
  const second = await createListing({ owner, updated_at: new Date('2026-02-02T00:00:00Z') })
  const entry = ({ uid, vanity_name, username }: typeof first, updated_at: string) => ({
    uid,
    vanity_name,
    developer: username,
    updated_at,
    url: `${url}/${username}/${vanity_name}`,
    press_url: `${url}/${username}/${vanity_name}/press`,
  })
  const { headers, body } = await get(SITEMAP)
  assert.equal(headers['content-type'], 'application/json; charset=utf-8')
  assert.deepEqual(body, {
    success: true,
    data: {
      listings: [
        entry(first, '2026-01-01T00:00:00.000Z'),
        entry(second, '2026-02-02T00:00:00.000Z'),
      ],
      developers: [
        {
          username: owner.username,
          url: `${url}/${owner.username}`,
          updated_at: '2026-02-02T00:00:00.000Z',
        },
      ],
      next_cursor: null,
    },
  })
})

test('sitemaps omit hidden, adult, unindexed and unverified listings at once', async (t) => {
  const app = await startCatalog(t, { PROXY_HOPS: '1' })
  const { createListing, updateListing, sql } = app
  const get = (path: string) => app.get(path, { headers: newAddress() })
  const { uid, username, vanity_name, owner_uid } = await createListing()
  const page = `/${username}/${vanity_name}`
  async function isInSitemaps() {
    const { listings, developers } = must(await get(SITEMAP))
    const files =
      (await get('/sitemap.xml')).body +
      (await get(`/${username}/sitemap.xml`)).body +
      (await get('/sitemaps/1.xml')).body
    const named = [
      listings.length === 1,
      developers.length === 1,
      files.includes(`${page}<`),
      files.includes(`/${username}<`),
      files.includes(`${page}/press<`),
    ]
    assert.equal(new Set(named).size, 1, `all or none: ${named}`)
    return named[0]
  }
  assert.ok(await isInSitemaps())
  for (const fields of notIndexable) {
    await updateListing(uid, fields)
    assert.ok(!(await isInSitemaps()), JSON.stringify(fields))
    await updateListing(uid, { visibility: 'public', adult: false, indexable: true })
  }
  await sql`update users set email_verified_at = null where uid = ${owner_uid}`
  assert.ok(!(await isInSitemaps()))
  await sql`update users set email_verified_at = now() where uid = ${owner_uid}`
  assert.ok(await isInSitemaps())
})

test('a developer is listed with their first indexable listing', async (t) => {
  const { get, createListing, createDeveloper, updateListing } = await emptyCatalog(t)
  const owner = await createDeveloper()
  const [first] = [
    await createListing({ owner }),
    await createListing({ owner }),
    await createListing({ owner }),
  ]
  const developers = async () =>
    must(await get(SITEMAP)).developers.map(({ username }: any) => username)
  assert.deepEqual(await developers(), [owner.username])
  await updateListing(first!.uid, { visibility: 'invisible' })
  assert.deepEqual(await developers(), [owner.username])
  assert.equal(
    locations((await get('/sitemap.xml')).body).filter((url) => url.endsWith(`/${owner.username}`))
      .length,
    1,
  )
})

test('the sitemap of an empty catalog has only the pages of the service', async (t) => {
  const { get, url } = await emptyCatalog(t)
  assert.deepEqual(must(await get(SITEMAP)), { listings: [], developers: [], next_cursor: null })
  const { body, headers } = await get('/sitemap.xml')
  assert.equal(headers['content-type'], 'application/xml; charset=utf-8')
  assert.deepEqual(locations(body), [`${url}/`, `${url}/docs/api`])
  assert.deepEqual(refused(await get('/sitemaps/1.xml')), [404, 4040])
})

test('the JSON sitemap by cursor returns every listing and developer once', async (t) => {
  const { get, createManyListings, sql, core, createDeveloper } = await startCatalog(t)
  await createManyListings(30, {}, await createDeveloper())
  await sql`alter sequence listings_asset_id_seq restart with 60001`
  await createManyListings(20)
  const all = must(await get(SITEMAP))
  assert.deepEqual([all.listings.length, all.developers.length, all.next_cursor], [50, 21, null])
  for (const page of [1, 7, 25, 49, 50, 51]) {
    const listings: unknown[] = []
    const developers: unknown[] = []
    for (let cursor: string | null = '0', pages = 0; cursor !== null; pages++) {
      assert.ok(pages < 60)
      const { data }: { data: any } = JSON.parse(
        (await Array.fromAsync(sitemapJson(core, Number(cursor), page))).join(''),
      )
      assert.ok(data.listings.length <= page)
      listings.push(...data.listings)
      developers.push(...data.developers)
      cursor = data.next_cursor
    }
    assert.deepEqual([listings, developers], [all.listings, all.developers], `pages of ${page}`)
  }
  assert.deepEqual(must(await get(`${SITEMAP}?cursor=999999999999999`)), {
    listings: [],
    developers: [],
    next_cursor: null,
  })
  for (const cursor of ['x', '-1', '1.5', '', '9'.repeat(16), "1' or 1=1"])
    assert.deepEqual(
      refused(await get(`${SITEMAP}?cursor=${encodeURIComponent(cursor)}`)),
      [400, 4000],
      cursor,
    )
})

test('a small sitemap is one valid file, a large one an index of valid files', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get, createListing, createManyListings, sql, url } = await startCatalog(t)
  const first = await createListing()
  const small = (await get('/sitemap.xml')).body
  assertXml(small, 'sitemap')
  assert.deepEqual(locations(small), [
    `${url}/`,
    `${url}/docs/api`,
    `${url}/${first.username}`,
    `${url}/${first.username}/${first.vanity_name}`,
  ])
  const restartIds = (id: number) =>
    sql.unsafe(`alter sequence listings_asset_id_seq restart with ${id}`)
  await restartIds(MAX_SINGLE_FILE)
  await createListing()
  assert.match(
    (await get('/sitemap.xml')).body,
    /<urlset/,
    'the largest single file became an index',
  )
  await createListing()
  await restartIds(SECTION_SIZE)
  await createManyListings(3)
  await restartIds(SECTION_SIZE * 4)
  await createManyListings(1)
  const index = (await get('/sitemap.xml')).body
  assertXml(index, 'sitemap')
  const files = locations(index)
  assert.deepEqual(
    files.map((file) => file.slice(url.length)),
    ['/sitemaps/pages.xml', '/sitemaps/1.xml', '/sitemaps/2.xml', '/sitemaps/4.xml'],
    'the index has a section without listings',
  )
  const pages: string[] = []
  for (const file of files) {
    const { status, body } = await get(file)
    assert.equal(status, 200)
    assertXml(body, 'sitemap')
    pages.push(...locations(body))
  }
  assert.equal(new Set(pages).size, pages.length)
  const made = must(await get(SITEMAP))
  assert.deepEqual(
    pages.sort(),
    [
      `${url}/`,
      `${url}/docs/api`,
      ...made.listings.map((entry: any) => entry.url),
      ...made.developers.map((entry: any) => entry.url),
    ].sort(),
  )
})

test('no sitemap file exceeds 50,000 URLs or 50 MB with the longest names', () => {
  assert.ok(SECTION_SIZE * 2 <= 50_000)
  const longest = `https://${'h'.repeat(253)}:65535/${'u'.repeat(32)}/${'v'.repeat(64)}`
  const entry = `<url><loc>${longest}</loc><lastmod>2026-01-01T00:00:00.000Z</lastmod></url>\n`
  assert.ok(entry.length * 50_000 < 50 * 1024 * 1024)
})

test('a developer’s sitemap has their page and all their listing and press pages', async (t) => {
  if (!needs(t, 'xmllint')) return
  const { get, createListing, createDeveloper, url } = await emptyCatalog(t)
  const owner = await createDeveloper({ username: 'Big-Studio' })
  const { vanity_name } = await createListing({ owner })
  await createListing()
  const { body } = await get('/big-studio/sitemap.xml')
  assertXml(body, 'sitemap')
  assert.deepEqual(locations(body), [
    `${url}/Big-Studio`,
    `${url}/Big-Studio/${vanity_name}`,
    `${url}/Big-Studio/${vanity_name}/press`,
  ])
  const idle = await createDeveloper()
  for (const nobody of [idle.username, 'no-such-person', '%27'])
    assert.deepEqual(refused(await get(`/${nobody}/sitemap.xml`)), [404, 4040], nobody)
})

test('missing sitemap files return 404', async (t) => {
  const { get, createListing } = await emptyCatalog(t)
  await createListing()
  for (const file of [
    '0.xml',
    '2.xml',
    '01.xml',
    '-1.xml',
    '1',
    '1.xml.gz',
    '99999999.xml',
    '999999999999.xml',
    'x.xml',
  ])
    assert.deepEqual(refused(await get(`/sitemaps/${file}`)), [404, 4040], file)
  assert.equal((await get('/sitemaps/1.xml')).status, 200)
  assert.equal((await get('/sitemaps/pages.xml')).status, 200)
})

test('HEAD returns the headers of GET without the body', async (t) => {
  const { call, get, createListing } = await emptyCatalog(t)
  await createListing()
  for (const path of [SITEMAP, '/sitemap.xml', '/sitemaps/1.xml', '/api/v1/public/export']) {
    const head = await call('HEAD', path)
    const full = await get(path)
    assert.deepEqual(
      [head.status, head.body, head.headers['content-type']],
      [200, '', full.headers['content-type']],
      path,
    )
  }
})

test('limits sitemaps to 120 per minute for all clients, and 12 for an address', async (t) => {
  const { get } = await startCatalog(t, { PROXY_HOPS: '1' })
  const paths = [SITEMAP, '/sitemap.xml', '/sitemaps/pages.xml']
  const path = (n: number) => paths[n % 3]!
  assert.deepEqual(await countStatuses(get, { count: 40 }, path), { 200: 12, 429: 28 })
  // The first of eleven addresses has used its share, which leaves 108 for the others.
  const others = await countStatuses(get, { count: 132, addresses: 11 }, path)
  assert.deepEqual(others, { 200: 108, 429: 24 })
  const developer = await get('/somebody/sitemap.xml', {
    headers: { 'x-forwarded-for': '10.1.1.1' },
  })
  assert.equal(developer.status, 429, 'the sitemap of a developer has another limit')
})
