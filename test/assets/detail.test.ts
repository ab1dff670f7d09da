import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import sharp from 'sharp'
import { repeatUses } from '../extstore/repeat-uses.ts'
import { eventually } from '../support/app.ts'
import { addAdmin, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { sha256 } from '../uploads/zips.ts'
import { addon, follow, LIBRARY, startAssetApp, template } from './fixtures.ts'

const sharedAssetApp = sharedInFile(startAssetApp)

test('configure returns the categories of add-ons or projects and the login URL', async (t) => {
  const app = await sharedAssetApp(t)
  const { status, body, headers } = await app.get(`${LIBRARY}/configure`)
  assert.equal(status, 200)
  assert.deepEqual(body, {
    categories: [
      { id: '1', name: 'Plugins', type: '0' },
      { id: '2', name: 'Editor assets', type: '0' },
      { id: '3', name: 'Tools', type: '0' },
    ],
    login_url: `${app.url}/login`,
    auth: {
      type: 'bearer',
      header: 'Authorization',
      scope: 'player:read',
      keys_url: `${app.url}/account/keys`,
      authorization_server: app.url,
      resource: `${app.url}/player`,
      signed_in: false,
    },
  })
  assert.deepEqual(
    [headers['cache-control'], headers.vary, headers['access-control-allow-origin']],
    ['private, max-age=60', 'Authorization, SVC_GAMES', '*'],
  )
  const projects = await app.get(`${LIBRARY}/configure?type=project`)
  assert.deepEqual(projects.body.categories, [{ id: '4', name: 'Templates', type: '1' }])
  for (const type of ['', 'addon', 'PROJECT', '%F0%9F%8E%AE', 'x'.repeat(5000)])
    assert.equal(
      (await app.get(`${LIBRARY}/configure?type=${type}`)).body.categories.length,
      3,
      type,
    )
  const person = await app.a.user()
  const { key } = await app.a.key('player', person, ['player:read'])
  for (const call of [{ token: person.token }, { token: key }, { headers: { svc_games: key } }]) {
    const known = await app.get(`${LIBRARY}/configure`, call)
    assert.deepEqual([known.body.auth.signed_in, known.body.auth.username], [true, person.username])
    assert.equal(known.headers['cache-control'], 'private, no-store')
  }
})

test('a package has every field of the protocol with the expected types', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish({
    name: 'Water [kit]',
    version: '1.2.0',
    engine_version: '3.2.1',
    fields: {
      license_kind: 'cc-by',
      tagline: 'Wet [things]',
      description: '# Hi\n\n**bold** [b]',
      demo_url: 'https://video.example/1',
    },
  })
  const thumbnail = await app.show(kit.uid, 'thumbnail', 'webp')
  const shot = await app.show(kit.uid, 'gallery', 'gif')
  const { status, body, headers } = await app.get(kit.path)
  assert.equal(status, 200)
  const { modify_date, author_id, ...rest } = body
  assert.match(modify_date, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  assert.match(author_id, /^[1-9]\d*$/)
  assert.deepEqual(rest, {
    asset_id: kit.asset_id,
    title: 'Water [kit]',
    author: kit.owner.username,
    category: 'Plugins',
    category_id: '1',
    godot_version: '3.2',
    rating: '0',
    cost: 'CC-BY',
    support_level: 'community',
    icon_url: `${app.url}/media/editor/${thumbnail}-icon.png`,
    version: '1',
    version_string: '1.2.0',
    anonymous_download: true,
    download_requires: 'none',
    price_cents: 0,
    currency: 'USD',
    type: 'addon',
    description: 'Wet [lb]things]\n\n[b]Hi[/b]\n\n[b]bold[/b] [lb]b]',
    download_provider: 'Custom',
    download_commit: '1.2.0',
    download_url: `${app.url}${kit.path}/download?file=${kit.file_uid}`,
    download_hash: sha256(kit.bytes),
    browse_url: `${app.url}/${kit.owner.username}/${kit.vanity_name}`,
    issues_url: `${app.url}/${kit.owner.username}/${kit.vanity_name}`,
    searchable: '1',
    previews: [
      {
        preview_id: '1',
        type: 'video',
        link: 'https://video.example/1',
        thumbnail: `${app.url}/media/editor/${shot}-preview.jpg`,
      },
      {
        preview_id: '2',
        type: 'image',
        link: `${app.url}/media/editor/${shot}-screenshot.jpg`,
        thumbnail: `${app.url}/media/editor/${shot}-preview.jpg`,
      },
    ],
  })
  assert.deepEqual(
    [
      headers['cache-control'],
      headers.vary,
      headers['access-control-allow-origin'],
      headers['content-location'],
    ],
    ['private, max-age=60', 'Authorization, SVC_GAMES', '*', undefined],
  )
  const asTemplate = await app.publish({ asset_type: 'game_asset', bytes: template('start') })
  const { type, category, category_id } = (await app.get(asTemplate.path)).body
  assert.deepEqual([type, category, category_id], ['project', 'Templates', '4'])
  const preflight = await app.call('OPTIONS', kit.path)
  assert.equal(preflight.status, 204)
  assert.match(preflight.headers['access-control-allow-headers']!, /Authorization, SVC_GAMES/)
})

test('images are PNG or JPEG of a bounded size and return 304 when cached', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish()
  for (const format of ['webp', 'gif', 'png', 'jpeg'] as const) {
    const content = await app.show(kit.uid, 'gallery', format)
    for (const [name, type, width, height] of [
      ['icon.png', 'png', 128, 128],
      ['preview.jpg', 'jpeg', 320, 180],
      ['screenshot.jpg', 'jpeg', 1280, 720],
    ] as const) {
      const url = `${app.url}/media/editor/${content}-${name}`
      const answers = await Promise.all([fetch(url), fetch(url), fetch(url)])
      for (const answer of answers) {
        assert.deepEqual(
          [answer.status, answer.headers.get('content-type')],
          [200, `image/${type}`],
        )
        const image = await sharp(Buffer.from(await answer.arrayBuffer())).metadata()
        assert.deepEqual(
          [image.format, image.width, image.height],
          [type, width, height],
          `${format} ${name}`,
        )
      }
      const etag = answers[0].headers.get('etag')!
      const again = await fetch(url, { headers: { 'if-none-match': etag } })
      assert.deepEqual(
        [again.status, await again.text(), again.headers.get('etag')],
        [304, '', etag],
      )
      assert.match(again.headers.get('cache-control')!, /immutable/)
    }
  }
  const unknown = 'a'.repeat(64)
  for (const name of [
    `${unknown}-icon.png`,
    `${unknown}-icon.jpg`,
    `${unknown}-poster.png`,
    'icon.png',
    `${unknown}-constructor.png`,
    '..%2F..%2Fx',
  ])
    assert.deepEqual(refused(await app.get(`/media/editor/${name}`)), [404, 4040], name)
  const broken = await app.show(kit.uid, 'gallery', 'png')
  await app.core.storage.put(`images/${broken.slice(0, 2)}/${broken}`, Buffer.from('no image'))
  assert.deepEqual(refused(await app.get(`/media/editor/${broken}-icon.png`)), [404, 4040])
})

