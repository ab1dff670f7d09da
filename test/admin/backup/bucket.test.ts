import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { createS3Storage } from '../../../src/core/storage/s3.ts'
import { admin } from '../../support/admin-run.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { storedKeys } from '../../support/builders.ts'
import { emptyDatabase } from '../../support/database.ts'
import { startSwift } from '../../support/programs/object-store.ts'
import { needs } from '../../support/system-packages.ts'

test('buckets hold backups and restored objects, and a replica repairs the store', async (t) => {
  if (!needs(t, 'swift-proxy-server')) return
  const makeBucket = await startSwift(t)
  const BACKUP_TARGET = await makeBucket('backups')
  const { a, settings, core, data_dir } = await startApp(t, { SCRUB_DAYS: '0' })
  const listing = await a.listing()
  await a.images(listing)
  const { file_uid } = await a.cleanBuild(listing)
  const env = { ...settings, BACKUP_TARGET, BACKUP_PASSPHRASE: 'a passphrase' }
  const backup = await admin(env, 'backup', '--json')
  assert.equal(backup.code, 0, backup.stderr)
  assert.ok(!backup.stdout.includes('testing'), 'the output has the key of the bucket')
  assert.equal((await admin(env, 'backup', 'verify')).code, 0)
  const own_bucket = await admin({ ...env, S3_URL: BACKUP_TARGET }, 'backup')
  assert.match(own_bucket.stderr, /must not be the one of S3_URL/)

  const S3_URL = await makeBucket('restored')
  const DATA_DIR = join(temporaryFolder(t), 'data')
  const fresh = { ...env, DATABASE_URL: await emptyDatabase(t), DATA_DIR, S3_URL }
  const restore = await admin(fresh, 'restore')
  assert.equal(restore.code, 0, restore.stderr)
  const check = await admin(fresh, 'storage', 'check')
  assert.match(check.stdout, /\n0 missing, 0 orphans \(0 bytes\), 0 unknown$/)

  // The restored bucket has every object under its name, as a replica would.
  const keys = await storedKeys(core)
  const build = keys.find((key) => key.includes(file_uid))!
  const image = keys.find((key) => key.startsWith('images/'))!
  const path = join(data_dir, 'objects', build)
  const whole = readFileSync(path)
  writeFileSync(path, Buffer.concat([whole.subarray(1), Buffer.from('x')]))
  rmSync(join(data_dir, 'objects', image))
  // A replica that is damaged in the same way repairs nothing.
  const replica = await createS3Storage(S3_URL)
  await replica.put(image, Buffer.from('not the image'))
  const repair = { ...settings, REPLICA_S3_URL: S3_URL }
  const scrub = await admin(repair, 'storage', 'scrub', '--now', '--json')
  assert.equal(scrub.code, 3, scrub.stderr)
  const { damaged, repaired } = JSON.parse(scrub.stdout)
  assert.deepEqual(
    repaired.map((row: any) => [row.key, row.repaired_from]),
    [[build, 'replica']],
  )
  assert.deepEqual(
    damaged.map((row: any) => [row.key, row.problem]),
    [[image, 'missing']],
  )
  assert.deepEqual(readFileSync(path), whole)
})
