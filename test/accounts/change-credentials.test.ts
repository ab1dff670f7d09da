import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { codeIn, must, PASSWORD, type Person, refused, wrongCode } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const ACCOUNT = '/api/v1/private/account'
const CHANGE = `${ACCOUNT}/email-change`
const CONFIRM = `${CHANGE}/confirm`
const CHANGE_PASSWORD = `${ACCOUNT}/password`
const LOGIN = `${ACCOUNT}/login`
const NEW_PASSWORD = 'a whole new sentence'

const startShared = sharedInFile(startApp)
let addresses = 0
const newAddress = () => `new-${++addresses}@example.com`

async function startAccounts(t: TestContext) {
  const app = await startShared(t)
  const mailTo = (address: string) =>
    eventually(`a mail to ${address}`, async () =>
      outbox(app.data_dir).findLast(({ to }) => to === address),
    )
  const change = (person: Person, email: string, password = PASSWORD) =>
    app.post(CHANGE, { email, password }, person)
  return { ...app, mailTo, change }
}

test('a new address is confirmed with a code, and the old one is notified', async (t) => {
  const { a, post, get, change, mailTo, sql } = await startAccounts(t)
  const person = await a.user()
  const email = 'New.Address@example.com'
  assert.deepEqual(must(await change(person, ` ${email} `)), { sent: true, expires_in: 600 })
  assert.equal(must(await get(ACCOUNT, person)).email, person.email, 'unchanged until confirmed')
  const code = codeIn((await mailTo(email))!.text)
  assert.deepEqual(refused(await post(CONFIRM, { code: wrongCode(code) }, person)), [400, 4216])
  assert.deepEqual(must(await post(CONFIRM, { code: ` ${code} ` }, person)), {
    email,
    email_verified: true,
  })
  const account = must(await get(ACCOUNT, person))
  assert.deepEqual([account.email, account.email_verified], [email, true])
  assert.deepEqual(refused(await post(CONFIRM, { code }, person)), [400, 4216], 'a code works once')
  const notice = await mailTo(person.email)
  assert.match(notice!.subject, /email address of your account on Slipway was changed/)
  assert.ok(notice!.text.includes(person.username))
  assert.ok(!notice!.text.includes(email), 'the new address stays private')
  must(await post(LOGIN, { login: email, password: PASSWORD }))
  assert.equal((await post(LOGIN, { login: person.email, password: PASSWORD })).status, 401)
  const [row] = await sql`
    select count(*)::int as changes from email_changes where user_uid = ${person.uid}`
  assert.equal(row!.changes, 0)
})

test('a change of address is refused for a wrong password or an unusable address', async (t) => {
  const { a, post, change, sql } = await startAccounts(t)
  const person = await a.user()
  const other = await a.user()
  const wrong = await change(person, 'new@example.com', 'wrong password')
  assert.deepEqual(refused(wrong), [401, 4010])
  assert.equal(wrong.body.data.field, 'password')
  assert.deepEqual(refused(await change(person, 'no address')), [400, 4000])
  for (const taken of [person.email.toUpperCase(), other.email.toUpperCase()])
    assert.deepEqual(refused(await change(person, taken)), [409, 4090])
  assert.deepEqual(refused(await post(CONFIRM, { code: '000000' }, person)), [400, 4216])
  const [row] = await sql`
    select count(*)::int as changes from email_changes where user_uid = ${person.uid}`
  assert.equal(row!.changes, 0)
})

test('a code for a new address is sent again after 30 seconds and ends the first', async (t) => {
  const { a, post, change, mailTo, sql } = await startAccounts(t)
  const person = await a.user()
  must(await change(person, 'first@example.com'))
  const first = codeIn((await mailTo('first@example.com'))!.text)
  const again = await change(person, 'second@example.com')
  assert.equal(again.status, 429)
  assert.ok(Number(again.headers['retry-after']) <= 30)
  await sql`
    update email_changes set sent_at = sent_at - interval '30 seconds'
    where user_uid = ${person.uid}`
  must(await change(person, 'second@example.com'))
  const second = codeIn((await mailTo('second@example.com'))!.text)
  if (first !== second)
    assert.deepEqual(refused(await post(CONFIRM, { code: first }, person)), [400, 4216])
  assert.equal(must(await post(CONFIRM, { code: second }, person)).email, 'second@example.com')
})