test('unknown asset ids of any length or format return 404 with the envelope', async (t) => {
  const app = await sharedAssetApp(t)
  await app.publish()
  for (const id of [
    '0',
    '-1',
    '999999',
    '2147483647',
    '2147483648',
    '4294967297',
    '9223372036854775808',
    '1'.repeat(400),
    '01',
    '1.0',
    '1e3',
    '+1',
    'abc',
    randomUUID(),
    '%00',
    '%ff',
    "1'--",
  ])
    for (const path of [`${LIBRARY}/asset/${id}`, `${LIBRARY}/asset/${id}/download`]) {
      const answer = await app.get(path)
      assert.ok([404, 400].includes(answer.status), `${path}: ${answer.status}`)
      assert.equal(answer.status === 404 ? 4040 : 4000, answer.body.error.code, path)
      if (/^[\w.+-]+$/.test(id)) assert.equal(answer.status, 404, path)
    }
})

test('serves public, stable packages of verified developers; the team sees drafts', async (t) => {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const { owner } = kit
  const isServed = async (call = {}) => (await app.get(kit.path, call)).status === 200
  const set = (fields: object) => app.update(kit.uid, fields)
  const stranger = await app.a.verified()
  const admin = await app.a.verified()
  await addAdmin(app.sql, kit.uid, admin.uid, false)
  assert.ok(await isServed())
  for (const visibility of ['draft', 'owner', 'invisible']) {
    await set({ visibility })
    assert.deepEqual(
      [await isServed(), await isServed(stranger), await isServed(admin), await isServed(owner)],
      [false, false, false, true],
      visibility,
    )
    await app.sql`update listing_admins set accepted_at = now()`
    assert.equal(await isServed(admin), visibility !== 'owner', visibility)
    await app.sql`update listing_admins set accepted_at = null`
  }
  await set({ visibility: 'public', adult: true })
  assert.deepEqual(
    [await isServed(), await isServed(stranger), await isServed(owner)],
    [false, false, true],
  )
  must(await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, stranger))
  assert.ok(await isServed(stranger))
  await set({ adult: false })
  await app.sql`update users set email_verified_at = null where uid = ${owner.uid}`
  assert.deepEqual([await isServed(), await isServed(owner)], [false, true])
  await app.sql`update users set email_verified_at = now() where uid = ${owner.uid}`
  for (const asset_type of ['game', 'mod', 'application', 'game_asset']) {
    await set({ asset_type })
    assert.deepEqual([await isServed(), await isServed(owner)], [false, false], asset_type)
  }
  for (const [asset_type, id] of [
    ['plugin', '1'],
    ['dev_asset', '2'],
    ['tool', '3'],
  ]) {
    await set({ asset_type })
    assert.equal((await app.get(kit.path)).body.category_id, id)
  }
  await app.sql`update builds set engine_version = null`
  assert.equal(await isServed(), false, 'served without an editor version')
  const compat = (engine: string) =>
    app.put(`/api/v1/private/games/${kit.uid}/engine-compat`, { ranges: [{ engine }] }, owner)
  must(await compat('other'))
  assert.equal(await isServed(), false, 'served for another editor')
  must(await compat('godot'))
  assert.ok(await isServed())
  await app.sql`update channels set expires_at = now() - interval '1 second'`
  assert.equal(await isServed(), false, 'served from an expired channel')
  await app.sql`update channels set expires_at = null`
  await app.sql`update channel_heads set channel = 'beta'`
  assert.deepEqual([await isServed(), await isServed(owner)], [false, false], 'served from beta')
})

