import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { sweepScreenshots } from '../../../src/bugs/reports/jobs.ts'
import { DAY_MS } from '../../../src/core/runtime/units.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { emptyTrashJob } from '../../../src/core/storage/jobs.ts'
import { writeMarker } from '../../../src/core/storage/owner-marker.ts'
import { dayOf, trashKey } from '../../../src/core/storage/trash-key.ts'
import { admin } from '../../support/admin-run.ts'
import { runJob, startApp } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { listed, read, start } from './fixtures.ts'
import { addRecorded } from './owned-objects.ts'

const ROLES = { SLIPWAY_ROLES: 'api' }

test('moves an object to another key, over what is there, and nothing if it is missing', async (t) => {
  const { storage } = await start(t)
  await storage.put('a/one', Buffer.from('first'))
  await storage.put('b/two', Buffer.from('second'))
  assert.equal(await storage.move('a/one', 'b/two'), true)
  assert.equal((await read(storage, 'b/two'))!.bytes.toString(), 'first')
  assert.equal(await storage.move('a/one', 'b/two'), false)
  assert.equal(await storage.move('b', 'c/three'), false)
  assert.deepEqual(await listed(storage, ''), ['b/two'])
})

test('removed objects are in the trash and come back, but never over others', async (t) => {
  const { core, settings, a } = await startApp(t, ROLES)
  const listing = await a.listing()
  const keys: string[] = []
  for (let nth = 0; nth < 4; nth++) keys.push(await addRecorded(core, listing.uid))
  for (const key of keys) await core.storage.remove(key)
  assert.deepEqual(await storedKeys(core, 'bugs/'), [])
  const { stdout } = await admin(settings, 'storage', 'trash', '--json')
  const day = dayOf(new Date())
  assert.deepEqual(
    JSON.parse(stdout),
    [...keys].sort().map((key) => ({ key, day, size: 4 })),
  )
  await core.storage.put(keys[0]!, Buffer.from('newer'))
  const partial = await admin(settings, 'storage', 'undelete', keys[0]!, keys[1]!, 'bugs/nothing')
  assert.equal(partial.code, 3)
  assert.match(partial.stdout, /1 brought back, 1 exists already, 1 not in the trash$/)
  assert.equal((await read(core.storage, keys[0]!))!.bytes.toString(), 'newer')
  assert.equal((await read(core.storage, keys[1]!))!.bytes.toString(), 'four')

  // One that exists and is not in the trash.
  const exists = await admin(settings, 'storage', 'undelete', keys[1]!)
  assert.equal(exists.code, 0)
  assert.match(exists.stdout, new RegExp(`^exists already: ${keys[1]}\n`))

  const later = dayOf(new Date(Date.now() + DAY_MS))
  for (const args of [
    ['--since', later],
    ['--prefix', 'builds/'],
  ])
    assert.match(
      (await admin(settings, 'storage', 'undelete', ...args)).stdout,
      /^0 brought back, 0 exist already, 0 not/,
    )
  assert.equal((await admin(settings, 'storage', 'undelete')).code, 2)
  assert.match((await admin(settings, 'storage', 'undelete', '--since', 'today')).stderr, /a day/)
  // The records still name the objects, as after a restore.
  const missing = await admin(settings, 'storage', 'undelete', '--missing', '--json')
  assert.deepEqual(JSON.parse(missing.stdout).restored.sort(), keys.slice(2).sort())
  assert.deepEqual(await storedKeys(core, 'bugs/'), [...keys].sort())
})

