import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Fate, roughNetwork } from '../../sim/rough-network.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { binary, largeGame, startDock, systemNode } from './slipway.ts'

const MIB = 1024 * 1024
const CHUNK = 16 * MIB

/** A dock behind a network that treats each connection as it is told. */
async function startRough(t: TestContext, fate: (connection: number) => Fate) {
  const dock = await startDock(t)
  const network = await roughNetwork(dock.url, fate)
  cleanup(t, () => network.close())
  const state = join(dock.env.XDG_STATE_HOME, 'slipway/uploads')
  const rough = { SVC_UPLOAD_URL: `${network.url}/api/v1` }
  const push = (folder: string, more: string[] = [], env: Record<string, string> = {}) =>
    dock.run(['push', folder, '--version', '1', '--os', 'windows', '--json', ...more], {
      env: { ...rough, ...env },
    })
  // A program that is killed may leave one that it was just writing beside the last one.
  const remembered = () => readdirSync(state).filter((name) => !name.endsWith('.new'))
  return { ...dock, network, push, rough, remembered }
}

test('an upload over a network that cuts, resets and delays every chunk arrives complete', async (t) => {
  // Each connection lives for less than two chunks, and ends in another way and at another place than the one before.
  const ways = ['cut', 'reset'] as const
  const { push, get, ci, network, remembered } = await startRough(t, (n) => ({
    after: CHUNK * 0.3 + ((n * 5) % 7) * MIB * 3.1,
    how: ways[n % 2]!,
    delay: n % 3 ? 0 : 1,
  }))
  const pushed = await push(largeGame(t), ['--wait'])
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.ok(network.connections() >= 4, `${network.connections()} connections`)
  const [build] = pushed.json.builds
  const { files } = must(await get(`/api/v1/tool/builds/${build.build_id}`, ci))
  assert.deepEqual(
    files.map((file: any) => [file.file_uid, file.checksum, file.scan]),
    [[build.file_uid, build.checksum, 'clean']],
  )
  assert.deepEqual(remembered(), [])
})

test('a lost answer does not repeat the upload', async (t) => {
  const { push, get, ci, network } = await startRough(t, (n) =>
    n < 4 ? { after_answer: 800, how: 'reset' } : {},
  )
  const pushed = await push(largeGame(t))
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.match(pushed.stderr, /the connection was reset; retrying/)
  assert.ok(network.carried() < 66 * MIB + 5 * CHUNK, `${network.carried()} bytes`)
  assert.equal(
    must(await get(`/api/v1/tool/builds/${pushed.json.builds[0].build_id}`, ci)).files.length,
    1,
  )
})

/** Runs a push until the server has two chunks of it, then ends it. */
async function interrupt(
  { run, sql, rough }: Awaited<ReturnType<typeof startRough>>,
  folder: string,
  signal: NodeJS.Signals,
) {
  let pid = 0
  const running = run(['push', folder, '--version', '1', '--os', 'windows'], {
    env: rough,
    onStart(id) {
      pid = id
    },
  })
  await eventually(
    'two chunks',
    async () =>
      (await sql`select from upload_sessions where current_size = ${2 * CHUNK}`).length === 1,
    60,
  )
  process.kill(pid, signal)
  return running
}
const hangingOnce = (n: number): Fate => (n === 0 ? { after: 2.5 * CHUNK, how: 'hang' } : {})

