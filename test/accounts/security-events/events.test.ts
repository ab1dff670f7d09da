import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweep } from '../../../src/accounts/jobs.ts'
import { OPERATIONS, startConsole } from '../../operator/fixtures.ts'
import { runJob } from '../../support/app.ts'
import { addAdmin, must, PASSWORD, refused } from '../../support/builders.ts'
import { ACCOUNT } from '../second-factor/fixtures.ts'

const OWN = `${ACCOUNT}/security-events`
const ALL = `${OPERATIONS}/security-events`

const kindsOf = ({ items }: { items: { kind: string }[] }) => items.map(({ kind }) => kind)

test('people see their own security events, owners those of their listing', async (t) => {
  const { a, post, get, del, put, sql, operator, signedIn } = await startConsole(t)
  const person = await a.verified()
  const confirm = (password: string) => post(`${ACCOUNT}/confirm-password`, { password }, person)
  await confirm('wrong')
  must(await confirm(PASSWORD))
  const own = must(await get(OWN, person))
  assert.deepEqual(kindsOf(own), ['step_up', 'step_up_failed'])
  assert.deepEqual([own.total, own.page, own.page_size], [2, 1, 20])
  assert.equal(own.items[0].network, '127.0.0.0/24')
  assert.equal(own.items[0].actor_name, person.username)
  const second = must(await get(`${OWN}?page=2&page_size=1`, person))
  assert.deepEqual(kindsOf(second), ['step_up_failed'])

  // What an operator did is listed without the operator and without where they were.
  must(await put(`${OPERATIONS}/people/${person.uid}/operator`, undefined, operator))
  const [made] = must(await get(OWN, person)).items
  assert.deepEqual(
    [made.kind, made.username, made.actor, made.actor_name, made.network, made.request_id],
    ['operator_added', person.username, 'session', null, null, null],
  )
  must(await del(`${OPERATIONS}/people/${person.uid}/operator`, operator))
  const { tables } = must(await post(`${ACCOUNT}/export`, { password: PASSWORD }, person))
  assert.deepEqual(
    tables.security_events.map((row: object) => ['kind' in row && row.kind, 'network' in row]),
    [
      ['step_up_failed', true],
      ['step_up', true],
      ['operator_added', false],
      ['operator_removed', false],
      ['account_exported', true],
    ],
  )
  assert.ok(!JSON.stringify(tables).includes(operator.uid))

  const listing = await a.listing()
  const admin = await a.developer()
  const LISTING = `/api/v1/private/games/${listing.uid}/security-events`
  await addAdmin(sql, listing.uid, admin.uid)
  await a.deployer({ ...listing, owner: admin })
  const events = must(await get(LISTING, listing.owner))
  assert.deepEqual(kindsOf(events), ['deploy_key_created'])
  assert.deepEqual([events.items[0].actor_name, events.items[0].network], [admin.username, null])
  assert.deepEqual(refused(await get(LISTING, admin)), [403, 4034])
  assert.equal((await get(LISTING, person)).status, 404)
  assert.equal((await get(LISTING)).status, 401)

  const page = await signedIn(person).open('/account/security/events')
  assert.match(page.body, /Confirmed that it is you/)
  assert.doesNotMatch(page.body, new RegExp(operator.username))
  const project = `/dashboard/${listing.vanity_name}/people`
  assert.match((await signedIn(listing.owner).open(project)).body, /people\/events/)
  assert.match((await signedIn(listing.owner).open(`${project}/events`)).body, /Deploy key created/)
  assert.doesNotMatch((await signedIn(admin).open(project)).body, /people\/events/)
  assert.equal((await signedIn(admin).open(`${project}/events`)).status, 403)
})

test('operators see all events and filter them; nobody changes them', async (t) => {
  const app = await startConsole(t)
  const { a, post, get, sql, operator, console: store } = app
  const person = await a.verified()
  await post(`${ACCOUNT}/login`, { login: 'nobody-at-all', password: 'wrong' })
  await post(`${ACCOUNT}/login`, { login: person.username, password: 'wrong' })
  must(await post(`${ACCOUNT}/login`, { login: person.username, password: PASSWORD }))
  const list = async (query = '') => must(await get(`${ALL}?${query}`, operator))
  assert.deepEqual(kindsOf(await list()), ['sign_in', 'sign_in_failed', 'sign_in_failed'])
  const failed = await list('kind=sign_in_failed')
  assert.deepEqual(
    failed.items.map(({ username }: { username: string }) => username),
    [person.username, null],
  )
  assert.deepEqual(kindsOf(await list(`user_uid=${person.uid}`)), ['sign_in', 'sign_in_failed'])
  await sql`
    insert into security_events (uid, at, kind, actor)
    values (gen_random_uuid(), '2026-03-04T23:59:59Z', 'sign_in', 'visitor'),
      (gen_random_uuid(), '2026-03-05T00:00:00Z', 'step_up', 'visitor')`
  assert.deepEqual(kindsOf(await list('from=2026-03-04&to=2026-03-04')), ['sign_in'])
  assert.deepEqual(kindsOf(await list('from=2026-03-05&to=2026-03-05')), ['step_up'])
  assert.deepEqual(kindsOf(await list('to=2026-03-05')), ['step_up', 'sign_in'])
  assert.equal((await get(`${ALL}?from=yesterday`, operator)).status, 400)
  assert.equal((await get(ALL, person)).status, 403)
  assert.equal((await post(ALL, {}, operator)).status, 405)

  const page = await store.open('/operator/security-events?kind=sign_in_failed&from=&to=')
  assert.match(page.body, /Sign-in failed/)
  assert.match(page.body, new RegExp(person.username))
  assert.equal(
    (await store.open('/operator/security-events?kind=x&from=y&to=z&page=q')).status,
    200,
  )
  const person_page = await store.open(`/operator/people/${person.uid}`)
  assert.match(person_page.body, /127\.0\.0\.0\/24/)

  await assert.rejects(sql`delete from security_events`, /cannot be changed/)
  await assert.rejects(sql`update security_events set kind = 'sign_in'`, /cannot be changed/)
  await assert.rejects(
    sql`update security_events set user_uid = ${operator.uid}`,
    /cannot be changed/,
  )
})

test('security events are kept as long as the setting says', async (t) => {
  const app = await startConsole(t)
  const { sql, set, core } = app
  const add = (age: string) => sql`
    insert into security_events (uid, at, kind, actor)
    values (gen_random_uuid(), now() - ${age}::interval, 'sign_in', 'visitor')`
  const count = async () => (await sql`select from security_events where kind = 'sign_in'`).length
  await add('364 days')
  await add('366 days')
  await runJob(app, sweep)
  assert.equal(await count(), 1)
  await set({ security_event_days: 300 })
  assert.equal(core.settings.current.security_event_days, 300)
  await runJob(app, sweep)
  assert.equal(await count(), 0)
})
