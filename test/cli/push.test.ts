import assert from 'node:assert/strict'
import { chmodSync, existsSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { makePublic, must } from '../support/builders.ts'
import { upload } from '../uploads/forms.ts'
import { EICAR, zip } from '../uploads/zips.ts'
import { startUploaderApp, tree } from './slipway.ts'

const SYMBOLS = 'MODULE Linux x86_64 0123456789ABCDEF0123456789ABCDEF0 play\nFILE 0 a.c\n'

test('push publishes a folder with its symbols, and --wait waits for a clean scan', async (t) => {
  const { run, get, ci, env } = await startUploaderApp(t, { STORE_NAME: 'Harbor & Bell' })
  const folder = tree(t, {
    play: '#!/bin/sh\n',
    'data/level.txt': 'level '.repeat(1000),
    'empty/': '',
  })
  chmodSync(join(folder, 'play'), 0o755)
  const symbols = tree(t, { 'a.sym': SYMBOLS, 'readme.txt': 'not a symbol' })
  const args = ['push', folder, '--version', '1.0', '--os', 'Linux', '--arch', 'amd64']
  const more = ['--symbols', symbols, '--wait', '--json']
  const pushed = await run([...args, ...more], { own_process: true })
  assert.equal(pushed.code, 0, pushed.stderr)
  const [build] = pushed.json.builds
  assert.deepEqual(
    [pushed.json.ok, build.os, build.arch, build.channel, build.symbols, build.scan],
    [true, 'linux', 'x86_64', 'stable', 1, 'clean'],
  )
  const stored = must(await get(`/api/v1/tool/builds/${build.build_id}`, ci))
  assert.deepEqual([stored.version, stored.symbols, stored.files.length], ['1.0', 1, 1])
  assert.deepEqual(
    [stored.files[0].file_uid, stored.files[0].checksum, stored.files[0].scan],
    [build.file_uid, build.checksum, 'clean'],
  )
  assert.deepEqual(readdirSync(env.TMPDIR), [], 'the temporary zip was not removed')
  assert.doesNotMatch(pushed.stderr, /warning/)
  assert.match(pushed.stderr, /^publishing .+ on Harbor & Bell\n/)
  assert.match((await run(['info'])).stdout, /^store +Harbor & Bell$/m)

  const { code, stdout, stderr } = await run(['push', folder, '--version', '1.1', '--os', 'linux'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^SVC_GAMES_APP_ID=[0-9a-f-]{36}\nSVC_GAMES_BUILD_ID=[0-9a-f-]{36}\n$/)
  assert.match(stderr, /uploading: .* of .* \(100%\)/)
})

test('push --wait says who can download the build', async (t) => {
  const { run, sql, game } = await startUploaderApp(t)
  const folder = tree(t, { 'game.exe': 'MZ' })
  const pushFor = async (os: string, version: string, ...more: string[]) => {
    const args = ['push', folder, '--version', version, '--os', os, '--wait', ...more]
    const { code, stderr } = await run(args)
    assert.equal(code, 0, stderr)
    return /^the scan is clean(?:; (.*))?$/m.exec(stderr)![1]
  }
  const push = (version: string, ...more: string[]) => pushFor('windows', version, ...more)
  assert.equal(
    await push('1.0'),
    'players can download it once the page is public; it is draft now',
  )
  await makePublic(sql, game.uid)
  assert.equal(await push('1.1'), 'players can download it')
  const other = 'stable has another build for windows/x86_64: version 1.1'
  assert.equal(await push('0.9'), other)
  // Each platform has a build of its own, whatever the others have.
  assert.equal(await pushFor('linux', '0.8'), 'players can download it')
  assert.equal(await pushFor('linux', '2.0'), 'players can download it')
  assert.equal(await push('1.0.5'), other)
  await sql`update listings set price_cents = 500 where uid = ${game.uid}`
  assert.equal(await push('1.1'), 'players who have a copy can download it')
  await sql`update listings set price_cents = 0 where uid = ${game.uid}`
  const beta = await push('1.1', '--channel', 'beta')
  assert.equal(beta, 'players who joined the beta can download it')
  // Channels with a name of their own are for the same people as dev, even before the release.
  const restricted = ['dev', 'my-friends', 'constructor']
  for (const channel of restricted)
    assert.equal(await push('1.1', '--channel', channel), 'the owner and admins can download it')
  await sql`update listings set visibility = 'draft' where uid = ${game.uid}`
  for (const channel of restricted)
    assert.equal(await push('1.2', '--channel', channel), 'the owner and admins can download it')
  assert.match((await push('1.2', '--channel', 'beta'))!, /^players .* once the page is public;/)
  await makePublic(sql, game.uid)
  await sql`
    update channels set expires_at = now()
    where channel = 'stable' and game_uid = ${game.uid}`
  assert.equal(
    await push('1.2'),
    'the channel stable has expired; promote the build to open it again',
  )
})

test('--dry-run shows what would be sent and makes no request', async (t) => {
  const { run, get, ci } = await startUploaderApp(t)
  const folder = tree(t, { play: 'x', 'notes.log': 'x', '.slipwayignore': '*.log\n' })
  chmodSync(join(folder, 'play'), 0o755)
  const args = [
    'push',
    folder,
    '--version',
    '1',
    '--os',
    'linux',
    '--ignore',
    'nothing',
    '--dry-run',
  ]
  const dry_run = await run(args, {
    env: { SVC_API_URL: 'http://127.0.0.1:9/api/v1', SVC_SECRET_KEY: '' },
  })
  assert.equal(dry_run.code, 0, dry_run.stderr)
  assert.match(
    dry_run.stdout,
    /would pack 1 file, 1 B; 1 left out:\n +1 B {2}play \*\nnothing was sent/,
  )
  const { json } = await run([...args, '--json'])
  assert.deepEqual(
    [json.ok, json.dry_run, json.files, json.ignored],
    [true, true, [{ path: 'play', size: 1 }], 1],
  )
  assert.equal(must(await get('/api/v1/tool/builds', ci)).total, 0)
})

test('--if-changed skips the upload when the newest build has the same content', async (t) => {
  const { run, get, ci, sql, game } = await startUploaderApp(t)
  const folder = tree(t, { 'index.html': 'hello' })
  const push = (version: string, ...more: string[]) =>
    run([
      'push',
      folder,
      '--version',
      version,
      '--os',
      'web',
      '--arch',
      'wasm32',
      '--if-changed',
      '--json',
      ...more,
    ])
  const first = await push('1', '--wait')
  const again = await push('2')
  assert.deepEqual([first.json.unchanged, again.json.unchanged, again.code], [undefined, true, 0])
  assert.equal(again.json.builds[0].build_id, first.json.builds[0].build_id)
  await sql`update files set scan = 'scanning' where game_uid = ${game.uid}`
  const scanning = await push('2', '--wait', '--wait-minutes', '0.01')
  assert.deepEqual(
    [scanning.code, scanning.json.builds[0].scan],
    [4, 'scanning'],
    'push did not wait for the scan of an unchanged build',
  )
  await sql`update files set scan = 'clean' where game_uid = ${game.uid}`
  assert.equal(
    (await push('2', '--channel', 'beta')).json.unchanged,
    undefined,
    'a build of another channel counted as unchanged',
  )
  assert.equal(
    (await push('2', '--app', 'editor')).json.unchanged,
    undefined,
    'a build of another app counted as unchanged',
  )
  chmodSync(join(folder, 'index.html'), 0o755)
  assert.equal(
    (await push('3')).json.unchanged,
    undefined,
    'a changed executable bit counted as unchanged',
  )
  chmodSync(join(folder, 'index.html'), 0o644)
  assert.equal((await push('4')).json.unchanged, undefined, 'an older build counted as unchanged')
  assert.equal(must(await get('/api/v1/tool/builds', ci)).total, 5)
})

test('--if-changed compares with the newest build that has a file for the platform', async (t) => {
  const { run, call, post, get, ci } = await startUploaderApp(t)
  const folder = tree(t, { 'game.exe': 'MZ', play: '#!/bin/sh\n' })
  const push = async (version: string, os = 'linux', ...more: string[]) => {
    const args = ['push', folder, '--version', version, '--os', os, '--if-changed', '--json']
    const { code, json, stderr } = await run([...args, ...more])
    assert.equal(code, 0, stderr)
    return json
  }
  const first = await push('1', 'linux', '--wait')
  const register = async (fields: object) =>
    must(await post('/api/v1/tool/upload/build', fields, ci)).build_id as string
  const linux = { os: 'linux', arch: 'x86_64', channel: 'stable' }
  await register({ version: '2', ...linux })
  assert.deepEqual(
    [(await push('3')).unchanged, (await push('3')).builds[0].build_id],
    [true, first.builds[0].build_id],
    'a build without a file counted as a change',
  )
  const both = await register({ version: '4', ...linux, os: 'windows' })
  const other = zip([{ name: 'play', body: 'other' }])
  const send = (os: string) =>
    call('POST', '/api/v1/tool/upload/files', upload(other, { build_id: both, os }, ci))
  must(await send('windows'))
  assert.equal((await push('5')).unchanged, true, 'a file of another platform was compared')
  must(await send('linux'))
  const changed = await push('5')
  assert.equal(changed.unchanged, undefined, 'a newer file of the platform was ignored')
  assert.equal(must(await get('/api/v1/tool/builds', ci)).total, 4)
})

test('--if-changed compares with the highest version, also after an older build', async (t) => {
  const { run } = await startUploaderApp(t)
  const push = async (version: string, content: string, ...more: string[]) => {
    const folder = tree(t, { play: content })
    const { code, json, stderr } = await run([
      'push',
      folder,
      '--version',
      version,
      '--os',
      'linux',
      '--json',
      ...more,
    ])
    assert.equal(code, 0, stderr)
    return json
  }
  const release = await push('7.0.0', 'release')
  await push('6.5.0', 'fix of an older release')
  const same = await push('7.0.1', 'release', '--if-changed')
  assert.deepEqual([same.unchanged, same.builds[0].build_id], [true, release.builds[0].build_id])
  const changed = await push('7.0.1', 'fix of an older release', '--if-changed')
  assert.equal(changed.unchanged, undefined, 'a release was skipped')
})

test('a build gets the same content for a platform once', async (t) => {
  const { run, get, ci } = await startUploaderApp(t)
  const folder = tree(t, { 'game.exe': 'MZ' })
  const push = async (...more: string[]) => {
    const args = ['push', folder, '--version', '1', '--os', 'windows', '--json', ...more]
    const { code, json, stderr } = await run(args)
    assert.equal(code, 0, stderr)
    return { ...json.builds[0], stderr }
  }
  const first = await push('--wait')
  const again = await push('--wait')
  assert.deepEqual(
    [again.build_id, again.file_uid, again.scan],
    [first.build_id, first.file_uid, 'clean'],
  )
  assert.match(again.stderr, /the build already has this content for windows\/x86_64 on stable/)
  writeFileSync(join(folder, 'game.exe'), 'MZ 2')
  const changed = await push()
  assert.notEqual(changed.file_uid, first.file_uid)
  const { files } = must(await get(`/api/v1/tool/builds/${first.build_id}`, ci))
  assert.deepEqual(
    files.map(({ file_uid }: any) => file_uid),
    [changed.file_uid, first.file_uid],
  )
  writeFileSync(join(folder, 'game.exe'), 'MZ')
  assert.equal((await push()).file_uid, first.file_uid)
  const { files: reverted } = must(await get(`/api/v1/tool/builds/${first.build_id}`, ci))
  assert.deepEqual(
    reverted.map(({ file_uid }: any) => file_uid),
    [first.file_uid, changed.file_uid],
    'the content that was pushed last is not the newest',
  )
})

test('a rejected file exits with 4, and its content does not count as unchanged', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'game.exe': EICAR })
  const args = ['push', folder, '--version', '1', '--os', 'windows']
  const bad = await run([...args, '--wait', '--json'])
  assert.equal(bad.code, 4)
  assert.deepEqual(
    [bad.json.ok, bad.json.exit_code, bad.json.builds[0].scan],
    [false, 4, 'infected'],
  )
  assert.match(bad.json.error, /eicar_test_file in game\.exe/)
  const { build_id } = bad.json.builds[0]
  const status = await run(['status', build_id])
  assert.equal(status.code, 4)
  assert.match(status.stdout, /infected .* eicar_test_file in game\.exe/)
  assert.match(
    status.stderr,
    /^error: .* is infected and was removed: eicar_test_file in game\.exe\n {2}hint: /,
  )
  const again = await run([...args, '--if-changed', '--wait', '--json'])
  assert.deepEqual([again.code, again.json.unchanged], [4, undefined])
  writeFileSync(join(folder, 'game.exe'), 'MZ harmless')
  assert.equal((await run([...args, '--wait'])).code, 0)
  const now = await run(['status', build_id, '--wait', '--json'])
  assert.deepEqual([now.code, now.json.ok, now.json.build.files.length], [0, true, 3])
})

