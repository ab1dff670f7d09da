import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import type { Environment } from '../../src/core/runtime/config.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import { startApp } from '../support/app.ts'
import { must, refused, storedKeys } from '../support/builders.ts'
import { padPng, picture } from '../support/images.ts'
import { sharedInFile } from '../support/shared.ts'
import { FILES, startUploadApp, uploadSessions, withBuild } from './fixtures.ts'
import { fieldsOf, form, upload } from './forms.ts'
import { sha256, zip } from './zips.ts'

const OVER_QUOTA = [413, 4285]
const zipOf = (size: number) => zip([{ name: 'game', body: randomBytes(size), method: 0 }])

/** A quota of one MiB for each listing, all of it for developers unless told otherwise. */
const settings = { LISTING_QUOTA_MIB: '1', PLAYER_FILES_PERCENT: '0' }
const sharedApp = sharedInFile((t) => startApp(t, settings))

const start = async (t: TestContext, env?: Environment) =>
  env ? startUploadApp(t, { ...settings, ...env }) : withBuild(await sharedApp(t))

test('an upload fits up to the last byte of the quota of its listing', async (t) => {
  const app = await start(t, { CONTACT: 'ops@example.com' })
  const { ci, build_id, listing } = app
  const sessions = uploadSessions(app, zipOf(10))
  const opened = await sessions.requestSession({ total_size: String(MIB) })
  assert.equal(opened.status, 201)
  const over = await sessions.requestSession({ total_size: '1' })
  assert.deepEqual(refused(over), OVER_QUOTA)
  assert.deepEqual(over.body.data, {
    level: 'listing',
    used_bytes: MIB,
    quota_bytes: MIB,
    upload_bytes: 1,
    contact: 'ops@example.com',
  })
  assert.match(over.body.error.message, /0 B are free.*ask for more: ops@example\.com/)
  const small = await app.call('POST', FILES, upload(zipOf(10), { build_id }, ci))
  assert.deepEqual(refused(small), OVER_QUOTA)
  assert.deepEqual(await storedKeys(app.core, `builds/${listing.uid}`), [])
  await app.sql`delete from upload_sessions`
  must(await sessions.requestSession({ total_size: String(MIB) }))
  await app.sql`delete from upload_sessions`
  assert.deepEqual(
    refused(await sessions.requestSession({ total_size: String(MIB + 1) })),
    OVER_QUOTA,
  )
})

test('sessions that are opened at once cannot pass a quota together', async (t) => {
  const app = await start(t, { LISTING_QUOTA_MIB: '0', ACCOUNT_QUOTA_MIB: '4' })
  const other = await app.a.listing({ owner: app.listing.owner })
  const key = await app.a.deployer(other)
  const build_id = must(await app.post('/api/v1/tool/upload/build', { version: '1' }, key)).build_id
  const listings = [app, { ...app, ci: key, build_id }]
  const opening = listings.flatMap((project) =>
    Array.from({ length: 4 }, () =>
      uploadSessions(project, zipOf(10)).requestSession({ total_size: String(MIB) }),
    ),
  )
  const answers = await Promise.all(opening)
  assert.equal(answers.filter(({ status }) => status === 201).length, 4)
  for (const answer of answers.filter(({ status }) => status !== 201)) {
    assert.deepEqual(refused(answer), OVER_QUOTA)
    assert.equal(answer.body.data.level, 'account')
  }
})

test('a finished upload counts once, shared content counts nothing, and a rest is kept', async (t) => {
  const app = await start(t)
  const { ci, build_id, listing } = app
  const bytes = zipOf(600_000)
  const sessions = uploadSessions(app, bytes)
  const session = await sessions.open()
  const done = must(await sessions.chunk(session, 0, bytes.length))
  assert.equal(done.size, bytes.length)
  // The same content for another system shares the object.
  must(await app.call('POST', FILES, upload(bytes, { build_id, os: 'windows' }, ci)))
  const [use] = await app.sql`
    select sum(bytes)::int as bytes from storage_use where game_uid = ${listing.uid}`
  assert.equal(use!.bytes, bytes.length)
  // Too much at the same time: what is stored never exceeds the quota.
  const answers = await Promise.all(
    [1, 2].map((version) =>
      app.call('POST', FILES, upload(zipOf(300_000 + version), { build_id }, ci)),
    ),
  )
  assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 413])
})

test('the size of a request is refused before its bytes are received', async (t) => {
  const app = await start(t)
  const { ci, build_id } = app
  const large = await app.call('POST', FILES, upload(zipOf(2 * MIB + 1), { build_id }, ci))
  assert.deepEqual(refused(large), OVER_QUOTA)
  assert.equal(large.body.data.used_bytes, 0)
})

test('symbols and images count, and those they replace no longer do', async (t) => {
  const app = await start(t)
  const { ci, build_id, listing } = app
  const symbols = (size: number) => {
    const head = 'MODULE Linux x86_64 000102030405060708090A0B0C0D0E0F0 game\n'
    const bytes = Buffer.concat([Buffer.from(head), Buffer.alloc(size, 'x')])
    const file = { name: 'file', filename: 'game.sym', bytes }
    const parts = [...fieldsOf({ build_id, checksum: sha256(bytes) }), file]
    return app.call('POST', '/api/v1/tool/upload/symbols', form(parts, ci))
  }
  must(await symbols(MIB - 5000))
  must(await symbols(MIB - 1000))
  const image = async () =>
    form(
      [
        { name: 'kind', value: 'cover' },
        { name: 'file', filename: 'a.png', bytes: padPng(await picture(1024, 576), 2000) },
      ],
      { headers: { authorization: `Bearer ${listing.owner.token}` } },
    )
  const path = `/api/v1/private/games/${listing.uid}/media`
  assert.deepEqual(refused(await app.call('POST', path, await image())), OVER_QUOTA)
  assert.deepEqual(refused(await symbols(MIB)), OVER_QUOTA)
  must(await symbols(10))
  must(await app.call('POST', path, await image()))
})

test('the quota of the store counts all listings, and an exception comes before a default', async (t) => {
  const app = await start(t, { SERVICE_QUOTA_MIB: '2' })
  const sessions = uploadSessions(app, zipOf(10))
  await app.sql`
    insert into storage_quotas (uid, game_uid, bytes)
    values (gen_random_uuid(), ${app.listing.uid}, null)`
  must(await sessions.requestSession({ total_size: String(2 * MIB) }))
  const over = await sessions.requestSession({ total_size: '1' })
  assert.deepEqual([...refused(over), over.body.data.level], [...OVER_QUOTA, 'service'])
})
