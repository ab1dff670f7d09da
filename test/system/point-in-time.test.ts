import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must, PASSWORD, refused } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'

/** The commands of the page, in its order: base backup, restore. */
const [backUp, restore] = codeBlocks('docs/backup.md', 'sh')
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
  server.bin('createdb', '-h', server.folder, '-U', 'slipway', 'slipway')
  const DATABASE_URL = server.url('slipway')
  const env = { DATABASE_URL, DATA_DIR: temporaryFolder(t), PORT: await freePort() }
  const live = childService(t, env)
  const http = client(await live.start())
  const a = builders(http, env.DATA_DIR)
  const first = await a.user()
  server.shell(backUp!, { DATABASE_URL })
  const second = await a.user()
  const sql = openPool(DATABASE_URL, 1, 'test')
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
  const recovered = openPool(restored.url('slipway'), 1, 'test')
  await eventually('the end of the recovery', async () => {
    const [row] = await recovered`select pg_is_in_recovery() as recovering`
    return !row!.recovering
  })
  await recovered.end()
  const again = client(await childService(t, env).start())
  const signIn = (login: string) =>
    again.post('/api/v1/private/account/login', { login, password: PASSWORD })
  for (const { username } of [first, second]) must(await signIn(username))
  assert.equal(refused(await signIn(third.username))[0], 401)
})
