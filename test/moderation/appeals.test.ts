import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { enrollTotp } from '../accounts/second-factor/fixtures.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { makePublic, must, PASSWORD, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { browserHeaders, moderationTeam, sendForm } from './fixtures.ts'

const PAGES = '/api/v1/public/games'
const STATEMENTS = '/api/v1/private/moderation/statements'
const APPEALS = '/api/v1/private/moderation/appeals'

const appealPath = (statement_uid: string) => `/api/v1/public/statements/${statement_uid}/appeal`

type StartApp = (t: TestContext) => ReturnType<typeof startApp>
const startShared = sharedInFile((t) => startApp(t))

/** A public listing that a moderator took down, and how people appeal and decide. */
async function startTakenDown(t: TestContext, start: StartApp = startApp) {
  const app = await start(t)
  const team = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Lantern' })
  await makePublic(app.sql, listing.uid)
  const { action_uid, statement_uid } = await team.decide('listing', listing.uid, 'take_down')
  const appeal = (who: Partial<Person> = owner, body: object = { text: 'It is a game' }) =>
    app.post(appealPath(statement_uid), body, who as Person)
  const settle = (uid: string, outcome: string, who: Person, reasons = 'We looked again') =>
    app.post(`${APPEALS}/${uid}/decision`, { outcome, reasons }, who)
  return { ...app, ...team, owner, listing, action_uid, statement_uid, appeal, settle }
}

test('the person concerned appeals once, and a reversal restores in the same step', async (t) => {
  const app = await startTakenDown(t)
  const { owner, operator, moderator, listing, appeal, settle, get } = app
  const [before] = must(await get(STATEMENTS, owner)).items
  assert.deepEqual([before.may_appeal, before.appeal], [true, null])
  const { appeal_uid } = must(await appeal())
  assert.deepEqual(refused(await appeal()), [409, 4283], 'appealed twice')
  const { items } = must(await get(APPEALS, operator))
  assert.deepEqual(
    items.map(({ uid, text, action, target_name, moderator: name }: any) => [
      uid,
      text,
      action,
      target_name,
      name,
    ]),
    [[appeal_uid, 'It is a game', 'take_down', 'Lantern', moderator.username]],
  )
  assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 404)
  must(await settle(appeal_uid, 'reversed', operator))
  assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 200)
  const statements = must(await get(STATEMENTS, owner)).items
  assert.deepEqual(
    statements.map(({ action, in_force, may_appeal }: any) => [action, in_force, may_appeal]),
    [
      ['restore', false, false],
      ['take_down', false, false],
    ],
  )
  const { outcome, reasons } = statements[1].appeal
  assert.deepEqual([outcome, reasons], ['reversed', 'We looked again'])
  assert.deepEqual(must(await get(APPEALS, operator)).items, [])
  assert.deepEqual(refused(await settle(appeal_uid, 'upheld', operator)), [409, 4283])
  const mail = await eventually('the outcome', () =>
    outbox(app.data_dir).find(({ to, subject }) => to === owner.email && /appeal/.test(subject)),
  )
  for (const part of ['We looked again', 'reversed', 'Lantern'])
    assert.ok(mail.text.includes(part), part)
})

test('a decision that is upheld stays in force', async (t) => {
  const app = await startTakenDown(t, startShared)
  const { owner, operator, listing, appeal, settle, get } = app
  const { appeal_uid } = must(await appeal())
  assert.deepEqual(refused(await settle(appeal_uid, 'upheld', operator, ' ')), [422, 4282])
  assert.deepEqual(refused(await settle(appeal_uid, 'perhaps', operator)), [400, 4000])
  must(await settle(appeal_uid, 'upheld', operator))
  assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 404)
  const [statement] = must(await get(STATEMENTS, owner)).items
  assert.deepEqual([statement.in_force, statement.appeal.outcome], [true, 'upheld'])
})

test('only the person concerned appeals, within 180 days, with up to 4000 characters', async (t) => {
  const app = await startTakenDown(t, startShared)
  const { owner, moderator, statement_uid, appeal, sql } = app
  const others = [{}, await app.a.verified(), moderator]
  for (const other of others) assert.deepEqual(refused(await appeal(other)), [404, 4040])
  assert.deepEqual(
    refused(await app.post(appealPath(randomUUID()), { text: 'x' }, owner)),
    [404, 4040],
  )
  const player_key = await app.a.key('player', owner, ['player:read'])
  assert.deepEqual(refused(await appeal({ token: player_key.key })), [404, 4040])
  const wrong = { text: 'x', token: 'A'.repeat(43) }
  assert.deepEqual(refused(await appeal({}, wrong)), [404, 4040])
  for (const text of ['', '  ', 'x'.repeat(4001)])
    assert.deepEqual(refused(await appeal(owner, { text })), [400, 4000])
  const age = (days: number) => sql`
    update moderation_statements set created_at = now() - ${days} * interval '1 day'
    where uid = ${statement_uid}`
  await age(180)
  assert.deepEqual(refused(await appeal()), [409, 4283])
  assert.equal(must(await app.get(STATEMENTS, owner)).items[0].may_appeal, false)
  await age(179.9)
  must(await appeal(owner, { text: 'x'.repeat(4000) }))
})

