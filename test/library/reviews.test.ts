import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { HOUR } from '../../src/core/runtime/units.ts'
import { addCopy, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, PAGES, startLibraryApp } from './fixtures.ts'

const sharedLibraryApp = sharedInFile(startLibraryApp)

const ownReview = (uid: string) => `${GAMES}/${uid}/review`
const allReviews = (id: string) => `${PAGES}/${id}/reviews`
const reply = (uid: string, review_uid: string) => `${GAMES}/${uid}/reviews/${review_uid}/reply`
const good = { enjoyed: true, quality: 4, would_play_with_friends: true, text: 'Good\n' }
const bare = { enjoyed: false, quality: 1 }

async function startReviewApp(t: Parameters<typeof startLibraryApp>[0]) {
  const app = await sharedLibraryApp(t)
  const { uid, vanity_name, owner } = await app.game()
  const write = (who: Person, body: unknown = good) => app.put(ownReview(uid), body, who)
  const read = async (query = '') => must(await app.get(allReviews(uid) + query))
  return { ...app, uid, vanity_name, owner, write, read }
}

test('everyone reads the reviews of a listing with their summary', async (t) => {
  const { uid, vanity_name, fan, write, read, get } = await startReviewApp(t)
  assert.deepEqual(await read(), {
    summary: {
      count: 0,
      enjoyed: 0,
      quality_avg: null,
      quality_counts: { 1: 0, 2: 0, 3: 0, 4: 0, 5: 0 },
      would_play_with_friends: 0,
    },
    items: [],
    total: 0,
    page: 1,
    page_size: 20,
  })
  const first = await fan(uid, HOUR - 1)
  const second = await fan(uid, HOUR)
  const written = must(await write(first))
  must(await write(second, bare))
  const { summary, items, total } = await read()
  assert.deepEqual(
    [summary, total],
    [
      {
        count: 2,
        enjoyed: 1,
        quality_avg: 2.5,
        quality_counts: { 1: 1, 2: 0, 3: 0, 4: 1, 5: 0 },
        would_play_with_friends: 1,
      },
      2,
    ],
  )
  assert.deepEqual(items[1], written)
  const { uid: review_uid, created_at, updated_at, ...content } = items[0]
  assert.ok(review_uid && created_at === updated_at)
  assert.deepEqual(content, {
    username: second.username,
    ...bare,
    would_play_with_friends: null,
    text: '',
    play_seconds: HOUR,
  })
  assert.ok(!('play_seconds' in written) && !('reply' in written))
  assert.deepEqual(must(await get(allReviews(vanity_name))).items, items)
})

test('a player has one review of a game and replaces it', async (t) => {
  const { uid, fan, write, read } = await startReviewApp(t)
  const who = await fan(uid)
  const first = must(await write(who))
  const second = must(await write(who, bare))
  assert.deepEqual(
    [second.uid, second.created_at, second.quality, second.text],
    [first.uid, first.created_at, 1, ''],
  )
  assert.ok(second.updated_at > first.updated_at)
  const race = await Promise.all(
    [1, 2, 3, 4, 5].map((quality) => write(who, { enjoyed: true, quality })),
  )
  for (const answer of race) assert.equal(must(answer).uid, first.uid)
  assert.deepEqual([(await read()).summary.count, (await read()).items[0].uid], [1, first.uid])
  const other = await fan(uid)
  const uids = (await Promise.all(Array.from({ length: 5 }, () => write(other)))).map(
    (answer) => must(answer).uid,
  )
  assert.equal(new Set(uids).size, 1)
  assert.equal((await read()).total, 2)
})

test('rejects an invalid review and changes nothing', async (t) => {
  const { uid, fan, write, read } = await startReviewApp(t)
  const who = await fan(uid)
  must(
    await write(who, {
      enjoyed: true,
      quality: 5,
      text: '🎲'.repeat(4000),
      would_play_with_friends: null,
    }),
  )
  must(await write(who, { enjoyed: true, quality: 1 }))
  const invalid: [string, object][] = [
    ['enjoyed', { quality: 3 }],
    ['enjoyed', { ...good, enjoyed: 'yes' }],
    ['quality', { enjoyed: true }],
    ['quality', { ...good, quality: 0 }],
    ['quality', { ...good, quality: 6 }],
    ['quality', { ...good, quality: 2.5 }],
    ['would_play_with_friends', { ...good, would_play_with_friends: 1 }],
    ['text', { ...good, text: 'a'.repeat(4001) }],
    ['text', { ...good, text: 5 }],
  ]
  for (const [field, body] of invalid) {
    const answer = await write(who, body)
    assert.deepEqual(
      [...refused(answer), answer.body.data],
      [422, 4227, { field }],
      JSON.stringify(body).slice(0, 80),
    )
  }
  for (const body of [{ ...good, stars: 5 }, [], 'x'])
    assert.deepEqual(refused(await write(who, body)), [400, 4000])
  const [current] = (await read()).items
  assert.deepEqual([current.enjoyed, current.quality, current.text], [true, 1, ''])
})

