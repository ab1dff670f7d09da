import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext) {
  const app = await sharedApp(t)
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  const base = `/api/v1/private/games/${game.uid}`
  const channel = async (name = 'stable', app_name = '') =>
    must(await app.get(`${base}/channels`, game.owner)).channels.find(
      (row: any) => row.channel === name && row.app === app_name,
    )
  return { ...app, game, base, owner: game.owner, channel }
}

test('an owner sees builds, files, and findings of rejected ones for thirty days', async (t) => {
  const { a, game, base, owner, get, call, sql } = await start(t)
  const { ci, build_id, file_uid } = await a.cleanBuild(game, {
    version: '1.0',
    changelog_items: [{ title: 'New', description: 'x' }],
  })
  const { file_uid: bad } = must(
    await call(
      'POST',
      '/api/v1/tool/upload/files',
      upload(zip([{ name: 'x', body: EICAR }]), { build_id }, ci),
    ),
  )
  await eventually(
    'the scan',
    async () =>
      (await sql`select from files where uid = ${bad} and scan = 'infected'`).length === 1,
  )
  const build = must(await get(`${base}/builds/${build_id}`, owner))
  assert.deepEqual(build.changelog_items, [{ title: 'New', description: 'x' }])
  assert.deepEqual(
    build.files.map((file: any) => [
      file.file_uid,
      file.scan,
      file.findings,
      file.method,
      file.key_ref,
    ]),
    [
      [
        bad,
        'infected',
        'eicar_test_file in x',
        'deploy_key',
        ci.headers['x-access-token'].slice(8, 16),
      ],
      [file_uid, 'clean', undefined, 'deploy_key', ci.headers['x-access-token'].slice(8, 16)],
    ],
  )
  assert.deepEqual(must(await get(`${base}/builds?version=1.0`, owner)).builds, [build])
  await sql`
    update files set uploaded_at = uploaded_at - interval '30 days 1 minute'
    where uid = ${bad}`
  assert.equal(must(await get(`${base}/builds/${build_id}`, owner)).files.length, 1)
  for (const id of ['x', randomUUID()])
    assert.deepEqual(refused(await get(`${base}/builds/${id}`, owner)), [404, 4006])
  for (const path of ['builds', `builds/${build_id}`, 'channels'])
    assert.deepEqual(refused(await get(`${base}/${path}`, await a.user())), [404, 4040])
})

test('a deploy key reads a build of its own game with its findings, and no other', async (t) => {
  const { a, game, get, call, sql } = await start(t)
  const { ci, build_id, file_uid } = await a.cleanBuild(game, { version: '1.0' })
  const bytes = zip([{ name: 'x', body: EICAR }])
  const { file_uid: bad } = must(
    await call('POST', '/api/v1/tool/upload/files', upload(bytes, { build_id }, ci)),
  )
  await eventually(
    'the scan',
    async () =>
      (await sql`select from files where uid = ${bad} and scan = 'infected'`).length === 1,
  )
  const url = `/api/v1/tool/builds/${build_id}`
  const build = must(await get(url, ci))
  assert.deepEqual([build.build_id, build.version, build.symbols], [build_id, '1.0', 0])
  assert.deepEqual(
    build.files.map((file: any) => [file.file_uid, file.scan, file.findings, file.key_ref]),
    [
      [bad, 'infected', 'eicar_test_file in x', undefined],
      [file_uid, 'clean', undefined, undefined],
    ],
  )
  for (const id of ['x', randomUUID()])
    assert.deepEqual(refused(await get(`/api/v1/tool/builds/${id}`, ci)), [404, 4039])
  assert.deepEqual(refused(await get(url, await a.deployer(await a.listing()))), [404, 4039])
  assert.deepEqual(refused(await get(url)), [401, 4020])
})

