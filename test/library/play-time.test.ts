import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { creditSeconds } from '../../src/library/library-rules.ts'
import { addPlayTime } from '../../src/library/queries.ts'
import { must } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { GAMES, refused, startLibraryApp } from './fixtures.ts'

const beat = (uid: string) => `${GAMES}/${uid}/play-time`

test('a first heartbeat counts up to ten minutes, the next no more than the time between', async (t) => {
  const { post, game, player, sql } = await startLibraryApp(t)
  const { uid, vanity_name } = await game()
  const who = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  assert.deepEqual(must(await post(beat(uid), { seconds: 601 }, who)), { play_seconds: 600 })
  await sql`update play_time set last_beat_at = clock_timestamp() - interval '50 seconds'`
  assert.deepEqual(must(await post(beat(vanity_name), { seconds: 30.9 }, who)), {
    play_seconds: 630,
  })
  await sql`update play_time set last_beat_at = clock_timestamp() + interval '1 hour'`
  assert.deepEqual(must(await post(beat(uid), { seconds: 60 }, who)), { play_seconds: 630 })
  const other = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, other))
  assert.deepEqual(must(await post(beat(uid), { seconds: 10 }, other)), { play_seconds: 10 })
})

test('the database credits what the rule says, for any claim and any time between', async (t) => {
  const { sql, game, fan } = await startLibraryApp(t)
  const { uid } = await game()
  const who = await fan(uid, 0)
  const mark = async () =>
    (
      await sql<
        { seconds: number; at: number }[]
      >`select seconds, extract(epoch from last_beat_at)::float8 as at from play_time`
    )[0]!
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.integer({ min: -100, max: 1_000_000 }),
      async (claimed, ago) => {
        await sql`update play_time set seconds = 0, last_beat_at = clock_timestamp() - ${ago} * interval '1 second'`
        const before = await mark()
        await addPlayTime(sql, who.uid, uid, { claimed, first: 0 })
        const after = await mark()
        assert.ok(after.at >= before.at)
        assert.equal(after.seconds, creditSeconds(claimed, after.at - before.at))
      },
    ),
    { numRuns: 60 },
  )
})

test('heartbeats sent at once never credit the same time twice', async (t) => {
  const { post, game, fan, sql } = await startLibraryApp(t)
  const { uid } = await game()
  const who = await fan(uid, 0)
  await sql`update play_time set last_beat_at = clock_timestamp() - interval '100 seconds'`
  const mark = async () =>
    (await sql`select seconds, extract(epoch from last_beat_at)::float8 as at from play_time`)[0]!
  const before = await mark()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(beat(uid), { seconds: 100 }, who)),
  )
  for (const answer of answers) must(answer)
  const after = await mark()
  assert.ok(after.seconds >= 100 && after.seconds <= after.at - before.at, `${after.seconds}`)
})

test('of first heartbeats sent at once, one is the first', async (t) => {
  const { post, game, player, sql } = await startLibraryApp(t)
  const { uid } = await game()
  const who = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  const clock = async () =>
    (await sql`select extract(epoch from clock_timestamp())::float8 as now`)[0]!.now
  const started = await clock()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(beat(uid), { seconds: 600 }, who)),
  )
  for (const answer of answers) must(answer)
  const [row] = await sql`select seconds from play_time`
  assert.ok(
    row!.seconds >= 600 && row!.seconds <= 600 + (await clock()) - started,
    `${row!.seconds}`,
  )
})

test('a heartbeat is a number of seconds', async (t) => {
  const { post, call, game, fan } = await startLibraryApp(t)
  const { uid } = await game()
  const who = await fan(uid)
  for (const body of [
    {},
    { seconds: -1 },
    { seconds: '5' },
    { seconds: null },
    { seconds: 1, more: 1 },
    [],
  ])
    assert.deepEqual(refused(await post(beat(uid), body, who)), [400, 4000], JSON.stringify(body))
  const headers = { 'content-type': 'application/json' }
  assert.deepEqual(
    refused(await call('POST', beat(uid), { ...who, headers, raw: '{"seconds":1e999}' })),
    [400, 4000],
  )
  assert.equal(
    (await call('POST', beat(uid), { ...who, headers, raw: '{"seconds":1e308}' })).status,
    200,
  )
  assert.equal((await post(beat(uid), { seconds: 0 }, who)).status, 200)
})

test('play time needs a copy; with one it counts even when the page is closed, and without one a closed page is a missing page', async (t) => {
  const { post, game, fan, player, show, sql } = await startLibraryApp(t)
  const { uid } = await game()
  const [holder, other] = [await fan(uid, 5), await player()]
  assert.deepEqual(refused(await post(beat(uid), { seconds: 5 }, other)), [403, 4076])
  await show(uid, 'draft')
  await sql`update play_time set last_beat_at = clock_timestamp() - interval '10 seconds'`
  assert.deepEqual(must(await post(beat(uid), { seconds: 5 }, holder)), { play_seconds: 10 })
  const missing = await post(beat(randomUUID()), { seconds: 5 }, other)
  assert.deepEqual(refused(missing), [404, 4040])
  assert.deepEqual(await post(beat(uid), { seconds: 5 }, other), missing)
})
