import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { startReset } from '../../src/accounts/credentials/reset-queries.ts'
import { RESET_RESEND_SECONDS, RESET_SECONDS } from '../../src/accounts/credentials/reset-tokens.ts'
import { type Answer, eventually, outbox, startApp } from '../support/app.ts'
import { must, PASSWORD, type Person } from '../support/builders.ts'
import { duringReset, whileWaiting } from './during-reset.ts'

const refused = ({ status, body }: Answer) => [status, body.error?.code]
const FORGOT = '/api/v1/private/account/forgot-password'
const RESET = '/api/v1/private/account/reset-password'
const LOGIN = '/api/v1/private/account/login'
const ACCOUNT = '/api/v1/private/account'
const NEXT = 'a whole new sentence'

async function stage(t: TestContext) {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  let callers = 0
  const fresh = () => ({
    headers: { 'x-forwarded-for': `10.9.${++callers >> 8}.${callers & 255}` },
  })
  const forgot = (login: string, from = fresh()) => app.post(FORGOT, { login }, from)
  const reset = (token: string, password = NEXT) => app.post(RESET, { token, password }, fresh())
  const logIn = (login: string, password: string) => app.post(LOGIN, { login, password }, fresh())
  const mails = (to: string) =>
    outbox(app.data_dir).filter(
      (mail) => mail.to === to && mail.subject.startsWith('A new password'),
    )
  const idle = () =>
    eventually('no reset waits for its mail', async () => {
      const [row] =
        await app.sql`select count(*)::int as waiting from pgboss.job where name = 'accounts.mail-reset' and state < 'completed'`
      return row!.waiting === 0
    })
  /** The token of the newest link to this person. */
  async function linkOf({ email }: Person) {
    await idle()
    const mail = mails(email).at(-1)!
    return mail.text.match(/\/password\/new\?token=([\w.-]+)/)![1]!
  }
  return { ...app, fresh, forgot, reset, logIn, mails, idle, linkOf }
}

test('a link from a mail sets a new password, ends every session, proves the address, and works once', async (t) => {
  const { a, get, forgot, reset, logIn, linkOf, sql, data_dir } = await stage(t)
  const [person, other] = [await a.user(), await a.user()]
  const second = must(await logIn(person.username, PASSWORD)).session.token
  assert.deepEqual(must(await forgot(person.email.toUpperCase())), { expires_in: RESET_SECONDS })
  const token = await linkOf(person)
  for (const held of [person.token, second])
    assert.equal((await get(ACCOUNT, { token: held })).status, 200, 'asking alone changes nothing')
  assert.deepEqual(must(await reset(token)), { username: person.username })
  for (const held of [person.token, second])
    assert.equal((await get(ACCOUNT, { token: held })).status, 401)
  assert.equal((await get(ACCOUNT, other)).status, 200)
  assert.deepEqual(refused(await logIn(person.username, PASSWORD)), [401, 4010])
  assert.equal(must(await logIn(person.email, NEXT)).user.email_verified, true)
  assert.deepEqual(refused(await reset(token, 'yet another sentence')), [400, 4216])
  assert.equal((await logIn(person.email, NEXT)).status, 200)
  assert.equal((await sql`select from password_resets where expires_at > now()`).length, 0)
  const told = () =>
    outbox(data_dir).find(
      ({ to, subject }) => to === person.email && subject.includes('was changed'),
    )
  assert.match((await eventually('a word of it', told)).text, new RegExp(person.username))
})

test('nobody learns whether an account exists, and nothing is sent to those who have none', async (t) => {
  const { a, forgot, idle, mails, data_dir } = await stage(t)
  const person = await a.user()
  const [known, unknown] = [await forgot(person.username), await forgot('nobody@example.com')]
  assert.deepEqual([known.status, known.body], [202, unknown.body])
  assert.equal(unknown.status, 202)
  await idle()
  assert.equal(mails(person.email).length, 1)
  assert.equal(outbox(data_dir).filter(({ to }) => to === 'nobody@example.com').length, 0)
})

