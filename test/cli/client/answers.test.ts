import assert from 'node:assert/strict'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { temporaryFolder } from '../../support/app.ts'
import { sharedInFile } from '../../support/shared.ts'
import { type Options, slipway } from '../slipway.ts'
import { startStore } from './fixtures.ts'
import { isFile, startMiddle, type Tamper } from './middle.ts'

const sharedStore = sharedInFile((t) => startStore(t))
const MAX_ATTEMPTS = 5

/** The program with a server between it and the store that changes or refuses answers. */
async function startBehind(t: TestContext, tamper: Tamper) {
  const store = await sharedStore()
  const { url, requests } = await startMiddle(t, store.url, tamper)
  const env = { SVC_API_URL: url, SLIPWAY_GAMES: temporaryFolder(t) }
  const run = (args: string[], options: Options = {}) =>
    slipway(args, { ...options, env: { ...env, ...options.env } })
  const install = (...more: string[]) =>
    run(['install', store.name, '--os', 'linux', '--arch', 'x86_64', ...more])
  const count = (matches: (path: string) => boolean) => requests.filter(matches).length
  return { store, run, install, count }
}

test('a download that is refused for good ends with a sentence', async (t) => {
  for (const status of [403, 404, 410, 416]) {
    const { install, count } = await startBehind(t, {
      refuse: (path) => (isFile(path) ? status : undefined),
    })
    const { code, stderr } = await install()
    assert.equal(code, 2, stderr)
    assert.match(stderr, new RegExp(`the download failed: the server answered HTTP ${status}`))
    assert.ok(count(isFile) <= MAX_ATTEMPTS, `${status}: ${count(isFile)} requests`)
  }
})

test('a download from a server that is failing is tried five times', async (t) => {
  const { install, count } = await startBehind(t, {
    refuse: (path) => (isFile(path) ? 503 : undefined),
  })
  const { code, stderr } = await install()
  assert.equal(code, 2, stderr)
  assert.match(stderr, /attempt 5 of 5/)
  assert.equal(count(isFile), MAX_ATTEMPTS)
})

test('a link that is refused once is renewed', async (t) => {
  let refusals = 1
  const { install, run, store } = await startBehind(t, {
    refuse: (path) => (isFile(path) && refusals-- > 0 ? 403 : undefined),
  })
  const { code, stderr } = await install()
  assert.equal(code, 0, stderr)
  assert.equal((await run(['verify', store.name])).code, 0)
})

const isManifest = (path: string) => path.includes('/manifest')

test('a signed manifest of something else than was asked for is refused', async (t) => {
  const { a, game, url, sql } = await sharedStore()
  const other = await a.listing({ owner: game.owner })
  await a.cleanBuild(other)
  const windows = await a.cleanBuild(game, { os: 'windows', version: '1.5' })
  const server = await a.cleanBuild(game, { app: 'server', version: '1.6' })
  await sql`
    update listings set visibility = 'public', anonymous_downloads = true where uid = ${other.uid}`
  const own = `/api/v1/public/games/${game.uid}`
  const read = async (path: string) =>
    Buffer.from(await (await fetch(`${url}${path}?format=ndjson`)).arrayBuffer())
  const [of_other_game, old_build] = await Promise.all([
    read(`/api/v1/public/games/${other.uid}/manifest`),
    read(`${own}/manifest`),
  ])
  await a.cleanBuild(game, { version: '2.0' })
  const swapped: Record<string, Tamper> = {
    'of another game': { body: (path, body) => (isManifest(path) ? of_other_game : body) },
    'of an older build': { body: (path, body) => (isManifest(path) ? old_build : body) },
    'of another system': {
      redirect: (path) => path.replace('os=linux', 'os=windows'),
    },
    'of another program': {
      redirect: (path) => path.replace('app=', 'app=server'),
    },
  }
  assert.ok(windows.build_id !== server.build_id)
  for (const [name, tamper] of Object.entries(swapped)) {
    const { install, run } = await startBehind(t, tamper)
    const { code, stderr } = await install()
    assert.equal(code, 5, `${name}: ${stderr}`)
    assert.match(stderr, /it is of another/, name)
    assert.match((await run(['list'])).stdout, /No games/, name)
  }
})

