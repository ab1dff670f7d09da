import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { confirmApprovalRoute } from '../../src/accounts/approvals/routes.ts'
import { eventually, outbox, startApp } from '../support/app.ts'
import { codeIn, must, refused, wrongCode } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { connect } from './mcp-client.ts'
import { browser } from './oauth-flow.ts'

const sharedApp = sharedInFile(startApp)

async function startApprovalApp(t: TestContext) {
  const app = await sharedApp(t)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner })
  const { build_id } = await app.a.cleanBuild(listing, { version: '1.0', channel: 'beta' })
  const { key } = await app.a.key('agent', owner, ['mcp:read', 'mcp:build.write'])
  const base = `/api/v1/private/games/${listing.uid}`
  const promote = (idempotency_key?: string, body: object = { build_id }, token = key) =>
    app.put(`${base}/channels/stable`, body, {
      token,
      headers: idempotency_key ? { 'idempotency-key': idempotency_key } : {},
    })
  const approvals = (uid: string, verb = '') => `/api/v1/private/approvals/${uid}${verb}`
  const mails = () =>
    outbox(app.data_dir).filter(
      ({ to, subject }) => to === owner.email && subject.startsWith('Approve:'),
    )
  const stable = async () => {
    const { channels } = must(await app.get(`${base}/channels`, owner))
    return channels.find(({ channel }: any) => channel === 'stable')?.build_id
  }
  return { ...app, owner, listing, build_id, key, base, promote, approvals, mails, stable }
}

test('promoting to stable needs approval by email and succeeds when repeated', async (t) => {
  const { promote, owner, post, get, approvals, mails, stable, build_id, listing, url, key } =
    await startApprovalApp(t)
  const first = await promote('release-1')
  assert.deepEqual(refused(first), [202, 4214])
  assert.equal(first.body.success, false)
  const { approval_required, email_sent, approval } = first.body.data
  assert.deepEqual(
    [approval_required, email_sent, approval.status, approval.game_uid],
    [true, true, 'pending', listing.uid],
  )
  assert.equal(approval.confirm_url, `${url}/approve/${approval.uid}`)
  assert.equal(await stable(), undefined)

  const again = await promote('release-1')
  assert.deepEqual(
    [refused(again), again.body.data.approval.uid],
    [[202, 4214], approval.uid],
    'a repeated call created another approval',
  )
  const mail = await eventually('the mail', () => mails()[0])
  assert.equal(mail.to, owner.email)
  assert.ok(
    mail.text.includes(approval.confirm_url) &&
      /\b\d{6}\b/.test(mail.text) &&
      mail.text.includes('1.0'),
  )
  assert.equal(mails().length, 1)

  assert.deepEqual(
    refused(await post(approvals(approval.uid, '/approve'), undefined, { token: key })),
    [403, 4033],
    'an agent approved its own request',
  )
  assert.equal(
    must(await post(approvals(approval.uid, '/approve'), undefined, owner)).status,
    'approved',
  )
  assert.equal(must(await get(approvals(approval.uid), { token: key })).status, 'approved')
  assert.deepEqual(
    refused(await post(approvals(approval.uid, '/deny'), undefined, owner)),
    [409, 4098],
    'an approval was decided twice',
  )
  assert.equal(must(await promote('release-1')).build_id, build_id)
  assert.equal(await stable(), build_id)
  assert.equal(must(await get(approvals(approval.uid), owner)).status, 'used')
  assert.deepEqual(refused(await promote('release-1')), [409, 4097], 'an approval was used twice')
  const listed = must(await get('/api/v1/private/approvals', owner)).approvals
  assert.deepEqual(
    listed.map(({ uid, status }: any) => [uid, status]),
    [[approval.uid, 'used']],
  )
})

test('the emailed code approves for its account only, with five attempts', async (t) => {
  const { promote, post, approvals, mails, a, build_id, key } = await startApprovalApp(t)
  const { approval } = (await promote('k')).body.data
  const mail = await eventually('the mail', () => mails()[0])
  const code = codeIn(mail.text)
  const badCode = wrongCode(code)
  const confirm = (code: string, token = key) =>
    post(approvals(approval.uid, '/confirm'), { code }, { token })
  const other = await a.key('agent', await a.developer(), ['mcp:write'])
  assert.deepEqual(
    refused(await confirm(code, other.key)),
    [404, 4040],
    'the key of another account was accepted',
  )
  for (let i = 0; i < 4; i++) assert.deepEqual(refused(await confirm(badCode)), [400, 4216])
  assert.deepEqual(refused(await confirm('12345')), [400, 4000])
  assert.equal(must(await confirm(` ${code} `)).status, 'approved')
  assert.deepEqual(refused(await confirm(code)), [409, 4098])
  assert.equal(must(await promote('k')).build_id, build_id)
})

