import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { test } from 'node:test'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { decide } from '../../agents/device-flow.ts'
import { eventually } from '../../support/app.ts'
import { must } from '../../support/builders.ts'
import { zip } from '../../uploads/zips.ts'
import { binary, slipway, systemNode } from '../slipway.ts'
import { startDaemon } from './daemon-process.ts'
import { gameFiles } from './fixtures.ts'
import { paidGame, startWithConfig } from './login-fixtures.ts'
import { startMiddle } from './middle.ts'

test('login shows a code, waits for the website, and stores a file of mode 600', async (t) => {
  const app = await startWithConfig(t)
  const person = await app.a.verified()
  let stderr = ''
  const child = spawn(systemNode, [await binary(), 'login', '--json'], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...app.env },
  })
  child.stderr.on('data', (block) => {
    stderr += block
  })
  let stdout = ''
  child.stdout.on('data', (block) => {
    stdout += block
  })
  const event = await eventually('the event with the code', () =>
    stderr
      .split('\n')
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line))
      .find((message) => message.event === 'login'),
  )
  assert.equal(event.verification_uri, `${app.url}/device`)
  assert.equal(event.device_code, undefined)
  assert.equal((await decide(app.url, person, event.user_code)).status, 303)
  const [code] = await once(child, 'exit')
  assert.equal(code, 0, stderr)
  assert.deepEqual(JSON.parse(stdout), { ok: true, store: app.store, username: person.username })
  const login = app.stored()
  assert.equal(statSync(app.file).mode & 0o777, 0o600)
  for (const secret of [login.access_token, login.refresh_token])
    assert.ok(!`${stdout}${stderr}`.includes(secret), 'a token is printed')
  const [grant] = must(await app.get('/api/v1/private/account/agent-access', person)).grants
  assert.match(grant.client_name, /^Slipway \(.+\)$/)

  const out = await app.run(['logout', '--json'])
  assert.deepEqual([out.code, out.json.revoked, existsSync(app.file)], [0, true, false])
  const token = { token: login.access_token }
  assert.equal((await app.get('/api/v1/private/library', token)).status, 401)
  assert.deepEqual(must(await app.get('/api/v1/private/account/agent-access', person)).grants, [])
  const again = await app.run(['logout', '--json'])
  assert.deepEqual([again.code, again.json.signed_out], [0, false])
})

test('games that need an account or a copy are installed and updated after login', async (t) => {
  const app = await startWithConfig(t)
  const owner = await paidGame(app)
  const signed_out = await app.run(app.install)
  assert.equal(signed_out.code, 2)
  assert.match(signed_out.stderr, /run slipway login/)
  const german = await app.run(app.install, { LANG: 'de_DE.UTF-8' })
  assert.match(german.stderr, /melde dich mit slipway login an/)

  await app.storeLogin(await app.a.verified())
  const without_copy = await app.run(app.install)
  assert.equal(without_copy.code, 2)
  assert.match(without_copy.stderr, /4023/)
  assert.match(without_copy.stderr, /buy it on the page of the game/)

  const login = await app.storeLogin(owner)
  const installed = await app.run([...app.install, '--json'])
  assert.equal(installed.code, 0, installed.stdout)
  for (const secret of [login.access_token, login.refresh_token])
    assert.ok(!`${installed.stdout}${installed.stderr}`.includes(secret))
  const next = [...gameFiles, { name: 'more', body: 'more', method: 0 }]
  await app.a.cleanBuild(app.game, { bytes: zip(next as never), version: '2.0' })
  const updated = await app.run(['update', '--all', '--json'])
  assert.deepEqual([updated.code, updated.json.games[0].version], [0, '2.0'], updated.stdout)
  const owned = await app.run(['list', '--owned', '--json'])
  assert.deepEqual(
    owned.json.games.map(({ name, installed }: any) => [name, installed]),
    [[app.name, true]],
  )
})

test('a private game is installed by those who may see it', async (t) => {
  const app = await startWithConfig(t)
  await app.sql`update listings set visibility = 'owner'`
  const signed_out = await app.run(app.install)
  assert.deepEqual([signed_out.code, /4040/.test(signed_out.stderr)], [2, true])
  assert.match(signed_out.stderr, /if it needs an account, run slipway login/)
  await app.storeLogin(await app.a.verified())
  const stranger = await app.run(app.install)
  assert.deepEqual([stranger.code, /4040/.test(stranger.stderr)], [2, true])
  await app.storeLogin(app.game.owner)
  const installed = await app.run([...app.install, '--json'])
  assert.equal(installed.code, 0, installed.stdout)
})

