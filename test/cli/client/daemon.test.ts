import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { test } from 'node:test'
import { codeBlocks } from '../../docs/code-blocks.ts'
import { eventually, temporaryFolder } from '../../support/app.ts'
import { cleanup } from '../../support/cleanup.ts'
import { zip } from '../../uploads/zips.ts'
import { binary, systemNode } from '../slipway.ts'
import { startDaemon } from './daemon-process.ts'
import { startStore } from './fixtures.ts'

const program = '#!/bin/sh\necho "$1" > played\nexit 3\n'
const filesOf = (version: number) => [
  { name: 'game.sh', body: program, method: 8, mode: 0o100755 },
  { name: 'level', body: `${version}`.repeat(2000), method: 0, mode: 0o100644 },
]

test('the example of the page about launchers installs, updates and starts a game', async (t) => {
  const app = await startStore(t, filesOf(1))
  const file = join(temporaryFolder(t), 'plugin.mjs')
  writeFileSync(file, codeBlocks('docs/launchers.md', 'js')[0]!.body)
  const { play } = (await import(file)) as {
    play: (
      program: string,
      env: object,
      name: string,
      show: (line: string) => void,
    ) => Promise<number>
  }
  const lines: string[] = []
  const run = async () => play(await binary(), app.env, app.name, (line) => lines.push(line))
  assert.equal(await run(), 3)
  assert.ok(
    lines.some((line) => line.endsWith('100 %')),
    lines.join('\n'),
  )
  await app.a.cleanBuild(app.game, { bytes: zip(filesOf(2)), version: '2.0' })
  assert.equal(await run(), 3)
  const [game] = (await app.run(['list', '--json'])).json.games
  assert.equal(game.version, '2.0')
  assert.equal(readFileSync(join(game.path, 'played'), 'utf8'), '--windowed\n')
})

test('what is no request is refused with the codes of JSON-RPC, and the rest goes on', async (t) => {
  const app = await startStore(t, filesOf(1))
  const { send, answerTo, call, end } = await startDaemon(t, app.env)
  send('no json')
  assert.equal((await answerTo(null)).error.code, -32700)
  const refusals: [string, unknown, number][] = [
    ['nothing', {}, -32601],
    ['toString', {}, -32601],
    ['list', [], -32602],
    ['list', 'all', -32600],
    ['list', { name: 'a/b' }, -32602],
    ['install', {}, -32602],
    ['install', { name: 1 }, -32602],
    ['install', { name: app.name, channel: true }, -32602],
    ['install', { name: app.name, secret: 'x' }, -32602],
    ['launch', { name: app.name, arguments: 'x' }, -32602],
  ]
  for (const [n, [method, params, code]] of refusals.entries())
    assert.equal((await call(n, method, params)).error.code, code, `${method} ${n}`)
  const missing = await call(50, 'verify', { name: app.name })
  assert.deepEqual([missing.error.code, missing.error.data.exit_code], [-32000, 1])
  const refused = await call(51, 'install', { name: 'nobody/nothing' })
  assert.deepEqual([refused.error.data.exit_code, refused.error.data.code], [2, 4040])
  assert.deepEqual((await call(52, 'list')).result, { ok: true, games: [], unreadable: [] })
  assert.equal(await end(), 0)
})

test('a line of a request ends with a line feed only, and so does one of an answer', async (t) => {
  const app = await startStore(t, filesOf(1))
  const { messages, call, end } = await startDaemon(t, app.env)
  const dir = join(temporaryFolder(t), 'here\u2028and\u2029there')
  const { result } = await call(1, 'install', { name: app.name, dir, os: 'linux', arch: 'x86_64' })
  assert.equal(result?.folder, dir, JSON.stringify(messages.at(-1)))
  assert.equal((await call(2, 'list')).result.games[0].folder, dir)
  assert.equal(await end(), 0)
})

test('notifications get no answer, and a list of requests gets a list of answers', async (t) => {
  const app = await startStore(t, filesOf(1))
  const { send, messages, end } = await startDaemon(t, app.env)
  const request = (fields: object) => ({ jsonrpc: '2.0', ...fields })
  for (const notification of [
    { method: 'list' },
    { method: 'nothing' },
    { method: 'list', params: { name: 'a/b' } },
    { method: 'cancel', params: { id: 7 } },
  ])
    send(JSON.stringify(request(notification)))
  send(JSON.stringify([request({ method: 'list' })]))
  send('[]')
  send('[1]')
  send(JSON.stringify(request({ id: {}, method: 'list' })))
  const batch = [
    request({ id: 1, method: 'list' }),
    request({ method: 'list' }),
    request({ id: 'two', method: 'nothing' }),
    request({ id: null, method: 'cancel', params: { id: 9 } }),
    1,
  ]
  send(JSON.stringify(batch))
  assert.equal(await end(), 0)
  const single = messages.filter((message) => !Array.isArray(message))
  assert.deepEqual(
    single.map(({ id, error }) => [id, error.code]),
    [
      [null, -32600],
      [null, -32600],
    ],
  )
  const lists = messages.filter((message) => Array.isArray(message))
  assert.deepEqual(
    lists.map((answers) =>
      answers.map(({ id, result, error }: any) => [id, error?.code ?? Object.keys(result)[0]]),
    ),
    [
      [[null, -32600]],
      [
        [1, 'ok'],
        ['two', -32601],
        [null, 'cancelled'],
        [null, -32600],
      ],
    ],
  )
})