test('a code for a new address ends after five wrong attempts or ten minutes', async (t) => {
  const { a, post, change, mailTo, sql } = await startAccounts(t)
  const person = await a.user()
  const email = newAddress()
  const late = await a.user()
  must(await change(person, email))
  must(await change(late, 'late@example.com'))
  const code = codeIn((await mailTo(email))!.text)
  const wrong = { code: wrongCode(code) }
  const attempts = await Promise.all(Array.from({ length: 8 }, () => post(CONFIRM, wrong, person)))
  for (const answer of attempts) assert.deepEqual(refused(answer), [400, 4216])
  assert.deepEqual(refused(await post(CONFIRM, { code }, person)), [400, 4216])
  const late_code = codeIn((await mailTo('late@example.com'))!.text)
  await sql`update email_changes set expires_at = now() where user_uid = ${late.uid}`
  const expired = await post(CONFIRM, { code: late_code }, late)
  assert.equal(expired.body.data.reason, 'expired')
})

test('an address that was taken in the meantime is refused at the end', async (t) => {
  const { a, post, get, change, mailTo, sql } = await startAccounts(t)
  const person = await a.user()
  const email = newAddress()
  const other = await a.user()
  must(await change(person, email))
  const code = codeIn((await mailTo(email))!.text)
  await sql`update users set email = ${email.toUpperCase()} where uid = ${other.uid}`
  assert.deepEqual(refused(await post(CONFIRM, { code }, person)), [409, 4090])
  assert.equal(must(await get(ACCOUNT, person)).email, person.email)
})

test('a new address ends reset links that went to the old one', async (t) => {
  const { a, post, change, mailTo } = await startAccounts(t)
  const person = await a.user()
  const email = newAddress()
  must(await post(`${ACCOUNT}/forgot-password`, { login: person.username }))
  const mail = await mailTo(person.email)
  const token = mail!.text.match(/token=([\w.-]+)/)![1]!
  must(await change(person, email))
  const code = codeIn((await mailTo(email))!.text)
  must(await post(CONFIRM, { code }, person))
  const reset = await post(`${ACCOUNT}/reset-password`, { token, password: NEW_PASSWORD })
  assert.equal(reset.status, 400)
})

test('a new password ends all sessions but the one that set it', async (t) => {
  const { a, post, get, mailTo } = await startAccounts(t)
  const person = await a.user()
  const login = { login: person.username, password: PASSWORD }
  const second = must(await post(LOGIN, login)).session.token
  const change = { current_password: PASSWORD, password: NEW_PASSWORD }
  assert.deepEqual(must(await post(CHANGE_PASSWORD, change, person)), {
    username: person.username,
  })
  assert.equal((await get(ACCOUNT, person)).status, 200)
  assert.equal((await get(ACCOUNT, { token: second })).status, 401)
  assert.equal((await post(LOGIN, login)).status, 401)
  must(await post(LOGIN, { ...login, password: NEW_PASSWORD }))
  const notice = await mailTo(person.email)
  assert.match(notice!.text, /changed in the settings/)
})

test('a password is changed only with the current one, and to a good one', async (t) => {
  const { a, post } = await startAccounts(t)
  const person = await a.user()
  const attempt = (current_password: string, password: string) =>
    post(CHANGE_PASSWORD, { current_password, password }, person)
  const wrong = await attempt('not my password', NEW_PASSWORD)
  assert.deepEqual(refused(wrong), [401, 4010])
  assert.equal(wrong.body.data.field, 'current_password')
  for (const password of ['short', 'password123', person.username, 'x'.repeat(129)])
    assert.deepEqual(refused(await attempt(PASSWORD, password)), [400, 4000], password)
  must(await post(LOGIN, { login: person.username, password: PASSWORD }))
})

test('guesses of the current password count with those at sign-in', async (t) => {
  const { a, post } = await startAccounts(t)
  const person = await a.user()
  const guess = { current_password: 'wrong', password: NEW_PASSWORD }
  for (let i = 0; i < 10; i++)
    assert.equal((await post(CHANGE_PASSWORD, guess, person)).status, 401)
  const right = { ...guess, current_password: PASSWORD }
  assert.equal((await post(CHANGE_PASSWORD, right, person)).status, 429)
})
