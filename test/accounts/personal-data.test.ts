import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { addCopy, must, PASSWORD, refused } from '../support/builders.ts'

const ACCOUNT = '/api/v1/private/account'
const EXPORT = `${ACCOUNT}/export`
const DELETE = `${ACCOUNT}/delete`

test('a person exports everything about themselves with the password', async (t) => {
  const { a, post, sql } = await startApp(t)
  const person = await a.verified()
  const other = await a.verified()
  const listing = await a.listing()
  await addCopy(sql, listing.uid, person.uid, 'free')
  await addCopy(sql, listing.uid, other.uid, 'free')
  const wrong = await post(EXPORT, { password: 'wrong' }, person)
  assert.deepEqual(refused(wrong), [401, 4010])
  assert.equal(wrong.body.data.field, 'password')
  assert.deepEqual(refused(await post(EXPORT, {}, person)), [400, 4000])
  const answer = await post(EXPORT, { password: PASSWORD }, person)
  assert.match(answer.headers['cache-control']!, /no-store/)
  const { uid, format, tables } = must(answer)
  assert.deepEqual([uid, format], [person.uid, 'slipway-person-1'])
  assert.equal(tables.users[0].email, person.email)
  assert.deepEqual(
    tables.licences.map(({ game_uid }: { game_uid: string }) => game_uid),
    [listing.uid],
  )
  const text = JSON.stringify(answer.body)
  assert.doesNotMatch(text, /_hash|argon2/)
  assert.ok(!text.includes(other.uid) && !text.includes(other.email))
  const entries = await sql`
    select user_uid from audit_entries where action = 'accounts.export-person'`
  assert.deepEqual(
    entries.map(({ user_uid }) => user_uid),
    [person.uid],
  )
})

test('a person deletes their account with username and password', async (t) => {
  const { a, post, get, sql } = await startApp(t)
  const person = await a.verified()
  const other = await a.verified()
  const { username } = person
  const attempt = (body: object) => post(DELETE, body, person)
  const wrong_name = await attempt({ username: other.username, password: PASSWORD })
  assert.deepEqual(refused(wrong_name), [400, 4000])
  assert.equal(wrong_name.body.data.field, 'username')
  assert.deepEqual(refused(await attempt({ username, password: 'wrong' })), [401, 4010])
  assert.deepEqual(refused(await attempt({ username })), [400, 4000])
  assert.equal((await get(ACCOUNT, person)).status, 200)
  const answer = await attempt({ username: ` ${username.toUpperCase()} `, password: PASSWORD })
  assert.deepEqual(must(answer), { deleted: true })
  assert.match(answer.headers['set-cookie']!, /^svc_session=; Max-Age=0/)
  assert.equal((await get(ACCOUNT, person)).status, 401)
  const login = { login: username, password: PASSWORD }
  assert.equal((await post(`${ACCOUNT}/login`, login)).status, 401)
  const left = await sql`select uid from users where uid in (${person.uid}, ${other.uid})`
  assert.deepEqual(
    left.map(({ uid }) => uid),
    [other.uid],
  )
})

test('an account that owns projects is not deleted', async (t) => {
  const { a, post, get, sql } = await startApp(t)
  const name = 'Mine Alone'
  const { uid, owner } = await a.listing({ name })
  const confirmation = { username: owner.username, password: PASSWORD }
  const answer = await post(DELETE, confirmation, owner)
  assert.deepEqual(refused(answer), [409, 4090])
  assert.deepEqual(answer.body.data.listings, [{ uid, name }])
  assert.equal((await get(ACCOUNT, owner)).status, 200)
  await sql`update all_listings set deleted_at = now() where uid = ${uid}`
  assert.equal((await post(DELETE, confirmation, owner)).status, 409, 'it can be restored')
  await sql`delete from all_listings where uid = ${uid}`
  must(await post(DELETE, confirmation, owner))
})
