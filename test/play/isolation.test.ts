import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { addPlayGame } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)
/** A new game in the service that all tests of this file share. */
const startPlayApp = async (t: TestContext) => addPlayGame(await sharedApp(t))

type PlayApp = Awaited<ReturnType<typeof startPlayApp>>

const isIsolated = async (app: PlayApp) =>
  (await app.file('')).headers['cross-origin-embedder-policy'] === 'require-corp'

/** Registers the build of the app again with these fields. */
async function register(app: PlayApp, fields: Record<string, unknown>) {
  const { version, os, arch } = must(await app.get(`/api/v1/tool/builds/${app.build_id}`, app.ci))
  return app.post('/api/v1/tool/upload/build', { version, os, arch, ...fields }, app.ci)
}

test('a build opts out of isolation when it is registered, and can be changed later', async (t) => {
  const app = await startPlayApp(t)
  const first = must(await app.get(`/api/v1/tool/builds/${app.build_id}`, app.ci))
  assert.deepEqual([first.coep, await isIsolated(app)], ['on', true])
  const off = must(await register(app, { coep: 'off' }))
  assert.deepEqual([off.build_id, off.coep], [app.build_id, 'off'])
  await eventually('the opt-out', async () => !(await isIsolated(app)))
  // What is not sent stays.
  assert.equal(must(await register(app, { title: 'Another' })).coep, 'off')
  const own = must(
    await app.get(`/api/v1/private/games/${app.game.uid}/builds/${app.build_id}`, app.game.owner),
  )
  assert.equal(own.coep, 'off')
  assert.equal(must(await register(app, { coep: true })).coep, 'on')
  await eventually('the isolation', () => isIsolated(app))
  assert.equal(must(await register(app, { coep: false })).coep, 'off')
  for (const wrong of ['maybe', 1, {}, ['off']])
    assert.deepEqual(refused(await register(app, { coep: wrong })), [400, 4026], String(wrong))
})

test('a new build opts out at once, and says nothing where it is no build for browsers', async (t) => {
  const app = await startPlayApp(t)
  const registered = async (fields: object) =>
    must(await app.post('/api/v1/tool/upload/build', { version: '9', ...fields }, app.ci)).coep
  assert.equal(await registered({ os: 'web', arch: 'wasm32', coep: 'off' }), 'off')
  assert.equal(await registered({ os: 'linux', arch: 'x86_64' }), undefined)
})

test('the page, the player and the API say that a build has no threads', async (t) => {
  const app = await startPlayApp(t)
  const path = `/${app.game.owner.username}/${app.game.vanity_name}`
  const says = async () => {
    const listing = must(await app.get(`/api/v1/public/games/${app.game.uid}`))
    const offer = must(await app.get(`/api/v1/public/games/${app.game.uid}/play`))
    return [
      listing.files[0].isolated,
      offer.isolated,
      !/runs without threads/.test((await app.get(path)).body),
      !/runs without threads/.test((await app.get(`${path}/play`)).body),
    ]
  }
  assert.deepEqual(await says(), [true, true, true, true])
  must(await register(app, { coep: 'off' }))
  await eventually('every place', async () => (await says()).every((isolated) => !isolated))
})

test('the owner changes it on the page of the build', async (t) => {
  const app = await startPlayApp(t)
  const owner = signedIn(app, app.game.owner)
  const build = `/dashboard/${app.game.vanity_name}/builds/${app.build_id}`
  assert.match((await owner.open(build)).body, /Threads in the browser/)
  await owner.submit(`${build}/isolation`, { coep: 'off' })
  await eventually('the opt-out', async () => !(await isIsolated(app)))
  assert.match((await owner.open(build)).body, /<option value="off" selected>/)
  const refusal = await owner.send(`${build}/isolation`, { coep: 'maybe' })
  assert.equal(refusal.status, 400)
  const { title } = must(await app.get(`/api/v1/tool/builds/${app.build_id}`, app.ci))
  await owner.submit(`${build}/isolation`, { coep: 'on' })
  const after = must(await app.get(`/api/v1/tool/builds/${app.build_id}`, app.ci))
  assert.deepEqual([after.coep, after.title], ['on', title])
  const linux = await app.a.cleanBuild(app.game)
  const other = await owner.open(`/dashboard/${app.game.vanity_name}/builds/${linux.build_id}`)
  assert.doesNotMatch(other.body, /Threads in the browser/)
})

test('the form for new builds sends it', async (t) => {
  const app = await startPlayApp(t)
  const owner = signedIn(app, app.game.owner)
  await owner.submit(`/dashboard/${app.game.vanity_name}/builds/register`, {
    version: '7.0',
    os: 'web',
    arch: 'usual',
    channel: 'dev',
    coep: 'off',
  })
  const { builds } = must(await app.get('/api/v1/tool/builds?version=7.0', app.ci))
  assert.equal(builds[0].coep, 'off')
})
