import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, REGISTER, withBuild } from '../uploads/fixtures.ts'
import { type Upload, upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'

const BUILDS = '/api/v1/tool/builds'
const version = '0.1'
const windows = { os: 'windows', arch: 'x86_64' }
const ROUNDS = 6

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await withBuild(await startService(t))
  const register = async (fields = {}) =>
    must(await app.post(REGISTER, { version, build_type: 'game', ...fields }, app.ci))
  let count = 0
  const sendFile = async (fields: Upload, body: string) => {
    const bytes = zip([{ name: 'play', body }])
    return must(await app.call('POST', FILES, upload(bytes, fields, app.ci)))
  }
  const send = (fields: Upload) => sendFile(fields, `file ${++count}`)
  const sendUntil = async (scan: string, fields: Upload, body: string) => {
    const file = await sendFile(fields, body)
    await eventually(`the file to be ${scan}`, async () => {
      const [row] = await app.sql`select scan from files where uid = ${file.file_uid}`
      return row?.scan === scan
    })
    return file
  }
  /** Uploads a file with a virus, and waits until the scanner has rejected it. */
  const sendRejected = (fields: Upload) => sendUntil('infected', fields, EICAR)
  /** Uploads a file, and waits for its scan, which would deadlock with a change by the test. */
  const sendClean = (fields: Upload) => sendUntil('clean', fields, `file ${++count}`)
  const list = async (query = '') => {
    const { builds } = must(await app.get(`${BUILDS}?version=${version}${query}`, app.ci))
    return builds.map(({ build_id, os, arch }: Record<string, string>) => [build_id, os, arch])
  }
  return { ...app, register, send, sendClean, sendRejected, list }
}

test('a build that took its platform is the one registered for that platform', async (t) => {
  const { register, send, list } = await start(t)
  const { build_id } = await register()
  await send({ build_id, ...windows })
  const again = await register({ ...windows, title: 'Named' })
  assert.deepEqual([again.build_id, again.title], [build_id, 'Named'])
  assert.equal((await register({ title: 'Unnamed' })).build_id, build_id)
  assert.deepEqual(await list(), [[build_id, 'windows', 'x86_64']])
  assert.notEqual((await register({ ...windows, arch: 'arm64' })).build_id, build_id)
  assert.notEqual((await register({ ...windows, channel: 'beta' })).build_id, build_id)
})

test('a second file for another system does not change the platform of a build', async (t) => {
  const { register, send, list } = await start(t)
  const { build_id } = await register()
  await send({ build_id, os: 'macos', arch: 'universal' })
  await send({ build_id, os: 'linux', arch: 'x86_64' })
  assert.deepEqual(await list(), [[build_id, 'macos', 'universal']])
  assert.equal((await register({ os: 'macos', arch: 'universal' })).build_id, build_id)
  assert.notEqual((await register({ os: 'linux', arch: 'x86_64' })).build_id, build_id)
})

test('a build that took its platform is found by its name for any other system', async (t) => {
  const { register, send } = await start(t)
  const name = { build: version, build_type: 'game', version }
  const { build_id } = await register()
  for (const system of [windows, { os: 'linux', arch: 'arm64' }, { os: 'macos' }, {}])
    assert.equal((await send({ ...name, ...system })).build_id, build_id, JSON.stringify(system))
  const linux = await register({ os: 'linux', arch: 'arm64' })
  assert.equal((await send({ ...name, os: 'linux', arch: 'arm64' })).build_id, linux.build_id)
  assert.equal((await send(name)).build_id, build_id)
})

test('a build registered with only a system takes the architecture of its files', async (t) => {
  const { register, send, list } = await start(t)
  const { build_id } = await register({ os: 'windows' })
  await send({ build_id, ...windows })
  assert.deepEqual(await list('&os=windows&arch=x86_64'), [[build_id, 'windows', 'x86_64']])
  for (const fields of [windows, { os: 'windows' }])
    assert.equal((await register(fields)).build_id, build_id)
  const other = await register({ os: 'macos' })
  await send({ build_id: other.build_id, os: 'linux', arch: 'arm64' })
  assert.deepEqual(await list('&os=macos'), [[other.build_id, 'macos', '']])
})

