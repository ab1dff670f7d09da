import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { builders, must, PASSWORD, refused } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'

/** The commands of the page, in its order. */
const [backUp, restore, endRecovery] = codeBlocks('docs/backup.md', 'sh')
  .filter(({ mark }) => mark === 'run by test/system/point-in-time.test.ts')
  .map(({ body }) => body)
const archive_command = codeBlocks('docs/backup.md')
  .map(({ body }) => body.match(/^archive_command = '(.*)'$/m)?.[1])
  .find((command) => command)!

test('a database returns to a moment by its archived log', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const WAL_ARCHIVE = join(temporaryFolder(t), 'wal')
  mkdirSync(WAL_ARCHIVE)
  const settings = [
    'archive_mode=on',
    `archive_command=${archive_command.replaceAll('/mnt/wal', WAL_ARCHIVE)}`,
  ]
  const server = await debianServer(t, { settings, archive: WAL_ARCHIVE })
  const as_superuser = { PGHOST: server.folder, PGUSER: 'slipway' }
  const connection = ['-h', server.folder, '-U', 'slipway']
  // As in docs/scaling.md: the service is no superuser and may not replicate.
  server.bin('createuser', ...connection, 'service')
  server.bin('createdb', ...connection, '--owner=service', 'slipway')
  const DATABASE_URL = server.url('slipway').replace('slipway@', 'service@')
  const env = { DATABASE_URL, DATA_DIR: temporaryFolder(t) }
  const live = childService(t, { ...env, PORT: await freePort() })
  const http = client(await live.start())
  const a = builders(http, env.DATA_DIR)
  const first = await a.user()
  server.shell(backUp!, as_superuser)
  const second = await a.user()
  const sql = openPool(server.url('slipway'), 1, 'test')
  const [moment] = await sql<{ now: string }[]>`select clock_timestamp()::text as now`
  const third = await a.user()
  const [last] = await sql<{ name: string }[]>`select pg_walfile_name(pg_switch_wal()) as name`
  await sql.end()
  await eventually('the log to be archived', () => readdirSync(WAL_ARCHIVE).includes(last!.name))
  await live.kill()
  await server.stop()

  renameSync(join(server.folder, 'data'), join(server.folder, 'lost'))
  server.shell(restore!, { WAL_ARCHIVE, RECOVERY_TIME: moment!.now })
  const restored = await debianServer(t, { restored_in: server.folder })
  server.shell(endRecovery!, as_superuser)
  const again = await startApp(t, env)
  const signIn = (login: string) =>
    again.post('/api/v1/private/account/login', { login, password: PASSWORD })
  for (const { username } of [first, second]) must(await signIn(username))
  assert.equal(refused(await signIn(third.username))[0], 401)

  // A replica must not take the moment of the recovery for its own.
  const replica = await debianServer(t, { replica_of: restored.url('slipway') })
  const fourth = await builders(again, env.DATA_DIR).user()
  const copy = openPool(replica.url('slipway'), 1, 'test')
  await eventually('the replica to have the new account', async () => {
    const { length } = await copy`select from users where username = ${fourth.username}`
    return length > 0
  })
  const [state] = await copy`select pg_is_in_recovery() as recovering`
  assert.equal(state!.recovering, true)
  await copy.end()
})

/** Runs the command as PostgreSQL does; `programs` is a folder that comes first in the PATH. */
function archiving(t: TestContext) {
  const data = temporaryFolder(t)
  const wal = temporaryFolder(t)
  const programs = temporaryFolder(t)
  const name = '000000010000000000000001'
  mkdirSync(join(data, 'pg_wal'))
  writeFileSync(join(data, 'pg_wal', name), 'the log')
  const command = archive_command
    .replaceAll('/mnt/wal', wal)
    .replaceAll('%p', `pg_wal/${name}`)
    .replaceAll('%f', name)
  return {
    file: join(wal, name),
    programs,
    files: () => readdirSync(wal).map((file) => [file, readFileSync(join(wal, file), 'utf8')]),
    archived: [[name, 'the log']],
    isArchived: () =>
      spawnSync('/bin/sh', ['-c', command], {
        cwd: data,
        env: { PATH: `${programs}:${process.env['PATH']}` },
      }).status === 0,
  }
}

test('the archive command succeeds again for a file that it has archived', (t) => {
  const { files, archived, isArchived } = archiving(t)
  for (let i = 0; i < 2; i++) {
    assert.equal(isArchived(), true)
    assert.deepEqual(files(), archived)
  }
})

test('the archive command replaces a copy that was interrupted', (t) => {
  const { file, files, archived, isArchived } = archiving(t)
  writeFileSync(`${file}.tmp`, 'the')
  assert.equal(isArchived(), true)
  assert.deepEqual(files(), archived)
})

test('the archive command fails for a different file of the same name and keeps it', (t) => {
  const { file, files, isArchived } = archiving(t)
  writeFileSync(file, 'another log')
  assert.equal(isArchived(), false)
  assert.deepEqual(
    files().map(([, text]) => text),
    ['another log'],
  )
})

test('the archive command succeeds only once the file and its folder are synced', (t) => {
  const { file, files, programs, archived, isArchived } = archiving(t)
  const fail = (path: string) =>
    writeFileSync(join(programs, 'sync'), `#!/bin/sh\ntest "$1" != "${path}"\n`, { mode: 0o755 })
  fail(`${file}.tmp`)
  assert.equal(isArchived(), false)
  assert.equal(existsSync(file), false)
  fail(dirname(file))
  for (let i = 0; i < 2; i++) assert.equal(isArchived(), false)
  rmSync(join(programs, 'sync'))
  assert.equal(isArchived(), true)
  assert.deepEqual(files(), archived)
})
