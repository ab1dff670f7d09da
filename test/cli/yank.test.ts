import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startUploaderApp, tree } from './slipway.ts'

test('yank withdraws the builds of a version, and --undo restores them', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'readme.txt': 'x' })
  const push = async (version: string, os: string) => {
    const pushed = await run(['push', folder, '--version', version, '--os', os, '--wait', '--json'])
    assert.equal(pushed.code, 0, pushed.stderr)
    return pushed.json.builds[0].build_id as string
  }
  const linux = await push('1.0', 'linux')
  await push('1.0', 'windows')
  const fix = await push('1.1', 'linux')
  const reason = ['--reason', 'It deletes saved games']
  const all = await run(['yank', '1.0', ...reason, '--replacement', '1.1', '--json'])
  assert.equal(all.code, 0, all.stderr)
  assert.deepEqual(
    [all.json.ok, all.json.action, all.json.builds.map(({ os }: any) => os).sort()],
    [true, 'withdraw', ['linux', 'windows']],
  )
  for (const { withdrawn } of all.json.builds)
    assert.deepEqual(
      [withdrawn.reason, withdrawn.replacement],
      ['It deletes saved games', { build_id: fix, version: '1.1' }],
    )
  const status = await run(['status', linux])
  assert.equal(status.code, 4)
  assert.match(status.stderr, /passed its scan, but its build is withdrawn\n {2}hint: /)
  const undone = await run(['yank', linux, '--undo'])
  assert.deepEqual([undone.code, undone.stdout], [0, `${restored(linux)}\n`])
  assert.equal((await run(['status', linux])).code, 0)
  const windows = await run(['yank', '1.0', '--os', 'windows', '--undo', '--json'])
  assert.deepEqual([windows.json.action, windows.json.builds.length], ['restore', 1])
  for (const [args, message] of [
    [['yank', '1.0'], /--reason: say why/],
    [['yank', '1.0', '--reason', ' '], /--reason: say why/],
    [['yank', '1.0', '--undo', ...reason], /--undo takes neither/],
    [['yank', '9.9', ...reason], /no build of version 9\.9/],
    [['yank', '1.0', '--app', 'server', ...reason], /no build of version 1\.0/],
    [['yank', linux, ...reason, '--replacement', linux], /\[4000\]/],
  ] as const) {
    const { code, stderr } = await run([...args])
    assert.notEqual(code, 0, args.join(' '))
    assert.match(stderr, message)
  }
  const german = await run(['yank', linux, ...reason], { env: { LANG: 'de_DE.UTF-8' } })
  assert.match(german.stdout, /^zurückgezogen: 1\.0 für /)
})

const restored = (build_id: string) => `restored 1.0 for linux/x86_64 on stable: ${build_id}`
