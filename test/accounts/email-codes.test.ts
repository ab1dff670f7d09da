import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, outbox, startApp } from '../support/app.ts'
import { codeIn, must, refused, wrongCode } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const ACCOUNT = '/api/v1/private/account'
const CODE = '/api/v1/private/account/email-code'
const VERIFY = '/api/v1/private/account/verify-email'
const startShared = sharedInFile(startApp)

test('a mailed six-digit code verifies the address once', async (t) => {
  const { post, get, data_dir, a } = await startShared(t)
  const person = await a.user()
  const code = await a.mailedCode(person)
  const [mail] = outbox(data_dir).filter(({ to }) => to === person.email)
  assert.deepEqual(
    [mail!.to, Object.keys(mail!).sort().join()],
    [person.email, 'created_at,subject,text,to'],
  )
  assert.deepEqual(must(await post(VERIFY, { code: ` ${code} ` }, person)), {
    email_verified: true,
  })
  assert.equal(must(await get(ACCOUNT, person)).email_verified, true)
  assert.deepEqual(refused(await post(VERIFY, { code }, person)), [400, 4216])
  assert.deepEqual(
    refused(await post(CODE, {}, person)),
    [409, 4090],
    'a verified address needs no code',
  )
})

test('five wrong attempts invalidate a code, even when they race', async (t) => {
  const { post, a } = await startShared(t)
  const person = await a.user()
  const code = await a.mailedCode(person)
  const badCode = wrongCode(code)
  const attempts = await Promise.all(
    Array.from({ length: 8 }, () => post(VERIFY, { code: badCode }, person)),
  )
  for (const answer of attempts) assert.deepEqual(refused(answer), [400, 4216])
  assert.deepEqual(
    refused(await post(VERIFY, { code }, person)),
    [400, 4216],
    'the right code comes too late',
  )
})

test('a code still works after four wrong attempts', async (t) => {
  const { post, a } = await startShared(t)
  const person = await a.user()
  const code = await a.mailedCode(person)
  for (let i = 0; i < 4; i++)
    assert.deepEqual(refused(await post(VERIFY, { code: wrongCode(code) }, person)), [400, 4216])
  assert.equal((await post(VERIFY, { code }, person)).status, 200)
})

test('a code is valid for ten minutes', async (t) => {
  const { post, sql, a } = await startShared(t)
  const person = await a.user()
  const code = await a.mailedCode(person)
  const age = (seconds: number) => sql`
    update mail_codes set expires_at = expires_at - ${seconds} * interval '1 second'
    where user_uid = ${person.uid}
    returning expires_at > now() as alive`
  const [row] = await age(599)
  assert.equal(row!.alive, true)
  await age(2)
  assert.deepEqual(refused(await post(VERIFY, { code }, person)), [400, 4216])
})

test('another code may be requested after 30 seconds, and replaces the previous one', async (t) => {
  const { post, sql, data_dir, a } = await startShared(t)
  const person = await a.user()
  const first = await a.mailedCode(person)
  const early = await post(CODE, {}, person)
  assert.deepEqual(refused(early), [429, 4290])
  assert.ok(Number(early.headers['retry-after']) >= 29)
  await sql`
    update mail_codes set sent_at = sent_at - interval '31 seconds'
    where user_uid = ${person.uid}`
  assert.equal((await post(CODE, {}, person)).status, 200)
  const second = await eventually(
    'the second mail',
    () => outbox(data_dir).filter(({ to }) => to === person.email)[1],
  )
  const code = codeIn(second.text)
  if (code !== first)
    assert.deepEqual(refused(await post(VERIFY, { code: first }, person)), [400, 4216])
  assert.equal((await post(VERIFY, { code }, person)).status, 200)
})

test("a code does not verify another person's address", async (t) => {
  const { post, a } = await startShared(t)
  const ann = await a.user()
  const bob = await a.user()
  const code = await a.mailedCode(ann)
  if (code !== (await a.mailedCode(bob)))
    assert.deepEqual(refused(await post(VERIFY, { code }, bob)), [400, 4216])
})
