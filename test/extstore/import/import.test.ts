import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import {
  ALL_GROUPS,
  entry,
  fieldsOf,
  IMPORT,
  PREVIEW,
  type Report,
  sharedImportApp,
  withoutPictures,
} from './fixtures.ts'

const startApp = sharedImportApp()

test('imports a store page into a linked draft, field by field', async () => {
  const { app, imported, listing, press, media, developer, store } = await startApp()
  const who = await developer()
  const { app_id, web_api_key } = app({}, { name: 'Lantern Keep' })
  const done = must(await imported(who, { app_id, web_api_key }))
  assert.equal(done.created, true)
  assert.deepEqual(
    [done.steam.app_id, done.steam.auth.enabled, done.steam.auth.web_api_key_set],
    [app_id, false, false],
  )
  const page = await listing(who, done.game_uid)
  assert.equal(page.vanity_name, done.vanity_name)
  assert.equal(page.visibility, 'draft')
  assert.equal(page.name, 'Lantern Keep')
  assert.equal(page.tagline, 'A platformer about light.')
  assert.equal(page.description, '## Light the keep\n\nClimb.\\\nRepair.')
  assert.deepEqual(page.genres, ['platformer', 'action'])
  assert.deepEqual(page.tags, ['platformer', 'indie', 'relaxing'])
  assert.deepEqual(page.tone, ['relaxing'])
  assert.deepEqual(page.inputs, ['keyboard_mouse', 'gamepad'])
  assert.equal(page.net, 'online')
  assert.deepEqual([page.players_min, page.players_max], [1, 4])
  assert.equal(page.session_bucket, '1h')
  assert.equal(page.status, 'released')
  assert.equal(page.price_cents, 1499)
  assert.deepEqual(page.content_warnings, ['violence', 'gore', 'language'])
  assert.equal(page.adult, false)
  assert.deepEqual(
    page.store_links.map(({ platform, url }: any) => [platform, url]),
    [['store_01', `https://store.steampowered.com/app/${app_id}/`]],
  )
  const kit = await press(who, done.game_uid)
  assert.deepEqual([kit.release_date, kit.website_url], ['Mar 2, 2024', 'https://lantern.example'])
  assert.match(kit.trailer_url, /^https:\/\/video\..*\.m3u8/)
  assert.deepEqual(kit.credits, [{ name: 'Two Rooms', role: 'Developer and publisher' }])
  const images = await media(who, done.game_uid)
  assert.equal(images.gallery.length, 5)
  assert.equal(images.cover, images.gallery[0].url)
  assert.ok(images.thumbnail && images.thumbnail !== images.cover)
  assert.deepEqual(
    done.screenshots.map(({ url }: any) => url),
    [0, 1, 2, 3, 4].map((n) => `${store.url}/images/screenshots/${n}.1280x720.jpg`),
  )
})

test('an imported draft passes the listing check except for what needs a build', async () => {
  const { app, imported, lint, developer } = await startApp()
  const who = await developer()
  const { game_uid } = must(await imported(who, app()))
  const { errors } = await lint(who, game_uid)
  assert.deepEqual(
    errors.map(({ id }: any) => id),
    ['clean_build'],
  )
})

test('a preview changes nothing and reports exactly what the import does', async () => {
  const { app, imported, preview, developer, sql, get } = await startApp()
  const who = await developer()
  const request = app()
  const before = await counts(sql)
  const seen = must(await preview(who, request))
  assert.deepEqual(await counts(sql), before)
  assert.deepEqual(must(await get('/api/v1/private/games', who)).items, [])
  assert.deepEqual(seen.target, {
    game_uid: null,
    vanity_name: null,
    name: `Game of ${request.app_id}`,
    created: true,
  })
  const { game_uid, vanity_name, created, steam, ...report } = must(await imported(who, request))
  const { target, ...previewed } = seen
  assert.deepEqual(report, withoutPictures(previewed))
})

const counts = async (sql: any) => {
  const [row] = await sql`
    select (select count(*) from listings)::int as listings,
      (select count(*) from listing_images)::int as images,
      (select count(*) from extstore_links)::int as links,
      (select count(*) from press_kits)::int as kits,
      (select count(*) from audit_entries)::int as audits`
  return row
}