test('an update that another store signed is refused', async (t) => {
  const { a, game } = await sharedStore()
  const { install, run, store } = await startBehind(t, {})
  const { folder } = (await install('--json')).json
  const versions = join(folder, 'versions')
  const record = join(versions, readdirSync(versions).find((name) => name.endsWith('.json'))!)
  const version = JSON.parse(readFileSync(record, 'utf8'))
  version.manifest.issuer = 'https://other.example'
  writeFileSync(record, JSON.stringify(version))
  await a.cleanBuild(game, { version: '3.0' })
  const { code, stderr } = await run(['update', store.name])
  assert.equal(code, 5, stderr)
  assert.match(stderr, /it is of another store/)
})

/** Ways in which the list of files arrives only in part, as long as `left` is not used up. */
const cuts = (left: () => boolean): Record<string, Tamper> => {
  const cut = (path: string, body: Buffer, length: number) =>
    isManifest(path) && left() ? body.subarray(0, length) : body
  return {
    'after an entry': { body: (path, body) => cut(path, body, body.lastIndexOf('{')) },
    'in an entry': { body: (path, body) => cut(path, body, body.length - 10) },
    'in its first line': { body: (path, body) => cut(path, body, 100) },
    'before everything': { body: (path, body) => cut(path, body, 0) },
    'by the connection': { cut: (path) => (isManifest(path) && left() ? 500 : undefined) },
  }
}

test('a list of files that arrives only in part is asked for again', async (t) => {
  let left = 0
  for (const [name, tamper] of Object.entries(cuts(() => left-- > 0))) {
    left = 2
    const { install } = await startBehind(t, tamper)
    const { code, stderr } = await install()
    assert.equal(code, 0, `${name}: ${stderr}`)
  }
  for (const [name, tamper] of Object.entries(cuts(() => true))) {
    const { install, count } = await startBehind(t, tamper)
    const { code, stderr } = await install()
    assert.equal(code, 3, `${name}: ${stderr}`)
    assert.equal(count(isManifest), MAX_ATTEMPTS, name)
  }
})

test('the keys of a store are asked for again, and have to be keys', async (t) => {
  const isKeys = (path: string) => path.includes('jwks.json')
  let refusals = 2
  const recovering = await startBehind(t, {
    refuse: (path) => (isKeys(path) && refusals-- > 0 ? 503 : undefined),
  })
  assert.equal((await recovering.install()).code, 0)

  const failing = await startBehind(t, { refuse: (path) => (isKeys(path) ? 503 : undefined) })
  const unavailable = await failing.install()
  assert.deepEqual([unavailable.code, failing.count(isKeys)], [2, MAX_ATTEMPTS])
  assert.match(unavailable.stderr, /HTTP 503/)

  const page = await startBehind(t, {
    body: (path, body) => (isKeys(path) ? Buffer.from('<h1>Sign in to the network</h1>') : body),
  })
  const { code, stderr } = await page.install()
  assert.equal(code, 2, stderr)
  assert.match(stderr, /a web page: Sign in to the network/)
})

test('where there is no build for a system, the refusal says what there is', async (t) => {
  const { a, game, name } = await sharedStore()
  await a.cleanBuild(game, { os: 'macos', arch: 'universal', channel: 'beta', version: '0.1' })
  const { run } = await startBehind(t, {})
  const { code, stderr } = await run(['install', name, '--os', 'windows', '--arch', 'arm64'])
  assert.equal(code, 2, stderr)
  assert.match(stderr, /no build of \S+ for windows arm64 on the channel stable; there are builds/)
  assert.match(stderr, /linux x86_64 \(stable\)/)
  assert.doesNotMatch(stderr, /macos/, 'nobody learns of builds that they may not see')
})