test('an editor gets the newest compatible version and a zip that matches its hash', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish({ version: '1.0', engine_version: '3.2' })
  const second = addon('kit', [{ name: 'kit-1.0/for-4', body: '4' }])
  await app.release(kit, { version: '2.0', engine_version: '4.1', bytes: second })
  const seen = async (call: object) => {
    const { version_string, godot_version, download_hash, download_url, version } = (
      await app.get(kit.path, call)
    ).body
    const bytes = await follow(await app.get(download_url, call))
    assert.equal(sha256(bytes), download_hash)
    return [version_string, godot_version, version, bytes.equals(second)]
  }
  assert.deepEqual(await seen(app.editor('3.2.3.stable')), ['1.0', '3.2', '1', false])
  assert.deepEqual(await seen(app.editor('4.6.stable')), ['2.0', '4.1', '2', true])
  assert.deepEqual(
    await seen(app.editor('4.0')),
    ['2.0', '4.1', '2', true],
    'without a compatible version, the newest is served',
  )
  assert.deepEqual(await seen({}), ['2.0', '4.1', '2', true])
  assert.equal((await app.get(`${kit.path}?godot_version=3.5`)).body.version_string, '1.0')
  assert.equal(
    (await app.get(`${kit.path}?godot_version=junk`, app.editor('3.2'))).body.version_string,
    '1.0',
  )
  const direct = await app.get(`${kit.path}/download`, app.editor('3.6'))
  assert.deepEqual(await follow(direct), kit.bytes)
  assert.deepEqual(await follow(await app.get(`${kit.path}/download?godot_version=4.2`)), second)
  const { download_url } = (await app.get(kit.path)).body
  must(await app.post(`/api/v1/private/games/${kit.uid}/channels/stable/rollback`, {}, kit.owner))
  assert.equal(
    (await app.get(kit.path)).body.version_string,
    '1.0',
    'the version that was rolled back is still offered',
  )
  assert.deepEqual(
    refused(await app.get(download_url)),
    [404, 4040],
    'another file is served in its place',
  )
})

test('an editor gets the build for its operating system', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish({ version: '1.0' })
  const windows = addon('kit', [{ name: 'kit-1.0/kit.dll' }])
  await app.release(kit, { version: '1.0', engine_version: '3.2', os: 'windows', bytes: windows })
  const hash = async (system: string) =>
    (await app.get(kit.path, app.editor('3.2', system))).body.download_hash
  assert.equal(await hash('Windows'), sha256(windows))
  assert.equal(await hash('X11'), sha256(kit.bytes))
  assert.ok([sha256(windows), sha256(kit.bytes)].includes(await hash('Haiku')))
})

