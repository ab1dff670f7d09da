import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { restoreBackup } from '../../../src/admin/backup/restore.ts'
import { whileOnlyRestore } from '../../../src/core/database/dump/load.ts'
import { openPool, type Sql } from '../../../src/core/database/sql.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { KEY_FILE } from '../../../src/core/security/secrets.ts'
import { OWNER_KEY } from '../../../src/core/storage/owner-marker.ts'
import { chooseBackup, openTarget } from '../../../src/operator/backup/target.ts'
import { startService } from '../../../src/service.ts'
import { admin } from '../../support/admin-run.ts'
import { client, temporaryFolder } from '../../support/app.ts'
import { must, storedKeys } from '../../support/builders.ts'
import { childService } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { sharedInFile } from '../../support/shared.ts'
import { describeDatabase } from './database-compare.ts'
import {
  changeManifest,
  filesBelow,
  filledStore,
  freshSettings,
  recordedBackups,
  secret,
} from './fixtures.ts'

/** Backups leave the store as it is, so most tests make theirs of the same one. */
const sharedStore = sharedInFile(filledStore)

test('a restored database equals the one that was backed up, table by table', async (t) => {
  const { settings, core, listing, file_uid, sql } = await filledStore(t)
  // A day that no new database has a partition for.
  await sql`select make_event_days('2020-02-29', '2020-02-29')`
  await sql`insert into event_keys (day, event_key) values ('2020-02-29', -1)`
  await core.jobs.stop()
  const target = temporaryFolder(t)
  const backup = await admin({ ...settings, ...secret }, 'backup', target, '--json')
  assert.equal(backup.code, 0, backup.stderr)
  const before = await describeDatabase(t, settings.DATABASE_URL, ['catalog_identity', 'backups'])

  const fresh = await freshSettings(t)
  const restore = await admin(fresh, 'restore', target)
  assert.equal(restore.code, 0, restore.stderr)
  assert.match(restore.stdout, /\nNext: start the service.*\n.* "npm run admin -- storage confirm"/)
  const after = await describeDatabase(t, fresh.DATABASE_URL, ['catalog_identity', 'backups'])
  assert.deepEqual(after, before)
  const restored = openPool(fresh.DATABASE_URL, 1, 'test')
  cleanup(t, () => restored.end())
  const identity = (from: Sql) => from`select id from catalog_identity`
  assert.notDeepEqual([...(await identity(restored))], [...(await identity(sql))])
  assert.ok(Object.values(before.tables).filter((content) => !/^0 /.test(content)).length > 20)

  const store = join(fresh.DATA_DIR, 'objects')
  const keys = filesBelow(store).map((path) => path.slice(store.length + 1))
  const stored = (await storedKeys(core)).filter((key) => key !== OWNER_KEY)
  assert.deepEqual(keys, stored.sort())
  assert.equal(
    readFileSync(join(fresh.DATA_DIR, 'secrets.key'), 'utf8'),
    readFileSync(join(settings.DATA_DIR, 'secrets.key'), 'utf8'),
  )
  const check = await admin(fresh, 'storage', 'check')
  assert.match(check.stdout, /\n0 missing, 0 orphans \(0 bytes\), 0 unknown$/)

  const http = client(await childService(t, fresh).start())
  const { name } = must(await http.get(`/api/v1/private/games/${listing.uid}`, listing.owner))
  assert.equal(name, 'Kept Safe')
  const { url } = must(await http.get(`/api/v1/private/downloads/${file_uid}`, listing.owner))
  assert.equal((await http.get(url)).status, 200)
})

test('a second backup copies only new objects, and --keep removes what no backup has', async (t) => {
  const { settings, listing, core, sql } = await sharedStore(t)
  const target = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET: target }
  const backUp = async (...args: string[]) => {
    const { stdout, code, stderr } = await admin(env, 'backup', '--without-keys', '--json', ...args)
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout)
  }
  const first = await backUp()
  assert.equal(first.copied, first.objects)
  assert.match(first.warnings[0], /^The target is on the same disk as DATA_DIR/)
  const second = await backUp()
  assert.deepEqual([second.copied, second.warnings], [0, []])
  const key = `bugs/${listing.uid}/${uuidv7()}`
  await core.storage.put(key, Buffer.from('a new object'))
  assert.equal((await backUp()).copied, 1)
  await core.storage.remove(key)
  const objects = () => filesBelow(join(target, 'objects')).length
  const count = objects()
  const kept = await backUp('--keep', '1')
  assert.deepEqual([kept.removed_backups, objects()], [3, count - 1])
  const list = JSON.parse((await admin(env, 'backup', 'list', '--json')).stdout)
  assert.deepEqual(
    list.backups.map(({ backup }: { backup: string }) => backup),
    [kept.backup],
  )
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
  assert.equal((await recordedBackups(sql, target)).length, 4, 'completed backups are not recorded')
})

