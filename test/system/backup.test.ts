import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { codeBlocks } from '../docs/code-blocks.ts'
import { adminProcess as admin } from '../support/admin-run.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { builders, must } from '../support/builders.ts'
import { childService, freePort } from '../support/child.ts'
import { cleanup } from '../support/cleanup.ts'
import { debianServer } from '../support/programs/debian-postgres.ts'
import { runProgram } from '../support/run-program.ts'
import { needs } from '../support/system-packages.ts'

/** The commands of the page with PostgreSQL's own tools, in its order. */
const [backUp, restore, check, ...others] = codeBlocks('docs/backup.md', 'sh')
  .filter(({ mark }) => mark === 'run by test/system/backup.test.ts')
  .map(({ body }) => body)

type Machine = { DATABASE_URL: string; DATA_DIR: string; PGHOST: string; PGUSER: string }

/** Runs commands of the page as a person would, who stops at the first error. */
const run = (commands: string, cwd: string, machine: Machine) =>
  runProgram('bash', ['-euc', commands], { cwd, env: { PATH: process.env.PATH, ...machine } })

/** A machine with a database server and nothing else: the data folder does not exist yet. */
async function freshMachine(t: Parameters<typeof debianServer>[0]): Promise<Machine> {
  const DATABASE_URL = (await debianServer(t)).url('slipway')
  const PGHOST = new URL(DATABASE_URL).searchParams.get('host')!
  return {
    DATABASE_URL,
    DATA_DIR: join(temporaryFolder(t), 'lib/slipway'),
    PGHOST,
    PGUSER: 'slipway',
  }
}

test('the commands of the backup page restore a live service on a fresh machine', async (t) => {
  if (!needs(t, 'pg_dump')) return
  assert.deepEqual([check, others], ['npm run admin -- storage check\n', []])
  const folder = temporaryFolder(t)
  const old_machine = await freshMachine(t)
  const { DATABASE_URL, DATA_DIR } = old_machine
  await run('createdb slipway', folder, old_machine)
  const live = childService(t, { DATABASE_URL, DATA_DIR, PORT: await freePort() })
  const http = client(await live.start())
  const a = builders(http, DATA_DIR)
  await run(backUp!, folder, old_machine)
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
  await run(backUp!, folder, old_machine)
  busy = false
  await using
  await live.kill()

  const new_machine = await freshMachine(t)
  await run(restore!, folder, new_machine)
  const restored = {
    DATABASE_URL: new_machine.DATABASE_URL,
    DATA_DIR: new_machine.DATA_DIR,
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
  const result = await admin(restored, 'storage', 'check')
  assert.deepEqual(
    [result.code, result.stdout.split('\n').at(-1)],
    [0, '0 missing, 0 orphans (0 bytes), 0 unknown'],
  )
})
