import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { insertDeadJob } from '../admin/dead-jobs.ts'
import { connect } from '../agents/mcp-client.ts'
import { eventually, outbox } from '../support/app.ts'
import { codeIn, must, refused } from '../support/builders.ts'
import { taxonomy } from '../web/fixtures.ts'
import { OPERATIONS, SETTINGS, sharedConsole, startConsole } from './fixtures.ts'

type Schema = { [keyword: string]: any }
type ToolOptions = { scope?: string; start?: typeof startConsole }

const startShared = sharedConsole()

/** The tools of an operator, of a service that the tests share unless they read all it has. */
async function startTools(
  t: TestContext,
  { scope = 'operator:write', start = startShared }: ToolOptions = {},
) {
  const app = await start(t)
  const { key } = await app.a.key('agent', app.operator, [scope])
  const tools = await connect(t, app.url, '/mcp', key)
  const approvals = '/api/v1/private/approvals'
  /** Calls a tool, approves the call as the operator, and calls it again. */
  async function approved(name: string, args: Record<string, unknown>) {
    const first = await tools.call(name, args)
    assert.equal(first.refused?.code, 4214, JSON.stringify(first))
    const { uid, summary } = first.refused!.data.approval
    must(await app.post(`${approvals}/${uid}/approve`, undefined, app.operator))
    return { summary, ...(await tools.call(name, args)) }
  }
  return { ...app, key, tools, approvals, approved }
}

test('tools of operators are listed for their scopes only and explain themselves', async (t) => {
  const { a, url, tools, operator, get } = await startTools(t)
  const names = (list: { name: string }[]) => list.map(({ name }) => name)
  const all = await tools.list()
  for (const { name, description = '', inputSchema } of all) {
    assert.match(description, /^[A-Z][a-z]+s .{25,}\.$/, `${name}: ${description}`)
    for (const [argument, schema] of Object.entries((inputSchema.properties ?? {}) as Schema)) {
      assert.ok(schema.description, `${name} ${argument}`)
      for (const value of schema.enum ?? [])
        assert.ok(schema.description.includes(value), `${name} ${argument}: ${value}`)
    }
  }
  const { key } = await a.key('agent', operator, ['operator:read'])
  const reads = names(await (await connect(t, url, '/mcp', key)).list())
  const writes = ['decide_report', 'suspend_person', 'replay_jobs', 'change_store_setting']
  const more = [
    ['decide_release', 'decide_appeal', 'decide_publishing_request', 'set_quota', 'remove_quota'],
    ['publish_policy', 'create_invitation', 'revoke_invitation', 'end_person_sessions'],
  ]
  for (const name of [...writes, ...more.flat()]) {
    assert.ok(names(all).includes(name), name)
    assert.ok(!reads.includes(name), name)
  }
  assert.ok(reads.includes('list_people'))
  const other = await a.key('agent', await a.developer(), ['mcp:read', 'mcp:write'])
  const listed = names(await (await connect(t, url, '/mcp', other.key)).list())
  assert.ok(!listed.includes('list_people') && !listed.includes('replay_jobs'))
  const { body } = await get('/.well-known/mcp/server-card.json')
  assert.doesNotMatch(JSON.stringify(body), /suspend_person|list_people/)
})

test('tools of operators read what the console shows', async (t) => {
  const { tools, sql, operator, a, del } = await startTools(t, {
    scope: 'operator:read',
    start: startConsole,
  })
  await insertDeadJob(sql)
  const person = await a.verified()
  const read = async (name: string, args = {}) => {
    const { data, refused } = await tools.call(name, args)
    assert.ok(data, `${name}: ${JSON.stringify(refused)}`)
    return data
  }
  assert.equal((await read('get_store_overview')).dead_jobs, 1)
  assert.equal((await read('list_people', { q: person.username })).items[0].uid, person.uid)
  assert.equal((await read('get_person', { person_uid: person.uid })).email, person.email)
  assert.deepEqual((await read('list_all_listings', { state: 'deleted' })).items, [])
  assert.equal((await read('list_failed_jobs')).dead_jobs[0].name, 'accounts.sweep')
  assert.deepEqual((await read('list_reports')).items, [])
  assert.deepEqual((await read('list_decisions')).items, [])
  assert.deepEqual((await read('list_held_releases')).items, [])
  assert.equal((await read('get_store_settings')).settings.store_name, 'Slipway')
  const target = { target_type: 'person', target_id: person.uid }
  assert.ok((await read('get_reported_target', target)).actions.includes('suspend'))
  const other = await a.verified()
  await sql`insert into operators (user_uid) values (${other.uid})`
  must(await del(`${OPERATIONS}/people/${other.uid}/operator`, operator))
  const { items } = await read('list_audit_entries', { action: 'operator.' })
  assert.deepEqual(
    items.map(({ action, username, detail }: any) => [action, username, detail]),
    [['operator.remove-operator', operator.username, { person: other.uid }]],
  )
  // A tool that changes something is refused by its route, and asks nobody.
  const { refused: refusal } = await tools.call('replay_jobs')
  assert.equal(refusal?.code, 4031)
  assert.deepEqual([...(await sql`select from approvals`)], [])
  await sql`delete from operators where user_uid = ${operator.uid}`
  assert.equal((await tools.call('get_store_overview')).refused?.code, 4030)
})