test('a build whose platform another build has stays without one', async (t) => {
  const { register, send, list, sql } = await start(t)
  const unnamed = await register()
  const named = await register(windows)
  assert.notEqual(named.build_id, unnamed.build_id)
  assert.equal((await send({ build_id: unnamed.build_id, ...windows })).os, 'windows')
  assert.deepEqual(await list('&os=windows'), [[named.build_id, 'windows', 'x86_64']])
  assert.equal((await register()).build_id, unnamed.build_id)
  assert.equal((await register(windows)).build_id, named.build_id)
  await sql`delete from builds where uid = ${named.build_id}`
  await send({ build_id: unnamed.build_id, os: 'linux', arch: 'x86_64' })
  assert.deepEqual(await list(), [[unnamed.build_id, 'windows', 'x86_64']], 'its first file')
})

test('the platform is open again when the only file of a build is rejected', async (t) => {
  const { register, send, sendRejected, list } = await start(t)
  const { build_id } = await register()
  await sendRejected({ build_id, ...windows })
  assert.deepEqual(await list(), [[build_id, '', '']])
  assert.equal((await register()).build_id, build_id)
  assert.equal((await send({ build_id, os: 'linux', arch: 'arm64' })).build_id, build_id)
  assert.deepEqual(await list(), [[build_id, 'linux', 'arm64']])
  assert.equal((await register()).build_id, build_id)
  assert.notEqual((await register(windows)).build_id, build_id)
})

test('a build takes the platform of its first file that is not rejected', async (t) => {
  const { register, send, sendRejected, list } = await start(t)
  const { build_id } = await register({ arch: 'x86_64' })
  await send({ build_id, os: 'macos', arch: 'universal' })
  await sendRejected({ build_id, os: 'linux', arch: 'x86_64' })
  assert.deepEqual(await list(), [[build_id, 'macos', 'x86_64']], 'its first file was not rejected')
  const second = await register({ channel: 'beta' })
  const beta = { build_id: second.build_id, channel: 'beta' }
  await sendRejected({ ...beta, ...windows })
  await send({ ...beta, os: 'linux', arch: 'arm64' })
  await send({ ...beta, ...windows })
  assert.deepEqual(await list('&channel=beta'), [[second.build_id, 'linux', 'arm64']])
})

test('the platform of a later file takes the place of one that is rejected', async (t) => {
  const { register, sendClean, list, sql } = await start(t)
  const { build_id } = await register()
  const { file_uid } = await sendClean({ build_id, ...windows })
  await sendClean({ build_id, os: 'linux', arch: 'arm64' })
  await sendClean({ build_id, ...windows })
  assert.deepEqual(await list(), [[build_id, 'windows', 'x86_64']])
  await sql`update files set scan = 'error' where uid = ${file_uid}`
  assert.deepEqual(await list(), [[build_id, 'linux', 'arm64']])
  await sql`update files set scan = 'error' where build_uid = ${build_id} and os = 'linux'`
  assert.deepEqual(await list(), [[build_id, 'windows', 'x86_64']])
  await sql`update files set scan = 'error' where build_uid = ${build_id}`
  assert.deepEqual(await list(), [[build_id, '', '']])
})

test('content that is uploaded again does not change which file was first', async (t) => {
  const { register, sendClean, list, sql } = await start(t)
  const { build_id } = await register()
  const first = await sendClean({ build_id, ...windows })
  await sendClean({ build_id, os: 'linux', arch: 'arm64' })
  const third = await sendClean({ build_id, ...windows })
  await sql`update files set uploaded_at = now() where uid = ${first.file_uid}`
  await sql`update files set scan = 'infected' where uid = ${third.file_uid}`
  assert.deepEqual(await list(), [[build_id, 'windows', 'x86_64']])
})