test('another mail is sent after five minutes, and only the newest link counts', async (t) => {
  const { a, forgot, reset, linkOf, idle, mails, sql } = await stage(t)
  const person = await a.user()
  const age = (seconds: number) =>
    sql`update password_resets set sent_at = sent_at - ${seconds} * interval '1 second'`
  must(await forgot(person.email))
  const first = await linkOf(person)
  must(await forgot(person.email))
  await age(RESET_RESEND_SECONDS - 5)
  must(await forgot(person.email))
  await idle()
  assert.equal(mails(person.email).length, 1)
  await age(10)
  must(await forgot(person.email))
  const second = await linkOf(person)
  assert.notEqual(first, second)
  assert.deepEqual(refused(await reset(first)), [400, 4216])
  assert.equal((await reset(second)).status, 200)
})

test('the mail of a link may be sent twice, but not after the link was used or a newer one was sent', async (t) => {
  const { a, forgot, reset, linkOf, sql } = await stage(t)
  const person = await a.user()
  const times = { valid_seconds: RESET_SECONDS, resend_seconds: RESET_RESEND_SECONDS }
  const again = (token: string) => startReset(sql, person.uid, token.split('.')[0]!, times)
  const age = () =>
    sql`update password_resets set sent_at = sent_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`
  must(await forgot(person.email))
  const first = await linkOf(person)
  assert.equal(await again(first), person.email)
  must(await reset(first))
  assert.equal(await again(first), undefined)
  assert.deepEqual(refused(await reset(first, 'yet another sentence')), [400, 4216])
  await age()
  assert.equal(await again(first), undefined)
  must(await forgot(person.email))
  const second = await linkOf(person)
  await age()
  assert.equal(await again(first), undefined)
  assert.equal(await again(second), person.email, 'one that was not used starts anew')
  must(await reset(second))
})

test('a link is over after an hour, and one that we did not make opens nothing', async (t) => {
  const { a, forgot, reset, linkOf, sql } = await stage(t)
  const person = await a.user()
  must(await forgot(person.email))
  const token = await linkOf(person)
  const [nonce, proof] = token.split('.') as [string, string]
  const changed = (proof[0] === 'A' ? 'B' : 'A') + proof.slice(1)
  for (const wrong of [
    '',
    nonce,
    `${nonce}.`,
    `${nonce}.${changed}`,
    `${randomUUID()}.${proof}`,
    `x${token}`,
    '.'.repeat(50),
  ])
    assert.deepEqual(refused(await reset(wrong)), [400, 4216], wrong)
  const [left] =
    await sql`select extract(epoch from expires_at - now())::int as seconds from password_resets`
  assert.ok(left!.seconds > RESET_SECONDS - 60 && left!.seconds <= RESET_SECONDS)
  await sql`update password_resets set expires_at = now()`
  assert.deepEqual(refused(await reset(token)), [400, 4216])
  await sql`update password_resets set expires_at = now() + interval '5 seconds'`
  for (const password of ['short', person.username, person.email, 'password123'])
    assert.deepEqual(
      refused(await reset(token, password)),
      [400, 4000],
      'a bad password does not use the link up',
    )
  assert.equal((await reset(token)).status, 200)
})

