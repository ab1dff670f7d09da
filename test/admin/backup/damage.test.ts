import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { makeBackup } from '../../../src/admin/backup/make.ts'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { openTarget } from '../../../src/operator/backup/target.ts'
import { admin, adminFile } from '../../support/admin-run.ts'
import { temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { cleanup } from '../../support/cleanup.ts'
import { sharedInFile } from '../../support/shared.ts'
import { changeManifest, filesBelow, filledStore, freshSettings, secret } from './fixtures.ts'
import { whileUnreadable } from './unreadable-files.ts'

const linesOf = (text: string, pattern: RegExp) =>
  text.split('\n').filter((line) => pattern.test(line))

/** Backups leave the store as it is, so these tests make theirs of the same one. */
const sharedStore = sharedInFile(filledStore)

test('a bad sector costs one object: backups, checks, restores and scrubs go on', async (t) => {
  const { settings, file_uid, core } = await sharedStore(t)
  const target = temporaryFolder(t)
  const key = (await storedKeys(core)).find((name) => name.includes(file_uid))!
  const adminWithout = (name: string, ...args: string[]) =>
    whileUnreadable(name, () => admin(settings, ...args))

  const partial = await adminWithout(key, 'backup', target, '--without-keys')
  assert.equal(partial.code, 3, partial.stderr)
  assert.deepEqual(linesOf(partial.stdout, /^damaged in/), [`damaged in the store: ${key}`])
  assert.equal((await admin(settings, 'backup', target, '--without-keys')).code, 0)

  const [object] = filesBelow(join(target, 'objects'))
  const bad_object = await adminWithout(object!, 'backup', 'verify', target)
  assert.equal(bad_object.code, 3, bad_object.stderr)
  assert.equal(linesOf(bad_object.stdout, /^The object .* is damaged/).length, 1)
  const bad_table = await adminWithout('users.zst', 'backup', 'verify', target)
  assert.equal(bad_table.code, 3, bad_table.stderr)
  assert.match(bad_table.stdout, /users\.zst of the backup is damaged/)

  const scrub = ['storage', 'scrub', '--now']
  const scrubbed = await adminWithout(key, ...scrub)
  assert.equal(scrubbed.code, 3, scrubbed.stderr)
  assert.match(scrubbed.stdout, /\n1 damaged, 0 repaired$/)
  const repaired = await whileUnreadable(key, () =>
    admin({ ...settings, BACKUP_TARGET: target }, ...scrub),
  )
  assert.equal(repaired.code, 0, repaired.stderr)
  assert.match(repaired.stdout, /\n0 damaged, 1 repaired$/)

  const fresh = await freshSettings(t)
  const restored = await whileUnreadable(object!, () => admin(fresh, 'restore', target))
  assert.equal(restored.code, 3, restored.stderr)
  assert.equal(linesOf(restored.stdout, /^not in the backup, or damaged/).length, 1)
  assert.match(restored.stdout, /\nbackup \S+ of \S+ is restored\n/)
})

/** Runs `backup` and returns what it printed. */
async function backUp(env: Record<string, string | undefined>, ...args: string[]) {
  const result = await admin(env, 'backup', '--without-keys', '--json', ...args)
  assert.ok(result.stdout, result.stderr)
  return { code: result.code, ...JSON.parse(result.stdout) }
}

test('a backup with a damaged manifest hinders neither the next one nor the list', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET }
  const first = await backUp(env)
  const second = await backUp(env)
  truncateSync(join(BACKUP_TARGET, 'backups', second.backup, 'manifest.json'), 100)

  const list = await admin(env, 'backup', 'list')
  assert.equal(list.code, 3)
  assert.match(
    list.stdout,
    new RegExp(`^${first.backup}  .* keys: left out\n${second.backup}  its`),
  )
  const newest = await admin(env, 'backup', 'verify')
  assert.equal(newest.code, 1)
  assert.match(newest.stderr, /is damaged, so it cannot be used\. Name another backup/)
  assert.equal((await admin(env, 'backup', 'verify', first.backup)).code, 0)

  // The objects of the damaged one are not known, so none is removed.
  const third = await backUp(env, '--keep', '2')
  assert.deepEqual([third.code, third.unreadable_backups], [3, [second.backup]])
  const fourth = await backUp(env, '--keep', '1')
  assert.deepEqual([fourth.code, fourth.removed_backups], [0, 2])
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
})

