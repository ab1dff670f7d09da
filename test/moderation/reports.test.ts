import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { forgetReporters, mailTeam } from '../../src/moderation/reports/jobs.ts'
import { eventually, outbox, runJob, startApp } from '../support/app.ts'
import { addCopy, makePublic, must, newAddress, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { ACTIONS, browserHeaders, decision, moderationTeam, sendForm } from './fixtures.ts'

const REPORTS = '/api/v1/public/reports'
const QUEUE = '/api/v1/private/moderation/queue'
const TARGETS = '/api/v1/private/moderation/targets'
const PROXY = { PROXY_HOPS: '1' }

const report = (target_type: string, target_id: string, more = {}) => ({
  target_type,
  target_id,
  kind: 'spam',
  text: 'The page sells pills',
  good_faith: true,
  ...more,
})

type Snapshot = { snapshot: { name: string; values: string[] }[] }
const snapshotOf = ({ snapshot }: Snapshot): Record<string, string[]> =>
  Object.fromEntries(snapshot.map(({ name, values }) => [name, values]))

const startShared = sharedInFile((t) => startApp(t, PROXY))

/** A listing to report, in a service of its own if settings are given. */
async function startReported(t: TestContext, env?: object) {
  const app = await (env ? startApp(t, { ...PROXY, ...env }) : startShared(t))
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Pill Harbor' })
  await makePublic(app.sql, listing.uid)
  const send = (body: object, who: { token?: string } = {}, headers = newAddress()) =>
    app.post(REPORTS, body, { ...who, headers })
  return { ...app, owner, listing, send }
}

test('anyone reports, signed out too, and reads the state with the token only', async (t) => {
  const app = await startReported(t)
  const { listing, send, get } = app
  const { decide } = await moderationTeam(app)
  const answer = await send(report('listing', listing.uid, { contact_email: 'eve@example.com' }))
  assert.equal(answer.status, 201)
  const { report_id, token } = answer.body.data
  const read = (id: string, secret: string) => get(`${REPORTS}/${id}?token=${secret}`)
  assert.deepEqual(refused(await read(report_id, '')), [404, 4040])
  assert.deepEqual(refused(await read(report_id, `${token}x`)), [404, 4040])
  assert.deepEqual(refused(await read(randomUUID(), token)), [404, 4040])
  const { created_at, ...state } = must(await read(report_id, token))
  assert.deepEqual(state, {
    report_id,
    target_type: 'listing',
    kind: 'spam',
    state: 'open',
    outcome: null,
    decided_at: null,
  })
  const mails = () => outbox(app.data_dir).filter(({ to }) => to === 'eve@example.com')
  const receipt = await eventually('the receipt', () => mails()[0])
  assert.ok(receipt.text.includes(`/report/${report_id}?token=${token}`))
  await decide('listing', listing.uid, 'take_down')
  const decided = must(await read(report_id, token))
  assert.deepEqual([decided.state, decided.outcome], ['decided', 'action_taken'])
  await eventually('the mail of the decision', () => mails().length === 2)
})

test('a dismissed report is decided without an action, and the publisher is not told', async (t) => {
  const app = await startReported(t)
  const { listing, owner, send, get } = app
  const { decide } = await moderationTeam(app)
  const reporter = await app.a.verified()
  const { report_id, token } = must(await send(report('listing', listing.uid), reporter))
  await decide('listing', listing.uid, 'dismiss')
  const { outcome } = must(await get(`${REPORTS}/${report_id}?token=${token}`))
  assert.equal(outcome, 'no_action')
  assert.deepEqual(must(await get('/api/v1/private/moderation/statements', owner)).items, [])
  await eventually(
    'both mails to the account',
    () => outbox(app.data_dir).filter(({ to }) => to === reporter.email).length === 2,
  )
})

test('reports about a deleted target can be dismissed', async (t) => {
  const app = await startReported(t)
  const { listing } = app
  const { moderator } = await moderationTeam(app)
  must(await app.send(report('listing', listing.uid, { contact_email: 'mallory@example.com' })))
  await app.sql`delete from all_listings where uid = ${listing.uid}`
  const target = `${TARGETS}/listing/${listing.uid}`
  assert.deepEqual(must(await app.get(target, moderator)).actions, ['dismiss'])
  const send = (action: string) =>
    app.post(ACTIONS, decision('listing', listing.uid, action), moderator)
  assert.deepEqual(refused(await send('take_down')), [404, 4040])
  must(await send('dismiss'))
  const [open] = await app.sql`
    select count(*)::int as n
    from reports
    where decided_at is null and target_id = ${listing.uid}`
  assert.equal(open!.n, 0)
  await eventually('the mail of the decision', () => {
    return outbox(app.data_dir).filter(({ to }) => to === 'mallory@example.com').length === 2
  })
  assert.deepEqual(refused(await send('dismiss')), [404, 4040], 'nothing is open')
})

test('a reporter has one open report about a target, even when requests race', async (t) => {
  const app = await startReported(t)
  const { listing, send } = app
  const { decide } = await moderationTeam(app)
  const reporter = await app.a.verified()
  const body = report('listing', listing.uid)
  const answers = await Promise.all([1, 2, 3].map(() => send(body, reporter)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  assert.deepEqual(
    refused(await send(report('listing', listing.vanity_name), reporter)),
    [409, 4281],
  )
  const address = newAddress()
  assert.equal((await send(body, {}, address)).status, 201)
  assert.deepEqual(refused(await send(body, {}, address)), [409, 4281])
  assert.equal((await send(body, {}, newAddress())).status, 201)
  assert.equal((await send(body, await app.a.verified())).status, 201)
  await decide('listing', listing.uid, 'dismiss')
  assert.equal((await send(body, reporter)).status, 201, 'after the decision')
})

test('signed-out people have one open report per network and per mail address', async (t) => {
  const app = await startReported(t)
  const { listing, send, sql } = app
  const { decide } = await moderationTeam(app)
  const body = (contact_email?: string) => report('listing', listing.uid, { contact_email })
  const network = newAddress()
  const answers = await Promise.all(
    ['a@example.com', 'b@example.com', undefined].map((mail) => send(body(mail), {}, network)),
  )
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409])
  assert.deepEqual(refused(await send(body('c@example.com'), {}, network)), [409, 4281])
  assert.equal((await send(body('d@example.com'), {}, newAddress())).status, 201)
  assert.deepEqual(refused(await send(body('D@example.com'), {}, newAddress())), [409, 4281])
  // People who are signed in are told apart by their account, also in one network.
  for (const person of [await app.a.verified(), await app.a.verified()])
    assert.equal((await send(body(), person, network)).status, 201)
  await decide('listing', listing.uid, 'dismiss')
  const networks = await sql`
    select from reports where network_hash is not null and target_id = ${listing.uid}`
  assert.deepEqual([...networks], [])
  assert.equal((await send(body('e@example.com'), {}, network)).status, 201)
})

test('an address reports five times an hour, and an account twenty times a day', async (t) => {
  const app = await startReported(t)
  const { send, owner } = app
  const listings: string[] = []
  for (let i = 0; i < 21; i++) {
    const { uid } = await app.a.listing({ owner })
    await makePublic(app.sql, uid)
    listings.push(uid)
  }
  const address = newAddress()
  const wrong = report('listing', listings[0]!, { text: ' ' })
  for (let i = 0; i < 6; i++) assert.deepEqual(refused(await send(wrong, {}, address)), [400, 4000])
  for (const uid of listings.slice(0, 5))
    assert.equal((await send(report('listing', uid), {}, address)).status, 201)
  assert.deepEqual(refused(await send(report('listing', listings[5]!), {}, address)), [429, 4290])
  const reporter = await app.a.verified()
  for (const uid of listings.slice(0, 20))
    assert.equal((await send(report('listing', uid), reporter)).status, 201)
  assert.deepEqual(refused(await send(report('listing', listings[20]!), reporter)), [429, 4290])
})

test('a report is refused unless it is complete', async (t) => {
  const app = await startReported(t)
  const { listing, send } = app
  const copyright = { work: 'The song', holder: 'Ada', signature: 'Ada L.' }
  const contact_email = 'ada@example.com'
  for (const wrong of [
    { good_faith: false },
    { good_faith: undefined },
    { text: '' },
    { text: 'x'.repeat(4001) },
    { kind: 'boring' },
    { kind: undefined },
    { contact_email: 'nowhere' },
    { urls: ['javascript:alert(1)'] },
    { urls: Array.from({ length: 6 }, (_, i) => `https://example.com/${i}`) },
    { target_type: 'build' },
    { kind: 'copyright', contact_email },
    { kind: 'copyright', copyright },
    { kind: 'copyright', contact_email, copyright: { ...copyright, signature: ' ' } },
  ])
    assert.deepEqual(
      refused(await send(report('listing', listing.uid, wrong))),
      [400, 4000],
      JSON.stringify(wrong),
    )
  const unreachable = await send(report('listing', listing.uid, { contact_email: 'nowhere' }))
  assert.match(unreachable.body.error.message, /^body\.contact_email: this is not an email/)
  for (const right of [
    { text: 'x'.repeat(4000) },
    { urls: Array.from({ length: 5 }, (_, i) => `https://example.com/${i}`) },
    { kind: 'copyright', contact_email, copyright },
  ])
    assert.equal(
      (await send(report('listing', listing.uid, right))).status,
      201,
      JSON.stringify(right),
    )
})

test('what a reporter cannot see is reported like a missing one', async (t) => {
  const app = await startReported(t)
  const { listing, owner, send, sql } = app
  const { decide } = await moderationTeam(app)
  const draft = await app.a.listing({ owner })
  const { file_uid } = await app.a.cleanBuild(listing)
  const { file_uid: draft_file } = await app.a.cleanBuild(draft)
  const hidden_person = await app.a.verified()
  const stranger = await app.a.verified()
  const missing = await send(report('listing', randomUUID()), stranger)
  assert.deepEqual(refused(missing), [404, 4040])
  for (const [type, id] of [
    ['listing', draft.uid],
    ['listing', draft.vanity_name],
    ['file', draft_file],
    ['file', randomUUID()],
    ['review', randomUUID()],
    ['community_tag', `${listing.uid}:cozy`],
    ['community_tag', 'cozy'],
    ['bug_message', randomUUID()],
    ['person', hidden_person.username],
    ['person', 'nobody-here'],
  ] as const)
    assert.deepEqual(await send(report(type, id), stranger), missing, `${type} ${id}`)
  for (const [type, id] of [
    ['file', file_uid],
    ['person', owner.username],
  ] as const)
    assert.equal((await send(report(type, id), stranger)).status, 201, type)
  await decide('listing', listing.uid, 'take_down')
  assert.deepEqual(await send(report('file', file_uid), await app.a.verified()), missing)
  const stored = await sql`select from reports where user_uid = ${stranger.uid}`
  assert.equal(stored.length, 2)
})

test('moderators see the target as it was, without addresses, and take it', async (t) => {
  const app = await startReported(t, {})
  const { listing, owner, send, get, put, sql } = app
  const { moderator, operator, decide } = await moderationTeam(app)
  await app.a.images(listing)
  const reporter = await app.a.verified()
  const secret = { contact_email: 'secret@example.com' }
  must(await send(report('listing', listing.uid, secret), reporter))
  must(await send(report('listing', listing.uid, { kind: 'hate' })))
  await sql`update listings set name = 'Innocent Harbor' where uid = ${listing.uid}`
  await sql`delete from listing_images where game_uid = ${listing.uid}`
  const { items } = must(await get(QUEUE, moderator))
  assert.deepEqual(
    items.map(({ target_id, reports, kinds, assigned_to }: any) => [
      target_id,
      reports,
      kinds,
      assigned_to,
    ]),
    [[listing.uid, 2, ['hate', 'spam'], null]],
  )
  const path = `${TARGETS}/listing/${listing.uid}`
  must(await put(`${path}/assignment`, { to_me: true }, moderator))
  const target = must(await get(path, moderator))
  assert.equal(target.assigned_to, moderator.username)
  assert.deepEqual(snapshotOf(target.reports[0]).name, ['Pill Harbor'])
  assert.ok(target.reports[0].images.length > 0)
  assert.deepEqual(target.subject, { username: owner.username, warnings: 0, restrictions: 0 })
  const text = JSON.stringify(target)
  for (const address of ['secret@example.com', reporter.email, owner.email])
    assert.ok(!text.includes(address), address)
  const image = await get(`/operator/moderation/images/${target.reports[0].images[0]}`, {
    headers: { cookie: `svc_session=${moderator.token}` },
  })
  assert.equal(image.status, 200)
  must(await put(`${path}/assignment`, { to_me: false }, operator))
  assert.equal(must(await get(path, moderator)).assigned_to, null)
  await decide('listing', listing.uid, 'warn')
  assert.deepEqual(must(await get(QUEUE, moderator)).items, [])
  const after = must(await get(path, moderator))
  assert.deepEqual(after.subject, { username: owner.username, warnings: 1, restrictions: 0 })
  const second = await app.a.listing({ owner })
  await makePublic(sql, second.uid)
  must(await send(report('listing', second.uid), reporter))
  const { reports } = must(await get(`${TARGETS}/listing/${second.uid}`, moderator))
  assert.deepEqual([reports[0].reporter_reports, reports[0].reporter_upheld], [1, 1])
})

test('moderators do not see drafts that nobody reported', async (t) => {
  const app = await startReported(t)
  const { moderator } = await moderationTeam(app)
  const draft = await app.a.listing()
  for (const id of [draft.uid, draft.vanity_name])
    assert.deepEqual(refused(await app.get(`${TARGETS}/listing/${id}`, moderator)), [404, 4040])
  must(await app.get(`${TARGETS}/listing/${app.listing.uid}`, moderator))
  for (const person of [await app.a.verified(), app.owner])
    for (const path of [QUEUE, `${TARGETS}/listing/${app.listing.uid}`])
      assert.deepEqual(refused(await app.get(path, person)), [403, 4030])
})

test('the form of a report works without script, and says where the report is', async (t) => {
  const app = await startReported(t)
  const { listing, owner, get, call } = app
  const path = `/report?type=listing&id=${listing.uid}`
  const page = await get(`/${owner.username}/${listing.vanity_name}`)
  assert.ok(page.body.includes(path.replace('&', '&amp;')), 'the page links to the form')
  const form = await get(path)
  assert.equal(form.status, 200)
  assert.match(form.body, /Listing “Pill Harbor”/)
  assert.equal((await get('/report?type=listing&id=no-such-listing')).status, 404)
  const send = (fields: Record<string, string>) =>
    call('POST', '/report', {
      raw: String(new URLSearchParams({ type: 'listing', id: listing.uid, ...fields })),
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        origin: app.url,
        accept: 'text/html',
        ...newAddress(),
      },
    })
  const incomplete = await send({ kind: 'spam', text: 'Pills' })
  assert.equal(incomplete.status, 400)
  assert.match(incomplete.body, /Pills<\/textarea>/)
  assert.match(incomplete.body, /Listing “Pill Harbor”/)
  const sent = await send({ kind: 'spam', text: 'Pills', good_faith: 'yes' })
  assert.equal(sent.status, 303)
  const state = await get(sent.headers.location!)
  assert.equal(state.status, 200)
  assert.match(state.body, /We received your report/)
})

