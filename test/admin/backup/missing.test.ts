import assert from 'node:assert/strict'
import { cpSync, readFileSync, renameSync, rmSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { addRecorded } from '../../core/storage/owned-objects.ts'
import { admin } from '../../support/admin-run.ts'
import { temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { filledStore, freshSettings, recordedBackups } from './fixtures.ts'
import { whileUnreadable } from './unreadable-files.ts'

type Settings = Record<string, string | undefined>

/** Runs `backup` and returns what it printed. */
async function backUp(env: Settings, ...args: string[]) {
  const result = await admin(env, 'backup', '--without-keys', '--json', ...args)
  assert.ok(result.stdout, result.stderr)
  return { code: result.code, ...JSON.parse(result.stdout) }
}

/** A store that no job changes any more. */
async function quietStore(t: TestContext) {
  const store = await filledStore(t)
  await store.core.jobs.stop()
  return store
}

const sharedStore = sharedInFile(quietStore)

/** The settings of a store with a folder of its own, and the keys of its objects with a record. */
async function folderOf(t: TestContext, store: Awaited<ReturnType<typeof quietStore>>) {
  const { settings, core, file_uid } = store
  const BACKUP_TARGET = temporaryFolder(t)
  const DATA_DIR = temporaryFolder(t)
  cpSync(settings.DATA_DIR, DATA_DIR, { recursive: true })
  const env: Settings = { ...settings, DATA_DIR, BACKUP_TARGET }
  const keys = await storedKeys(core)
  const build = keys.find((key) => key.includes(file_uid))!
  const images = keys.filter((key) => key.startsWith('images/'))
  const pathOf = (key: string) => join(DATA_DIR, 'objects', key)
  return { ...store, env, BACKUP_TARGET, build, images, pathOf }
}

/** A test that changes records has a database of its own. */
const ownStore = async (t: TestContext) => folderOf(t, await quietStore(t))

/** A test that only loses or damages files has a copy of those of a store. */
const copiedStore = async (t: TestContext) => folderOf(t, await sharedStore(t))

/** A store with an object whose record has no hash. */
async function storeWithScreenshot(t: TestContext) {
  const store = await quietStore(t)
  const screenshot = await addRecorded(store.core, store.listing.uid)
  return { ...(await folderOf(t, store)), screenshot }
}

test('objects that the store has lost are reported, and stay in the backups', async (t) => {
  const { env, sql, build, images, pathOf, BACKUP_TARGET } = await copiedStore(t)
  const first = await backUp(env)
  assert.deepEqual([first.code, first.missing, first.missing_objects], [0, [], 0])
  const whole = readFileSync(pathOf(build))
  const lost = [build, images[0]!].sort()
  for (const key of lost) rmSync(pathOf(key))

  for (const _ of [1, 2]) {
    const backup = await backUp(env, '--keep', '1')
    assert.equal(backup.code, 3)
    assert.deepEqual([backup.missing, backup.from_earlier_backup], [lost, 2])
    assert.deepEqual([backup.removed_backups, backup.kept_backups], [1, []])
  }
  const text = await admin(env, 'backup', '--without-keys')
  assert.equal(text.code, 3)
  for (const key of lost) assert.ok(text.stdout.includes(`missing in the store: ${key}\n`))
  assert.match(text.stdout, /\n2 objects are missing in the store; 2 of them are in this backup/)
  // It does not count as a backup that has everything.
  assert.deepEqual(
    (await recordedBackups(sql, BACKUP_TARGET)).map((row) => row.damaged),
    [0, 2, 2, 2],
  )
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
  const fresh = await freshSettings(t)
  const restored = await admin({ ...env, ...fresh }, 'restore')
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual(readFileSync(join(fresh.DATA_DIR, 'objects', build)), whole)

  // What the sentence says helps.
  const scrub = await admin(env, 'storage', 'scrub', '--now')
  assert.equal(scrub.code, 0, scrub.stdout)
  const repaired = await backUp(env, '--keep', '1')
  assert.deepEqual([repaired.code, repaired.missing, repaired.copied], [0, [], 0])
})

test('an earlier backup with an object that the new one lacks is not removed', async (t) => {
  const { env, BACKUP_TARGET, build, pathOf } = await copiedStore(t)
  const first = await backUp(env)
  const second = await backUp(env)
  // Only the newest list saves work, and it cannot be read.
  truncateSync(join(BACKUP_TARGET, 'backups', second.backup, 'objects.zst'), 10)
  const bytes = readFileSync(pathOf(build))
  rmSync(pathOf(build))
  const third = await backUp(env, '--keep', '2')
  assert.equal(third.code, 3)
  assert.deepEqual([third.missing, third.from_earlier_backup], [[build], 0])
  assert.deepEqual([third.removed_backups, third.kept_backups], [0, [first.backup]])

  const fresh = await freshSettings(t)
  const restored = await admin({ ...env, ...fresh }, 'restore', first.backup)
  assert.equal(restored.code, 0, restored.stderr)
  assert.deepEqual(readFileSync(join(fresh.DATA_DIR, 'objects', build)), bytes)
})

test('an earlier backup stays that has an object which cannot be read now', async (t) => {
  // Without the earlier list it is not known what it was.
  const { env, screenshot, BACKUP_TARGET } = await storeWithScreenshot(t)
  const first = await backUp(env)
  const second = await backUp(env)
  truncateSync(join(BACKUP_TARGET, 'backups', second.backup, 'objects.zst'), 10)
  const third = await whileUnreadable(screenshot, () => backUp(env, '--keep', '2'))
  assert.deepEqual([third.code, third.damaged, third.missing], [3, [screenshot], []])
  assert.deepEqual([third.removed_backups, third.kept_backups], [0, [first.backup]])
})

test('an earlier backup stays if its list cannot be read and objects are missing', async (t) => {
  const { env, BACKUP_TARGET, build, pathOf } = await copiedStore(t)
  const first = await backUp(env)
  truncateSync(join(BACKUP_TARGET, 'backups', first.backup, 'objects.zst'), 10)
  rmSync(pathOf(build))
  const second = await backUp(env, '--keep', '1')
  assert.deepEqual([second.code, second.missing], [3, [build]])
  assert.deepEqual([second.removed_backups, second.unreadable_backups], [0, [first.backup]])
})

test('an object with another size than its record has counts as damaged', async (t) => {
  const { env, screenshot, pathOf } = await storeWithScreenshot(t)
  const first = await backUp(env)
  truncateSync(pathOf(screenshot), 3)
  const second = await backUp(env, '--keep', '1')
  assert.deepEqual([second.code, second.damaged, second.missing], [3, [screenshot], []])
  assert.deepEqual([second.removed_backups, second.kept_backups], [0, [first.backup]])
})

test('a backup of a store whose disk is not mounted says that everything is missing', async (t) => {
  const { env, build, images } = await copiedStore(t)
  const first = await backUp(env)
  const objects = join(env['DATA_DIR']!, 'objects')
  renameSync(objects, `${objects}.away`)
  const second = await backUp(env, '--keep', '1')
  assert.deepEqual([second.code, second.missing], [3, [build, ...images].sort()])
  assert.deepEqual(second.from_earlier_backup, second.missing_objects)
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
  rmSync(objects, { recursive: true })
  renameSync(`${objects}.away`, objects)
  const third = await backUp(env, '--keep', '1')
  assert.deepEqual([third.code, third.objects], [0, first.objects])
})

test('objects that were removed on purpose are not missing', async (t) => {
  const { env, sql, build, pathOf } = await ownStore(t)
  const first = await backUp(env)
  await sql`update files set bytes_removed_at = now()`
  rmSync(pathOf(build))
  const second = await backUp(env)
  assert.deepEqual([second.code, second.missing], [0, []])
  assert.equal(second.objects, first.objects - 1)
})
