import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, startBugApp } from './fixtures.ts'

const sharedBugApp = sharedInFile(startBugApp)

test('a new game has the reporter off, a cap of ten, no webhooks and no key', async (t) => {
  const { game, reporter } = await sharedBugApp(t)
  const off = await reporter(await game())
  assert.deepEqual(off, {
    enabled: false,
    daily_cap: 10,
    webhook_urls: [],
    signing_key: null,
    has_signing_key: false,
    webhooks: [],
    deliveries: [],
  })
})

test('the signing key is created once, survives turning off, and can be replaced', async (t) => {
  const { game, configure, reporter, post, sql } = await sharedBugApp(t)
  const [first, second] = [await game(), await game()]
  assert.equal((await configure(first, { daily_cap: 5 })).signing_key, null)
  const { signing_key: key } = await configure(first, { enabled: true })
  assert.match(key, /^[0-9a-f]{64}$/)
  const { signing_key: other } = await configure(second, { enabled: true })
  assert.notEqual(other, key)
  assert.equal((await configure(first, { enabled: false })).signing_key, key)
  assert.equal((await configure(first, { enabled: true })).signing_key, key)
  const { signing_key: fresh } = must(
    await post(`${GAMES}/${first.uid}/bug-reporter/signing-key`, undefined, first.owner),
  )
  assert.match(fresh, /^[0-9a-f]{64}$/)
  assert.notEqual(fresh, key)
  assert.equal((await reporter(first)).signing_key, fresh)
  assert.equal((await reporter(second)).signing_key, other)
  const third = await game()
  const { signing_key: early } = await configure(third, {
    webhook_urls: ['https://hooks.example/a'],
  })
  assert.match(early, /^[0-9a-f]{64}$/)
  assert.equal((await configure(third, { enabled: true })).signing_key, early)
  const [entry, ...more] = await sql`
    select user_uid, game_uid, detail
    from audit_entries
    where action = 'bugs.refresh-signing-key'`
  assert.deepEqual(
    [{ ...entry }, more],
    [{ user_uid: first.owner.uid, game_uid: first.uid, detail: {} }, []],
  )
})

test('concurrent requests to enable the reporter get the same key', async (t) => {
  const { game, configure } = await sharedBugApp(t)
  const listing = await game()
  const settings = await Promise.all(
    Array.from({ length: 8 }, () => configure(listing, { enabled: true })),
  )
  assert.equal(new Set(settings.map(({ signing_key }) => signing_key)).size, 1)
})

test('the signing key is stored encrypted', async (t) => {
  const { buggyGame, sql } = await sharedBugApp(t)
  const { uid, signing_key } = await buggyGame()
  const [row] =
    await sql`select sealed from secrets where game_uid = ${uid} and field = 'bug_signing_key'`
  assert.ok(row && !Buffer.from(row.sealed).toString('latin1').includes(signing_key))
})

test('a change keeps the fields that it does not name', async (t) => {
  const { game, configure } = await sharedBugApp(t)
  const listing = await game()
  await configure(listing, {
    enabled: true,
    daily_cap: 7,
    webhook_urls: ['https://hooks.example/a'],
  })
  for (const [change, now] of [
    [{ daily_cap: 8 }, [true, 8, ['https://hooks.example/a']]],
    [{ webhook_urls: [] }, [true, 8, []]],
    [{}, [true, 8, []]],
  ] as const) {
    const { enabled, daily_cap, webhook_urls } = await configure(listing, change)
    assert.deepEqual([enabled, daily_cap, webhook_urls], now)
  }
})

test('rejects invalid settings by field name and saves nothing', async (t) => {
  const { game, configure, reporter, put } = await sharedBugApp(t)
  const listing = await game()
  const url = (n: number) => `https://hooks.example/${n}`
  for (const fine of [
    { daily_cap: 1 },
    { daily_cap: 10_000 },
    { webhook_urls: [1, 2, 3, 4, 5].map(url) },
  ])
    await configure(listing, fine)
  const before = await reporter(listing)
  const bad: [string, unknown][] = [
    ...([0, 10_001, -1, 1.5, '10', null, true, [10]] as unknown[]).map(
      (value): [string, unknown] => ['daily_cap', value],
    ),
    ...(['true', 1, null] as unknown[]).map((value): [string, unknown] => ['enabled', value]),
    ...(
      [
        [1, 2, 3, 4, 5, 6].map(url),
        Array(6).fill(url(1)),
        'https://hooks.example',
        null,
        {},
      ] as unknown[]
    ).map((value): [string, unknown] => ['webhook_urls', value]),
    ['webhook_urls', [7]],
    ['webhook_urls', [`https://hooks.example/${'x'.repeat(2000)}`]],
    ['webhook_url', url(1)],
  ]
  for (const [field, value] of bad) {
    const answer = await put(
      `${GAMES}/${listing.uid}/bug-reporter`,
      { enabled: true, [field]: value },
      listing.owner,
    )
    assert.deepEqual(refused(answer), [400, 4000], `${field}: ${JSON.stringify(value)}`)
    assert.match(answer.body.error.message, new RegExp(field))
  }
  assert.deepEqual(await reporter(listing), before)
  assert.deepEqual(
    (await configure(listing, { webhook_urls: [url(1), url(1)] })).webhook_urls,
    [url(1)],
    'a repeated URL was stored twice',
  )
})

