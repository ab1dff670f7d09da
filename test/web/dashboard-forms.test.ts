import assert from 'node:assert/strict'
import { test } from 'node:test'
import { stores } from '../../src/listings/fields/store-links.ts'
import { cents } from '../../src/web/dashboard/page/cents.ts'
import { moveImage } from '../../src/web/dashboard/page/move-image.ts'
import { eventually } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { errorsOf } from './browser.ts'
import { signedIn, startDashboard } from './dashboard-fixtures.ts'

test('the form of the Page section saves text, taxonomy and relations at once', async (t) => {
  const { a, owner, read, at, pageForm, sql } = await startDashboard(t, { asset_type: 'mod' })
  const other = await a.listing({ name: 'The Other One' })
  await makePublic(sql, other.uid)
  const changes = {
    name: 'Boats',
    tagline: 'Many',
    description: '# Hello\nthere',
    status: 'prototype',
    demo_url: 'https://video.example/1',
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
    parent_game: other.vanity_name,
    games: other.vanity_name,
    kind: ['supports', 'uses'],
    game: [other.vanity_name, ''],
    engine: ['svc-engine', ''],
    min_version: ['2.0', ''],
    max_version: ['', ''],
    renderer: ['', ''],
    platform: ['linux', ''],
    install_path: 'mods/boats',
    loader: 'loader',
    instructions: 'Unzip.',
  }
  await owner.submit(at('page'), await pageForm(changes))
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
  assert.equal(page.parent.game, other.uid)
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
  const cleared = {
    parent_game: '',
    parent_external_name: 'A Game',
    parent_external_url: 'https://game.example/',
    game: ['', '', ''],
    tags: '',
    net: '',
  }
  await owner.submit(at('page'), await pageForm(cleared))
  const emptied = await read()
  assert.deepEqual(
    [emptied.parent.external_name, emptied.relations.uses, emptied.tags, emptied.net],
    ['A Game', [], [], null],
  )
  const rejected = await owner.send(
    at('page'),
    await pageForm({ parent_external_url: 'http://game.example/' }),
  )
  assert.match(rejected.body, /id="f-parent_external_url"[^>]*aria-invalid="true"/)
})

test('a refused page names every invalid field and saves nothing', async (t) => {
  const { owner, read, at, pageForm } = await startDashboard(t)
  const changes = {
    name: ' ',
    tagline: 'Kept',
    tags: 'one',
    players_min: '9',
    players_max: '3',
    engines: 'Not A Slug',
    games: 'no-such-game',
    engine: ['', ''],
    min_version: ['4.2', ''],
  }
  const answer = await owner.send(at('page'), await pageForm(changes))
  assert.equal(answer.status, 400)
  for (const name of ['name', 'tags', 'players_min', 'engines', 'games', 'ranges'])
    assert.match(answer.body, new RegExp(`<a href="#f-${name}">`), name)
  assert.match(answer.body, /name="tagline"[^>]*value="Kept"/)
  assert.match(answer.body, /name="min_version"[^>]*value="4.2"/)
  assert.equal((await read()).tagline, '')
})

test('saving the page leaves what another person saved meanwhile', async (t) => {
  const { owner, read, at, pageForm, patch, put, listing } = await startDashboard(t)
  const url = `/api/v1/private/games/${listing.uid}`
  const form = await pageForm({ tagline: 'From the form' })
  must(await patch(url, { description: 'By a colleague' }, listing.owner))
  must(await put(`${url}/taxonomy`, { genres: ['rpg', 'card'] }, listing.owner))
  await owner.submit(at('page'), form)
  const { tagline, description, genres } = await read()
  assert.deepEqual(
    [tagline, description, genres],
    ['From the form', 'By a colleague', ['rpg', 'card']],
  )
  const unchanged = await owner.submit(at('page'), await pageForm({}))
  assert.match(unchanged.body, /Nothing has changed/)
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
  const rejected = await owner.send(at('settings/price'), { price_cents: 'lots' })
  assert.match(rejected.body, /id="f-price_cents"[^>]*value="lots"/)
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

test('the forms of people, bug tickets and crashes save', async (t) => {
  const { a, owner, read, at, post, listing, url, sql } = await startDashboard(t)
  const friend = await a.verifiedDeveloper()
  await owner.submit(at('people/invite'), { username: friend.username })
  assert.equal((await read('/admins')).admins[0].accepted, false)
  assert.match(
    (await owner.send(at('people/invite'), { username: 'nobody-there' })).body,
    /id="f-username"[^>]*value="nobody-there"/,
  )
  const other = signedIn({ url }, friend)
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
  await makePublic(sql, listing.uid)
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
