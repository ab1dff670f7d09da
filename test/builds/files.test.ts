import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { markEndedChannels } from '../../src/builds/channels/queries.ts'
import { eventually, startApp } from '../support/app.ts'
import { addAdmin, makePublic, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, sha256, zip } from '../uploads/zips.ts'

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, visibility = 'public') {
  const app = await sharedApp(t)
  const game = await app.a.listing({ owner: await app.a.verifiedDeveloper() })
  await app.sql`update listings set visibility = ${visibility} where uid = ${game.uid}`
  const list = `/api/v1/public/user/${game.owner.username}/games/${game.vanity_name}/files`
  const versions = async (who?: { token: string }) =>
    must(await app.get(list, who)).files.map(
      (file: any) => `${file.channel} ${file.version} ${file.scan}`,
    )
  const provenance = (uid: string, who?: { token: string }) =>
    app.get(`/api/v1/public/games/${game.uid}/files/${uid}/provenance`, who)
  return { ...app, game, list, versions, provenance }
}

test('lists a file with its type, its source and its scan result', async (t) => {
  const { a, game, get, list } = await start(t)
  const bytes = zip([{ name: 'a', body: 'x' }])
  const { build_id, file_uid, ci } = await a.cleanBuild(game, { version: '1.0', bytes })
  const { files } = must(await get(list))
  const [{ uploaded_at, ...file }] = files
  assert.ok(Math.abs(Date.parse(uploaded_at) - Date.now()) < 60_000)
  assert.deepEqual(file, {
    uid: file_uid,
    build_id,
    app: '',
    version: '1.0',
    os: 'linux',
    arch: 'x86_64',
    channel: 'stable',
    channels: ['stable'],
    filename: 'game.zip',
    size: bytes.length,
    checksum: sha256(bytes),
    scan: 'clean',
    provenance: { method: 'deploy_key', key_ref: ci.headers['x-access-token'].slice(8, 16) },
  })
  assert.deepEqual(
    must(await get(`/api/v1/public/user/${game.owner.uid}/games/${game.uid}/files`)),
    { files },
  )
})

test('players see stable, testers also beta, and managers every channel', async (t) => {
  const { a, game, versions, put, sql } = await start(t)
  for (const [version, channel] of [
    ['1.0', 'stable'],
    ['2.0', 'beta'],
    ['3.0', 'dev'],
    ['4.0', 'nightly'],
  ] as const)
    await a.cleanBuild(game, { version, channel })
  await a.cleanBuild(game, { version: '0.9' })
  const person = await a.user()
  assert.deepEqual(await versions(), ['stable 1.0 clean'])
  assert.deepEqual(await versions(person), ['stable 1.0 clean'])
  must(await put(`/api/v1/private/games/${game.uid}/channel`, { channel: 'beta' }, person))
  assert.deepEqual((await versions(person)).sort(), ['beta 2.0 clean', 'stable 1.0 clean'])
  assert.equal((await versions(game.owner)).length, 5)
  const admin = await a.user()
  await addAdmin(sql, game.uid, admin.uid)
  assert.equal((await versions(admin)).length, 5)
})

test('a page hides files when their channel expires, and updates the catalog once', async (t) => {
  const { a, game, get, put, sql } = await start(t)
  const { build_id } = await a.cleanBuild(game, { version: '1.0' })
  const filesAndPlatforms = async () => {
    const { files, platforms } = must(await get(`/api/v1/public/games/${game.uid}`))
    return [files.length, platforms]
  }
  must(
    await put(
      `/api/v1/private/games/${game.uid}/channels/stable`,
      { build_id, expires_in_hours: 1 },
      game.owner,
    ),
  )
  // Let the channel expire without a row change that would update the catalog.
  const changes = async () =>
    (await sql`select from listing_changes where game_uid = ${game.uid}`).length
  const wait = async () => {
    await sql`alter table channels disable trigger touch`
    await sql`update channels set expires_at = now()`
    await sql`alter table channels enable trigger touch`
  }
  assert.deepEqual(await filesAndPlatforms(), [1, ['linux']])
  await wait()
  assert.deepEqual(await filesAndPlatforms(), [0, []])
  const before = await changes()
  for (let i = 0; i < 2; i++) await sql.begin(markEndedChannels)
  assert.equal(await changes(), before + 1)
  must(
    await put(
      `/api/v1/private/games/${game.uid}/channels/stable`,
      { build_id, expires_in_hours: 1 },
      game.owner,
    ),
  )
  assert.deepEqual(await filesAndPlatforms(), [1, ['linux']])
  await wait()
  const again = await changes()
  await sql.begin(markEndedChannels)
  assert.equal(await changes(), again + 1)
})

test('an expired channel is hidden, and a promoted build shows on its new channel', async (t) => {
  const { a, game, versions, put, sql, provenance } = await start(t)
  const first = await a.cleanBuild(game, { version: '1.0' })
  const beta = await a.cleanBuild(game, { version: '2.0', channel: 'beta' })
  must(
    await put(
      `/api/v1/private/games/${game.uid}/channels/stable`,
      { build_id: beta.build_id, expires_in_hours: 1 },
      game.owner,
    ),
  )
  assert.deepEqual(await versions(), ['stable 2.0 clean'])
  await sql`update channels set expires_at = now() where channel = 'stable'`
  await sql`update files set scan = 'scanning' where uid = ${first.file_uid}`
  assert.deepEqual(await versions(), [])
  assert.deepEqual(refused(await provenance(first.file_uid)), [404, 4040])
  must(await provenance(first.file_uid, game.owner))
  assert.equal((await versions(game.owner)).length, 2)
})