test('moderators decide in the console, which does not exist for others', async (t) => {
  const app = await startReported(t)
  const { listing, owner, send, get, call } = app
  const { moderator } = await moderationTeam(app)
  must(await send(report('listing', listing.uid)))
  const cookie = (who: { token: string }) => ({
    headers: { cookie: `svc_session=${who.token}`, accept: 'text/html', origin: app.url },
  })
  const path = `/operator/moderation/listing/${listing.uid}`
  for (const page of ['/operator/moderation', path])
    assert.equal((await get(page, cookie(owner))).status, 404)
  assert.match((await get('/operator/moderation', cookie(moderator))).body, /Pill Harbor/)
  const page = await get(path, cookie(moderator))
  assert.match(page.body, /The page sells pills/)
  assert.doesNotMatch(page.body, /\/operator\/settings/, 'only what moderators may open')
  const decideBy = (fields: Record<string, string>) =>
    call('POST', `${path}/decision`, {
      raw: String(new URLSearchParams(fields)),
      headers: {
        ...cookie(moderator).headers,
        'content-type': 'application/x-www-form-urlencoded',
      },
    })
  const refusal = await decideBy({ action: 'take_down', ground: '', facts: 'Pills' })
  assert.equal(refusal.status, 422)
  const stored = await decideBy({ action: 'take_down', ground: 'rule-spam', facts: 'Pills' })
  assert.equal(stored.status, 303)
  assert.equal((await get(`/api/v1/public/games/${listing.uid}`)).status, 404)
})