test('push publishes an existing zip or a single file', async (t) => {
  const { run, get, ci } = await startUploaderApp(t)
  const folder = tree(t, {
    'game.apk': 'PK',
    'ready.zip': zip([{ name: 'a/b.apk', body: 'x' }]),
    'cased.zip': zip([{ name: 'a/b.apk', body: 'x' }, { name: 'A/B.apk' }]),
    'broken.zip': 'not a zip',
  })
  const push = (name: string) =>
    run([
      'push',
      join(folder, name),
      '--version',
      '1',
      '--os',
      'android',
      '--arch',
      'arm64',
      '--json',
    ])
  const cased = await run([
    ...['push', join(folder, 'cased.zip'), '--version', '1', '--os', 'android', '--dry-run'],
  ])
  assert.match(cased.stderr, /a\/b\.apk and A\/B\.apk are the same name/)
  const ready = await push('ready.zip')
  const single = await push('game.apk')
  const broken = await push('broken.zip')
  assert.deepEqual([ready.code, single.code, broken.code], [0, 0, 1])
  assert.match(broken.json.error, /broken\.zip: the zip /)
  assert.equal(
    (
      await run([
        'push',
        join(folder, 'broken.zip'),
        '--version',
        '1',
        '--os',
        'android',
        '--dry-run',
      ])
    ).code,
    1,
  )
  const { files } = must(await get(`/api/v1/tool/builds/${ready.json.builds[0].build_id}`, ci))
  assert.deepEqual(files.map((file: any) => file.filename).sort(), [
    files.find((f: any) => f.filename !== 'ready.zip').filename,
    'ready.zip',
  ])
  assert.ok(existsSync(join(folder, 'ready.zip')), 'the zip of the user was removed')
})

