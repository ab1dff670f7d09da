import assert from 'node:assert/strict'
import { chmodSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { commands } from '../../cli/commands.ts'
import { temporaryFolder } from '../support/app.ts'
import { largeGame, type Options, slipway, startUploaderApp, tree } from './slipway.ts'

const german = { LANG: 'de_DE.UTF-8' }
const inGerman = (args: string[], options: Options = {}) =>
  slipway(args, { ...options, env: { ...german, ...options.env } })

/** Words of English sentences that no German sentence, command or file name has. */
const ENGLISH = /\b(?:the|and|with|from|which|this|your|that|what|not|are|has|cannot|does)\b/i

/** Checks every line but the examples. */
function assertGerman(text: string, about: string) {
  const lines = text.split('\n').filter((line) => !line.startsWith('  slipway '))
  for (const line of lines) assert.doesNotMatch(line, ENGLISH, `${about}: ${line}`)
}

test('the help of every command is German and fits 80 columns', async () => {
  const names = ['', ...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0]!]))]
  const results = await Promise.all(
    names.map((name) => inGerman([...name.split(' ').filter(Boolean), '--help'])),
  )
  for (const [i, { code, stdout, stderr }] of results.entries()) {
    assert.deepEqual([code, stderr], [0, ''], names[i])
    assert.match(stdout, /^Aufruf:$/m)
    assertGerman(stdout, names[i]!)
    for (const line of stdout.split('\n')) assert.ok(line.length <= 80, line)
  }
})

test('a push, its progress and the commands after it are German', async (t) => {
  const { run } = await startUploaderApp(t)
  const env = german
  const push = ['push', largeGame(t), '--version', '1', '--os', 'windows', '--wait']
  const pushed = await run(push, { env })
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.match(pushed.stderr, /^gepackt: 66,0 MiB, 2 Dateien, entpackt 66,0 MiB$/m)
  assert.match(pushed.stderr, /^Hochladen: 16,0 MiB von 66,0 MiB \(24%\)$/m)
  assert.match(pushed.stderr, /hochgeladen für windows\/x86_64 auf stable$/m)
  assert.match(pushed.stderr, /^die Virenprüfung ist in Ordnung; /m)
  assertGerman(pushed.stderr, 'push')
  assert.match(pushed.stdout, /^SVC_GAMES_APP_ID=.*\nSVC_GAMES_BUILD_ID=.*\n$/)
  const [, build_id] = /BUILD_ID=(.*)\n/.exec(pushed.stdout)!
  const again = await run([...push, '--if-changed'], { env })
  assert.match(again.stdout, /^unverändert: Build /)
  const planned = await run([...push, '--dry-run'], { env })
  assert.match(planned.stdout, /^würde packen: 2 Dateien, 66,0 MiB:$/m)
  const outputs = {
    status: await run(['status', build_id!], { env }),
    'builds list': await run(['builds', 'list'], { env }),
    'media list': await run(['media', 'list'], { env }),
    'push --dry-run': planned,
  }
  for (const [name, { code, stdout, stderr }] of Object.entries(outputs)) {
    assert.deepEqual([code, stderr], [0, ''], name)
    assertGerman(stdout, name)
  }
  // The problems of the listing check are the words of the API.
  const info = await run(['info'], { env })
  assert.match(info.stdout, /^Sichtbarkeit +draft/m)
})

test('JSON output and everything beside it stay English, with the same exit codes', async (t) => {
  const { run } = await startUploaderApp(t)
  const folder = tree(t, { 'readme.txt': 'x' })
  for (const args of [
    ['push', folder, '--version', '1', '--os', 'linux', '--dry-run'],
    ['push', folder, '--version', '1', '--os', 'beos'],
    ['push', 'missing', '--version', '1', '--os', 'linux'],
    ['status', 'none'],
    ['psuh'],
    ['help', 'push'],
    ['info'],
  ]) {
    const [english, other] = [
      await run([...args, '--json']),
      await run([...args, '--json'], { env: german }),
    ]
    assert.deepEqual(other, english, args.join(' '))
    const text = await run(args, { env: german })
    assert.equal(text.code, english.code, args.join(' '))
  }
})

