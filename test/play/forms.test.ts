import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must, refused, storedKeys } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { zip } from '../uploads/zips.ts'
import { errorsOf } from '../web/browser.ts'
import { signedIn } from '../web/dashboard-fixtures.ts'
import { addPlayGame, gameFiles } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)
/** A new game in the service that all tests of this file share. */
const startPlayApp = async (t: TestContext) => addPlayGame(await sharedApp(t))

test('the dashboard changes the play settings without script', async (t) => {
  const app = await startPlayApp(t)
  const owner = signedIn(app, app.game.owner)
  const page = `/dashboard/${app.game.vanity_name}/settings`
  const settings = async () =>
    must(await app.get(`/api/v1/private/games/${app.game.uid}/play-settings`, app.game.owner))
  const lines = 'https://api.example\r\n\r\n  wss://rooms.example:8443  '
  const sent = { connect_origins: lines, embeddable: 'yes', orientation: 'portrait' }
  const saved = await owner.submit(`${page}/play`, sent)
  assert.match(saved.body, /The play settings are saved/)
  assert.match(saved.body, />\s*https:\/\/api\.example\nwss:\/\/rooms\.example:8443<\/textarea>/)
  assert.deepEqual(await settings(), {
    connect_origins: ['https://api.example', 'wss://rooms.example:8443'],
    embeddable: true,
    orientation: 'portrait',
  })
  assert.match(saved.body, /<option value="portrait" selected>/)
  const rejected = await owner.send(`${page}/play`, { connect_origins: 'http://plain.example' })
  assert.equal(rejected.status, 400)
  assert.equal(errorsOf(rejected.body).length, 2)
  assert.match(rejected.body, /http:\/\/plain\.example<\/textarea>/)
  assert.equal((await settings()).embeddable, true)
  await owner.submit(`${page}/play`, { connect_origins: '' })
  const defaults = { connect_origins: [], embeddable: false, orientation: 'any' }
  assert.deepEqual(await settings(), defaults)
  const stranger = signedIn(app, await app.a.verifiedDeveloper())
  assert.equal((await stranger.send(`${page}/play`, { embeddable: 'yes' })).status, 404)
})

test('an owner plays any build from the dashboard, others only what they see', async (t) => {
  const app = await startPlayApp(t)
  const web = { os: 'web', arch: 'wasm32', bytes: zip(gameFiles) }
  const next = await app.a.cleanBuild(app.game, { ...web, version: '9.0' })
  const dev = await app.a.cleanBuild(app.game, { ...web, version: '9.1', channel: 'dev' })
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  const owner = signedIn(app, app.game.owner)
  for (const { build_id, file_uid, version } of [app, next, dev].map((build, n) => ({
    ...build,
    version: ['1.0.0', '9.0', '9.1'][n]!,
  }))) {
    const page = await owner.open(`/dashboard/${app.game.vanity_name}/builds/${build_id}`)
    assert.ok(page.body.includes(`href="${path}?file=${file_uid}"`), version)
    const player = await owner.open(`${path}?file=${file_uid}`)
    assert.ok(player.body.includes(`data-build="${build_id}"`), version)
  }
  const visitor = signedIn(app, await app.a.verified())
  const seen = await visitor.open(`${path}?file=${next.file_uid}`)
  assert.ok(seen.body.includes(`data-build="${next.build_id}"`))
  assert.equal((await visitor.open(`${path}?file=${dev.file_uid}`)).status, 404)
  assert.equal((await visitor.open(`${path}?file=${app.build_id}`)).status, 404)
})

test('the player page has the code for other sites where the listing allows it', async (t) => {
  const app = await startPlayApp(t)
  const tab = signedIn(app, await app.a.verified())
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  assert.doesNotMatch((await tab.open(path)).body, /Put this game on your site/)
  const settings = { connect_origins: [], embeddable: true, orientation: 'portrait' }
  const change = `/api/v1/private/games/${app.game.uid}/play-settings`
  must(await app.put(change, settings, app.game.owner))
  await eventually('the code', async () => {
    const { body } = await tab.open(path)
    return body.includes('Put this game on your site') && body.includes(`//${app.host}`)
  })
  const { body } = await tab.open(path)
  assert.match(body, /data-orientation="portrait"/)
  assert.match(body, /&lt;iframe src=&quot;http:\/\/[^&]+\/&quot;/)
})

