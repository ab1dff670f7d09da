import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { openPool as openDatabase, type Sql } from '../../../src/core/database/sql.ts'
import {
  addKey,
  createSecrets,
  loadKeyring,
  rotateSecrets,
  type Sealed,
  type Secrets,
} from '../../../src/core/security/secrets.ts'
import { cleanup } from '../../support/cleanup.ts'
import { freshDatabase } from '../../support/database.ts'
import { fc } from '../../support/property.ts'

const newKey = () => randomBytes(32).toString('base64')
const [game, other] = [randomUUID(), randomUUID()]
const [key1, key2, key3] = [newKey(), newKey(), newKey()]
const fromText = async (secrets_key: string) =>
  createSecrets(await loadKeyring({ secrets_key, data_dir: '/nonexistent' }))

function folder(t: TestContext) {
  const data_dir = mkdtempSync(join(tmpdir(), 'secrets-'))
  t.after(() => rmSync(data_dir, { recursive: true }))
  return data_dir
}

const fromFile = async (data_dir: string) => createSecrets(await loadKeyring({ data_dir }))
const fails = (open: () => unknown, ...hidden: string[]) =>
  assert.throws(open, (error: Error) => {
    for (const text of ['hush', key1, key2, key3, ...hidden])
      assert.ok(!`${error.message} ${error.stack}`.includes(text))
    assert.match(error.message, /does not open|No key of version/)
    return true
  })

test('property: a sealed value opens again for the same game and field', async () => {
  const secrets = await fromText(key1)
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.string({ minLength: 1 }), (text, field) => {
      assert.equal(secrets.open(game, field, secrets.seal(game, field, text)), text)
    }),
  )
  assert.equal(secrets.open(game.toUpperCase(), 'f', secrets.seal(game, 'f', 'hush')), 'hush')
})

test('sealing a value twice gives different bytes that reveal neither the value nor the key', async () => {
  const secrets = await fromText(key1)
  const [a, b] = [secrets.seal(game, 'f', 'hush'), secrets.seal(game, 'f', 'hush')]
  assert.notDeepEqual(a.sealed, b.sealed)
  assert.equal(a.sealed.length, 12 + 4 + 16)
  assert.ok(!a.sealed.includes('hush'))
})

test('a secret does not open for another game, field, key or version', async () => {
  const secrets = await fromText(`1:${key1},2:${key2}`)
  const made = secrets.seal(game, 'auth_key', 'hush')
  assert.equal(made.key_version, 1)
  fails(() => secrets.open(other, 'auth_key', made))
  fails(() => secrets.open(game, 'signing_key', made))
  fails(() => secrets.open(game, 'auth_key', { ...made, key_version: 2 }))
  fails(() => secrets.open(game, 'auth_key', { ...made, key_version: 3 }))
  const stranger = await fromText(key3)
  fails(() => stranger.open(game, 'auth_key', made))
})

test('detects every changed bit and every missing byte', async () => {
  const secrets = await fromText(key1)
  const { key_version, sealed } = secrets.seal(game, 'f', 'hush')
  for (let bit = 0; bit < sealed.length * 8; bit++) {
    const flipped = Buffer.from(sealed)
    flipped[bit >> 3]! ^= 1 << (bit & 7)
    fails(() => secrets.open(game, 'f', { key_version, sealed: flipped }))
  }
  for (let length = 0; length < sealed.length; length++)
    fails(() => secrets.open(game, 'f', { key_version, sealed: sealed.subarray(0, length) }))
  fails(() =>
    secrets.open(game, 'f', { key_version, sealed: Buffer.concat([sealed, Buffer.alloc(1)]) }),
  )
})

test('rejects a game that is not a uid, and an empty field', async () => {
  const secrets = await fromText(key1)
  for (const [uid, field] of [
    ['', 'f'],
    ['vanity-name', 'f'],
    [`${game}\nf`, 'f'],
    [game, ''],
  ] as const)
    assert.throws(() => secrets.seal(uid, field, 'hush'), TypeError)
})

test('the first key of a list seals, and every key of it opens', async () => {
  const old = (await fromText(key1)).seal(game, 'f', 'hush')
  const secrets = await fromText(` 2:${key2} , 1:${key1} `)
  assert.deepEqual(
    [old.key_version, secrets.current_version(), secrets.seal(game, 'f', 'x').key_version],
    [1, 2, 2],
  )
  assert.equal(secrets.open(game, 'f', old), 'hush')
})

