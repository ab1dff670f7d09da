import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { addCopy, must, PASSWORD, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { addPlayGame, rawRequest } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)
/** A new game in the service that all tests of this file share. */
const startPlayApp = async (t: TestContext) => addPlayGame(await sharedApp(t))

const settingsOf = (uid: string) => `/api/v1/private/games/${uid}/play-settings`

test('a listing declares the servers of its game, and whether other sites may show it', async (t) => {
  const app = await startPlayApp(t)
  const path = settingsOf(app.game.uid)
  const defaults = { connect_origins: [], embeddable: false, orientation: 'any' }
  assert.deepEqual(must(await app.get(path, app.game.owner)), defaults)
  const changed = {
    connect_origins: ['https://api.example', 'wss://a.b:8443'],
    embeddable: true,
    orientation: 'portrait',
  }
  assert.deepEqual(must(await app.put(path, changed, app.game.owner)), changed)
  assert.deepEqual(must(await app.get(path, app.game.owner)), changed)
  await eventually('the policy', async () =>
    /connect-src [^;]*https:\/\/api\.example wss:\/\/a\.b:8443 .*frame-ancestors \*/.test(
      (await app.file('')).headers['content-security-policy']!,
    ),
  )
  const { orientation: _, ...without } = defaults
  assert.deepEqual(must(await app.put(path, without, app.game.owner)), defaults)
  const upside_down = { ...defaults, orientation: 'upside-down' }
  assert.deepEqual(refused(await app.put(path, upside_down, app.game.owner)), [400, 4000])
})

test('a declared server is an origin in lower case, up to ten of them', async (t) => {
  const app = await startPlayApp(t)
  const put = (connect_origins: unknown) =>
    app.put(settingsOf(app.game.uid), { connect_origins, embeddable: false }, app.game.owner)
  const origins = (count: number) =>
    Array.from({ length: count }, (_, n) => `https://server-${n}.example`)
  must(await put(origins(10)))
  must(await put([`https://${'a'.repeat(63)}.example:65535`, 'wss://localhost:1']))
  must(await put(origins(10)))
  for (const wrong of [
    origins(11),
    ['http://plain.example'],
    ['https://a.example/path'],
    ["https://a.example; script-src 'none'"],
    ['https://*.example'],
    ['https://UPPER.example'],
    ['https://a.example', 'https://a.example'],
    ['https://a.example:123456'],
    ['https://a.example:65536'],
    ['https://a.example:0'],
    ['https://a..example'],
    ['https://-a.example'],
    ['https://a-.example'],
    ['https://a.example.'],
    [`https://${'a'.repeat(64)}.example`],
    ['*'],
    [''],
    'https://a.example',
  ])
    assert.deepEqual(refused(await put(wrong)), [400, 4000], JSON.stringify(wrong))
  assert.equal(
    must(await app.get(settingsOf(app.game.uid), app.game.owner)).connect_origins.length,
    10,
  )
})

test('the settings belong to those who edit the listing', async (t) => {
  const app = await startPlayApp(t)
  const other = await app.a.developer()
  const path = settingsOf(app.game.uid)
  const body = { connect_origins: [], embeddable: true }
  assert.deepEqual(refused(await app.get(path, other)), [404, 4040])
  assert.deepEqual(refused(await app.put(path, body, other)), [404, 4040])
  assert.equal((await app.put(path, body)).status, 401)
})