test('with two zips of a build, a system gets its own, and others the same one', async (t) => {
  const app = await sharedAssetApp(t)
  const kit = await app.publish({ version: '1.0' })
  const windows_file = {
    uid: 'ffffffff-ffff-4fff-bfff-ffffffffffff',
    game_uid: kit.uid,
    build_uid: kit.build_id,
    os: 'windows',
    arch: 'x86_64',
    channel: 'stable',
    filename: 'a.zip',
    size: 1,
    checksum: 'a'.repeat(64),
    scan: 'clean',
    method: 'website',
  }
  const [windows] = await app.sql`
    insert into files ${app.sql(windows_file)}
    returning checksum`
  const { game_uid, build_uid, os, arch, channel } = windows_file
  const head = { game_uid, app: '', channel, os, arch, build_uid }
  await app.sql`insert into channel_heads ${app.sql(head)}`
  const hash = async (system: string) =>
    (await app.get(kit.path, app.editor('3.2', system))).body.download_hash
  assert.equal(await hash('Windows'), windows!.checksum)
  assert.equal(await hash('X11'), sha256(kit.bytes))
  assert.equal(await hash('Haiku'), windows!.checksum, 'not the last by uid')
})

test('rejects tokens that are invalid, expired, of another kind or out of scope', async (t) => {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const person = await app.a.verifiedDeveloper()
  const { key } = await app.a.key('player', person, ['player:read'])
  const { key: weak } = await app.a.key('player', person, ['player:write'])
  const { key: agent } = await app.a.key('agent', person, ['mcp:read'])
  const { uid: old_uid, key: old } = await app.a.key('player', person, ['player:read'])
  must(await app.del(`/api/v1/private/account/player-keys/${old_uid}`, person))
  const ended = await app.a.user()
  await app.sql`
    update sessions set expires_at = now() - interval '1 second'
    where user_uid = ${ended.uid}`
  for (const path of [`${LIBRARY}/configure`, kit.path, `${kit.path}/download`]) {
    for (const token of ['junk', old, ended.token, `${key}x`, 'a'.repeat(3000)]) {
      const answer = await app.get(path, { token })
      assert.deepEqual(refused(answer), [401, 4010], path)
      assert.equal(answer.headers['www-authenticate'], 'Bearer')
    }
    assert.deepEqual(
      refused(await app.get(path, { headers: { authorization: 'Basic abc' } })),
      [401, 4010],
    )
    assert.deepEqual(refused(await app.get(path, { headers: { svc_games: 'junk' } })), [401, 4010])
    assert.deepEqual(refused(await app.get(path, { token: agent })), [403, 4033])
    assert.deepEqual(refused(await app.get(path, { token: weak })), [403, 4031])
    assert.ok((await app.get(path, { token: key })).status < 400)
    assert.ok(
      (await app.get(path, { headers: { cookie: `svc_session=${person.token}` } })).status < 400,
      'a cookie was read',
    )
  }
})

test('limits one address to 300 reads and 60 downloads a minute', async (t) => {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const read = () => app.get(kit.path)
  assert.equal((await repeatUses(app.core, 300, 298, read)).status, 200)
  assert.equal((await read()).status, 200)
  assert.equal((await app.get(`${LIBRARY}/configure`)).status, 200)
  const over = await read()
  assert.deepEqual(refused(over), [429, 4290])
  assert.ok(Number(over.headers['retry-after']) > 0)
  const download = () => app.get(`${kit.path}/download`)
  assert.equal((await repeatUses(app.core, 60, 59, download)).status, 302)
  assert.equal((await download()).status, 302)
  assert.deepEqual(refused(await download()), [429, 4290])
})

test('the sweep removes renditions of images that no listing shows, and no others', async (t) => {
  const app = await startAssetApp(t)
  const kit = await app.publish()
  const current = await app.show(kit.uid, 'gallery', 'webp')
  const removed = await app.show(kit.uid, 'gallery', 'gif', 1)
  for (const content of [current, removed])
    for (const name of ['icon.png', 'preview.jpg'])
      assert.equal((await app.get(`/media/editor/${content}-${name}`)).status, 200)
  const renditions = async () =>
    (await Array.fromAsync(app.core.storage.list('renditions/'))).map(
      ({ key }) => key.split('/').at(-1)!,
    )
  assert.equal((await renditions()).length, 4)
  await app.sql`delete from listing_images where sha256 = ${removed}`
  await app.core.jobs.send(app.sql, 'assets.sweep-renditions')
  await eventually('the sweep', async () => (await renditions()).length === 2)
  assert.deepEqual((await renditions()).sort(), [`${current}-icon.png`, `${current}-preview.jpg`])
  assert.deepEqual(refused(await app.get(`/media/editor/${removed}-icon.png`)), [404, 4040])
})