test('invalid keys stop the start and are not repeated in the message', async () => {
  const short = randomBytes(31).toString('base64')
  const long = randomBytes(33).toString('base64')
  const wrong = [
    '',
    ' ',
    ',',
    'password',
    short,
    long,
    key1.slice(0, 43),
    `0:${key1}`,
    `-1:${key1}`,
    `a:${key1}`,
    `1:${key1}:`,
    `1:${key1},1:${key2}`,
    `${key1},${key2}`,
    `2:${key2},${key1}`,
    `2:${key2},1:x`,
  ]
  for (const secrets_key of wrong)
    await assert.rejects(fromText(secrets_key), (error: Error) => {
      assert.match(error.message, /^SECRETS_KEY/)
      for (const text of [key1, key2, short, long, 'password'])
        assert.ok(!error.message.includes(text))
      return true
    })
})

test('a MAC depends on purpose, text and the oldest key, and survives a rotation', async () => {
  const before = await fromText(key1)
  const rotated = await fromText(`2:${key2},1:${key1}`)
  const mac = before.mac('mail-code', '123456')
  assert.equal(mac.length, 32)
  assert.deepEqual(rotated.mac('mail-code', '123456'), mac)
  assert.deepEqual((await fromText(`1:${key1},2:${key2}`)).mac('mail-code', '123456'), mac)
  assert.notDeepEqual(before.mac('mail-code', '123457'), mac)
  assert.notDeepEqual(before.mac('other', '123456'), mac)
  assert.notDeepEqual((await fromText(key2)).mac('mail-code', '123456'), mac)
})

test('without a configured key the first start creates one that only the owner can read', async (t) => {
  const data_dir = join(folder(t), 'new', 'data')
  const made = (await fromFile(data_dir)).seal(game, 'f', 'hush')
  assert.equal((await fromFile(data_dir)).open(game, 'f', made), 'hush')
  assert.equal(statSync(join(data_dir, 'secrets.key')).mode & 0o777, 0o600)
  assert.match(readFileSync(join(data_dir, 'secrets.key'), 'utf8'), /^1:[A-Za-z0-9+/]{43}=\n$/)
  assert.deepEqual(readdirSync(data_dir), ['secrets.key'])
})

test('with a configured key no key file is created or read', async (t) => {
  const data_dir = folder(t)
  createSecrets(await loadKeyring({ secrets_key: key1, data_dir }))
  assert.deepEqual(readdirSync(data_dir), [])
})

test('a damaged key file stops the start and is not replaced', async (t) => {
  const data_dir = folder(t)
  for (const text of ['', 'nonsense', `1:${key1}\n1:${key2}\n`]) {
    writeFileSync(join(data_dir, 'secrets.key'), text)
    await assert.rejects(fromFile(data_dir), /^Error: secrets\.key/)
    assert.equal(readFileSync(join(data_dir, 'secrets.key'), 'utf8'), text)
  }
})

test('processes that start at the same time use the same key', async (t) => {
  const data_dir = folder(t)
  const module_url = String(new URL('../../../src/core/security/secrets.ts', import.meta.url))
  const script = `
    const { createSecrets, loadKeyring } = await import('${module_url}')
    const load = async () => createSecrets(await loadKeyring({ data_dir: '${data_dir}' })).mac('a', 'b').toString('hex')
    console.log((await Promise.all([load(), load(), load()])).join())`
  const run = () => promisify(execFile)(process.execPath, ['--input-type=module', '-e', script])
  const outputs = await Promise.all([run(), run(), run(), run()])
  const macs = new Set(outputs.flatMap(({ stdout }) => stdout.trim().split(',')))
  assert.equal(macs.size, 1)
  assert.deepEqual(readdirSync(data_dir), ['secrets.key'])
})

test("a start that loses the race to create the key file uses the winner's key", async (t) => {
  const data_dir = folder(t)
  const handle = await openFile(import.meta.filename)
  await handle.close()
  const methods = Object.getPrototypeOf(handle) as typeof handle
  const { promise: overtaken, resolve: overtake } = Promise.withResolvers<void>()
  const held = Promise.withResolvers<void>()
  const real = methods.datasync
  t.mock.method(methods, 'datasync', async function (this: typeof handle) {
    t.mock.restoreAll()
    held.resolve()
    await overtaken
    return real.call(this)
  })
  const slow = fromFile(data_dir)
  await held.promise
  const fast = await fromFile(data_dir)
  overtake()
  assert.deepEqual((await slow).mac('a', 'b'), fast.mac('a', 'b'))
  assert.deepEqual((await fromFile(data_dir)).mac('a', 'b'), fast.mac('a', 'b'))
})

