import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { openPool as openDatabase, type Sql } from '../../../src/core/database/sql.ts'
import { rotateSecrets } from '../../../src/core/security/rotate-secrets.ts'
import { addKey, type Sealed, type Secrets } from '../../../src/core/security/secrets.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { folder, fromFile, fromText, game, key1, key2, key3, other } from './secrets-fixtures.ts'

/** The real table in a new database, without the listings that its rows reference. */
async function secretsTable(t: TestContext): Promise<Sql> {
  const sql = openDatabase(await freshDatabase(t), 4, 'test')
  cleanup(t, () => sql.end())
  await sql`alter table secrets drop constraint secrets_game_uid_fkey`
  return sql
}

let sql: Sql

async function store(secrets: Secrets, count: number) {
  const rows = Array.from({ length: count }, (_, i) => ({
    game_uid: randomUUID(),
    field: `field-${i % 3}`,
    text: `hush ${i}`,
  }))
  for (const { game_uid, field, text } of rows) await secrets.put(sql, game_uid, field, text)
  return rows
}

const versions = async () =>
  (await sql<{ key_version: number }[]>`select distinct key_version from secrets order by 1`).map(
    (row) => row.key_version,
  )

test('a stored secret can be read, replaced and removed, and is only stored sealed', async (t) => {
  sql = await secretsTable(t)
  const secrets = await fromText(key1)
  assert.equal(await secrets.get(sql, game, 'auth_key'), null)
  await secrets.put(sql, game, 'auth_key', 'hush 1')
  await secrets.put(sql, game, 'auth_key', 'hush 2')
  await secrets.put(sql, game, 'web_api_key', 'hush 3')
  await secrets.put(sql, other, 'auth_key', 'hush 4')
  assert.deepEqual(
    [await secrets.get(sql, game, 'auth_key'), await secrets.get(sql, game, 'web_api_key')],
    ['hush 2', 'hush 3'],
  )
  const rows = await sql<Pick<Sealed, 'sealed'>[]>`select sealed from secrets`
  assert.equal(rows.length, 3)
  assert.ok(rows.every(({ sealed }) => !sealed.includes('hush')))

  await secrets.remove(sql, game, 'auth_key')
  await secrets.remove(sql, game, 'auth_key')
  assert.deepEqual(
    [await secrets.get(sql, game, 'auth_key'), await secrets.get(sql, game, 'web_api_key')],
    [null, 'hush 3'],
  )
  await secrets.remove(sql, game)
  assert.deepEqual(
    [await secrets.get(sql, game, 'web_api_key'), await secrets.get(sql, other, 'auth_key')],
    [null, 'hush 4'],
  )
})

test('a secret stored in a transaction is rolled back with it', async (t) => {
  sql = await secretsTable(t)
  const secrets = await fromText(key1)
  const undone = sql.begin(async (tx) => {
    await secrets.put(tx, game, 'f', 'hush')
    assert.equal(await secrets.get(tx, game, 'f'), 'hush')
    throw new Error('undone')
  })
  await assert.rejects(undone, /undone/)
  assert.equal(await secrets.get(sql, game, 'f'), null)
})

test('a row moved to another game or field does not open', async (t) => {
  sql = await secretsTable(t)
  const secrets = await fromText(key1)
  await secrets.put(sql, game, 'f', 'hush')
  await sql`update secrets set game_uid = ${other}`
  await assert.rejects(secrets.get(sql, other, 'f'), /does not open/)
})

test('a rotation reseals every old value in batches, and a second changes nothing', async (t) => {
  sql = await secretsTable(t)
  const rows = await store(await fromText(key1), 23)
  const secrets = await fromText(`2:${key2},1:${key1}`)
  await secrets.put(sql, game, 'current', 'hush')
  const progress: number[] = []
  assert.equal(
    await rotateSecrets(sql, secrets, { batch: 10, on_progress: (done) => progress.push(done) }),
    23,
  )
  assert.deepEqual(progress, [10, 20, 23])
  assert.deepEqual(await versions(), [2])
  const only_new = await fromText(`2:${key2}`)
  for (const { game_uid, field, text } of rows)
    assert.equal(await only_new.get(sql, game_uid, field), text)
  assert.equal(await rotateSecrets(sql, secrets), 0)
})

test('a rotation does not overwrite a value that changes meanwhile', async (t) => {
  sql = await secretsTable(t)
  const old = await fromText(key1)
  const rows = await store(old, 4)
  const secrets = await fromText(`2:${key2},1:${key1}`)
  const [changed, gone] = rows
  const changing: Secrets = {
    ...secrets,
    seal(game_uid, field, text) {
      pending ??= Promise.all([
        old.put(sql, changed!.game_uid, changed!.field, 'changed'),
        secrets.remove(sql, gone!.game_uid),
      ])
      return secrets.seal(game_uid, field, text)
    },
  }
  let pending: Promise<unknown> | undefined
  // Delays the update of the rotation until the concurrent change has happened.
  const delayed = new Proxy(sql, {
    apply: (target, self, args) =>
      pending && /^\s*update /.test(String(args[0]))
        ? pending.then(() => Reflect.apply(target, self, args))
        : Reflect.apply(target, self, args),
  })
  assert.equal(await rotateSecrets(delayed, changing), 2)
  assert.equal(await secrets.get(sql, changed!.game_uid, changed!.field), 'changed')
  assert.equal(await secrets.get(sql, gone!.game_uid, gone!.field), null)
  assert.equal(await rotateSecrets(sql, secrets), 1)
  assert.deepEqual(await versions(), [2])
})

test('an interrupted rotation leaves every value readable and can be repeated', async (t) => {
  sql = await secretsTable(t)
  const rows = await store(await fromText(key1), 9)
  const secrets = await fromText(`2:${key2},1:${key1}`)
  const stop = () => {
    throw new Error('interrupted')
  }
  await assert.rejects(rotateSecrets(sql, secrets, { batch: 4, on_progress: stop }), /interrupted/)
  assert.deepEqual(await versions(), [1, 2])
  for (const { game_uid, field, text } of rows)
    assert.equal(await secrets.get(sql, game_uid, field), text)
  assert.equal(await rotateSecrets(sql, secrets, { batch: 4 }), 5)
})

test('a rotation skips values that do not open, leaves and reports them', async (t) => {
  sql = await secretsTable(t)
  await store(await fromText(key1), 5)
  await (await fromText(`7:${key3}`)).put(sql, game, 'lost', 'hush')
  const secrets = await fromText(`2:${key2},1:${key1}`)
  await assert.rejects(rotateSecrets(sql, secrets, { batch: 2 }), (error: Error) => {
    assert.match(
      error.message,
      new RegExp(`^1 secret does not open, such as lost of game ${game}; 5 were`),
    )
    assert.doesNotMatch(error.message, /hush/)
    return true
  })
  assert.deepEqual(await versions(), [2, 7])
})

test('a running process seals with an added key from then on', async (t) => {
  sql = await secretsTable(t)
  const data_dir = folder(t)
  const running = await fromFile(data_dir)
  await store(running, 2)
  await addKey(data_dir)
  await store(running, 1)
  assert.deepEqual(await versions(), [1, 2])
  assert.equal(await rotateSecrets(sql, running), 2)
  assert.deepEqual(await versions(), [2])
})