test('somebody else decides where there is one, and nobody on their own case', async (t) => {
  const app = await startTakenDown(t)
  const { operator, moderator, appeal, settle, sql } = app
  const { appeal_uid } = must(await appeal())
  assert.deepEqual(refused(await settle(appeal_uid, 'upheld', moderator)), [403, 4030])
  const people = [app.owner, await app.a.verified()]
  for (const person of people)
    assert.deepEqual(refused(await settle(appeal_uid, 'reversed', person)), [403, 4030])
  await sql`insert into moderators (user_uid) values (${app.owner.uid})`
  assert.deepEqual(refused(await settle(appeal_uid, 'reversed', app.owner)), [403, 4030])
  await sql`delete from moderators where user_uid = ${app.owner.uid}`
  await sql`delete from operators where user_uid = ${operator.uid}`
  must(await settle(appeal_uid, 'upheld', moderator))
})

test('a member who is locked out without a second factor is not somebody else', async (t) => {
  // The default requires a second factor of the team.
  const app = await startApp(t, { REQUIRE_MFA: '' })
  const { operator, moderator, decide } = await moderationTeam(app)
  for (const member of [operator, moderator]) await enrollTotp(app, member)
  const [owner, other] = [await app.a.verifiedDeveloper(), await app.a.verified()]
  const listing = await app.a.listing({ owner })
  await makePublic(app.sql, listing.uid)
  const { statement_uid } = await decide('listing', listing.uid, 'take_down')
  const { appeal_uid } = must(await app.post(appealPath(statement_uid), { text: 'No' }, owner))
  const settle = (who: Person) =>
    app.post(`${APPEALS}/${appeal_uid}/decision`, { outcome: 'upheld', reasons: 'As before' }, who)
  assert.deepEqual(refused(await settle(moderator)), [403, 4030])
  await app.sql`insert into moderators (user_uid) values (${other.uid})`
  await app.sql`delete from operators where user_uid = ${operator.uid}`
  assert.deepEqual(refused(await settle(other)), [403, 4292])
  must(await settle(moderator))
})

test('only operators decide appeals of members of the team', async (t) => {
  const app = await startApp(t)
  const { operator, moderator, decide } = await moderationTeam(app)
  const member = await app.a.verified()
  await app.sql`insert into moderators (user_uid) values (${member.uid})`
  const { statement_uid } = await decide('person', member.uid, 'warn', {}, operator)
  const { appeal_uid } = must(await app.post(appealPath(statement_uid), { text: 'No' }, member))
  const settle = (who: Person) =>
    app.post(`${APPEALS}/${appeal_uid}/decision`, { outcome: 'upheld', reasons: 'As before' }, who)
  assert.deepEqual(refused(await settle(moderator)), [403, 4030])
  must(await settle(operator))
})

test('a suspended person appeals with the link of the mail', async (t) => {
  const app = await startApp(t)
  const { operator, decide } = await moderationTeam(app)
  const person = await app.a.verified()
  const { statement_uid } = await decide('person', person.uid, 'suspend', {
    suspension: { scope: 'everything', days: null },
  })
  assert.deepEqual(
    refused(await app.post(appealPath(statement_uid), { text: 'No' }, person)),
    [403, 4284],
  )
  const mail = await eventually('the statement', () =>
    outbox(app.data_dir).find(({ to, text }) => to === person.email && /\/appeal\//.test(text)),
  )
  const link = new URL(/https?:\S+\/appeal\/\S+/.exec(mail.text)![0])
  const path = `${link.pathname}${link.search}`
  // The browser still has the session that does not count any more.
  const opened = await app.get(path, { headers: browserHeaders(app, person) })
  assert.match(opened.body, /Your page is not about a game/)
  assert.ok(!opened.body.includes(`href="${link.pathname}"`), 'no link without the token')
  const refusal = await sendForm(app, path, { fields: { text: ' ' }, who: person })
  assert.equal(refusal.status, 400)
  const sent = await sendForm(app, path, { fields: { text: 'Not me' }, who: person })
  assert.deepEqual([sent.status, sent.headers.location], [303, path])
  const after = await app.get(path, { headers: browserHeaders(app) })
  assert.match(after.body, /Waits for a decision/)
  assert.doesNotMatch(after.body, /<textarea/)
  const [{ uid }] = must(await app.get(APPEALS, operator)).items
  must(
    await app.post(`${APPEALS}/${uid}/decision`, { outcome: 'reversed', reasons: 'Yes' }, operator),
  )
  // The suspension has ended their sessions; they can sign in again.
  const login = { login: person.username, password: PASSWORD }
  must(await app.post('/api/v1/private/account/login', login))
  const bare = await app.get(link.pathname, { headers: browserHeaders(app) })
  assert.equal(bare.status, 404)
})

test('a reversal undoes the decision that was appealed and no other', async (t) => {
  const app = await startTakenDown(t, startShared)
  const { owner, operator, listing, sql, decide, get, settle } = app
  const { statement_uid } = await decide('listing', listing.uid, 'hide')
  const { appeal_uid } = must(await app.appeal())
  must(await settle(appeal_uid, 'reversed', operator))
  assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 200)
  const [row] = await sql`select visibility from listings where uid = ${listing.uid}`
  assert.equal(row!.visibility, 'invisible', 'still hidden')
  const hide = must(await get(STATEMENTS, owner)).items.find(
    ({ uid }: any) => uid === statement_uid,
  )
  assert.equal(hide.in_force, true)

  const person = await app.a.verified()
  const suspend = (days: number) =>
    decide('person', person.uid, 'suspend', { suspension: { scope: 'publishing', days } })
  const first = await suspend(7)
  await suspend(30)
  const appealed = must(await app.post(appealPath(first.statement_uid), { text: 'No' }, person))
  must(await settle(appealed.appeal_uid, 'reversed', operator))
  const [user] = await sql`select suspension from users where uid = ${person.uid}`
  assert.equal(user!.suspension, 'publishing', 'the later suspension stands')
})