test('a player shares who they are without script, and withdraws it in the account', async (t) => {
  const app = await startPlayApp(t)
  const person = await app.a.verified()
  const tab = signedIn(app, person)
  const path = `/${app.game.owner.username}/${app.game.vanity_name}/play`
  const token = () =>
    app.post(`/api/v1/private/games/${app.game.uid}/play-token`, undefined, person)
  assert.doesNotMatch((await tab.open(path)).body, /name="shared" value="yes" checked/)
  assert.deepEqual(refused(await token()), [403, 4221])
  const shared = await tab.submit(`/games/${app.game.uid}/play-sharing`, { shared: 'yes' })
  assert.match(shared.body, /This game now knows who you are/)
  assert.match(shared.body, /name="shared" value="yes" checked/)
  const { player, expires_at } = must(await token())
  assert.deepEqual(player, { uid: person.uid, username: person.username })
  const minutes = (Date.parse(expires_at) - Date.now()) / 60_000
  assert.ok(minutes > 8 && minutes <= 10, String(minutes))
  const list = await tab.open('/settings/played-games')
  assert.ok(list.body.includes(app.game.uid))
  const action = `/settings/played-games/${app.game.uid}`
  const withdrawn = await tab.submit(`${action}/withdraw`)
  assert.match(withdrawn.body, /no longer learns who you are/)
  assert.match(withdrawn.body, /No game in the browser knows who you are/)
  assert.deepEqual(refused(await token()), [403, 4221])
  const signed_out = await app.post(`/api/v1/private/games/${app.game.uid}/play-token`)
  assert.deepEqual(refused(signed_out), [401, 4010])
})

test('only the site itself can share who a person is', async (t) => {
  const app = await startPlayApp(t)
  const person = await app.a.verified()
  const tab = signedIn(app, person)
  const forged = { 'sec-fetch-site': 'cross-site', origin: `http://${app.host}` }
  const path = `/games/${app.game.uid}/play-sharing`
  assert.equal((await tab.send(path, { shared: 'yes' }, forged)).status, 403)
  const answer = await app.put(
    `/api/v1/private/games/${app.game.uid}/play-sharing`,
    { shared: true },
    { headers: { cookie: `svc_session=${person.token}`, ...forged } },
  )
  assert.deepEqual(refused(answer), [403, 4030])
  assert.equal((await app.sql`select from play_sharing where game_uid = ${app.game.uid}`).length, 0)
  const hidden = await app.a.listing()
  const other = `/api/v1/private/games/${hidden.uid}/play-sharing`
  assert.deepEqual(refused(await app.put(other, { shared: true }, person)), [404, 4040])
})

test('the account lists saves to download, and deletes those of a game', async (t) => {
  const app = await startPlayApp(t)
  const person = await app.a.verified()
  const tab = signedIn(app, person)
  const game = `/api/v1/private/games/${app.game.uid}`
  const { token } = must(await app.post(`${game}/player-token`, undefined, person))
  const slot = `/api/v1/public/games/${app.game.uid}/saves/auto`
  must(await app.call('PUT', slot, { raw: 'level 3', token }))
  const list = (await tab.open('/settings/played-games')).body as string
  const [, link] = list.match(/href="(\/api\/v1\/private\/account\/saves\/[^"]+)"/)!
  const file = await tab.open(link!)
  assert.deepEqual([file.status, file.body], [200, 'level 3'])
  assert.match(file.headers['content-disposition']!, /auto\.save/)
  const done = await tab.submit(`/settings/played-games/${app.game.uid}/delete-saves`)
  assert.match(done.body, /are deleted/)
  assert.deepEqual(await storedKeys(app.core, 'saves/'), [])
})
