import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApp } from '../support/app.ts'
import { addAdmin, addCopy, makePublic, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { browserHeaders, moderationTeam } from './fixtures.ts'

const PUBLIC = '/api/v1/public/games'
const STATEMENTS = '/api/v1/private/moderation/statements'
const textOf = (body: string) => body.replace(/<[^>]+>/g, ' ').replace(/\s+/g, ' ')

const startShared = sharedInFile((t) => startApp(t))

/** A public listing with a player, so that its owner can restore it after deleting it. */
async function startPublished(t: TestContext) {
  const app = await startShared(t)
  const team = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Pill Harbor' })
  await makePublic(app.sql, listing.uid)
  await addCopy(app.sql, listing.uid, (await app.a.verified()).uid, 'free')
  const open = (path: string, who: Person = owner) =>
    app.get(path, { headers: browserHeaders(app, who) })
  const deleteListing = async () =>
    must(await app.del(`/api/v1/private/games/${listing.uid}`, owner))
  const restore = async () =>
    must(await app.post(`/api/v1/private/deleted-games/${listing.uid}/restore`, undefined, owner))
  return { ...app, ...team, owner, listing, open, deleteListing, restore }
}

test('a listing that its owner deleted is taken down, and restoring does not bring it back', async (t) => {
  const app = await startPublished(t)
  const { get, listing, owner, moderator, decide, deleteListing, restore } = app
  await deleteListing()
  const target = `/api/v1/private/moderation/targets/listing/${listing.uid}`
  assert.ok(must(await get(target, moderator)).actions.includes('take_down'))
  await decide('listing', listing.uid, 'take_down')
  const [statement] = must(await get(STATEMENTS, owner)).items
  assert.deepEqual([statement.action, statement.in_force], ['take_down', true])
  const { items } = must(await get('/api/v1/private/deleted-games', owner))
  assert.equal(items[0].taken_down, true)
  const restored = await restore()
  assert.deepEqual(
    [restored.vanity_name, restored.taken_down],
    [listing.vanity_name, true],
    'the owner learns that it stays down',
  )
  assert.equal((await get(`${PUBLIC}/${listing.uid}`)).status, 404)
  const { body } = await app.open(`/dashboard/${listing.vanity_name}/page`)
  assert.match(textOf(body), /Your page is not about a game\./)
  await decide('listing', listing.uid, 'restore')
  assert.equal((await get(`${PUBLIC}/${listing.uid}`)).status, 200)
})

test('a deleted listing that moderators restored stays deleted', async (t) => {
  const { get, listing, decide, deleteListing, restore } = await startPublished(t)
  await decide('listing', listing.uid, 'hide')
  await deleteListing()
  await decide('listing', listing.uid, 'take_down')
  await decide('listing', listing.uid, 'restore')
  assert.equal((await get(`${PUBLIC}/${listing.uid}`)).status, 404)
  assert.equal((await restore()).taken_down, false)
  assert.equal((await get(`${PUBLIC}/${listing.uid}`)).status, 200)
})

test('taking down and deleting at the same time leaves a listing that stays down', async (t) => {
  const { get, listing, decide, deleteListing, restore } = await startPublished(t)
  const [deleted] = await Promise.allSettled([
    deleteListing(),
    decide('listing', listing.uid, 'take_down'),
  ])
  // Who deletes after the decision finds no listing.
  if (deleted.status === 'fulfilled') assert.equal((await restore()).taken_down, true)
  assert.equal((await get(`${PUBLIC}/${listing.uid}`)).status, 404)
})

test('the owner of a listing that was taken down sees why in its dashboard', async (t) => {
  const app = await startPublished(t)
  const { get, sql, listing, moderator, decide, open } = app
  const admin = await app.a.verifiedDeveloper()
  await addAdmin(sql, listing.uid, admin.uid)
  const base = `/dashboard/${listing.vanity_name}`
  const { statement_uid } = await decide('listing', listing.uid, 'take_down')
  for (const path of [`${base}/overview`, `${base}/builds`, `/dashboard/${listing.uid}/settings`]) {
    const { status, body } = await open(path)
    assert.equal(status, 200, path)
    assert.match(textOf(body), /Your page is not about a game\./, path)
    assert.match(body, new RegExp(`href="/appeal/${statement_uid}"`), path)
  }
  const shared = await open(`${base}/overview`, admin)
  assert.equal(shared.status, 200)
  assert.match(textOf(shared.body), /Its owner has the reasons/)
  assert.doesNotMatch(shared.body, /Your page is not about a game|\/appeal\//)
  for (const stranger of [await app.a.verifiedDeveloper(), moderator])
    assert.equal((await open(`${base}/overview`, stranger)).status, 404)
  assert.equal((await open('/dashboard/no-such-project/overview')).status, 404)
  assert.deepEqual(
    refused(await get(`/api/v1/private/games/${listing.uid}`, app.owner)),
    [404, 4040],
    'the API answers as for a missing listing',
  )
})

test('the overview of a hidden listing says so and leads to the statement', async (t) => {
  const app = await startPublished(t)
  const { sql, listing, decide, open } = app
  const admin = await app.a.verifiedDeveloper()
  await addAdmin(sql, listing.uid, admin.uid)
  const overview = `/dashboard/${listing.vanity_name}/overview`
  const notice = /Moderators hid this project from discovery/
  assert.doesNotMatch((await open(overview)).body, notice)
  const { statement_uid } = await decide('listing', listing.uid, 'hide')
  const { items } = must(await app.get(`${STATEMENTS}?game_uid=${listing.uid}`, app.owner))
  assert.equal(items.length, 1)
  const { body } = await open(overview)
  assert.match(body, notice)
  assert.match(body, new RegExp(`href="/settings/moderation#${statement_uid}"`))
  const shared = await open(overview, admin)
  assert.match(shared.body, notice)
  assert.doesNotMatch(shared.body, /settings\/moderation#/)
  await decide('listing', listing.uid, 'restore')
  assert.doesNotMatch((await open(overview)).body, notice)
})
