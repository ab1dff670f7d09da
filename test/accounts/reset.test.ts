import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { startReset } from '../../src/accounts/credentials/reset-queries.ts'
import { RESET_RESEND_SECONDS, RESET_SECONDS } from '../../src/accounts/credentials/reset-tokens.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { must, PASSWORD, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { duringReset, whileBlocked } from './reset-fixtures.ts'

const FORGOT = '/api/v1/private/account/forgot-password'
const RESET = '/api/v1/private/account/reset-password'
const LOGIN = '/api/v1/private/account/login'
const ACCOUNT = '/api/v1/private/account'
const NEW_PASSWORD = 'a whole new sentence'

const startResetApp = sharedInFile(async (t: TestContext) => {
  const app = await startApp(t, { PROXY_HOPS: '1' })
  let callers = 0
  const newAddress = () => ({
    headers: { 'x-forwarded-for': `10.9.${++callers >> 8}.${callers & 255}` },
  })
  const forgot = (login: string, from = newAddress()) => app.post(FORGOT, { login }, from)
  const reset = (token: string, password = NEW_PASSWORD) =>
    app.post(RESET, { token, password }, newAddress())
  const logIn = (login: string, password: string) =>
    app.post(LOGIN, { login, password }, newAddress())
  const mails = (to: string) =>
    outbox(app.data_dir).filter((mail) => mail.to === to && mail.subject.startsWith('Reset your'))
  const allMailed = () =>
    eventually('every reset mail to be sent', async () => {
      const [row] = await app.sql`
        select count(*)::int as waiting
        from pgboss.job
        where name = 'accounts.mail-reset' and state < 'completed'`
      return row!.waiting === 0
    })
  /** The token of the newest link to this person. */
  async function tokenOf({ email }: Person) {
    await allMailed()
    const mail = mails(email).at(-1)!
    return mail.text.match(/\/password\/new\?token=([\w.-]+)/)![1]!
  }
  return { ...app, newAddress, forgot, reset, logIn, mails, allMailed, tokenOf }
})

test('a reset link sets a password, ends sessions and verifies the address, once', async (t) => {
  const { a, get, forgot, reset, logIn, tokenOf, sql, data_dir } = await startResetApp(t)
  const person = await a.user()
  const other = await a.user()
  const second = must(await logIn(person.username, PASSWORD)).session.token
  assert.deepEqual(must(await forgot(person.email.toUpperCase())), { expires_in: RESET_SECONDS })
  const token = await tokenOf(person)
  for (const session of [person.token, second])
    assert.equal(
      (await get(ACCOUNT, { token: session })).status,
      200,
      'the request alone changes nothing',
    )
  assert.deepEqual(must(await reset(token)), { username: person.username })
  for (const session of [person.token, second])
    assert.equal((await get(ACCOUNT, { token: session })).status, 401)
  assert.equal((await get(ACCOUNT, other)).status, 200)
  assert.deepEqual(refused(await logIn(person.username, PASSWORD)), [401, 4010])
  assert.equal(must(await logIn(person.email, NEW_PASSWORD)).user.email_verified, true)
  assert.deepEqual(refused(await reset(token, 'yet another sentence')), [400, 4216])
  assert.equal((await logIn(person.email, NEW_PASSWORD)).status, 200)
  const open = await sql`
    select from password_resets where expires_at > now() and user_uid = ${person.uid}`
  assert.equal(open.length, 0)
  const notice = () =>
    outbox(data_dir).find(
      ({ to, subject }) => to === person.email && subject.includes('was changed'),
    )
  assert.match((await eventually('the notice by mail', notice)).text, new RegExp(person.username))
})

test('a reset request answers alike for an unknown account, and sends it no mail', async (t) => {
  const { a, forgot, allMailed, mails, data_dir } = await startResetApp(t)
  const person = await a.user()
  const known = await forgot(person.username)
  const unknown = await forgot('unknown@example.com')
  assert.deepEqual([known.status, known.body], [202, unknown.body])
  assert.equal(unknown.status, 202)
  await allMailed()
  assert.equal(mails(person.email).length, 1)
  assert.equal(outbox(data_dir).filter(({ to }) => to === 'unknown@example.com').length, 0)
})

