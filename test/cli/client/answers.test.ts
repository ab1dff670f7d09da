import assert from 'node:assert/strict'
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
