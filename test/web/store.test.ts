import assert from 'node:assert/strict'
import { test } from 'node:test'
import { registry } from '../../src/core/runtime/metrics.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { canonical, jsonLd, meta, startStore } from './fixtures.ts'

const sharedStore = sharedInFile(startStore)

test('a listing page has a canonical address, a share card and structured data', async (t) => {
  const { published, visitor, url, put } = await sharedStore(t)
  const listing = await published({ name: 'Tide & <Bell>' })
  const reader = visitor()
  const { status, body, headers } = await reader.open(listing.path)
  assert.equal(status, 200)
  assert.equal(canonical(body), `${url}${listing.path}`)
  assert.match(body, /<title>Tide &amp; &lt;Bell&gt; on Slipway<\/title>/)
  assert.equal(meta(body, 'og:type'), 'website')
  assert.equal(meta(body, 'twitter:card'), 'summary_large_image')
  assert.equal(meta(body, 'og:image:alt'), 'Cover art for Tide &amp; &lt;Bell&gt;')
  assert.equal(meta(body, 'robots'), undefined)
  assert.equal(headers['x-robots-tag'], undefined)
  const data = jsonLd(body)
  assert.deepEqual(
    [data['@type'], data.name, data.offers.price],
    ['VideoGame', 'Tide & <Bell>', '0.00'],
  )
  assert.equal(data.keywords, 'sea, boats, tides')
  assert.deepEqual(data.numberOfPlayers, { '@type': 'QuantitativeValue', minValue: 1, maxValue: 2 })
  assert.equal(data.operatingSystem, 'Linux')
  assert.equal(data.aggregateRating, undefined)
  assert.equal((await reader.open(`/games/${listing.uid}`)).headers.location, listing.path)
  assert.equal((await reader.open(listing.path.toUpperCase())).headers.location, listing.path)
  assert.equal((await reader.open(`/somebody-else/${listing.vanity_name}`)).status, 404)
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/taxonomy`,
      { tags: ['sea', 'boats', 'lanterns'] },
      listing.owner,
    ),
  )
  assert.match(
    (await reader.open(listing.path)).body,
    /tags=lanterns/,
    'the next visitor sees the change',
  )
})

test('a listing that may not be indexed has a noindex tag and no structured data', async (t) => {
  const { published, visitor, signedIn, patch, a } = await sharedStore(t)
  const listing = await published()
  const url = `/api/v1/private/games/${listing.uid}`
  const reader = visitor()
  for (const change of [{ indexable: false }, { indexable: true, visibility: 'invisible' }]) {
    must(await patch(url, change, listing.owner))
    const { body, headers } = await reader.open(listing.path)
    assert.equal(meta(body, 'robots'), 'noindex, nofollow')
    assert.equal(headers['x-robots-tag'], 'noindex')
    assert.equal(jsonLd(body), null)
  }
  must(await patch(url, { visibility: 'draft' }, listing.owner))
  assert.equal((await reader.open(listing.path)).status, 404)
  assert.equal((await signedIn(await a.user()).open(listing.path)).status, 404)
  const own = await signedIn(listing.owner).open(listing.path)
  assert.equal(own.status, 200)
  assert.match(own.body, /Not out yet/)
  assert.equal(meta(own.body, 'robots'), 'noindex, nofollow')
  assert.doesNotMatch(own.body, /\/claim"/)
  assert.match(own.headers['cache-control']!, /private/)
  assert.equal((await reader.open(`${listing.path}/press`)).status, 404)
  assert.equal((await signedIn(listing.owner).open(`${listing.path}/press`)).status, 404)
})

test('an adult page shows only a gate until the visitor confirms their age', async (t) => {
  const { published, visitor, signedIn, a } = await sharedStore(t)
  const listing = await published(
    { name: 'Behind the gate' },
    { adult: true },
    { content_warnings: ['sexual'] },
  )
  const closed = await visitor().open(listing.path)
  assert.equal(closed.status, 403)
  assert.doesNotMatch(closed.body, /Behind the gate|Low water/)
  assert.equal(meta(closed.body, 'robots'), 'noindex, nofollow')
  const player = signedIn(await a.verified())
  assert.equal((await player.open(listing.path)).status, 403)
  const below = ['/reviews', '/mods', '/tools'].map((path) => listing.path + path)
  const forms = ['review', 'tags', 'bug'].map((path) => `/games/${listing.uid}/${path}`)
  for (const [browser, paths] of [
    [visitor(), below] as const,
    [player, [...below, ...forms]] as const,
  ])
    for (const path of paths) {
      const { status, body } = await browser.open(path)
      assert.equal(status, 403, path)
      assert.doesNotMatch(body, /Behind the gate/, path)
    }
  for (const path of [...below, ...forms])
    assert.equal((await signedIn(listing.owner).open(path)).status, 200, path)
  const unconfirmed = await player.send('/settings/adult', { next: listing.path, show: 'yes' })
  assert.equal(unconfirmed.status, 403)
  const confirmed = await player.submit('/settings/adult', {
    next: listing.path,
    show: 'yes',
    confirm_18: 'yes',
  })
  assert.match(confirmed.body, /Behind the gate/)
  assert.equal(meta(confirmed.body, 'robots'), 'noindex, nofollow')
  assert.equal((await signedIn(listing.owner).open(listing.path)).status, 200)
  assert.equal((await visitor().open(`${listing.path}/embed`)).status, 404)
})

test('the search page offers every filter with counts', async (t) => {
  const { published, visitor, sql, a } = await startStore(t)
  const owner = (await published({ name: 'Cozy Boat' })).owner
  await published({ owner, name: 'Dark Boat' }, {}, { tone: ['dark'], content_warnings: [] })
  const reader = visitor()
  const all = await eventually('both in search', async () => {
    const page = await reader.open('/search?q=boat')
    return /Cozy Boat/.test(page.body) && /Dark Boat/.test(page.body) ? page : undefined
  })
  assert.match(
    all.body,
    /href="\/search\?q=boat&amp;tone=cozy"[^>]*>.*?<span class="amount">1<\/span>/s,
  )
  assert.match(all.body, /href="\/search\?q=boat&amp;exclude_tone=cozy"/)
  assert.match(all.body, /href="\/search\?q=boat&amp;exclude_warnings=flashing_lights"/)
  const only = async (query: string) => {
    const { body } = await reader.open(`/search?q=boat&${query}`)
    return [/Cozy Boat/.test(body), /Dark Boat/.test(body)]
  }
  assert.deepEqual(await only('tone=cozy'), [true, false])
  assert.deepEqual(await only('exclude_tone=cozy'), [false, true])
  assert.deepEqual(await only('exclude_warnings=flashing_lights'), [false, true])
  assert.deepEqual(await only('tone=cozy,dark&os=linux&players=2&engine=godot'), [true, true])
  assert.deepEqual(await only('os=windows'), [false, false])
  const chosen = (await reader.open('/search?search=boat&tone=cozy&unknown=1&tone=cozy')).body
  assert.match(canonical(chosen)!, /\/search\?q=boat&amp;tone=cozy$/)
  assert.match(chosen, /href="\/search\?q=boat"[^>]*>Cozy<span class="sr">, remove filter/)
  assert.equal(
    (await reader.open('/search?page=-1&players=x&sort=%00'.replace('%00', '?'))).status,
    200,
  )
  const every = {
    asset_type: 'game',
    genres: 'adventure',
    tags: 'sea',
    tone: 'cozy',
    ai_uses: 'art',
    session_bucket: '15m',
    net: 'offline',
    authorship: 'human',
    os: 'linux',
    exclude_types: 'mod',
    exclude_genres: 'rpg',
    exclude_tone: 'dark',
    exclude_tags: 'mud',
    exclude_warnings: 'gore',
    exclude_ai_uses: 'art',
    players: '2',
    arch: 'x86_64',
    engine: 'godot',
    engine_version: '4.2',
    renderer: 'vulkan',
    license: 'cc0',
  }
  const together = (
    await reader.open(`/search?${new URLSearchParams({ ...every, sort: 'newest' })}`)
  ).body
  const hrefs = [...together.matchAll(/class="chip[^>]* href="([^"]+)"/g)].map(
    (match) => new URL(match[1]!.replaceAll('&amp;', '&'), 'http://x'),
  )
  for (const [name, value] of Object.entries({ ...every, sort: 'newest' }))
    assert.ok(canonical(together)!.includes(`${name}=${value}`), name)
  for (const name of Object.keys(every))
    assert.ok(
      hrefs.some(({ searchParams }) => !searchParams.has(name)),
      `${name} can be removed`,
    )
  await sql`alter table all_listings alter column asset_id restart with 6000`
  await a.listing()
  for (const path of ['/search', '/search?sort=newest&page=1'])
    assert.match(
      (await reader.open(path)).body,
      /tone=cozy"[^>]*>.*?<span class="amount">1</s,
      'counts of the whole catalog',
    )
  const large = (await reader.open('/search?q=boat')).body
  assert.match(
    large,
    /href="\/search\?q=boat&amp;tags=tides"/,
    'a large catalog offers the tags of the listings on the page',
  )
  assert.match(large, /href="\/search\?q=boat&amp;tone=cozy"[^>]*>.*?<span class="amount">1</s)
  const hostile = (
    await reader.open(
      `/search?${new URLSearchParams({
        q: '"><script>alert(1)</script>',
        tags: '"><img src=x onerror=1>',
      })}`,
    )
  ).body
  assert.doesNotMatch(hostile, /<script>alert|<img src=x/)
})

test('a download requires an account unless the listing allows others', async (t) => {
  const { published, visitor, signedIn, put, a, url, get, sql } = await sharedStore(t)
  const listing = await published()
  const closed = visitor()
  assert.match(
    (await closed.open(listing.path)).body,
    new RegExp(`href="/download/${listing.file_uid}"`),
  )
  assert.equal(
    (await closed.open(`/download/${listing.file_uid}`)).headers.location,
    `/login?next=%2Fdownload%2F${listing.file_uid}`,
  )
  const player = signedIn(await a.verified())
  assert.match(
    (await player.open(`/download/${listing.file_uid}`, { referer: `${url}/` })).headers.location!,
    /\/files\/.*signature=/,
  )
  assert.match((await player.open('/library')).body, new RegExp(listing.vanity_name))
  const unverified = await signedIn(await a.user()).open(`/download/${listing.file_uid}`)
  assert.match(unverified.headers.location!, /^\/settings\/verify\?next=/)
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/anonymous-downloads`,
      { enabled: true, confirm_no_license: true },
      listing.owner,
    ),
  )
  const button = /class="button button-primary button-download" href="([^"]+)" rel="nofollow"/
  const download = async (own: ReturnType<typeof visitor>) => {
    const open = (await own.open(listing.path)).body.match(button)![1]!
    return own.open(open, { referer: `${url}${listing.path}` })
  }
  const other = signedIn(await a.verified())
  for (const own of [visitor(), signedIn(await a.user()), other])
    assert.match((await download(own)).headers.location!, /\/files\/.*signature=/)
  assert.match(
    (await other.open('/library')).body,
    new RegExp(listing.vanity_name),
    'a signed-in player keeps a copy',
  )
  const { downloads } = must(
    await get(`/api/v1/private/games/${listing.uid}/download-analytics`, listing.owner),
  )
  assert.deepEqual(downloads.by_source, [{ source: 'website', count: 4 }])
  const missing = await visitor().open(`/download/${crypto.randomUUID()}`)
  assert.equal(missing.status, 404)
  assert.match(missing.headers['content-type']!, /^text\/html/, 'a refusal is an HTML page')
  await sql`update files set scan = 'scanning' where uid = ${listing.file_uid}`
  assert.match(
    (await visitor().open(`/download/${listing.file_uid}`)).body,
    /<h1>That did not work/,
  )
  assert.equal((await player.open(`/download/${crypto.randomUUID()}`)).status, 404)
})