test('every private route answers a build that the project does not have with 4006', async (t) => {
  const { a, base, owner, call } = await start(t)
  const foreign = await a.cleanBuild(await a.listing({ owner }))
  const stranger = await a.developer()
  for (const build_id of [foreign.build_id, randomUUID(), 'x']) {
    const requests: [method: string, path: string, body?: object][] = [
      ['GET', `builds/${build_id}`],
      ['DELETE', `builds/${build_id}`],
      ['GET', `builds/${build_id}/health`],
      ['GET', `builds/${build_id}/bundle-check`],
      ['GET', `builds/${build_id}/symbols`],
      ['DELETE', `builds/${build_id}/symbols`],
      ['DELETE', `builds/${build_id}/symbols/${randomUUID()}`],
      ['PUT', 'channels/stable', { build_id }],
    ]
    for (const [method, path, body] of requests) {
      const { token } = owner
      const answer = await call(method, `${base}/${path}`, { token, body })
      assert.deepEqual(refused(answer), [404, 4006], `${method} ${path}`)
    }
  }
  assert.deepEqual(
    refused(await call('DELETE', `${base}/builds/${randomUUID()}/symbols`, stranger)),
    [404, 4040],
  )
})

test('a build can be registered on the website like with a deploy key', async (t) => {
  const { base, owner, post, a, sql } = await start(t)
  const made = must(await post(`${base}/builds`, { version: '1', os: 'mac' }, owner))
  assert.deepEqual([made.version, made.os], ['1', 'macos'])
  // A null field counts as missing and keeps the earlier value.
  must(
    await post(
      `${base}/builds`,
      { version: '1', os: 'mac', title: 'First', description: 'Told' },
      owner,
    ),
  )
  must(
    await post(
      `${base}/builds`,
      { version: '1', os: 'mac', title: null, description: null },
      owner,
    ),
  )
  const [stored] = await sql`select title, description from builds where uid = ${made.build_id}`
  assert.deepEqual({ ...stored }, { title: 'First', description: 'Told' })
  assert.deepEqual(refused(await post(`${base}/builds`, {}, owner)), [400, 4026])
  assert.deepEqual(
    refused(await post(`${base}/builds`, { version: '1' }, await a.developer())),
    [404, 4040],
  )
})

test('promoting moves a channel to any build, older ones included, and is recorded', async (t) => {
  const { a, game, base, owner, put, channel } = await start(t)
  const old = await a.cleanBuild(game, { version: '1.0' })
  const next = await a.cleanBuild(game, { version: '2.0' })
  const beta = await a.cleanBuild(game, { version: '3.0', channel: 'beta' })
  assert.equal((await channel()).version, '2.0')
  const moved = must(
    await put(`${base}/channels/stable`, { build_id: beta.build_id, expires_in_hours: 24 }, owner),
  )
  assert.deepEqual([moved.version, moved.build_id], ['3.0', beta.build_id])
  assert.ok(Math.abs(Date.parse(moved.expires_at) - Date.now() - 86_400_000) < 60_000)
  must(await put(`${base}/channels/stable`, { build_id: old.build_id }, owner))
  const stable = await channel()
  assert.deepEqual([stable.version, stable.expires_at, stable.expired], ['1.0', null, false])
  assert.deepEqual(
    stable.history.map((move: any) => [move.event, move.version, move.from_build_id, move.by]),
    [
      ['promote', '1.0', beta.build_id, owner.username],
      ['promote', '3.0', next.build_id, owner.username],
      ['upload', '2.0', old.build_id, null],
      ['upload', '1.0', null, null],
    ],
  )
  assert.equal((await channel('beta')).version, '3.0')
  await a.cleanBuild(game, { version: '1.5' })
  assert.equal((await channel()).version, '1.5', 'the channel did not move forward')
})

