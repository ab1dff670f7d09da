import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chownSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { open as openFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import { addKey, createSecrets, loadKeyring } from '../../../src/core/security/secrets.ts'
import { assertCannotOpen, folder, fromFile, game, key1, key2 } from './secrets-fixtures.ts'

test('without a configured key the first start creates one for its owner only', async (t) => {
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
    const load = async () => {
      const keyring = await loadKeyring({ data_dir: '${data_dir}' })
      return createSecrets(keyring).mac('a', 'b').toString('hex')
    }
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
  const writing = Promise.withResolvers<void>()
  const real = methods.datasync
  t.mock.method(methods, 'datasync', async function (this: typeof handle) {
    t.mock.restoreAll()
    writing.resolve()
    await overtaken
    return real.call(this)
  })
  const slow = fromFile(data_dir)
  await writing.promise
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
  assertCannotOpen(() => running.open(game, 'f', { ...made, key_version: 9 }))
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
  const added = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []))
  const versions = [
    ...readFileSync(join(data_dir, 'secrets.key'), 'utf8').matchAll(/^(\d+):/gm),
  ].map(([, version]) => Number(version))
  assert.ok(added.length >= 1)
  assert.deepEqual(versions, [...added.sort((a, b) => b - a), 1])
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
