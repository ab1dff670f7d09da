import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { uuidv7 } from '../../src/core/security/crypto.ts'
import { MultipartUploadNotFound } from '../../src/core/storage/storage.ts'
import { eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { startSwift } from '../support/programs/object-store.ts'
import { needs } from '../support/system-packages.ts'
import { deltaOf, packFolder, sendDelta, uploadWhole } from './deltas/fixtures.ts'
import { gameVersions, writeTree } from './deltas/trees.ts'
import { FILES, uploadSessions, withBuild } from './fixtures.ts'
import { upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

type App = Awaited<ReturnType<typeof startApp>>

const cases: [string, (t: TestContext, app: App) => Promise<void>][] = [
  ['the tails of chunks are not in the trash', leavesNoTails],
  ['rejected uploads are not in the trash', leavesNoRejected],
  ['the delta of a composed zip is not in the trash', leavesNoDelta],
  ['a request that lost its session leaves the object to the one that has it', leavesObject],
]

// The trash would keep for days what was only staged, and fill the bucket with it.
test('staged uploads are removed from an object store for good', async (t) => {
  if (!needs(t, 'swift-proxy-server')) return
  const makeBucket = await startSwift(t)
  const app = await startApp(t, { S3_URL: await makeBucket('staging') })
  for (const [title, check] of cases) await t.test(title, (t) => check(t, app))
})

const game = zip([{ name: 'bin/game', body: randomBytes(6 * MIB), method: 0 }])

async function start(service: App, bytes = game) {
  const app = await withBuild(service)
  const all = async (prefix: string) =>
    (await Array.fromAsync(app.core.storage.list(prefix))).map(({ key }) => key)
  const earlier = new Set(await all(''))
  /** The keys with a prefix that were not in the bucket before this case. */
  const keys = async (prefix: string) => (await all(prefix)).filter((key) => !earlier.has(key))
  return { ...app, ...uploadSessions(app, bytes), keys }
}

async function leavesNoTails(_t: TestContext, service: App) {
  const { open, chunk, keys } = await start(service)
  const session = await open()
  must(await chunk(session, 0, 1000))
  must(await chunk(session, 1000, 2000))
  assert.equal((await chunk(session, 2000, game.length)).status, 201)
  assert.deepEqual(await keys('uploads/'), [])
  assert.deepEqual(await keys('trash/'), [])
}

async function leavesNoRejected(_t: TestContext, service: App) {
  const broken = game.subarray(0, -1)
  const app = await start(service, broken)
  const { open, chunk, core, build_id, ci, keys } = app
  const remaining = async () => [...(await keys('builds/')), ...(await keys('trash/'))]
  const whole = upload(broken, { build_id, checksum: sha256(broken) }, ci)
  assert.equal((await app.call('POST', FILES, whole)).status, 400)
  const session = await open()
  must(await chunk(session, 0, 1000))
  assert.equal((await chunk(session, 1000, broken.length)).status, 400)
  assert.deepEqual(await remaining(), [])

  // The parts were joined, the answer was lost, and the object was damaged since.
  const { key, repeat } = await joinWithoutAnswer(app, broken)
  await core.storage.put(key, randomBytes(broken.length))
  assert.deepEqual(refused(await repeat()), [422, 4046])
  assert.deepEqual(await remaining(), [])
}

async function leavesNoDelta(t: TestContext, service: App) {
  const app = await start(service)
  const listing = { uid: app.listing.uid, ci: app.ci }
  const { before, after } = gameVersions()
  const folder = join(temporaryFolder(t), 'game')
  await uploadWhole(app, listing, await packFolder(writeTree(folder, before)))
  writeTree(folder, after)
  must(await sendDelta(app, listing, await deltaOf(app, listing, folder)))
  assert.equal((await app.keys('builds/')).length, 2)
  assert.deepEqual(await app.keys('trash/'), [])
}

async function leavesObject(t: TestContext, service: App) {
  const app = await start(service)
  const { core, sql } = app
  const { storage } = core
  t.after(() => Object.assign(core, { storage }))
  const { key, repeat } = await joinWithoutAnswer(app, game)
  const now = performance.now.bind(performance)
  // While the object is read, the lease runs out and another request takes the session.
  core.storage = {
    ...storage,
    async get(...args) {
      await sql`
        update upload_sessions set
          holder = ${uuidv7()},
          held_until = now() + interval '1 hour'
        where game_uid = ${app.listing.uid}`
      t.mock.method(performance, 'now', () => now() + 2000)
      return storage.get(...args)
    },
  }
  assert.deepEqual(refused(await repeat()), [409, 4047])
  assert.ok(await storage.stat(key), 'the object of the other request was removed')
  t.mock.restoreAll()
  core.storage = storage
  await sql`
    update upload_sessions set holder = null, held_until = null
    where game_uid = ${app.listing.uid}`
  assert.equal((await repeat()).status, 201)
}

/** Sends a session whose last chunk is complete in the store, without the client being told. */
async function joinWithoutAnswer(
  { core, sql, open, chunk }: Awaited<ReturnType<typeof start>>,
  bytes: Buffer,
) {
  const session = await open()
  must(await chunk(session, 0, 1000))
  const repeat = () => chunk(session, 1000, bytes.length)
  const { parts } = core.storage
  core.storage.parts = {
    ...parts!,
    complete: (...args) =>
      parts!.complete(...args).then(() => Promise.reject(new MultipartUploadNotFound())),
  }
  assert.deepEqual(refused(await repeat()), [409, 4044])
  core.storage.parts = parts!
  const [row] = await sql`
    select 'builds/' || game_uid || '/' || file_uid || '.zip' as key
    from upload_sessions
    where uid = ${session}`
  const key = row!.key as string
  await eventually('the object', async () => core.storage.stat(key))
  return { key, repeat }
}