async function renders(): Promise<number> {
  const metrics = await registry.metrics()
  return Number(metrics.match(/^slipway_listing_page_renders_total (\d+)/m)![1])
}

test('visitors who open a page right after a change share one rendering', async (t) => {
  const { published, visitor, sql } = await sharedStore(t)
  const listing = await published()
  await visitor().open(listing.path)
  await sql`update listings set tagline = 'Fresh words' where uid = ${listing.uid}`
  const before = await renders()
  const pages = await Promise.all(Array.from({ length: 20 }, () => visitor().open(listing.path)))
  assert.ok(pages.every(({ body }) => body.includes('Fresh words')))
  assert.ok((await renders()) - before < 5, 'every visitor made the service render the page')
})

test('a listing page with a flash message is not rendered again', async (t) => {
  const { published, visitor, core } = await startStore(t)
  const listing = await published()
  const plain = await visitor().open(listing.path)
  const before = await renders()
  const open = async (path: string, notice: string) => {
    const reader = visitor()
    reader.jar.set('svc_notice', encodeURIComponent(notice))
    return { reader, ...(await reader.open(path)) }
  }
  for (let i = 0; i < 20; i++) {
    const { reader, status, body, headers } = await open(listing.path, `<b>Hello ${i}</b>`)
    assert.equal(status, 200)
    const [start, rest] = plain.body.split('<main id="main" tabindex="-1">')
    const message = body.slice(0, -rest!.length).slice(start!.length)
    assert.equal(body, `${start}${message}${rest}`)
    assert.match(message, new RegExp(`role="status">&lt;b&gt;Hello ${i}&lt;/b&gt;<button[^]*menus`))
    assert.equal(headers['cache-control'], 'private, no-store')
    assert.equal(headers['content-security-policy'], plain.headers['content-security-policy'])
    assert.equal(reader.jar.has('svc_notice'), false, 'the message is shown once')
    assert.equal((await reader.open(listing.path)).body, plain.body)
  }
  assert.equal(await renders(), before)

  assert.equal((await open(`/somebody-else/${listing.vanity_name}`, 'Hello')).status, 404)
  const pages = { points: 600, seconds: 60 }
  await assert.rejects(async () => {
    for (let used = 0; used <= pages.points; used++)
      await core.limiter.take('ip pages', '127.0.0.1', pages)
  })
  assert.equal((await open(listing.path, 'Hello')).status, 200, 'it does not count as a page')
  assert.equal((await visitor().open(listing.path)).status, 200)
})