test('a changed manifest is noticed, and what needs a newer version or a passphrase is said', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET }
  assert.equal((await admin({ ...env, ...secret }, 'backup')).code, 0)
  const warningsOf = async (result: ReturnType<typeof admin>) => {
    const { code, stdout, stderr } = await result
    assert.equal(code, 0, stderr)
    return JSON.parse(stdout).warnings
  }
  const verify = ['backup', 'verify', '--json']
  assert.deepEqual(await warningsOf(admin({ ...env, ...secret }, ...verify)), [])
  const [not_opened] = await warningsOf(admin(env, ...verify))
  assert.match(not_opened, /^The keys were not opened/)
  assert.match((await admin(env, 'backup', 'verify')).stdout, /^warning: The keys were not opened/)

  const [path] = filesBelow(join(BACKUP_TARGET, 'backups')).filter((file) => /manifest/.test(file))
  const whole = readFileSync(path!, 'utf8')
  writeFileSync(path!, whole.replace('"rows":', '"rows":1'))
  for (const command of [['backup', 'verify'], ['restore']]) {
    const { code, stderr } = await admin({ ...env, ...(await freshSettings(t)) }, ...command)
    assert.equal(code, 1)
    assert.match(stderr, /^The manifest of the backup \S+ is damaged/)
  }

  writeFileSync(path!, whole)
  const later = '"migrations":[{"name":"9999_later.sql","checksum":"0"},'
  changeManifest(path!, (text) =>
    text.replace('"migrations":[', later).replace(/"slipway":"[^"]+"/, '"slipway":"9.8.7"'),
  )
  const sentence =
    'The backup is newer than this version of Slipway: it has migrations/9999_later.sql. Restore ' +
    'with Slipway 9.8.7 or a newer one.'
  assert.deepEqual(await warningsOf(admin({ ...env, ...secret }, ...verify)), [sentence])
  const fresh = await freshSettings(t)
  const restore = await admin({ ...fresh, BACKUP_TARGET }, 'restore')
  assert.deepEqual([restore.code, restore.stderr], [1, `${sentence}\n`])
  assert.deepEqual(filesBelow(fresh.DATA_DIR), [], 'something was restored before the refusal')

  writeFileSync(path!, whole)
  changeManifest(path!, (text) =>
    text
      .replace(/"queue_version":(\d+)/, (_, version) => `"queue_version":${Number(version) + 1}`)
      .replace(/"slipway":"[^"]+"/, '"slipway":"9.8.7"'),
  )
  const queue =
    'The backup is newer than this version of Slipway: it has a newer job queue. Restore with ' +
    'Slipway 9.8.7 or a newer one.'
  assert.deepEqual(await warningsOf(admin({ ...env, ...secret }, ...verify)), [queue])
  const refused = await admin({ ...fresh, BACKUP_TARGET }, 'restore')
  assert.deepEqual([refused.code, refused.stderr], [1, `${queue}\n`])
  assert.deepEqual(filesBelow(fresh.DATA_DIR), [], 'something was restored before the refusal')
})

