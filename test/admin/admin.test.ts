import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { failureText } from '../../src/admin/failures.ts'
import { createSecrets, loadKeyring } from '../../src/core/security/secrets.ts'
import { admin, adminProcess } from '../support/admin-run.ts'
import { eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { insertDeadJob } from './dead-jobs.ts'

const startUnchangedApp = sharedInFile((t) => startApp(t, { SLIPWAY_ROLES: 'api' }))

test('jobs commands list and replay dead jobs while the service runs', async (t) => {
  const { settings, sql } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  assert.deepEqual(await adminProcess(settings, 'jobs', 'dead'), {
    stdout: 'no dead jobs',
    stderr: '',
    code: 0,
  })
  await insertDeadJob(sql)
  const dead = await admin(settings, 'jobs', 'dead')
  assert.match(dead.stdout, /accounts\.sweep .*13 attempts .*it broke/)
  assert.deepEqual((await admin(settings, 'jobs', 'replay', 'all')).stdout, 'replayed 1')
  assert.equal((await admin(settings, 'jobs', 'dead')).stdout, 'no dead jobs')
})

test('secrets rotate re-encrypts every secret with a key that running services use', async (t) => {
  const { settings, sql, core, a } = await startApp(t)
  const { uid } = await a.listing()
  await core.secrets.put(sql, uid, 'auth_key', 'hush')
  assert.match(
    (await admin(settings, 'secrets', 'rotate')).stdout,
    /encrypted with key 2; 2 changed/,
  )
  assert.deepEqual([...(await sql`select key_version from secrets`)], [{ key_version: 2 }])
  assert.equal(await core.secrets.get(sql, uid, 'auth_key'), 'hush')
  assert.equal(core.secrets.current_version(), 2)
})

test('wrong usage is named, above the help of the command or the list of commands', async (t) => {
  const { settings } = await startUnchangedApp(t)
  const every = /^ {2}jobs replay .*\n {2}settings /m
  const cases: [string[], RegExp, RegExp][] = [
    [[], /^Name a command/, every],
    [['fly'], /^There is no command "fly"\.\n\nAll commands: npm run admin -- help\n$/, /help/],
    [
      ['jobs', 'fly'],
      /^There is no command "jobs fly"\.\n\nCommands of "jobs":\n/,
      /^ {2}jobs dead .*\n {2}jobs replay .*\n\nAll commands: npm run admin -- help\n$/m,
    ],
    [
      ['jobs', 'dead', '--loudly'],
      /^Unknown option '--loudly'\.\n/,
      /npm run admin -- jobs dead\n/,
    ],
    [['backup', '--keep'], /^Option '--keep <value>' argument missing\.\n/, /-- backup \[target\]/],
    [['jobs', 'dead', 'now'], /^Unexpected argument: now\n/, /-- jobs dead\n/],
    [['jobs', 'replay', 'nonsense'], /^An argument is missing, unknown/, /-- jobs replay </],
  ]
  for (const [args, message, help] of cases) {
    const { code, stderr } = await admin(settings, ...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, message)
    assert.match(stderr, help, args.join(' '))
  }
})

test('with --json a failure is an object, and errors of the system are sentences', async (t) => {
  const { settings } = await startUnchangedApp(t)
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, 'x')
  const target = join(file, 'target')
  const backup = await admin(settings, 'backup', target, '--without-keys', '--json')
  assert.equal(backup.code, 1)
  const { error } = JSON.parse(backup.stdout)
  assert.match(error, /file\/target\S* is no folder, or is below a file\. .* \(ENOTDIR: /)
  assert.equal(backup.stderr, `${error}\n`)
  const DATA_DIR = join(file, 'data')
  const elsewhere = { ...settings, DATABASE_URL: '', DATA_DIR }
  const upgrade = await admin(elsewhere, 'database', 'upgrade', '--json')
  assert.match(JSON.parse(upgrade.stdout).error, /has no embedded database/)
  const usage = await admin(settings, 'backup', '--json', '--loudly')
  assert.deepEqual([usage.code, JSON.parse(usage.stdout).error], [2, "Unknown option '--loudly'."])
})

test('errors of the system that tests cannot cause are sentences, too', () => {
  const failed = (code: string, path?: string) =>
    failureText(Object.assign(new Error(`${code}: it failed`), { code, path }))
  assert.match(
    failed('EROFS', '/mnt/b'),
    /^\/mnt\/b is on a disk .* read-only.* \(EROFS: it failed\)$/,
  )
  assert.match(failed('EACCES', '/mnt/b'), /^\/mnt\/b may not be used by this user/)
  assert.match(failed('ENOSPC'), /^The disk of DATA_DIR or of the target is full/)
  assert.match(failed('53100'), /^The disk of the database is full/)
  assert.equal(failed('EOTHER', '/mnt/b'), 'EOTHER: it failed')
})

test('a database that cannot be reached or used is named in a sentence', async (t) => {
  const { settings } = await startUnchangedApp(t)
  const url = new URL(settings.DATABASE_URL!)
  const changed = (change: (url: URL) => void) => {
    const copy = new URL(url)
    change(copy)
    return { ...settings, DATABASE_URL: copy.href }
  }
  const cases: [typeof settings, RegExp][] = [
    [
      { ...settings, DATABASE_URL: 'postgres://x@127.0.0.1:1/x' },
      /^Nothing answers at DATABASE_URL: is the database running\? \(connect ECONNREFUSED/,
    ],
    [
      changed((copy) => {
        copy.pathname = '/no_such_database'
      }),
      /^The database named in DATABASE_URL does not exist: create it first \(/,
    ],
  ]
  for (const [environment, message] of cases)
    for (const words of [
      ['jobs', 'dead'],
      ['secrets', 'replace-lost'],
    ]) {
      const { code, stderr, stdout } = await admin(environment, ...words)
      assert.deepEqual([code, stdout], [1, ''])
      assert.match(stderr, message)
      assert.equal(stderr.trim().split('\n').length, 1)
    }
})

test('every command prints its usage and next steps without a database', async () => {
  const nowhere = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' }
  const { stdout, code } = await adminProcess(nowhere, 'help')
  assert.equal(code, 0)
  const names = [...stdout.matchAll(/^ {2}((?!help)[a-z]+ [a-z]+)/gm)].map((match) => match[1]!)
  for (const name of [
    'operators add',
    'jobs dead',
    'secrets rotate',
    'search rebuild',
    'storage check',
    'people export',
    'people delete',
  ])
    assert.ok(names.includes(name), name)
  const help = await admin(nowhere, 'help', 'people', 'delete')
  assert.match(help.stdout, /--with-listings[\s\S]*Next:/)
  assert.deepEqual(await admin(nowhere, 'people', 'delete', '--help'), help)
  assert.equal((await adminProcess(nowhere, 'help', 'fly')).code, 2)
})

test('a command without the data folder names it in a sentence and creates nothing', async (t) => {
  const folder = join(temporaryFolder(t), 'mistyped')
  const { settings } = await startUnchangedApp(t)
  for (const database of ['', settings.DATABASE_URL]) {
    const { code, stderr, stdout } = await admin(
      { DATABASE_URL: database, DATA_DIR: folder },
      'jobs',
      'dead',
    )
    assert.deepEqual([code, stdout], [1, ''])
    assert.equal(
      stderr,
      `There is no folder ${folder}. Set DATA_DIR to the data folder of the service, or start ` +
        'the service once to create it.\n',
    )
    assert.equal(existsSync(folder), false)
  }
})

test('a command with a file or an empty folder as data folder creates nothing', async (t) => {
  const parent = temporaryFolder(t)
  const empty = join(parent, 'empty')
  mkdirSync(empty)
  const file = join(parent, 'file')
  writeFileSync(file, 'x')
  const { settings } = await startUnchangedApp(t)
  const advice =
    'Set DATA_DIR to the data folder of the service, or start the service once to create it.'
  for (const database of ['', settings.DATABASE_URL]) {
    const run = (folder: string) =>
      admin({ DATABASE_URL: database, DATA_DIR: folder, SECRETS_KEY: '' }, 'jobs', 'dead')
    assert.deepEqual(await run(file), {
      stdout: '',
      stderr: `${file} is not a folder. ${advice}\n`,
      code: 1,
    })
    const missing = database ? 'secrets.key' : 'postgres'
    assert.deepEqual(await run(empty), {
      stdout: '',
      stderr: `${empty} is not the data folder of a service: it has no ${missing}. ${advice}\n`,
      code: 1,
    })
    assert.deepEqual(readdirSync(empty), [])
  }
})

test('secrets retire removes only keys that no secret uses, and only with --yes', async (t) => {
  const { settings, sql, core, a, data_dir } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { uid } = await a.listing()
  await core.secrets.put(sql, uid, 'auth_key', 'hush')
  const keys = () => readFileSync(join(data_dir, 'secrets.key'), 'utf8').trim().split('\n')
  await admin(settings, 'secrets', 'rotate')
  await sql`update secrets set key_version = 1`
  const refused = await admin(settings, 'secrets', 'retire', '--yes')
  assert.deepEqual([refused.code, keys().length], [1, 2])
  assert.match(refused.stderr, /1 secret is still encrypted/)
  await sql`update secrets set key_version = 2`
  assert.match((await admin(settings, 'secrets', 'retire')).stderr, /--yes/)
  assert.equal(keys().length, 2)
  assert.match(
    (await admin(settings, 'secrets', 'retire', '--yes')).stdout,
    /removed 1 old key; key 2 remains/,
  )
  assert.deepEqual([keys().length, keys()[0]!.slice(0, 2)], [1, '2:'])
  assert.equal(await core.secrets.get(sql, uid, 'auth_key'), 'hush')
})

test('with SECRETS_KEY the old key decrypts until every secret is re-encrypted', async (t) => {
  const [old_key, new_key] = [
    randomBytes(32).toString('base64'),
    randomBytes(32).toString('base64'),
  ]
  const { settings, sql, core, a } = await startApp(t, {
    SLIPWAY_ROLES: 'api',
    SECRETS_KEY: `1:${old_key}`,
  })
  const { uid } = await a.listing()
  await core.secrets.put(sql, uid, 'auth_key', 'hush')
  const both = { ...settings, SECRETS_KEY: `2:${new_key},1:${old_key}` }
  assert.match((await admin(both, 'secrets', 'rotate')).stdout, /key 2; 2 changed/)
  const now = createSecrets(
    await loadKeyring({ secrets_key: `2:${new_key}`, data_dir: settings.DATA_DIR }),
  )
  assert.equal(await now.get(sql, uid, 'auth_key'), 'hush')
  assert.equal((await admin(both, 'secrets', 'retire', '--yes')).code, 1)
})

test('search rebuild reloads the running index and invalidates older snapshots', async (t) => {
  const { settings, sql, get, a } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { uid } = await a.listing({ name: 'Lantern Keeper' })
  const matches = async () => must(await get('/api/v1/public/search?q=lantern')).total as number
  assert.equal(await matches(), 0)
  // With triggers off, the index gets no notification of this change.
  await sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`
      update listings
      set visibility = 'public', public_since = now(), published_at = now()
      where uid = ${uid}`
  })
  const [before] = await sql`select id from catalog_identity`
  assert.match(
    (await adminProcess(settings, 'search', 'rebuild')).stdout,
    /^1 listing is being reloaded/,
  )
  const [after] = await sql`select id from catalog_identity`
  assert.notEqual(after!.id, before!.id)
  await eventually('the listing in the search results', async () => (await matches()) === 1)
})