test('long lists are split into pages', async (t) => {
  const { published, visitor, sql } = await sharedStore(t)
  const listing = await published({ name: 'Parent' })
  await sql`
    insert into listings (
      uid, owner_uid, vanity_name, name, asset_type, parent_uid, visibility, published_at
    )
    select gen_random_uuid(), owner_uid, 'many-' || n, 'Many ' || n, 'mod', uid, 'public',
      now() - n * interval '1 minute'
    from listings, generate_series(1, 49) n
    where uid = ${listing.uid}`
  const reader = visitor()
  for (const path of [`/${listing.owner.username}`, `${listing.path}/mods`]) {
    const first = await eventually('a second page', async () => {
      const { body } = await reader.open(path)
      return body.includes(`href="${path}?page=2"`) ? body : undefined
    })
    assert.doesNotMatch(first, />Many 49</)
    const second = (await reader.open(`${path}?page=2`)).body
    assert.match(second, />Many 49</)
    assert.ok(
      second.includes(`href="${path}?page=1"`) && !second.includes(`href="${path}?page=3"`),
      path,
    )
  }
})

test('developers, press kits, reviews, mods and the widget each have a page', async (t) => {
  const { published, visitor, url, a, patch, put } = await sharedStore(t)
  const listing = await published({ name: 'Parent' })
  const mod = await published(
    { owner: listing.owner, name: 'Its Mod', asset_type: 'mod' },
    { parent: { game: listing.uid } },
  )
  const kit = {
    release_date: 'Autumn',
    quotes: [{ quote: 'It floats', source: 'A paper' }],
    credits: [{ name: 'Ada', role: 'Code' }],
  }
  must(await put(`/api/v1/private/games/${listing.uid}/press`, kit, listing.owner))
  const reader = visitor()
  const press = await reader.open(`${listing.path}/press`)
  assert.match(press.body, /<title>Parent press kit<\/title>/)
  for (const text of ['Autumn', 'It floats', 'Ada', 'press.zip'])
    assert.ok(press.body.includes(text), text)
  assert.equal(canonical(press.body), `${url}${listing.path}/press`)
  const embed = await reader.open(`${listing.path}/embed`)
  assert.match(embed.headers['content-security-policy']!, /frame-ancestors \*/)
  assert.equal(embed.headers['x-robots-tag'], 'noindex')
  assert.match(embed.body, />Download</)
  await eventually(
    'the developer has a page',
    async () => (await reader.open(`/${listing.owner.username}`)).status === 200,
  )
  const maker = await reader.open(`/${listing.owner.username}`)
  assert.equal(jsonLd(maker.body).mainEntity.name, listing.owner.username)
  must(await patch(`/api/v1/private/games/${mod.uid}`, { indexable: false }, listing.owner))
  assert.equal(
    meta((await reader.open(`/${listing.owner.username}`)).body, 'robots'),
    undefined,
    'another listing may still be indexed',
  )
  must(
    await patch(
      `/api/v1/private/games/${listing.uid}`,
      { indexable: false, demo_url: 'https://example.com/video' },
      listing.owner,
    ),
  )
  const hidden = await reader.open(`/${listing.owner.username}`)
  assert.deepEqual([meta(hidden.body, 'robots'), jsonLd(hidden.body)], ['noindex, nofollow', null])
  assert.match(
    (await reader.open(listing.path)).body,
    /href="https:\/\/example.com\/video"[^>]*>.*?Watch the video /,
  )
  assert.equal((await reader.open(`/${(await a.verified()).username}`)).status, 404)
  assert.equal(
    (await reader.open(`/${listing.owner.username.toUpperCase()}`)).headers.location,
    `/${listing.owner.username}`,
  )
  for (const path of ['/mods', '/tools', '/reviews', ''])
    assert.equal((await reader.open(listing.path + path)).status, 200, path)
  assert.match((await reader.open(`${listing.path}/mods`)).body, /Its Mod/)
  assert.doesNotMatch((await reader.open(`${listing.path}/tools`)).body, /Its Mod/)
  const file = await reader.open(`/games/${listing.uid}/files/${listing.file_uid}`)
  assert.match(file.body, /A build machine/)
  must(await patch(`/api/v1/private/games/${listing.uid}`, { visibility: 'draft' }, listing.owner))
  for (const path of ['/mods', '/tools', '/reviews', '', '/press', '/embed'])
    assert.equal((await reader.open(listing.path + path)).status, 404, path)
  assert.equal((await reader.open(`/games/${listing.uid}/files/${listing.file_uid}`)).status, 404)
})

test('markdown never renders raw HTML, script or remote images', async (t) => {
  const { published, visitor } = await sharedStore(t)
  const description = [
    '# Title',
    '**bold** <b>raw</b> <script>alert(1)</script>',
    '[ok](https://example.com/a) [bad](javascript:alert(1)) ![pic](https://example.com/p.png)',
    'x '.repeat(200),
  ].join('\n\n')
  const { body } = await visitor().open((await published({}, { description })).path)
  assert.match(body, /<h3>Title<\/h3>/)
  assert.match(body, /<strong>bold<\/strong> &lt;b&gt;raw/)
  assert.match(body, /<a href="https:\/\/example.com\/a" rel="nofollow ugc noopener">ok<\/a>/)
  assert.doesNotMatch(body, /javascript:alert\(1\)"|<script>alert|src="https:\/\/example\.com/)
  assert.match(body, /<a href="https:\/\/example.com\/p.png"[^>]*>pic<\/a>/)
})
