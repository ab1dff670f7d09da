import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { admin } from '../support/admin-run.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { debianServer } from '../support/debian-postgres.ts'
import { needs } from '../support/system-packages.ts'

test('a dump of a live service and a later copy of its objects restore completely', async (t) => {
  if (!needs(t, 'pg_dump')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const live_dir = temporaryFolder(t)
  const new_dir = temporaryFolder(t)
  const backup = temporaryFolder(t)
  const env = { DATABASE_URL: server.url('slipway'), DATA_DIR: live_dir, PORT: await freePort() }
  const live = childService(t, env)
  const http = client(await live.start())
  const a = builders(http, live_dir)
  const listing = await a.listing({ name: 'Kept Safe' })
  const { file_uid } = await a.cleanBuild(listing)

  // The service stays in use during the dump and the copy.
  let busy = true
  const names: string[] = []
  const using = (async () => {
    while (busy) names.push((await a.user()).username)
  })()
  await eventually('some use', () => names.length > 1)
  const before = [...names]
  spawnSync('chmod', ['0777', backup])
  server.bin(
    'pg_dump',
    '--format=custom',
    `--file=${join(backup, 'slipway.dump')}`,
    server.url('slipway'),
  )
  cpSync(join(live_dir, 'objects'), join(backup, 'objects'), { recursive: true })
  cpSync(join(live_dir, 'secrets.key'), join(backup, 'secrets.key'))
  busy = false
  await using
  await live.kill()

  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'restored')
  server.bin(
    'pg_restore',
    '--no-owner',
    '--exit-on-error',
    `--dbname=${server.url('restored')}`,
    join(backup, 'slipway.dump'),
  )
  mkdirSync(new_dir, { recursive: true })
  for (const name of ['objects', 'secrets.key'])
    cpSync(join(backup, name), join(new_dir, name), { recursive: true })
  const restored = {
    DATABASE_URL: server.url('restored'),
    DATA_DIR: new_dir,
    PORT: await freePort(),
  }
  const again = client(await childService(t, restored).start())

  const sql = openPool(restored.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end())
  const users = new Set((await sql`select username from users`).map((row) => row.username))
  assert.deepEqual(
    before.filter((name) => !users.has(name)),
    [],
    'a user from before the dump is missing',
  )
  assert.equal(
    must(await again.get(`/api/v1/private/games/${listing.uid}`, listing.owner)).name,
    'Kept Safe',
  )
  const { url } = must(await again.get(`/api/v1/private/downloads/${file_uid}`, listing.owner))
  assert.equal((await again.get(url)).status, 200, 'the object of the file is missing')
  const check = await admin(restored, 'storage', 'check')
  assert.deepEqual(
    [check.code, check.stdout.split('\n').at(-1)],
    [0, '0 missing, 0 orphans (0 bytes), 0 unknown'],
  )
})