const privateForms = [
  'http://hooks.example/',
  'https://localhost/',
  'https://app.localhost./',
  'https://127.0.0.1/',
  'https://127.1/',
  'https://2130706433/',
  'https://0x7f000001/',
  'https://0177.0.0.1/',
  'https://0/',
  'https://0.0.0.0/',
  'https://10.0.0.1/',
  'https://172.16.0.1/',
  'https://172.31.255.255/',
  'https://192.168.1.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://100.64.0.1/',
  'https://[::1]/',
  'https://[::]/',
  'https://[::ffff:127.0.0.1]/',
  'https://[::ffff:7f00:1]/',
  'https://[64:ff9b::7f00:1]/',
  'https://[2002:7f00:1::]/',
  'https://[fe80::1]/',
  'https://[fd00::1]/',
  'https://①②⑦.0.0.1/',
  'http://localhost:3000/',
  'http://127.1:3000/',
  'http://127.0.0.2:3000/',
  'http://0x7f.0.0.1:3000/',
  'http://2130706433:3000/',
  'http://[::1]:3000/',
  'http://127.0.0.1.example:3000/',
  'http://127.0.0.1@hooks.example/',
  'https://user:pw@hooks.example/',
  'http:/\\127.0.0.1:3000/',
  'HTTP://127.0.0.1:3000/',
  ' https://hooks.example/',
  'https://hooks.example/a b',
  'https://hooks.example\\@127.0.0.1/',
  'ftp://hooks.example/',
  'file:///etc/passwd',
  'javascript:alert(1)',
  'hooks.example',
  '',
]

test('a webhook must be https to a public host; every private address is refused', async (t) => {
  const { game, put, configure } = await sharedBugApp(t)
  const listing = await game()
  for (const url of privateForms) {
    const answer = await put(
      `${GAMES}/${listing.uid}/bug-reporter`,
      { webhook_urls: ['https://hooks.example/', url] },
      listing.owner,
    )
    assert.deepEqual(refused(answer), [400, 4000], url)
    assert.match(answer.body.error.message, /webhook_urls\[1\]/)
    if (url.includes('pw')) assert.doesNotMatch(answer.body.error.message, /pw/)
  }
  const fine = [
    'https://hooks.example',
    'https://hooks.example:8443/a?b=c',
    'https://93.184.215.14/',
    'https://[2606:2800:21f:cb07::1]/',
  ]
  assert.deepEqual((await configure(listing, { webhook_urls: fine })).webhook_urls, fine)
})

test('accepts http://127.0.0.1 webhooks on any port that the service does not use', async (t) => {
  const { game, put, configure, url } = await startBugApp(t, {
    METRICS_PORT: '19464',
    REDIS_URL: 'redis://127.0.0.1:1',
  })
  const listing = await game()
  const fine = [
    'http://127.0.0.1',
    'http://127.0.0.1:3000',
    'http://127.0.0.1:65535/hook?x#y',
    'http://127.0.0.1/',
  ]
  assert.deepEqual((await configure(listing, { webhook_urls: fine })).webhook_urls, fine)
  for (const own of [`${url}/hook`, 'http://127.0.0.1:19464/', 'http://127.0.0.1:1/'])
    assert.deepEqual(
      refused(
        await put(`${GAMES}/${listing.uid}/bug-reporter`, { webhook_urls: [own] }, listing.owner),
      ),
      [400, 4000],
      own,
    )
})

test('a store that others reach refuses webhooks to this machine', async (t) => {
  for (const settings of [
    { WEBHOOK_LOOPBACK: 'off' },
    { BASE_URL: 'https://store.example', WEB_URL: 'https://store.example' },
  ] as Record<string, string>[]) {
    const { game, put } = await startBugApp(t, settings)
    const listing = await game()
    const answer = await put(
      `${GAMES}/${listing.uid}/bug-reporter`,
      { webhook_urls: ['http://127.0.0.1:3000'] },
      listing.owner,
    )
    assert.deepEqual(refused(answer), [400, 4000])
    assert.doesNotMatch(answer.body.error.message, /on this machine/)
  }
})

