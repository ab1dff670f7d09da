import assert from 'node:assert/strict'
import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { recordLines, writeLines } from '../../../src/core/database/dump/table-files.ts'
import { sha256 } from '../../../src/core/security/crypto.ts'
import {
  filesOf,
  lockTarget,
  newBackupId,
  openTarget,
  presentObjects,
  readObjectList,
  removeLocked,
} from '../../../src/operator/backup/target.ts'
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
  await assert.rejects(first.check(), /another backup has taken its place/)
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

test('under a lock that another backup has taken, nothing is removed', async (t) => {
  const { target, lockPath } = await emptyTarget(t)
  const id = newBackupId(new Date())
  const lock = await lockTarget(target, id)
  const keys = ['objects/aa/one', 'objects/aa/two']
  for (const key of keys) await target.storage.put(key, Buffer.from('x'))
  await removeLocked(target, lock, keys.slice(0, 1))
  rmSync(lockPath(id))
  const other = newBackupId(new Date())
  writeFileSync(lockPath(other), minutesAgo(0))
  await assert.rejects(removeLocked(target, lock, keys), /another backup has taken its place/)
  assert.deepEqual([...(await presentObjects(target)).keys()], ['two'])
  await lock.release()
})

test('a list is read whole before its first entry, because its store may not wait', async (t) => {
  const { target } = await emptyTarget(t)
  const entries = Array.from({ length: 20_000 }, (_, n) => ({
    key: `builds/${n}`,
    size: 1,
    sha256: sha256(String(n)).toString('hex'),
  }))
  const list = await writeLines(
    filesOf(target, 'a'),
    'list.zst',
    recordLines(Readable.from(entries)),
  )
  const opened: Readable[] = []
  const storage = {
    ...target.storage,
    async get(key: string) {
      const object = await target.storage.get(key)
      opened.push(object!.stream)
      return object
    },
  }
  const read = readObjectList({ ...target, storage }, 'a', list)
  assert.deepEqual((await read.next()).value, entries[0])
  assert.ok(opened[0]!.readableEnded)
  assert.equal((await Array.fromAsync(read)).length, entries.length - 1)
})
