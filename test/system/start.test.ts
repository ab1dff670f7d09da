import assert from 'node:assert/strict'
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { readConfig } from '../../src/core/runtime/config.ts'
import { startService } from '../../src/service.ts'
import { client, eventually, temporaryFolder } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'

const root = join(import.meta.dirname, '../..')
const REGISTER = '/api/v1/private/account/register'
const LOGIN = '/api/v1/private/account/login'
const person = { username: 'someone', email: 'someone@example.com', password: PASSWORD }

type Started = { child: ChildProcess; url: string; stderr: () => string }
type LaunchOptions = {
  uid?: number
  gid?: number
  env?: Record<string, string>
  group?: boolean
  command?: [string, ...string[]]
}

/** Runs the script behind `npm start` without npm, in its own folder. */
function launch(
  t: TestContext,
  data_dir: string,
  {
    uid,
    gid,
    env = {},
    group = false,
    command = [process.execPath, 'run.mjs', 'start'],
  }: LaunchOptions = {},
) {
  const { DATABASE_URL: _, ...inherited } = process.env
  const child = spawn(command[0], command.slice(1), {
    cwd: root,
    uid,
    gid,
    detached: group,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...inherited,
      PORT: '0',
      METRICS_PORT: 'off',
      DATA_DIR: data_dir,
      LOG_LEVEL: 'warn',
      ...env,
    },
  })
  let stderr = ''
  child.stderr!.on('data', (text) => {
    stderr += text
  })
  cleanup(t, async () => {
    child.kill('SIGTERM')
    await ended(child)
  })
  return { child, stderr: () => stderr }
}

async function start(t: TestContext, data_dir: string, options?: LaunchOptions): Promise<Started> {
  const { child, stderr } = launch(t, data_dir, options)
  for await (const line of createInterface({ input: child.stdout! })) {
    const url = line.match(/^ready (http:\/\/\S+)$/)?.[1]
    if (url) return { child, url, stderr }
  }
  throw new Error(`did not get ready: ${stderr()}`)
}

let initialized: Promise<string> | undefined

/**
 * A data folder in which the service has started before. Tests that are not about the first start
 * get a copy, because creating the database takes most of the time of a first start.
 */
async function usedFolder(t: TestContext): Promise<string> {
  initialized ??= initializeFolder()
  const data_dir = join(temporaryFolder(t), 'data')
  execFileSync('cp', ['-a', await initialized, data_dir])
  return data_dir
}

async function initializeFolder(): Promise<string> {
  const outer = mkdtempSync(join(tmpdir(), 'slipway-used-'))
  process.on('exit', () => rmSync(outer, { recursive: true, force: true }))
  const data_dir = join(outer, 'data')
  const config = readConfig({
    DATA_DIR: data_dir,
    PORT: '0',
    METRICS_PORT: 'off',
    LOG_LEVEL: 'fatal',
  })
  const service = await startService(config)
  await service.stop()
  return data_dir
}

async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
  return child.exitCode ?? child.signalCode
}

/**
 * Returns every process with the folder in its command line or environment: those of the service
 * and of its database.
 */
function processesOf(data_dir: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ')
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8')
        return command.includes(data_dir) || environment.includes(`DATA_DIR=${data_dir}\0`)
          ? [{ pid: Number(name), command }]
          : []
      } catch {
        return []
      }
    })
}

const servers = (data_dir: string) =>
  processesOf(data_dir).filter(({ command }) => /\/main\.mjs/.test(command))
const databases = (data_dir: string) =>
  processesOf(data_dir).filter(({ command }) => / -D /.test(command) && !command.startsWith('sh '))

test('a start serves, SIGTERM stops everything, and the next start has the data', async (t) => {
  const data_dir = temporaryFolder(t)
  const first = await start(t, data_dir)
  assert.equal((await client(first.url).get('/ready')).status, 200)
  must(await client(first.url).post(REGISTER, person))
  first.child.kill('SIGTERM')
  assert.equal(await ended(first.child), 0)
  assert.deepEqual(processesOf(data_dir), [])
  const second = await start(t, data_dir)
  must(await client(second.url).post(LOGIN, { login: person.username, password: PASSWORD }))
})