test('the API says where a game is played, and to whom it is open', async (t) => {
  const app = await startPlayApp(t)
  const path = `/api/v1/public/games/${app.game.uid}/play`
  const offer = must(await app.get(path))
  assert.deepEqual(
    [offer.file_uid, offer.build_id, offer.isolated, offer.channel],
    [app.file_uid, app.build_id, true, 'stable'],
  )
  const { origin, pathname } = new URL(offer.url)
  assert.equal(new URL(origin).hostname, app.host)
  assert.equal((await app.play(pathname)).status, 200)
  assert.equal(
    must(await app.get(`/api/v1/public/games/${app.game.vanity_name}/play`)).url,
    offer.url,
  )
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  await eventually('the price', async () => (await app.get(path)).status !== 200)
  assert.deepEqual(refused(await app.get(path)), [401, 4001])
  const player = await app.a.verified()
  assert.deepEqual(refused(await app.get(path, player)), [402, 4023])
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  const link = await eventually('the copy', async () => {
    const answer = await app.get(path, player)
    return answer.status === 200 && (must(answer).url as string)
  })
  const { pathname: hop, search } = new URL(link as string)
  const started = await app.play(`${hop}${search}`)
  assert.deepEqual([started.status, started.headers.location], [302, `/${app.file_uid}/`])
  const [cookie] = started.headers['set-cookie'] as unknown as string[]
  for (const part of ['HttpOnly', 'Secure', 'SameSite=None', 'Partitioned', 'Path=/'])
    assert.ok(cookie!.includes(part), part)
  const [pair] = cookie!.split(';')
  assert.equal((await app.file('game.js', { cookie: pair! })).status, 200)
  assert.equal((await app.file('game.js')).status, 404)
  assert.equal((await app.file('game.js', { cookie: `${pair}x` })).status, 404)
  await app.sql`delete from licences where user_uid = ${player.uid}`
  await eventually(
    'the copy is gone',
    async () => (await app.file('game.js', { cookie: pair! })).status === 404,
  )
})

test('signing out ends the link and the cookie of a game, but not those of another session', async (t) => {
  const app = await startPlayApp(t)
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  const player = await app.a.verified()
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  const signed_in = must(
    await app.post('/api/v1/private/account/login', {
      login: player.username,
      password: PASSWORD,
    }),
  )
  const other = { ...player, token: signed_in.session.token }
  const open = async (who: typeof player) => {
    const { url } = must(await app.get(`/api/v1/public/games/${app.game.uid}/play`, who))
    const { pathname, search } = new URL(url)
    const start = () => app.play(`${pathname}${search}`)
    const [cookie] = (await start()).headers['set-cookie'] as unknown as string[]
    const [pair] = cookie!.split(';')
    return { start, read: () => app.file('game.js', { cookie: pair! }) }
  }
  const ended = await open(player)
  const kept = await open(other)
  assert.deepEqual([(await ended.read()).status, (await kept.read()).status], [200, 200])
  must(await app.post('/api/v1/private/account/logout', undefined, player))
  await eventually('signed out', async () => (await ended.read()).status === 404)
  await eventually('no new cookie', async () => (await ended.start()).status === 404)
  assert.deepEqual([(await kept.read()).status, (await kept.start()).status], [200, 302])
})

test('a link to a paid game opens one file for one person until it expires', async (t) => {
  const app = await startPlayApp(t)
  await app.sql`update listings set price_cents = 500 where uid = ${app.game.uid}`
  const player = await app.a.verified()
  await addCopy(app.sql, app.game.uid, player.uid, 'purchase')
  const { url } = must(await app.get(`/api/v1/public/games/${app.game.uid}/play`, player))
  const statusOf = async (change: (url: URL) => void) => {
    const other = new URL(url)
    change(other)
    return (await app.play(`${other.pathname}${other.search}`)).status
  }
  assert.equal(await statusOf(() => {}), 302)
  assert.equal(await statusOf((u) => u.searchParams.set('user', app.game.owner.uid)), 404)
  assert.equal(await statusOf((u) => u.searchParams.set('expires', '9999999999')), 404)
  assert.equal(await statusOf((u) => u.searchParams.delete('signature')), 404)
  assert.equal(await statusOf((u) => u.searchParams.delete('session')), 404)
  assert.equal(await statusOf((u) => (u.pathname = `/.start/${app.build_id}`)), 404)
  const at_other_game = new URL(url)
  const other = await app.a.listing()
  const answer = await rawRequest(app.url, `${at_other_game.pathname}${at_other_game.search}`, {
    host: `${other.uid}.play.localhost`,
  })
  assert.equal(answer.status, 404)
})