test('another reset mail is sent after five minutes, and only the newest link works', async (t) => {
  const { a, forgot, reset, tokenOf, allMailed, mails, sql } = await startResetApp(t)
  const person = await a.user()
  const age = (seconds: number) =>
    sql`update password_resets set sent_at = sent_at - ${seconds} * interval '1 second'`
  must(await forgot(person.email))
  const first = await tokenOf(person)
  must(await forgot(person.email))
  await age(RESET_RESEND_SECONDS - 5)
  must(await forgot(person.email))
  await allMailed()
  assert.equal(mails(person.email).length, 1)
  await age(10)
  must(await forgot(person.email))
  const second = await tokenOf(person)
  assert.notEqual(first, second)
  assert.deepEqual(refused(await reset(first)), [400, 4216])
  assert.equal((await reset(second)).status, 200)
})

test('a reset mail may be sent twice, but not after its link was used or replaced', async (t) => {
  const { a, forgot, reset, tokenOf, sql } = await startResetApp(t)
  const person = await a.user()
  const times = { valid_seconds: RESET_SECONDS, resend_seconds: RESET_RESEND_SECONDS }
  const again = (token: string) => startReset(sql, person.uid, token.split('.')[0]!, times)
  const age = () =>
    sql`
      update password_resets
      set sent_at = sent_at - interval '1 hour', expires_at = expires_at - interval '1 hour'`
  must(await forgot(person.email))
  const first = await tokenOf(person)
  assert.equal((await again(first))?.email, person.email)
  must(await reset(first))
  assert.equal(await again(first), undefined)
  assert.deepEqual(refused(await reset(first, 'yet another sentence')), [400, 4216])
  await age()
  assert.equal(await again(first), undefined)
  must(await forgot(person.email))
  const second = await tokenOf(person)
  await age()
  assert.equal(await again(first), undefined)
  assert.equal((await again(second))?.email, person.email, 'an unused link was not sent again')
  must(await reset(second))
})

test('rejects a reset token that has expired or was not issued by the service', async (t) => {
  const { a, forgot, reset, tokenOf, sql } = await startResetApp(t)
  const person = await a.user()
  must(await forgot(person.email))
  const token = await tokenOf(person)
  const [nonce, signature] = token.split('.') as [string, string]
  const changed = (signature[0] === 'A' ? 'B' : 'A') + signature.slice(1)
  for (const invalid of [
    '',
    nonce,
    `${nonce}.`,
    `${nonce}.${changed}`,
    `${randomUUID()}.${signature}`,
    `x${token}`,
    '.'.repeat(50),
  ])
    assert.deepEqual(refused(await reset(invalid)), [400, 4216], invalid)
  const [validity] = await sql`
    select extract(epoch from expires_at - now())::int as seconds
    from password_resets
    where user_uid = ${person.uid}`
  assert.ok(validity!.seconds > RESET_SECONDS - 60 && validity!.seconds <= RESET_SECONDS)
  await sql`update password_resets set expires_at = now()`
  assert.deepEqual(refused(await reset(token)), [400, 4216])
  await sql`update password_resets set expires_at = now() + interval '5 seconds'`
  for (const password of ['short', person.username, person.email, 'password123'])
    assert.deepEqual(
      refused(await reset(token, password)),
      [400, 4000],
      'an invalid password does not consume the link',
    )
  assert.equal((await reset(token)).status, 200)
})