test('push warns about files players cannot run', async (t) => {
  const { run } = await startUploaderApp(t)
  const dry = async (files: Record<string, string>, os: string, ...more: string[]) => {
    const folder = tree(t, files)
    return (await run(['push', folder, '--version', '1', '--os', os, '--dry-run', ...more])).stderr
  }
  assert.match(
    await dry({ 'readme.txt': 'x' }, 'windows'),
    /warning: nothing here starts on windows: players need a \.exe/,
  )
  assert.match(await dry({ 'readme.txt': 'x' }, 'web'), /index\.html/)
  assert.match(
    await dry({ play: '\x7fELF....' }, 'linux'),
    /warning: players cannot start play: set the executable bit/,
  )
  assert.match(
    await dry({ 'addons/x/plugin.cfg': 'x' }, 'linux', '--type', 'plugin'),
    /editors strip the first folder/,
  )
  assert.doesNotMatch(
    await dry({ 'addons/x/plugin.cfg': 'x' }, 'linux', '--type', 'plugin', '--wrap', 'x-1.0'),
    /warning/,
  )
  assert.match(
    await dry({ 'a.exe': 'x', 'A.exe': 'y' }, 'windows'),
    /A\.exe and a\.exe are the same name on Windows/,
  )
  assert.match(
    await dry({ 'a.exe': 'x', 'aux.txt': 'y' }, 'windows'),
    /aux\.txt is a name Windows does not allow/,
  )
  assert.match(
    await dry({ 'a.exe': 'x', '.git/config': 'y' }, 'windows'),
    /\.git\/ \(and 1 more\) looks private/,
  )
  assert.equal(await dry({ 'a.exe': 'x' }, 'windows'), '')
})