test('a rejected file keeps its platform while another build has the registered one', async (t) => {
  const { register, sendClean, list, sql } = await start(t, startApp)
  const { build_id } = await register()
  const { file_uid } = await sendClean({ build_id, ...windows })
  await sql`alter table builds disable trigger find_registered_platform`
  const other = await register()
  await sql`alter table builds enable trigger find_registered_platform`
  await sql`update files set scan = 'error' where uid = ${file_uid}`
  assert.deepEqual(await list(), [
    [other.build_id, '', ''],
    [build_id, 'windows', 'x86_64'],
  ])
})

test('registrations concurrent with the first file find the one build', async (t) => {
  const { post, call, ci, register, list } = await start(t)
  for (let round = 0; round < ROUNDS; round++) {
    const fields = { channel: `round-${round}` }
    const { build_id } = await register(fields)
    const bytes = zip([{ name: 'play', body: `round ${round}` }])
    const again = () => post(REGISTER, { version, build_type: 'game', ...fields }, ci)
    const [file, ...builds] = await Promise.all([
      call('POST', FILES, upload(bytes, { build_id, ...windows }, ci)),
      ...Array.from({ length: 6 }, again),
    ])
    must(file)
    for (const build of builds) assert.equal(must(build).build_id, build_id)
    assert.deepEqual(await list(`&channel=${fields.channel}`), [[build_id, 'windows', 'x86_64']])
    assert.equal((await register({ ...windows, ...fields })).build_id, build_id)
  }
})

test('an upgrade opens platforms that rejected files gave and takes those of others', async (t) => {
  const { register, sendClean, list, sql } = await start(t, startApp)
  const migration = new URL('../../migrations/0041_rejected_platforms.sql', import.meta.url)
  const [statement] = /^select take_platform[^;]*/m.exec(readFileSync(migration, 'utf8'))!
  await sql`alter table files disable trigger settle_platform`
  const open = await register()
  await sendClean({ build_id: open.build_id, ...windows })
  const beta = await register({ channel: 'beta' })
  await sendClean({ build_id: beta.build_id, channel: 'beta', ...windows })
  await sql`update files set scan = 'infected'`
  await sendClean({ build_id: beta.build_id, channel: 'beta', os: 'linux', arch: 'arm64' })
  await sql`alter table files enable trigger settle_platform`
  await sql.unsafe(statement)
  assert.deepEqual(await list(), [
    [beta.build_id, 'linux', 'arm64'],
    [open.build_id, '', ''],
  ])
})

test('builds from before an upgrade take the platform of their first file', async (t) => {
  const { register, send, list, sql } = await start(t, startApp)
  const migration = new URL('../../migrations/0035_build_platforms.sql', import.meta.url)
  const [statement] = /^select take_platform[^;]*/m.exec(readFileSync(migration, 'utf8'))!
  await sql`alter table files disable trigger take_platform`
  const { build_id } = await register()
  await send({ build_id, ...windows })
  await send({ build_id, os: 'linux', arch: 'arm64' })
  const { build_id: later } = await register({ os: 'windows' })
  await send({ build_id: later, ...windows })
  const { build_id: unnamed } = await register({ arch: 'arm64' })
  const before = [unnamed, '', 'arm64']
  assert.deepEqual(await list(), [before, [later, 'windows', ''], [build_id, '', '']])
  await sql`alter table files enable trigger take_platform`
  await sql.unsafe(statement)
  const after = [build_id, 'windows', 'x86_64']
  assert.deepEqual(await list(), [before, [later, 'windows', ''], after])
  for (const [fields, expected] of [
    [{}, build_id],
    [windows, build_id],
    [{ os: 'windows' }, later],
  ] as const)
    assert.equal((await register(fields)).build_id, expected)
})
