import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { openPool } from '../../src/core/database/sql.ts'
import { HOUR } from '../../src/core/runtime/units.ts'
import { purgeAfter } from '../listings/purge.ts'
import { eventually } from '../support/app.ts'
import { lockWaits, must, type Person, refused } from '../support/builders.ts'
import { cleanup } from '../support/cleanup.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, startLibraryApp } from './fixtures.ts'
import { visibleTags } from './visible-tags.ts'

const sharedLibraryApp = sharedInFile(startLibraryApp)

const suggestions = (uid: string) => `${GAMES}/${uid}/tag-suggestions`
const community = (uid: string, tag?: string) =>
  `${GAMES}/${uid}/community-tags${tag === undefined ? '' : `/${tag}`}`
const letters = (count: number) => 'a'.repeat(count)

async function startTagApp(t: Parameters<typeof startLibraryApp>[0]) {
  const app = await sharedLibraryApp(t)
  const game = await app.game()
  const suggest = async (who: Person, tags: unknown) =>
    app.put(suggestions(game.uid), { tags }, who)
  const fans = async (count: number) => {
    const players = []
    for (let n = 0; n < count; n++) players.push(await app.fan(game.uid))
    return players
  }
  const listed = async () => must(await app.get(community(game.uid), game.owner)).tags
  const visibleTagNames = async () =>
    (
      await app.sql`
        select tag from shown_community_tags where game_uid = ${game.uid} order by position`
    ).map(({ tag }) => tag)
  return { ...app, uid: game.uid, owner: game.owner, suggest, fans, listed, visibleTagNames }
}

test('a tag shows while three players suggest it', async (t) => {
  const { suggest, fans, listed, visibleTagNames } = await startTagApp(t)
  const [first, second, third] = await fans(3)
  assert.deepEqual(must(await suggest(first!, ['Turn Based', 'turn_based', 'co-op'])), {
    tags: ['turn-based', 'co-op'],
  })
  must(await suggest(second!, ['turn-based']))
  assert.deepEqual(await visibleTagNames(), [])
  must(await suggest(third!, ['turn-based']))
  assert.deepEqual(await visibleTagNames(), ['turn-based'])
  assert.deepEqual(await listed(), [
    { tag: 'turn-based', votes: 3, hidden: false, shown: true },
    { tag: 'co-op', votes: 1, hidden: false, shown: false },
  ])
  must(await suggest(third!, []))
  assert.deepEqual(await visibleTagNames(), [])
  assert.deepEqual((await listed())[0], {
    tag: 'turn-based',
    votes: 2,
    hidden: false,
    shown: false,
  })
  must(await suggest(first!, ['co-op']))
  must(await suggest(second!, []))
  assert.deepEqual(await listed(), [{ tag: 'co-op', votes: 1, hidden: false, shown: false }])
})

test('suggesting a tag again is not a second vote', async (t) => {
  const { suggest, fans, listed } = await startTagApp(t)
  const [player] = await fans(1)
  for (const tags of [['a'], ['a'], ['a', 'b'], ['b', 'a']]) must(await suggest(player!, tags))
  assert.deepEqual(
    (await listed()).map(({ tag, votes }: any) => [tag, votes]),
    [
      ['a', 1],
      ['b', 1],
    ],
  )
})

test('rejects more than five suggested tags and invalid ones', async (t) => {
  const { suggest, fans, put, uid, sql } = await startTagApp(t)
  const [player] = await fans(1)
  must(await suggest(player!, ['a', 'b', 'c', 'd', letters(32)]))
  const invalid = [['a', 'b', 'c', 'd', 'e', 'f'], ['a!'], [''], [letters(33)], [5], null, 'a', {}]
  for (const tags of invalid) {
    const answer = await suggest(player!, tags)
    assert.deepEqual(
      [...refused(answer), answer.body.data.field],
      [422, 4236, 'tags'],
      JSON.stringify(tags),
    )
  }
  assert.deepEqual(refused(await put(suggestions(uid), {}, player)), [400, 4000])
  const [stored] = await sql`
    select count(*)::int as tags from tag_suggestions where game_uid = ${uid}`
  assert.equal(stored!.tags, 5)
})

test('suggesting needs a copy and an hour of play, and the error tells how much', async (t) => {
  const { suggest, player, fan, setPlayTime, uid } = await startTagApp(t)
  assert.deepEqual(refused(await suggest(await player(), ['a'])), [403, 4076])
  const who = await fan(uid, HOUR - 1)
  const early = await suggest(who, ['a'])
  assert.deepEqual(
    [...refused(early), early.body.data],
    [403, 4237, { play_seconds: HOUR - 1, needed_seconds: HOUR }],
  )
  await setPlayTime(uid, who, HOUR)
  must(await suggest(who, ['a']))
  const visitor = await player()
  await setPlayTime(uid, visitor, HOUR)
  assert.deepEqual(refused(await suggest(visitor, ['a'])), [403, 4076])
})

