import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openPool } from '../../../src/core/database/sql.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import {
  countSealedValues,
  IDEMPOTENCY_FIELD,
  OAUTH_SECRET_FIELD,
  sealedColumns,
} from '../../../src/core/security/sealed-columns.ts'
import { addKey, loadKeyring, type Sealed } from '../../../src/core/security/secrets.ts'
import { KEY_CHECK_FIELD, openSecrets } from '../../../src/core/settings/key-check.ts'
import { putStoreSecret } from '../../../src/core/settings/store-secrets.ts'
import { codeBlocks } from '../../docs/code-blocks.ts'
import { admin } from '../../support/admin-run.ts'
import { startApp, temporaryFolder } from '../../support/app.ts'
import { serviceFile } from '../../support/child.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { runProgram } from '../../support/run-program.ts'

const newKey = () => randomBytes(32).toString('base64')

async function database(t: TestContext) {
  const url = await freshDatabase(t)
  const sql = openPool(url, 2, 'test')
  cleanup(t, () => sql.end())
  return { url, sql }
}

test('a lost key file stops the start in a sentence, and no new key is created', async (t) => {
  const { url, sql } = await database(t)
  const data_dir = temporaryFolder(t)
  await openSecrets(sql, { data_dir, secrets_key: undefined })
  const key = readFileSync(join(data_dir, 'secrets.key'), 'utf8')
  rmSync(join(data_dir, 'secrets.key'))
  const env = { ...process.env, DATABASE_URL: url, DATA_DIR: data_dir, PORT: '0' }
  const start = async () => runProgram(process.execPath, [await serviceFile()], { env })
  await assert.rejects(start, (error: Error) => {
    assert.match(String(error), /their key is missing: there is no .*secrets\.key\. Copy secrets/)
    assert.doesNotMatch(String(error), /\n +at /)
    return true
  })
  assert.equal(existsSync(join(data_dir, 'secrets.key')), false, 'a new key was created')
  await openSecrets(sql, { data_dir, secrets_key: key })
  writeFileSync(join(data_dir, 'secrets.key'), key)
  await openSecrets(sql, { data_dir, secrets_key: undefined })
})

test('another key stops the start, from a file and from the setting', async (t) => {
  const { sql } = await database(t)
  const data_dir = temporaryFolder(t)
  const right = newKey()
  await openSecrets(sql, { data_dir, secrets_key: right })
  await assert.rejects(
    openSecrets(sql, { data_dir, secrets_key: newKey() }),
    /encrypted with another key than that of SECRETS_KEY\. Use the key of this database/,
  )
  await assert.rejects(
    openSecrets(sql, { data_dir, secrets_key: `2:${newKey()}` }),
    /another key than that of SECRETS_KEY/,
  )
  writeFileSync(join(data_dir, 'secrets.key'), `1:${newKey()}\n`)
  await assert.rejects(
    openSecrets(sql, { data_dir, secrets_key: undefined }),
    /another key than that of .*secrets\.key\. Use the key of this database/,
  )
  await openSecrets(sql, { data_dir, secrets_key: `2:${newKey()},1:${right}` })
})

test('the secrets of an older version take the place of the check value', async (t) => {
  const { sql } = await database(t)
  const data_dir = temporaryFolder(t)
  const secrets_key = newKey()
  const secrets = await openSecrets(sql, { data_dir, secrets_key })
  await putStoreSecret(sql, secrets, 'smtp_url', 'smtp://mail.example')
  const forget = () => sql`delete from store_secrets where field = ${KEY_CHECK_FIELD}`
  await forget()
  await assert.rejects(openSecrets(sql, { data_dir, secrets_key: newKey() }), /another key/)
  await assert.rejects(openSecrets(sql, { data_dir, secrets_key: undefined }), /key is missing/)
  assert.equal(existsSync(join(data_dir, 'secrets.key')), false)
  await openSecrets(sql, { data_dir, secrets_key })
  await assert.rejects(openSecrets(sql, { data_dir, secrets_key: newKey() }), /another key/)
})

