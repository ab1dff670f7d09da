import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { commands } from '../../cli/commands.ts'
import { duration } from '../../cli/documents/text.ts'
import { progressEvents, progressLine } from '../../cli/terminal/progress.ts'
import { closest } from '../../cli/terminal/suggestion.ts'
import { formatBytes } from '../../src/core/runtime/format-bytes.ts'
import { temporaryFolder } from '../support/app.ts'
import { needs } from '../support/system-packages.ts'
import { binary, largeGame, slipway, startUploaderApp, systemNode } from './slipway.ts'

const root = join(import.meta.dirname, '../..')

test('the help of each command fits 80 columns and names all its flags', async () => {
  const all = [
    [],
    ...[...new Set(commands.flatMap(({ name }) => [name, name.split(' ')[0]!]))].map((name) =>
      name.split(' '),
    ),
  ]
  const results = await Promise.all(all.map((words) => slipway([...words, '--help'])))
  for (const [i, { code, stdout, stderr }] of results.entries()) {
    assert.deepEqual([code, stderr], [0, ''], all[i]!.join(' '))
    for (const line of stdout.split('\n'))
      assert.ok(line.length <= 80 && line === line.trimEnd(), `${all[i]!.join(' ')}: "${line}"`)
    const command = commands.find(({ name }) => name === all[i]!.join(' '))
    for (const { name } of command?.flags ?? []) assert.ok(stdout.includes(`--${name}`), name)
  }
  const bare = await slipway([], { own_process: true })
  const group = await slipway(['media'], { own_process: true })
  const version = await slipway(['push', '--version'])
  assert.deepEqual([bare.code, bare.stdout], [0, results[0]!.stdout])
  assert.deepEqual([group.code, /media order/.test(group.stdout)], [1, true])
  assert.match(version.stderr, /--version needs a value/)
  assert.match((await slipway(['info', '--version'])).stdout, /^\d+\.\d+\.\d+\n$/)
})

test('slipway help prints the help of a command, of a group or of everything', async () => {
  for (const words of [[], ['push'], ['media'], ['media', 'add'], ['help']]) {
    const [command, flag] = [await slipway(['help', ...words]), await slipway([...words, '--help'])]
    assert.deepEqual([command.code, command.stderr], [0, ''], words.join(' '))
    assert.equal(command.stdout, flag.stdout, words.join(' '))
  }
  const { json } = await slipway(['help', 'push', '--json'])
  assert.deepEqual([json.ok, /^Publish a folder/.test(json.help)], [true, true])
  for (const [words, message] of [
    [['psuh'], /there is no command "psuh".*did you mean slipway push\?/s],
    [['push', 'more'], /there is no command "push more"/],
    [['media', 'lsit'], /there is no command "media lsit".*did you mean slipway media list\?/s],
  ] as const) {
    const unknown = await slipway(['help', ...words])
    assert.deepEqual([unknown.code, unknown.stdout], [1, ''])
    assert.match(unknown.stderr, message)
  }
  assert.match((await slipway(['--help'])).stdout, /^ {2}130 +Interrupted/m)
})

test('the command reference in the docs matches the program', async (t) => {
  const folder = temporaryFolder(t)
  assert.equal((await slipway(['gendocs', '--dir', join(folder, 'new')])).code, 0)
  const written = readFileSync(join(folder, 'new/uploader-commands.md'), 'utf8')
  assert.equal(
    written,
    readFileSync(join(root, 'docs/uploader-commands.md'), 'utf8'),
    'run: npm run cli && node cli/dist/slipway.mjs gendocs --dir docs',
  )
  writeFileSync(join(folder, 'file'), '')
  assert.equal((await slipway(['gendocs', '--dir', join(folder, 'file')])).code, 1)
})

test('bash completes commands, flags and values, and other shells get a script', async (t) => {
  const script = join(temporaryFolder(t), 'completion.bash')
  writeFileSync(script, (await slipway(['completion', 'bash'])).stdout)
  const complete = (...words: string[]) => {
    const commands = [
      `source ${script}`,
      `COMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')})`,
      `COMP_CWORD=${words.length - 1}`,
      '_slipway',
      `printf '%s\\n' "\${COMPREPLY[@]}"`,
    ]
    return spawnSync('bash', ['-c', commands.join('; ')], {
      encoding: 'utf8',
      cwd: temporaryFolder(t),
    })
      .stdout.trim()
      .split('\n')
  }
  assert.deepEqual(complete('slipway', 'pu'), ['push'])
  assert.deepEqual(complete('slipway', 'media', 'th'), ['thumbnail'])
  assert.deepEqual(complete('slipway', 'push', 'some-folder', '--if'), ['--if-changed'])
  assert.deepEqual(complete('slipway', 'push', '--os', 'lin'), ['linux'])
  assert.deepEqual(complete('slipway', 'builds', 'list', '--page-'), ['--page-size'])
  assert.deepEqual(complete('slipway', 'completion', 'fi'), ['fish'])
  assert.deepEqual(complete('slipway', 'help', 'pu'), ['push'])
  for (const shell of ['zsh', 'fish', 'powershell']) {
    const { code, stdout } = await slipway(['completion', shell])
    assert.deepEqual(
      [code, stdout.includes('if-changed'), stdout.includes('thumbnail')],
      [0, true, true],
      shell,
    )
  }
  assert.equal((await slipway(['completion', 'tcsh'])).code, 1)
})