test('the report has every field once, with a reason if it was not imported', async () => {
  const { app, preview, developer } = await startApp()
  const report: Report = must(await preview(await developer(), app()))
  const all = [...report.imported, ...report.skipped, ...report.kept, ...report.not_imported]
  const names = fieldsOf(all)
  assert.equal(new Set(names).size, names.length)
  const expected = [
    'name',
    'tagline',
    'description',
    'genres',
    'tags',
    'tone',
    'inputs',
    'net',
    'players_min',
    'players_max',
    'session_bucket',
  ]
  const more = [
    'status',
    'cover',
    'thumbnail',
    'gallery',
    'release_date',
    'website_url',
    'trailer_url',
    'credits',
    'price_cents',
  ]
  const rest = [
    'content_warnings',
    'adult',
    'store_link',
    'languages',
    'system_requirements',
    'achievements',
    'add_ons',
    'operating_systems',
  ]
  assert.deepEqual(names.toSorted(), [...expected, ...more, ...rest].toSorted())
  for (const { reason } of [...report.skipped, ...report.not_imported]) assert.ok(reason)
})

for (const group of ALL_GROUPS)
  test(`the group ${group} imports its fields, plus name and description if new`, async () => {
    const { app, preview, imported, developer, store } = await startApp()
    const who = await developer()
    const request = { ...app(), groups: [group] }
    const seen: Report = must(await preview(who, request))
    const own = seen.imported.filter(({ field }) => !['name', 'description'].includes(field))
    assert.ok(group === 'text' || own.length > 0)
    assert.ok(own.every((item) => item.group === group))
    assert.deepEqual(
      fieldsOf(seen.imported).filter((field) => ['name', 'description'].includes(field)),
      ['name', 'description'],
    )
    for (const { field, group: of, reason } of seen.skipped)
      if (of !== group) assert.equal(reason, `The group ${of} is not selected`, field)
    store.control.clearCalls()
    const { game_uid, vanity_name, created, steam, ...report } = must(await imported(who, request))
    const { target, ...previewed } = seen as any
    assert.deepEqual(report, withoutPictures(previewed))
    assert.equal(
      store.world.calls.some(({ call }) => call === 'image'),
      group === 'images',
    )
  })

test('checks the key before anything else and sends it only to the store', async () => {
  const { app, preview, imported, developer, store, sql } = await startApp()
  const who = await developer()
  const own = app()
  const theirs = app()
  for (const send of [preview, imported]) {
    store.control.clearCalls()
    assert.deepEqual(
      refused(await send(who, { app_id: theirs.app_id, web_api_key: own.web_api_key })),
      [403, 4241],
    )
    assert.deepEqual(
      refused(await send(who, { app_id: own.app_id, web_api_key: '0'.repeat(32) })),
      [403, 4241],
    )
    assert.deepEqual(
      store.world.calls.map(({ call }) => call),
      ['apps', 'apps'],
    )
  }
  store.control.clearCalls()
  must(await imported(who, own))
  assert.equal(store.world.calls[0]!.call, 'apps')
  for (const { call, key_in_header, key_in_url } of store.world.calls) {
    assert.equal(key_in_header, call === 'apps', call)
    assert.equal(key_in_url, false)
  }
  const [{ n }] =
    (await sql`select count(*)::int as n from secrets where field = 'extstore web api key'`) as any
  assert.equal(n, 0)
})

test('accepts an app as number, digits or a link to its page', async () => {
  const { app, preview, developer, store } = await startApp()
  const who = await developer()
  const { app_id, web_api_key } = app()
  const groups = ['status']
  const links = [
    `https://store.steampowered.com/app/${app_id}/Some_Game/?snr=1`,
    `http://store.steampowered.com/app/${app_id}`,
  ]
  const others = [
    `store.steampowered.com/app/${app_id}/`,
    `https://store.steampowered.com/agecheck/app/${app_id}/`,
    `${store.url}/app/${app_id}`,
  ]
  for (const named of [app_id, String(app_id), ` ${app_id} `, ...links, ...others])
    must(await preview(who, { app_id: named, web_api_key, groups }))
})

