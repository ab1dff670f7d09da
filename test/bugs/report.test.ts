import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { claimingPng, padded, picture } from '../support/images.ts'
import { form } from '../uploads/forms.ts'
import { GAMES, report, stage, ZERO } from './fixtures.ts'

const KIB = 1024
const MIB = 1024 * KIB

const objects = (data_dir: string) =>
  globSync('*/*', { cwd: join(data_dir, 'objects/bugs') }).sort()

test('a report with every field becomes a ticket with every field', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket, a, get } = await stage(t)
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
  assert.ok(Buffer.from(await shot.arrayBuffer()).equals(screenshot), 'stored at the size sent')
  assert.equal((await get(new URL(ticket.screenshot.url).pathname)).status, 401)
})

test('a message is the only required field, and empty fields count as missing', async (t) => {
  const { buggyGame, ticket } = await stage(t)
  const game = await buggyGame()
  const bare = await ticket(game)
  const empty = await ticket(
    game,
    report({ client_version: '', os: '', arch: ' ', build_id: '', log: '' }),
  )
  for (const one of [bare, empty])
    assert.deepEqual(
      [
        one.client_version,
        one.os,
        one.arch,
        one.build_id,
        one.build,
        one.has_log,
        one.log,
        one.has_screenshot,
        one.screenshot,
      ],
      [null, null, null, null, null, false, null, false, null],
    )
})

test('accepts the vanity name of a game', async (t) => {
  const { buggyGame, player, tokenOf, send } = await stage(t)
  const game = await buggyGame()
  assert.equal(
    (await send(game.vanity_name, await tokenOf(game.vanity_name, await player()))).status,
    201,
  )
})

test('a message has 1 to 4000 characters, whatever their size in bytes', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await stage(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const ask = (message: string | undefined) => send(game.uid, token, report({ message }))
  const longest = await ask('𝄞'.repeat(4000))
  assert.equal((await readTicket(game, must(longest).bug_uid)).message, '𝄞'.repeat(4000))
  assert.equal((await ask('x'.repeat(4000))).status, 201)
  for (const bad of [
    '𝄞'.repeat(4001),
    'x'.repeat(4001),
    '',
    ' \n ',
    '\u200b',
    '\u3164 \u2060',
    undefined,
  ]) {
    const answer = await ask(bad)
    assert.deepEqual(refused(answer), [400, 4000])
    assert.match(answer.body.error.message, /^message: /)
  }
})

test('accepts a log of up to 512 KiB as file or field, even if it is not text', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await stage(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const as = {
    file: (log: Uint8Array | string) => send(game.uid, token, report({}, { log })),
    field: (log: string) => send(game.uid, token, report({ log })),
  }
  const most = 'é'.repeat((512 * KIB) / 2)
  for (const answer of [await as.file(most), await as.field(most)])
    assert.equal((await readTicket(game, must(answer).bug_uid)).log, most)
  for (const answer of [await as.file(`${most}x`), await as.field(`${most}x`)]) {
    assert.deepEqual(refused(answer), [413, 4130])
    assert.match(answer.body.error.message, /^log: /)
  }
  const junk = Buffer.from([0x61, 0x00, 0xff, 0xfe, 0x62])
  const head =
    '--x\r\nContent-Disposition: form-data; name="message"\r\n\r\nIt broke\r\n--x\r\nContent-Disposition: form-data; name="log"\r\n\r\n'
  const field = {
    headers: { 'content-type': 'multipart/form-data; boundary=x' },
    raw: Buffer.concat([Buffer.from(head), junk, Buffer.from('\r\n--x--\r\n')]),
  }
  for (const odd of [await as.file(junk), await send(game.uid, token, field)])
    assert.equal((await readTicket(game, must(odd).bug_uid)).log, 'a\ufffd\ufffd\ufffdb')
})

test('stores a screenshot of up to 32 MiB unchanged', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket, data_dir } = await stage(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const small = await picture(320, 200)
  const largest = padded(small, 32 * MIB)
  const kept = await readTicket(
    game,
    must(await send(game.uid, token, report({}, { screenshot: largest }))).bug_uid,
  )
  assert.equal(kept.screenshot.size, 32 * MIB)
  const shot = await fetch(kept.screenshot.url, {
    headers: { authorization: `Bearer ${game.owner.token}` },
  })
  assert.ok(Buffer.from(await shot.arrayBuffer()).equals(largest))
  const over = await send(game.uid, token, report({}, { screenshot: padded(small, 32 * MIB + 1) }))
  assert.deepEqual(refused(over), [413, 4130])
  assert.match(over.body.error.message, /^screenshot: /)
  assert.deepEqual(
    objects(data_dir),
    [`${game.uid}/${kept.bug_uid}`],
    'what was refused left nothing in the store',
  )
})

