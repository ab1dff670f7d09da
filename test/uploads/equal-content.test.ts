import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { FILES, fileIsClean, startUploadApp, storedFile, uploadSessions } from './fixtures.ts'
import { type Upload, upload } from './forms.ts'
import { EICAR, zip } from './zips.ts'

const CONCURRENT_UPLOADS = 8
const game = zip([{ name: 'bin/game', body: 'play'.repeat(1000) }])

async function start(t: TestContext) {
  const app = await startUploadApp(t)
  const send = async (fields: Upload = {}, bytes = game, filename?: string) =>
    must(
      await app.call(
        'POST',
        FILES,
        upload(bytes, { build_id: app.build_id, ...fields }, app.ci, filename),
      ),
    )
  const storedUids = async () => {
    const objects = await Array.fromAsync(app.core.storage.list(`builds/${app.listing.uid}/`))
    return objects.map(({ key }) => key.split('/').at(-1)!.replace('.zip', '')).sort()
  }
  const recordedUids = async () => {
    const rows = await app.sql`select uid from files order by uid`
    return rows.map(({ uid }) => uid as string)
  }
  /** Waits until exactly these files are recorded and stored. */
  const keepsOnly = async (...uids: string[]) => {
    assert.deepEqual(await recordedUids(), uids.toSorted())
    const expected = uids.toSorted().join()
    await eventually(
      'the objects of repeated uploads to be removed',
      async () => (await storedUids()).join() === expected,
    )
  }
  return { ...app, send, keepsOnly }
}

test('a repeated upload is answered with the file that the build has', async (t) => {
  const app = await start(t)
  const first = await app.send()
  await fileIsClean(app.sql)
  const again = await app.send({}, game, 'renamed.zip')
  assert.deepEqual(again, { ...first, status: 'clean', message: again.message })
  assert.match(again.message, /already/)
  await app.keepsOnly(first.file_uid)
  assert.deepEqual(await storedFile(app.core.storage, app.listing.uid, first.file_uid), game)
  const events = await app.sql`select from channel_history where event = 'upload'`
  assert.equal(events.length, 1)
})

test('a repeated upload does not undo a rollback', async (t) => {
  const app = await start(t)
  const old = zip([{ name: 'bin/game', body: 'old' }])
  await app.send({}, old)
  await fileIsClean(app.sql)
  const build_id = await app.register({ version: '2.0' })
  const { file_uid } = await app.send({ build_id })
  const heads = async () =>
    (await app.sql`select build_uid from channel_heads`).map((head) => head.build_uid)
  await eventually('the new head', async () => (await heads())[0] === build_id)
  const base = `/api/v1/private/games/${app.listing.uid}/channels`
  must(await app.post(`${base}/stable/rollback`, undefined, app.listing.owner))
  assert.equal((await app.send({ build_id })).file_uid, file_uid)
  assert.deepEqual(await heads(), [app.build_id])
})

test('concurrent uploads of the same content end with one file', async (t) => {
  const app = await start(t)
  const answers = await Promise.all(Array.from({ length: CONCURRENT_UPLOADS }, () => app.send()))
  const uids = new Set(answers.map(({ file_uid }) => file_uid))
  assert.equal(uids.size, 1)
  await app.keepsOnly(answers[0].file_uid)
})

test('a session for content that the build has is answered with that file, repeatedly', async (t) => {
  const app = await start(t)
  const { open, chunk } = uploadSessions(app, game)
  const sessions = [await open(), await open()]
  const answers = await Promise.all(
    sessions.map(async (session) => must(await chunk(session, 0, game.length))),
  )
  const { file_uid } = answers[0]
  assert.equal(answers[1].file_uid, file_uid)
  for (const session of sessions)
    assert.equal(must(await chunk(session, 0, game.length)).file_uid, file_uid)
  assert.equal((await app.send()).file_uid, file_uid)
  await app.keepsOnly(file_uid)
})

test('content that the scanner rejected is stored again', async (t) => {
  const app = await start(t)
  const virus = zip([{ name: 'bin/game', body: EICAR }])
  const first = await app.send({}, virus)
  const rejected = (count: number) =>
    eventually(
      'the scan',
      async () => (await app.sql`select from files where scan = 'infected'`).length === count,
    )
  await rejected(1)
  const second = await app.send({}, virus)
  assert.notEqual(second.file_uid, first.file_uid)
  assert.equal(second.status, 'scanning')
  await rejected(2)
})

test('the same content is stored for another platform, channel, build and app', async (t) => {
  const app = await start(t)
  const server = { app: 'server', app_name: 'Server' }
  const files = [
    await app.send(),
    await app.send({ os: 'windows' }),
    await app.send({ arch: 'arm64' }),
    await app.send({ channel: 'beta' }),
    await app.send({ build_id: await app.register({ version: '2.0' }) }),
    await app.send({ build_id: await app.register(server), app: 'server' }),
  ]
  await app.keepsOnly(...files.map(({ file_uid }) => file_uid))
})