test('errors and their hints are German', async (t) => {
  const { run, env } = await startUploaderApp(t)
  const folder = tree(t, { 'game.exe': 'MZ', 'bad.sym': 'x', 'no.zip': 'PK', 'image.png': 'x' })
  const secret = join(folder, 'secret')
  writeFileSync(secret, 'x')
  chmodSync(secret, 0o644)
  writeFileSync(join(folder, 'bad.yml'), 'version: v1\nspec: build\nasset:\n  titel: x\n')
  writeFileSync(join(folder, 'list.yml'), 'version: v1\nspec: addfiles\nasset: []\n')
  const push = ['push', folder, '--version', '1', '--os', 'windows']
  const uid = '0198c0de-0000-7000-8000-000000000000'
  const unset = { SVC_ACCESS_TOKEN: undefined, SVC_SECRET_KEY: undefined }
  const cases: [string[], Record<string, string | undefined>, RegExp, number?][] = [
    [
      ['psuh'],
      {},
      /^Fehler: den Befehl „psuh“ gibt es nicht\n {2}Tipp: meintest du slipway push\?/,
    ],
    [['push', '--os'], {}, /--os braucht einen Wert: --os <os>/],
    [['push', '--nope'], {}, /unbekannte Option --nope\n {2}Tipp: slipway push --help listet/],
    [['push'], {}, /slipway push braucht <dir>: Ordner, Datei oder \.zip/],
    [['push', folder], {}, /slipway push braucht --version <version>/],
    [[...push, 'more'], {}, /kann mit „more“ nichts anfangen/],
    [['info'], unset, /es ist kein Zugriffstoken gesetzt\n {2}Tipp: setze SVC_ACCESS_TOKEN/],
    [['info'], { SVC_SECRET_KEY: undefined }, /es ist kein geheimer Schlüssel gesetzt/],
    [['info', '--secret-file', secret], {}, /andere können \S+ lesen\n {2}Tipp: .* chmod 600/],
    [['info', '--url', 'http://games.example'], {}, /geheimen Schlüssel unverschlüsselt senden/],
    [['info', '--url', 'nonsense'], {}, /„nonsense“ ist keine Adresse/],
    [['info'], { SLIPWAY_TIMEOUT_SECONDS: 'x' }, /„x“ ist keine Zahl von Sekunden/],
    [['info', '--url', 'http://127.0.0.1:9'], {}, /die Verbindung wurde abgelehnt/, 3],
    [['info'], { HTTPS_PROXY: 'ftp://x' }, /HTTPS_PROXY ist nicht die Adresse/],
    [['info', '--access', 'wrong'], {}, /^API-Fehler \[4022\]: .*\n {2}Tipp: prüfe SVC_ACCESS/s, 2],
    [['status', uid], {}, /^API-Fehler \[\d+\]: /, 2],
    [['status', 'x'], {}, /„x“ ist keine Build-ID/],
    [['push', 'none', ...push.slice(2)], {}, /none gibt es nicht/],
    [[...push.slice(0, -1), 'beos'], {}, /os: erlaubt ist nur: windows, /],
    [[...push, '--channel', '!'], {}, /channel: „!“ ist kein Name für einen Kanal/],
    [[...push, '--app', '!'], {}, /app: „!“ ist kein Name für eine App/],
    [[...push, '--title', 'x'.repeat(999)], {}, /title: verwende höchstens \d+ Zeichen/],
    [[...push, '--engine-version', 'x'], {}, /engine_version: schreibe Zahlen wie/],
    [[...push, '--wrap', 'a/b'], {}, /gib den Namen eines einzelnen Ordners an/],
    [[...push, '--wait-minutes', 'x'], {}, /„x“ ist keine Zahl von Minuten/],
    [['push', join(folder, 'no.zip'), ...push.slice(2)], {}, /das Zip ist nicht in Ordnung/],
    [[...push, '--ignore', '*'], {}, /es gibt nichts hochzuladen\n {2}Tipp: der Ordner ist leer/],
    [['symbols', join(folder, 'bad.sym'), '--build-id', uid], {}, /die erste Zeile muss MODULE/],
    [['symbols', temporaryFolder(t), '--build-id', uid], {}, /enthält keine \.sym-Dateien/],
    [
      ['media', 'cover', join(folder, 'image.png')],
      {},
      /ist kein PNG-, JPEG-, GIF- oder WebP-Bild/,
    ],
    [['media', 'delete', 'x'], {}, /„x“ ist weder eine uid noch cover noch thumbnail/],
    [['media', 'move', uid, '--to', '99'], {}, /gib eine ganze Zahl von 0 bis 19 an, nicht „99“/],
    [['builds', 'list', '--page', '0'], {}, /gib eine ganze Zahl von 1 bis 10000 an, nicht „0“/],
    [
      ['build', '--asset', join(folder, 'gone.yml')],
      {},
      /gone\.yml gibt es nicht\n {2}Tipp: slipway/,
    ],
    [
      ['build', '--asset', join(folder, 'bad.yml')],
      {},
      /unbekannter Schlüssel „titel“; meintest du/,
    ],
    [['addfiles', '--asset', join(folder, 'list.yml')], {}, /asset muss aus Schlüsseln mit Werten/],
    [['addfiles', '--asset', join(folder, 'bad.yml')], {}, /spec muss addfiles sein/],
    [['completion', 'tcsh'], {}, /für „tcsh“ gibt es keine Vervollständigung/],
    [['media'], {}, /^$/],
  ]
  for (const [args, changes, message, exit_code = 1] of cases) {
    const { code, stderr } = await run(args, { cwd: folder, env: { ...changes, ...german } })
    const about = `${args.join(' ')}: ${stderr}`
    assert.match(stderr, message, about)
    assert.equal(code, exit_code, about)
    // What the server says, and the problem of a zip, are in English.
    if (!/API-Fehler|das Zip ist/.test(stderr)) assertGerman(stderr, about)
  }
  assert.ok(env.SVC_ACCESS_TOKEN)
})

test('the files that the uploader writes are started in German', async (t) => {
  const cwd = temporaryFolder(t)
  const written = await inGerman(['genbuild'], { cwd })
  assert.deepEqual([written.code, written.stdout], [0, 'build.yml geschrieben\n'])
  assert.match(readFileSync(join(cwd, 'build.yml'), 'utf8'), /title: Build ohne Titel/)
  const again = await inGerman(['genbuild'], { cwd })
  assert.match(again.stderr, /build\.yml gibt es schon\n {2}Tipp: --force ersetzt sie/)
  const change = ['addchangelog', '--title', 'Neu', '--description', 'Der Turm.']
  const changed = await inGerman(change, { cwd })
  assert.equal(changed.stdout, 'build.yml hat 1 Eintrag im Änderungsprotokoll\n')
  const listed = await inGerman(['setfiles', '--files', '.'], { cwd })
  assert.equal(listed.stdout, 'addfiles.yml geschrieben, 1 Datei\n')
})
