import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startEmbeddedPostgres } from '../../../../src/core/database/embedded/postgres.ts'
import { type Client, client, eventually, temporaryFolder } from '../../../support/app.ts'
import { must, PASSWORD } from '../../../support/builders.ts'
import { GC_FLAGS, serviceFile } from '../../../support/child.ts'
import { cleanup } from '../../../support/cleanup.ts'
import { chooseCases, loopCount } from '../../../support/loop-count.ts'

const KILLS = loopCount({ short: 1, full: 200 })
const DOUBLE_STARTS = 50
const FULL_DISKS = loopCount({ short: 1, full: 50 })
const FIRST_START_MS = 6_000
const MIB = 1024 ** 2

const account = { username: 'someone', email: 'someone@example.com', password: PASSWORD }
const login = { login: account.username, password: PASSWORD }
const isRoot = process.getuid?.() === 0
/** Runs a program as in a container of its own: it sees no process of the others. */
const CONTAINER = ['unshare', '--pid', '--ipc', '--fork', '--kill-child', '--mount-proc']

type Outcome = { url?: string; code?: number | null; stderr: string }
type Start = { child: ChildProcess; outcome: Promise<Outcome> }

async function launch(t: TestContext, data_dir: string, prefix: string[] = []): Promise<Start> {
  const flags = ['--disable-warning=ExperimentalWarning', ...GC_FLAGS]
  const [file, ...args] = [...prefix, process.execPath, ...flags, await serviceFile()]
  const { DATABASE_URL: _, ...env } = process.env
  const child = spawn(file!, args, {
    env: {
      ...env,
      PORT: '0',
      METRICS_PORT: 'off',
      LOG_LEVEL: 'error',
      DATA_DIR: data_dir,
      // A busy machine must not fail a test.
      DATABASE_TIMEOUT: '60',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  cleanup(t, () => stop(child, prefix.length ? 'SIGKILL' : 'SIGTERM'))
  let stderr = ''
  child.stderr!.on('data', (text) => {
    stderr += text
  })
  const exited = once(child, 'exit')
  const ready = (async () => {
    for await (const line of createInterface({ input: child.stdout! })) {
      const url = line.match(/^ready (\S+)$/)?.[1]
      if (url) return url
    }
    return undefined
  })()
  const outcome = ready.then(async (url): Promise<Outcome> => {
    if (url) return { url, stderr }
    await exited
    return { code: child.exitCode, stderr }
  })
  return { child, outcome }
}

async function stop(child: ChildProcess, signal: NodeJS.Signals = 'SIGTERM') {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill(signal)
  await exited
}

/** Starts a service, which must get ready without help. */
async function startReady(t: TestContext, data_dir: string) {
  const { child, outcome } = await launch(t, data_dir)
  const { url, stderr } = await outcome
  assert.ok(url, `the service did not start:\n${stderr}`)
  return { ...client(url), stop: () => stop(child), kill: () => stop(child, 'SIGKILL') }
}

/** An account that is made survives a restart. */
async function checkWorks(t: TestContext, data_dir: string) {
  const first = await startReady(t, data_dir)
  must(await first.post('/api/v1/private/account/register', account))
  await first.stop()
  const second = await startReady(t, data_dir)
  must(await second.post('/api/v1/private/account/login', login))
  await second.stop()
}

const databaseFolders = (data_dir: string) =>
  readdirSync(join(data_dir, 'postgres')).filter((name) => name.startsWith('data'))

test('a first start that is killed at any moment needs no help afterwards', async (t) => {
  for (let kill = 0; kill < KILLS; kill++) {
    const data_dir = temporaryFolder(t)
    const { child, outcome } = await launch(t, data_dir)
    // Evenly over the time that a first start takes.
    await Promise.race([outcome, pause((FIRST_START_MS * (kill + Math.random())) / KILLS)])
    await stop(child, 'SIGKILL')
    await checkWorks(t, data_dir)
    assert.deepEqual(databaseFolders(data_dir), ['data'])
    rmSync(data_dir, { recursive: true, force: true })
  }
})

const startRounds = Array.from({ length: DOUBLE_STARTS }, (_, round) => ({
  // Otherwise while the first one creates its database or serves.
  is_at_once: round % 3 === 0,
  // The starts that are refused run beside the one that wins, and in other containers.
  prefixes: round % 2 === 0 ? [CONTAINER, CONTAINER, []] : [[], [], CONTAINER],
}))

test('of several starts on one folder all but one are refused, also from other containers', async (t) => {
  if (!isRoot) t.diagnostic('only root can start in namespaces: not tried')
  for (const { is_at_once, prefixes } of chooseCases(t, startRounds, 1)) {
    const data_dir = temporaryFolder(t)
    const [prefix, ...others] = isRoot ? prefixes : [[], []]
    const first = await launch(t, data_dir, prefix)
    if (!is_at_once) await Promise.race([first.outcome, pause(Math.random() * FIRST_START_MS)])
    const starts = [first]
    for (const other of others) starts.push(await launch(t, data_dir, other))
    const outcomes = await Promise.all(starts.map(({ outcome }) => outcome))
    const [winner, ...more] = outcomes.filter(({ url }) => url)
    assert.ok(winner && !more.length, JSON.stringify(outcomes))
    for (const { code, stderr } of outcomes.filter(({ url }) => !url)) {
      assert.equal(code, 1)
      assert.match(stderr, /^Slipway already runs on /)
    }
    const { post } = client(winner.url!)
    must(await post('/api/v1/private/account/register', account))
    await Promise.all(starts.map(({ child }) => stop(child, 'SIGKILL')))
    const next = await startReady(t, data_dir)
    must(await next.post('/api/v1/private/account/login', login))
    await next.stop()
    rmSync(data_dir, { recursive: true, force: true })
  }
})

test('a full disk is explained, at a first start and while serving, until there is room', async (t) => {
  if (!isRoot) return t.skip('needs the right to mount')
  for (let round = 0; round < FULL_DISKS; round++) {
    const data_dir = temporaryFolder(t)
    const mount = (...args: string[]) => assert.equal(spawnSync('mount', args).status, 0)
    const size = Math.round(MIB * (1 + 60 * ((round + Math.random()) / FULL_DISKS)))
    mount('-t', 'tmpfs', '-o', `mode=755,size=${size}`, 'tmpfs', data_dir)
    cleanup(t, () => spawnSync('umount', ['-l', data_dir]))
    const { child, outcome } = await launch(t, data_dir)
    const { url, code, stderr } = await outcome
    if (!url) {
      assert.equal(code, 1, stderr)
      assert.match(stderr, /disk|space/i)
    }
    await stop(child)
    mount('-o', `remount,size=${300 * MIB}`, data_dir)
    const service = await startReady(t, data_dir)
    must(await service.post('/api/v1/private/account/register', account))
    await fillAndEmpty(service, data_dir)
    await service.stop()
    const next = await startReady(t, data_dir)
    must(await next.post('/api/v1/private/account/login', login))
    await next.stop()
  }
})

/** Fills the disk under a service, which refuses writes until there is room again. */
async function fillAndEmpty({ get, post }: Client, data_dir: string) {
  const filler = join(data_dir, 'filler')
  assert.notEqual(spawnSync('dd', ['if=/dev/zero', `of=${filler}`, 'bs=64k']).status, 0)
  const refused = await eventually('a refused write', async () => {
    const name = `p${Math.random().toString(36).slice(2, 10)}`
    const answer = await post('/api/v1/private/account/register', {
      ...account,
      username: name,
      email: `${name}@example.com`,
    })
    return answer.status !== 201 && answer
  })
  assert.deepEqual([refused.status, refused.body.error.code], [503, 5031])
  rmSync(filler)
  await eventually('readiness', async () => (await get('/ready')).status === 200)
  must(await post('/api/v1/private/account/login', login))
}

test('a server that runs but refuses every connection ends the start with its reason', async (t) => {
  const data_dir = temporaryFolder(t)
  // Without the tables of the service, because the server fails before anything reads them.
  const first = await startEmbeddedPostgres(data_dir)
  await first.stop()
  // The table of databases, which each connection reads: an error as lasting as a full disk.
  rmSync(join(data_dir, 'postgres/data/global/1262'))
  const { outcome } = await launch(t, data_dir)
  const { code, stderr } = await outcome
  assert.equal(code, 1, stderr)
  assert.match(stderr, /did not start.+could not open file "global\/1262"/s)
  assert.ok(!existsSync(join(data_dir, 'postgres/data/postmaster.pid')), 'the server still runs')
})

test('a folder that has files but is not a whole database is left as it is', async (t) => {
  const data_dir = temporaryFolder(t)
  const cluster = join(data_dir, 'postgres/data')
  mkdirSync(join(cluster, 'global'), { recursive: true })
  writeFileSync(join(cluster, 'global/pg_control'), 'what is left of a database')
  const { outcome } = await launch(t, data_dir)
  const { code, stderr } = await outcome
  assert.equal(code, 1)
  assert.match(stderr, /lacks PG_VERSION.+restore a backup/s)
  assert.doesNotMatch(stderr, /\n +at /)
  assert.deepEqual(readdirSync(cluster), ['global'])
})
