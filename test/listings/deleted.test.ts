import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sweepObjects } from '../../src/builds/builds/jobs.ts'
import { startBugApp } from '../bugs/fixtures.ts'
import { runJob } from '../support/app.ts'
import { addAdmin, addCopy, must, refused, storedKeys } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { differences, startFullGame, walk } from './full-game.ts'
import { purgeAfter } from './purge.ts'

const sharedBugApp = sharedInFile(startBugApp)

const GAMES = '/api/v1/private/games'
const DELETED = '/api/v1/private/deleted-games'
test('a deleted listing answers like a missing one everywhere', async (t) => {
  const full = await startFullGame(t)
  const { del, owner, game, sql } = full
  const { purge_at } = must(await del(`${GAMES}/${game.uid}`, owner))
  const days = (new Date(purge_at).getTime() - Date.now()) / 86_400_000
  assert.ok(days > 6.9 && days <= 7, purge_at)
  const deleted = await walk(full)
  await purgeAfter(full, '7 days 1 second')
  assert.deepEqual([...(await sql`select from all_listings where uid = ${game.uid}`)], [])
  const missing = await walk(full)
  assert.ok(deleted.size > 1000, String(deleted.size))
  assert.deepEqual(differences(deleted, missing), [])
})

test('a restored listing answers as before it was deleted', async (t) => {
  const full = await startFullGame(t)
  const { del, post, get, owner, game } = full
  const before = await walk(full, 'GET')
  const stored = await storedKeys(full.core)
  must(await del(`${GAMES}/${game.uid}`, owner))
  await runJob(full, sweepObjects)
  await purgeAfter(full, '6 days 23 hours')
  const { items } = must(await get(DELETED, owner))
  assert.deepEqual(
    items.map(({ uid, vanity_name }: any) => ({ uid, vanity_name })),
    [{ uid: game.uid, vanity_name: game.vanity_name }],
  )
  const restored = must(await post(`${DELETED}/${game.uid}/restore`, undefined, owner))
  const { uid, vanity_name } = game
  assert.deepEqual(restored, { uid, vanity_name, taken_down: false })
  assert.deepEqual(must(await get(DELETED, owner)).items, [])
  const after = await walk(full, 'GET')
  // That it was deleted stays in the security events.
  for (const request of before.keys()) if (/events$/.test(request)) before.delete(request)
  assert.deepEqual(differences(before, after), [])
  assert.deepEqual(await storedKeys(full.core), stored)
})

test('the name of a deleted listing stays reserved until it is gone for good', async (t) => {
  const app = await sharedBugApp(t)
  const { post, patch, del, a } = app
  const game = await app.game()
  await app.fan(game.uid)
  must(await del(`${GAMES}/${game.uid}`, game.owner))
  const other = await a.listing()
  const name = { name: 'Other', vanity_name: game.vanity_name }
  assert.deepEqual(refused(await post(GAMES, name, other.owner)), [409, 4090])
  assert.deepEqual(
    refused(await patch(`${GAMES}/${other.uid}`, { vanity_name: game.vanity_name }, other.owner)),
    [409, 4090],
  )
  await purgeAfter(app, '8 days')
  assert.equal((await post(GAMES, name, other.owner)).status, 201)
})

test('only the owner restores a listing, within seven days', async (t) => {
  const app = await sharedBugApp(t)
  const { post, get, del, a, sql } = app
  const game = await app.game()
  const player = await app.fan(game.uid)
  const admin = await a.developer()
  await addAdmin(sql, game.uid, admin.uid)
  const restore = (person: { token: string }, uid = game.uid) =>
    post(`${DELETED}/${uid}/restore`, undefined, person)
  assert.deepEqual(refused(await restore(game.owner)), [404, 4040], 'it is not deleted')
  must(await del(`${GAMES}/${game.uid}`, game.owner))
  assert.deepEqual(refused(await del(`${GAMES}/${game.uid}`, game.owner)), [404, 4040])
  for (const person of [player, admin]) {
    const refusal = await restore(person)
    assert.equal(refused(refusal)[1], person === player ? 4105 : 4040)
    if (person === player) assert.equal(refusal.body.data.error, 'developer_mode_required')
    assert.deepEqual(must(await get(DELETED, person)).items, [])
  }
  assert.deepEqual(refused(await restore(game.owner, game.vanity_name)), [404, 4040])
  await sql`update all_listings set deleted_at = now() - interval '7 days 1 second'`
  assert.deepEqual(refused(await restore(game.owner)), [404, 4040], 'too late')
  assert.deepEqual(must(await get(DELETED, game.owner)).items, [])
})

test('a listing that nobody plays is deleted at once', async (t) => {
  const app = await sharedBugApp(t)
  const { del, a, sql } = app
  const owner = await a.verifiedDeveloper()
  const isStored = async (uid: string) =>
    (await sql`select from all_listings where uid = ${uid}`).length > 0
  const draft = await a.listing({ owner })
  const own_copy = await app.game('public', owner)
  await addCopy(sql, own_copy.uid, owner.uid, 'free')
  for (const { uid } of [draft, own_copy]) {
    assert.deepEqual(must(await del(`${GAMES}/${uid}`, owner)), { purge_at: null })
    assert.equal(await isStored(uid), false)
  }
  const hidden = await app.game('public', owner)
  await app.fan(hidden.uid)
  await app.show(hidden.uid, 'draft')
  assert.notEqual(must(await del(`${GAMES}/${hidden.uid}`, owner)).purge_at, null)
  assert.equal(await isStored(hidden.uid), true, 'hidden first, then deleted')
})