test('only the owner and accepted admins reach the reporter, in every visibility', async (t) => {
  const { buggyGame, admin, player, a, get, put, post, show } = await sharedBugApp(t)
  const game = await buggyGame()
  const url = `${GAMES}/${game.uid}/bug-reporter`
  const tries = [
    (token?: string) => get(url, token ? { token } : {}),
    (token?: string) => put(url, { daily_cap: 3 }, token ? { token } : {}),
    (token?: string) => post(`${url}/signing-key`, undefined, token ? { token } : {}),
    (token?: string) => get(`${url}/deliveries`, token ? { token } : {}),
    (token?: string) => get(`${GAMES}/${game.uid}/bugs`, token ? { token } : {}),
  ]
  const [helper, invited, stranger] = [
    await admin(game.uid),
    await admin(game.uid, false),
    await player(),
  ]
  for (const call of tries) {
    assert.equal((await call(helper.token)).status, 200)
    for (const { token } of [invited, stranger])
      assert.deepEqual(refused(await call(token)), [404, 4040])
    assert.deepEqual(refused(await call()), [401, 4010])
    assert.deepEqual(
      refused(await call((await a.key('player', helper, ['player:write'])).key)),
      [403, 4033],
    )
  }
  assert.match(must(await tries[0]!(helper.token)).signing_key, /^[0-9a-f]{64}$/)
  await show(game.uid, 'owner')
  assert.equal((await tries[0]!(helper.token)).status, 200)
})

test('agent keys need the bug scopes and never see the signing key', async (t) => {
  const { buggyGame, ticket, a, get, put, patch, post } = await sharedBugApp(t)
  const game = await buggyGame()
  const { bug_uid } = await ticket(game)
  const url = `${GAMES}/${game.uid}`
  const key = async (...scopes: string[]) => ({
    token: (await a.key('agent', game.owner, scopes)).key as string,
  })
  const [reads, writes, other] = [
    await key('mcp:bugs.read'),
    await key('mcp:bugs.write'),
    await key('mcp:write', 'mcp:read', 'mcp:crash.read'),
  ]
  const calls = {
    read: [
      (who: { token: string }) => get(`${url}/bug-reporter`, who),
      (who: { token: string }) => get(`${url}/bug-reporter/deliveries`, who),
      (who: { token: string }) => get(`${url}/bugs`, who),
      (who: { token: string }) => get(`${url}/bugs/${bug_uid}`, who),
    ],
    write: [
      (who: { token: string }) => put(`${url}/bug-reporter`, { daily_cap: 9 }, who),
      (who: { token: string }) => patch(`${url}/bugs/${bug_uid}`, { status: 'closed' }, who),
    ],
  }
  for (const call of calls.read) {
    assert.equal((await call(reads)).status, 200)
    for (const who of [writes, other]) assert.deepEqual(refused(await call(who)), [403, 4031])
  }
  for (const call of calls.write) {
    assert.equal((await call(writes)).status, 200)
    for (const who of [reads, other]) assert.deepEqual(refused(await call(who)), [403, 4031])
  }
  assert.equal(must(await calls.read[0]!(reads)).signing_key, null)
  assert.equal(must(await calls.write[0]!(writes)).signing_key, null)
  assert.deepEqual(
    refused(await post(`${url}/bug-reporter/signing-key`, undefined, writes)),
    [403, 4033],
  )
})

test('a session without a fresh proof does not see the signing key', async (t) => {
  const { buggyGame, reporter, configure, get, sql, call, url } = await sharedBugApp(t)
  const game = await buggyGame()
  const path = `${GAMES}/${game.uid}/bug-reporter/signing-key`
  assert.equal(must(await get(path, game.owner)).signing_key, game.signing_key)
  await sql`update sessions set created_at = now() - interval '11 minutes', proved_at = null`
  const seen = [await reporter(game), await configure(game, { daily_cap: 4 })]
  for (const { signing_key, has_signing_key } of seen)
    assert.deepEqual([signing_key, has_signing_key], [null, true])
  assert.deepEqual(refused(await get(path, game.owner)), [403, 4032])
  const page = `/dashboard/${game.vanity_name}/bugs`
  const headers = { cookie: `svc_session=${game.owner.token}`, origin: url, accept: 'text/html' }
  const opened = await call('GET', page, { headers })
  assert.match(opened.body, /reveal-signing-key/)
  const type = { 'content-type': 'application/x-www-form-urlencoded' }
  const revealed = await call('POST', `${page.replace('/bugs', '')}/bugs/signing-key/reveal`, {
    raw: '',
    headers: { ...headers, ...type },
  })
  assert.equal(revealed.status, 403)
  for (const { body } of [opened, revealed]) assert.ok(!body.includes(game.signing_key))
})
