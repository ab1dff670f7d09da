import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/core/runtime/log.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { OWNER_KEY, readMarker, writeMarker } from '../../../src/core/storage/owner-marker.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { admin } from '../../support/admin-run.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must, storedKeys } from '../../support/builders.ts'
import { freshDatabase } from '../../support/database.ts'
import { addOrphan, addRecorded, runSweeps, startCopy } from './owned-objects.ts'

const ROLES = { SLIPWAY_ROLES: 'api,web' }
const CONFIRM = `${OPERATIONS}/storage/confirm`
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('a store has the marker of its database, which survives restarts and renewals', async (t) => {
  const { core, settings } = await startApp(t, ROLES)
  const first = await readMarker(core.storage)
  assert.equal(await core.owner.renew(), undefined)
  const second = await readMarker(core.storage)
  assert.equal(second!.catalog_uid, first!.catalog_uid)
  assert.notEqual(second!.token, first!.token)
  const again = await startApp(t, settings)
  assert.equal(await again.core.owner.renew(), undefined)
  const orphan = await addOrphan(again.core)
  await runSweeps(core)
  assert.equal(await core.storage.stat(orphan), null, 'an orphan was not removed')
})

test('a renewal that is interrupted does not lock the store out', async (t) => {
  const { core, sql } = await startApp(t, ROLES)
  const before = await readMarker(core.storage)
  // The token is in the database, and the marker was not written.
  await sql`insert into storage_owner_tokens (token) values (${uuidv7()})`
  assert.equal(await core.owner.renew(), undefined)
  // A marker of an earlier renewal arrives late.
  await writeMarker(core.storage, before!)
  assert.equal(await core.owner.renew(), undefined)
  const { count } = await sql`select from storage_owner_tokens`
  assert.ok(count >= 4)
})

test('with the marker of another store nothing is removed until an operator confirms', async (t) => {
  const app = await startConsole(t, ROLES)
  const { core, sql, get, post, operator, console, a } = app
  const orphan = await addOrphan(core)
  const listing = await a.listing()
  const recorded = await addRecorded(core, listing.uid)
  const logged = t.mock.method(core.log, 'error')
  const warned = t.mock.method(core.log, 'warn')
  await writeMarker(core.storage, { catalog_uid: uuidv7(), token: uuidv7() })
  assert.equal(await core.owner.renew(), 'other_catalog')
  await runSweeps(core)
  const lines = logged.mock.calls.map((call) => String(call.arguments[1]))
  assert.equal(lines.length, 1, 'not one line for all sweeps')
  assert.match(lines[0]!, /nothing is removed until an operator confirms/)
  const refused = () =>
    warned.mock.calls.filter((call) => /clean-up .+ was refused/.test(String(call.arguments[1])))
  const sweeps = refused().map((call) => (call.arguments[0] as { sweep: string }).sweep)
  assert.ok(sweeps.includes('screenshots'), `refused: ${sweeps}`)
  await runSweeps(core)
  assert.equal(refused().length, 2 * sweeps.length, 'a sweep was refused without a line')
  assert.equal(logged.mock.callCount(), 1, 'the refusal was repeated')
  const log = createLog({ log_level: 'silent' })
  const logged_at_start = t.mock.method(log, 'error')
  await startApp(t, app.settings, { log })
  const [refusal] = logged_at_start.mock.calls
  assert.match(String(refusal?.arguments[1]), /nothing is removed until an operator confirms/)
  await core.storage.remove(recorded)
  await core.storage.discard(recorded)
  assert.deepEqual(await storedKeys(core, 'bugs/'), [orphan, recorded].sort())

  await eventually('a new check, and the search index', async () => {
    const { status, body } = await get('/ready')
    return status === 200 && body.data.checks.storage_cleanup === 'degraded'
  })
  assert.equal(await core.figures.storage_cleanup_refused!(), 1)
  const text = textOf((await console.open('/operator')).body)
  assert.match(text, /No stored file is removed, because the object store is marked as that of an/)
  assert.doesNotMatch(text, /storage_cleanup/)
  const { storage_cleanup } = must(await get(`${OPERATIONS}/overview`, operator))
  assert.deepEqual(storage_cleanup, { refusal: 'other_catalog', sweeps: [] })

  assert.equal((await post(CONFIRM, undefined, await a.verified())).status, 403)
  assert.equal(await core.owner.renew(), 'other_catalog')
  const confirmed = must(await post(CONFIRM, undefined, operator))
  assert.deepEqual(confirmed, { refusal: 'other_catalog', sweeps: [] })
  const [entry] = await sql`
    select user_uid, detail
    from audit_entries
    where action = 'operator.confirm-storage'`
  assert.deepEqual([entry!.user_uid, entry!.detail], [operator.uid, { refusal: 'other_catalog' }])
  await runSweeps(core)
  assert.deepEqual(await storedKeys(core, 'bugs/'), [recorded])
  assert.deepEqual(must(await post(CONFIRM, undefined, operator)), { refusal: null, sweeps: [] })
})