test('games that are installed at the same time are all in the library', async (t) => {
  const app = await startStore(t, filesOf(1))
  const { call, end } = await startDaemon(t, app.env)
  const folder = temporaryFolder(t)
  const dirs = Array.from({ length: 5 }, (_, n) => join(folder, String(n)))
  const platform = { os: 'linux', arch: 'x86_64' }
  const answers = await Promise.all(
    dirs.map((dir, n) => call(n, 'install', { name: app.name, dir, ...platform })),
  )
  for (const { error, result } of answers) {
    assert.equal(error, undefined)
    assert.ok(result.downloaded > 0)
  }
  const { games } = (await call(9, 'list')).result
  assert.deepEqual(
    games.map((game: any) => game.folder),
    dirs,
  )
  assert.equal(await end(), 0)
})

test('a request is cancelled by its id', async (t) => {
  const app = await startStore(t, filesOf(1))
  let onRequest = () => {}
  const waiting = new Promise<void>((done) => {
    onRequest = done
  })
  const silent = createServer(() => onRequest())
  await new Promise<void>((done) => silent.listen(0, '127.0.0.1', done))
  cleanup(t, () => {
    silent.closeAllConnections()
    silent.close()
  })
  const { port } = silent.address() as AddressInfo
  const env = { ...app.env, SVC_API_URL: `http://127.0.0.1:${port}/api/v1` }
  const { call, end } = await startDaemon(t, env)
  const install = call(1, 'install', { name: app.name })
  await waiting
  assert.deepEqual((await call(2, 'cancel', { id: 1 })).result, { cancelled: true })
  assert.equal((await install).error.data.exit_code, 130)
  assert.deepEqual((await call(3, 'cancel', { id: 1 })).result, { cancelled: false })
  assert.equal(await end(), 0)
})

test('each install of a game has its own shortcut, which starts it and goes with it', async (t) => {
  const app = await startStore(t, filesOf(1))
  const home = temporaryFolder(t)
  const env = { HOME: home }
  const folders = ['one', 'two'].map((name) => join(home, name))
  for (const dir of folders) {
    const args = ['install', app.name, '--os', 'linux', '--arch', 'x86_64', '--shortcut']
    const installed = await app.run([...args, '--dir', dir], { env })
    assert.equal(installed.code, 0, installed.stderr)
  }
  const shortcuts = join(home, '.local/share/applications')
  const started = () =>
    readdirSync(shortcuts).map((file) => {
      const text = readFileSync(join(shortcuts, file), 'utf8')
      assert.match(text, /^\[Desktop Entry\]\nType=Application\nName=.+\n/)
      const [, command] = /^Exec=(.*)$/m.exec(text)!
      const words = command!.match(/"[^"]*"/g)!.map((word) => word.slice(1, -1))
      assert.ok(existsSync(words[1]!))
      assert.equal(words[2], 'launch')
      return words[3]!
    })
  assert.deepEqual(started().sort(), folders)
  const played = await app.run(['launch', folders[0]!], { env })
  assert.equal(played.code, 3)
  await app.run(['uninstall', folders[0]!], { env })
  assert.deepEqual(started(), [folders[1]])
})

test('games are kept current until the program is interrupted', async (t) => {
  const app = await startStore(t, filesOf(1))
  assert.equal((await app.install()).code, 0)
  await app.a.cleanBuild(app.game, { bytes: zip(filesOf(2)), version: '2.0' })
  const child = spawn(systemNode, [await binary(), 'watch', '--every', '0.001'], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...app.env },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  cleanup(t, () => void child.kill('SIGKILL'))
  let output = ''
  child.stderr.on('data', (chunk) => {
    output += chunk
  })
  await eventually('an update', () => /Updated .* to 2\.0/.test(output))
  await eventually('another look', () => /is up to date/.test(output))
  child.kill('SIGINT')
  assert.equal((await once(child, 'exit'))[0], 0, output)

  // Launchers read events.
  await app.a.cleanBuild(app.game, { bytes: zip(filesOf(3)), version: '3.0' })
  const { stderr, json } = await app.run(['watch', '--json'], {
    onStart: async (pid) => {
      const isUpdated = async () => (await app.run(['list'])).stdout.includes('3.0')
      await eventually('an update', isUpdated)
      process.kill(pid, 'SIGINT')
    },
  })
  assert.deepEqual(json, { ok: true })
  const events = stderr
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  const { version, from, name } = events.find(({ event }) => event === 'updated')
  assert.deepEqual({ version, from, name }, { version: '3.0', from: '2.0', name: app.name })
  assert.ok(events.every(({ event }) => ['progress', 'updated'].includes(event)))
  const wrong = await app.run(['watch', '--every', '0'])
  assert.equal(wrong.code, 1)
})
