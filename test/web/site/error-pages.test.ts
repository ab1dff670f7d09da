import assert from 'node:assert/strict'
import { test } from 'node:test'
import { browser } from '../browser.ts'
import { startDashboard } from '../dashboard-fixtures.ts'

test('an address that cannot be opened names the signed-in reader', async (t) => {
  const app = await startDashboard(t)
  const { listing, owner, at } = app
  const refused = await owner.open(at('visibility'))
  assert.equal(refused.status, 405)
  assert.match(refused.body, new RegExp(`<span>${listing.owner.username}</span></summary>`))
  assert.match(refused.headers['cache-control']!, /private|no-store/)
  assert.match((await owner.open('/no/such/page')).body, /<details class="menu">/)
  const { status, body } = await browser(app).open(at('visibility'))
  assert.equal(status, 405)
  assert.match(body, /href="\/login"/)
  assert.doesNotMatch(body, /<details class="menu">/)
})
