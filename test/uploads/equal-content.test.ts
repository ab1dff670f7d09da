import assert from 'node:assert/strict'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkStorage } from '../../src/admin/storage-check.ts'
import { sweepObjects } from '../../src/builds/builds/jobs.ts'
import { DAY_MS } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { removeBytes } from '../../src/scan/jobs.ts'
import { eventually, runJob, startApp } from '../support/app.ts'
import { lockWaits, must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, fileIsClean, REGISTER, storedFile, uploadSessions, withBuild } from './fixtures.ts'
import { type Upload, upload } from './forms.ts'
import { EICAR, zip } from './zips.ts'

const CONCURRENT_UPLOADS = 8
const game = zip([{ name: 'bin/game', body: 'play'.repeat(1000) }])
const other = zip([{ name: 'bin/game', body: 'another' }])

const sharedApp = sharedInFile(startApp)

async function start(t: TestContext, startService: typeof startApp = sharedApp) {
  const app = await withBuild(await startService(t))
  const game_uid = app.listing.uid
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
    const rows = await app.sql`select uid from files where game_uid = ${game_uid} order by uid`
    return rows.map(({ uid }) => uid as string)
  }
  /** Waits until exactly these files have a stored object. */
  const stores = (...uids: string[]) =>
    eventually(
      'the objects of repeated uploads to be removed',
      async () => (await storedUids()).join() === uids.toSorted().join(),
    )
  /** Waits until exactly these files are recorded and stored. */
  const keepsOnly = async (...uids: string[]) => {
    assert.deepEqual(await recordedUids(), uids.toSorted())
    await stores(...uids)
  }
  const scanned = (state: string, count: number) =>
    eventually(`${count} files to be ${state}`, async () => {
      const files = await app.sql`
        select from files where game_uid = ${game_uid} and scan = ${state}`
      return files.length === count
    })
  const download = async (file_uid: string) => {
    const path = `/api/v1/private/downloads/${file_uid}`
    const { url, checksum } = must(await app.get(path, app.listing.owner))
    const answer = await fetch(url)
    return { status: answer.status, bytes: Buffer.from(await answer.arrayBuffer()), checksum }
  }
  return { ...app, send, keepsOnly, stores, scanned, download, recordedUids }
}

test('a repeated upload is answered with the file that the build has', async (t) => {
  const app = await start(t)
  const first = await app.send()
  await fileIsClean(app)
  const again = await app.send({}, game, 'renamed.zip')
  assert.deepEqual(again, { ...first, status: 'clean', message: again.message })
  assert.match(again.message, /already/)
  await app.keepsOnly(first.file_uid)
  assert.deepEqual(await storedFile(app.core.storage, app.listing.uid, first.file_uid), game)
  const events = await app.sql`
    select from channel_history
    where game_uid = ${app.listing.uid} and event = 'upload'`
  assert.equal(events.length, 1)
})

test('a repeated upload does not undo a rollback', async (t) => {
  const app = await start(t)
  await app.send({}, zip([{ name: 'bin/game', body: 'old' }]))
  await fileIsClean(app)
  const build_id = await app.register({ version: '2.0' })
  const { file_uid } = await app.send({ build_id })
  const heads = async () =>
    (await app.sql`select build_uid from channel_heads where game_uid = ${app.listing.uid}`).map(
      (head) => head.build_uid,
    )
  await eventually('the new head', async () => (await heads())[0] === build_id)
  const base = `/api/v1/private/games/${app.listing.uid}/channels`
  must(await app.post(`${base}/stable/rollback`, undefined, app.listing.owner))
  assert.equal((await app.send({ build_id })).file_uid, file_uid)
  assert.deepEqual(await heads(), [app.build_id])
})

test('content that is uploaded again after other content does not undo a rollback', async (t) => {
  const app = await start(t)
  await app.send({}, zip([{ name: 'bin/game', body: 'old' }]))
  await app.scanned('clean', 1)
  const build_id = await app.register({ version: '2.0' })
  const { file_uid } = await app.send({ build_id })
  await app.send({ build_id }, other)
  await app.scanned('clean', 3)
  const base = `/api/v1/private/games/${app.listing.uid}/channels`
  must(await app.post(`${base}/stable/rollback`, undefined, app.listing.owner))
  const heads = () => app.sql`
    select build_uid, previous from channel_heads where game_uid = ${app.listing.uid}`
  const before = await heads()
  assert.equal(before[0]!.build_uid, app.build_id)
  assert.equal((await app.send({ build_id })).file_uid, file_uid)
  assert.deepEqual(await heads(), before)
})