test('rejects an invalid app, key or group by field, without asking the store', async () => {
  const { app, preview, imported, developer, store } = await startApp()
  const { app_id, web_api_key } = app()
  const invalidRequests = [
    ...[0, -1, 1.5, 2 ** 32, '', 'abc', '12a', null, [], {}, true, undefined, '99999999999'].map(
      (bad) => ({
        app_id: bad,
        web_api_key,
        field: 'app_id',
      }),
    ),
    ...[
      'https://store.steampowered.com.evil.example/app/1',
      `https://evil.example/app/${app_id}`,
      'https://store.steampowered.com/sub/1',
      'javascript:1',
    ].map((bad) => ({ app_id: bad, web_api_key, field: 'app_id' })),
    ...[
      '',
      'x'.repeat(32),
      web_api_key.toLowerCase().replace(/\d/g, 'a'),
      web_api_key.slice(1),
      `${web_api_key}0`,
      null,
      5,
      undefined,
    ].map((bad) => ({
      app_id,
      web_api_key: bad,
      field: 'web_api_key',
    })),
    ...[[], ['words'], ['text', 'x'], 'text', 5, [null], [['text']]].map((groups) => ({
      app_id,
      web_api_key,
      groups,
      field: 'groups',
    })),
  ]
  let who = await developer()
  store.control.clearCalls()
  for (const [index, { field, ...body }] of invalidRequests.entries()) {
    if (index % 9 === 0) who = await developer()
    for (const send of [preview, imported]) {
      const answer = await send(who, body)
      assert.deepEqual(
        [...refused(answer), answer.body.data?.field],
        [400, 4240, field],
        JSON.stringify(body),
      )
    }
  }
  assert.equal(store.world.calls.length, 0)
})

test('rejects an app that is not a game or has no page', async () => {
  const { app, preview, imported, developer, control } = await startApp()
  const who = await developer()
  for (const request of [
    app({}, { type: 'demo' }),
    app({ type: 'dlc' }),
    app({ type: 5 }),
    app({ type: undefined }),
  ])
    for (const send of [preview, imported])
      assert.deepEqual(refused(await send(who, request)), [422, 4240])
  const hidden = app()
  control.page({ app_id: hidden.app_id, data: null })
  assert.deepEqual(refused(await imported(who, hidden)), [422, 4240])
})

test('an import requires developer mode and a website session', async () => {
  const { app, a, post, imported, preview, developer } = await startApp()
  const player = await a.user()
  const request = app()
  for (const send of [preview, imported])
    assert.deepEqual(refused(await send(player, request)), [403, 4105])
  const who = await developer()
  const agent = await a.key('agent', who, ['mcp:write'])
  const { game_uid } = must(await imported(who, request))
  const paths = [PREVIEW, IMPORT, `/api/v1/private/games/${game_uid}/steam/resync`]
  for (const path of paths) {
    assert.deepEqual(
      refused(await post(path, path.endsWith('resync') ? {} : app(), { token: agent.key })),
      [403, 4033],
    )
    assert.equal((await post(path, {})).status, 401)
  }
})

test('imports only into listings that the user owns or administers', async () => {
  const { app, a, post, imported, preview, developer, listing } = await startApp()
  const [owner, helper, stranger] = [await developer(), await developer(), await developer()]
  const target = await a.listing({ owner })
  const request = { ...app(), game_uid: target.uid }
  for (const send of [preview, imported]) {
    assert.deepEqual(refused(await send(stranger, request)), [404, 4040])
    assert.deepEqual(
      refused(await send(stranger, { ...request, game_uid: 'no-such-page' })),
      [404, 4040],
    )
  }
  must(
    await post(`/api/v1/private/games/${target.uid}/admins`, { username: helper.username }, owner),
  )
  assert.deepEqual(refused(await imported(helper, request)), [404, 4040])
  must(await post(`/api/v1/private/invites/${target.uid}/accept`, {}, helper))
  const done = must(await imported(helper, { ...request, game_uid: target.vanity_name }))
  assert.deepEqual(
    [done.created, done.game_uid, done.vanity_name],
    [false, target.uid, target.vanity_name],
  )
  assert.equal((await listing(owner, target.uid)).name, `Game of ${request.app_id}`)
})

test('rejects a second listing for an app and a second app for a listing', async () => {
  const { app, a, imported, preview, developer } = await startApp()
  const who = await developer()
  const first = app()
  const { game_uid } = must(await imported(who, first))
  const other = await a.listing({ owner: who })
  for (const send of [preview, imported]) {
    assert.deepEqual(refused(await send(who, first)), [409, 4242])
    assert.deepEqual(refused(await send(who, { ...first, game_uid: other.uid })), [409, 4242])
    assert.deepEqual(refused(await send(who, { ...app(), game_uid })), [409, 4242])
    must(await send(who, { ...first, game_uid, groups: ['status'] }))
  }
})