test('approval codes allow five attempts each, ten an hour, and one credential', async (t) => {
  const { promote, get, post, approvals, mails, a, key, owner, sql } = await startApprovalApp(t)
  const { approval } = (await promote('k')).body.data
  const code = codeIn((await eventually('the mail', () => mails()[0])).text)
  const badCode = wrongCode(code)
  const confirm = (code: string, token = key) =>
    post(approvals(approval.uid, '/confirm'), { code }, { token })
  const { key: player } = await a.key('player', owner, ['player:write'])
  assert.deepEqual(refused(await get(approvals(approval.uid), { token: player })), [403, 4033])
  assert.deepEqual(refused(await confirm(code, player)), [403, 4033])
  const elsewhere = await a.key('agent', owner, ['mcp:write'], {
    game_uid: (await a.listing({ owner })).uid,
  })
  assert.deepEqual(
    refused(await get(approvals(approval.uid), { token: elsewhere.key })),
    [404, 4040],
    'the key of another project was accepted',
  )
  assert.deepEqual(refused(await confirm(code, elsewhere.key)), [404, 4040])
  for (let i = 0; i < 5; i++) assert.deepEqual(refused(await confirm(badCode)), [400, 4216])
  assert.deepEqual(refused(await confirm(code)), [400, 4216], 'a sixth attempt was accepted')
  assert.equal((await sql`select tries from approvals where uid = ${approval.uid}`)[0]!.tries, 5)
  for (let i = 0; i < 3; i++) await confirm(badCode)
  assert.deepEqual(refused(await confirm(badCode)), [429, 4290])
})

test('the 31st approval code of a day is refused', async (t) => {
  const { promote, post, approvals, key, core, owner } = await startApprovalApp(t)
  const { approval } = (await promote('k')).body.data
  const confirm = () =>
    post(approvals(approval.uid, '/confirm'), { code: '000000' }, { token: key })
  const day = confirmApprovalRoute.limits!.find(({ seconds }) => seconds === 86_400)!
  assert.deepEqual([day.by, day.points], ['account', 30])
  for (let i = 0; i < 29; i++) await core.limiter.take(`account ${day.bucket}`, owner.uid, day)
  assert.notEqual((await confirm()).status, 429, 'the thirtieth code was refused')
  assert.deepEqual(refused(await confirm()), [429, 4290])
})

test('the website lists pending approvals and decides them', async (t) => {
  const { promote, owner, url, get, approvals, a, build_id, listing, sql } =
    await startApprovalApp(t)
  await sql`update listings set name = 'Lantern Harbour' where uid = ${listing.uid}`
  const { approval } = (await promote('k')).body.data
  assert.equal(approval.game_name, 'Lantern Harbour')
  // Create more projects than fit on a page, so that the project in question is not among the
  // newest.
  await Promise.all(Array.from({ length: 21 }, () => a.listing({ owner })))
  const { go } = browser(url, owner.token)
  for (const path of ['/account/approvals', `/approve/${approval.uid}`])
    assert.match((await go(path)).text, /Lantern Harbour/, path)
  const page = await go('/account/approvals')
  assert.ok(
    page.status === 200 &&
      page.text.includes(`action="/approve/${approval.uid}"`) &&
      page.text.includes(approval.summary),
  )
  const stranger = browser(url, (await a.developer()).token)
  assert.ok(!(await stranger.go('/account/approvals')).text.includes(approval.summary))
  await stranger.go(`/approve/${approval.uid}`, { decision: 'approve', list: 'yes' })
  assert.equal(
    must(await get(approvals(approval.uid), owner)).status,
    'pending',
    'a stranger decided',
  )
  const done = await go(`/approve/${approval.uid}`, { decision: 'deny', list: 'yes' })
  assert.deepEqual([done.status, done.location], [303, '/account/approvals'])
  assert.equal(must(await get(approvals(approval.uid), owner)).status, 'denied')
  assert.deepEqual(refused(await promote('k')), [403, 4215])
  assert.ok(!(await go('/account/approvals')).text.includes(`action="/approve/${approval.uid}"`))
  assert.equal(
    (await promote('other')).status,
    202,
    `${build_id} of ${listing.uid} cannot be requested again`,
  )
})

