import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { must, newAddress, PASSWORD, type Person, refused } from '../../support/builders.ts'
import { OPERATIONS, startConsole } from '../fixtures.ts'

const ACCOUNT = '/api/v1/private/account'
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

test('the sessions of a person, for operators', async (t) => {
  const app = await startConsole(t, { PROXY_HOPS: '1' })
  const { a, get, del, post, sql, operator } = app
  const urlOf = ({ uid }: Person) => `${OPERATIONS}/people/${uid}/sessions`
  const signIn = async ({ username }: Person, headers: Record<string, string> = newAddress()) =>
    must(await post(`${ACCOUNT}/login`, { login: username, password: PASSWORD }, { headers }))
      .session as { token: string }
  const list = async (person: Person) => must(await get(urlOf(person), operator)).sessions
  const isSignedIn = async (session: { token: string }) =>
    (await get(ACCOUNT, session)).status === 200
  const records = async ({ uid }: Person) => {
    const audit = await sql<{ detail: object }[]>`
      select detail
      from audit_entries
      where action = 'operator.end-sessions' and user_uid = ${operator.uid}
        and detail ->> 'person' = ${uid}`
    const events = await sql`
      select from security_events
      where kind = 'sessions_ended' and user_uid = ${uid} and actor_uid = ${operator.uid}`
    return [audit.length, events.length]
  }

  await t.test('are listed with device, place and last use', async () => {
    const person = await a.verified()
    await signIn(person, { 'user-agent': FIREFOX, 'x-forwarded-for': '8.8.8.8' })
    const [session] = await list(person)
    assert.partialDeepStrictEqual(session, {
      current: false,
      browser: 'Firefox',
      system: 'Linux',
      country: 'US',
      network: '8.8.8.0/24',
    })
    const { body } = await app.console.open(`/operator/people/${person.uid}`)
    assert.match(body, /id="sessions".*Firefox on Linux.*United States/s)
    const [own] = await list(operator)
    assert.equal(own.current, true)
  })

  await t.test('are ended one by one, which is recorded', async () => {
    const person = await a.verified()
    const session = await signIn(person)
    const [newest] = await list(person)
    const stranger = await a.verified()
    for (const [owner, uid] of [
      [stranger, newest.uid],
      [person, randomUUID()],
    ])
      assert.deepEqual(refused(await del(`${urlOf(owner)}/${uid}`, operator)), [404, 4040])
    assert.deepEqual(await records(person), [0, 0])
    const url = `/operator/people/${person.uid}/sessions/${newest.uid}/end`
    assert.match((await app.console.submit(url)).body, /The session is ended/)
    assert.deepEqual([await isSignedIn(session), await isSignedIn(person)], [false, true])
    assert.deepEqual(await records(person), [1, 1])
    assert.deepEqual(refused(await del(`${urlOf(person)}/nonsense`, operator)), [400, 4000])
  })

  await t.test('are ended all at once, but not the own one', async () => {
    const person = await a.verified()
    await signIn(person)
    const page = `/operator/people/${person.uid}`
    const done = await app.console.submit(`${page}/sessions/end`)
    assert.match(done.body, /The sessions are ended.*not signed in anywhere/s)
    assert.equal(await isSignedIn(person), false)
    assert.deepEqual(must(await del(urlOf(person), operator)), { ended: 0 })
    assert.deepEqual(await records(person), [1, 1], 'nothing ended the second time')
    const other = await signIn(operator)
    assert.deepEqual(must(await del(urlOf(operator), operator)), { ended: 1 })
    assert.deepEqual([await isSignedIn(other), await isSignedIn(operator)], [false, true])
  })

  await t.test('are for operators, and for keys by their scope', async () => {
    const person = await a.verified()
    for (const who of [person, await a.verified()]) {
      assert.deepEqual(refused(await get(urlOf(person), who)), [403, 4030])
      assert.deepEqual(refused(await del(urlOf(person), who)), [403, 4030])
    }
    const { key } = await a.key('agent', operator, ['operator:read'])
    must(await get(urlOf(person), { token: key }))
    assert.equal((await del(urlOf(person), { token: key })).status, 403)
    assert.ok(await isSignedIn(person))
    const missing = `${OPERATIONS}/people/${randomUUID()}/sessions`
    assert.deepEqual(refused(await get(missing, operator)), [404, 4040])
    assert.deepEqual(refused(await del(missing, operator)), [404, 4040])
  })
})
