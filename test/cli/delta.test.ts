import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { readdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { requestDelta } from '../../cli/delta/answer.ts'
import type { Api, ApiRequest } from '../../cli/http/api.ts'
import type { Target } from '../../cli/http/upload.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import { must } from '../support/builders.ts'
import { entriesOf, packFolder } from '../uploads/deltas/fixtures.ts'
import { gameVersions, writeTree } from '../uploads/deltas/trees.ts'
import { storedFile } from '../uploads/fixtures.ts'
import { startUploaderApp, tree } from './slipway.ts'

const linux = ['--os', 'linux', '--json']

/** A game whose first version is clean, and the folders of both versions. */
async function start(t: TestContext) {
  const app = await startUploaderApp(t)
  const { before, after } = gameVersions()
  const first = writeTree(tree(t, {}), before)
  const second = writeTree(tree(t, {}), after)
  const push = (folder: string, version: string, more: string[] = [], env = {}) =>
    app.run(['push', folder, '--version', version, ...linux, ...more], { env })
  const pushed = await push(first, '1.0', ['--wait'])
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.equal(pushed.json.builds[0].sent_bytes, undefined, 'the first build is sent whole')
  const entries = async (file_uid: string) =>
    entriesOf(await storedFile(app.core.storage, app.game.uid, file_uid))
  return { ...app, first, second, push, entries }
}

test('push sends what changed from the second build on, and says how much', async (t) => {
  const { push, second, entries, env, get, ci } = await start(t)
  const pushed = await push(second, '1.1', ['--wait'])
  assert.equal(pushed.code, 0, pushed.stderr)
  const [build] = pushed.json.builds
  assert.ok(build.sent_bytes < 60_000, `${build.sent_bytes} bytes were sent`)
  assert.match(pushed.stderr, /^sent [\d.]+ \S+ of [\d.]+ MiB; the store already had the rest$/m)
  assert.equal(build.scan, 'clean')
  assert.deepEqual(await entries(build.file_uid), await entriesOf(await packFolder(second)))
  const stored = must(await get(`/api/v1/tool/builds/${build.build_id}`, ci))
  assert.equal(stored.files[0].checksum, build.checksum)
  assert.deepEqual(readdirSync(env.TMPDIR), [], 'temporary files are left')

  const again = await push(second, '1.1')
  assert.match(again.stderr, /already has this content/)
  assert.equal(again.json.builds[0].checksum, build.checksum)
  const unchanged = await push(second, '1.2', ['--if-changed'])
  assert.equal(unchanged.json.unchanged, true, unchanged.stderr)
})

test('the list of files is sent compressed: a path and a hash take 64 bytes', async () => {
  const items = Array.from({ length: 2000 }, (_, index) => ({
    path: `assets/textures/rock-${index}.png`,
    sha256: createHash('sha256').update(String(index)).digest('hex'),
    size: 1000 * index,
    executable: false,
  }))
  let sent: ApiRequest | undefined
  const text = async (request: ApiRequest) => {
    sent = request
    return '{"base":null}\n{"end":true}\n'
  }
  const target = { build_id: 'uid', os: 'linux', arch: 'x86_64' } as Target
  const request = { target, filename: 'game.zip', items: items as never, signatures: true }
  await requestDelta({ text } as unknown as Api, request)
  assert.equal(sent!.headers!['content-encoding'], 'gzip')
  assert.ok(sent!.body!.length < 64 * items.length, `${sent!.body!.length} bytes`)
})

test('push --whole sends the whole zip', async (t) => {
  const { push, second, entries } = await start(t)
  const pushed = await push(second, '1.1', ['--whole'])
  assert.equal(pushed.code, 0, pushed.stderr)
  const [build] = pushed.json.builds
  assert.equal(build.sent_bytes, undefined)
  assert.deepEqual(await entries(build.file_uid), await entriesOf(await packFolder(second)))
})

const zstd = spawnSync('zstd', ['--version']).status === 0

test('push --base patches against a local folder', { skip: !zstd && 'no zstd' }, async (t) => {
  const { push, first, second, entries } = await start(t)
  const pushed = await push(second, '1.1', ['--base', first])
  assert.equal(pushed.code, 0, pushed.stderr)
  const [build] = pushed.json.builds
  assert.ok(build.sent_bytes < 10_000, `${build.sent_bytes} bytes were sent`)
  assert.deepEqual(await entries(build.file_uid), await entriesOf(await packFolder(second)))
})

test('push --base refuses what is not a folder, before anything is sent', async (t) => {
  const { push, second } = await start(t)
  const { code, json } = await push(second, '1.1', ['--base', join(second, 'missing')])
  assert.equal(code, 1)
  assert.match(json.error, /--base: \S+missing is not a folder/)
})

test('push --base without the program zstd compares with the store', async (t) => {
  const { push, first, second } = await start(t)
  const programs = tree(t, {})
  symlinkSync(process.execPath, join(programs, 'node'))
  const { code, stderr, json } = await push(second, '1.1', ['--base', first], { PATH: programs })
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^the program zstd is not installed/m)
  assert.ok(json.builds[0].sent_bytes < 60_000)
})

test('push sends the whole zip by itself if the base is gone meanwhile', async (t) => {
  const { push, second, sql, entries } = await start(t)
  // The base is quarantined once the uploader has compared with it.
  await sql`
    create function lose_base() returns trigger language plpgsql as $$
    begin
      update files set scan = 'quarantined', scan_before_quarantine = 'clean'
      where game_uid = new.game_uid and scan = 'clean';
      return new;
    end $$`
  await sql`
    create trigger lose_base before insert on upload_sessions
    for each row execute function lose_base()`
  const { code, json, stderr } = await push(second, '1.1')
  await sql`drop trigger lose_base on upload_sessions`
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^sending the whole zip instead: A build that the delta refers to/m)
  const [build] = json.builds
  assert.equal(build.sent_bytes, undefined)
  assert.deepEqual(await entries(build.file_uid), await entriesOf(await packFolder(second)))
})

test('an interrupted delta is resumed by the same command', async (t) => {
  const { push, sql, entries } = await start(t)
  const pak = randomBytes(4 * MIB)
  assert.equal((await push(tree(t, { 'a.pak': pak }), '2.0', ['--wait'])).code, 0)
  const next = tree(t, { 'a.pak': pak, 'b.pak': randomBytes(17 * MIB) })
  // The second chunk cannot begin.
  await sql`
    create function refuse_chunk() returns trigger language plpgsql as $$
    begin
      raise exception 'not now';
    end $$`
  await sql`
    create trigger refuse_chunk before update on upload_sessions
    for each row when (old.current_size > 0 and new.holder is not null)
    execute function refuse_chunk()`
  const failed = await push(next, '3.0')
  assert.notEqual(failed.code, 0)
  await sql`drop trigger refuse_chunk on upload_sessions`
  const { code, stderr, json } = await push(next, '3.0')
  assert.equal(code, 0, stderr)
  assert.match(stderr, /^resuming the interrupted upload at 16/m)
  const [build] = json.builds
  assert.ok(build.sent_bytes > 17 * MIB && build.sent_bytes < 18 * MIB)
  assert.deepEqual(await entries(build.file_uid), await entriesOf(await packFolder(next)))
})