test('an action has one pending approval, and an account gets 20 approvals an hour', async (t) => {
  const { promote, post, approvals, owner, build_id, sql } = await startApprovalApp(t)
  const { approval } = (await promote('one')).body.data
  assert.equal((await promote('two')).body.data.approval.uid, approval.uid)
  must(await post(approvals(approval.uid, '/approve'), undefined, owner))
  assert.equal(must(await promote('two')).build_id, build_id)
  assert.deepEqual(refused(await promote('one')), [409, 4097])
  await sql`
    insert into approvals (
      uid, user_uid, credential_uid, game_uid,
      action, subject, summary, idempotency_key, expires_at
    )
    select
      gen_random_uuid(), user_uid, credential_uid, game_uid,
      action, 'other', summary, 'key' || n, expires_at
    from approvals, generate_series(1, 19) n where uid = ${approval.uid}`
  const many = await promote('three')
  assert.deepEqual(refused(many), [429, 4290])
  assert.ok(many.body.data.retry_after > 3500 && many.body.data.retry_after <= 3600)
  await sql`update approvals set created_at = now() - interval '1 hour' where uid = ${approval.uid}`
  assert.deepEqual(refused(await promote('three')), [202, 4214])
})

test('a denied or expired approval is final, and a key belongs to one action', async (t) => {
  const { promote, post, get, approvals, owner, a, listing, build_id, sql, stable, url } =
    await startApprovalApp(t)
  const { approval } = (await promote('no')).body.data
  assert.equal(
    must(await post(approvals(approval.uid, '/deny'), undefined, owner)).status,
    'denied',
  )
  assert.deepEqual(refused(await promote('no')), [403, 4215])
  assert.deepEqual(
    refused(await post(approvals(approval.uid, '/approve'), undefined, owner)),
    [409, 4098],
  )

  const late = (await promote('late')).body.data.approval
  await sql`update approvals set expires_at = now() where uid = ${late.uid}`
  assert.equal(must(await get(approvals(late.uid), owner)).status, 'expired')
  assert.deepEqual(
    refused(await post(approvals(late.uid, '/approve'), undefined, owner)),
    [409, 4098],
  )
  assert.deepEqual(refused(await promote('late')), [409, 4098])

  const slow = (await promote('slow')).body.data.approval
  must(await post(approvals(slow.uid, '/approve'), undefined, owner))
  await sql`update approvals set expires_at = now() where uid = ${slow.uid}`
  assert.deepEqual(
    refused(await promote('slow')),
    [409, 4098],
    'an approval was used after it expired',
  )

  const other = await a.cleanBuild(listing, { version: '2.0', channel: 'beta' })
  const taken = (await promote('taken')).body.data.approval
  must(await post(approvals(taken.uid, '/approve'), undefined, owner))
  assert.deepEqual(
    refused(await promote('taken', { build_id: other.build_id })),
    [409, 4095],
    'the approval was used for another build',
  )
  assert.deepEqual(
    refused(await promote('taken', { build_id, expires_in_hours: 5 })),
    [409, 4095],
    'the approval was used with other terms',
  )
  assert.equal(await stable(), undefined)
  assert.deepEqual(refused(await promote('with space')), [400, 4000])
  assert.deepEqual(refused(await promote('x'.repeat(201))), [400, 4000])
  assert.deepEqual(
    refused(await promote('x'.repeat(200), { build_id: other.build_id })),
    [202, 4214],
  )
  const odd = await browser(url, owner.token).go('/approve/%0d%0ax', { decision: 'approve' })
  assert.deepEqual(
    [odd.status, odd.location],
    [303, '/approve/%0D%0Ax'],
    'the address of a missing approval was not escaped',
  )
})

test('a repeated call without a key finds its approval until it is used', async (t) => {
  const { promote, post, approvals, owner, build_id, a, mails, key } = await startApprovalApp(t)
  const first = (await promote()).body.data.approval
  assert.equal((await promote()).body.data.approval.uid, first.uid)
  const other = await a.key('agent', owner, ['mcp:build.write'])
  const second = (await promote(undefined, { build_id }, other.key)).body.data.approval
  assert.notEqual(second.uid, first.uid, 'another key got the same approval')
  must(await post(approvals(first.uid, '/approve'), undefined, owner))
  assert.equal(must(await promote(undefined, { build_id }, key)).build_id, build_id)
  assert.notEqual((await promote()).body.data.approval.uid, first.uid)
  await eventually('three mails', () => mails().length === 3)
})