test('an action of a tool waits for the operator, who reads what it does', async (t) => {
  const { tools, get, patch, data_dir, operator, console, approvals, key, post } =
    await startTools(t)
  const args = { name: 'store_name', value: 'Harbor', idempotency_key: 'rename' }
  const first = (await tools.call('change_store_setting', args)).refused!
  assert.deepEqual([first.status, first.code], [202, 4214])
  const { approval } = first.data
  assert.deepEqual(
    [approval.game_uid, approval.game_name, approval.summary],
    [null, 'Slipway', 'Change the setting store_name to "Harbor"'],
  )
  const mail = await eventually('the mail', () =>
    outbox(data_dir).find(
      ({ to, subject }) => to === operator.email && subject.startsWith('Approve:'),
    ),
  )
  assert.match(mail.text, /for Slipway:/)
  assert.match((await console.open('/account/approvals')).body, /store_name/)
  assert.match((await console.open(`/approve/${approval.uid}`)).body, /<strong>Slipway<\/strong>/)
  const name = async () => must(await get(SETTINGS, operator)).settings.store_name
  assert.equal(await name(), 'Slipway')
  const confirm = { approval_id: approval.uid, code: codeIn(mail.text) }
  assert.equal((await tools.call('confirm_approval', confirm)).data.status, 'approved')
  assert.equal((await tools.call('change_store_setting', args)).data.settings.store_name, 'Harbor')
  assert.equal(await name(), 'Harbor')
  const again = await tools.call('change_store_setting', args)
  assert.equal(again.refused?.code, 4097, 'an approval allowed two calls')
  const denied = (await tools.call('change_store_setting', { ...args, idempotency_key: 'b' }))
    .refused!
  must(await post(`${approvals}/${denied.data.approval.uid}/deny`, undefined, operator))
  const after = await tools.call('change_store_setting', { ...args, idempotency_key: 'b' })
  assert.equal(after.refused?.code, 4215)
  // A program of the operator calls the route without an approval.
  must(await patch(SETTINGS, { store_name: null }, { token: key }))
  assert.equal(await name(), 'Slipway')
})

test('an agent learns what cannot be done before anybody is asked', async (t) => {
  const { tools, sql, operator } = await startTools(t)
  const code = async (name: string, args: Record<string, unknown>) =>
    (await tools.call(name, args)).refused?.code
  const person = { ground: 'rule-spam', facts: 'Spam' }
  const missing = '0198c0de-0000-7000-8000-000000000000'
  assert.equal(await code('suspend_person', { ...person, person_uid: missing, scope: 'all' }), 4000)
  assert.equal(
    await code('suspend_person', { ...person, person_uid: missing, scope: 'everything' }),
    4040,
  )
  const target = { target_type: 'person', target_id: operator.uid, facts: 'Spam' }
  assert.equal(
    await code('decide_report', { ...target, action: 'take_down', ground: 'rule-spam' }),
    4000,
  )
  assert.equal(
    await code('decide_report', { ...target, action: 'warn', ground: 'no-violation' }),
    4282,
  )
  assert.equal(await code('replay_jobs', { ids: [missing] }), 4040)
  assert.equal(await code('decide_release', { game_uid: missing, decision: 'approve' }), 4040)
  for (const value of ['maybe', '7', '"true"'])
    assert.equal(await code('change_store_setting', { name: 'powered_by', value }), 4000, value)
  assert.equal(await code('change_store_setting', { name: 'accent_color', value: '#ffff00' }), 4261)
  const approvals = await sql`select from approvals where user_uid = ${operator.uid}`
  assert.equal(approvals.length, 0)
})