test('a review needs a copy, a verified address, and a game of someone else', async (t) => {
  const { uid, owner, write, player, admin, a, sql, read, claimed, verify } =
    await startReviewApp(t)
  assert.deepEqual(refused(await write(await player())), [403, 4076])
  const unverified = await a.user()
  await addCopy(sql, uid, unverified.uid, 'grant')
  assert.deepEqual(refused(await write(unverified)), [403, 4096])
  assert.deepEqual(refused(await write(owner)), [403, 4077])
  await verify(owner)
  const helper = await admin(uid)
  for (const who of [owner, helper]) {
    assert.deepEqual(refused(await write(who)), [403, 4077])
    await claimed(uid, who)
    assert.deepEqual(refused(await write(who)), [403, 4077])
  }
  assert.equal((await read()).total, 0)
  const invited = await admin(uid, false)
  await claimed(uid, invited)
  must(await write(invited))
  assert.equal((await read()).total, 1)
})

test('removing a copy removes its review', async (t) => {
  const { uid, fan, write, read, sql } = await startReviewApp(t)
  const remaining = await fan(uid)
  const removed = await fan(uid)
  for (const who of [remaining, removed]) must(await write(who))
  await sql`delete from licences where user_uid = ${removed.uid}`
  assert.deepEqual(
    (await read()).items.map(({ username }: any) => username),
    [remaining.username],
  )
})

test('a review on a free copy does not count while the game has a price', async (t) => {
  const { uid, owner, fan, player, write, read, setPrice, sellEdition, sql, post } =
    await startReviewApp(t)
  const free = await fan(uid)
  const bought = await player()
  const granted = await player()
  for (const [who, source] of [
    [bought, 'purchase'],
    [granted, 'grant'],
  ] as const)
    await addCopy(sql, uid, who.uid, source)
  for (const who of [free, bought, granted]) must(await write(who))
  const names = async () => {
    const { items, total, summary } = await read()
    assert.deepEqual([total, summary.count], [items.length, items.length])
    return items.map(({ username }: any) => username)
  }
  assert.deepEqual(await names(), [granted.username, bought.username, free.username])
  await setPrice(uid, 99)
  assert.deepEqual(await names(), [granted.username, bought.username])
  assert.deepEqual(refused(await write(free, bare)), [403, 4076])
  for (const who of [bought, granted]) must(await write(who))
  await setPrice(uid, 0)
  assert.equal((await names()).length, 3)
  await sellEdition(uid)
  assert.equal((await names()).length, 2)
  must(await post(`${GAMES}/${uid}/licences`, { username: free.username }, owner))
  assert.equal((await names()).length, 3)
})

test('an author deletes their review, even when the page is hidden', async (t) => {
  const { uid, fan, write, read, del, show } = await startReviewApp(t)
  const author = await fan(uid)
  const other = await fan(uid)
  for (const who of [author, other]) must(await write(who))
  must(await del(ownReview(uid), author))
  assert.deepEqual((await read()).items.length, 1)
  const missing = await del(ownReview(uid), author)
  assert.deepEqual(refused(missing), [404, 4040])
  assert.deepEqual(await del(ownReview(randomUUID()), author), missing)
  await show(uid, 'draft')
  assert.deepEqual(await del(ownReview(uid), author), missing)
  must(await del(ownReview(uid), other))
})

test('the developer replies to a review, and an empty reply removes it', async (t) => {
  const { uid, owner, fan, admin, write, read, put } = await startReviewApp(t)
  const who = await fan(uid)
  const { uid: review } = must(await write(who))
  const answered = must(await put(reply(uid, review), { text: ' Thanks\n' }, owner))
  assert.equal(answered.reply.text, ' Thanks\n')
  assert.ok(Date.parse(answered.reply.at))
  assert.deepEqual((await read()).items, [answered])
  must(await write(who, bare))
  assert.deepEqual((await read()).items[0].reply, answered.reply)
  must(await put(reply(uid, review), { text: '🎲'.repeat(2000) }, await admin(uid)))
  for (const text of ['a'.repeat(2001), 5]) {
    const answer = await put(reply(uid, review), { text }, owner)
    assert.deepEqual([...refused(answer), answer.body.data.field], [422, 4227, 'text'])
  }
  assert.equal([...(await read()).items[0].reply.text].length, 2000)
  for (const text of ['', '  \n']) {
    must(await put(reply(uid, review), { text: 'x' }, owner))
    assert.ok(!('reply' in must(await put(reply(uid, review), { text }, owner))))
    assert.ok(!('reply' in (await read()).items[0]))
  }
})