test('a repeated call with a used approval is 4097, also when its build is gone', async (t) => {
  const { del, post, put, approvals, owner, base, build_id, key, a, listing } =
    await startApprovalApp(t)
  const other = await a.cleanBuild(listing, { version: '2.0', channel: 'beta' })
  const options = (idempotency_key: string) => ({
    token: key,
    headers: { 'idempotency-key': idempotency_key },
  })
  const promote = () => put(`${base}/channels/stable`, { build_id }, options('promote'))
  const remove = (build = build_id) => del(`${base}/builds/${build}`, options('delete'))
  for (const request of [promote, remove]) {
    const { approval } = (await request()).body.data
    must(await post(approvals(approval.uid, '/approve'), undefined, owner))
    must(await request())
  }
  assert.deepEqual(refused(await remove()), [409, 4097])
  assert.deepEqual(refused(await remove(build_id.toUpperCase())), [409, 4097])
  assert.deepEqual(refused(await promote()), [409, 4097])
  assert.deepEqual(refused(await remove(other.build_id)), [409, 4095], 'the key is of another call')
  assert.deepEqual(
    refused(await del(`${base}/builds/${build_id}`, options('new-key'))),
    [404, 4006],
    'approval was requested for a build that is gone',
  )
})

test('only one of two concurrent calls uses an approval', async (t) => {
  const { promote, post, approvals, owner, base, get } = await startApprovalApp(t)
  const requested = await Promise.all(Array.from({ length: 5 }, () => promote('race')))
  assert.equal(new Set(requested.map(({ body }) => body.data.approval.uid)).size, 1)
  must(await post(approvals(requested[0]!.body.data.approval.uid, '/approve'), undefined, owner))
  const done = await Promise.all(Array.from({ length: 5 }, () => promote('race')))
  assert.deepEqual(done.map(({ status }) => status).sort(), [200, 409, 409, 409, 409])
  const { channels } = must(await get(`${base}/channels`, owner))
  assert.equal(
    channels
      .find(({ channel }: any) => channel === 'stable')
      .history.filter(({ event }: any) => event === 'promote').length,
    1,
  )
})

test('an invalid promotion is refused before approval, and other channels need none', async (t) => {
  const { promote, put, base, key, build_id, owner, sql, del, a, mails, get, post, approvals } =
    await startApprovalApp(t)
  assert.deepEqual(
    refused(await promote('a', { build_id: '00000000-0000-7000-8000-000000000000' })),
    [404, 4006],
  )
  assert.equal((await sql`select from approvals where user_uid = ${owner.uid}`).length, 0)
  assert.equal(must(await put(`${base}/channels/dev`, { build_id }, { token: key })).channel, 'dev')
  assert.equal(
    must(await put(`${base}/channels/stable`, { build_id }, owner)).channel,
    'stable',
    'a person on the website needed an approval',
  )
  assert.deepEqual(
    refused(
      await del(`${base}/builds/${build_id}`, {
        token: (await a.key('agent', owner, ['mcp:read'])).key,
      }),
    ),
    [403, 4031],
  )
  const deletion = await del(`${base}/builds/${build_id}`, { token: key })
  assert.deepEqual(refused(deletion), [202, 4214])
  // Only an approval that nobody has decided is mailed.
  await eventually('the mail', () => mails().length === 1)
  assert.equal((await get(`${base}/builds/${build_id}`, owner)).status, 200)
  must(await post(approvals(deletion.body.data.approval.uid, '/approve'), undefined, owner))
  assert.deepEqual(must(await del(`${base}/builds/${build_id}`, { token: key })), { deleted: true })
  assert.equal((await get(`${base}/builds/${build_id}`, owner)).status, 404)
  assert.equal(mails().length, 1)
})

test('an unverified address gets no approval email, and the answer says so', async (t) => {
  const { promote, sql, owner, mails } = await startApprovalApp(t)
  await sql`update users set email_verified_at = null where uid = ${owner.uid}`
  const { email_sent } = await eventually('the change', async () => {
    const { data } = (await promote('k')).body
    return data?.email_sent === false && data
  })
  assert.equal(email_sent, false)
  assert.ok(mails().length <= 1)
})

test('approval works through promote_build, get_approval and confirm_approval', async (t) => {
  const { url, key, listing, build_id, mails, stable } = await startApprovalApp(t)
  const { call } = await connect(t, url, '/mcp', key)
  const promotion = {
    uid: listing.vanity_name,
    channel: 'stable',
    build_id,
    idempotency_key: 'from-a-tool',
  }
  const { refused: waiting } = await call('promote_build', promotion)
  assert.deepEqual(
    [waiting?.status, waiting?.code, waiting?.data.approval_required],
    [202, 4214, true],
  )
  const approval_id = waiting!.data.approval.uid
  assert.equal((await call('get_approval', { approval_id })).data.status, 'pending')
  const mail = await eventually('the mail', () => mails()[0])
  const code = codeIn(mail.text)
  assert.equal((await call('confirm_approval', { approval_id, code })).data.status, 'approved')
  assert.equal((await call('promote_build', promotion)).data.build_id, build_id)
  assert.equal(await stable(), build_id)
})