test('labels and translations that are edited after a report stay for moderators', async (t) => {
  const app = await startReported(t)
  const { listing, send, get, sql } = app
  const { moderator } = await moderationTeam(app)
  const edit = (values: Record<string, unknown>) =>
    sql`update listings set ${sql(values as never)} where uid = ${listing.uid}`
  await edit({
    translations: { de: { tagline: 'Pillen', description: 'Billig\nund gut' } },
    content_warnings: ['gore', 'gambling'],
    authorship: 'human',
    authorship_credit: 'Drawn by hand',
    ai_uses: ['art'],
    license_kind: 'cc0',
    demo_url: 'https://video.example/pills',
  })
  must(await send(report('listing', listing.uid, { kind: 'false-label' })))
  await edit({ translations: {}, content_warnings: [], authorship: null, ai_uses: [] })
  const { reports } = must(await get(`${TARGETS}/listing/${listing.uid}`, moderator))
  assert.partialDeepStrictEqual(snapshotOf(reports[0]), {
    translations: ['de\nPillen\nBillig\nund gut'],
    content_warnings: ['gore', 'gambling'],
    authorship: ['human'],
    authorship_credit: ['Drawn by hand'],
    ai_uses: ['art'],
    license_kind: ['cc0'],
    demo_url: ['https://video.example/pills'],
  })
  const headers = browserHeaders(app, moderator)
  const page = (await get(`/operator/moderation/listing/${listing.uid}`, { headers })).body
  for (const text of ['Content warnings', 'Made by people', 'Drawn by hand', 'Billig', 'CC0'])
    assert.ok(page.includes(text), text)
})