test('a reset revokes all other credentials only if the address was never verified', async (t) => {
  const { a, get, forgot, reset, tokenOf, sql, data_dir } = await startResetApp(t)
  for (const unproven of [true, false]) {
    const listing = await a.listing()
    const person = listing.owner
    await a.key('player', person, ['player:read'])
    const { key } = await a.key('agent', person, ['mcp:read'])
    await a.deployer(listing)
    await sql`
      insert into oauth_records (kind, id_hash, uid, payload, user_uid)
      values ('Grant', ${randomUUID()}, ${randomUUID()}, '{}', ${person.uid})`
    const email_verified_at = unproven ? null : new Date()
    const columns = { email_verified_at, extstore_id: `ext-${unproven}` }
    await sql`update users set ${sql(columns)} where uid = ${person.uid}`
    must(await forgot(person.email))
    must(await reset(await tokenOf(person)))
    assert.equal((await get('/api/v1/private/token', { token: key })).status, unproven ? 401 : 200)
    const [credentials] = await sql`
      select (select count(*)::int from access_keys where user_uid = u.uid) as keys, u.extstore_id,
        (select count(*)::int from oauth_records where user_uid = u.uid) as grants,
        (select count(*)::int from deploy_keys
          where issued_by = u.uid and revoked_at is null) as deploy_keys
      from users u
      where uid = ${person.uid}`
    assert.deepEqual(
      { ...credentials },
      unproven
        ? { keys: 0, extstore_id: null, grants: 0, deploy_keys: 0 }
        : { keys: 2, extstore_id: 'ext-false', grants: 1, deploy_keys: 1 },
    )
    const notice = () =>
      outbox(data_dir).find(
        ({ to, subject }) => to === person.email && subject.includes('was changed'),
      )
    assert.match(
      (await eventually('the notice by mail', notice)).text,
      unproven ? /were revoked/ : /still work/,
    )
  }
})

test('a sign-in with the old password during a reset opens no session', async (t) => {
  const { a, logIn, sql } = await startResetApp(t)
  const person = await a.user()
  const { answer } = await sql.begin(async (tx) => {
    await tx`update users set password_hash = password_hash || 'x' where uid = ${person.uid}`
    return whileBlocked(tx, () => logIn(person.username, PASSWORD))
  })
  assert.deepEqual(refused(await answer), [401, 4010])
  assert.equal(
    (await sql`select from sessions where user_uid = ${person.uid}`).length,
    1,
    'only the earlier session',
  )
})

test('a key requested during a password reset is not created', async (t) => {
  const { a, post, sql } = await startResetApp(t)
  const { uid, owner } = await a.listing({ owner: await a.verifiedDeveloper() })
  const keyRoutes: [string, object][] = [
    [`${ACCOUNT}/player-keys`, { name: 'Laptop', scopes: ['player:read'] }],
    [`${ACCOUNT}/agent-keys`, { name: 'Laptop', scopes: ['mcp:read'] }],
    [`/api/v1/private/games/${uid}/deploy-keys`, {}],
  ]
  for (const [path, body] of keyRoutes) {
    const { token } = must(await post(LOGIN, { login: owner.username, password: PASSWORD })).session
    assert.equal((await post(path, body, { token })).status, 201, path)
    const before =
      await sql`select uid from access_keys union all select uid from deploy_keys order by 1`
    assert.deepEqual(
      refused(await duringReset(sql, owner.uid, () => post(path, body, { token }))),
      [401, 4010],
      path,
    )
    assert.deepEqual(
      await sql`select uid from access_keys union all select uid from deploy_keys order by 1`,
      before,
      path,
    )
  }
})

test('of concurrent uses of a reset link, exactly one sets the password', async (t) => {
  const { a, forgot, reset, tokenOf, logIn } = await startResetApp(t)
  const person = await a.user()
  must(await forgot(person.email))
  const token = await tokenOf(person)
  const passwords = Array.from({ length: 6 }, (_, i) => `the sentence number ${i}`)
  const answers = await Promise.all(passwords.map((password) => reset(token, password)))
  const winner = answers.findIndex(({ status }) => status === 200)
  assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  assert.equal((await logIn(person.email, passwords[winner]!)).status, 200)
})

test('limits reset requests to 20 an hour per address and 10 per name and network', async (t) => {
  const { a, forgot, newAddress } = await startResetApp(t)
  const person = await a.user()
  for (const login of [person.email, 'nobody@example.com']) {
    for (let i = 0; i < 10; i++) assert.equal((await forgot(login)).status, 202)
    const last = await forgot(login)
    assert.deepEqual(refused(last), [429, 4290])
    assert.ok(Number(last.headers['retry-after']) > 0)
  }
  const from = newAddress()
  for (let i = 0; i < 20; i++) assert.equal((await forgot(`somebody${i}`, from)).status, 202)
  assert.deepEqual(refused(await forgot('one-more', from)), [429, 4290])
})
