import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { insertDeadJob } from '../admin/dead-jobs.ts'
import { admin } from '../support/admin-run.ts'
import { eventually } from '../support/app.ts'
import { addCopy, must, refused } from '../support/builders.ts'
import { errorsOf } from '../web/browser.ts'
import { sharedConsole, startConsole } from './fixtures.ts'

const API = '/api/v1/private/operations'
const startShared = sharedConsole()
const today = () => new Date().toISOString().slice(0, 10)
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

test('the overview counts sign-ups, downloads, sign-ins and sessions of 30 days', async (t) => {
  const { operator, console, published, get, sql } = await startConsole(t)
  const listing = await published({ name: 'Lantern Harbour' })
  await sql`update users set created_at = now() - interval '40 days' where uid <> ${operator.uid}`
  const download = (at: Date, outcome: string) => sql`
    insert into download_attempts (game_uid, channel, source, access, client, outcome, at)
    values (${listing.uid}, 'stable', 'website', 'free', 'browser', ${outcome}, ${at})`
  const day = (offset: number) => new Date(Date.now() + offset * 86_400_000)
  await download(new Date(), 'ok')
  await download(new Date(), 'ok')
  await download(new Date(), 'payment_required')
  await download(day(-29), 'ok')
  await download(day(-30), 'ok')
  await sql`
    insert into security_events (uid, kind, actor, at)
    select gen_random_uuid(), kind, 'visitor', now() - days * interval '1 day'
    from (values ('sign_in', 0), ('sign_in_failed', 0), ('sign_in', 29), ('sign_in', 30))
      as rows (kind, days)`
  await sql`
    insert into event_days (build_uid, day, event, events)
    select gen_random_uuid(), (now() at time zone 'UTC')::date - days, event, 5
    from (values ('session_start', 0), ('session_start', 0), ('session_end', 0),
      ('session_start', 29), ('session_start', 30), ('session_start', -1)) as rows (event, days)`
  const data = must(await get(`${API}/overview`, operator))
  const first_day = day(-29).toISOString().slice(0, 10)
  assert.deepEqual(data.sign_ins, [
    { day: first_day, count: 1 },
    { day: today(), count: 1 },
  ])
  assert.deepEqual(data.play_sessions, [
    { day: first_day, count: 5 },
    { day: today(), count: 10 },
  ])
  assert.deepEqual(data.sign_ups, [{ day: today(), count: 1 }])
  assert.deepEqual(data.new_listings, [{ day: today(), count: 1 }])
  assert.deepEqual(data.downloads, [
    { day: first_day, count: 1 },
    { day: today(), count: 2 },
  ])
  assert.deepEqual([data.people, data.listings, data.dead_jobs], [2, 1, 0])
  assert.equal(data.storage.length, 1)
  assert.equal(data.storage[0].name, 'Lantern Harbour')
  assert.ok(data.storage[0].bytes > 0)
  assert.ok(Object.keys(data.checks).length > 2)
  const { body } = await console.open('/operator')
  assert.match(textOf(body), /2 accounts 1 public listing /)
  assert.match(body, /Sign-ups/)
  assert.match(body, /Lantern Harbour/)
  assert.match(textOf(body), /This store knows of no backup.*docs\/backup\.md/)
  assert.equal(body.match(/<figure class="chart">/g)?.length, 5)
})

test('the overview names dead jobs and failing checks, and jobs are retried', async (t) => {
  const { operator, console, get, sql, core, put } = await startConsole(t)
  const server = { smtp_url: 'smtp://127.0.0.1:9' }
  must(await put(`${API}/mail-server`, server, operator))
  await eventually('all checks to pass', async () =>
    /Everything works/.test((await console.open('/operator')).body),
  )
  assert.match((await console.open('/operator/jobs')).body, /No failed jobs/)
  await insertDeadJob(sql)
  await insertDeadJob(sql)
  core.checks.printer = () => Promise.reject(new Error('out of paper'))
  const overview = textOf((await console.open('/operator')).body)
  assert.match(overview, /2 jobs used up their attempts/)
  assert.match(overview, /The check printer of the service fails/)
  const jobs = (await console.open('/operator/jobs')).body
  assert.match(textOf(jobs), /accounts\.sweep it broke 13/)
  const id = jobs.match(/name="id" value="([0-9a-f-]{36})"/)![1]!
  const { body } = await console.submit('/operator/jobs/replay', { id })
  assert.match(body, /1 job is retried/)
  assert.equal(must(await get(`${API}/status`, operator)).dead_jobs.length, 1)
  assert.match(
    (await console.submit('/operator/jobs/replay', { id: 'all' })).body,
    /No failed jobs/,
  )
  const wrong = await console.send('/operator/jobs/replay', { id: 'wrong' })
  assert.equal(wrong.status, 400)
  assert.equal(errorsOf(wrong.body).length, 1)
})

