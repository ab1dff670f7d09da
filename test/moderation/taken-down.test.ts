import assert from 'node:assert/strict'
import { test } from 'node:test'
import { differences, startFullGame, walk } from '../listings/full-game.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { moderationTeam } from './fixtures.ts'

test('a listing that is taken down answers like a missing one on every route', async (t) => {
  const full = await startFullGame(t)
  const { decide } = await moderationTeam(full)
  const { game, sql } = full
  await decide('listing', game.uid, 'take_down')
  const taken_down = await walk(full)
  await sql`delete from all_listings where uid = ${game.uid}`
  const missing = await walk(full)
  assert.ok(taken_down.size > 1000, String(taken_down.size))
  const changed = differences(taken_down, missing)
  assert.deepEqual(
    changed.filter((line) => !isExplanation(line)),
    [],
  )
  assert.ok(changed.length > 10, 'the owner reads why in the dashboard')
})

/** A page of the dashboard that tells the owner why; the API answers as for a missing listing. */
const isExplanation = (line: string) =>
  /^owner in a browser: GET \/dashboard\/\S+\n {2}200 /.test(line) &&
  line.includes(' was taken down ')

/** The first test looks at everything; each of the others then deletes a part of its own. */
const startSharedGame = sharedInFile(startFullGame)

test('a restored listing answers as before it was taken down', async (t) => {
  const full = await startSharedGame(t)
  const { decide } = await moderationTeam(full)
  const { game, owner, get } = full
  const before = await walk(full, 'GET')
  await decide('listing', game.uid, 'take_down')
  await decide('listing', game.vanity_name, 'hide')
  await decide('listing', game.uid, 'restore')
  const changed = differences(before, await walk(full, 'GET'))
  const about_statements = changed.filter((line) => line.includes('/moderation'))
  assert.deepEqual(changed.length - about_statements.length, 0, changed.join('\n'))
  const { items } = must(await get('/api/v1/private/moderation/statements', owner))
  assert.deepEqual(
    items
      .filter(({ target_type }: any) => target_type === 'listing')
      .map(({ action, in_force }: any) => [action, in_force]),
    [
      ['restore', false],
      ['hide', false],
      ['take_down', false],
    ],
  )
})

/** Those who do not run the listing; its owner and admins see what happened to it, and why. */
const others = ['anonymous', 'player', 'player in a browser', 'running game']

test('a quarantined file answers like a missing one to everyone but its publisher', async (t) => {
  const full = await startSharedGame(t)
  const { decide } = await moderationTeam(full)
  const { ids, sql } = full
  await decide('file', ids['file_uid']!, 'quarantine')
  const quarantined = await walk(full, 'GET', { actors: others, with_counted: true })
  await sql`delete from files where uid = ${ids['file_uid']!}`
  const missing = await walk(full, 'GET', { actors: others, with_counted: true })
  assert.ok(quarantined.size > 200, String(quarantined.size))
  assert.deepEqual(differences(quarantined, missing), [])
})

test('a removed review answers like a missing one to everyone but its author', async (t) => {
  const full = await startSharedGame(t)
  const { decide } = await moderationTeam(full)
  const { ids, sql } = full
  const readers = ['anonymous', 'owner', 'admin', 'owner in a browser', 'bound key']
  await decide('review', ids['review_uid']!, 'remove')
  const removed = await walk(full, 'GET', { actors: readers })
  await sql`delete from all_reviews where uid = ${ids['review_uid']!}`
  const missing = await walk(full, 'GET', { actors: readers })
  assert.ok(removed.size > 400, String(removed.size))
  assert.deepEqual(differences(removed, missing), [])
})