test('links in the folder are kept; links out of it and invalid names are refused', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'bin/game': 'x', 'lib/1/a.so': 'x' })
  symlinkSync('1', join(folder, 'lib/current'))
  symlinkSync(join(folder, 'bin/game'), join(folder, 'start'))
  const dry_run = await run(['push', folder, '--version', '1', '--os', 'linux', '--dry-run'])
  assert.match(dry_run.stdout, /lib\/current -> 1\n/)
  assert.match(dry_run.stdout, /start -> bin\/game\n/)
  assert.equal((await run(['push', folder, '--version', '1', '--os', 'linux', '--wait'])).code, 0)
  for (const [target, where] of [
    ['/etc/passwd', 'out'],
    ['../../outside', 'lib/out'],
    ['..', 'up'],
  ] as const) {
    const bad = tree(t, { 'bin/game': 'x', 'lib/a': 'x' })
    symlinkSync(target, join(bad, where))
    const rejected = await run(['push', bad, '--version', '1', '--os', 'linux', '--json'])
    assert.deepEqual([rejected.code, rejected.json.exit_code], [1, 1])
    assert.match(rejected.json.error, /is a link that leads out of the folder/)
  }
  const odd = await run([
    'push',
    tree(t, { 'a\nb': 'x' }),
    '--version',
    '1',
    '--os',
    'linux',
    '--json',
  ])
  assert.match(odd.json.error, /control characters/)
})