test('a killed upload is resumed by the next run', async (t) => {
  const dock = await startRough(t, hangingOnce)
  const { push, network, remembered, env, get, ci, sql } = dock
  const folder = largeGame(t)
  await interrupt(dock, folder, 'SIGKILL')
  assert.deepEqual([remembered().length, readdirSync(env.TMPDIR).length], [1, 1])
  await eventually(
    'the server let go',
    async () => (await sql`select from upload_sessions where holder is null`).length === 1,
    60,
  )
  const [left] = readdirSync(env.TMPDIR)
  const young = `${left!.slice(0, -6)}abcdef`
  mkdirSync(join(env.TMPDIR, young))
  const yesterday = Date.now() / 1000 - 25 * 3600
  utimesSync(join(env.TMPDIR, left!), yesterday, yesterday)
  const before = network.carried()
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  // What it remembers may be a chunk behind what the server has: it was killed at once.
  const [, at] =
    second.stderr.match(/resuming the interrupted upload at (16|32)\.0 MiB of 66\.0 MiB/) ?? []
  assert.ok(at, second.stderr)
  assert.ok(network.carried() - before < (66 - Number(at) + 1) * MIB, 'only the rest was sent')
  assert.deepEqual(
    [remembered(), readdirSync(env.TMPDIR)],
    [[], [young]],
    'also what the killed one left, a day later',
  )
  assert.equal(
    must(await get(`/api/v1/tool/builds/${second.json.builds[0].build_id}`, ci)).files.length,
    1,
  )
})

test('Ctrl-C removes the zip and says how to resume, and changed files are noticed', async (t) => {
  const dock = await startRough(t, hangingOnce)
  const { push, remembered, env } = dock
  const folder = largeGame(t)
  const ended = await interrupt(dock, folder, 'SIGINT')
  assert.equal(ended.code, 130)
  assert.match(ended.stderr, /error: interrupted\n {2}hint: run the same command again/)
  assert.deepEqual([remembered().length, readdirSync(env.TMPDIR)], [1, []])
  writeFileSync(join(folder, 'game.exe'), 'MX')
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.match(second.stderr, /the files changed since the interrupted upload; starting over/)
})

test('an expired upload session is replaced by a new one', async (t) => {
  const dock = await startRough(t, hangingOnce)
  const { push, remembered, sql } = dock
  const folder = largeGame(t)
  await interrupt(dock, folder, 'SIGINT')
  await sql`delete from upload_sessions`
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.match(second.stderr, /the upload session expired; starting a new one/)
  assert.deepEqual(remembered(), [])
})

test('damaged resume state is ignored, and an unwritable home only disables resuming', async (t) => {
  const dock = await startRough(t, hangingOnce)
  const folder = largeGame(t)
  await interrupt(dock, folder, 'SIGINT')
  const [name] = dock.remembered()
  const path = join(dock.env.XDG_STATE_HOME, 'slipway/uploads', name!)
  assert.doesNotMatch(readFileSync(path, 'utf8'), /svc_/)
  writeFileSync(path, '{"session_id":')
  const second = await dock.push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.doesNotMatch(second.stderr, /continuing/)
  assert.equal((await dock.push(folder, [], { XDG_STATE_HOME: '/dev/null' })).code, 0)
})

test('two simultaneous uploads of the same build both succeed with one file', async (t) => {
  const { push, get, ci } = await startRough(t, () => ({}))
  const folder = largeGame(t)
  const both = await Promise.all([push(folder), push(folder, [], { SLIPWAY_RETRY_SECONDS: '0.3' })])
  assert.deepEqual(
    both.map(({ code }) => code),
    [0, 0],
    both.map(({ stderr }) => stderr).join('\n'),
  )
  const { files } = must(await get(`/api/v1/tool/builds/${both[0].json.builds[0].build_id}`, ci))
  assert.ok(files.every((file: any) => file.checksum === both[0].json.builds[0].checksum))
})

test('a second Ctrl-C exits at once and still cleans up', async (t) => {
  const { env } = await startDock(t)
  const child = spawn(systemNode, [await binary(), 'info', '--secret-stdin'], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
  cleanup(t, () => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  // Node itself takes SIGINT from its start; SIGHUP, the lowest bit, is taken when the program is.
  const caught = () =>
    /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]!
  await eventually(
    'it listens for signals',
    async () => Number.parseInt(caught().at(-1)!, 16) % 2 === 1,
  )
  child.kill('SIGINT')
  await pause(200)
  child.kill('SIGINT')
  assert.deepEqual(await ended, [130, null])
})