test('rejects invalid promotions, and agents need approval for stable', async (t) => {
  const { a, game, base, owner, put, post } = await start(t)
  const { build_id, ci } = await a.cleanBuild(game, { app: 'server' })
  const { build_id: empty } = must(await post('/api/v1/tool/upload/build', { version: '9' }, ci))
  for (const [path, body, expected] of [
    ['stable', { build_id: empty }, [409, 4099]],
    ['stable', { build_id: randomUUID() }, [404, 4006]],
    ['stable', { build_id: 'x' }, [404, 4006]],
    ['stable', { build_id, app: 'other' }, [404, 4006]],
    ['-', { build_id }, [422, 4226]],
    ['x'.repeat(33), { build_id }, [422, 4226]],
    ['stable', { build_id, expires_in_hours: -1 }, [422, 4226]],
    ['stable', { build_id, expires_in_hours: 2161 }, [422, 4226]],
    ['stable', { build_id, expires_in_hours: 1.5 }, [422, 4226]],
  ] as const)
    assert.deepEqual(
      refused(await put(`${base}/channels/${path}`, body, owner)),
      expected,
      JSON.stringify(body),
    )
  must(
    await put(
      `${base}/channels/stable`,
      { build_id, app: 'server', expires_in_hours: 2160 },
      owner,
    ),
  )
  assert.deepEqual(
    refused(await put(`${base}/channels/stable`, { build_id }, await a.developer())),
    [404, 4040],
  )
  const { key: token } = await a.key('agent', owner, ['mcp:build.write'])
  assert.deepEqual(
    refused(await put(`${base}/channels/stable`, { build_id }, { token })),
    [202, 4214],
    'stable moved without an approval',
  )
  must(await put(`${base}/channels/beta`, { build_id }, { token }))
})

test('each rollback returns every platform to its previous release', async (t) => {
  const { a, game, base, owner, post, channel } = await start(t)
  const back = () => post(`${base}/channels/stable/rollback`, undefined, owner)
  assert.deepEqual(refused(await back()), [409, 4075])
  for (const version of ['1.0', '2.0', '3.0'])
    for (const os of ['linux', 'windows']) await a.cleanBuild(game, { version, os })
  assert.equal(must(await back()).version, '2.0')
  assert.deepEqual(
    (await channel()).heads.map((head: any) => [head.os, head.version]),
    [
      ['linux', '2.0'],
      ['windows', '2.0'],
    ],
  )
  assert.equal(must(await back()).version, '1.0')
  assert.deepEqual(refused(await back()), [409, 4075])
  assert.deepEqual(
    refused(await post(`${base}/channels/stable/rollback?app=server`, undefined, owner)),
    [409, 4075],
  )
})

test('a rollback names what each platform had, and channels where it leads', async (t) => {
  const { a, game, base, owner, post, channel } = await start(t)
  const first = await a.cleanBuild(game, { version: '1.0' })
  const second = await a.cleanBuild(game, { version: '2.0' })
  const windows = await a.cleanBuild(game, { version: '2.0', os: 'windows' })
  const macos = await a.cleanBuild(game, { version: '1.0', os: 'macos' })
  const targets = async () =>
    (await channel()).heads.map(({ os, rollback_to }: any) => [os, rollback_to])
  assert.deepEqual(await targets(), [
    ['linux', { build_id: first.build_id, version: '1.0' }],
    ['macos', null],
    ['windows', null],
  ])
  const { heads } = must(await post(`${base}/channels/stable/rollback`, undefined, owner))
  assert.deepEqual(
    heads.map(({ os, version, build_id, from_version, from_build_id }: any) => [
      os,
      version,
      build_id,
      from_version,
      from_build_id,
    ]),
    [
      ['linux', '1.0', first.build_id, '2.0', second.build_id],
      ['macos', '1.0', macos.build_id, '1.0', macos.build_id],
      ['windows', '2.0', windows.build_id, '2.0', windows.build_id],
    ],
  )
  assert.deepEqual(await targets(), [
    ['linux', null],
    ['macos', null],
    ['windows', null],
  ])
})