test('a token that ended is renewed once, also by programs that run at once', async (t) => {
  const app = await startWithConfig(t)
  const owner = await paidGame(app)
  const login = await app.storeLogin(owner, { expires_at: new Date(0).toISOString() })
  const runs = await Promise.all(
    ['a', 'b', 'c'].map((name) =>
      app.run([...app.install, '--json'], { SLIPWAY_GAMES: join(app.games, name) }),
    ),
  )
  assert.deepEqual(
    runs.map(({ code }) => code),
    [0, 0, 0],
    runs.map(({ stdout, stderr }) => stdout + stderr).join(),
  )
  const renewed = app.stored()
  assert.notEqual(renewed.refresh_token, login.refresh_token)
  assert.ok(Date.parse(renewed.expires_at) > Date.now())
  assert.equal(statSync(app.file).mode & 0o777, 0o600)
  // The store forgot the access token, but not the grant.
  await app.sql`delete from oauth_records where kind = 'AccessToken'`
  clearIdentityCache()
  const result = await app.run(['update', '--all', '--json'], {
    SLIPWAY_GAMES: join(app.games, 'a'),
  })
  assert.equal(result.code, 0, result.stdout)
  assert.notEqual(app.stored().access_token, renewed.access_token)
})

test('a sign-in that was revoked is removed, and free games still update', async (t) => {
  const app = await startWithConfig(t)
  const person = await app.a.verified()
  await app.storeLogin(person)
  assert.equal((await app.run(app.install)).code, 0)
  const [grant] = must(await app.get('/api/v1/private/account/agent-access', person)).grants
  must(await app.del(`/api/v1/private/account/agent-access/${grant.uid}`, person))
  await app.a.cleanBuild(app.game, { bytes: zip(gameFiles), version: '2.0' })
  const updated = await app.run(['update', '--all'])
  assert.equal(updated.code, 0, updated.stderr)
  assert.match(updated.stderr, /has ended\. Run slipway login/)
  assert.ok(!existsSync(app.file))
})

test('a refusal that is not of the store does not end a sign-in', async (t) => {
  const app = await startWithConfig(t)
  const middle = await startMiddle(t, app.url, { refuse: () => 403 })
  const token_endpoint = `${new URL(middle.url).origin}/oauth/token`
  const expires_at = new Date(0).toISOString()
  const login = await app.storeLogin(await app.a.verified(), { token_endpoint, expires_at })
  const installed = await app.run(app.install)
  assert.equal(installed.code, 0, installed.stderr)
  assert.match(installed.stderr, /answered the sign-in with HTTP 403\n.*slipway logout/)
  assert.equal(app.stored().refresh_token, login.refresh_token)
})

test('the key of a player is sent to its own store only', async (t) => {
  const app = await startWithConfig(t)
  const other = await startMiddle(t, app.url, {})
  const person = await app.a.verified()
  const { key } = await app.a.key('player', person, ['player:read'])
  const env = { SLIPWAY_PLAYER_KEY: key }
  const [, , ...platform] = app.install
  const foreign = await app.run(
    ['install', `${new URL(other.url).origin}/${app.name}`, ...platform],
    env,
  )
  assert.equal(foreign.code, 0, foreign.stderr)
  assert.deepEqual([...other.tokens], [undefined])
  assert.equal((await app.run(['update', '--all'], env)).code, 0)
  assert.deepEqual([...other.tokens], [undefined])
  // The store of the environment gets it.
  const own = { ...env, SVC_API_URL: other.url, SLIPWAY_GAMES: join(app.games, 'own') }
  assert.equal((await app.run(app.install, own)).code, 0)
  assert.deepEqual([...other.tokens], [undefined, `Bearer ${key}`])
})

test('a file that others can read is refused, and a damaged one counts as none', async (t) => {
  const app = await startWithConfig(t)
  await app.storeLogin(await app.a.verified())
  chmodSync(app.file, 0o644)
  const refused = await app.run(app.install)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /others can read the sign-in/)
  assert.match(refused.stderr, /chmod 600/)
  chmodSync(app.file, 0o600)
  writeFileSync(app.file, '{"format":1')
  assert.equal((await app.run(app.install)).code, 0)
  assert.deepEqual(readdirSync(join(app.env.SLIPWAY_CONFIG, 'logins')).length, 1)
})

test('login says why it did not work', async (t) => {
  const app = await startWithConfig(t)
  const plain = await slipway(['login', 'http://store.example'], { env: app.env })
  assert.equal(plain.code, 1)
  assert.match(plain.stderr, /https/)
  const server = createServer((_, response) => response.writeHead(404).end('{}'))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => void server.close())
  const { port } = server.address() as { port: number }
  const old = await slipway(['login', `http://127.0.0.1:${port}`], { env: app.env })
  assert.equal(old.code, 1)
  assert.match(old.stderr, /does not sign in programs/)
  assert.match(old.stderr, /SLIPWAY_PLAYER_KEY/)
})

test('a launcher signs in and out through the daemon', async (t) => {
  const app = await startWithConfig(t)
  const person = await app.a.verified()
  const daemon = await startDaemon(t, app.env)
  const login = daemon.call(1, 'login', { name: app.url })
  const { params } = await eventually('the codes', () =>
    daemon.messages.find((message) => message.method === 'login'),
  )
  assert.deepEqual([params.id, params.device_code], [1, undefined])
  assert.equal((await decide(app.url, person, params.user_code, 'deny')).status, 303)
  const denied = await login
  assert.deepEqual([denied.error.code, denied.error.data.exit_code], [-32000, 2])
  assert.match(denied.error.message, /denied/)
  await app.storeLogin(person)
  const out = await daemon.call(2, 'logout')
  assert.deepEqual([out.result.signed_out, existsSync(app.file)], [true, false])
  assert.equal(await daemon.end(), 0)
})