test('files of a hidden page, or under another username, are 404', async (t) => {
  const { a, game, get, sql, list, provenance } = await start(t, 'draft')
  const { file_uid } = await a.cleanBuild(game)
  const person = await a.user()
  for (const who of [undefined, person]) {
    assert.deepEqual(refused(await get(list, who)), [404, 4040])
    assert.deepEqual(refused(await provenance(file_uid, who)), [404, 4040])
  }
  assert.equal(must(await get(list, game.owner)).files.length, 1)
  await sql`update listings set visibility = 'public', adult = true`
  assert.deepEqual(refused(await get(list)), [404, 4040])
  assert.deepEqual(refused(await provenance(file_uid)), [404, 4040])
  await sql`update listings set adult = false`
  assert.deepEqual(
    refused(await get(`/api/v1/public/user/${person.username}/games/${game.uid}/files`)),
    [404, 4040],
  )
})

test('provenance shows source and scan states, and findings to the publisher only', async (t) => {
  const { a, game, call, sql, provenance } = await start(t)
  const { file_uid, build_id, ci } = await a.cleanBuild(game, { version: '1.0' })
  const clean = must(await provenance(file_uid))
  assert.deepEqual(
    [
      clean.file_uid,
      clean.build_id,
      clean.version,
      clean.os,
      clean.channel,
      clean.method,
      clean.key_ref,
      clean.scan,
    ],
    [
      file_uid,
      build_id,
      '1.0',
      'linux',
      'stable',
      'deploy_key',
      ci.headers['x-access-token'].slice(8, 16),
      'clean',
    ],
  )
  assert.deepEqual(
    clean.scan_history.map(({ at, ...step }: { at: string }) => step),
    [
      { state: 'scanning', engine: 'upload' },
      { state: 'clean', engine: 'embedded' },
    ],
  )
  const website = {
    ...upload(zip([{ name: 'x', body: EICAR }]), { build_id }),
    token: game.owner.token,
  }
  const { file_uid: bad } = must(
    await call('POST', `/api/v1/private/games/${game.uid}/files`, website),
  )
  await eventually(
    'the scan',
    async () =>
      (await sql`select from files where uid = ${bad} and scan = 'infected'`).length === 1,
  )
  const [seen, own] = [must(await provenance(bad)), must(await provenance(bad, game.owner))]
  assert.deepEqual(
    [seen.method, seen.key_ref, seen.scan, seen.scan_history[1].detail],
    ['website', undefined, 'infected', undefined],
  )
  assert.equal(own.scan_history[1].detail, 'eicar_test_file in x')
  for (const id of ['x', randomUUID()]) assert.deepEqual(refused(await provenance(id)), [404, 4040])
  const other = await a.listing({ owner: game.owner })
  await sql`update listings set visibility = 'public'`
  assert.equal(
    (await call('GET', `/api/v1/public/games/${other.uid}/files/${file_uid}/provenance`)).status,
    404,
  )
  const hidden = await a.cleanBuild(game, { channel: 'dev' })
  assert.deepEqual(refused(await provenance(hidden.file_uid)), [404, 4040])
  must(await provenance(hidden.file_uid, game.owner))
})

const TIME = /^\d{4}-\d\d-\d\dT\d\d:/
const ONE_FORMAT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

/** All timestamps in an answer, wherever they are. */
const timestampsIn = (value: unknown): string[] => {
  if (typeof value === 'string') return TIME.test(value) ? [value] : []
  return value && typeof value === 'object' ? Object.values(value).flatMap(timestampsIn) : []
}

test('every timestamp of builds, files and pages has the same format', async (t) => {
  const { a, sql, get } = await sharedApp(t)
  const game = await a.listing()
  await makePublic(sql, game.uid)
  const { build_id, file_uid, ci } = await a.cleanBuild(game, { version: '1.0' })
  const own = `/api/v1/private/games/${game.uid}`
  const shared = `/api/v1/public/games/${game.uid}`
  for (const path of [
    own,
    `${own}/builds`,
    `${own}/builds/${build_id}`,
    `${own}/channels`,
    `${own}/files/${file_uid}/provenance`,
    shared,
    `${shared}/files/${file_uid}/provenance`,
    `/api/v1/public/user/${game.owner.username}/games/${game.uid}/files`,
    `/api/v1/private/games/${game.uid}/deploy-info`,
  ]) {
    const times = timestampsIn(must(await get(path, game.owner)))
    assert.ok(times.length, path)
    for (const time of times) assert.match(time, ONE_FORMAT, path)
  }
  const times = timestampsIn(must(await get('/api/v1/tool/builds', ci)))
  assert.ok(times.length && times.every((time) => ONE_FORMAT.test(time)), times.join())
})