test('Ctrl-C, which signals the whole process group, stops everything cleanly', async (t) => {
  const data_dir = await usedFolder(t)
  const { child, stderr } = await start(t, data_dir, { group: true })
  process.kill(-child.pid!, 'SIGINT')
  assert.equal(await ended(child), 0)
  assert.deepEqual(processesOf(data_dir), [])
  assert.equal(stderr(), '')
})

test('after kill -9 of the service, the next start has all confirmed writes', async (t) => {
  const data_dir = await usedFolder(t)
  const { url } = await start(t, data_dir)
  must(await client(url).post(REGISTER, person))
  for (const { pid } of servers(data_dir)) process.kill(pid, 'SIGKILL')
  const next = await start(t, data_dir)
  must(await client(next.url).post(LOGIN, { login: person.username, password: PASSWORD }))
  next.child.kill('SIGTERM')
  assert.equal(await ended(next.child), 0)
})

test('after kill -9 of all processes the next start recovers without help', async (t) => {
  const data_dir = await usedFolder(t)
  const { url } = await start(t, data_dir)
  must(await client(url).post(REGISTER, person))
  for (const { pid } of processesOf(data_dir)) process.kill(pid, 'SIGKILL')
  const next = await start(t, data_dir)
  must(await client(next.url).post(LOGIN, { login: person.username, password: PASSWORD }))
})

test('the service reconnects after its database crashes, without a restart', async (t) => {
  const data_dir = await usedFolder(t)
  const { url } = await start(t, data_dir)
  must(await client(url).post(REGISTER, person))
  for (const { pid } of databases(data_dir)) process.kill(pid, 'SIGKILL')
  const login = { login: person.username, password: PASSWORD }
  await eventually(
    'the database to be back',
    async () => (await client(url).post(LOGIN, login)).status === 200,
  )
  await eventually('readiness', async () => (await client(url).get('/ready')).status === 200)
})

test('a second start on a DATA_DIR is rejected, and the first keeps running', async (t) => {
  const data_dir = await usedFolder(t)
  const first = await start(t, data_dir)
  const second = launch(t, data_dir)
  assert.equal(await ended(second.child), 1)
  assert.match(second.stderr(), /^Slipway already runs on .+ \(process \d+\)\. Stop it first/)
  assert.doesNotMatch(second.stderr(), /\n +at /, 'a stack trace was printed')
  assert.equal((await client(first.url).get('/ready')).status, 200)
})

test('an invalid configuration stops the start and names every invalid setting', async (t) => {
  const { child, stderr } = launch(t, temporaryFolder(t), {
    env: { PORT: 'eighty', SLIPWAY_ROLES: 'cook' },
  })
  assert.equal(await ended(child), 1)
  assert.match(stderr(), /PORT must be[\s\S]+SLIPWAY_ROLES must be/)
})

test('a port in use is reported in a clear message', async (t) => {
  const first = await start(t, await usedFolder(t))
  const second = launch(t, await usedFolder(t), { env: { PORT: new URL(first.url).port } })
  assert.equal(await ended(second.child), 1)
  assert.match(second.stderr(), /already in use/)
  assert.doesNotMatch(second.stderr(), /\n +at /)
})

const isRoot = process.getuid?.() === 0

test('starts as an ordinary user', async (t) => {
  if (!isRoot)
    return t.skip(
      'only root can change the user; for other users every test of this file covers this',
    )
  const data_dir = temporaryFolder(t)
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('daemon:'))!
    .split(':')
  chownSync(data_dir, Number(uid), Number(gid))
  const { url } = await start(t, data_dir, { uid: Number(uid), gid: Number(gid) })
  assert.equal((await client(url).get('/ready')).status, 200)
})

test('a user without a passwd entry gets instructions', async (t) => {
  if (!isRoot) return t.skip('only root can change the user')
  const data_dir = temporaryFolder(t)
  chownSync(data_dir, 54_321, 54_321)
  const { child, stderr } = launch(t, data_dir, { uid: 54_321, gid: 54_321 })
  assert.equal(await ended(child), 1)
  assert.match(stderr(), /54321.+DATABASE_URL/)
})

