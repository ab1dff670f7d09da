import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, globSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { open } from '../src/core/db.ts'
import { admin } from './admin-run.ts'
import { client, eventually, temporaryFolder } from './app.ts'
import { builders, must } from './builders.ts'
import { childService, freePort } from './child.ts'
import { cleanup } from './cleanup.ts'
import { needs } from './parts.ts'

const NOBODY = 65534

/** Debian's own server, so that Debian's own client tools are of its version. PostgreSQL does not run as root. */
async function debianServer(t: TestContext) {
  const bin = globSync('/usr/lib/postgresql/*/bin').sort().at(-1)!
  const folder = temporaryFolder(t)
  const as = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {}
  if (as.uid) spawnSync('chown', [`${as.uid}:${as.gid}`, folder])
  const run = (name: string, ...args: string[]) => {
    const { status, stderr } = spawnSync(join(bin, name), args, { ...as, cwd: folder, encoding: 'utf8' })
    assert.equal(status, 0, `${name}: ${stderr}`)
  }
  const data = join(folder, 'data')
  run('initdb', '--pgdata', data, '--username', 'slipway', '--auth', 'trust', '--encoding', 'UTF8', '--locale', 'C.UTF-8')
  const settings = ['fsync=off', 'listen_addresses=', `unix_socket_directories=${folder}`].flatMap((one) => ['-c', one])
  const server = spawn(join(bin, 'postgres'), ['-D', data, ...settings], { ...as, cwd: folder, stdio: 'ignore' })
  cleanup(t, async () => {
    const gone = once(server, 'exit')
    server.kill('SIGINT')
    await gone
  })
  const url = (name: string) => `postgres://slipway@localhost/${name}?host=${encodeURIComponent(folder)}`
  await eventually('the server', () => spawnSync(join(bin, 'pg_isready'), ['-h', folder, '-q']).status === 0)
  return { url, bin: (name: string, ...args: string[]) => run(name, ...args) }
}

test('a dump of a live service, and then its objects, restore to a service that has everything the dump was made with', async (t) => {
  if (!needs(t, 'pg_dump') || !existsSync('/usr/lib/postgresql')) return
  const server = await debianServer(t)
  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'slipway')
  const [live_dir, new_dir, backup] = [temporaryFolder(t), temporaryFolder(t), temporaryFolder(t)]
  const env = { DATABASE_URL: server.url('slipway'), DATA_DIR: live_dir, PORT: await freePort() }
  const live = childService(t, env)
  const http = client(await live.start())
  const a = builders(http, live_dir)
  const listing = await a.listing({ name: 'Kept Safe' })
  const { file_uid } = await a.cleanBuild(listing)

  // It goes on being used while it is dumped and copied.
  let busy = true
  const names: string[] = []
  const using = (async () => {
    while (busy) names.push((await a.user()).username)
  })()
  await eventually('some use', () => names.length > 1)
  const before = [...names]
  spawnSync('chmod', ['0777', backup])
  server.bin('pg_dump', '--format=custom', `--file=${join(backup, 'slipway.dump')}`, server.url('slipway'))
  cpSync(join(live_dir, 'objects'), join(backup, 'objects'), { recursive: true })
  cpSync(join(live_dir, 'secrets.key'), join(backup, 'secrets.key'))
  busy = false
  await using
  await live.kill()

  server.bin('createdb', '--maintenance-db', server.url('postgres'), 'restored')
  server.bin('pg_restore', '--no-owner', '--exit-on-error', `--dbname=${server.url('restored')}`, join(backup, 'slipway.dump'))
  mkdirSync(new_dir, { recursive: true })
  for (const name of ['objects', 'secrets.key']) cpSync(join(backup, name), join(new_dir, name), { recursive: true })
  const restored = { DATABASE_URL: server.url('restored'), DATA_DIR: new_dir, PORT: await freePort() }
  const again = client(await childService(t, restored).start())

  const sql = open(restored.DATABASE_URL, 1, 'test')
  cleanup(t, () => sql.end())
  const kept = new Set((await sql`select username from users`).map((row) => row.username))
  assert.deepEqual(
    before.filter((name) => !kept.has(name)),
    [],
    'everyone who was there before the dump',
  )
  assert.equal(must(await again.get(`/api/v1/private/games/${listing.uid}`, listing.owner)).name, 'Kept Safe')
  const { url } = must(await again.get(`/api/v1/private/downloads/${file_uid}`, listing.owner))
  assert.equal((await again.get(url)).status, 200, 'its bytes are there too')
  const check = await admin(restored, 'storage', 'check')
  assert.deepEqual([check.code, check.stdout.split('\n').at(-1)], [0, '0 missing, 0 orphans (0 bytes), 0 unknown'])
})
