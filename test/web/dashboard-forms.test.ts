import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { stores } from '../../src/listings/fields/store-links.ts'
import { cents } from '../../src/web/dashboard/page/cents.ts'
import { moveImage } from '../../src/web/dashboard/page/images.ts'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form, picture } from '../support/images.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { browser, errorsOf } from './browser.ts'

async function startDashboard(t: TestContext, asset_type = 'game') {
  const app = await startApp(t)
  const listing = await app.a.listing({ owner: await app.a.verifiedDeveloper(), asset_type })
  const owner = browser(app)
  owner.as(listing.owner.token)
  const read = async (part = '') =>
    must(await app.get(`/api/v1/private/games/${listing.uid}${part}`, listing.owner))
  const at = (part: string) => `/dashboard/${listing.vanity_name}/${part}`
  /** A form with a file, as a browser without JavaScript sends it. */
  const sendFile = async (
    path: string,
    fields: Record<string, string>,
    bytes: Uint8Array,
    filename: string,
  ) => {
    const { headers, raw } = await form(fields, [
      { bytes, filename, type: 'application/octet-stream' },
    ])
    const cookie = `svc_session=${listing.owner.token}`
    return app.call('POST', path, {
      raw,
      headers: {
        ...headers,
        cookie,
        accept: 'text/html',
        origin: app.url,
        'sec-fetch-site': 'same-origin',
      },
    })
  }
  return { ...app, listing, owner, read, at, sendFile }
}

test('the forms of the Page section save text, taxonomy and relations', async (t) => {
  const { a, owner, read, at, sql } = await startDashboard(t, 'mod')
  const other = await a.listing({ name: 'The Other One' })
  await sql`
    update listings
    set visibility = 'public', published_at = now(), public_since = now()
    where uid = ${other.uid}`
  await owner.submit(at('page/words'), {
    name: 'Boats',
    tagline: 'Many',
    description: '# Hello\nthere',
    status: 'prototype',
    demo_url: 'https://video.example/1',
  })
  await owner.submit(at('page/taxonomy'), {
    genres: ['card', 'rpg'],
    tags: 'Deep Sea, boats\nfog',
    tone: 'cozy',
    inputs: ['gamepad', 'touch'],
    engines: 'svc-engine',
    content_warnings: 'gore',
    session_bucket: '1h',
    net: 'online',
    players_min: '2',
    players_max: '8',
    authorship: 'human',
    ai_uses: 'art',
    authorship_credit: 'by us',
  })
  await owner.submit(at('page/parent'), { parent_game: other.vanity_name })
  await owner.submit(at('page/similar'), { games: other.vanity_name })
  await owner.submit(at('page/dependencies'), {
    kind: ['supports', 'uses'],
    game: [other.vanity_name, ''],
  })
  await owner.submit(at('page/compat'), {
    engine: ['svc-engine', ''],
    min_version: ['2.0', ''],
    max_version: ['', ''],
    renderer: ['', ''],
    platform: ['linux', ''],
  })
  await owner.submit(at('page/mod'), {
    install_path: 'mods/boats',
    loader: 'loader',
    instructions: 'Unzip.',
  })
  const page = await read()
  assert.deepEqual(
    [page.name, page.tagline, page.description, page.status, page.demo_url],
    ['Boats', 'Many', '# Hello\nthere', 'prototype', 'https://video.example/1'],
  )
  assert.deepEqual(
    [page.genres, page.tags, page.tone, page.inputs],
    [['card', 'rpg'], ['deep-sea', 'boats', 'fog'], ['cozy'], ['gamepad', 'touch']],
  )
  assert.deepEqual(
    [page.engines, page.session_bucket, page.net, page.players_min, page.players_max],
    [['svc-engine'], '1h', 'online', 2, 8],
  )
  assert.deepEqual(
    [page.authorship, page.authorship_credit, page.ai_uses, page.content_warnings],
    ['human', 'by us', ['art'], ['gore']],
  )
  assert.equal(page.parent.game.uid, other.uid)
  assert.deepEqual([page.similar[0].uid, page.relations.uses[0].kind], [other.uid, 'supports'])
  assert.deepEqual(page.engine_compat, [
    {
      engine: 'svc-engine',
      min_version: '2.0',
      max_version: null,
      renderer: null,
      platform: 'linux',
    },
  ])
  assert.deepEqual(page.mod_settings, {
    install_path: 'mods/boats',
    loader: 'loader',
    instructions: 'Unzip.',
  })
  // Empty fields are cleared, and an external parent replaces a listed one.
  await owner.submit(at('page/parent'), {
    parent_external_name: 'A Game',
    parent_external_url: 'https://game.example/',
  })
  await owner.submit(at('page/dependencies'), { kind: ['uses'], game: [''] })
  await owner.submit(at('page/taxonomy'), { tags: '' })
  const emptied = await read()
  assert.deepEqual(
    [emptied.parent.external_name, emptied.relations.uses, emptied.tags, emptied.net],
    ['A Game', [], [], null],
  )
  const refused = await owner.send(at('page/parent'), {
    parent_external_name: 'A Game',
    parent_external_url: 'http://game.example/',
  })
  assert.match(refused.body, /id="f-parent_external_url"[^>]*aria-invalid="true"/)
})