test('the trash is emptied after its days, and not while removing is refused', async (t) => {
  const app = await startApp(t, { ...ROLES, TRASH_DAYS: '7' })
  const { core, data_dir } = app
  const put = async (days: number) => {
    const key = trashKey(`bugs/x/${days}`, new Date(Date.now() - days * DAY_MS))
    await core.storage.put(key, Buffer.from('x'))
    return key
  }
  const [old, kept] = [await put(8), await put(7)]
  const list = () => listed(core.storage, 'trash/')
  await writeMarker(core.storage, { catalog_uid: uuidv7(), token: uuidv7() })
  await runJob(app, emptyTrashJob)
  assert.equal((await list()).length, 2, 'the trash of another store was emptied')
  await core.owner.confirm()
  await app.sql`
    insert into storage_sweeps (name, objects, orphans, refused_at) values ('x', 1, 1, now())`
  await runJob(app, emptyTrashJob)
  assert.equal((await list()).length, 2, 'the trash was emptied while a sweep is refused')
  await app.sql`delete from storage_sweeps`
  await runJob(app, emptyTrashJob)
  assert.deepEqual(await list(), [kept])
  assert.equal(existsSync(join(data_dir, 'objects/trash', old.split('/')[1]!)), false)
})

test('a worker with a wrong clock removes no new objects, and none for good', async (t) => {
  const app = await startApp(t, { ...ROLES, TRASH_DAYS: '7' })
  const { core } = app
  const [fresh, removed] = [`bugs/${uuidv7()}/${uuidv7()}`, `bugs/${uuidv7()}/${uuidv7()}`]
  for (const key of [fresh, removed]) await core.storage.put(key, Buffer.from('x'))
  const now = Date.now()
  t.mock.timers.enable({ apis: ['Date'], now: now + 40 * DAY_MS })
  await runJob(app, sweepScreenshots)
  assert.deepEqual(await storedKeys(core, 'bugs/'), [fresh, removed].sort())
  t.mock.timers.setTime(now - 40 * DAY_MS)
  await core.storage.remove(removed)
  t.mock.timers.reset()
  await runJob(app, emptyTrashJob)
  assert.equal((await listed(core.storage, 'trash/')).length, 1, 'it was removed for good')
})

test('without days nothing is kept, and discarded objects never are', async (t) => {
  for (const [TRASH_DAYS, expected] of [
    ['0', 0],
    ['1', 1],
  ] as const) {
    const { core } = await startApp(t, { ...ROLES, TRASH_DAYS })
    await core.storage.put('bugs/a/b', Buffer.from('x'))
    await core.storage.put('bugs/a/c', Buffer.from('x'))
    await core.storage.remove('bugs/a/b')
    await core.storage.discard('bugs/a/c')
    assert.equal((await listed(core.storage, 'trash/')).length, expected)
    assert.deepEqual(await storedKeys(core, 'bugs/'), [])
  }
})

test('storage trash --empty --yes removes everything in it for good', async (t) => {
  const { core, settings } = await startApp(t, ROLES)
  await core.storage.put('bugs/a/b', Buffer.from('bytes'))
  await core.storage.remove('bugs/a/b')
  assert.match((await admin(settings, 'storage', 'trash', '--empty')).stderr, /add --yes/)
  assert.equal((await listed(core.storage, 'trash/')).length, 1)
  const other = await admin(settings, 'storage', 'trash', 'bugs/a/c', '--empty', '--yes')
  assert.equal(other.stdout, '0 objects removed for good, 0 bytes')
  const { stdout } = await admin(settings, 'storage', 'trash', '--empty', '--yes')
  assert.equal(stdout, '1 object removed for good, 5 bytes')
  assert.equal((await listed(core.storage, 'trash/')).length, 0)
})

test('objects are removed to the trash also after it was emptied on the same day', async (t) => {
  const { core, settings } = await startApp(t, ROLES)
  const key = 'bugs/a/b'
  for (const round of [1, 2]) {
    await core.storage.put(key, Buffer.from('bytes'))
    await core.storage.remove(key)
    assert.equal(await core.storage.stat(key), null, `round ${round}`)
    assert.equal((await listed(core.storage, 'trash/')).length, 1)
    const emptied = await admin(settings, 'storage', 'trash', '--empty', '--yes')
    assert.equal(emptied.code, 0, emptied.stderr)
  }
})