test('approved actions suspend, decide, retry and publish', async (t) => {
  const { approved, a, sql, get, put, patch, set, published } = await startTools(t, {
    start: startConsole,
  })
  const person = await a.verifiedDeveloper()
  const suspension = await approved('suspend_person', {
    person_uid: person.uid,
    scope: 'everything',
    days: 3,
    ground: 'rule-spam',
    facts: 'Spam',
  })
  assert.equal(
    suspension.summary,
    `Decide suspend on person ${person.username} from everything for 3 days`,
  )
  assert.ok(suspension.data.action_uid, JSON.stringify(suspension))
  assert.deepEqual(refused(await get('/api/v1/private/account', person)), [403, 4284])
  const listing = await published({ name: 'Lantern Harbour' })
  const decided = await approved('decide_report', {
    target_type: 'listing',
    target_id: listing.uid,
    action: 'take_down',
    ground: 'rule-spam',
    facts: 'Spam',
  })
  assert.equal(decided.summary, 'Decide take_down on listing Lantern Harbour')
  assert.equal((await get(`/api/v1/public/games/${listing.uid}`)).status, 404)
  await insertDeadJob(sql)
  const { data, summary } = await approved('replay_jobs', {})
  assert.deepEqual([data.replayed, summary], [1, 'Retry all failed jobs'])
  await set({ review_first_release: true })
  const owner = await a.verifiedDeveloper()
  const other = await a.listing({ owner, name: 'Second Lighthouse' })
  await a.images(other)
  await a.cleanBuild(other)
  const page = `/api/v1/private/games/${other.uid}`
  must(await put(`${page}/taxonomy`, taxonomy, owner))
  assert.equal((await patch(page, { visibility: 'public' }, owner)).status, 202)
  const release = await approved('decide_release', { game_uid: other.uid, decision: 'approve' })
  assert.equal(release.summary, 'Publish the first release of Second Lighthouse')
  assert.equal(release.data.state, 'approved')
  assert.equal((await get(`/api/v1/public/games/${other.uid}`)).status, 200)
})

test('a tool labels a listing after an approval that says how', async (t) => {
  const { approved, tools, get, published } = await startTools(t)
  const listing = await published({ name: 'Lantern Harbour' })
  const target = { target_type: 'listing', target_id: listing.uid, action: 'label' }
  const reasons = { ground: 'rule-false-label', facts: 'It shows gore' }
  const empty = await tools.call('decide_report', { ...target, ...reasons })
  assert.equal(empty.refused?.code, 4000)
  const unknown = { ...target, ...reasons, content_warnings: ['boredom'] }
  assert.equal((await tools.call('decide_report', unknown)).refused?.code, 4000)
  const { summary, data } = await approved('decide_report', {
    ...target,
    ...reasons,
    adult: false,
    content_warnings: ['gore', 'flashing_lights'],
    tags: [],
  })
  assert.equal(
    summary,
    'Decide label on listing Lantern Harbour with adult: no; ' +
      'content warnings: gore, flashing_lights; tags: none',
  )
  assert.ok(data.action_uid)
  const page = must(await get(`/api/v1/public/games/${listing.uid}`))
  assert.deepEqual([...page.content_warnings].sort(), ['flashing_lights', 'gore'])
})

test('a tool finds stored files and their scans', async (t) => {
  const { tools, published } = await startTools(t, { scope: 'operator:read', start: startConsole })
  const listing = await published({ name: 'Lantern Harbour' })
  const { data } = await tools.call('list_stored_files', { q: 'Lantern', state: 'clean' })
  assert.deepEqual(
    data.items.map(({ listing: { uid }, state }: any) => [uid, state]),
    [[listing.uid, 'clean']],
  )
  assert.equal(data.scanner.waiting, 0)
  const other = await tools.call('list_stored_files', { state: 'quarantined' })
  assert.deepEqual(other.data.items, [])
})

test('tools read appeals, sweeps, quotas, policies, invitations, requests and sessions', async (t) => {
  const app = await startTools(t, { scope: 'operator:read', start: startConsole })
  const { a, operator, post, set, tools } = app
  const read = async (name: string, args = {}) => {
    const { data, refused } = await tools.call(name, args)
    assert.ok(data, `${name}: ${JSON.stringify(refused)}`)
    return data
  }
  const person = await a.verifiedDeveloper()
  const sweep = { sha256: ['ab'.repeat(32)] }
  const { sweep_id } = must(await post('/api/v1/private/moderation/sweeps', sweep, operator))
  must(await post(`${OPERATIONS}/invitations`, { note: 'Jam' }, operator))
  await set({ publishing: 'approval' })
  must(await post('/api/v1/private/account/publishing', { text: 'I make games' }, person))
  assert.deepEqual((await read('list_appeals')).items, [])
  assert.equal((await read('list_sweeps')).items[0].sweep_id, sweep_id)
  assert.deepEqual((await read('get_sweep', { sweep_id })).sha256, sweep.sha256)
  assert.equal((await read('get_quotas')).defaults.player_files_percent, 10)
  assert.equal((await read('list_policy_versions')).policies[0].versions.length, 0)
  assert.equal((await read('list_invitations')).items[0].note, 'Jam')
  assert.equal((await read('list_publishing_requests')).items[0].username, person.username)
  const { sessions } = await read('list_person_sessions', { person_uid: person.uid })
  assert.equal(sessions.length, 1)
  const events = await read('list_security_events', { kind: 'sign_in', user_uid: person.uid })
  assert.deepEqual(events.items, [])
})