/** Runs a command in a terminal with this number of columns and returns its output. */
async function inTerminal(
  columns: number,
  args: string[],
  env: Record<string, string>,
): Promise<string> {
  const line = `stty cols ${columns}; exec ${args.map((word) => `'${word}'`).join(' ')}`
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, LC_ALL: 'C', ...env },
  })
  const [drawn, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  assert.equal(code, 0, drawn)
  return drawn
}

test('progress is one redrawn line on a terminal and plain lines elsewhere', async (t) => {
  if (!needs(t, 'script')) return
  const { env, run } = await startUploaderApp(t)
  const folder = largeGame(t)
  const args = ['push', folder, '--version', '1', '--os', 'windows']
  const drawn = await inTerminal(80, [systemNode, await binary(), ...args], env)
  const frames = drawn.split('\r\x1b[2K')
  assert.ok(
    frames.filter((frame) =>
      /^uploading \[=*>? *\] +\d+% {2}[\d.]+ [KM]?i?B of 66\.0 MiB/.test(frame),
    ).length > 2,
    drawn,
  )
  for (const frame of frames)
    for (const line of frame.split('\r\n')) assert.ok(line.length < 80, line)
  // Only the last state of each redrawn line stays on the screen.
  const screen = drawn.split('\r\n').map((line) => line.split('\r\x1b[2K').at(-1))
  assert.match(screen[0]!, /^publishing .+ on Slipway$/)
  assert.deepEqual(
    screen.slice(1, 3).map((line) => line!.replace(/game-\d+/, 'game')),
    [
      'packed 66.0 MiB, 2 files, 66.0 MiB unpacked',
      'uploaded game-1-windows-x86_64.zip for windows/x86_64 on stable',
    ],
  )
  assert.match(screen[3]!, /^SVC_GAMES_APP_ID=/)
  rmSync(join(folder, 'data.pak'))
  const plain = await run([...args, '--json'])
  assert.doesNotMatch(plain.stderr, /[\r\x1b]/)
  assert.match(plain.stderr, /^uploading: \d+ B of \d+ B \(100%\)$/m)
})

test('the end of a progress is an event at once, and then not for every block', (t) => {
  let now = 0
  t.mock.method(performance, 'now', () => now)
  const events: number[] = []
  const progress = progressEvents('unpacking', 100, ({ done }) => events.push(done))
  for (const done of [0, 50, 100, 100, 100]) progress.at(done)
  assert.deepEqual(events, [0, 100])
  now = 100
  progress.at(100)
  assert.deepEqual(events, [0, 100, 100])
})

test('sizes, durations and counts are formatted for people', () => {
  assert.deepEqual([0, 1023, 1024, 1536, 1048576 - 1, 5 * 2 ** 30].map(formatBytes), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '1.5 KiB',
    '1.0 MiB',
    '5.0 GiB',
  ])
  assert.deepEqual([0, 59.4, 60, 3599, 3600, 7325].map(duration), [
    '0 s',
    '59 s',
    '1 min 0 s',
    '59 min 59 s',
    '1 h 0 min',
    '2 h 2 min',
  ])
  assert.equal(
    progressLine('up', { done: 999, total: 1000, speed: 0 }, 80),
    'up [=======================>]  99%  999 B of 1000 B',
  )
  assert.equal(
    progressLine('up', { done: 0, total: 0, speed: 0 }, 80),
    'up [========================] 100%  0 B of 0 B',
  )
  const figures = { done: 1_300_000_000, total: 5e9, speed: 3_000_000 }
  const name = 'Downloading saltworks/harbor-of-the-north 1.2.0'
  assert.equal(
    progressLine(name, figures, 80),
    'Downloading saltworks/harbor-of-the-north 1.2.0  26%  20 min 33 s left',
  )
  assert.equal(progressLine(name, figures, 40), 'Downloading sal…  26%  20 min 33 s left')
  assert.equal(progressLine('uploading', figures, 40), 'uploading  26%  20 min 33 s left')
  assert.equal(progressLine(name, figures, 20), 'Downloading s…  26%')
  for (let columns = 1; columns < 200; columns++)
    for (const label of ['up', 'uploading', name])
      assert.ok(progressLine(label, figures, columns).length < columns, `${label} ${columns}`)
  assert.deepEqual(
    [
      closest('chanel', ['channel', 'os']),
      closest('psuh', ['push', 'info']),
      closest('xyz', ['push']),
    ],
    ['channel', 'push', undefined],
  )
})
