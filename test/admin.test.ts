import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { startApp } from './app.ts'

const root = join(import.meta.dirname, '..')

/** npm run admin, without npm. */
async function admin(settings: Record<string, string | undefined>, ...args: string[]) {
  const run = promisify(execFile)(process.execPath, ['--disable-warning=ExperimentalWarning', 'src/admin.ts', ...args], {
    cwd: root,
    env: { ...process.env, ...settings },
  })
  const {
    stdout,
    stderr,
    code = 0,
  } = await run.then(
    (output) => ({ ...output, code: 0 }),
    (failed) => failed,
  )
  return { stdout: stdout.trim(), stderr, code }
}

test('an operator lists dead jobs and replays them, beside a running service', async (t) => {
  const { settings, sql } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  assert.deepEqual(await admin(settings, 'jobs', 'dead'), { stdout: 'no dead jobs', stderr: '', code: 0 })
  // As the queue itself sets a job aside after its last attempt.
  await sql`insert into pgboss.job (id, name, data, source_name, source_id, source_created_on, source_retry_count, source_output)
    values (${randomUUID()}, 'dead', '{}', 'accounts.sweep', ${randomUUID()}, now(), 12, '{"message": "it broke"}')`
  const dead = await admin(settings, 'jobs', 'dead')
  assert.match(dead.stdout, /accounts\.sweep .*13 attempts .*it broke/)
  assert.deepEqual((await admin(settings, 'jobs', 'replay', 'all')).stdout, 'replayed 1')
  assert.equal((await admin(settings, 'jobs', 'dead')).stdout, 'no dead jobs')
})

test('an operator makes a new key and seals every secret with it; a running service reads and seals with it at once', async (t) => {
  const { settings, sql, core, a } = await startApp(t)
  const { uid } = await a.listing()
  await core.secrets.put(sql, uid, 'auth_key', 'hush')
  assert.match((await admin(settings, 'secrets', 'rotate')).stdout, /sealed with key 2; 1 changed/)
  assert.deepEqual([...(await sql`select key_version from secrets`)], [{ key_version: 2 }])
  assert.equal(await core.secrets.get(sql, uid, 'auth_key'), 'hush')
  assert.equal(core.secrets.current_version(), 2)
})

test('a command that does not exist shows those that do', async (t) => {
  const { settings } = await startApp(t)
  for (const args of [[], ['jobs'], ['jobs', 'replay'], ['jobs', 'replay', 'nonsense'], ['fly']]) {
    const { code, stderr } = await admin(settings, ...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, /secrets rotate/)
  }
})