test('the console confirms by a form', async (t) => {
  const { core, console } = await startConsole(t, ROLES)
  await writeMarker(core.storage, { catalog_uid: uuidv7(), token: uuidv7() })
  assert.equal(await core.owner.renew(), 'other_catalog')
  const page = await console.open('/operator')
  assert.match(page.body, /action="\/operator\/storage\/confirm"/)
  const answer = await console.submit('/operator/storage/confirm', {})
  assert.match(answer.body, /The next clean-up removes files again/)
  assert.equal(await core.owner.renew(), undefined)
})

test('a copy of the database that is older than the marker removes nothing', async (t) => {
  const live = await startApp(t, ROLES)
  const listing = await live.a.listing()
  const before = await addRecorded(live.core, listing.uid)
  const copy = await startCopy(t, live)
  // As if it had been copied with the files of its server.
  await copy.sql`update storage_owner set database_oid = null, system_identifier = null`
  await live.core.owner.renew()
  assert.equal(await copy.core.owner.renew(), 'older_database')
  const since = await addRecorded(live.core, listing.uid)
  await runSweeps(copy.core)
  await copy.core.storage.remove(before)
  assert.deepEqual(await storedKeys(live.core, 'bugs/'), [before, since].sort())
  assert.equal(await live.core.owner.renew(), undefined)

  const { code, stdout } = await admin(copy.settings, 'storage', 'confirm')
  assert.equal(code, 0)
  assert.match(stdout, /belongs to this database now \(another copy of this store had used it/)
  assert.equal(await copy.core.owner.renew(), undefined)
  assert.equal(await live.core.owner.renew(), 'older_database')
})

test('a restored or promoted database removes nothing until it is confirmed', async (t) => {
  const live = await startApp(t, ROLES)
  const { core, sql } = live
  const copy = await startCopy(t, live)
  assert.equal(await copy.core.owner.renew(), 'restored_database', 'a copy on the same server')
  assert.equal(await core.owner.renew(), undefined)
  for (const change of [
    sql`timeline = timeline + 1`,
    sql`system_identifier = '1'`,
    sql`database_oid = 1`,
  ]) {
    await sql`update storage_owner set ${change}`
    assert.equal(await core.owner.renew(), 'restored_database')
    await core.owner.confirm()
    assert.equal(await core.owner.renew(), undefined)
  }
  await sql`update storage_owner set timeline = null, system_identifier = null`
  assert.equal(await core.owner.renew(), undefined, 'values that are not known count')
})

test('an empty database does not adopt the objects of another without a marker', async (t) => {
  const live = await startApp(t, ROLES)
  const listing = await live.a.listing()
  const keys = [
    await addRecorded(live.core, listing.uid),
    await addRecorded(live.core, listing.uid),
  ]
  await live.core.storage.discard(OWNER_KEY)
  const empty = await startApp(t, { ...live.settings, DATABASE_URL: await freshDatabase(t) })
  assert.equal(await empty.core.owner.renew(), 'unknown_objects')
  await runSweeps(empty.core)
  assert.deepEqual(await storedKeys(live.core, 'bugs/'), keys.sort())

  assert.equal(await live.core.owner.renew(), undefined, 'the database with the records')
  assert.ok(await readMarker(live.core.storage))
})

test('a marker that cannot be read is not that of this store', async (t) => {
  const { core } = await startApp(t, ROLES)
  for (const text of ['', '{}', 'null', '{"catalog_uid":1}']) {
    await core.storage.put(OWNER_KEY, Buffer.from(text))
    assert.equal(await core.owner.renew(), 'other_catalog', text)
  }
})