test('only the people who manage a listing reply, and only to its reviews', async (t) => {
  const { uid, owner, fan, game, player, admin, write, put } = await startReviewApp(t)
  const who = await fan(uid)
  const { uid: review } = must(await write(who))
  const otherGame = await game('public', owner)
  const text = { text: 'x' }
  const missing = await put(reply(randomUUID(), review), text, owner)
  assert.deepEqual(refused(missing), [404, 4040])
  assert.deepEqual(await put(reply(otherGame.uid, review), text, owner), missing)
  for (const id of [randomUUID(), 'x'])
    assert.deepEqual(await put(reply(uid, id), text, owner), missing)
  for (const outsider of [who, await player(), await admin(uid, false)])
    assert.deepEqual(
      await put(reply(uid, review), text, outsider),
      await put(reply(randomUUID(), review), text, outsider),
    )
  assert.deepEqual(refused(await put(reply(uid, review), text, who)), [404, 4040])
})

test('lists reviews newest first by page; the summary counts all of them', async (t) => {
  const { uid, fan, write, read, sql } = await startReviewApp(t)
  const names = []
  for (let n = 0; n < 3; n++) {
    const who = await fan(uid)
    must(await write(who, { enjoyed: true, quality: n + 1 }))
    names.unshift(who.username)
  }
  // Replacing a review does not make it new.
  const [oldest] = await sql`select uid from users where username = ${names[2]!}`
  await sql`
    update reviews set updated_at = now() + interval '1 day'
    where user_uid = ${oldest!.uid}`
  const usernames = (answer: any) => answer.items.map(({ username }: any) => username)
  const first = await read('?page_size=2')
  const second = await read('?page_size=2&page=2')
  const third = await read('?page_size=2&page=3')
  assert.deepEqual(
    [usernames(first), usernames(second), usernames(third)],
    [names.slice(0, 2), names.slice(2), []],
  )
  for (const answer of [first, second, third])
    assert.deepEqual([answer.total, answer.summary.count, answer.page_size], [3, 3, 2])
  for (const [requested, size] of [
    ['0', 1],
    ['51', 50],
  ])
    assert.equal((await read(`?page_size=${requested}`)).page_size, size)
})

test('reviews of a hidden page answer like those of a missing one', async (t) => {
  const { uid, owner, fan, player, admin, show, get, put, sql } = await startReviewApp(t)
  const holder = await fan(uid)
  const helper = await admin(uid)
  const unknown = randomUUID()
  for (const [visibility, open, closed] of [
    ['draft', [owner, helper], [undefined, holder, await player()]],
    ['owner', [owner], [undefined, holder, helper]],
    ['invisible', [undefined, holder], []],
  ] as const) {
    await show(uid, visibility)
    for (const who of open) assert.equal((await get(allReviews(uid), who)).status, 200, visibility)
    for (const who of closed)
      assert.deepEqual(
        await get(allReviews(uid), who),
        await get(allReviews(unknown), who),
        visibility,
      )
    for (const who of closed)
      if (who)
        assert.deepEqual(
          await put(ownReview(uid), good, who),
          await put(ownReview(unknown), good, who),
          visibility,
        )
  }
  assert.deepEqual(refused(await get(allReviews(unknown))), [404, 4040])
  assert.deepEqual(refused(await get(allReviews(uid), { token: 'nonsense' })), [401, 4010])
  // The page of a public adult listing is open to everyone, and so are its reviews.
  await show(uid)
  await sql`update listings set adult = true where uid = ${uid}`
  assert.equal((await get(allReviews(uid))).status, 200)
})

test('a review changes the version of the page, but not its update time', async (t) => {
  const { uid, owner, fan, write, put, del, pageVersion } = await startReviewApp(t)
  const who = await fan(uid)
  const start = await pageVersion(uid)
  const { uid: review } = must(await write(who))
  let last = start.version
  for (const change of [
    () => write(who, bare),
    () => put(reply(uid, review), { text: 'x' }, owner),
    () => del(ownReview(uid), who),
  ]) {
    const { version, updated_at } = await pageVersion(uid)
    assert.notEqual(version, last)
    assert.deepEqual(updated_at, start.updated_at)
    last = version
    must(await change())
  }
  assert.notEqual((await pageVersion(uid)).version, last)
})
