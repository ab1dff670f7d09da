import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GIB, MIB } from '../../src/core/runtime/units.ts'
import { admin } from '../support/admin-run.ts'
import { must, refused } from '../support/builders.ts'
import { OPERATIONS, startConsole } from './fixtures.ts'

const QUOTAS = `${OPERATIONS}/quotas`

test('operators give people and listings quotas of their own, with a note and an audit entry', async (t) => {
  const { get, put, del, sql, a, operator, set, settings } = await startConsole(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  await set({ listing_quota_mib: 1 })
  const storage = async () => must(await get(`/api/v1/private/games/${listing.uid}/storage`, owner))
  const empty = { used_bytes: 0, limit_bytes: Math.floor(MIB * 0.9) + 1 }
  assert.deepEqual((await storage()).developers, empty)

  const path = `${QUOTAS}/listing/${listing.vanity_name}`
  const exception = must(await put(path, { bytes: 10 * GIB, note: ' A large game ' }, operator))
  const { set_at, name, ...rest } = exception
  assert.ok(name && Date.parse(set_at))
  assert.deepEqual(rest, {
    type: 'listing',
    uid: listing.uid,
    quota_bytes: 10 * GIB,
    used_bytes: 0,
    note: 'A large game',
    set_by: operator.username,
  })
  must(await put(`${QUOTAS}/person/${owner.username}`, { bytes: null }, operator))
  const { developers, account } = await storage()
  assert.deepEqual([developers.limit_bytes, account.developers.limit_bytes], [9 * GIB, null])
  // Changing it again replaces it.
  must(await put(path, { bytes: 0 }, operator))
  assert.equal((await storage()).developers.limit_bytes, 0)
  const { exceptions, defaults } = must(await get(QUOTAS, operator))
  assert.equal(defaults.listing_bytes, MIB)
  assert.deepEqual(
    exceptions.items.map(({ type, quota_bytes }: any) => [type, quota_bytes]),
    [
      ['listing', 0],
      ['person', null],
    ],
  )
  must(await del(path, operator))
  assert.deepEqual((await storage()).developers, empty)
  const entries = await sql`
    select action, detail from audit_entries where action like 'operator.%quota' order by uid`
  assert.deepEqual(
    entries.map(({ action, detail }) => [action, detail.bytes ?? null]),
    [
      ['operator.set-quota', 10 * GIB],
      ['operator.set-quota', 'no limit'],
      ['operator.set-quota', 0],
      ['operator.remove-quota', null],
    ],
  )

  assert.deepEqual(refused(await del(path, operator)), [404, 4040])
  assert.deepEqual(refused(await put(path, { bytes: 2 ** 50 + 1 }, operator)), [400, 4000])
  assert.deepEqual(refused(await put(path, { bytes: -1 }, operator)), [400, 4000])
  assert.deepEqual(
    refused(await put(`${QUOTAS}/listing/nothing`, { bytes: 1 }, operator)),
    [404, 4040],
  )
  assert.deepEqual(refused(await put(path, { bytes: 1 }, owner)), [403, 4030])

  const run = (...args: string[]) => admin(settings, 'quotas', ...args)
  const changed = await run('set', 'listing', listing.uid, '2', 'From', 'the', 'shell')
  assert.deepEqual([changed.code, changed.stdout], [0, `${listing.uid} may store 2.0 GiB now`])
  assert.match((await run('list')).stdout, /0 B of 2\.0 GiB {2}From the shell/)
  assert.equal((await run('remove', 'listing', listing.uid)).code, 0)
  assert.equal((await run('remove', 'listing', listing.uid)).code, 1)
})

test('the console lists who stores the most, and sets and removes quotas without script', async (t) => {
  const { sql, a, console: browser, signedIn } = await startConsole(t)
  const owner = await a.verifiedDeveloper()
  const listing = await a.listing({ owner })
  await sql`
    insert into storage_use (game_uid, kind, bytes)
    values (${listing.uid}, 'builds', ${3 * GIB}), (${listing.uid}, 'crashes', ${GIB})`
  const page = await browser.open('/operator/quotas')
  assert.match(page.body, /4\.0 GiB of 100\.0 GiB/)
  assert.match(page.body, /No exceptions/)
  const fields = { type: 'listing', target: listing.uid, bytes: '3,5', note: 'Remaster' }
  const wrong = await browser.send('/operator/quotas', { ...fields, target: 'nobody' })
  assert.equal(wrong.status, 404)
  assert.match(wrong.body, /There is no such listing/)
  assert.equal((await browser.send('/operator/quotas', { ...fields, bytes: 'x' })).status, 400)
  assert.equal((await browser.send('/operator/quotas', fields)).status, 303)
  const changed = (await browser.open('/operator/quotas')).body
  assert.match(changed, /4\.0 GiB of 3\.5 GiB/)
  assert.match(changed, /Remaster/)

  // The owner sees it in the list of projects and on the page of the project.
  const developer = signedIn(owner)
  assert.match((await developer.open('/dashboard')).body, /nearly full/)
  const overview = (await developer.open(`/dashboard/${listing.vanity_name}/overview`)).body
  assert.match(overview, /3\.0 GiB of 3\.2 GiB/)
  assert.match(overview, /Nearly full/)

  const remove = `/operator/quotas/listing/${listing.uid}/remove`
  assert.equal((await browser.send(remove, {})).status, 303)
  assert.match((await browser.open('/operator/quotas')).body, /No exceptions/)
  assert.doesNotMatch((await developer.open('/dashboard')).body, /nearly full/)
})