test('the forms of press kit, links, settings and editions save', async (t) => {
  const { owner, read, at } = await startDashboard(t)
  await owner.submit(at('press'), {
    release_date: 'Spring',
    press_email: 'press@boats.example',
    features: 'one\ntwo',
    links: 'Home | https://boats.example/',
    credits: 'Ann | Code',
    quotes: 'Good | Paper',
  })
  const kit = await read('/press')
  assert.deepEqual(
    [kit.release_date, kit.features, kit.links, kit.credits],
    [
      'Spring',
      ['one', 'two'],
      [{ label: 'Home', url: 'https://boats.example/' }],
      [{ name: 'Ann', role: 'Code' }],
    ],
  )
  const press_page = (await owner.open(at('press'))).body
  assert.match(press_page, /Home \| https:\/\/boats\.example\//)
  const [, store] = stores
  await owner.submit(at('links'), { [store!.platform]: `https://${store!.hosts[0]}/game/boats` })
  assert.equal((await read('/store-links')).store_links[0].platform, store!.platform)
  await owner.submit(at('settings/price'), { price_cents: '4,99' })
  assert.equal((await read()).price_cents, 499)
  const anonymous = await owner.send(at('settings/anonymous'), { confirm_no_license: 'yes' })
  assert.equal(anonymous.status, 409)
  await owner.submit(at('settings/price'), { price_cents: '0' })
  assert.match(errorsOf((await owner.send(at('settings/anonymous'))).body).join(), /confirm/i)
  await owner.submit(at('settings/anonymous'), { confirm_no_license: 'yes' })
  assert.equal((await read()).anonymous_downloads, true)
  await owner.submit(at('settings/anonymous/off'))
  await owner.submit(at('settings/editions/new'), {
    slug: 'big',
    name: 'Big',
    kind: 'deluxe',
    price_cents: '9.99',
    active: 'yes',
    sort_order: '2',
  })
  const [edition] = (await read('/editions')).editions
  assert.deepEqual(
    [edition.slug, edition.price_cents, edition.active, edition.sort_order],
    ['big', 999, true, 2],
  )
  await owner.submit(at(`settings/editions/${edition.uid}`), {
    slug: 'big',
    name: 'Bigger',
    kind: 'deluxe',
    price_cents: '9.99',
  })
  assert.deepEqual(
    (await read('/editions')).editions.map(
      ({ name, active }: { name: string; active: boolean }) => [name, active],
    ),
    [['Bigger', false]],
  )
  await owner.submit(at(`settings/editions/${edition.uid}/retire`))
  assert.deepEqual((await read('/editions')).editions, [])
  const refused = await owner.send(at('settings/price'), { price_cents: 'lots' })
  assert.match(refused.body, /id="f-price_cents"[^>]*value="lots"/)
  await owner.submit(at('settings/kind'), {
    asset_type: 'tool',
    vanity_name: 'moved-boats',
    license_kind: 'cc0',
    indexable: '',
  })
  assert.equal((await owner.open(at('settings'))).status, 404)
  const { asset_type, license_kind, adult, indexable } = await read()
  assert.deepEqual([asset_type, license_kind, adult, indexable], ['tool', 'cc0', false, false])
  await owner.submit('/dashboard/moved-boats/visibility', { visibility: 'invisible' })
  assert.equal((await read()).visibility, 'invisible')
  assert.match((await owner.submit('/dashboard/moved-boats/delete')).body, /was deleted/)
  assert.equal((await owner.open('/dashboard/moved-boats/page')).status, 404)
})

test('images and builds are added, ordered and deleted without JavaScript', async (t) => {
  const { owner, read, at, sendFile, call, listing, sql } = await startDashboard(t)
  const bad = await sendFile(at('images/add'), { kind: 'cover' }, await picture(100, 100), 'a.png')
  assert.equal(bad.status, 422)
  assert.match(errorsOf(bad.body).join(), /1024/)
  const { headers, raw } = await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])
  const cross_site = {
    ...headers,
    cookie: `svc_session=${listing.owner.token}`,
    origin: 'https://evil.example',
    'sec-fetch-site': 'cross-site',
  }
  assert.equal((await call('POST', at('images/add'), { raw, headers: cross_site })).status, 403)
  const expired = {
    ...headers,
    accept: 'text/html',
    cookie: 'svc_session=svc_sess_over',
    'sec-fetch-site': 'same-origin',
  }
  const signed_out = await call('POST', at('images/add'), { raw, headers: expired })
  assert.deepEqual(
    [signed_out.status, signed_out.headers.location],
    [303, '/login'],
    'an expired session is redirected to log in',
  )
  assert.equal((await read('/media')).cover, '')
  for (let i = 0; i < 2; i++)
    assert.equal(
      (await sendFile(at('images/add'), { kind: 'gallery' }, await picture(1280, 720), 'a.png'))
        .status,
      303,
    )
  const [first, second] = (await read('/media')).gallery
  await owner.submit(at(`images/${first.uid}/later`))
  assert.deepEqual(
    (await read('/media')).gallery.map(({ uid }: { uid: string }) => uid),
    [second.uid, first.uid],
  )
  await owner.submit(at(`images/${second.uid}/remove`))
  assert.deepEqual(
    (await read('/media')).gallery.map(({ uid }: { uid: string }) => uid),
    [first.uid],
  )

  const registered = await owner.send(at('builds/register'), {
    version: '1.0',
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    changelog: 'Boats\nFog',
    title: 'One',
  })
  const page = registered.headers.location!.split('#')[0]!
  const build_id = page.split('/').at(-1)!
  const bytes = zip([{ name: 'play', body: 'a game' }])
  const mismatch = await sendFile(
    `${page}/file`,
    { build_id, checksum: 'f'.repeat(64) },
    bytes,
    'game.zip',
  )
  assert.equal(mismatch.status, 422)
  assert.match(mismatch.headers['content-type']!, /html/)
  assert.equal(
    (await sendFile(`${page}/file`, { build_id, checksum: sha256(bytes) }, bytes, 'game.zip'))
      .status,
    303,
  )
  await eventually(
    'a clean scan',
    async () => (await read(`/builds/${build_id}`)).files[0].scan === 'clean',
  )
  const build_page = await owner.open(page)
  for (const text of ['scan clean', 'Boats', 'Fog', sha256(bytes), 'the website'])
    assert.ok(build_page.body.includes(text), text)
  await sql`
    insert into build_health (build_uid, game_uid, band, devices)
    values (${build_id}, ${listing.uid}, 'unrated', 12)`
  assert.match((await owner.open(at('builds'))).body, /12 devices in 30 days/)
  await sql`
    insert into event_days (build_uid, day, event, events)
    values (${build_id}, (now() at time zone 'utc')::date, 'boot_ok', 3)`
  await sql`
    insert into build_devices (build_uid, device, first_boot_at, last_seen)
    select ${build_id}, gen_random_uuid(), now(), now()
    from generate_series(1, 2)`
  const health = (await owner.open(at('health'))).body
  assert.match(health, /New devices, by day\. First launches: 2\./)
  assert.match(health, /Active devices by version, by day\. 1\.0: 2\./)
  assert.match(health, /At most 2 devices per day, 2 devices today/)
  assert.match((await owner.open(page)).body, /Active devices, by day\. Devices: 2\./)
  await owner.submit(at('channels/promote'), { build_id, channel: 'beta', expires_in_hours: '2' })
  const channels = (await read('/channels')).channels
  assert.deepEqual(channels.map(({ channel }: { channel: string }) => channel).sort(), [
    'beta',
    'stable',
  ])
  const rollback = await owner.send(at('channels/stable/rollback?app='))
  assert.equal(rollback.status, 409)
  assert.ok(errorsOf(rollback.body).length)
  const promoted = await owner.send(at('channels/promote'), {
    build_id,
    channel: 'No Spaces',
    expires_in_hours: '2',
  })
  assert.match(promoted.body, /value="No Spaces"/)
  await owner.submit(`${page}/delete`)
  assert.equal((await read('/builds')).total, 0)
})

