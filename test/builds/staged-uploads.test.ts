import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { scanFile } from '../../src/scan/jobs.ts'
import { eventually, runJob, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addGame } from '../updates/fixtures.ts'
import {
  chunkForm,
  chunkHeaders,
  FILES,
  REGISTER,
  SESSIONS,
  sessionFields,
  sessionRequest,
} from '../uploads/fixtures.ts'
import { type Upload, upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'

const contentsOf = (version: string) => zip([{ name: 'game', body: `version ${version}` }])

const sharedApp = sharedInFile(startApp)

/** A game with a head on stable, and a deploy key that uploads further builds. */
async function startReleases(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await addGame(await startService(t))
  const { game, ci, sql } = app
  const own = `/api/v1/private/games/${game.uid}`
  const register = async (version: string, fields = {}) => {
    const platform = { os: 'linux', arch: 'x86_64' }
    return must(await app.post(REGISTER, { version, ...platform, ...fields }, ci))
      .build_id as string
  }
  const send = (build_id: string, bytes: Buffer, fields: Upload = {}) =>
    app.call('POST', FILES, upload(bytes, { build_id, ...fields }, ci))
  const openSession = (build_id: string, bytes: Buffer, fields: Upload = {}) => {
    const all_fields = { ...sessionFields(bytes, build_id), ...fields }
    return app.call('POST', SESSIONS, sessionRequest(all_fields, ci))
  }
  const sendChunk = (session: string, bytes: Buffer) => {
    const range = { session, from: 0, to: bytes.length, total: bytes.length }
    return app.call('POST', FILES, chunkForm(bytes, chunkHeaders(ci, range)))
  }
  const isScanned = (file_uid: string) =>
    eventually('the scan', async () => {
      const [file] = await sql`select scan from files where uid = ${file_uid}`
      return file!.scan !== 'scanning'
    })
  /** Uploads a version for a part of the devices, and waits for its scan. */
  const release = async (version: string, percent?: string) => {
    const build_id = await register(version)
    const { file_uid } = must(await send(build_id, contentsOf(version), { percent }))
    await isScanned(file_uid)
    return { build_id, file_uid: file_uid as string }
  }
  const stable = async () =>
    must(await app.get(`${own}/channels`, game.owner)).channels.find(
      ({ channel }: { channel: string }) => channel === 'stable',
    )
  /** The head of stable, the build that it stages, and for how many devices. */
  const state = async () => {
    const [head] = (await stable())?.heads ?? []
    return [head?.version, head?.staged?.version, head?.staged?.percent]
  }
  const withdraw = async (build_id: string) =>
    must(await app.put(`${own}/builds/${build_id}/withdrawal`, { reason: 'Bad' }, game.owner))
  const restore = async (build_id: string) =>
    must(await app.del(`${own}/builds/${build_id}/withdrawal`, game.owner))
  const [first] = await state()
  return {
    ...app,
    own,
    first,
    register,
    send,
    openSession,
    sendChunk,
    isScanned,
    release,
    stable,
    state,
    withdraw,
    restore,
  }
}

test('a session whose last chunk an older version of the service got keeps its part', async (t) => {
  const app = await startReleases(t, startApp)
  // Version 0.1.0 does not know of the column, and inserts files without it.
  await app.sql`
    create function insert_as_before() returns trigger language plpgsql as $$
    begin
      new.release_percent := null;
      return new;
    end $$`
  await app.sql`
    create trigger insert_as_before before insert on files
    for each row execute function insert_as_before()`
  const bytes = contentsOf('2.0')
  const opened = must(await app.openSession(await app.register('2.0'), bytes, { percent: '10' }))
  const { file_uid } = must(await app.sendChunk(opened.session_id, bytes))
  await app.isScanned(file_uid)
  assert.deepEqual(await app.state(), [app.first, '2.0', 10])
  const [file] = await app.sql`select release_percent from files where uid = ${file_uid}`
  assert.equal(file!.release_percent, 10)
})

test('an upload for a part of the devices is staged beside the head once it is clean', async (t) => {
  const app = await startReleases(t)
  const { build_id, file_uid } = await app.release('2.0', '10')
  assert.deepEqual(await app.state(), [app.first, '2.0', 10])
  const [event] = (await app.stable()).history
  assert.deepEqual(
    [event.event, event.build_id, event.from_build_id, event.percent, event.by],
    ['stage', build_id, app.build_id, 10, null],
  )
  const path = `${app.path}/update?os=linux&arch=x86_64&build=${app.build_id}`
  assert.equal((await app.get(path)).status, 204)
  assert.equal(must(await app.get(`${path}&staged=true`)).next.build_id, build_id)
  const { channels } = must(await app.get('/api/v1/tool/info', app.ci))
  assert.deepEqual(channels[0].heads[0].staged, { build_id, version: '2.0', percent: 10 })
  // Without a part, or for all devices, the head moves as ever.
  await app.release('3.0')
  assert.deepEqual(await app.state(), ['3.0', undefined, undefined])
  await app.release('4.0', '100')
  assert.deepEqual(await app.state(), ['4.0', undefined, undefined])
  // A version of the service that does not know of the part cannot release the file.
  await assert.rejects(
    async () =>
      app.sql`
        insert into channel_history (game_uid, app, channel, os, arch, event, file_uid)
        values (${app.game.uid}, '', 'stable', 'linux', 'x86_64', 'upload', ${file_uid})`,
    /part of the devices/,
  )
})

test('an upload session keeps its part, which its answer repeats', async (t) => {
  const app = await startReleases(t)
  const build_id = await app.register('2.0')
  const bytes = contentsOf('2.0')
  const session = must(await app.openSession(build_id, bytes, { percent: '25' }))
  assert.equal(session.percent, 25)
  const { file_uid } = must(await app.sendChunk(session.session_id, bytes))
  await app.isScanned(file_uid)
  assert.deepEqual(await app.state(), [app.first, '2.0', 25])
  const whole = must(await app.openSession(await app.register('3.0'), contentsOf('3.0')))
  assert.equal('percent' in whole, false)
})

test('a part that cannot be staged is refused before bytes are sent', async (t) => {
  const app = await startReleases(t)
  const bytes = contentsOf('2.0')
  const build_id = await app.register('2.0')
  for (const percent of ['0', '101', '1.5', '-1', 'all', '1e1', ' 10'])
    for (const answer of [
      await app.openSession(build_id, bytes, { percent }),
      await app.send(build_id, bytes, { percent }),
    ])
      assert.deepEqual(
        [...refused(answer), answer.body.data?.field],
        [400, 4041, 'percent'],
        percent,
      )
  // There must be another build that the other devices keep.
  const windows = await app.register('2.0', { os: 'windows' })
  const beta = await app.register('2.0', { channel: 'beta' })
  for (const uid of [windows, beta, app.build_id]) {
    const answer = await app.openSession(uid, bytes, { percent: '10' })
    assert.deepEqual(refused(answer), [400, 4041])
    assert.match(answer.body.error.message, /no other build on this platform/)
    must(await app.openSession(uid, bytes, { percent: '100' }))
  }
  assert.equal((await app.sql`select from files where game_uid = ${app.game.uid}`).length, 1)
})

test('older builds neither replace the staged build nor the head', async (t) => {
  const app = await startReleases(t)
  await app.release('3.0', '10')
  await app.release('2.0', '50')
  assert.deepEqual(await app.state(), [app.first, '3.0', 10])
  await app.release('4.0', '20')
  assert.deepEqual(await app.state(), [app.first, '4.0', 20], 'a newer one replaces it')
  await app.release('0.1', '20')
  assert.deepEqual(await app.state(), [app.first, '4.0', 20])
})

test('the same zip again raises the part, and releases the build to all', async (t) => {
  const app = await startReleases(t)
  const { build_id, file_uid } = await app.release('2.0', '10')
  const again = async (percent?: string) => {
    const answer = must(await app.send(build_id, contentsOf('2.0'), { percent }))
    assert.equal(answer.file_uid, file_uid)
    return app.state()
  }
  assert.deepEqual(await again('40'), [app.first, '2.0', 40])
  assert.deepEqual(await again(), [app.first, '2.0', 40], 'without a part nothing changes')
  assert.deepEqual(await again('100'), ['2.0', undefined, undefined])
  assert.equal((await app.stable()).history[0].by, app.game.owner.username)
  must(await app.post(`${app.own}/channels/stable/rollback`, undefined, app.game.owner))
  assert.deepEqual(await again('100'), [app.first, undefined, undefined], 'nothing is staged')
  assert.deepEqual(await again('5'), [app.first, '2.0', 5])
  // While the file is scanned, the last part counts.
  await app.sql`delete from staged_releases where game_uid = ${app.game.uid}`
  await app.sql`delete from file_entries where file_uid = ${file_uid}`
  await app.sql`update files set scan = 'scanning' where uid = ${file_uid}`
  assert.deepEqual(await again('30'), [app.first, undefined, undefined])
  await runJob(app, scanFile, { file_uid })
  assert.deepEqual(await app.state(), [app.first, '2.0', 30])
})

test('a build is not released to all when its head is gone before it is clean', async (t) => {
  const app = await startReleases(t)
  const bytes = contentsOf('2.0')
  const opened = must(await app.openSession(await app.register('2.0'), bytes, { percent: '10' }))
  await app.withdraw(app.build_id)
  const { file_uid } = must(await app.sendChunk(opened.session_id, bytes))
  await app.isScanned(file_uid)
  assert.equal(await app.stable(), undefined)
})

test('a build that became clean while it was withdrawn is staged when it is restored', async (t) => {
  const app = await startReleases(t)
  const bytes = contentsOf('2.0')
  const build_id = await app.register('2.0')
  const opened = must(await app.openSession(build_id, bytes, { percent: '10' }))
  await app.withdraw(build_id)
  const { file_uid } = must(await app.sendChunk(opened.session_id, bytes))
  await app.isScanned(file_uid)
  assert.deepEqual(await app.state(), [app.first, undefined, undefined])
  await app.restore(build_id)
  assert.deepEqual(await app.state(), [app.first, '2.0', 10])
})

test('an infected file is not staged', async (t) => {
  const app = await startReleases(t)
  const build_id = await app.register('2.0')
  const bytes = zip([
    { name: 'game', body: EICAR },
    { name: 'x', body: randomBytes(9) },
  ])
  const { file_uid } = must(await app.send(build_id, bytes, { percent: '10' }))
  await app.isScanned(file_uid)
  assert.deepEqual(await app.state(), [app.first, undefined, undefined])
})