test('operators find people by the beginning of a name or an address', async (t) => {
  const { a, operator, console, get } = await startConsole(t)
  const ada = await a.verifiedDeveloper({ username: 'Ada-Sails' })
  await a.listing({ owner: ada })
  const names = async (q: string) =>
    must(await get(`${API}/people?q=${encodeURIComponent(q)}`, operator)).items.map(
      ({ username }: { username: string }) => username,
    )
  assert.deepEqual(await names('ada-'), ['Ada-Sails'])
  assert.deepEqual(await names(ada.email.toUpperCase()), ['Ada-Sails'])
  assert.deepEqual(await names('sails'), [])
  for (const wildcard of ['%', '_', '\\']) assert.deepEqual(await names(wildcard), [], wildcard)
  assert.deepEqual(await names(''), ['Ada-Sails', operator.username])
  const { items } = must(await get(`${API}/people?q=ada`, operator))
  const { listings, sessions, developer, email_verified } = items[0]
  assert.deepEqual([listings, sessions, developer, email_verified], [1, 1, true, true])
  const list = await console.open('/operator/people?q=ada')
  assert.match(list.body, new RegExp(`href="/operator/people/${ada.uid}">Ada-Sails<`))
  const page = await console.open(`/operator/people/${ada.uid}`)
  assert.match(textOf(page.body), new RegExp(ada.email))
  assert.match(page.body, /id="listings"/)
  assert.match((await console.open('/operator/people?q=nobody')).body, /Nobody was found/)
  assert.equal((await console.open(`/operator/people/${randomUUID()}`)).status, 404)
  assert.deepEqual(refused(await get(`${API}/people/${randomUUID()}`, operator)), [404, 4040])
})

test('operators verify an address and give the role to others, which is recorded', async (t) => {
  const { a, operator, console, get, put, post, del, sql } = await startShared(t)
  const person = await a.user()
  const url = `${API}/people/${person.uid}`
  assert.deepEqual(refused(await put(`${url}/operator`, undefined, operator)), [403, 4096])
  const page = `/operator/people/${person.uid}`
  const answer = await console.send(`${page}/operator/add`)
  assert.match(errorsOf(answer.body).join(), /Verify the address of this person first/)
  assert.match((await console.submit(`${page}/verify`)).body, /The address is verified/)
  must(await post(`${url}/verify`, undefined, operator))
  assert.match((await console.submit(`${page}/operator/add`)).body, /is an operator now/)
  must(await put(`${url}/operator`, undefined, operator))
  assert.equal(must(await get(`${API}/people/${person.uid}`, person)).operator, true)
  must(await del(`${url}/operator`, operator))
  must(await del(`${url}/operator`, operator))
  assert.deepEqual(refused(await get(url, person)), [403, 4030])
  const entries = await sql`
    select action, user_uid, detail
    from audit_entries
    where action like 'operator.%' and detail->>'person' = ${person.uid}
    order by uid`
  assert.deepEqual(
    entries.map(({ action, user_uid, detail }) => [action, user_uid, detail.person]),
    ['verify-person', 'make-operator', 'remove-operator'].map((action) => [
      `operator.${action}`,
      operator.uid,
      person.uid,
    ]),
  )
})

test('the last operator keeps the role, also if two remove each other at once', async (t) => {
  const { a, operator, console, put, del, sql } = await startShared(t)
  const own = `${API}/people/${operator.uid}/operator`
  assert.deepEqual(refused(await del(own, operator)), [409, 4090])
  const refusal = await console.send(`/operator/people/${operator.uid}/operator/remove`)
  assert.match(errorsOf(refusal.body).join(), /This is the last operator/)
  const other = await a.verified()
  must(await put(`${API}/people/${other.uid}/operator`, undefined, operator))
  const answers = await Promise.all([
    del(own, other),
    del(`${API}/people/${other.uid}/operator`, operator),
  ])
  assert.ok(answers.some(({ status }) => status === 200))
  assert.ok(answers.every(({ status }) => [200, 403, 409].includes(status)))
  assert.equal((await sql`select from operators`).length, 1)
})

test('who gives up the role is led to the home page', async (t) => {
  const { a, operator, console, sql } = await startShared(t)
  const other = await a.verified()
  await sql`insert into operators (user_uid) values (${other.uid})`
  const answer = await console.send(`/operator/people/${operator.uid}/operator/remove`)
  assert.deepEqual([answer.status, answer.headers.location], [303, '/'])
  assert.equal((await console.open('/operator')).status, 404)
})