test('root can start in a folder that other users can enter, and in one they cannot', async (t) => {
  if (!isRoot) return t.skip('the folder mode matters only to root')
  const outer = temporaryFolder(t)
  const data_dir = join(outer, 'data')
  mkdirSync(data_dir)
  for (const mode of [0o755, 0o700, 0o755]) {
    chmodSync(outer, mode)
    const { child, url } = await start(t, data_dir)
    assert.equal((await client(url).get('/ready')).status, 200, mode.toString(8))
    child.kill('SIGTERM')
    assert.equal(await ended(child), 0)
  }
})

test('starts with a very long DATA_DIR', async (t) => {
  const data_dir = join(temporaryFolder(t), 'x'.repeat(100), 'y'.repeat(100))
  mkdirSync(data_dir, { recursive: true })
  const { url } = await start(t, data_dir)
  assert.equal((await client(url).get('/ready')).status, 200)
})

test('a process with a single role serves only its own routes and health checks', async (t) => {
  const { url } = await start(t, await usedFolder(t), { env: { SLIPWAY_ROLES: 'upload' } })
  const { get, post } = client(url)
  const statuses = [
    (await get('/health')).status,
    (await get('/api/v1/private/account')).status,
    (await get('/docs/api')).status,
  ]
  assert.deepEqual(
    [...statuses, (await post('/api/v1/tool/upload/sessions')).status],
    [200, 404, 404, 401],
  )
})

test('SIGTERM to npm itself stops the whole service', async (t) => {
  const data_dir = await usedFolder(t)
  const { url, child } = await start(t, data_dir, { command: ['npm', 'start'] })
  assert.equal((await client(url).get('/health')).status, 200)
  child.kill('SIGTERM')
  await ended(child)
  await eventually('the end of all processes', () => processesOf(data_dir).length === 0)
})

test('idle, silent and stalled connections do not delay the shutdown', async (t) => {
  const data_dir = await usedFolder(t)
  const { url, child } = await start(t, data_dir)
  const { hostname, port } = new URL(url)
  for (const text of ['', 'GET /health HT', 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('error', () => {})
    await once(socket, text.endsWith('\r\n\r\n') ? 'data' : 'connect')
  }
  child.kill('SIGTERM')
  assert.equal(await ended(child), 0)
})

test('requests sent before SIGTERM are answered', async (t) => {
  const data_dir = await usedFolder(t)
  const { url, child } = await start(t, data_dir)
  const { post } = client(url)
  // Each request hashes a password, so that all are in progress when the signal arrives.
  const requests = Array.from({ length: 20 }, (_, i) =>
    post(REGISTER, { username: `someone-${i}`, email: `s${i}@example.com`, password: PASSWORD }),
  )
  await Promise.race(requests)
  child.kill('SIGTERM')
  const answers = await Promise.allSettled(requests)
  assert.deepEqual(
    answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.status : String(answer.reason),
    ),
    Array(20).fill(201),
  )
  assert.equal(await ended(child), 0)
})

test('operator mistakes are reported in clear messages', async (t) => {
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const cases: [Record<string, string>, RegExp][] = [
    [{ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, /DATABASE_URL/],
    [{ DATA_DIR: file }, /DATA_DIR/],
    [{ HOST: '203.0.113.7' }, /HOST/],
    [{ MAIL_FROM: 'nobody' }, /MAIL_FROM/],
  ]
  for (const [env, message] of cases) {
    const { child, stderr } = launch(t, temporaryFolder(t), { env })
    assert.equal(await ended(child), 1, JSON.stringify(env))
    assert.match(stderr(), message)
    assert.doesNotMatch(stderr(), /\n +at /, JSON.stringify(env))
  }
})

test('starts with a comma, a space and quotes in the name of the data folder', async (t) => {
  const data_dir = join(temporaryFolder(t), `a, "b" 'c' ü`)
  const { url } = await start(t, data_dir)
  assert.equal((await client(url).get('/ready')).status, 200)
})

test('every link in the documentation resolves', () => {
  for (const file of [
    'README.md',
    'ARCHITECTURE.md',
    'CONTRIBUTING.md',
    'CHANGELOG.md',
    ...readdirSync(join(root, 'docs'))
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ])
    for (const [, link] of readFileSync(join(root, file), 'utf8').matchAll(
      /\]\((?!https?:|#|mailto:)([^)#]+)/g,
    ))
      assert.ok(existsSync(join(root, dirname(file), link!)), `${file}: ${link}`)
})