test('a decision whose effect has ended by itself can be reversed', async (t) => {
  const app = await startShared(t)
  const { operator, decide } = await moderationTeam(app)
  const person = await app.a.verified()
  const { statement_uid } = await decide('person', person.uid, 'suspend', {
    suspension: { scope: 'publishing', days: 1 },
  })
  const { appeal_uid } = must(await app.post(appealPath(statement_uid), { text: 'No' }, person))
  await app.sql`update users set suspended_until = now() where uid = ${person.uid}`
  const body = { outcome: 'reversed', reasons: 'Sorry' }
  must(await app.post(`${APPEALS}/${appeal_uid}/decision`, body, operator))
})

test('the appeal of a deleted account loses its text and waits for nobody', async (t) => {
  const app = await startShared(t)
  const { operator, decide } = await moderationTeam(app)
  const person = await app.a.verified()
  const { statement_uid } = await decide('person', person.uid, 'warn')
  const appeal = await app.post(appealPath(statement_uid), { text: 'I am Ada' }, person)
  const { appeal_uid } = must(appeal)
  const body = { username: person.username, password: PASSWORD }
  must(await app.post('/api/v1/private/account/delete', body, person))
  const { items } = must(await app.get(APPEALS, operator))
  assert.ok(!items.some(({ uid }: { uid: string }) => uid === appeal_uid))
  const [row] = await app.sql`select text, user_uid from appeals where uid = ${appeal_uid}`
  assert.deepEqual({ ...row }, { text: '', user_uid: null })
})

test('two people who decide an appeal at once decide it once', async (t) => {
  const app = await startTakenDown(t, startShared)
  const { operator, appeal, settle, a, sql } = app
  const second = await a.verified()
  await sql`insert into moderators (user_uid) values (${second.uid})`
  const { appeal_uid } = must(await appeal())
  const answers = await Promise.all(
    [operator, second, operator].map((who) => settle(appeal_uid, 'reversed', who)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409, 409])
  const restored = await sql`
    select from moderation_actions where action = 'restore' and target_id = ${app.listing.uid}`
  assert.equal(restored.length, 1)
})

test('people appeal from their statements, and moderators decide in the console', async (t) => {
  const app = await startTakenDown(t)
  const { owner, operator, moderator, listing, statement_uid, get } = app
  const page = (path: string, who: Person) => get(path, { headers: browserHeaders(app, who) })
  const path = `/appeal/${statement_uid}`
  assert.ok((await page('/settings/moderation', owner)).body.includes(`href="${path}"`))
  assert.equal((await page(path, moderator)).status, 404)
  assert.match((await page(path, owner)).body, /<textarea/)
  const sent = await sendForm(app, path, { fields: { text: 'It is a game' }, who: owner })
  assert.equal(sent.status, 303)
  assert.match((await page('/settings/moderation', owner)).body, /It is a game/)
  const queue = await page('/operator/moderation/appeals', operator)
  const detail = /\/operator\/moderation\/appeals\/[\w-]{36}/.exec(queue.body)![0]
  assert.equal((await page(detail, owner)).status, 404)
  assert.match((await page(detail, operator)).body, /It is a game/)
  const fields = { outcome: 'reversed', reasons: 'Right' }
  const decide = (values: Record<string, string>, who: Person) =>
    sendForm(app, `${detail}/decision`, { fields: values, who })
  assert.equal((await decide({ ...fields, reasons: '' }, operator)).status, 422)
  const own = await decide(fields, moderator)
  assert.equal(own.status, 403)
  assert.match(own.body, /Somebody else must decide/)
  assert.equal((await decide(fields, operator)).status, 303)
  const decided = `/operator/moderation/decisions/${app.action_uid}#appeal`
  for (const late of [await decide(fields, operator), await page(detail, moderator)])
    assert.deepEqual([late.status, late.headers.location], [303, decided], 'somebody was faster')
  assert.equal((await get(`${PAGES}/${listing.uid}`)).status, 200)
  assert.match((await page('/settings/moderation', owner)).body, /The decision is reversed/)
})