test('of two concurrent imports of an app one succeeds and the other leaves nothing', async () => {
  const { app, imported, developer, sql, get } = await startApp()
  const people = await Promise.all([developer(), developer(), developer()])
  const request = app()
  const answers = await Promise.all(people.map((who) => imported(who, request)))
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [200, 409, 409])
  for (const answer of answers)
    if (answer.status === 409) assert.equal(answer.body.error.code, 4242)
  const lists = await Promise.all(people.map((who) => get('/api/v1/private/games', who)))
  assert.equal(lists.flatMap((list) => must(list).items).length, 1)
  const links = await sql`select from extstore_links where app_id = ${request.app_id}`
  assert.equal(links.length, 1)
})

test('enable_auth turns sign-in on with the key; without it no key is stored', async () => {
  const { app, imported, resync, developer, get } = await startApp()
  const who = await developer()
  const request = app()
  const done = must(await imported(who, { ...request, enable_auth: true, groups: ['text'] }))
  assert.deepEqual([done.steam.auth.enabled, done.steam.auth.web_api_key_set], [true, true])
  assert.match(done.steam.auth.ticket_key, /^svc_[0-9a-f]{32}$/)
  assert.ok(!JSON.stringify(done).includes(request.web_api_key))
  const auth_key = must(
    await get(`/api/v1/private/games/${done.game_uid}/steam/auth-key`, who),
  ).auth_key
  // A second import does not change the keys of the game.
  must(
    await imported(who, {
      ...request,
      game_uid: done.game_uid,
      enable_auth: true,
      groups: ['text'],
    }),
  )
  assert.equal(
    must(await get(`/api/v1/private/games/${done.game_uid}/steam/auth-key`, who)).auth_key,
    auth_key,
  )
  must(await resync(who, done.game_uid, { groups: ['status'] }))
})

test('the audit log records who imported what, without the key', async () => {
  const { app, imported, resync, developer, sql } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, { ...request, groups: ['text'] }))
  must(await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['text'] }))
  const rows = (await sql`
    select action, user_uid, detail
    from audit_entries
    where game_uid = ${game_uid}
    order by at`) as any
  assert.deepEqual(
    rows.map(({ action }: any) => action),
    ['extstore.import', 'extstore.resync'],
  )
  for (const { detail, user_uid } of rows)
    assert.deepEqual([detail, user_uid], [{ app_id: request.app_id }, who.uid])
})

test('limits a user to 10 imports and resyncs and 60 previews a day, with failures', async () => {
  const { app, imported, resync, preview, developer } = await startApp()
  const who = await developer()
  const request = { ...app(), groups: ['status'] }
  const { game_uid } = must(await imported(who, request))
  for (let n = 0; n < 4; n++)
    must(await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['status'] }))
  for (let n = 0; n < 5; n++) assert.deepEqual(refused(await imported(who, {})), [400, 4240])
  const late = await resync(who, game_uid, { web_api_key: request.web_api_key })
  assert.deepEqual(
    [...refused(late), Number(late.headers['retry-after']) > 3600],
    [429, 4290, true],
  )
  assert.deepEqual(refused(await imported(who, request)), [429, 4290])
  for (let n = 0; n < 59; n++) assert.deepEqual(refused(await preview(who, {})), [400, 4240])
  must(await preview(who, { ...request, game_uid }))
  assert.deepEqual(refused(await preview(who, request)), [429, 4290])
  must(await imported(await developer(), { ...app(), groups: ['status'] }))
})

test('a preview shows the same shortened name as the import', async () => {
  const { app, preview, imported, listing, developer } = await startApp()
  const who = await developer()
  const request = { ...app({ name: 'Long '.repeat(300) }), groups: ['text'] }
  const { target } = must(await preview(who, request))
  assert.equal([...target.name].length <= 75, true)
  assert.equal((await listing(who, must(await imported(who, request)).game_uid)).name, target.name)
})

test('a preview names its target', async () => {
  const { app, preview, developer } = await startApp()
  const report = must(await preview(await developer(), app()))
  assert.equal(entry(report, 'imported', 'genres')!.group, 'taxonomy')
})