test('content that is uploaded again after other content is offered again', async (t) => {
  const app = await start(t)
  const { uid, vanity_name, owner } = app.listing
  const build = `/api/v1/private/games/${uid}/builds/${app.build_id}`
  const files = `/api/v1/public/user/${owner.username}/games/${vanity_name}/files`
  const offered = async () =>
    Promise.all(
      [build, files].map(async (path) => {
        const [newest] = must(await app.get(path, owner)).files
        return (newest.file_uid ?? newest.uid) as string
      }),
    )
  const first = await app.send()
  await app.scanned('clean', 1)
  const second = await app.send({}, other)
  await app.scanned('clean', 2)
  assert.deepEqual(await offered(), [second.file_uid, second.file_uid])
  const changesOf = async () =>
    (await app.sql`select max(seq) as last from listing_changes where game_uid = ${uid}`)[0]!.last
  const before = await changesOf()
  const third = await app.send()
  assert.deepEqual(third, { ...first, status: 'clean', message: third.message })
  assert.match(third.message, /already/)
  assert.deepEqual(await offered(), [first.file_uid, first.file_uid])
  const [offer] = await app.sql`select file_uid from package_versions where game_uid = ${uid}`
  assert.equal(offer!.file_uid, first.file_uid)
  const after = await changesOf()
  assert.notEqual(after, before)
  await app.keepsOnly(first.file_uid, second.file_uid)
  // It is the newest now, so that another repetition changes nothing.
  const uploadedAt = async () =>
    (await app.sql`select uploaded_at::text from files where game_uid = ${uid} order by uid`).map(
      (row) => row.uploaded_at,
    )
  const times = await uploadedAt()
  await app.send()
  assert.deepEqual([await uploadedAt(), await changesOf()], [times, after])
  const events = await app.sql`
    select from channel_history
    where game_uid = ${app.listing.uid} and event = 'upload'`
  assert.equal(events.length, 1)
})

test('a session whose last chunk is sent again does not replace newer content', async (t) => {
  const app = await start(t)
  const { open, chunk } = uploadSessions(app, game)
  const session = await open()
  const first = must(await chunk(session, 0, game.length))
  const second = await app.send({}, other)
  assert.equal(must(await chunk(session, 0, game.length)).file_uid, first.file_uid)
  const newest = async () =>
    (
      await app.sql`
        select uid from files
        where game_uid = ${app.listing.uid}
        order by uploaded_at desc
        limit 1`
    )[0]!.uid
  assert.equal(await newest(), second.file_uid)
  assert.equal(must(await chunk(await open(), 0, game.length)).file_uid, first.file_uid)
  assert.equal(await newest(), first.file_uid)
})

test('content that is uploaded again moves no time for what players are not offered', async (t) => {
  const app = await start(t)
  const first = await app.send()
  await app.scanned('clean', 1)
  const uploadedAt = async () =>
    (await app.sql`select uploaded_at::text from files where uid = ${first.file_uid}`)[0]!
      .uploaded_at
  const time = await uploadedAt()
  await app.send({}, zip([{ name: 'bin/game', body: EICAR }]))
  await app.scanned('infected', 1)
  await app.send({ os: 'windows' }, other)
  await app.send({ channel: 'beta' })
  await app.send()
  assert.equal(await uploadedAt(), time)
  await app.send({ channel: 'beta' }, other)
  await app.send()
  assert.notEqual(await uploadedAt(), time)
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
  await app.scanned('infected', 1)
  const second = await app.send({}, virus)
  assert.notEqual(second.file_uid, first.file_uid)
  assert.equal(second.status, 'scanning')
  await app.scanned('infected', 2)
})

