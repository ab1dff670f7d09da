import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { lockTarget, newBackupId, openTarget } from '../../../src/operator/backup/target.ts'
import { temporaryFolder } from '../../support/app.ts'

async function emptyTarget(t: TestContext) {
  const folder = temporaryFolder(t)
  const config = { data_dir: join(folder, 'data'), s3_url: undefined }
  const target = await openTarget(join(folder, 'target'), config, 'create')
  const lockPath = (id: string) => join(folder, 'target/locks', id)
  return { target, lockPath, locks: () => readdirSync(join(folder, 'target/locks')) }
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString()

test('a backup that another took for interrupted does not count as complete', async (t) => {
  const { target, lockPath, locks } = await emptyTarget(t)
  const id = newBackupId(new Date())
  const first = await lockTarget(target, id)
  await first.check()
  writeFileSync(lockPath(id), minutesAgo(6))
  const second = await lockTarget(target, newBackupId(new Date()))
  await assert.rejects(first.check(), /another one has taken its place/)
  await second.check()
  await first.release()
  await second.release()
  assert.deepEqual(locks(), [])
})

test('a second backup gives way, and the first one goes on', async (t) => {
  const { target, lockPath } = await emptyTarget(t)
  const first = await lockTarget(target, newBackupId(new Date()))
  await assert.rejects(lockTarget(target, newBackupId(new Date())), /is being written to/)
  const other = lockPath(newBackupId(new Date()))
  writeFileSync(other, minutesAgo(0))
  const checking = first.check()
  rmSync(other)
  await checking
  await first.release()
})

test('ids of backups stay in order when the clock is set back', () => {
  const now = new Date('2026-11-18T09:00:00Z')
  const future = '20300101-235959-abcdef'
  assert.match(newBackupId(now), /^20261118-090000-/)
  assert.match(newBackupId(now, [future, '20250101-000000-abcdef']), /^20300102-000000-/)
})
