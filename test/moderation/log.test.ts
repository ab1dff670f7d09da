import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makePublic, must, type Person, refused } from '../support/builders.ts'
import { needs } from '../support/system-packages.ts'
import { axeViolations, openTab, startChromium } from '../web/chromium.ts'
import { ACTIONS, browserHeaders, decision, moderationTeam } from './fixtures.ts'

const LOG = '/operator/moderation/decisions'
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

type Decision = { uid: string; target_name: string; action: string; undone: boolean }

test('moderators filter the log of all decisions and read each with its statement', async (t) => {
  const app = await startApp(t)
  const { get, post, sql } = app
  const { operator, moderator, decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const published = async (name: string) => {
    const listing = await app.a.listing({ owner, name })
    await makePublic(sql, listing.uid)
    return listing.uid
  }
  const [kept, restored, appealed] = [
    await published('Kept'),
    await published('Restored'),
    await published('Appealed'),
  ]
  const hate = { ground: 'rule-hate', facts: 'It <b>insults</b> people' }
  const taken_down = await decide('listing', kept, 'take_down', hate)
  await decide('listing', restored, 'hide', {}, operator)
  await decide('listing', restored, 'restore')
  const { statement_uid } = await decide('listing', appealed, 'warn')
  await decide('person', owner.uid, 'suspend', { suspension: { scope: 'publishing', days: 7 } })
  const filed = await post(
    `/api/v1/public/statements/${statement_uid}/appeal`,
    { text: 'It is a game' },
    owner,
  )
  const appeal_uid: string = must(filed).appeal_uid
  const listed = async (query: Record<string, string>, who: Person = moderator) =>
    must(await get(`${ACTIONS}?${new URLSearchParams(query)}`, who)).items.map(
      ({ target_name, action }: Decision) => `${target_name} ${action}`,
    )
  const suspension = `${owner.username} suspend`
  const all = [suspension, 'Appealed warn', 'Restored restore', 'Restored hide', 'Kept take_down']

  await t.test('by action, ground, moderator, state and period', async () => {
    assert.deepEqual(await listed({}), all)
    assert.deepEqual(await listed({ action: 'hide' }), ['Restored hide'])
    assert.deepEqual(await listed({ ground: 'rule-hate' }), ['Kept take_down'])
    assert.deepEqual(await listed({ moderator: operator.username.toUpperCase() }), [
      'Restored hide',
    ])
    assert.deepEqual(await listed({ moderator: 'nobody-here' }), [])
    assert.deepEqual(await listed({ state: 'in_force' }), [suspension, 'Kept take_down'])
    assert.deepEqual(await listed({ state: 'undone' }), ['Restored hide'])
    assert.deepEqual(await listed({ state: 'appealed' }), ['Appealed warn'])
    assert.deepEqual(await listed({ state: 'appealed', action: 'hide' }), [])
    const day = (offset: number) =>
      new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10)
    assert.deepEqual(await listed({ from: day(-1), to: day(1) }), all)
    assert.deepEqual(await listed({ from: day(1) }), [])
    assert.deepEqual(await listed({ to: day(-1) }), [])
    assert.deepEqual(await listed({ page: '2', page_size: '2' }), all.slice(2, 4))
    for (const wrong of ['action=shout', 'ground=mood', 'state=old', 'from=yesterday'])
      assert.deepEqual(refused(await get(`${ACTIONS}?${wrong}`, moderator)), [400, 4000], wrong)
    assert.deepEqual(refused(await get(ACTIONS, owner)), [403, 4030])
  })

  await t.test('one decision has its effect, statement and appeal', async () => {
    const read = async (uid: string, who: Person = moderator) => get(`${ACTIONS}/${uid}`, who)
    const takedown = must(await read(taken_down.action_uid))
    assert.deepEqual(
      [takedown.statement_uid, takedown.in_force, takedown.undone],
      [taken_down.statement_uid, true, false],
    )
    const [warning] = must(await get(`${ACTIONS}?state=appealed`, moderator)).items
    const { created_at, ...appeal } = warning.appeal
    assert.ok(Date.parse(created_at))
    const open = { outcome: null, reasons: null, decided_at: null, decided_by: null }
    assert.deepEqual(appeal, { uid: appeal_uid, text: 'It is a game', ...open })
    const [suspended] = must(await get(`${ACTIONS}?action=suspend`, moderator)).items
    assert.deepEqual(suspended.suspension, { scope: 'publishing', days: 7 })
    assert.equal(suspended.in_force, true)
    await app.sql.begin(async (tx) => {
      // Decisions cannot be changed otherwise.
      await tx`alter table moderation_actions disable trigger user`
      await tx`
        update moderation_actions set created_at = created_at - interval '7 days'
        where uid = ${suspended.uid}`
      await tx`alter table moderation_actions enable trigger user`
    })
    const over = must(await read(suspended.uid))
    assert.deepEqual([over.in_force, over.undone], [false, false], 'its days are over')
    for (const uid of [randomUUID(), 'no-uid'])
      assert.deepEqual(refused(await read(uid)), [404, 4040])
    assert.deepEqual(refused(await read(taken_down.action_uid, owner)), [403, 4030])
  })

  const open = (path: string, who: Person = moderator) =>
    get(path, { headers: browserHeaders(app, who) })

  await t.test('on pages that do not exist for others', async () => {
    for (const page of [LOG, `${LOG}/${taken_down.action_uid}`])
      assert.equal((await open(page, owner)).status, 404)
    for (const start of ['/operator/moderation', '/operator'])
      assert.match((await open(start, operator)).body, new RegExp(`href="${LOG}"`))
    const page = await open(`${LOG}?action=take_down&moderator=${moderator.username}`)
    assert.match(page.body, new RegExp(`href="/operator/moderation/listing/${kept}"`))
    assert.match(page.body, new RegExp(`href="${LOG}/${taken_down.action_uid}"`))
    assert.doesNotMatch(page.body, /Listing “Restored”/)
    const statement = textOf((await open(`${LOG}/${taken_down.action_uid}`)).body)
    assert.match(statement, /Taken down In force/)
    assert.match(statement, /It &lt;b&gt;insults&lt;\/b&gt; people/)
    assert.match(statement, /Your page is not about a game\./)
    assert.match((await open(`${LOG}?state=appealed`)).body, /Appeal open/)
    assert.match((await open(`${LOG}?action=label`)).body, /No decision matches/)
    assert.equal((await open(`${LOG}/${randomUUID()}`)).status, 404)
  })

  await t.test('what an address has besides is left out', async () => {
    const pages = [`${LOG}?page=abc&action=shout&from=x`, '/operator/moderation?page=abc']
    for (const page of pages) assert.equal((await open(page)).status, 200, page)
    assert.match(textOf((await open(`${LOG}?page=abc`)).body), /Listing “Kept”/)
  })

  await t.test('in a browser, without landmarks of the same name', async (t) => {
    if (!needs(t, 'chromium-headless-shell')) return
    const chromium = await startChromium(t)
    const { page, problems } = await openTab(chromium, app.url, { token: operator.token })
    for (const path of ['/operator', '/operator/moderation', '/moderation', LOG]) {
      await page.goto(app.url + path)
      assert.deepEqual(await axeViolations(page), [], path)
      assert.deepEqual(await axeViolations(page, ['landmark-unique']), [], path)
    }
    await page.getByLabel('Action').selectOption('take_down')
    await page.getByRole('button', { name: 'Search' }).last().click()
    await page.getByRole('link', { name: 'Taken down' }).click()
    await page.getByText('Your page is not about a game.').waitFor()
    assert.deepEqual(await axeViolations(page), [])
    assert.deepEqual(problems, [])
  })

  await t.test('by the person concerned, to whose decisions their record leads', async () => {
    const { username: other } = await app.a.verified()
    await decide('person', other, 'warn')
    assert.equal((await listed({})).length, all.length + 1)
    for (const person of [owner.username.toUpperCase(), owner.uid])
      assert.deepEqual((await listed({ person })).sort(), all.toSorted())
    assert.deepEqual(await listed({ person: 'nobody-here' }), [])
    const page = async (path: string, who: Person) =>
      (await get(path, { headers: browserHeaders(app, who) })).body
    const target = await page(`/operator/moderation/listing/${kept}`, moderator)
    assert.ok(target.includes(`href="${LOG}?person=${owner.username}"`))
    const filtered = textOf(await page(`${LOG}?person=${owner.username}`, moderator))
    assert.match(filtered, /Listing “Kept”/)
    assert.ok(!filtered.includes(other))
    const account = textOf(await page(`/operator/people/${owner.uid}`, operator))
    for (const name of ['Kept', 'Restored', 'Appealed'])
      assert.ok(account.includes(`Listing “${name}”`), name)
  })
})