test('of concurrent lists of one player, one is stored as a whole', async (t) => {
  const { suggest, fans, sql, uid, settings } = await startTagApp(t)
  const [player] = await fans(1)
  const lists = ['x', 'y'].map((end) => ['a', 'b', 'c', 'd', 'e'].map((tag) => tag + end))
  // Another transaction locks the listing until both requests wait for it.
  const other = openPool(settings.DATABASE_URL, 1, 'test')
  cleanup(t, () => other.end())
  const sent = await other.begin(async (tx) => {
    await tx`select from listings where uid = ${uid} for update`
    const answers = Promise.all(lists.map((tags) => suggest(player!, tags)))
    await eventually('both requests to wait', async () => (await lockWaits(tx)) === 2)
    return { answers }
  })
  for (const answer of await sent.answers) must(answer)
  const stored = (
    await sql`select tag from tag_suggestions where game_uid = ${uid} order by tag`
  ).map(({ tag }) => tag)
  assert.ok(
    lists.some((tags) => tags.join() === stored.join()),
    stored.join(),
  )
  const counted = (
    await sql`select tag, votes from community_tags where game_uid = ${uid} order by tag`
  ).map(({ tag, votes }) => [tag, votes])
  assert.deepEqual(
    counted,
    stored.map((tag) => [tag, 1]),
  )
})

test('suggestions and edits of a listing run concurrently without failures', async (t) => {
  const { suggest, fans, put, patch, uid, owner, sql } = await startTagApp(t)
  const players = await fans(5)
  const common = ['a', 'b', 'c', 'd', 'e']
  for (const who of players) must(await suggest(who, common))
  const rounds = [0, 1, 2].flatMap((round) => [
    ...players.map((who, n) =>
      suggest(who, common.toSorted(() => (n + round) % 2 || -1).slice(round)),
    ),
    put(community(uid, common[round]!), { hidden: round % 2 === 0 }, owner),
    patch(`${GAMES}/${uid}`, { indexable: round % 2 === 0 }, owner),
  ])
  for (const answer of await Promise.all(rounds))
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const miscounted = await sql`
    select c.tag
    from community_tags c
    where c.votes <> (
      select count(*) from tag_suggestions s where s.game_uid = c.game_uid and s.tag = c.tag)`
  assert.equal(miscounted.length, 0)
})

test('a hidden tag stays hidden while votes are withdrawn and cast again', async (t) => {
  const { suggest, fans, put, listed, visibleTagNames, uid, owner, admin } = await startTagApp(t)
  const players = await fans(3)
  for (const who of players) must(await suggest(who, ['rogue-like']))
  assert.deepEqual(must(await put(community(uid, 'Rogue_Like'), { hidden: true }, owner)), {
    tag: 'rogue-like',
    hidden: true,
  })
  assert.deepEqual(await visibleTagNames(), [])
  assert.deepEqual(await listed(), [{ tag: 'rogue-like', votes: 3, hidden: true, shown: false }])
  for (const who of players) must(await suggest(who, []))
  assert.deepEqual(await listed(), [{ tag: 'rogue-like', votes: 0, hidden: true, shown: false }])
  for (const who of players) must(await suggest(who, ['rogue-like']))
  assert.deepEqual(await visibleTagNames(), [])
  must(await put(community(uid, 'rogue-like'), { hidden: false }, await admin(uid)))
  assert.deepEqual(await visibleTagNames(), ['rogue-like'])
  must(await put(community(uid, 'rogue-like'), { hidden: true }, owner))
  for (const who of players) must(await suggest(who, []))
  must(await put(community(uid, 'rogue-like'), { hidden: false }, owner))
  assert.deepEqual(await listed(), [])
})

test('rejects hiding a tag that nobody suggested, or without a boolean', async (t) => {
  const { suggest, fans, put, uid, owner } = await startTagApp(t)
  const [player] = await fans(1)
  must(await suggest(player!, ['a']))
  for (const tag of ['b', '%21', letters(33)])
    assert.deepEqual(
      refused(await put(community(uid, tag), { hidden: true }, owner)),
      [404, 4040],
      tag,
    )
  for (const body of [{}, { hidden: 'yes' }, { hidden: null }])
    assert.deepEqual(
      refused(await put(community(uid, 'a'), body, owner)),
      [400, 4000],
      JSON.stringify(body),
    )
})