test('debug symbols are uploaded with the deploy key and deleted without JavaScript', async (t) => {
  const { a, owner, read, at, sendFile, post, listing } = await startDashboard(t)
  const { headers } = await a.deployer(listing)
  const keys = { access_token: headers!['x-access-token']!, secret_key: headers!['x-secret-key']! }
  const { build_id } = must(
    await post(
      `/api/v1/private/games/${listing.uid}/builds`,
      { version: '1.0', os: 'linux', arch: 'x86_64' },
      listing.owner,
    ),
  )
  const page = at(`builds/${build_id}`)
  const symbols = async () =>
    (await read(`/builds/${build_id}/symbols`)).symbols as {
      symbol_uid: string
      module_name: string
    }[]
  const sym = (name: string) =>
    Buffer.from(`MODULE Linux x86_64 ABCDEF ${name}\nPUBLIC 1000 0 main\n`)
  const send = (name: string, fields: Record<string, string>) =>
    sendFile(
      `${page}/symbols`,
      { ...fields, checksum: sha256(sym(name)) },
      sym(name),
      `${name}.sym`,
    )
  assert.match((await owner.open(page)).body, /name="access_token"[^>]*type="password"/)
  const without = await send('game', {})
  assert.equal(without.status, 401)
  assert.match(without.headers['content-type']!, /html/)
  for (const secret_key of ['wrong', 'two\nlines', '🔑'])
    assert.equal((await send('game', { ...keys, secret_key })).status, 401)
  const mismatch = await sendFile(
    `${page}/symbols`,
    { ...keys, checksum: 'f'.repeat(64) },
    sym('game'),
    'game.sym',
  )
  assert.deepEqual([mismatch.status, errorsOf(mismatch.body).length], [422, 1])
  assert.ok(!mismatch.body.includes(keys.secret_key), 'a secret key is never sent back')
  assert.equal(
    (
      await sendFile(
        `${page}/symbols`,
        { ...keys, checksum: sha256(sym('a')) },
        Buffer.alloc(0),
        'a.sym',
      )
    ).status,
    422,
  )
  assert.deepEqual(await symbols(), [])
  for (const name of ['game', 'lib', 'more']) assert.equal((await send(name, keys)).status, 303)
  assert.deepEqual((await symbols()).map(({ module_name }) => module_name).sort(), [
    'game',
    'lib',
    'more',
  ])
  const lib = (await symbols()).find(({ module_name }) => module_name === 'lib')!
  await owner.submit(`${page}/symbols/${lib.symbol_uid}/delete`)
  assert.deepEqual((await symbols()).map(({ module_name }) => module_name).sort(), ['game', 'more'])
  await owner.submit(`${page}/symbols/delete`)
  assert.deepEqual(await symbols(), [])
})