test('a review that was reported keeps its text for moderators', async (t) => {
  const app = await startReported(t)
  const { listing, send, put, get, sql } = app
  const { moderator } = await moderationTeam(app)
  const player = await app.a.verified()
  await addCopy(sql, listing.uid, player.uid, 'grant')
  const path = `/api/v1/private/games/${listing.uid}/review`
  const { uid } = must(await put(path, { enjoyed: true, quality: 5, text: 'Pills' }, player))
  must(await send(report('review', uid)))
  must(await put(path, { enjoyed: true, quality: 5, text: 'Nice game' }, player))
  const { reports } = must(await get(`${TARGETS}/review/${uid}`, moderator))
  assert.deepEqual(snapshotOf(reports[0]).text, ['Pills'])
  const body = decision('review', uid, 'remove')
  assert.equal((await app.post(ACTIONS, body, moderator)).status, 201)
})

test('community tags and bug messages link to the form, which takes them without script', async (t) => {
  const app = await startReported(t)
  const { listing, owner, sql } = app
  for (let i = 0; i < 3; i++) {
    const player = await app.a.user()
    await addCopy(sql, listing.uid, player.uid, 'free')
    await sql`
      insert into tag_suggestions (game_uid, user_uid, tag)
      values (${listing.uid}, ${player.uid}, 'pills')`
  }
  const player = await app.a.verified()
  await addCopy(sql, listing.uid, player.uid, 'free')
  const bugs = `/api/v1/private/games/${listing.uid}/bug-reports`
  const { bug_uid } = must(await app.post(bugs, { message: 'Buy my pills' }, player))
  const tag_path = `/report?type=community_tag&id=${listing.uid}%3Apills`
  const bug_path = `/report?type=bug_message&id=${bug_uid}`
  const linked = async (path: string, link: string, who?: { token: string }) => {
    const page = await app.get(path, { headers: browserHeaders(app, who) })
    assert.ok(page.body.includes(`href="${link.replace('&', '&amp;')}"`), link)
  }
  await linked(`/${owner.username}/${listing.vanity_name}`, tag_path)
  await linked(`/dashboard/${listing.uid}/bugs/${bug_uid}`, bug_path, owner)
  for (const [link, who] of [
    [tag_path, player],
    [bug_path, owner],
  ] as const) {
    const { searchParams } = new URL(link, app.url)
    const fields = { ...Object.fromEntries(searchParams), kind: 'spam', text: 'Pills' }
    const sent = await sendForm(app, '/report', { fields: { ...fields, good_faith: 'yes' }, who })
    assert.equal(sent.status, 303, link)
  }
  const rows = await sql`
    select target_type from reports where game_uid = ${listing.uid} order by target_type`
  assert.deepEqual(
    rows.map(({ target_type }) => target_type),
    ['bug_message', 'community_tag'],
  )
})

