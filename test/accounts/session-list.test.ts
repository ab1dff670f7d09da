import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clearIdentityCache } from '../../src/accounts/sessions/identity.ts'
import { isIdle } from '../../src/accounts/sessions/idle.ts'
import { defaultSettings } from '../../src/core/settings/table.ts'
import { eventually, startApp } from '../support/app.ts'
import { must, PASSWORD, type Person, refused } from '../support/builders.ts'

const ACCOUNT = '/api/v1/private/account'
const SESSIONS = `${ACCOUNT}/sessions`
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

type Session = {
  uid: string
  current: boolean
  browser: string | null
  network: string | null
  last_used_at: string
}

test('a session is idle at its limit and not a millisecond before', () => {
  const now = new Date()
  const used = (milliseconds: number) => new Date(now.getTime() - milliseconds)
  const idle = (ms: number, roles: { operator?: boolean; moderator?: boolean } = {}) =>
    isIdle(
      { operator: false, moderator: false, ...roles, last_used_at: used(ms) },
      defaultSettings,
      now,
    )
  const days_30 = 30 * 86_400_000
  const hours_12 = 12 * 3_600_000
  assert.deepEqual([idle(days_30 - 1), idle(days_30)], [false, true])
  for (const roles of [{ operator: true }, { moderator: true }])
    assert.deepEqual([idle(hours_12 - 1, roles), idle(hours_12, roles)], [false, true])
})

test('sessions', async (t) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })

  const signIn = async ({ username }: Person, headers: Record<string, string> = {}) => {
    const login = { login: username, password: PASSWORD }
    const { session } = must(await app.post(`${ACCOUNT}/login`, login, { headers }))
    return session.token as string
  }
  const list = async (token: string): Promise<Session[]> =>
    must(await app.get(SESSIONS, { token })).sessions
  const lastUsed = async ({ uid }: Person) => {
    const [row] = await app.sql<{ seconds: number }[]>`
      select extract(epoch from now() - last_used_at)::float8 as seconds
      from sessions
      where user_uid = ${uid}`
    return row!.seconds
  }
  const useAgo = async ({ uid }: Person, seconds: number) => {
    clearIdentityCache()
    await app.sql`
      update sessions
      set last_used_at = now() - ${seconds} * interval '1 second'
      where user_uid = ${uid}`
  }

  await t.test('are listed with the device and network they were opened from', async () => {
    const person = await app.a.user()
    const token = await signIn(person, {
      'user-agent': FIREFOX,
      'x-forwarded-for': '8.8.8.8',
    })
    const [current, other, ...rest] = await list(token)
    assert.deepEqual(rest, [])
    const { uid, last_used_at, ...details } = current!
    assert.ok(Date.now() - Date.parse(last_used_at) < 60_000 && uid)
    assert.partialDeepStrictEqual(details, {
      current: true,
      browser: 'Firefox',
      system: 'Linux',
      country: 'US',
      network: '8.8.8.0/24',
    })
    assert.deepEqual([other!.current, other!.browser, other!.network], [false, null, null])
    assert.equal((await list(person.token))[0]!.uid, other!.uid, 'the own session comes first')
  })

  await t.test('are ended one by one, by their owner only', async () => {
    const person = await app.a.user()
    const stranger = await app.a.user()
    const token = await signIn(person)
    const { uid } = (await list(token)).find(({ current }) => !current)!
    for (const [id, by] of [
      [uid, stranger.token],
      ['nonsense', token],
    ])
      assert.deepEqual(refused(await app.del(`${SESSIONS}/${id}`, { token: by })), [404, 4040])
    assert.equal((await app.get(ACCOUNT, { token: person.token })).status, 200)
    must(await app.del(`${SESSIONS}/${uid}`, { token }))
    assert.deepEqual(refused(await app.get(ACCOUNT, { token: person.token })), [401, 4010])
    assert.deepEqual(refused(await app.del(`${SESSIONS}/${uid}`, { token })), [404, 4040])
    const [own] = await list(token)
    const ended = await app.del(`${SESSIONS}/${own!.uid}`, { token })
    assert.match(ended.headers['set-cookie']!, /^svc_session=; Max-Age=0/)
    assert.deepEqual(refused(await app.get(ACCOUNT, { token })), [401, 4010])
  })

  await t.test('of a person can be ended all but the current one', async () => {
    const person = await app.a.user()
    const stranger = await app.a.user()
    const token = await signIn(person)
    await signIn(person)
    assert.deepEqual(must(await app.del(SESSIONS, { token })), { ended: 2 })
    assert.deepEqual(refused(await app.get(ACCOUNT, { token: person.token })), [401, 4010])
    assert.equal((await list(token)).length, 1)
    assert.equal((await app.get(ACCOUNT, { token: stranger.token })).status, 200)
    assert.deepEqual(must(await app.del(SESSIONS, { token })), { ended: 0 })
  })

  await t.test('record their use at most once a minute', async () => {
    const person = await app.a.user()
    await useAgo(person, 50)
    assert.equal((await app.get(ACCOUNT, person)).status, 200)
    assert.ok((await lastUsed(person)) >= 50, 'not written')
    await useAgo(person, 61)
    assert.equal((await app.get(ACCOUNT, person)).status, 200)
    assert.ok((await lastUsed(person)) < 60, 'written')
  })

  await t.test('end when nobody uses them, those of operators and moderators sooner', async () => {
    const player = await app.a.user()
    const operator = await app.a.user()
    const moderator = await app.a.user()
    await app.sql`insert into operators (user_uid) values (${operator.uid})`
    await app.sql`insert into moderators (user_uid) values (${moderator.uid})`
    const status = async (person: Person, seconds: number) => {
      await useAgo(person, seconds)
      return (await app.get(ACCOUNT, person)).status
    }
    const days_30 = 30 * 86_400
    const hours_12 = 12 * 3600
    // A minute on either side, because the request takes time.
    for (const [person, limit] of [
      [player, days_30],
      [operator, hours_12],
      [moderator, hours_12],
    ] as const)
      assert.deepEqual(
        [await status(person, limit - 60), await status(person, limit)],
        [200, 401],
        person.username,
      )
    await useAgo(player, days_30)
    assert.deepEqual(refused(await app.get(ACCOUNT, player)), [401, 4010])
    const other = await signIn(player)
    assert.equal((await list(other)).length, 1, 'idle sessions are not listed')
    await app.core.jobs.send(app.sql, 'accounts.sweep')
    await eventually('the sweep', async () => {
      const rows = await app.sql`select from sessions where user_uid = ${player.uid}`
      return rows.length === 1
    })
  })

  await t.test('end after the time that operators set', async () => {
    const player = await app.a.user()
    await app.sql`
      insert into store_settings (name, value) values ('session_idle_days', '2'::jsonb)`
    await app.core.settings.reload()
    await useAgo(player, 2 * 86_400)
    assert.equal((await app.get(ACCOUNT, player)).status, 401)
    await app.sql`delete from store_settings where name = 'session_idle_days'`
    await app.core.settings.reload()
  })
})