test('a backup with a damaged list of objects hinders neither the next one nor its check', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET }
  const fileOf = (id: string, name: string) => join(BACKUP_TARGET, 'backups', id, name)
  const first = await backUp(env)
  for (const name of ['objects.zst', 'public.users.zst'])
    truncateSync(fileOf(first.backup, name), 40)
  const verified = await admin(env, 'backup', 'verify', '--json')
  assert.equal(verified.code, 3, verified.stderr)
  assert.deepEqual(JSON.parse(verified.stdout).problems, [
    'The file public.users.zst of the backup is damaged',
    'The file objects.zst of the backup is damaged',
  ])
  const second = await backUp(env)
  assert.deepEqual([second.code, second.objects, second.copied], [0, first.objects, 0])

  // Hashes that are not those of the objects.
  const list = fileOf(second.backup, 'objects.zst')
  const text = zstdDecompressSync(readFileSync(list)).toString()
  writeFileSync(list, zstdCompressSync(text.replaceAll(/[0-9a-f]{64}"/g, `${'0'.repeat(64)}"`)))
  const third = await backUp(env, '--keep', '3')
  assert.deepEqual([third.code, third.objects, third.copied], [0, first.objects, 0])
  const fourth = await backUp(env, '--keep', '3')
  assert.deepEqual([fourth.code, fourth.unreadable_backups], [3, [second.backup]])
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
})

test('damaged objects of a target are copied again once verify has removed them', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const env = { ...settings, BACKUP_TARGET }
  await backUp(env)
  const [path] = filesBelow(join(BACKUP_TARGET, 'objects'))
  const bytes = readFileSync(path!)
  bytes[0]! ^= 1
  writeFileSync(path!, bytes)
  assert.equal((await backUp(env)).copied, 0)
  const verified = await admin(env, 'backup', 'verify')
  assert.equal(verified.code, 3)
  assert.match(verified.stdout, /run this again with --remove-damaged first$/)
  const removed = await admin(env, 'backup', 'verify', '--remove-damaged')
  assert.equal(removed.code, 3)
  assert.match(removed.stdout, /\n1 damaged object removed: make a new backup now$/)
  assert.equal((await backUp(env)).copied, 1)
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
})

test('a backup that was frozen until another took its place fails', async (t) => {
  const { settings, core } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const env = { ...process.env, ...settings, BACKUP_TARGET }
  await backUp(env)
  const program = await adminFile()
  const locks = join(BACKUP_TARGET, 'locks')
  let is_dumped = false
  let is_frozen = false
  /** After the database, when the second pass over the objects has begun. */
  const freeze = (text: string) => {
    is_dumped ||= text.startsWith('database:')
    if (is_frozen || !is_dumped || text.startsWith('database:')) return
    is_frozen = true
    // Six minutes pass, in which another backup starts and ends.
    const [lock] = readdirSync(locks)
    const long_ago = new Date(Date.now() - 6 * 60_000)
    writeFileSync(join(locks, lock!), long_ago.toISOString())
    const args = [program, 'backup', '--without-keys', '--keep', '1']
    execFileSync(process.execPath, args, { env, stdio: 'ignore' })
  }
  const config = readConfig(settings)
  const backup = makeBackup({
    config,
    database_url: settings.DATABASE_URL!,
    target: await openTarget(BACKUP_TARGET, config, 'create'),
    passphrase: undefined,
    keep: undefined,
    progress: freeze,
    signal: new AbortController().signal,
  })
  await assert.rejects(backup, /another backup has taken its place/)
  assert.ok(is_frozen)
  const { backups } = JSON.parse((await admin(env, 'backup', 'list', '--json')).stdout)
  assert.equal(backups.length, 1)
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
  assert.ok((await storedKeys(core)).length > 0)
  assert.deepEqual(readdirSync(locks), [])
})

test('a backup that lost its place once it was complete removes no earlier one', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = temporaryFolder(t)
  const first = await backUp({ ...settings, BACKUP_TARGET })
  const config = readConfig(settings)
  const target = await openTarget(BACKUP_TARGET, config, 'create')
  const locks = join(BACKUP_TARGET, 'locks')
  /** Another backup begins when the manifest is written. */
  const put: typeof target.storage.put = async (key, ...rest) => {
    const written = await target.storage.put(key, ...rest)
    if (!key.endsWith('/manifest.json')) return written
    for (const name of readdirSync(locks)) rmSync(join(locks, name))
    writeFileSync(join(locks, '20991231-000000-abcdef'), new Date().toISOString())
    return written
  }
  const backup = makeBackup({
    config,
    database_url: settings.DATABASE_URL!,
    target: { ...target, storage: { ...target.storage, put } },
    passphrase: undefined,
    keep: 1,
    progress: () => {},
    signal: new AbortController().signal,
  })
  await assert.rejects(backup, /another backup has taken its place/)
  const ids = (await admin({ ...settings, BACKUP_TARGET }, 'backup', 'list', '--json')).stdout
  assert.ok(JSON.parse(ids).backups.some(({ backup: id }: any) => id === first.backup))
})

/** A disk of its own; undefined without the right to mount. */
function mountDisk(t: TestContext, size: string): string | undefined {
  const folder = temporaryFolder(t)
  const args = ['-t', 'tmpfs', '-o', `mode=755,size=${size}`, 'tmpfs', folder]
  if (spawnSync('mount', args).status !== 0) return void t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', folder]))
  return folder
}

test('a backup on a disk that is mounted read-only is verified and restored', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = mountDisk(t, '64m')
  if (!BACKUP_TARGET) return
  const env = { ...settings, BACKUP_TARGET }
  await backUp(env)
  // A backup that was killed two months ago.
  const rest = join(BACKUP_TARGET, '.tmp/rest')
  writeFileSync(rest, 'rest')
  utimesSync(rest, 1, 1)
  assert.equal(spawnSync('mount', ['-o', 'remount,ro', BACKUP_TARGET]).status, 0)
  const verified = await admin(env, 'backup', 'verify')
  assert.equal(verified.code, 0, verified.stderr)
  const restored = await admin({ ...(await freshSettings(t)), BACKUP_TARGET }, 'restore')
  assert.equal(restored.code, 0, restored.stderr)
})

test('backups that fail on a full disk say so and do not pile up', async (t) => {
  const { settings } = await sharedStore(t)
  const BACKUP_TARGET = mountDisk(t, '64m')
  if (!BACKUP_TARGET) return
  const env = { ...settings, BACKUP_TARGET }
  const { backup } = await backUp(env)
  const ballast = join(BACKUP_TARGET, 'ballast')
  spawnSync('dd', ['if=/dev/zero', `of=${ballast}`, 'bs=64k'])
  truncateSync(ballast, readFileSync(ballast).length - 300_000)
  for (let attempt = 0; attempt < 2; attempt++) {
    const { code, stderr } = await admin(env, 'backup', '--without-keys')
    assert.equal(code, 1)
    assert.match(stderr, /is full\. Make space there/)
  }
  const withFiles = readdirSync(join(BACKUP_TARGET, 'backups')).filter(
    (id) => filesBelow(join(BACKUP_TARGET, 'backups', id)).length,
  )
  assert.equal(withFiles.length, 2, 'every failed backup left its files')
  rmSync(ballast)
  const next = await backUp(env)
  assert.equal(next.code, 0)
  const { backups } = JSON.parse((await admin(env, 'backup', 'list', '--json')).stdout)
  assert.deepEqual(
    backups.map((row: { backup: string }) => row.backup),
    [backup, next.backup],
  )
})

test('a target in the data folder is refused behind a link, and under any name', async (t) => {
  const { settings } = await sharedStore(t)
  const link = join(temporaryFolder(t), 'backup')
  mkdirSync(join(settings.DATA_DIR, 'inside'))
  symlinkSync(join(settings.DATA_DIR, 'inside'), link)
  for (const target of [link, join(link, 'deeper'), join(settings.DATA_DIR, '..backup')]) {
    const { code, stderr } = await admin(settings, 'backup', target, '--without-keys')
    assert.equal(code, 1, target)
    assert.match(stderr, /is inside of DATA_DIR/)
  }
})