test('the forms of people, bug tickets and crashes save', async (t) => {
  const { a, owner, read, at, post, listing, url, sql } = await startDashboard(t)
  const friend = await a.verifiedDeveloper()
  await owner.submit(at('people/invite'), { username: friend.username })
  assert.equal((await read('/admins')).admins[0].accepted, false)
  assert.match(
    (await owner.send(at('people/invite'), { username: 'nobody-there' })).body,
    /id="f-username"[^>]*value="nobody-there"/,
  )
  const other = browser({ url })
  other.as(friend.token)
  const [, invite] = (await other.open('/dashboard')).body.match(/invites\/([\w-]+)\/decline/)!
  await other.submit(`/dashboard/invites/${invite}/decline`)
  assert.deepEqual((await read('/admins')).admins, [])
  assert.equal(
    (await owner.send(at('people/grant'), { grantee: 'nobody-there' })).body.match(
      /id="f-grantee"[^>]*aria-invalid/,
    )?.length,
    1,
  )
  await owner.submit(at('people/grant'), { grantee: friend.username })
  await sql`
    update listings
    set visibility = 'public', published_at = now(), public_since = now()
    where uid = ${listing.uid}`
  const base = `/api/v1/private/games/${listing.uid}`
  must(await post(`${base}/bug-reports`, { message: 'The door is stuck' }, friend))
  const [ticket] = (await read('/bugs')).items
  for (const [path, status] of [
    ['fixed', 'fixed'],
    ['open', 'open'],
    ['closed', 'closed'],
  ] as const) {
    await owner.submit(
      at(`bugs/${ticket.bug_uid}/${path}`),
      path === 'fixed' ? { fixed_version: '1.1' } : {},
    )
    assert.equal((await read(`/bugs/${ticket.bug_uid}`)).status, status)
  }
  const invalid = await owner.send(at('bugs/reporter'), {
    enabled: 'yes',
    daily_cap: '0',
    webhook_urls: 'https://a.example/\nftp://b',
  })
  assert.equal(invalid.status, 400)
  assert.ok(invalid.body.includes('ftp://b'))
  await owner.submit(at('bugs/reporter'), {
    enabled: 'yes',
    daily_cap: '7',
    webhook_urls: 'https://a.example/hook',
  })
  const reporter = await read('/bug-reporter')
  assert.deepEqual(
    [reporter.enabled, reporter.daily_cap, reporter.webhook_urls],
    [true, 7, ['https://a.example/hook']],
  )

  await owner.submit(at('builds/register'), {
    version: '1.0',
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
  })
  const [{ build_id }] = (await read('/builds')).builds
  must(
    await post(
      '/api/v1/public/crashes',
      { user_message: 'it broke' },
      { headers: { 'x-app-id': listing.uid, 'x-build-id': build_id } },
    ),
  )
  const groups = () => read('/crash-groups')
  const group = await eventually('a group', async () => (await groups()).groups[0])
  await owner.submit(at(`bugs/${ticket.bug_uid}/crash`), { crash_group_uid: group.uid })
  assert.equal((await read(`/bugs/${ticket.bug_uid}`)).crash_group.uid, group.uid)
  await owner.submit(at(`crashes/groups/${group.uid}/resolve`), { version: '1.1' })
  assert.deepEqual(
    [(await groups()).groups[0].status, (await groups()).groups[0].resolved_in],
    ['resolved', '1.1'],
  )
  await owner.submit(at(`crashes/groups/${group.uid}/open`))
  assert.equal((await groups()).groups[0].status, 'open')
  assert.equal((await owner.open(at('crashes/groups/nothing'))).status, 404)
  assert.equal((await owner.open(at(`bugs/${group.uid}`))).status, 404)
})

test('cents reads common notations, and moveImage moves an image by one place', () => {
  const amounts = {
    '0': 0,
    '4.99': 499,
    '4,99': 499,
    $5: 500,
    ' 12.5 ': 1250,
    lots: 'lots',
    '1.999': '1.999',
    '': '',
    '-1': '-1',
  }
  for (const [text, amount] of Object.entries(amounts)) assert.equal(cents(text), amount, text)
  assert.deepEqual(moveImage(['a', 'b', 'c'], 'b', -1), ['b', 'a', 'c'])
  assert.deepEqual(moveImage(['a', 'b', 'c'], 'c', 1), ['a', 'b', 'c'])
  assert.deepEqual(moveImage(['a', 'b'], 'x', 1), ['a', 'b'])
})
