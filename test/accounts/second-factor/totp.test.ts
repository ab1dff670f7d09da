import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { recoveryCodeHash } from '../../../src/accounts/second-factor/recovery-codes.ts'
import { totpStep } from '../../../src/accounts/second-factor/totp.ts'
import { newToken } from '../../../src/core/security/crypto.ts'
import { rotateSecrets } from '../../../src/core/security/rotate-secrets.ts'
import { addKey, createSecrets, loadKeyring } from '../../../src/core/security/secrets.ts'
import { eventually, outbox, startApp } from '../../support/app.ts'
import { must, newAddress, PASSWORD, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { ACCOUNT, enrollTotp, totpCode } from './fixtures.ts'

const LOGIN = `${ACCOUNT}/login`
const SECOND_STEP = `${LOGIN}/second-step`

const startShared = sharedInFile((t) => startApp(t, { PROXY_HOPS: '1' }))

async function startSecured(t: TestContext, start = startShared) {
  const app = await start(t)
  const person = await app.a.user()
  const enrolled = await enrollTotp(app, person)
  const login = { login: person.username, password: PASSWORD }
  const ticket = async (): Promise<string> => {
    const answer = await app.post(LOGIN, login, { headers: newAddress() })
    assert.deepEqual(refused(answer), [401, 4293])
    return answer.body.data.ticket
  }
  const finish = (ticket: string, code: string) =>
    app.post(SECOND_STEP, { ticket, code }, { headers: newAddress() })
  return { ...app, person, login, ticket, finish, ...enrolled }
}

test('a code counts in its step, the one before and the one after', () => {
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP'
  const now = new Date()
  const step = totpStep(secret, totpCode(secret), now)!
  assert.equal(totpStep(secret, totpCode(secret, -1), now), step - 1)
  assert.equal(totpStep(secret, totpCode(secret, 1), now), step + 1)
  assert.equal(totpStep(secret, totpCode(secret, -3), now), undefined)
  assert.equal(totpStep(secret, totpCode(secret, 3), now), undefined)
})

test('an account without a second factor signs in as before', async (t) => {
  const { a, post } = await startShared(t)
  const { username } = await a.user()
  const answer = await post(LOGIN, { login: username, password: PASSWORD })
  assert.equal(answer.status, 200)
  assert.deepEqual(Object.keys(answer.body.data), ['user', 'session'])
})

test('with an authenticator app, signing in takes a ticket and a code', async (t) => {
  const { login, post, get, finish, secret } = await startSecured(t)
  const answer = await post(LOGIN, login)
  assert.deepEqual(refused(answer), [401, 4293])
  const { ticket, expires_in, methods } = answer.body.data
  assert.deepEqual([expires_in, methods], [600, ['code', 'recovery_code']])
  assert.equal(answer.headers['set-cookie'], undefined)
  assert.deepEqual(refused(await get(ACCOUNT, { token: ticket })), [401, 4010])
  const { session } = must(await finish(ticket, totpCode(secret)))
  must(await get(ACCOUNT, { token: session.token }))
})

test('a code works once, also for two requests at a time, and older ones stop', async (t) => {
  const { finish, ticket, secret, sql } = await startSecured(t)
  const [first, code] = [await ticket(), totpCode(secret)]
  const answers = await Promise.all(Array.from({ length: 5 }, () => finish(first, code)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 401, 401, 401, 401])
  assert.deepEqual(refused(await finish(first, code)), [401, 4294])
  must(await finish(first, totpCode(secret, 1)))
  assert.deepEqual(refused(await finish(first, totpCode(secret))), [401, 4294])
  await sql`update totp_factors set last_step = 0`
  assert.deepEqual(refused(await finish(first, totpCode(secret, -4))), [401, 4294])
})

test('a recovery code works once in place of a code', async (t) => {
  const { finish, ticket, recovery_codes, get, person, post, sql } = await startSecured(t)
  assert.equal(new Set(recovery_codes).size, 10)
  for (const code of recovery_codes) assert.match(code, /^(?:[0-9a-hjkmnp-tv-z]{4}-){5}\w{4}$/)
  const [code, other] = recovery_codes as [string, string]
  must(await finish(await ticket(), code.toUpperCase().replaceAll('-', ' ')))
  assert.deepEqual(refused(await finish(await ticket(), code)), [401, 4294])
  const { recovery_codes_left } = must(await get(`${ACCOUNT}/second-factor`, person))
  assert.equal(recovery_codes_left, 9)
  const fresh = must(await post(`${ACCOUNT}/recovery-codes`, undefined, person)).recovery_codes
  assert.deepEqual(refused(await finish(await ticket(), other)), [401, 4294])
  must(await finish(await ticket(), fresh[0]))
  // Codes of earlier versions had 16 characters.
  const code_hash = recoveryCodeHash(person.uid, '0123-4567-89ab-cdef')
  await sql`insert into recovery_codes ${sql({ user_uid: person.uid, code_hash })}`
  must(await finish(await ticket(), '0123-4567-89AB-CDEF'))
})

test('a recovery code and a code of one person do not work for another', async (t) => {
  const app = await startSecured(t)
  const other = await app.a.user()
  const theirs = await enrollTotp(app, other)
  for (const code of [theirs.recovery_codes[0]!, totpCode(theirs.secret)])
    assert.deepEqual(refused(await app.finish(await app.ticket(), code)), [401, 4294])
})

test('of many guesses at a time ten are checked, and the right code is locked out', async (t) => {
  const { post, ticket, secret } = await startSecured(t)
  const first = await ticket()
  // The addresses of one network, which are counted together.
  const guess = (code: string, host: number) =>
    post(
      SECOND_STEP,
      { ticket: first, code },
      { headers: { 'x-forwarded-for': `203.0.113.${host}` } },
    )
  const guesses = await Promise.all(
    Array.from({ length: 60 }, (_, i) => guess(`${100_000 + i}`, i)),
  )
  assert.equal(guesses.filter(({ status }) => status === 401).length, 10)
  assert.equal(guesses.filter(({ status }) => status === 429).length, 50)
  assert.equal((await guess(totpCode(secret), 61)).status, 429)
})

test('a ticket ends with its time and with the password, and cannot be forged', async (t) => {
  const { finish, ticket, secret, sql, person, post } = await startSecured(t)
  const valid = await ticket()
  const [user_uid, nonce, mac] = valid.split('.') as [string, string, string]
  const stranger = '00000000-0000-7000-8000-000000000000'
  const old = `0190000${nonce.slice(7)}`
  const forged = ['', 'x', `${stranger}.${nonce}.${mac}`, `${user_uid}.${old}.${mac}`]
  for (const text of [...forged, `${user_uid}.${nonce}.${'0'.repeat(mac.length)}`, person.token])
    assert.deepEqual(refused(await finish(text, totpCode(secret))), [401, 4294], text)
  await sql`update sessions set proved_at = now()`
  const change = { current_password: PASSWORD, password: `${PASSWORD} staple` }
  must(await post(`${ACCOUNT}/password`, change, person))
  assert.deepEqual(refused(await finish(valid, totpCode(secret))), [401, 4294])
})

test('setting up shows the same secret until its first code, then never again', async (t) => {
  const { a, post, get, data_dir, sql } = await startShared(t)
  const person = await a.user()
  const setup = must(await post(`${ACCOUNT}/totp`, undefined, person))
  assert.match(setup.uri, /^otpauth:\/\/totp\//)
  assert.match(setup.qr_svg, /^<svg /)
  assert.equal(must(await post(`${ACCOUNT}/totp`, undefined, person)).secret, setup.secret)
  const wrong = await post(`${ACCOUNT}/totp/confirm`, { code: '000000' }, person)
  assert.deepEqual(refused(wrong), [401, 4294])
  const state = async () => must(await get(`${ACCOUNT}/second-factor`, person)).totp.enabled
  assert.equal(await state(), false)
  const code = totpCode(setup.secret)
  must(await post(`${ACCOUNT}/totp/confirm`, { code }, person))
  assert.equal(await state(), true)
  assert.deepEqual(refused(await post(`${ACCOUNT}/totp`, undefined, person)), [409, 4090])
  const [stored] = await sql`
    select sealed from account_secrets where user_uid = ${person.uid}`
  assert.ok(!stored!.sealed.includes(setup.secret))
  await eventually('the mail', () =>
    outbox(data_dir).some(({ text }) => text.includes('An authenticator app was set up')),
  )
})

test('a secret that another session or an earlier hour has seen is not set up', async (t) => {
  const { a, post, sql } = await startShared(t)
  const person = await a.user()
  const login = { login: person.username, password: PASSWORD }
  const { token } = must(await post(LOGIN, login)).session
  const start = async (by: { token: string }) =>
    must(await post(`${ACCOUNT}/totp`, undefined, by)).secret as string
  const confirm = (secret: string, by: { token: string }) =>
    post(`${ACCOUNT}/totp/confirm`, { code: totpCode(secret) }, by)
  const seen = await start({ token })
  const own = await start(person)
  assert.notEqual(own, seen)
  assert.deepEqual(refused(await confirm(seen, { token })), [401, 4294])
  assert.deepEqual(refused(await confirm(own, { token })), [401, 4294])
  await sql`update totp_factors set started_at = now() - interval '61 minutes'`
  assert.deepEqual(refused(await confirm(own, person)), [401, 4294])
  const later = await start(person)
  assert.notEqual(later, own)
  await sql`update totp_factors set started_at = now() - interval '59 minutes'`
  assert.equal(await start(person), later)
  const same = await Promise.all([start(person), start(person), start(person)])
  assert.deepEqual(new Set(same), new Set([later]))
  must(await confirm(later, person))
})

test('parallel starts in one session answer with one secret', async (t) => {
  const { a, post } = await startShared(t)
  const person = await a.user()
  const answers = await Promise.all(
    Array.from({ length: 5 }, () => post(`${ACCOUNT}/totp`, undefined, person)),
  )
  assert.equal(new Set(answers.map((answer) => must(answer).secret)).size, 1)
})

test('changing the second factor needs a fresh proof: the password or a code', async (t) => {
  const { person, post, del, sql, secret, login } = await startSecured(t)
  await sql`update sessions set created_at = now() - interval '11 minutes'`
  const answers = [
    await del(`${ACCOUNT}/totp`, person),
    await post(`${ACCOUNT}/recovery-codes`, undefined, person),
    await post(`${ACCOUNT}/totp`, undefined, person),
  ]
  for (const answer of answers)
    assert.deepEqual([...refused(answer), answer.body.data], [403, 4032, { step_up: true }])
  const confirm = (code: string) => post(`${ACCOUNT}/confirm-code`, { code }, person)
  assert.deepEqual(refused(await confirm('000000')), [401, 4294])
  must(await confirm(totpCode(secret)))
  must(await del(`${ACCOUNT}/totp`, person))
  must(await post(LOGIN, login))
  assert.deepEqual(refused(await del(`${ACCOUNT}/totp`, person)), [404, 4040])
})

test('a code is a proof only for an account that has a second factor', async (t) => {
  const { a, post } = await startShared(t)
  const answer = await post(`${ACCOUNT}/confirm-code`, { code: '123456' }, await a.user())
  assert.deepEqual(refused(answer), [401, 4294])
})

test('a reset by mail of an address that was never verified ends the second factor', async (t) => {
  const { person, sql } = await startSecured(t)
  await sql`
    update users
    set password_hash = password_hash || ' ', email_verified_at = now()
    where uid = ${person.uid}`
  const rows = await sql`
    select from totp_factors where user_uid = ${person.uid}
    union all select from account_secrets where user_uid = ${person.uid}
    union all select from recovery_codes where user_uid = ${person.uid}`
  assert.equal(rows.length, 0)
})

test('a rotation of keys encrypts the secrets of people too', async (t) => {
  const startOwn = () => startApp(t, { PROXY_HOPS: '1' })
  const { core, sql, finish, ticket, secret } = await startSecured(t, startOwn)
  await addKey(core.config.data_dir)
  const secrets = createSecrets(await loadKeyring(core.config))
  assert.ok((await rotateSecrets(sql, secrets)) >= 1)
  const [row] = await sql`select key_version from account_secrets`
  assert.equal(row!.key_version, secrets.current_version())
  must(await finish(await ticket(), totpCode(secret)))
})

test('sessions that nobody signed in with do not work', async (t) => {
  const { get } = await startShared(t)
  const answers = await Promise.all(
    Array.from({ length: 100 }, () =>
      get(ACCOUNT, { token: newToken('svc_sess_'), headers: newAddress() }),
    ),
  )
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [401])
})