test('files of a build for several platforms and channels share one stored object', async (t) => {
  const app = await start(t)
  const server = { app: 'server', app_name: 'Server' }
  const files = [
    await app.send(),
    await app.send({ build_id: await app.register({ version: '2.0' }) }),
    await app.send({ build_id: await app.register(server), app: 'server' }),
    await app.send({ os: 'windows' }),
    await app.send({ arch: 'arm64' }),
    await app.send({ channel: 'beta' }),
  ]
  const uids = files.map(({ file_uid }) => file_uid as string)
  assert.deepEqual(await app.recordedUids(), uids.toSorted())
  await app.stores(...uids.slice(0, 3))
  await app.scanned('clean', 6)
  for (const uid of uids) {
    const { status, bytes, checksum } = await app.download(uid)
    assert.deepEqual([status, checksum], [200, files[0].checksum])
    assert.deepEqual(bytes, game)
  }
  const entries = await app.sql`
    select distinct file_uid from file_entries where file_uid in ${app.sql(uids)}`
  assert.equal(entries.length, 6)
})

test('concurrent uploads of the same content for several platforms store it once', async (t) => {
  const app = await start(t)
  const systems = ['linux', 'windows', 'macos', 'web']
  const answers = await Promise.all([...systems, ...systems].map((os) => app.send({ os })))
  const recorded = await app.recordedUids()
  assert.deepEqual([...new Set(answers.map(({ file_uid }) => file_uid))].sort(), recorded)
  assert.equal(recorded.length, systems.length)
  await app.scanned('clean', systems.length)
  await eventually(
    'one object',
    async () =>
      (await Array.fromAsync(app.core.storage.list(`builds/${app.listing.uid}/`))).length === 1,
  )
})

test('content sent without a platform before and after the build took one is stored once', async (t) => {
  const app = await start(t)
  const { build_id } = must(await app.post(REGISTER, { version: '3.0' }, app.ci))
  const before = await app.send({ build_id })
  const named = await app.send({ build_id, os: 'windows' }, zip([{ name: 'a', body: 'other' }]))
  const after = await app.send({ build_id })
  assert.deepEqual([before.os, after.os], ['', 'windows'])
  await app.stores(before.file_uid, named.file_uid)
  assert.equal((await app.send({ build_id })).file_uid, after.file_uid)
})

test('a shared object stays until no accepted file of the build has it', async (t) => {
  const app = await start(t)
  const linux = await app.send()
  const windows = await app.send({ os: 'windows' })
  await app.scanned('clean', 2)
  await app.stores(linux.file_uid)
  const reject = async (file_uid: string) => {
    await app.sql`update files set scan = 'infected' where uid = ${file_uid}`
    await runJob(app, removeBytes, { file_uid, game_uid: app.listing.uid })
  }
  await reject(linux.file_uid)
  assert.deepEqual((await app.download(windows.file_uid)).bytes, game)
  // Its record is deleted later, and the sweep finds an old object without a file of its uid.
  const old = uuidv7(Date.now() - 2 * DAY_MS)
  const keyOf = (uid: string) => `builds/${app.listing.uid}/${uid}.zip`
  await app.core.storage.put(keyOf(old), game)
  await app.sql`delete from files where uid = ${linux.file_uid}`
  await app.sql`update files set object_uid = ${old} where uid = ${windows.file_uid}`
  await runJob(app, sweepObjects)
  assert.deepEqual((await app.download(windows.file_uid)).bytes, game)
  await reject(windows.file_uid)
  assert.equal(await app.core.storage.stat(keyOf(old)), null)
  const [row] = await app.sql`
    select bytes_removed_at from files where game_uid = ${app.listing.uid}`
  assert.ok(row!.bytes_removed_at)
})

test('content whose only file is being rejected is stored again', async (t) => {
  const app = await start(t)
  const first = await app.send()
  await app.scanned('clean', 1)
  const { sending } = await app.sql.begin(async (tx) => {
    await tx`update files set scan = 'infected' where uid = ${first.file_uid}`
    const sending = app.send({ os: 'windows' })
    await eventually('the upload to wait', async () => (await lockWaits(tx)) > 0)
    return { sending }
  })
  const second = await sending
  await runJob(app, removeBytes, { file_uid: first.file_uid, game_uid: app.listing.uid })
  await app.scanned('clean', 1)
  await app.stores(second.file_uid)
  assert.deepEqual((await app.download(second.file_uid)).bytes, game)
})

test('deleting a build removes the object that its files share', async (t) => {
  const app = await start(t)
  const other = await app.register({ version: '2.0' })
  await app.send()
  await app.send({ os: 'windows' })
  const kept = await app.send({ build_id: other })
  await app.scanned('clean', 3)
  const build = `/api/v1/private/games/${app.listing.uid}/builds/${app.build_id}`
  must(await app.del(build, app.listing.owner))
  await app.stores(kept.file_uid)
})