test('operators see listings of any state with the result of their check', async (t) => {
  const { a, operator, console, published, get, del, sql } = await startConsole(t)
  const owner = await a.verifiedDeveloper({ username: 'harbor-master' })
  const listing = await published({ owner, name: 'Lantern Harbour' })
  await a.listing({ owner, name: 'Tide Draft' })
  const gone = await published({ owner, name: 'Sunken Boat' })
  // A listing with players can be restored.
  await addCopy(sql, gone.uid, (await a.verified()).uid, 'grant')
  must(await del(`/api/v1/private/games/${gone.uid}`, owner))
  const list = async (query: string) =>
    must(await get(`${API}/listings?${query}`, operator)).items as {
      name: string
      check: { ready: boolean; errors: { id: string }[] } | null
      deleted_at: string | null
    }[]
  const names = async (query: string) => (await list(query)).map(({ name }) => name)
  assert.deepEqual(await names(''), ['Sunken Boat', 'Tide Draft', 'Lantern Harbour'])
  assert.deepEqual(await names('q=harbor-m'), ['Sunken Boat', 'Tide Draft', 'Lantern Harbour'])
  assert.deepEqual(await names('q=lantern'), ['Lantern Harbour'])
  assert.deepEqual(await names('state=draft'), ['Tide Draft'])
  assert.deepEqual(await names('state=deleted'), ['Sunken Boat'])
  assert.deepEqual(await names('page_size=1&page=2'), ['Tide Draft'])
  assert.deepEqual(await names(`owner_uid=${operator.uid}`), [])
  const [deleted, draft, ready] = await list('')
  assert.equal(deleted!.check, null)
  assert.ok(deleted!.deleted_at)
  assert.equal(draft!.check!.ready, false)
  assert.ok(draft!.check!.errors.length > 3)
  assert.deepEqual(ready!.check, { ready: true, errors: [] })
  const { body } = await console.open('/operator/listings')
  assert.match(body, new RegExp(`href="${listing.path}"`))
  assert.match(textOf(body), /Tide Draft harbor-master Draft \d+ issues/)
  assert.match(body, /Sunken Boat/)
  const deleted_only = await console.open('/operator/listings?state=deleted&page=x')
  assert.doesNotMatch(deleted_only.body, /Tide Draft/)
  assert.match((await console.open('/operator/listings?q=nothing')).body, /No listing was found/)

  await sql`update all_listings set taken_down_at = now() where uid = ${listing.uid}`
  assert.deepEqual(await names('state=public'), [])
  assert.deepEqual(await names('state=taken_down'), ['Lantern Harbour'])
  const moderated = (await console.open('/operator/listings?state=taken_down')).body
  assert.doesNotMatch(moderated, new RegExp(`href="${listing.path}"`))
  assert.match(moderated, new RegExp(`href="/operator/moderation/listing/${listing.uid}"`))
  assert.match(textOf(moderated), /Lantern Harbour harbor-master Taken down/)
  assert.equal((await console.open(`/operator/moderation/listing/${listing.uid}`)).status, 200)
  await sql`
    update all_listings set taken_down_at = null, hidden_at = now() where uid = ${listing.uid}`
  assert.deepEqual(await names('state=hidden'), ['Lantern Harbour'])
  assert.deepEqual(await names('state=taken_down'), [])
})

test('the command line shows and changes settings by the same rules', async (t) => {
  const { operator, get, settings } = await startConsole(t, { EDITIONS_MAX: '4' })
  const run = (...args: string[]) => admin(settings, 'settings', ...args)
  const all = await run()
  assert.match(all.stdout, /^store_name +Slipway$/m)
  assert.match(all.stdout, /^editions_max +4 {2}\(fixed by EDITIONS_MAX\)$/m)
  assert.equal((await run('store_name', 'Harbor')).stdout, 'store_name is Harbor now')
  assert.equal((await run('store_name')).stdout, 'Harbor')
  assert.equal((await run('powered_by', 'off')).stdout, 'powered_by is false now')
  const stored = async () => must(await get(`${API}/settings`, operator))
  await eventually('the name', async () => (await stored()).settings.store_name === 'Harbor')
  assert.equal((await stored()).changes[0].username, null)
  assert.equal((await run('store_name', '--default')).stdout, 'store_name is Slipway now')
  for (const [args, problem] of [
    [['color'], /There is no setting color/],
    [['powered_by', 'yes'], /powered_by must be one of on, off/],
    [['min_price_cents', '60000'], /max_price_cents: must be at least/],
    [['accent_color', '#ffd400'], /contrast/],
    [['editions_max', '3'], /EDITIONS_MAX is set in the environment/],
    [['store_name', 'a', 'b'], /npm run admin -- settings/],
  ] as const) {
    const { stderr, code } = await run(...args)
    assert.match(stderr, problem, args.join(' '))
    assert.notEqual(code, 0)
  }
})