test('push warns about links whose target is not part of the build', async (t) => {
  const { run } = await startUploaderApp(t)
  const links = async (targets: Record<string, string>, ...more: string[]) => {
    const folder = tree(t, { 'bin/game': '#!', 'lib/1/a.so': 'x', 'notes.txt': 'x', 'empty/': '' })
    chmodSync(join(folder, 'bin/game'), 0o755)
    for (const [path, target] of Object.entries(targets)) symlinkSync(target, join(folder, path))
    const args = ['push', folder, '--version', '1', '--os', 'linux', '--dry-run', ...more]
    const { code, stderr } = await run(args)
    assert.equal(code, 0, stderr)
    return stderr
  }
  const intact = {
    start: 'bin/game',
    'lib/current': '1',
    'lib/a.so': 'current/a.so',
    'lib/up': '../bin/game',
    top: '.',
    void: 'empty',
    text: 'notes.txt',
  }
  assert.equal(await links(intact), '')
  assert.equal(await links(intact, '--wrap', 'game-1'), '')
  assert.match(await links({ start: 'bin/gone' }), /warning: start is a link to something/)
  assert.match(
    await links({ 'lib/current': '2', 'lib/a.so': 'current/a.so' }),
    /warning: lib\/a\.so \(and 1 more\) is a link to something that is not part of the build/,
  )
  assert.match(await links({ a: 'b', b: 'a' }), /warning: a \(and 1 more\) is a link to something/)
  assert.match(
    await links({ text: 'notes.txt' }, '--ignore', 'notes.txt'),
    /warning: text is a link to something/,
    'the target of the link was left out',
  )
})

test('usage errors exit with 1 before anything is sent', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'a.exe': 'x' })
  const cases: [string[], RegExp][] = [
    [
      ['push', join(folder, 'missing'), '--version', '1', '--os', 'windows'],
      /missing does not exist/,
    ],
    [['push', folder, '--os', 'windows'], /needs --version <version>/],
    [['push', folder, '--version', '1'], /needs --os <os>/],
    [
      ['push', folder, '--version', '1', '--os', 'amiga'],
      /os: "amiga" is not one of windows, macos, linux/,
    ],
    [
      ['push', folder, '--version', '1', '--os', 'linux', '--arch', 'z80'],
      /arch: "z80" is not one of/,
    ],
    [
      ['push', folder, '--version', '1', '--os', 'linux', '--channel', 'No spaces'],
      /channel: "No spaces" is not a channel/,
    ],
    [
      ['push', folder, '--version', 'x'.repeat(33), '--os', 'linux'],
      /version: use at most 32 characters/,
    ],
    [['push', folder, '--version', '1', '--os', 'linux', '--app', 'Ü'], /app: "Ü" is not an app/],
    [
      ['push', folder, '--version', '1', '--os', 'linux', '--engine-version', 'four'],
      /engine_version/,
    ],
    [
      ['push', folder, '--version', '1', '--os', 'linux', '--symbols', folder],
      /holds no \.sym files/,
    ],
    [['push', tree(t, { 'x/': '' }), '--version', '1', '--os', 'linux'], /nothing to upload/],
    [['push', folder, '--version', '1', '--os', 'linux', '--wait-minutes', '0'], /--wait-minutes/],
    [['push', folder, 'more', '--version', '1', '--os', 'linux'], /does not take "more"/],
    [['push', '--version', '1', '--os', 'linux'], /needs <dir>: Folder, file or \.zip to publish/],
    [['push'], /^error: slipway push needs <dir>: Folder, file or \.zip to publish\n/],
    [['push', folder, '--vresion', '1'], /unknown flag --vresion.*did you mean --version\?/s],
    [['psuh'], /there is no command "psuh".*did you mean slipway push\?/s],
    [['status', 'x'], /"x" is not a build ID/],
    [['meida', 'list'], /there is no command "meida".*did you mean slipway media\?/s],
    [
      ['push', folder, '--version', '1', '--os', 'linux', '--wrap', 'c:'],
      /would be a drive on Windows/,
    ],
  ]
  for (const [args, message] of cases) {
    const { code, stdout, stderr } = await run(args)
    assert.equal(code, 1, args.join(' '))
    assert.match(stderr, message)
    assert.equal(stdout, '')
  }
})
