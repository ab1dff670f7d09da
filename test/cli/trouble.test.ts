import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { MIB } from '../../src/core/runtime/units.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { largeGame, startUploaderApp, tree } from './slipway.ts'

test('a full disk is reported before anything is registered and leaves no files', async (t) => {
  const { run, home, get, ci } = await startUploaderApp(t)
  const small = join(home, 'small')
  mkdirSync(small)
  if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', small]).status !== 0)
    return t.skip('needs the right to mount')
  cleanup(t, () => spawnSync('umount', ['-l', small]))
  const folder = tree(t, { 'a.exe': randomBytes(6 * MIB) })
  const full = await run(['push', folder, '--version', '1', '--os', 'windows'], {
    env: { TMPDIR: small },
  })
  assert.equal(full.code, 1)
  assert.match(
    full.stderr,
    /error: not enough space for the zip in .*small; up to 6\.0 MiB are needed\n {2}hint: .*TMPDIR/,
  )
  assert.deepEqual(readdirSync(small), [])
  assert.equal(must(await get('/api/v1/tool/builds', ci)).total, 0)
  const nowhere = await run(['push', folder, '--version', '1', '--os', 'windows'], {
    env: { TMPDIR: join(home, 'nowhere') },
  })
  assert.equal(nowhere.code, 1)
  assert.match(nowhere.stderr, /nothing can be written in .*nowhere \(ENOENT\)\n {2}hint: .*TMPDIR/)
})

test('a jumping clock does not affect an upload', async (t) => {
  const { run } = await startUploaderApp(t)
  const jumping =
    'const real = Date.now; let n = 0; Date.now = () => real() + (n++ % 2 ? 1e12 : -1e12)'
  const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(jumping)}`
  const pushed = await run(
    ['push', largeGame(t), '--version', '1', '--os', 'windows', '--wait', '--json'],
    { env: { NODE_OPTIONS } },
  )
  assert.deepEqual([pushed.code, pushed.json?.builds?.[0]?.scan], [0, 'clean'], pushed.stderr)
})

test('an unreadable file is named', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'a.exe': 'x', 'secret.bin': 'x' })
  chmodSync(join(folder, 'secret.bin'), 0)
  // Root may read every file unless it drops the capability.
  const under =
    process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override,-dac_read_search'] : []
  const args = ['push', folder, '--version', '1', '--os', 'windows']
  const { code, stderr } = await run(args, { under })
  assert.equal(code, 1)
  assert.match(stderr, /secret\.bin may not be read/)
})

test('refusals of a key, an owner or a file tree have a hint', async (t) => {
  const { run, a, post, game } = await startUploaderApp(t)
  const folder = tree(t, { 'a.exe': 'x', 'b.txt': 'x' })
  const push = (env = {}) =>
    run(['push', folder, '--version', '1', '--os', 'windows', '--json'], { env })
  const rejected = await push({ SVC_ACCESS_TOKEN: 'svc_dat_wrong' })
  assert.deepEqual([rejected.code, rejected.json.code, rejected.json.status], [2, 4022, 401])
  assert.match(rejected.json.hint, /SVC_ACCESS_TOKEN/)
  const unverified = await a.listing()
  const { headers } = await a.deployer(unverified)
  const early = await push({
    SVC_ACCESS_TOKEN: headers['x-access-token'],
    SVC_SECRET_KEY: headers['x-secret-key'],
  })
  assert.deepEqual([early.code, early.json.code], [2, 4096])
  must(
    await post(`/api/v1/private/games/${game.uid}/deploy-keys`, undefined, {
      token: game.owner.token,
    }),
  )
  const revoked = await push()
  assert.deepEqual([revoked.code, revoked.json.code], [2, 4023])
})

test('a tree over the server’s limits is refused before it is packed', async (t) => {
  const { run } = await startUploaderApp(t, { ZIP_MAX_ENTRIES: '3' })
  const folder = tree(t, { 'a.exe': 'x', 'b/c.txt': 'x' })
  const args = ['push', folder, '--version', '1', '--os', 'windows', '--json']
  assert.equal((await run(args)).code, 0)
  writeFileSync(join(folder, 'one-more'), 'x')
  const { code, json } = await run(args)
  assert.equal(code, 1)
  assert.match(json.error, /4 files and folders exceed the limit of 3 entries/)
})
