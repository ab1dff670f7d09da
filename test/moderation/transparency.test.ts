import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { makePublic, must, newAddress } from '../support/builders.ts'
import { browserHeaders, moderationTeam } from './fixtures.ts'

const report = (target_id: string, kind: string) => ({
  target_type: 'listing',
  target_id,
  kind,
  text: 'A secret word',
  good_faith: true,
})

test('everyone reads yearly counts, which name nobody', async (t) => {
  const app = await startApp(t)
  const { operator, moderator, decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const send = async (kind: string) => {
    const { uid } = await app.a.listing({ owner })
    await makePublic(app.sql, uid)
    const headers = newAddress()
    must(await app.post('/api/v1/public/reports', report(uid, kind), { headers }))
    return uid
  }
  const [spam, other, old] = [await send('spam'), await send('other'), await send('hate')]
  await send('spam')
  await decide('listing', other, 'dismiss')
  const { statement_uid } = await decide('listing', spam, 'take_down')
  await app.sql`
    update reports
    set created_at = '2024-12-31T23:59:59Z', decided_at = '2025-01-02T23:59:59Z',
      action_uid = (select uid from moderation_actions limit 1)
    where target_id = ${old}`
  const path = `/api/v1/public/statements/${statement_uid}/appeal`
  const { appeal_uid } = must(await app.post(path, { text: 'A secret word' }, owner))
  const body = { outcome: 'reversed', reasons: 'A secret word' }
  must(await app.post(`/api/v1/private/moderation/appeals/${appeal_uid}/decision`, body, operator))
  const answer = await app.get('/moderation.json')
  assert.equal(answer.headers['cache-control'], 'public, max-age=600')
  const [now, then] = answer.body.years
  const { median_hours, ...reports } = now.reports
  assert.deepEqual(reports, {
    total: 3,
    kinds: { spam: 2, other: 1 },
    outcomes: { open: 1, no_action: 1, action_taken: 1 },
  })
  assert.ok(median_hours < 1)
  assert.deepEqual(now.decisions, {
    total: 3,
    actions: { dismiss: 1, restore: 1, take_down: 1 },
    grounds: { 'no-violation': 2, 'rule-spam': 1 },
  })
  assert.deepEqual(now.appeals.outcomes, { reversed: 1 })
  assert.deepEqual([then.year, then.reports.median_hours], [2024, 48])
  const page = await app.get('/moderation', { headers: browserHeaders(app) })
  assert.equal(page.status, 200)
  assert.match(page.body, /Reports: 3/)
  for (const text of [page.body, JSON.stringify(answer.body)])
    for (const secret of ['secret', owner.username, moderator.username, operator.username])
      assert.ok(!text.includes(secret), secret)
  const home = await app.get('/', { headers: browserHeaders(app) })
  assert.match(home.body, /<a href="\/moderation">/)
})

test('a store without reports has no figures', async (t) => {
  const app = await startApp(t)
  assert.deepEqual((await app.get('/moderation.json')).body, { years: [] })
  assert.equal((await app.get('/moderation', { headers: browserHeaders(app) })).status, 200)
})