test('the address of a reporter is forgotten 180 days after the decision', async (t) => {
  const app = await startReported(t, {})
  const { listing, owner, send, sql } = app
  const { decide } = await moderationTeam(app)
  must(await send(report('listing', listing.uid, { contact_email: 'old@example.com' })))
  await decide('listing', listing.uid, 'warn')
  must(await send(report('person', owner.uid, { contact_email: 'open@example.com' })))
  await sql`update reports set created_at = now() - interval '2 years'`
  const addresses = async (age: string) => {
    await sql`
      update reports set decided_at = now() - ${age}::interval where decided_at is not null`
    await runJob(app, forgetReporters)
    const rows = await sql`select contact_email from reports order by uid`
    return rows.map(({ contact_email }) => contact_email)
  }
  assert.deepEqual(await addresses('179 days'), ['old@example.com', 'open@example.com'])
  assert.deepEqual(await addresses('181 days'), [null, 'open@example.com'])
})

test('the team gets one mail about all new reports of ten minutes', async (t) => {
  const to = 'team@harbor.example'
  const app = await startReported(t, { REPORTS_EMAIL: to, STORE_NAME: 'Harbor' })
  const { listing, owner, send, sql } = app
  const mails = () => outbox(app.data_dir).filter((mail) => mail.to === to)
  must(await send(report('listing', listing.uid)))
  const [first] = await eventually('the first mail', () => mails().length > 0 && mails())
  assert.equal(first!.subject, 'A new report in Harbor')
  assert.match(first!.text, /Listing “Pill Harbor”: Spam or deception\n/)
  assert.match(first!.text, /\/operator\/moderation\n/)
  await eventually(
    'the end of the job',
    async () => !(await sql`select from reports where announced_at is null`).length,
  )

  must(await send(report('listing', listing.uid, { kind: 'hate' })))
  must(await send(report('person', owner.uid)))
  const waiting = await sql`
    select start_after > now() + interval '9 minutes' as is_late
    from pgboss.job
    where name = 'moderation.mail-team' and state = 'created'`
  assert.deepEqual([...waiting], [{ is_late: true }])
  await runJob(app, mailTeam)
  assert.deepEqual(
    mails()
      .map(({ subject }) => subject)
      .sort(),
    ['2 new reports in Harbor', 'A new report in Harbor'],
  )
  await runJob(app, mailTeam)
  assert.equal(mails().length, 2)
})

test('without an address of the team, its reports are never announced later', async (t) => {
  const { listing, send, patch, sql, ...app } = await startReported(t, {})
  const { operator } = await moderationTeam({ ...app, sql })
  must(await send(report('listing', listing.uid)))
  const SETTINGS = '/api/v1/private/operations/settings'
  for (const reports_email of ['team', 'Team <team@harbor.example>', 'a@b.example, c@d.example'])
    assert.deepEqual(refused(await patch(SETTINGS, { reports_email }, operator)), [400, 4000])
  must(await patch(SETTINGS, { reports_email: 'team@harbor.example' }, operator))
  assert.deepEqual([...(await sql`select from reports where announced_at is null`)], [])
})
