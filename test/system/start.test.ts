import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { client, eventually, startApp, temporaryFolder } from '../support/app.ts'
import { must, PASSWORD } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { freshDatabase } from '../support/database.ts'
import { sharedInFile } from '../support/shared.ts'
import { copyPrepared, preparedFolder, startIn, usedFolder } from './prepared-folder.ts'

const root = join(import.meta.dirname, '../..')
const REGISTER = '/api/v1/private/account/register'
const LOGIN = '/api/v1/private/account/login'
const person = { username: 'someone', email: 'someone@example.com', password: PASSWORD }
const login = { login: person.username, password: PASSWORD }

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

const isRoot = process.getuid?.() === 0

/** The ids of a user who may not do more than others. */
function ordinaryUser() {
  const [, , uid, gid] = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((line) => line.startsWith('daemon:'))!
    .split(':')
  return { uid: Number(uid), gid: Number(gid) }
}

test('a start as an ordinary user serves, SIGTERM stops all, and the next start has the data', async (t) => {
  const data_dir = temporaryFolder(t)
  // Only root can change the user; other users are ordinary in every test of this file.
  const user: LaunchOptions = isRoot ? ordinaryUser() : {}
  if (isRoot) chownSync(data_dir, user.uid!, user.gid!)
  const first = await start(t, data_dir, user)
  assert.equal((await client(first.url).get('/ready')).status, 200)
  must(await client(first.url).post(REGISTER, person))
  first.child.kill('SIGTERM')
  assert.equal(await ended(first.child), 0)
  assert.deepEqual(processesOf(data_dir), [])
  const second = await start(t, data_dir, user)
  must(await client(second.url).post(LOGIN, login))
})

test('Ctrl-C, which signals the whole process group, stops everything cleanly', async (t) => {
  const data_dir = await preparedFolder(t)
  const { child, stderr } = await start(t, data_dir, { group: true })
  process.kill(-child.pid!, 'SIGINT')
  assert.equal(await ended(child), 0)
  assert.deepEqual(processesOf(data_dir), [])
  assert.equal(stderr(), '')
})

test('confirmed writes survive every crash', async (t) => {
  const data_dir = await preparedFolder(t)
  let { url, child } = await start(t, data_dir)
  must(await client(url).post(REGISTER, person))
  await t.test('the service reconnects after its database crashes, without a restart', async () => {
    for (const { pid } of databases(data_dir)) process.kill(pid, 'SIGKILL')
    await eventually(
      'the database to be back',
      async () => (await client(url).post(LOGIN, login)).status === 200,
    )
    await eventually('readiness', async () => (await client(url).get('/ready')).status === 200)
  })
  const crashes = {
    'after kill -9 of the service, the next start has all confirmed writes': servers,
    'after kill -9 of all processes the next start recovers without help': processesOf,
  }
  for (const [name, victims] of Object.entries(crashes))
    await t.test(name, async () => {
      for (const { pid } of victims(data_dir)) process.kill(pid, 'SIGKILL')
      ;({ url, child } = await start(t, data_dir))
      must(await client(url).post(LOGIN, login))
    })
  child.kill('SIGTERM')
  assert.equal(await ended(child), 0)
})

const startShared = sharedInFile(async (t) => {
  const data_dir = await preparedFolder(t)
  return { data_dir, ...(await start(t, data_dir)) }
})

test('a second start on a DATA_DIR is rejected, and the first keeps running', async (t) => {
  const first = await startShared()
  const second = launch(t, first.data_dir)
  assert.equal(await ended(second.child), 1)
  assert.match(second.stderr(), /^Slipway already runs on .+ \(process \d+\)\. Stop it first/)
  assert.doesNotMatch(second.stderr(), /\n +at /, 'a stack trace was printed')
  assert.equal((await client(first.url).get('/ready')).status, 200)
})