test('--keep never removes the new backup, even if the clock was set back', async (t) => {
  const { settings } = await sharedStore(t)
  const target = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET: target }
  const backUp = async (...args: string[]) => {
    const { stdout, stderr } = await admin(env, 'backup', '--without-keys', '--json', ...args)
    assert.ok(stdout, stderr)
    return JSON.parse(stdout).backup as string
  }
  const first = await backUp()
  const future = `99${first.slice(2)}`
  const manifest = join(target, 'backups', first, 'manifest.json')
  changeManifest(manifest, (text) => text.replaceAll(first, future))
  renameSync(join(target, 'backups', first), join(target, 'backups', future))
  const second = await backUp('--keep', '1')
  const { backups } = JSON.parse((await admin(env, 'backup', 'list', '--json')).stdout)
  assert.deepEqual(
    backups.map(({ backup }: { backup: string }) => backup),
    [second],
  )
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
})

test('verify names a flipped bit, a missing object and a damaged table', async (t) => {
  const { settings } = await sharedStore(t)
  const target = temporaryFolder(t)
  const env = { ...settings, ...secret }
  assert.equal((await admin(env, 'backup', target)).code, 0)
  const whole = await admin(env, 'backup', 'verify', target)
  assert.match(whole.stdout, /everything is there and matches its checksum$/)
  assert.equal(whole.code, 0)
  const wrong = await admin({ ...env, BACKUP_PASSPHRASE: 'other' }, 'backup', 'verify', target)
  assert.match(wrong.stdout, /passphrase does not open the keys/)
  assert.equal(wrong.code, 3)

  const [largest, other] = filesBelow(join(target, 'objects')).sort(
    (a, b) => statSync(b).size - statSync(a).size,
  )
  const bytes = readFileSync(largest!)
  bytes[bytes.length >> 1]! ^= 1
  writeFileSync(largest!, bytes)
  rmSync(other!)
  const table = filesBelow(join(target, 'backups')).find((path) => path.endsWith('users.zst'))!
  appendFileSync(table, 'x')
  const { stdout, code } = await admin(settings, 'backup', 'verify', target, '--json')
  assert.equal(code, 3)
  const { problems } = JSON.parse(stdout)
  assert.match(problems[0], /users\.zst of the backup is damaged/)
  assert.equal(problems.filter((line: string) => /is damaged \(objects/.test(line)).length, 1)
  assert.ok(problems.some((line: string) => /is missing \(objects/.test(line)))
  const quick = await admin(settings, 'backup', 'verify', target, '--quick', '--json')
  assert.ok(!/is damaged \(objects/.test(quick.stdout), 'quick has read the objects')

  // A damaged backup is never restored as if it were whole.
  const fresh = await freshSettings(t)
  const restore = await admin(fresh, 'restore', target)
  assert.equal(restore.code, 1)
  assert.match(restore.stderr, /users\.zst of the backup is damaged/)
  writeFileSync(table, readFileSync(table).subarray(0, -1))
  const again = await admin(fresh, 'restore', target)
  assert.equal(again.code, 3, again.stderr)
  assert.match(again.stdout, /not in the backup, or damaged there/)
  // The next backup copies what the target has lost.
  assert.equal((await admin(settings, 'backup', target, '--without-keys')).code, 0)
  const repaired = await admin(settings, 'backup', 'verify', target, '--quick')
  assert.equal(repaired.code, 0)
})

test('a backup reports an object that is damaged in the store and keeps the whole one', async (t) => {
  const { settings, file_uid, core } = await sharedStore(t)
  const target = temporaryFolder(t)
  const key = (await storedKeys(core)).find((name) => name.includes(file_uid))!
  const path = join(settings.DATA_DIR, 'objects', key)
  const bytes = readFileSync(path)
  bytes[9]! ^= 1
  writeFileSync(path, bytes)
  const backup = ['backup', target, '--without-keys']
  const { stdout, code } = await admin(settings, ...backup)
  assert.equal(code, 3)
  assert.ok(stdout.includes(`damaged in the store: ${key}`), stdout)
  bytes[9]! ^= 1
  writeFileSync(path, bytes)
  assert.equal((await admin(settings, ...backup)).code, 0)
})

test('an interrupted backup is never used, and the next one removes it', async (t) => {
  const { settings } = await sharedStore(t)
  const target = temporaryFolder(t)
  const backup = ['backup', target, '--without-keys']
  assert.equal((await admin(settings, ...backup)).code, 0)
  const [manifest] = filesBelow(join(target, 'backups')).filter((path) => /manifest/.test(path))
  rmSync(manifest!)
  for (const command of [['backup', 'verify'], ['restore']]) {
    const { code, stderr } = await admin(settings, ...command, target)
    assert.equal(code, 1)
    assert.match(stderr, /There is no complete backup/)
  }
  const next = JSON.parse((await admin(settings, ...backup, '--json')).stdout)
  assert.equal(next.copied, 0, 'objects of the interrupted backup were copied again')
  assert.deepEqual(readdirSync(join(target, 'backups')).filter(isNotEmpty(target)), [next.backup])
})

const isNotEmpty = (target: string) => (id: string) =>
  filesBelow(join(target, 'backups', id)).length > 0

test('restore refuses a database or a store with data, and keys without a passphrase', async (t) => {
  const { settings } = await sharedStore(t)
  const target = temporaryFolder(t)
  assert.equal((await admin({ ...settings, ...secret }, 'backup', target)).code, 0)
  const fresh = await freshSettings(t)
  const refusal = async (env: Record<string, string | undefined>) => {
    const { code, stderr } = await admin(env, 'restore', target)
    assert.equal(code, 1)
    return stderr
  }
  assert.match(
    await refusal({ ...fresh, DATABASE_URL: settings.DATABASE_URL }),
    /The database is not empty: it has .* Restore into a new database/,
  )
  assert.match(
    await refusal({ ...fresh, DATA_DIR: settings.DATA_DIR }),
    /The object store is not empty: it has /,
  )
  assert.match(
    await refusal({ ...fresh, BACKUP_PASSPHRASE: '' }),
    /keys in the backup are encrypted/,
  )
  assert.match(await refusal({ ...fresh, BACKUP_PASSPHRASE: 'no' }), /passphrase does not open/)
  const other_keys = await freshSettings(t)
  mkdirSync(other_keys.DATA_DIR)
  writeFileSync(join(other_keys.DATA_DIR, KEY_FILE), 'x'.repeat(44))
  assert.match(await refusal(other_keys), /has other keys than the backup/)
  const copied = filesBelow(other_keys.DATA_DIR).filter((path) => path.includes('/objects/'))
  assert.deepEqual(copied, [], 'objects were copied before the refusal')
  const no_passphrase = await admin({ ...settings, BACKUP_PASSPHRASE: '' }, 'backup', target)
  assert.match(no_passphrase.stderr, /Set BACKUP_PASSPHRASE_FILE .* --without-keys/)
  const inside = await admin({ ...settings, ...secret }, 'backup', join(settings.DATA_DIR, 'b'))
  assert.match(inside.stderr, /inside of DATA_DIR/)
  await whileOnlyRestore(fresh.DATABASE_URL, async () =>
    assert.match(await refusal(fresh), /Another restore into this database is running/),
  )
  assert.equal((await admin(fresh, 'restore', target)).code, 0)
})

test('a restore that was cut short is continued, and no service starts before', async (t) => {
  const { settings } = await sharedStore(t)
  const target = temporaryFolder(t)
  assert.equal((await admin({ ...settings, ...secret }, 'backup', target)).code, 0)
  const fresh = await freshSettings(t)
  const config = readConfig(fresh)
  const opened = await openTarget(target, config)
  const manifest = await chooseBackup(opened)
  /** Stops when the progress says this. */
  const cutAt = (words: RegExp) => {
    const stop = new AbortController()
    const restore = restoreBackup({
      config,
      database_url: fresh.DATABASE_URL,
      target: opened,
      manifest,
      passphrase: secret.BACKUP_PASSPHRASE,
      database_only: false,
      progress: (text) => words.test(text) && stop.abort(new Error('cut short')),
      signal: stop.signal,
    })
    return assert.rejects(restore, /cut short|aborted/)
  }
  const refusal = /A restore of the backup \S+ into \S+ was interrupted.* Run the same/
  const progress_file = join(fresh.DATA_DIR, 'restore.json')
  for (const words of [/^1 of \d+ objects/, /^database: .* table 9 of/]) {
    await cutAt(words)
    await assert.rejects(startService(config), refusal)
    for (const command of [['storage', 'check'], ['backup'], ['restore', '--database-only']]) {
      const { code, stderr } = await admin({ ...fresh, BACKUP_TARGET: target }, ...command)
      assert.equal(code, 1, command.join(' '))
      assert.match(stderr, refusal, command.join(' '))
    }
  }
  // A power cut left these.
  writeFileSync(`${progress_file}.new`, '')
  assert.equal((await admin(fresh, 'restore', target)).code, 0)
  assert.ok(!existsSync(progress_file))
  assert.match((await admin(fresh, 'storage', 'check')).stdout, /\n0 missing, 0 orphans/)

  // As if it had been killed between the commit of the database and the end.
  const restored = openPool(fresh.DATABASE_URL, 1, 'test')
  cleanup(t, () => restored.end())
  const [{ id: catalog }] = (await restored`select id from catalog_identity`) as [{ id: string }]
  writeFileSync(progress_file, JSON.stringify({ id: manifest.id, catalog }))
  await assert.rejects(startService(config), refusal)
  const finished = await admin(fresh, 'restore', target)
  assert.equal(finished.code, 0, finished.stderr)
  assert.ok(!existsSync(progress_file))
})