test('undone decisions count neither for the publisher nor for the reporter', async (t) => {
  const app = await startApp(t)
  const { get, post, sql } = app
  const { operator, moderator, decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const reporter = await app.a.verified()
  const reported = async () => {
    const { uid } = await app.a.listing({ owner })
    await makePublic(sql, uid)
    const report = { target_type: 'listing', target_id: uid, kind: 'spam', text: 'Pills' }
    must(await post('/api/v1/public/reports', { ...report, good_faith: true }, reporter))
    return uid
  }
  const target = await reported()
  const record = async () => {
    const path = `/api/v1/private/moderation/targets/listing/${target}`
    const { subject, reports } = must(await get(path, moderator))
    const { reporter_reports, reporter_upheld } = reports[0]
    return [subject.warnings, subject.restrictions, reporter_reports, reporter_upheld]
  }
  const [hidden, warned] = [await reported(), await reported()]
  await decide('listing', hidden, 'hide')
  const warning = must(await post(ACTIONS, decision('listing', warned, 'warn'), moderator))
  assert.deepEqual(await record(), [1, 1, 2, 2])
  await decide('listing', hidden, 'restore')
  assert.deepEqual(await record(), [1, 0, 2, 1])
  const path = `/api/v1/public/statements/${warning.statement_uid}/appeal`
  const { appeal_uid } = must(await post(path, { text: 'It is a game' }, owner))
  const appeal = `/api/v1/private/moderation/appeals/${appeal_uid}/decision`
  must(await post(appeal, { outcome: 'reversed', reasons: 'It is' }, operator))
  assert.deepEqual(await record(), [0, 0, 2, 0])
  await decide('listing', hidden, 'hide')
  assert.deepEqual(await record(), [0, 1, 2, 0], 'a new decision counts again')
})
