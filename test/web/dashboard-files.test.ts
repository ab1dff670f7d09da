import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { form, picture } from '../support/images.ts'
import { sha256, zip } from '../uploads/zips.ts'
import { errorsOf } from './browser.ts'
import { startDashboard } from './dashboard-fixtures.ts'

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
    'an expired session is redirected to sign in',
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
  await owner.submit(at('channels/promote'), {
    build_id,
    promote_channel: 'beta',
    expires_in_hours: '2',
  })
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
    promote_channel: 'No Spaces',
    expires_in_hours: '2',
  })
  assert.match(promoted.body, /value="No Spaces"/)
  await owner.submit(`${page}/delete`)
  assert.equal((await read('/builds')).total, 0)
})

test('the page of a build uploads for the app of the build', async (t) => {
  const { owner, at, sendFile, post, listing } = await startDashboard(t)
  const bytes = zip([{ name: 'serve', body: 'a server' }])
  for (const app of ['', 'server']) {
    const fields = { version: '1.0', os: 'linux', arch: 'x86_64', app }
    const { build_id } = must(
      await post(`/api/v1/private/games/${listing.uid}/builds`, fields, listing.owner),
    )
    const page = at(`builds/${build_id}`)
    const { body } = await owner.open(page)
    const hidden = [...body.matchAll(/<input type="hidden" name="(\w+)" value="([^"]*)">/g)]
    const sent = Object.fromEntries(hidden.map(([, name, value]) => [name!, value!]))
    assert.deepEqual([sent.build_id, sent.app ?? ''], [build_id, app])
    const upload = { ...sent, checksum: sha256(bytes) }
    assert.equal((await sendFile(`${page}/file`, upload, bytes, 'server.zip')).status, 303, app)
  }
})

test('the dashboard names who sees each channel, own ones included', async (t) => {
  const { a, owner, at, listing } = await startDashboard(t)
  const audiences = {
    stable: 'For all players.',
    beta: 'For players who joined the beta (0 players).',
    dev: 'For you and your admins.',
    nightly: 'For you and your admins.',
  }
  for (const channel of Object.keys(audiences))
    await a.cleanBuild(listing, { version: '1.0', channel })
  const { body } = await owner.open(at('builds'))
  const cards = [...body.matchAll(/<article class="channel">.*?<\/article>/gs)].map(String)
  assert.equal(cards.length, 4)
  for (const [channel, audience] of Object.entries(audiences)) {
    const card = cards.find((text) => text.includes(`label-ink">${channel}</span>`))
    assert.ok(card?.includes(audience), `${channel}: ${card}`)
  }
  assert.ok(!body.includes('anyone who selects it'))
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
    Buffer.from(`MODULE Linux x86_64 ${'AB'.repeat(16)}0 ${name}\nPUBLIC 1000 0 main\n`)
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