test('a link to an account whose address nobody had proven takes every other way in; to any other it leaves them', async (t) => {
  const { a, get, forgot, reset, linkOf, sql, data_dir } = await stage(t)
  for (const unproven of [true, false]) {
    const listing = await a.listing()
    const person = listing.owner
    await a.key('player', person, ['player:read'])
    const { key } = await a.key('agent', person, ['mcp:read'])
    await a.deployer(listing)
    await sql`insert into oauth_records (kind, id_hash, uid, payload, user_uid) values ('Grant', ${randomUUID()}, ${randomUUID()}, '{}', ${person.uid})`
    const email_verified_at = unproven ? null : new Date()
    await sql`update users set ${sql({ email_verified_at, extstore_id: `ext-${unproven}` })} where uid = ${person.uid}`
    must(await forgot(person.email))
    must(await reset(await linkOf(person)))
    assert.equal((await get('/api/v1/private/token', { token: key })).status, unproven ? 401 : 200)
    const [left] = await sql`
      select (select count(*)::int from access_keys where user_uid = u.uid) as keys, u.extstore_id,
        (select count(*)::int from oauth_records where user_uid = u.uid) as grants,
        (select count(*)::int from deploy_keys where issued_by = u.uid and revoked_at is null) as deploy_keys
      from users u where uid = ${person.uid}`
    assert.deepEqual(
      { ...left },
      unproven
        ? { keys: 0, extstore_id: null, grants: 0, deploy_keys: 0 }
        : { keys: 2, extstore_id: 'ext-false', grants: 1, deploy_keys: 1 },
    )
    const told = () =>
      outbox(data_dir).find(
        ({ to, subject }) => to === person.email && subject.includes('was changed'),
      )
    assert.match(
      (await eventually('a word of it', told)).text,
      unproven ? /were ended as well/ : /go on/,
    )
  }
})

test('a log-in with the old password that runs while a new one is set opens no session', async (t) => {
  const { a, logIn, sql } = await stage(t)
  const person = await a.user()
  const { answer } = await sql.begin(async (tx) => {
    await tx`update users set password_hash = password_hash || 'x' where uid = ${person.uid}`
    return whileWaiting(sql, tx, () => logIn(person.username, PASSWORD))
  })
  assert.deepEqual(refused(await answer), [401, 4010])
  assert.equal(
    (await sql`select from sessions where user_uid = ${person.uid}`).length,
    1,
    'the one it had',
  )
})

test('a key that is asked for while a new password is set is not made', async (t) => {
  const { a, post, sql } = await stage(t)
  const { uid, owner } = await a.listing({ owner: await a.verifiedDeveloper() })
  const doors: [string, object][] = [
    [`${ACCOUNT}/player-keys`, { name: 'mine', scopes: ['player:read'] }],
    [`${ACCOUNT}/agent-keys`, { name: 'mine', scopes: ['mcp:read'] }],
    [`/api/v1/private/games/${uid}/deploy-keys`, {}],
  ]
  for (const [door, body] of doors) {
    const { token } = must(await post(LOGIN, { login: owner.username, password: PASSWORD })).session
    assert.equal((await post(door, body, { token })).status, 201, door)
    const before =
      await sql`select uid from access_keys union all select uid from deploy_keys order by 1`
    assert.deepEqual(
      refused(await duringReset(sql, owner.uid, () => post(door, body, { token }))),
      [401, 4010],
      door,
    )
    assert.deepEqual(
      await sql`select uid from access_keys union all select uid from deploy_keys order by 1`,
      before,
      door,
    )
  }
})

test('of two who use a link at once, one sets the password', async (t) => {
  const { a, forgot, reset, linkOf, logIn } = await stage(t)
  const person = await a.user()
  must(await forgot(person.email))
  const token = await linkOf(person)
  const passwords = Array.from({ length: 6 }, (_, i) => `the sentence number ${i}`)
  const answers = await Promise.all(passwords.map((password) => reset(token, password)))
  const won = answers.findIndex(({ status }) => status === 200)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal((await logIn(person.email, passwords[won]!)).status, 200)
})

test('asking is limited: twenty an hour from an address, ten an hour for an account, whether it exists or not', async (t) => {
  const { a, forgot, fresh } = await stage(t)
  const person = await a.user()
  for (const login of [person.email, 'nobody@example.com']) {
    for (let i = 0; i < 10; i++) assert.equal((await forgot(login)).status, 202)
    const last = await forgot(login)
    assert.deepEqual(refused(last), [429, 4290])
    assert.ok(Number(last.headers['retry-after']) > 0)
  }
  const from = fresh()
  for (let i = 0; i < 20; i++) assert.equal((await forgot(`somebody${i}`, from)).status, 202)
  assert.deepEqual(refused(await forgot('one-more', from)), [429, 4290])
})