test('approved actions decide, invite, publish policies, set quotas and end sessions', async (t) => {
  const app = await startTools(t, { start: startConsole })
  const { approved, tools, a, operator, get, post, sql } = app
  const code = async (name: string, args: Record<string, unknown>) =>
    (await tools.call(name, args)).refused?.code
  const missing = '0198c0de-0000-7000-8000-000000000000'
  const person = await a.verifiedDeveloper()

  await t.test('an appeal', async () => {
    const listing = await a.listing({ owner: person, name: 'Tide Bell' })
    const moderator = await a.verified()
    await sql`insert into moderators (user_uid) values (${moderator.uid})`
    const target = { target_type: 'listing', target_id: listing.uid }
    const hidden = { ...target, action: 'hide', ground: 'rule-spam', facts: 'Spam' }
    const { statement_uid } = must(
      await post('/api/v1/private/moderation/actions', hidden, moderator),
    )
    const path = `/api/v1/public/statements/${statement_uid}/appeal`
    const { appeal_uid } = must(await post(path, { text: 'It is a game' }, person))
    const decision = { outcome: 'reversed', reasons: 'It is one' }
    assert.equal(await code('decide_appeal', { appeal_uid: missing, ...decision }), 4040)
    const { summary, data } = await approved('decide_appeal', { appeal_uid, ...decision })
    assert.equal(summary, 'Undo the decision hide on listing Tide Bell after the appeal')
    assert.deepEqual(data, {})
    const [row] = await sql`select hidden_at from all_listings where uid = ${listing.uid}`
    assert.equal(row!.hidden_at, null)
  })

  await t.test('an invitation', async () => {
    const made = await approved('create_invitation', { note: 'Jam', max_uses: 3 })
    assert.equal(made.summary, 'Invite up to 3 people, for 14 days')
    assert.match(made.data.url, /^http/)
    const invitation_uid = made.data.uid
    assert.equal(await code('revoke_invitation', { invitation_uid: missing }), 4040)
    const ended = await approved('revoke_invitation', { invitation_uid })
    assert.equal(ended.summary, 'Revoke the invitation "Jam", which 0 people used')
    assert.equal(ended.data.state, 'expired')
  })

  await t.test('a request to publish', async () => {
    const { username } = person
    const decline = { username, decision: 'decline' }
    assert.equal(await code('decide_publishing_request', decline), 4000)
    assert.equal(
      await code('decide_publishing_request', { username: 'nobody', decision: 'approve' }),
      4040,
    )
    const given = await approved('decide_publishing_request', { username, decision: 'approve' })
    assert.equal(given.summary, `Give ${username} the right to publish`)
    assert.equal(given.data.state, 'approved')
  })

  await t.test('a quota', async () => {
    const target = { type: 'person', target: person.username }
    assert.equal(await code('set_quota', { ...target, target: 'nobody', bytes: 1 }), 4040)
    const quota = await approved('set_quota', { ...target, bytes: 1000 })
    assert.equal(quota.summary, `Set the quota of the person ${person.username} to 1000 bytes`)
    assert.equal(quota.data.quota_bytes, 1000)
    const removed = await approved('remove_quota', target)
    assert.equal(removed.summary, `Remove the quota of the person ${person.username}`)
    assert.deepEqual(removed.data, { removed: true })
  })

  await t.test('a policy', async () => {
    const policy = { kind: 'rules', text: '# Rules\n\nBe kind.' }
    const late = { ...policy, effective_from: '2020-01-01' }
    assert.equal(await code('publish_policy', late), 4000)
    const published = await approved('publish_policy', policy)
    assert.match(published.summary, /^Publish a new version of the policy rules: \d+ characters/)
    assert.equal(published.data.version, 1)
  })

  await t.test('the sessions of a person', async () => {
    const person_uid = person.uid
    assert.equal(await code('end_person_sessions', { person_uid: missing }), 4040)
    const { data } = await tools.call('list_person_sessions', { person_uid })
    const ended = await approved('end_person_sessions', {
      person_uid,
      session_uid: data.sessions[0].uid,
    })
    assert.match(ended.summary, new RegExp(`^End the session .* of ${person.username}$`))
    assert.deepEqual(ended.data, { ended: 1 })
    assert.equal((await get('/api/v1/private/account', person)).status, 401)
    const rest = await approved('end_person_sessions', { person_uid })
    assert.deepEqual(rest.data, { ended: 0 })
    assert.equal((await get('/api/v1/private/account', operator)).status, 200)
  })
})