test('of two first starts with different keys, one is refused', async (t) => {
  const { sql } = await database(t)
  const data_dir = temporaryFolder(t)
  const starts = await Promise.allSettled(
    [newKey(), newKey()].map((secrets_key) => openSecrets(sql, { data_dir, secrets_key })),
  )
  assert.deepEqual(starts.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('a rotation and the removal of the old keys keep the check', async (t) => {
  const { settings, sql, data_dir } = await startApp(t, { SLIPWAY_ROLES: 'api' })
  assert.match((await admin(settings, 'secrets', 'rotate')).stdout, /key 2; 1 changed/)
  assert.equal((await admin(settings, 'secrets', 'retire', '--yes')).code, 0)
  assert.equal((await loadKeyring({ data_dir })).oldest().version, 2)
  await openSecrets(sql, { data_dir, secrets_key: undefined })
  await addKey(data_dir)
  await openSecrets(sql, { data_dir, secrets_key: undefined })
})

test('the command of the backup page starts over without the key', async (t) => {
  const live = await startApp(t, { SLIPWAY_ROLES: 'api' })
  const { a, sql, settings, data_dir } = live
  const { secrets } = live.core
  const { uid: game_uid, owner } = await a.listing()
  const user_uid = owner.uid
  const client_id = uuidv7()
  const seal = (owner: string, field: string) => secrets.seal(owner, field, 'a secret')
  await secrets.put(sql, game_uid, 'bug_signing_key', 'a secret')
  await putStoreSecret(sql, secrets, 'smtp_url', 'smtp://mail.example')
  await sql`insert into totp_factors ${sql({ user_uid, confirmed_at: new Date() })}`
  await sql`
    insert into account_secrets ${sql({ user_uid, field: 'totp', ...seal(user_uid, 'totp') })}`
  const record = (kind: string, sealed: Partial<Sealed>) => sql`
    insert into oauth_records ${sql({
      kind,
      uid: uuidv7(),
      id_hash: randomBytes(32),
      client_id,
      payload: '{}',
      secret_version: sealed.key_version ?? null,
      secret_sealed: sealed.sealed ?? null,
    })}`
  await record('Client', seal(client_id, OAUTH_SECRET_FIELD))
  await record('Grant', {})
  const answer = seal(game_uid, IDEMPOTENCY_FIELD)
  await sql`
    insert into idempotency_keys ${sql({ uid: game_uid, fingerprint: 'x', ...answer })}`

  const [command] = codeBlocks('docs/backup.md', 'sh').filter(
    ({ mark }) => mark === 'run by test/core/settings/key-check.test.ts',
  )
  const words = command!.body.trim().replace('npm run admin -- ', '').split(' ')
  const not_lost = await admin(settings, ...words, '--yes')
  assert.match(not_lost.stderr, /^The key is not lost/)
  const key = join(data_dir, 'secrets.key')
  writeFileSync(key, 'half of a k')
  const damaged = await admin(settings, ...words, '--yes')
  assert.match(damaged.stderr, /^secrets\.key: entry 1 is not a key.* move it away/)
  rmSync(key)
  const unconfirmed = await admin(settings, ...words)
  assert.equal(unconfirmed.code, 1)
  for (const { lost } of sealedColumns)
    assert.ok(unconfirmed.stderr.includes(`${lost.values}: 1; ${lost.next}`), lost.values)
  assert.match(unconfirmed.stderr, /Add --yes to confirm/)
  assert.equal((await countSealedValues(sql, KEY_CHECK_FIELD)).length, sealedColumns.length)

  const done = await admin(settings, ...words, '--yes')
  assert.equal(done.code, 0, done.stderr)
  assert.match(done.stdout, /Next: start the service\. It creates a new key/)
  assert.deepEqual(await countSealedValues(sql, ''), [])
  for (const table of ['totp_factors', 'oauth_records'])
    assert.equal((await sql`select from ${sql(table)}`).length, 0, table)
  await openSecrets(sql, { data_dir, secrets_key: undefined })
  assert.ok(existsSync(key))
  assert.match((await admin(settings, ...words)).stderr, /^The key is not lost/)
})
