import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type ConnectionFaults, roughNetwork } from '../../sim/rough-network.ts'
import { MIB } from '../../src/core/runtime/units.ts'
import { eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { binary, largeGame, startUploaderApp, systemNode } from './slipway.ts'

const CHUNK = 16 * MIB

/** A server behind a network that applies a fault to each connection. */
async function startUnreliable(t: TestContext, faults: (connection: number) => ConnectionFaults) {
  const app = await startUploaderApp(t)
  const network = await roughNetwork(app.url, faults)
  cleanup(t, () => network.close())
  const state = join(app.env.XDG_STATE_HOME, 'slipway/uploads')
  const unreliable = { SVC_UPLOAD_URL: `${network.url}/api/v1` }
  const push = (folder: string, more: string[] = [], env: Record<string, string> = {}) =>
    app.run(['push', folder, '--version', '1', '--os', 'windows', '--json', ...more], {
      env: { ...unreliable, ...env },
      own_process: true,
    })
  // A killed program may leave a state file that it was just writing.
  const savedUploads = () => readdirSync(state).filter((name) => !name.endsWith('.new'))
  return { ...app, network, push, unreliable, savedUploads }
}

test('an upload survives a network that cuts, resets and delays every chunk', async (t) => {
  // Each connection ends within two chunks, at another place and with another fault than the one
  // before.
  const faults = ['cut', 'reset'] as const
  const { push, get, ci, network, savedUploads } = await startUnreliable(t, (n) => ({
    after: CHUNK * 0.3 + ((n * 5) % 7) * MIB * 3.1,
    how: faults[n % 2]!,
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
  assert.deepEqual(savedUploads(), [])
})

test('a lost answer does not repeat the upload', async (t) => {
  const { push, get, ci, network } = await startUnreliable(t, (n) =>
    n < 4 ? { after_answer: 800, how: 'reset' } : {},
  )
  const pushed = await push(largeGame(t))
  assert.equal(pushed.code, 0, pushed.stderr)
  assert.match(pushed.stderr, /the connection was reset; retrying/)
  assert.ok(network.sentBytes() < 66 * MIB + 5 * CHUNK, `${network.sentBytes()} bytes`)
  assert.equal(
    must(await get(`/api/v1/tool/builds/${pushed.json.builds[0].build_id}`, ci)).files.length,
    1,
  )
})

/** Runs a push until the server has two chunks of it, then ends it. */
async function interrupt(
  { run, sql, game, unreliable }: Awaited<ReturnType<typeof startUnreliable>>,
  folder: string,
  signal: NodeJS.Signals,
) {
  let pid = 0
  const running = run(['push', folder, '--version', '1', '--os', 'windows'], {
    env: unreliable,
    onStart(id) {
      pid = id
    },
  })
  await eventually(
    'two chunks',
    async () =>
      (
        await sql`
          select from upload_sessions
          where game_uid = ${game.uid} and current_size = ${2 * CHUNK}`
      ).length === 1,
  )
  process.kill(pid, signal)
  return running
}
const hangingOnce = (n: number): ConnectionFaults =>
  n === 0 ? { after: 2.5 * CHUNK, how: 'hang' } : {}

test('a killed upload is resumed by the next run', async (t) => {
  const app = await startUnreliable(t, hangingOnce)
  const { push, network, savedUploads, env, get, ci, sql, game } = app
  const folder = largeGame(t)
  await interrupt(app, folder, 'SIGKILL')
  assert.deepEqual([savedUploads().length, readdirSync(env.TMPDIR).length], [1, 1])
  await eventually(
    'the end of the session lease',
    async () =>
      (
        await sql`
          select from upload_sessions
          where game_uid = ${game.uid} and holder is null`
      ).length === 1,
  )
  const [, pid, space] = /^slipway-(\d+)-(\w{12})-/.exec(readdirSync(env.TMPDIR)[0]!)!
  const otherContainer = (end: string) => `slipway-${pid}-${'0'.repeat(12)}-${end}`
  const running = `slipway-${process.pid}-${space}-abcdef`
  const recent = otherContainer('abcdef')
  for (const name of [running, recent, otherContainer('ghijkl')]) mkdirSync(join(env.TMPDIR, name))
  const yesterday = Date.now() / 1000 - 25 * 3600
  utimesSync(join(env.TMPDIR, otherContainer('ghijkl')), yesterday, yesterday)
  const before = network.sentBytes()
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  // The state file may be one chunk behind the server, because the program was killed at once.
  const [, at] =
    second.stderr.match(/resuming the interrupted upload at (16|32)\.0 MiB of 66\.0 MiB/) ?? []
  assert.ok(at, second.stderr)
  assert.ok(
    network.sentBytes() - before < (66 - Number(at) + 1) * MIB,
    'more than the rest was sent',
  )
  assert.deepEqual(
    [savedUploads(), readdirSync(env.TMPDIR).sort()],
    [[], [recent, running].sort()],
    'only the folders of killed runs and old ones of other containers are removed',
  )
  assert.equal(
    must(await get(`/api/v1/tool/builds/${second.json.builds[0].build_id}`, ci)).files.length,
    1,
  )
})

test('Ctrl-C removes the zip and says how to resume, and changed files are noticed', async (t) => {
  const app = await startUnreliable(t, hangingOnce)
  const { push, savedUploads, env } = app
  const folder = largeGame(t)
  const ended = await interrupt(app, folder, 'SIGINT')
  assert.equal(ended.code, 130)
  assert.match(ended.stderr, /error: interrupted\n {2}hint: run the same command again/)
  assert.deepEqual([savedUploads().length, readdirSync(env.TMPDIR)], [1, []])
  writeFileSync(join(folder, 'game.exe'), 'MX')
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.match(second.stderr, /the files changed since the interrupted upload; starting over/)
})

test('an expired upload session is replaced by a new one', async (t) => {
  const app = await startUnreliable(t, hangingOnce)
  const { push, savedUploads, sql, game } = app
  const folder = largeGame(t)
  await interrupt(app, folder, 'SIGINT')
  await sql`delete from upload_sessions where game_uid = ${game.uid}`
  const second = await push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.match(second.stderr, /the upload session expired; starting a new one/)
  assert.deepEqual(savedUploads(), [])
})

test('damaged resume state is ignored; an unwritable home only disables resuming', async (t) => {
  const app = await startUnreliable(t, hangingOnce)
  const folder = largeGame(t)
  await interrupt(app, folder, 'SIGINT')
  const [name] = app.savedUploads()
  const path = join(app.env.XDG_STATE_HOME, 'slipway/uploads', name!)
  assert.doesNotMatch(readFileSync(path, 'utf8'), /svc_/)
  writeFileSync(path, '{"session_id":')
  const second = await app.push(folder)
  assert.equal(second.code, 0, second.stderr)
  assert.doesNotMatch(second.stderr, /continuing/)
  assert.equal((await app.push(folder, [], { XDG_STATE_HOME: '/dev/null' })).code, 0)
})

test('two simultaneous uploads of the same build both succeed with one file', async (t) => {
  const { push, get, ci } = await startUnreliable(t, () => ({}))
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
  const { env } = await startUploaderApp(t)
  const child = spawn(systemNode, [await binary(), 'info', '--secret-stdin'], {
    env: { ...process.env, ...env },
    stdio: 'pipe',
  })
  cleanup(t, () => child.kill('SIGKILL'))
  const ended = once(child, 'exit')
  // Node handles SIGINT from its start. The program also handles SIGHUP, which is the lowest bit.
  const caught = () =>
    /SigCgt:\s*(\w+)/.exec(readFileSync(`/proc/${child.pid}/status`, 'utf8'))![1]!
  await eventually(
    'the signal handlers',
    async () => Number.parseInt(caught().at(-1)!, 16) % 2 === 1,
  )
  child.kill('SIGINT')
  await pause(200)
  child.kill('SIGINT')
  assert.deepEqual(await ended, [130, null])
})