test('community tags of a hidden page answer like those of a missing one', async (t) => {
  const { put, get, fan, player, admin, show, uid } = await startTagApp(t)
  const holder = await fan(uid)
  const unknown = randomUUID()
  const outsiders = [holder, await player(), await admin(uid, false)]
  for (const who of outsiders) {
    assert.deepEqual(await get(community(uid), who), await get(community(unknown), who))
    assert.deepEqual(
      await put(community(uid, 'a'), { hidden: true }, who),
      await put(community(unknown, 'a'), { hidden: true }, who),
    )
  }
  assert.deepEqual(refused(await get(community(uid), holder)), [404, 4040])
  await show(uid, 'draft')
  for (const who of outsiders)
    assert.deepEqual(
      await put(suggestions(uid), { tags: ['a'] }, who),
      await put(suggestions(unknown), { tags: ['a'] }, who),
    )
  assert.deepEqual(refused(await put(suggestions(uid), { tags: ['a'] }, holder)), [404, 4040])
})

test('a change of shown tags changes the page version, not its update time', async (t) => {
  const { suggest, fans, put, pageVersion, uid, owner } = await startTagApp(t)
  const players = await fans(3)
  const start = await pageVersion(uid)
  for (const who of players.slice(0, 2)) must(await suggest(who, ['a']))
  assert.deepEqual(await pageVersion(uid), start)
  const changes = [
    () => suggest(players[2]!, ['a']),
    () => put(community(uid, 'a'), { hidden: true }, owner),
    () => put(community(uid, 'a'), { hidden: false }, owner),
    () => suggest(players[2]!, []),
  ]
  let last = start.version
  for (const change of changes) {
    must(await change())
    const { version, updated_at } = await pageVersion(uid)
    assert.notEqual(version, last)
    assert.deepEqual(updated_at, start.updated_at)
    last = version
  }
})

test('the database shows the same community tags as the rule', async (t) => {
  const { sql, owner } = await startTagApp(t)
  const crowd = (await sql`
    insert into users (uid, username, email, password_hash)
    select gen_random_uuid(), 'crowd-' || n, 'crowd-' || n || '@example.com', 'x'
    from generate_series(1, 6) n
    returning uid`) as { uid: string }[]
  const tag = fc.constantFrom(...'abcdefghijklmn', 'a-b', 'a1')
  const votes = fc.constantFrom(0, 1, 2, 3, 3, 4, 5, 6)
  const castOf = (minLength: number) =>
    fc.uniqueArray(fc.record({ tag, votes }, { noNullPrototype: true }), {
      selector: (entry) => entry.tag,
      minLength,
      maxLength: 16,
    })
  const cast = fc.oneof(castOf(0), castOf(15))
  await fc.assert(
    fc.asyncProperty(
      cast,
      fc.uniqueArray(tag, { maxLength: 3 }),
      fc.uniqueArray(tag, { maxLength: 3 }),
      async (votes, own, hidden) => {
        const uid = randomUUID()
        const listing = { uid, owner_uid: owner.uid, vanity_name: uid, name: 'x', tags: own }
        await sql`insert into listings ${sql(listing)}`
        await sql`
          insert into licences (user_uid, game_uid, source)
          select u.uid, ${uid}, 'free' from users u where u.username like 'crowd-%'`
        const suggested = votes.flatMap(({ tag, votes }) =>
          crowd.slice(0, votes).map((user) => ({ game_uid: uid, user_uid: user.uid, tag })),
        )
        if (suggested.length) await sql`insert into tag_suggestions ${sql(suggested)}`
        await sql`
          update community_tags set hidden = true
          where game_uid = ${uid} and tag = any(${hidden})`
        const rows = await sql`
          select tag, votes from shown_community_tags where game_uid = ${uid} order by position`
        assert.deepEqual([...rows], visibleTags(votes, own, hidden))
      },
    ),
    { numRuns: 150 },
  )
})

test('deleting a listing for good deletes its suggestions', async (t) => {
  const app = await startTagApp(t)
  const { suggest, fans, sql, uid, owner, del } = app
  for (const who of await fans(3)) must(await suggest(who, ['a', 'b']))
  must(await del(`${GAMES}/${uid}`, owner))
  await purgeAfter(app, '8 days')
  const [remaining] = await sql`
    select
      (select count(*) from tag_suggestions where game_uid = ${uid})
      + (select count(*) from community_tags where game_uid = ${uid})
      + (select count(*) from licences where game_uid = ${uid})
      + (select count(*) from play_time where game_uid = ${uid}) as rows`
  assert.equal(remaining!.rows, 0)
})