const truncate = (path: string) => writeFile(path, game.subarray(0, 100))
const damages = { truncated: truncate, missing: (path: string) => rm(path) }

for (const [damage, apply] of Object.entries(damages)) {
  /** Uploads a file that passes its scan, and then damages its stored object. */
  const startDamaged = async (t: TestContext) => {
    const app = await start(t)
    const first = await app.send()
    await app.scanned('clean', 1)
    const folder = join(app.core.config.data_dir, 'objects', 'builds', app.listing.uid)
    await apply(join(folder, `${first.file_uid}.zip`))
    return { ...app, first }
  }

  test(`a ${damage} object is replaced when another platform gets its content`, async (t) => {
    const app = await startDamaged(t)
    const second = await app.send({ os: 'windows' })
    await app.scanned('clean', 2)
    await app.stores(second.file_uid)
    for (const { file_uid } of [app.first, second])
      assert.deepEqual((await app.download(file_uid)).bytes, game)
    const third = await app.send({ os: 'macos' })
    await app.scanned('clean', 3)
    await app.stores(second.file_uid)
    assert.deepEqual((await app.download(third.file_uid)).bytes, game)
  })

  test(`a ${damage} object is replaced when its content is uploaded again`, async (t) => {
    const app = await startDamaged(t)
    const answers = await Promise.all([app.send(), app.send()])
    for (const answer of answers)
      assert.deepEqual([answer.file_uid, answer.status], [app.first.file_uid, 'clean'])
    assert.ok(answers.some(({ message }) => /missing or damaged and were replaced/.test(message)))
    assert.deepEqual(await app.recordedUids(), [app.first.file_uid])
    assert.deepEqual((await app.download(app.first.file_uid)).bytes, game)
    const objects = () => Array.fromAsync(app.core.storage.list(`builds/${app.listing.uid}/`))
    await eventually('one object', async () => (await objects()).length === 1)
    await runJob(app, sweepObjects)
    assert.deepEqual((await app.download(app.first.file_uid)).bytes, game)
    const build = `/api/v1/private/games/${app.listing.uid}/builds/${app.build_id}`
    must(await app.del(build, app.listing.owner))
    await app.stores()
  })
}

test('an object whose scan failed is replaced by the next upload of its content', async (t) => {
  const app = await start(t)
  const first = await app.send()
  const second = await app.send({ os: 'windows' })
  await app.scanned('clean', 2)
  const folder = join(app.core.config.data_dir, 'objects', 'builds', app.listing.uid)
  const damaged = Buffer.from(game)
  damaged[damaged.length >> 1]! ^= 1
  await writeFile(join(folder, `${first.file_uid}.zip`), damaged)
  await app.sql`update files set scan = 'error' where uid = ${second.file_uid}`
  const again = await app.send({ os: 'windows' })
  await app.scanned('clean', 2)
  for (const { file_uid } of [first, again])
    assert.deepEqual((await app.download(file_uid)).bytes, game)
})

test('a session for content of another platform shares the stored object', async (t) => {
  const app = await start(t)
  const first = await app.send()
  const { open, chunk } = uploadSessions(app, game)
  const session = await open({ os: 'windows' })
  const { file_uid } = must(await chunk(session, 0, game.length))
  assert.notEqual(file_uid, first.file_uid)
  assert.equal(must(await chunk(session, 0, game.length)).file_uid, file_uid)
  await app.stores(first.file_uid)
  await app.scanned('clean', 2)
  assert.deepEqual((await app.download(file_uid)).bytes, game)
})

test('storage check expects a shared object under the file that stored it', async (t) => {
  const app = await start(t, startApp)
  const first = await app.send()
  await app.send({ os: 'windows' })
  await app.scanned('clean', 2)
  await app.stores(first.file_uid)
  const check = () =>
    checkStorage({ core: app.core, progress() {}, signal: new AbortController().signal })
  const { missing, orphans, counted } = await check()
  assert.deepEqual([missing, orphans, counted.objects], [[], [], 1])
  await app.core.storage.remove(`builds/${app.listing.uid}/${first.file_uid}.zip`)
  assert.equal((await check()).missing.length, 2)
})