test('a screenshot must be PNG, JPEG or WebP by its content', async (t) => {
  const { buggyGame, player, tokenOf, send, readTicket } = await stage(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const ask = (screenshot: Uint8Array) => send(game.uid, token, report({}, { screenshot }))
  for (const format of ['png', 'jpeg', 'webp'] as const) {
    const { screenshot } = await readTicket(
      game,
      must(await ask(await picture(33, 21, { format }))).bug_uid,
    )
    assert.equal(screenshot.type, `image/${format}`)
  }
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')
  for (const bad of [
    await picture(33, 21, { format: 'gif' }),
    svg,
    Buffer.from('MZ'),
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    Buffer.alloc(0),
  ]) {
    const answer = await ask(bad)
    assert.deepEqual(refused(answer), [422, 4151])
    assert.match(answer.body.error.message, /^screenshot: /)
  }
})

test('rejects an image of more than 100 million pixels without decoding it', async (t) => {
  const { buggyGame, player, tokenOf, send } = await stage(t)
  const game = await buggyGame({ daily_cap: 100 })
  const token = await tokenOf(game.uid, await player())
  const claim = (width: number, height: number) =>
    send(game.uid, token, report({}, { screenshot: claimingPng(width, height, Buffer.alloc(64)) }))
  assert.equal((await claim(10_000, 10_000)).status, 201)
  for (const [width, height] of [
    [10_000, 10_001],
    [65_535, 65_535],
    [0x7fffffff, 0x7fffffff],
    [0, 100],
  ] as const)
    assert.deepEqual(refused(await claim(width, height)), [422, 4151])
})

test('rejects unknown, repeated and invalid form fields and stores nothing', async (t) => {
  const { buggyGame, player, tokenOf, send, data_dir } = await stage(t)
  const game = await buggyGame()
  const token = await tokenOf(game.uid, await player())
  const shot = { name: 'screenshot', filename: 'a.png', bytes: await picture(32, 32) }
  const message = { name: 'message', value: 'x' }
  const cases = [
    [message, { name: 'severity', value: 'high' }],
    [message, message],
    [message, { name: 'screenshot', value: 'not a file' }],
    [message, { name: 'dump', filename: 'a.dmp', bytes: Buffer.from('x') }],
    [
      message,
      { name: 'log', value: 'a' },
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
    ],
    [
      message,
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
      { name: 'log', filename: 'a.log', bytes: Buffer.from('b') },
    ],
    [message, shot, shot],
    [shot, { name: 'message', value: '' }],
    [message, { name: 'build_id', value: '1.0' }],
    [message, { name: 'client_version', value: 'v'.repeat(65) }],
    [message, { name: 'os', value: 'o'.repeat(33) }],
    Array.from({ length: 17 }, () => ({ name: 'log', value: 'a' })),
  ]
  for (const parts of cases)
    assert.deepEqual(
      refused(await send(game.uid, token, form(parts))),
      [400, 4000],
      JSON.stringify(parts.map(({ name }) => name)),
    )
  assert.deepEqual(objects(data_dir), [])
  const longest = [
    message,
    { name: 'client_version', value: 'v'.repeat(64) },
    { name: 'os', value: 'o'.repeat(32) },
  ]
  assert.equal((await send(game.uid, token, form(longest))).status, 201)
})

test('rejects malformed forms and stores nothing', async (t) => {
  const { buggyGame, player, tokenOf, send, data_dir, sql } = await stage(t)
  const game = await buggyGame()
  const token = await tokenOf(game.uid, await player())
  const good = report({}, { screenshot: await picture(64, 64) })
  const whole = Buffer.from(good.raw as Uint8Array)
  const cut = (bytes: Uint8Array) => ({ ...good, raw: new Uint8Array(bytes) })
  const cases = [
    { headers: { 'content-type': 'application/json' }, raw: '{"message":"x"}' },
    { headers: { 'content-type': 'multipart/form-data' }, raw: good.raw },
    { headers: { 'content-type': 'multipart/form-data; boundary=other' }, raw: good.raw },
    { headers: good.headers, raw: '' },
    cut(whole.subarray(0, whole.length - 8)),
    cut(whole.subarray(0, 200)),
    cut(Buffer.from(whole.toString('latin1').replace('The door', 'The \0oor'), 'latin1')),
    cut(Buffer.from(whole.toString('latin1').replace('The door', 'The \xff\xfe'), 'latin1')),
  ]
  for (const [index, sent] of cases.entries())
    assert.deepEqual(refused(await send(game.uid, token, sent)), [400, 4000], `case ${index}`)
  assert.deepEqual(objects(data_dir), [])
  const [counted] =
    await sql`select count(*)::int as tickets, (select coalesce(sum(count), 0)::int from bug_counts) as counted from bugs`
  assert.deepEqual({ ...counted }, { tickets: 0, counted: 0 }, 'what was refused does not count')
})

test('refuses reports while the reporter is off, without reading the body', async (t) => {
  const { game, player, tokenOf, send, configure } = await stage(t)
  const [off, someone] = [await game(), await player()]
  const token = await tokenOf(off.uid, someone)
  assert.deepEqual(refused(await send(off.uid, token)), [403, 4030])
  await configure(off, { enabled: true })
  assert.equal((await send(off.uid, token)).status, 201)
  await configure(off, { enabled: false })
  assert.deepEqual(
    refused(
      await send(off.uid, token, {
        headers: { 'content-type': 'multipart/form-data; boundary=x' },
        raw: 'junk',
      }),
    ),
    [403, 4030],
  )
})

test('refuses a report if the reporter is turned off or the cap reached meanwhile', async (t) => {
  const { buggyGame, player, tokenOf, send, configure, url, data_dir, sql } = await stage(t)
  const game = await buggyGame({ daily_cap: 1 })
  const token = await tokenOf(game.uid, await player())
  const { raw, headers } = report({}, { screenshot: await picture(64, 64) })
  const body = Buffer.from(raw as Uint8Array)
  /** Sends all but the last bytes of a report, runs `meanwhile`, and sends the rest. */
  async function slowly(meanwhile: () => Promise<unknown>) {
    const sent = request(`${url}/api/v1/games/${game.uid}/bugs`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${token}`, 'content-length': body.length },
    })
    sent.write(body.subarray(0, -10))
    await eventually(
      'the screenshot in the store',
      () => globSync('*/*', { cwd: join(data_dir, 'objects/bugs') }).length > 0,
    )
    await meanwhile()
    sent.end(body.subarray(-10))
    const [answer] = (await once(sent, 'response')) as [IncomingMessage]
    return [answer.statusCode, ((await json(answer)) as any).error?.code]
  }
  assert.deepEqual(await slowly(() => configure(game, { enabled: false })), [403, 4030])
  assert.deepEqual(objects(data_dir), [])
  await configure(game, { enabled: true })
  assert.deepEqual(await slowly(async () => must(await send(game.uid, token))), [429, 4291])
  assert.deepEqual(objects(data_dir), [])
  const [left] =
    await sql`select count(*)::int as tickets, (select sum(count)::int from bug_counts) as counted from bugs`
  assert.deepEqual({ ...left }, { tickets: 1, counted: 1 })
})

test('a player token is valid only for its own game and only for bug routes', async (t) => {
  const { buggyGame, player, tokenOf, send, get, call, a } = await stage(t)
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
  for (const ask of calls) {
    assert.deepEqual(refused(await ask(other.uid, token)), [401, 4010])
    assert.deepEqual(refused(await ask(ZERO, token)), [401, 4010])
    assert.deepEqual(refused(await ask('no-such-game', token)), [401, 4010])
    assert.deepEqual(refused(await ask(game.uid)), [401, 4010])
    assert.deepEqual(refused(await ask(game.uid, 'junk')), [401, 4010])
    assert.deepEqual(refused(await ask(game.uid, `${key}x`)), [401, 4010])
    for (const alg of ['constructor', '__proto__', 'toString', 'none'])
      assert.deepEqual(
        refused(
          await ask(
            game.uid,
            `${Buffer.from(JSON.stringify({ alg })).toString('base64url')}.e30.x`,
          ),
        ),
        [401, 4010],
        alg,
      )
    for (const wrong of [someone.token, key, game.owner.token])
      assert.deepEqual(refused(await ask(game.uid, wrong)), [403, 4033])
  }
  assert.deepEqual(
    refused(await get('/api/v1/private/account', { token })),
    [401, 4010],
    'nor does it open the website',
  )
})

test('a game in a browser can send reports with a token and without cookies', async (t) => {
  const { buggyGame, call } = await stage(t)
  const game = await buggyGame()
  const url = `/api/v1/games/${game.uid}/bugs`
  const headers = {
    origin: 'https://play.example',
    'access-control-request-method': 'POST',
    'access-control-request-headers': 'authorization',
  }
  for (const path of [url, `${url}/notices`, `${url}/notices/ack`]) {
    const asked = await call('OPTIONS', path, { headers })
    assert.deepEqual([asked.status, asked.headers['access-control-allow-origin']], [204, '*'])
    assert.match(asked.headers['access-control-allow-headers']!, /Authorization/)
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
  const { buggyGame, ticket, a } = await stage(t)
  const [game, other] = [await buggyGame(), await buggyGame()]
  const { build_id } = await a.cleanBuild(other, { version: '9.9' })
  const filed = await ticket(game, report({ build_id: build_id.toUpperCase() }))
  assert.deepEqual([filed.build_id, filed.build], [build_id, null])
})

test('a player with a copy can report from the store while the reporter is off', async (t) => {
  const { game, fan, player, sendFromStore, call, readTicket, show } = await stage(t)
  const off = await game()
  const [holder, stranger] = [await fan(off.uid), await player()]
  const url = `${GAMES}/${off.uid}/bug-reports`
  const filed = must(
    await sendFromStore(
      off.uid,
      holder,
      report({}, { log: 'l', screenshot: await picture(32, 32) }),
    ),
  )
  const ticket = await readTicket(off, filed.bug_uid)
  assert.deepEqual([ticket.source, ticket.has_log, ticket.has_screenshot], ['store', true, true])
  const json = must(
    await call('POST', url, {
      body: { message: 'From the page', os: 'linux', log: 'x' },
      token: holder.token,
    }),
  )
  assert.deepEqual(
    [(await readTicket(off, json.bug_uid)).message, json.status],
    ['From the page', 'open'],
  )
  const nobody = await call('POST', url, { body: { message: 'x' } })
  assert.deepEqual(refused(nobody), [401, 4010])
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: stranger.token })),
    [403, 4076],
  )
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: off.owner.token })),
    [403, 4076],
  )
  await show(off.uid, 'draft')
  assert.deepEqual(
    refused(await call('POST', url, { body: { message: 'x' }, token: stranger.token })),
    [404, 4040],
  )
  assert.equal(
    (
      await call('POST', url, {
        body: { message: 'A copy outlives its page' },
        token: holder.token,
      })
    ).status,
    201,
  )
})

test('JSON reports from the store follow the same rules', async (t) => {
  const { game, fan, call, a } = await stage(t)
  const { uid, owner } = await game()
  const holder = await fan(uid)
  const ask = (raw: string, token = holder.token) =>
    call('POST', `${GAMES}/${uid}/bug-reports`, {
      raw,
      token,
      headers: { 'content-type': 'application/json; charset=utf-8' },
    })
  const text = (fields: object) => JSON.stringify({ message: 'x', ...fields })
  for (const bad of [
    '',
    '{',
    '[]',
    '"x"',
    'null',
    '{}',
    text({ message: 7 }),
    text({ log: 7 }),
    text({ screenshot: 'x' }),
    text({ os: 7 }),
    '{"message":"x","__proto__":{}}',
    '{"message":"\\u0000"}',
  ])
    assert.deepEqual(refused(await ask(bad)), [400, 4000], bad)
  assert.equal((await ask(text({ log: '"'.repeat(512 * KIB) }))).status, 201)
  assert.deepEqual(refused(await ask(text({ log: '"'.repeat(512 * KIB + 1) }))), [413, 4130])
  assert.deepEqual(refused(await ask(`{"message":"x"${' '.repeat(4 * MIB)}}`)), [413, 4130])
  assert.deepEqual(
    refused(await ask(text({}), (await a.key('agent', owner, ['mcp:bugs.write'])).key)),
    [403, 4033],
  )
  assert.deepEqual(
    refused(await ask(text({}), (await a.key('player', holder, ['player:read'])).key)),
    [403, 4031],
  )
  assert.equal(
    (await ask(text({}), (await a.key('player', holder, ['player:write'])).key)).status,
    201,
  )
})