test('a port in use is reported in a clear message', async (t) => {
  const { port } = new URL((await startShared()).url)
  const env = { PORT: port, DATABASE_URL: await freshDatabase(t) }
  const second = launch(t, temporaryFolder(t), { env })
  assert.equal(await ended(second.child), 1)
  assert.match(second.stderr(), /already in use/)
  assert.doesNotMatch(second.stderr(), /\n +at /)
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
  await copyPrepared(data_dir)
  for (const mode of [0o755, 0o700, 0o755]) {
    chmodSync(outer, mode)
    const service = await startIn(data_dir)
    await service.stop()
  }
})

test('starts with a very long DATA_DIR', async (t) => {
  const outer = join(temporaryFolder(t), 'x'.repeat(100))
  mkdirSync(outer)
  const data_dir = join(outer, 'y'.repeat(100))
  await copyPrepared(data_dir)
  const service = await startIn(data_dir)
  await service.stop()
})

test('starts with a comma, a space and quotes in the name of the data folder', async () => {
  assert.match(await usedFolder(), /, "b" 'c'/)
})

test('a process with a single role serves only its own routes and health checks', async (t) => {
  const { get, post } = await startApp(t, { SLIPWAY_ROLES: 'upload' })
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
  const data_dir = await preparedFolder(t)
  const { url, child } = await start(t, data_dir, { command: ['npm', 'start'] })
  assert.equal((await client(url).get('/health')).status, 200)
  child.kill('SIGTERM')
  await ended(child)
  await eventually('the end of all processes', () => processesOf(data_dir).length === 0)
})

test('SIGTERM answers the requests sent before it, whatever idle and stalled connections do', async (t) => {
  const data_dir = await preparedFolder(t)
  const { url, child } = await start(t, data_dir)
  const { hostname, port } = new URL(url)
  for (const text of ['', 'GET /health HT', 'GET /health HTTP/1.1\r\nhost: x\r\n\r\n']) {
    const socket = connect(Number(port), hostname, () => socket.write(text))
    socket.on('error', () => {})
    await once(socket, text.endsWith('\r\n\r\n') ? 'data' : 'connect')
  }
  const { post } = client(url)
  // Each request hashes a password, so that all are in progress when the signal arrives.
  const requests = Array.from({ length: 10 }, (_, i) =>
    post(REGISTER, { username: `someone-${i}`, email: `s${i}@example.com`, password: PASSWORD }),
  )
  await Promise.race(requests)
  child.kill('SIGTERM')
  const answers = await Promise.allSettled(requests)
  assert.deepEqual(
    answers.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.status : String(answer.reason),
    ),
    Array(10).fill(201),
  )
  assert.equal(await ended(child), 0)
})

test('an invalid configuration stops the start and names every invalid setting', async (t) => {
  const env = { PORT: 'eighty', SLIPWAY_ROLES: 'cook', MAIL_FROM: 'nobody' }
  const { child, stderr } = launch(t, temporaryFolder(t), { env })
  assert.equal(await ended(child), 1)
  for (const name of Object.keys(env)) assert.match(stderr(), new RegExp(`${name} must be`))
  assert.doesNotMatch(stderr(), /\n +at /)
})

test('operator mistakes are reported in clear messages', async (t) => {
  const file = join(temporaryFolder(t), 'file')
  writeFileSync(file, '')
  const cases: [Record<string, string>, RegExp][] = [
    [{ DATABASE_URL: 'postgres://x@127.0.0.1:1/x' }, /DATABASE_URL/],
    [{ DATA_DIR: file }, /DATA_DIR/],
    [{ HOST: '203.0.113.7', DATABASE_URL: await freshDatabase(t) }, /HOST/],
  ]
  for (const [env, message] of cases) {
    const { child, stderr } = launch(t, temporaryFolder(t), { env })
    assert.equal(await ended(child), 1, JSON.stringify(env))
    assert.match(stderr(), message)
    assert.doesNotMatch(stderr(), /\n +at /, JSON.stringify(env))
  }
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
