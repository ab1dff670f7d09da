import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { clearIdentityCache } from '../../../src/accounts/sessions/identity.ts'
import { must, PASSWORD, type Person, refused } from '../../support/builders.ts'
import { OPERATIONS, startConsole } from '../fixtures.ts'

const ACCOUNT = '/api/v1/private/account'
const TEAM = '/api/v1/private/moderation/team'

test('what operators do with an account', async (t) => {
  const app = await startConsole(t)
  const { a, get, put, post, sql, operator } = app
  const people = `${OPERATIONS}/people`
  const pageOf = ({ uid }: Person) => `/operator/people/${uid}`
  const read = async ({ uid }: Person) => must(await get(`${people}/${uid}`, operator))
  const reasons = { ground: 'rule-spam', facts: 'Sends the same review everywhere' }

  await t.test('suspending asks for ground and facts, for days or for good', async () => {
    const person = await a.verified()
    const page = pageOf(person)
    const suspend = (fields: Record<string, string>) =>
      app.console.send(`${page}/suspend`, { scope: 'everything', days: '', ...fields })
    const without = await suspend({ ground: 'rule-spam', facts: '' })
    assert.equal(without.status, 422)
    assert.match(without.body, /<details class="confirm" open>.*id="f-facts-error"/s)
    for (const days of ['0', '3651', 'soon'])
      assert.equal((await suspend({ ...reasons, days })).status, 400, days)
    assert.doesNotMatch(without.body, /value="no-violation"/, 'that is no ground to suspend')
    assert.equal((await read(person)).suspension, null)
    const fields = { ...reasons, scope: 'everything', days: '3', statement: 'Stop the spam' }
    const done = await app.console.submit(`${page}/suspend`, fields)
    assert.match(done.body, /The person is suspended/)
    assert.match(done.body, /label-bad">Suspended</)
    const { suspension } = await read(person)
    assert.deepEqual([suspension.scope, suspension.statement], ['everything', 'Stop the spam'])
    const days = (Date.parse(suspension.until) - Date.now()) / 86_400_000
    assert.ok(days > 2.9 && days <= 3)
    assert.equal((await get(ACCOUNT, person)).body.error.code, 4284)
    assert.match(
      (await app.console.open(`/operator/people?q=${person.username}`)).body,
      /Suspended</,
    )
    const lift = (fields: Record<string, string>) => app.console.send(`${page}/restore`, fields)
    assert.equal((await lift({ ground: 'no-violation', facts: ' ' })).status, 422)
    assert.equal((await lift({ ground: 'no-violation', facts: 'It was another' })).status, 303)
    assert.match((await app.console.open(page)).body, /The suspension has ended/)
    assert.equal((await read(person)).suspension, null)
    assert.deepEqual(refused(await get(ACCOUNT, person)), [401, 4010], 'its sessions have ended')
    await suspend({ ...reasons, scope: 'publishing' })
    assert.partialDeepStrictEqual(await read(person), {
      suspension: { scope: 'publishing', until: null, statement: reasons.facts },
    })
    const own = await app.console.send(`${pageOf(operator)}/suspend`, {
      ...reasons,
      scope: 'everything',
      days: '',
    })
    assert.equal(own.status, 403)
  })

  await t.test('the role of moderator needs a verified address', async () => {
    const person = await a.user()
    const page = pageOf(person)
    assert.deepEqual(
      refused(await put(`${TEAM}/${person.username}`, undefined, operator)),
      [403, 4096],
    )
    const unverified = await app.console.send(`${page}/moderator/add`, {})
    assert.equal(unverified.status, 403)
    assert.match(unverified.body, /Verify the address of this person first/)
    assert.equal((await read(person)).moderator, false)
    await app.console.submit(`${page}/verify`)
    const made = await app.console.submit(`${page}/moderator/add`)
    assert.match(made.body, /This person is a moderator now/)
    assert.match(made.body, /label-ink">Moderator</)
    assert.equal((await read(person)).moderator, true)
    must(await get('/api/v1/private/moderation/queue', person))
    const removed = await app.console.submit(`${page}/moderator/remove`)
    assert.match(removed.body, /This person is no longer a moderator/)
    assert.equal((await get('/api/v1/private/moderation/queue', person)).status, 403)
  })

  await t.test('the export is the one that the person gets, and is recorded', async () => {
    const person = await a.verified()
    const own = must(await post(`${ACCOUNT}/export`, { password: PASSWORD }, person))
    const { status, headers, body } = await app.console.send(`${pageOf(person)}/export`, {})
    assert.equal(status, 200)
    assert.match(headers['content-disposition']!, new RegExp(`account-${person.username}.json`))
    assert.match(headers['cache-control']!, /no-store/)
    const data = typeof body === 'string' ? JSON.parse(body) : body
    assert.deepEqual(Object.keys(data), Object.keys(own))
    assert.deepEqual(data.tables.users, own.tables.users)
    const [audit] = await sql`
      select user_uid from audit_entries
      where action = 'accounts.export-person' and detail ->> 'person' = ${person.uid}
      order by uid desc
      limit 1`
    assert.equal(audit!.user_uid, operator.uid)
    const events = must(await get(`${ACCOUNT}/security-events`, person)).items
    assert.equal(events[0].kind, 'account_exported')
  })

  await t.test('deleting takes the name, and asks about listings', async () => {
    const { owner } = await a.listing({ name: 'Last Light' })
    const page = pageOf(owner)
    const remove = (fields: Record<string, string>) => app.console.send(`${page}/delete`, fields)
    for (const username of ['', operator.username])
      assert.match((await remove({ username })).body, /This is not the username of the account/)
    const refusal = await remove({ username: owner.username })
    assert.equal(refusal.status, 409)
    assert.match(refusal.body, /This person owns listings.*<li>Last Light<\/li>/s)
    must(await get(ACCOUNT, owner))
    const fields = { username: owner.username.toUpperCase(), with_listings: 'yes' }
    assert.equal((await remove(fields)).status, 303)
    assert.match((await app.console.open('/operator/people')).body, /The account is deleted/)
    assert.deepEqual(refused(await get(`${people}/${owner.uid}`, operator)), [404, 4040])
    assert.equal((await get(ACCOUNT, owner)).status, 401)
    const [audit] = await sql`
      select user_uid from audit_entries
      where action = 'accounts.delete-person' and detail ->> 'person' = ${owner.uid}`
    assert.equal(audit!.user_uid, operator.uid)
    const missing = `${people}/${owner.uid}/delete`
    const again = await post(missing, { username: owner.username }, operator)
    assert.deepEqual(refused(again), [404, 4040])
  })

  await t.test('operators are not deleted while they have the role', async () => {
    const { body } = await app.console.open(pageOf(operator))
    assert.match(body, /This person is an operator. Remove that role first/)
    assert.doesNotMatch(body, /\/delete"|\/suspend"/)
    const url = `${people}/${operator.uid}/delete`
    const refusal = await post(url, { username: operator.username }, operator)
    assert.deepEqual(refused(refusal), [409, 4090])
  })

  await t.test('export and deletion are for operators in person, with a fresh proof', async () => {
    const person = await a.verified()
    const { key } = await a.key('agent', operator, ['operator:write'])
    const username = { username: person.username }
    for (const [action, body] of [['export'], ['delete', username]] as const) {
      const url = `${people}/${person.uid}/${action}`
      for (const token of [key, person.token, (await a.verified()).token])
        assert.equal((await post(url, body, { token })).status, 403, action)
      assert.equal((await post(url, body)).status, 401)
      assert.equal((await post(`${people}/nonsense/${action}`, body, operator)).status, 400)
      assert.equal((await post(`${people}/${randomUUID()}/${action}`, body, operator)).status, 404)
    }
    await sql`update sessions set created_at = now() - interval '11 minutes', proved_at = null`
    clearIdentityCache()
    for (const [action, body] of [['export'], ['delete', username]] as const)
      assert.deepEqual(
        refused(await post(`${people}/${person.uid}/${action}`, body, operator)),
        [403, 4032],
      )
    const prompt = await app.console.send(`${pageOf(person)}/delete`, username)
    assert.equal(prompt.status, 403)
    assert.match(prompt.body, /name="pending_form"/)
    must(await get(`${people}/${person.uid}`, operator))
  })
})