test('an added key becomes current at once, also in a running process', async (t) => {
  const data_dir = folder(t)
  const running = await fromFile(data_dir)
  const old = running.seal(game, 'f', 'old')
  assert.equal(await addKey(data_dir), 2)
  assert.equal(running.current_version(), 2)
  const fresh = await fromFile(data_dir)
  const made = fresh.seal(game, 'f', 'new')
  assert.equal(made.key_version, 2)
  assert.equal(running.open(game, 'f', made), 'new')
  assert.equal(running.current_version(), 2)
  assert.equal(fresh.open(game, 'f', old), 'old')
  fails(() => running.open(game, 'f', { ...made, key_version: 9 }))
  assert.equal(await addKey(data_dir), 3)
  assert.match(readFileSync(join(data_dir, 'secrets.key'), 'utf8'), /^3:\S+\n2:\S+\n1:\S+\n$/)
  assert.equal(statSync(join(data_dir, 'secrets.key')).mode & 0o777, 0o600)
})

test('keys can be added to a key file that contains one bare key', async (t) => {
  const data_dir = folder(t)
  writeFileSync(join(data_dir, 'secrets.key'), key1)
  const made = (await fromFile(data_dir)).seal(game, 'f', 'hush')
  assert.equal(await addKey(data_dir), 2)
  assert.equal((await fromFile(data_dir)).open(game, 'f', made), 'hush')
})

test('concurrent additions lose no key: each one is in the file or is rejected', async (t) => {
  const data_dir = folder(t)
  const results = await Promise.allSettled(Array.from({ length: 6 }, () => addKey(data_dir)))
  const given = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const versions = [
    ...readFileSync(join(data_dir, 'secrets.key'), 'utf8').matchAll(/^(\d+):/gm),
  ].map(([, version]) => Number(version))
  assert.ok(given.length >= 1)
  assert.deepEqual(versions, [...given.sort((a, b) => b - a), 1])
  for (const result of results)
    if (result.status === 'rejected') assert.match(result.reason.message, /Another process/)
})

test('an interrupted addition is reported and leaves the key file unchanged', async (t) => {
  const data_dir = folder(t)
  await fromFile(data_dir)
  const text = readFileSync(join(data_dir, 'secrets.key'), 'utf8')
  writeFileSync(join(data_dir, 'secrets.key.new'), '2:')
  await assert.rejects(addKey(data_dir), /secrets\.key\.new/)
  assert.equal(readFileSync(join(data_dir, 'secrets.key'), 'utf8'), text)
  assert.equal(readFileSync(join(data_dir, 'secrets.key.new'), 'utf8'), '2:')
})

test('a key file changed by root keeps its owner', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, async (t) => {
  const data_dir = folder(t)
  await fromFile(data_dir)
  chownSync(join(data_dir, 'secrets.key'), 12345, 23456)
  await addKey(data_dir)
  const { uid, gid } = statSync(join(data_dir, 'secrets.key'))
  assert.deepEqual([uid, gid], [12345, 23456])
})

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

test('a stored secret can be read, replaced and removed, and the table has only sealed bytes', async (t) => {
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
  const rows = await sql<Sealed[]>`select * from secrets`
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

test('a rotation reseals every old value in batches, and a second one changes nothing', async (t) => {
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
  const meddling: Secrets = {
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
  const held = new Proxy(sql, {
    apply: (target, self, args) =>
      pending
        ? pending.then(() => Reflect.apply(target, self, args))
        : Reflect.apply(target, self, args),
  })
  assert.equal(await rotateSecrets(held, meddling), 2)
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

test('a rotation skips values that do not open, leaves them unchanged and reports them', async (t) => {
  sql = await secretsTable(t)
  await store(await fromText(key1), 5)
  await (await fromText(`7:${key3}`)).put(sql, game, 'lost', 'hush')
  const secrets = await fromText(`2:${key2},1:${key1}`)
  await assert.rejects(rotateSecrets(sql, secrets, { batch: 2 }), (error: Error) => {
    assert.match(
      error.message,
      new RegExp(`^1 secrets do not open, such as lost of game ${game}; 5 were`),
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