test('a build is promoted with the other builds of its version', async (t) => {
  const { a, game, base, owner, put, channel } = await start(t)
  const nightly = { version: '2.0', channel: 'nightly' }
  const linux = await a.cleanBuild(game, nightly)
  const newer = await a.cleanBuild(game, { ...nightly, channel: 'beta' })
  const windows = await a.cleanBuild(game, { ...nightly, os: 'windows' })
  const current = await a.cleanBuild(game, { ...nightly, os: 'windows', channel: 'beta' })
  await a.cleanBuild(game, { ...nightly, os: 'macos', version: '2.1' })
  await a.cleanBuild(game, { ...nightly, os: 'android', app: 'server' })
  const promote = (all_platforms: boolean) =>
    put(`${base}/channels/stable`, { build_id: linux.build_id, all_platforms }, owner)
  const heads = async () => (await channel()).heads.map(({ os, build_id }: any) => [os, build_id])
  must(await promote(false))
  assert.deepEqual(await heads(), [['linux', linux.build_id]])
  assert.deepEqual(
    must(await promote(true)).heads.map(({ os, from_version }: any) => [os, from_version]),
    [
      ['linux', '2.0'],
      ['windows', null],
    ],
  )
  assert.deepEqual(await heads(), [
    ['linux', linux.build_id],
    ['windows', current.build_id],
  ])
  assert.notEqual(newer.build_id, linux.build_id)
  assert.notEqual(windows.build_id, current.build_id)
  const { key: token } = await a.key('agent', owner, ['mcp:build.write'])
  const answer = await put(
    `${base}/channels/stable`,
    { build_id: linux.build_id, all_platforms: true },
    { token },
  )
  assert.deepEqual(refused(answer), [202, 4214])
  assert.match(JSON.stringify(answer.body), /version 2\.0 on all its platforms to all players/)
})

test('deleting a build deletes its files and returns channels to the previous build', async (t) => {
  const { a, game, base, owner, del, core, channel } = await start(t)
  const first = await a.cleanBuild(game, { version: '1.0' })
  const second = await a.cleanBuild(game, { version: '2.0' })
  const key = `builds/${game.uid}/${second.file_uid}.zip`
  assert.ok(await core.storage.stat(key))
  assert.deepEqual(must(await del(`${base}/builds/${second.build_id}`, owner)), { deleted: true })
  assert.deepEqual(
    [(await channel()).build_id, (await channel()).history[0].event],
    [first.build_id, 'delete'],
  )
  await eventually('the removal', async () => (await core.storage.stat(key)) === null)
  assert.deepEqual(refused(await del(`${base}/builds/${second.build_id}`, owner)), [404, 4006])
  assert.deepEqual(
    refused(await del(`${base}/builds/${first.build_id}`, await a.developer())),
    [404, 4040],
  )
  must(await del(`${base}/builds/${first.build_id}`, owner))
  assert.equal(await channel(), undefined)
})

test('the last clean build of a public page cannot be deleted', async (t) => {
  const { a, game, base, owner, del, sql } = await start(t)
  const first = await a.cleanBuild(game, { version: '1.0' })
  const second = await a.cleanBuild(game, { version: '2.0' })
  await sql`update listings set visibility = 'public' where uid = ${game.uid}`
  must(await del(`${base}/builds/${first.build_id}`, owner))
  const answer = await del(`${base}/builds/${second.build_id}`, owner)
  assert.deepEqual(refused(answer), [422, 4225])
  assert.deepEqual(
    (await sql`select uid from builds where game_uid = ${game.uid}`).map(({ uid }) => uid),
    [second.build_id],
    'the last clean build was deleted',
  )
})

test('players can join and leave the beta', async (t) => {
  const { a, game, put, sql, channel } = await start(t)
  await a.cleanBuild(game, { channel: 'beta' })
  const url = `/api/v1/private/games/${game.uid}/channel`
  const person = await a.user()
  assert.deepEqual(
    refused(await put(url, { channel: 'beta' }, person)),
    [404, 4040],
    'a stranger joined the beta of a draft',
  )
  await sql`update listings set visibility = 'public'`
  assert.deepEqual(must(await put(url, { channel: 'beta' }, person)), { channel: 'beta' })
  must(await put(url, { channel: 'beta' }, person))
  assert.equal((await channel('beta')).players, 1)
  must(await put(url, { channel: 'stable' }, person))
  assert.equal((await channel('beta')).players, 0)
  assert.deepEqual(refused(await put(url, { channel: 'dev' }, person)), [400, 4000])
})
