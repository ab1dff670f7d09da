import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { insertDeadJob } from '../admin/dead-jobs.ts'
import { connect } from '../agents/mcp-client.ts'
import { eventually, outbox } from '../support/app.ts'
import { codeIn, must, refused } from '../support/builders.ts'
import { taxonomy } from '../web/fixtures.ts'
import { OPERATIONS, SETTINGS, startConsole } from './fixtures.ts'

type Schema = { [keyword: string]: any }

async function startTools(t: TestContext, scope = 'operator:write') {
  const app = await startConsole(t)
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
  for (const name of [...writes, 'decide_release']) {
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
  const { tools, sql, operator, a, del } = await startTools(t, 'operator:read')
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
    outbox(data_dir).find(({ subject }) => subject.startsWith('Approve:')),
  )
  assert.equal(mail.to, operator.email)
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
  assert.deepEqual([...(await sql`select from approvals`)], [])
})

test('approved actions suspend, decide, retry and publish', async (t) => {
  const { approved, a, sql, get, put, patch, set, published } = await startTools(t)
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
  const { tools, published } = await startTools(t, 'operator:read')
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
