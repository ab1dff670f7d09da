import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findLaunchFile, guessLaunch, readLaunch } from '../../src/updates/launch.ts'
import { fc } from '../support/property.ts'

const entry = (path: string, size = 1000, mode = 0o644) => ({ path, size, mode })

test('guesses the program of a build by its system', () => {
  const windows = [
    entry('UnityCrashHandler64.exe', 1_000_000),
    entry('Game.exe', 700_000),
    entry('unins000.exe', 9_000_000),
    entry('Game_Data/tools/convert.exe', 5_000_000),
  ]
  assert.equal(guessLaunch(windows, 'windows')!.executable, 'Game.exe')
  const linux = [
    entry('readme', 10),
    entry('start', 100, 0o755),
    entry('game.x86_64', 5000),
    entry('lib/engine.so', 90_000, 0o755),
  ]
  assert.equal(guessLaunch(linux, 'linux')!.executable, 'game.x86_64')
  const macos = [
    entry('Game.app/Contents/Info.plist'),
    entry('Game.app/Contents/MacOS/Game', 1, 0o755),
  ]
  assert.deepEqual(guessLaunch(macos, 'macos'), {
    executable: 'Game.app/Contents/MacOS/Game',
    args: [],
    working_dir: '',
    guessed: true,
  })
  assert.equal(guessLaunch([entry('game/index.html')], 'web')!.working_dir, 'game')
  assert.equal(guessLaunch([entry('notes.txt')], 'linux'), undefined)
  assert.equal(guessLaunch(linux, ''), undefined)
})

test('a launch file is read only where it names a file below its folder', () => {
  const entries = [entry('bin/game'), entry('game.exe')]
  const read = (text: string, os = 'linux') => readLaunch(text, '', os, entries)
  assert.deepEqual(read('launch: {executable: ./bin/game}'), {
    executable: 'bin/game',
    args: [],
    working_dir: '',
    guessed: false,
  })
  assert.equal(
    read('launch: {executable: bin/game, windows: {executable: game.exe}}', 'windows')!.executable,
    'game.exe',
  )
  assert.deepEqual(
    read('launch: {executable: bin/game, args: [--width, 1920, 1.0, 010, yes]}')!.args,
    ['--width', '1920', '1.0', '010', 'yes'],
  )
  assert.deepEqual(read('launch:\n  executable: bin/game\n  args:\n  working_dir:\n'), {
    executable: 'bin/game',
    args: [],
    working_dir: '',
    guessed: false,
  })
  const arg = (length: number) => JSON.stringify('a'.repeat(length))
  const args = (count: number) => JSON.stringify(Array.from({ length: count }, () => 'a'))
  assert.ok(read(`launch: {executable: bin/game, args: [${arg(1000)}]}`))
  assert.ok(read(`launch: {executable: bin/game, args: ${args(50)}}`))
  for (const text of [
    'launch: {executable: missing}',
    'launch: {executable: ../bin/game}',
    'launch: {executable: /bin/game}',
    'launch: {executable: "C:/game.exe"}',
    'launch: {executable: "bin\\\\game"}',
    'launch: {executable: bin/game, working_dir: ..}',
    'launch: {executable: bin/game, args: --fullscreen}',
    'launch: {executable: bin/game, args: [[1]]}',
    `launch: {executable: bin/game, args: [${arg(1001)}]}`,
    `launch: {executable: bin/game, args: ${args(51)}}`,
    'launch: [bin/game]',
    'launch: {executable: [',
    '',
  ])
    assert.equal(read(text), undefined, text)
})

test('any text as a launch file starts nothing outside the build', () => {
  const entries = [entry('game')]
  fc.assert(
    fc.property(
      fc.string(),
      fc.string(),
      fc.constantFrom('linux', 'windows', '__proto__'),
      (text, executable, os) => {
        readLaunch(text, '', os, entries)
        const launch = readLaunch(JSON.stringify({ launch: { executable } }), '', os, entries)
        assert.ok(launch === undefined || launch.executable === 'game')
      },
    ),
  )
})

test('the launch file is at the top or in the only folder', () => {
  const find = (...paths: string[]) => findLaunchFile(paths.map((path) => ({ path })))?.path
  assert.equal(find('a/slipway.yml', 'slipway.yml'), 'slipway.yml')
  assert.equal(find('a/slipway.yml', 'a/game'), 'a/slipway.yml')
  assert.equal(find('a/slipway.yml', 'b/game'), undefined)
  assert.equal(find('a/slipway.yml', 'game'), undefined)
})
