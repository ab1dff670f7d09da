import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { report, startBugApp, ZERO } from '../fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('a report with every field becomes a ticket with every field', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket, a, get } = await sharedBugApp(t)
  const [game, someone] = [await buggyGame(), await player()]
  const { build_id } = await a.cleanBuild(game, { version: '1.4.0' })
  const screenshot = await picture(640, 360)
  const fields = {
    message: 'Falls through the floor\nin level 2',
    client_version: '1.4.0-rc1',
    os: 'win64',
    arch: 'x86_64',
    build_id,
  }
  const answer = await send(
    game.uid,
    await tokenOf(game.uid, someone),
    report(fields, { log: 'line 1\nline 2 ☃', screenshot }),
  )
  assert.equal(answer.status, 201)
  assert.deepEqual(Object.keys(answer.body.data).sort(), ['bug_uid', 'created_at', 'status'])
  assert.equal(answer.body.data.status, 'open')
  const ticket = await readTicket(game, answer.body.data.bug_uid)
  assert.equal(ticket.message, fields.message)
  assert.deepEqual(
    [ticket.client_version, ticket.os, ticket.arch, ticket.build_id],
    ['1.4.0-rc1', 'windows', 'x86_64', build_id],
  )
  assert.deepEqual([ticket.build.version, ticket.source, ticket.status], ['1.4.0', 'game', 'open'])
  assert.deepEqual([ticket.has_log, ticket.log], [true, 'line 1\nline 2 ☃'])
  assert.deepEqual(ticket.reporter, {
    user: { uid: someone.uid, username: someone.username },
    extstore_id: null,
  })
  assert.equal(ticket.created_at, answer.body.data.created_at)
  assert.deepEqual(
    [ticket.screenshot.type, ticket.screenshot.size],
    ['image/png', screenshot.length],
  )
  const shot = await fetch(ticket.screenshot.url, {
    headers: { authorization: `Bearer ${game.owner.token}` },
  })
  assert.equal(shot.headers.get('content-type'), 'image/png')
  assert.ok(
    Buffer.from(await shot.arrayBuffer()).equals(screenshot),
    'the stored screenshot differs',
  )
  assert.equal((await get(new URL(ticket.screenshot.url).pathname)).status, 401)
})

test('a message is the only required field, and empty fields count as missing', async (t) => {
  const { buggyGame, ticket } = await sharedBugApp(t)
  const game = await buggyGame()
  const bare = await ticket(game)
  const empty = await ticket(
    game,
    report({ client_version: '', os: '', arch: ' ', build_id: '', log: '' }),
  )
  for (const filed of [bare, empty])
    assert.deepEqual(
      [
        filed.client_version,
        filed.os,
        filed.arch,
        filed.build_id,
        filed.build,
        filed.has_log,
        filed.log,
        filed.has_screenshot,
        filed.screenshot,
      ],
      [null, null, null, null, null, false, null, false, null],
    )
})

test('accepts the vanity name of a game', async (t) => {
  const { buggyGame, player, tokenOf, send } = await sharedBugApp(t)
  const game = await buggyGame()
  assert.equal(
    (await send(game.vanity_name, await tokenOf(game.vanity_name, await player()))).status,
    201,
  )
})

test('a message has 1 to 4000 characters, whatever their size in bytes', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await sharedBugApp(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const sendMessage = (message: string | undefined) => send(game.uid, token, report({ message }))
  const longest = await sendMessage('𝄞'.repeat(4000))
  assert.equal((await readTicket(game, must(longest).bug_uid)).message, '𝄞'.repeat(4000))
  assert.equal((await sendMessage('x'.repeat(4000))).status, 201)
  for (const bad of [
    '𝄞'.repeat(4001),
    'x'.repeat(4001),
    '',
    ' \n ',
    '\u200b',
    '\u3164 \u2060',
    undefined,
  ]) {
    const answer = await sendMessage(bad)
    assert.deepEqual(refused(answer), [400, 4000])
    assert.match(answer.body.error.message, /^message: /)
  }
})

test('a player token is valid only for its own game and only for bug routes', async (t) => {
  const { buggyGame, player, tokenOf, send, get, call, a } = await sharedBugApp(t)
  const [game, other, someone] = [await buggyGame(), await buggyGame(), await player()]
  const token = await tokenOf(game.uid, someone)
  assert.equal((await send(game.uid, token)).status, 201)
  const calls = [
    (uid: string, token?: string) => send(uid, token),
    (uid: string, token?: string) =>
      get(`/api/v1/games/${uid}/bugs/notices`, token ? { token } : {}),
    (uid: string, token?: string) =>
      call('POST', `/api/v1/games/${uid}/bugs/notices/ack`, { body: {}, ...(token && { token }) }),
  ]
  const { key } = await a.key('player', someone, ['player:write'])
  for (const callRoute of calls) {
    assert.deepEqual(refused(await callRoute(other.uid, token)), [401, 4010])
    assert.deepEqual(refused(await callRoute(ZERO, token)), [401, 4010])
    assert.deepEqual(refused(await callRoute('no-such-game', token)), [401, 4010])
    assert.deepEqual(refused(await callRoute(game.uid)), [401, 4010])
    assert.deepEqual(refused(await callRoute(game.uid, 'junk')), [401, 4010])
    assert.deepEqual(refused(await callRoute(game.uid, `${key}x`)), [401, 4010])
    for (const alg of ['constructor', '__proto__', 'toString', 'none'])
      assert.deepEqual(
        refused(
          await callRoute(
            game.uid,
            `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.x`,
          ),
        ),
        [401, 4010],
        alg,
      )
    for (const otherToken of [someone.token, key, game.owner.token])
      assert.deepEqual(refused(await callRoute(game.uid, otherToken)), [403, 4033])
  }
  assert.deepEqual(
    refused(await get('/api/v1/private/account', { token })),
    [403, 4033],
    'the token opens the website',
  )
})

test('a game in a browser can send reports with a token and without cookies', async (t) => {
  const { buggyGame, call } = await sharedBugApp(t)
  const game = await buggyGame()
  const url = `/api/v1/games/${game.uid}/bugs`
  const headers = {
    origin: 'https://play.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  for (const path of [url, `${url}/notices`, `${url}/notices/ack`]) {
    const preflight = await call('OPTIONS', path, { headers })
    assert.deepEqual(
      [preflight.status, preflight.headers['access-control-allow-origin']],
      [204, '*'],
    )
    assert.match(preflight.headers['access-control-allow-headers']!, /Authorization/)
  }
  const refusal = await call('POST', url, {
    headers: { origin: 'https://play.example', cookie: `svc_session=${game.owner.token}` },
  })
  assert.deepEqual(
    [...refused(refusal), refusal.headers['access-control-allow-origin']],
    [401, 4010, '*'],
  )
})

test('a ticket shows a build only if it belongs to the game', async (t) => {
  const { buggyGame, ticket, a } = await sharedBugApp(t)
  const [game, other] = [await buggyGame(), await buggyGame()]
  const { build_id } = await a.cleanBuild(other, { version: '9.9' })
  const filed = await ticket(game, report({ build_id: build_id.toUpperCase() }))
  assert.deepEqual([filed.build_id, filed.build], [build_id, null])
})
