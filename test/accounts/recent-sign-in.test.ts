import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRecent } from '../../src/accounts/sessions/step-up.ts'
import { startApp } from '../support/app.ts'
import { must, PASSWORD, refused } from '../support/builders.ts'

const CONFIRM = '/api/v1/private/account/confirm-password'

test('a proof counts for ten minutes', () => {
  const proved_at = new Date('2026-01-01T12:00:00Z')
  assert.equal(isRecent(proved_at, new Date('2026-01-01T12:09:59Z')), true)
  assert.equal(isRecent(proved_at, new Date('2026-01-01T12:10:00Z')), false)
})

test('the password proves that the session is yours', async (t) => {
  const { a, post, sql } = await startApp(t)
  const person = await a.user()
  const other = await a.user()
  const age = async () => {
    const rows = await sql`
      select extract(epoch from now() - coalesce(proved_at, created_at))::int as seconds
      from sessions
      where user_uid = ${person.uid}`
    return rows[0]!.seconds as number
  }
  await sql`update sessions set created_at = now() - interval '1 hour'`
  assert.deepEqual(refused(await post(CONFIRM, { password: 'wrong' }, person)), [401, 4010])
  assert.ok((await age()) >= 3600)
  const { valid_until } = must(await post(CONFIRM, { password: PASSWORD }, person))
  const seconds = (new Date(valid_until).getTime() - Date.now()) / 1000
  assert.ok(seconds > 500 && seconds <= 600, valid_until)
  assert.ok((await age()) < 60)
  const [unproved] = await sql`select proved_at from sessions where user_uid = ${other.uid}`
  assert.equal(unproved!.proved_at, null)
})

test('guesses of the password count with those at sign-in', async (t) => {
  const { a, post } = await startApp(t)
  const person = await a.user()
  for (let guess = 0; guess < 10; guess++)
    assert.equal((await post(CONFIRM, { password: 'wrong' }, person)).status, 401)
  assert.equal((await post(CONFIRM, { password: PASSWORD }, person)).status, 429)
  const login = { login: person.username, password: PASSWORD }
  assert.equal((await post('/api/v1/private/account/login', login)).status, 429)
})
