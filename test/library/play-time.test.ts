import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { creditSeconds } from '../../src/library/play-time.ts'
import { addPlayTime } from '../../src/library/play-time-queries.ts'
import { must, refused } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, startLibraryApp } from './fixtures.ts'

const sharedLibraryApp = sharedInFile(startLibraryApp)

const heartbeat = (uid: string) => `${GAMES}/${uid}/play-time`

test('credits ten minutes at first, and then at most the elapsed time', async (t) => {
  const { post, game, player, sql } = await sharedLibraryApp(t)
  const { uid, vanity_name } = await game()
  const who = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  assert.deepEqual(must(await post(heartbeat(uid), { seconds: 601 }, who)), { play_seconds: 600 })
  await sql`
    update play_time
    set last_beat_at = clock_timestamp() - interval '50 seconds'
    where game_uid = ${uid}`
  assert.deepEqual(must(await post(heartbeat(vanity_name), { seconds: 30.9 }, who)), {
    play_seconds: 630,
  })
  await sql`
    update play_time
    set last_beat_at = clock_timestamp() + interval '1 hour'
    where game_uid = ${uid}`
  assert.deepEqual(must(await post(heartbeat(uid), { seconds: 60 }, who)), { play_seconds: 630 })
  const other = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, other))
  assert.deepEqual(must(await post(heartbeat(uid), { seconds: 10 }, other)), { play_seconds: 10 })
})

test('the database credits the same seconds as the rule, for any claim', async (t) => {
  const { sql, game, fan } = await sharedLibraryApp(t)
  const { uid } = await game()
  const who = await fan(uid, 0)
  const read = async () => {
    const [row] = await sql<{ seconds: number; at: number }[]>`
      select seconds, extract(epoch from last_beat_at)::float8 as at
      from play_time
      where game_uid = ${uid}`
    return row!
  }
  await fc.assert(
    fc.asyncProperty(
      fc.double({ min: 0, max: 1e6, noNaN: true }),
      fc.integer({ min: -100, max: 1_000_000 }),
      async (claimed, ago) => {
        await sql`
          update play_time
          set seconds = 0, last_beat_at = clock_timestamp() - ${ago} * interval '1 second'
          where game_uid = ${uid}`
        const before = await read()
        await addPlayTime(sql, who.uid, uid, { claimed, first: 0 })
        const after = await read()
        assert.ok(after.at >= before.at)
        assert.equal(after.seconds, creditSeconds(claimed, after.at - before.at))
      },
    ),
    { numRuns: 60 },
  )
})

test('concurrent heartbeats never credit the same time twice', async (t) => {
  const { post, game, fan, sql } = await sharedLibraryApp(t)
  const { uid } = await game()
  const who = await fan(uid, 0)
  await sql`
    update play_time
    set last_beat_at = clock_timestamp() - interval '100 seconds'
    where game_uid = ${uid}`
  const mark = async () =>
    (
      await sql`
        select seconds, extract(epoch from last_beat_at)::float8 as at
        from play_time
        where game_uid = ${uid}`
    )[0]!
  const before = await mark()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(heartbeat(uid), { seconds: 100 }, who)),
  )
  for (const answer of answers) must(answer)
  const after = await mark()
  assert.ok(after.seconds >= 100 && after.seconds <= after.at - before.at, `${after.seconds}`)
})

test('of concurrent first heartbeats, only one is credited as the first', async (t) => {
  const { post, game, player, sql } = await sharedLibraryApp(t)
  const { uid } = await game()
  const who = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  const clock = async () =>
    (await sql`select extract(epoch from clock_timestamp())::float8 as now`)[0]!.now
  const started = await clock()
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => post(heartbeat(uid), { seconds: 600 }, who)),
  )
  for (const answer of answers) must(answer)
  const [row] = await sql`select seconds from play_time where game_uid = ${uid}`
  assert.ok(
    row!.seconds >= 600 && row!.seconds <= 600 + (await clock()) - started,
    `${row!.seconds}`,
  )
})

test('rejects a heartbeat without a valid number of seconds', async (t) => {
  const { post, call, game, fan } = await sharedLibraryApp(t)
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
    assert.deepEqual(
      refused(await post(heartbeat(uid), body, who)),
      [400, 4000],
      JSON.stringify(body),
    )
  const headers = { 'content-type': 'application/json' }
  assert.deepEqual(
    refused(await call('POST', heartbeat(uid), { ...who, headers, raw: '{"seconds":1e999}' })),
    [400, 4000],
  )
  assert.equal(
    (await call('POST', heartbeat(uid), { ...who, headers, raw: '{"seconds":1e308}' })).status,
    200,
  )
  assert.equal((await post(heartbeat(uid), { seconds: 0 }, who)).status, 200)
})

test('play time needs a copy, and with one it counts even for a hidden page', async (t) => {
  const { post, game, fan, player, show, sql } = await sharedLibraryApp(t)
  const { uid } = await game()
  const holder = await fan(uid, 5)
  const other = await player()
  assert.deepEqual(refused(await post(heartbeat(uid), { seconds: 5 }, other)), [403, 4076])
  await show(uid, 'draft')
  await sql`
    update play_time
    set last_beat_at = clock_timestamp() - interval '10 seconds'
    where game_uid = ${uid}`
  assert.deepEqual(must(await post(heartbeat(uid), { seconds: 5 }, holder)), { play_seconds: 10 })
  const missing = await post(heartbeat(randomUUID()), { seconds: 5 }, other)
  assert.deepEqual(refused(missing), [404, 4040])
  assert.deepEqual(await post(heartbeat(uid), { seconds: 5 }, other), missing)
})
