import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { addCopy, must, type Person, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, LIBRARY, startLibraryApp } from './fixtures.ts'

const sharedLibraryApp = sharedInFile(startLibraryApp)

const hide = (uid: string) => `${GAMES}/${uid}/library/hidden`
const copy = (uid: string) => `${GAMES}/${uid}/library`

/** A player with three copies, added in the order of their names. */
async function startWithCopies(t: Parameters<typeof startLibraryApp>[0]) {
  const app = await sharedLibraryApp(t)
  const who = await app.player()
  const uids: string[] = []
  for (const [days, name] of ['amber 100%', 'Birch', 'cedar_x'].entries()) {
    const { uid } = await app.game()
    await app.sql`update listings set name = ${name} where uid = ${uid}`
    must(await app.post(copy(uid), undefined, who))
    await app.sql`
      update licences set created_at = now() - ${3 - days} * interval '1 day'
      where game_uid = ${uid}`
    uids.push(uid)
  }
  const names = async (query = '', person: Person = who) =>
    must(await app.get(`${LIBRARY}?${query}`, person)).items.map(
      ({ name }: { name: string }) => name,
    )
  return { ...app, who, uids: uids as [string, string, string], names }
}

test('the library is sorted by time of copy, by name or by newest stable file', async (t) => {
  const { names, who, get, a, sql } = await startWithCopies(t)
  assert.deepEqual(await names(), ['cedar_x', 'Birch', 'amber 100%'])
  assert.deepEqual(await names('sort=name'), ['amber 100%', 'Birch', 'cedar_x'])
  assert.equal(must(await get(LIBRARY, who)).items[0].updated_at, null)
  assert.deepEqual(await names('sort=updated'), ['cedar_x', 'Birch', 'amber 100%'])
  const listing = await a.listing({ owner: await a.verifiedDeveloper() })
  await a.cleanBuild(listing, { version: '1.0.0' })
  await sql`update listings set name = 'Dogwood' where uid = ${listing.uid}`
  await addCopy(sql, listing.uid, who.uid, 'grant')
  await sql`
    update licences set created_at = now() - interval '9 days' where game_uid = ${listing.uid}`
  assert.equal((await names())[3], 'Dogwood')
  assert.equal((await names('sort=updated'))[0], 'Dogwood')
  const { items } = must(await get(`${LIBRARY}?sort=updated`, who))
  assert.ok(Date.parse(items[0].updated_at) <= Date.now())
  for (const query of ['sort=size', 'show=none', `q=${'x'.repeat(201)}`])
    assert.deepEqual(refused(await get(`${LIBRARY}?${query}`, who)), [400, 4000], query)
})

test('a search of the library finds parts of names and developers as written', async (t) => {
  const { names, who, get, sql, uids } = await startWithCopies(t)
  assert.deepEqual(await names('q=IRC'), ['Birch'])
  assert.deepEqual(await names('q=%25'), ['amber 100%'])
  assert.deepEqual(await names('q=_'), ['cedar_x'])
  assert.deepEqual(await names('q=%5C'), [])
  assert.deepEqual(await names('q=+birch+'), ['Birch'])
  const [row] = await sql<{ username: string }[]>`
    select u.username from users u join listings l on l.owner_uid = u.uid where l.uid = ${uids[2]}`
  assert.ok((await names(`q=${row!.username.toUpperCase()}`)).includes('cedar_x'))
  const { items, total } = must(await get(`${LIBRARY}?q=r&page_size=1&sort=name`, who))
  assert.deepEqual([items.length, items[0].name], [1, 'amber 100%'])
  assert.ok(total >= 3)
})

test('a hidden copy leaves the library until it is shown again', async (t) => {
  const { names, who, put, get, uids, player } = await startWithCopies(t)
  assert.deepEqual(must(await put(hide(uids[1]), { hidden: true }, who)), {
    game_uid: uids[1],
    hidden: true,
  })
  must(await put(hide(uids[1]), { hidden: true }, who))
  assert.deepEqual(await names(), ['cedar_x', 'amber 100%'])
  assert.deepEqual(await names('show=hidden'), ['Birch'])
  assert.deepEqual(await names('show=all'), ['cedar_x', 'Birch', 'amber 100%'])
  const { total, hidden_total, items } = must(await get(`${LIBRARY}?show=all`, who))
  assert.deepEqual([total, hidden_total], [3, 1])
  assert.deepEqual(
    items.map(({ hidden }: { hidden: boolean }) => hidden),
    [false, true, false],
  )
  must(await put(hide(uids[1]), { hidden: false }, who))
  assert.deepEqual(await names('show=hidden'), [])
  assert.equal((await names()).length, 3)

  const stranger = await player()
  assert.deepEqual(refused(await put(hide(uids[1]), { hidden: true }, stranger)), [404, 4040])
  assert.deepEqual(refused(await put(hide(randomUUID()), { hidden: true }, who)), [404, 4040])
  assert.deepEqual(refused(await put(hide(uids[1]), {}, who)), [400, 4000])
})

test('a free copy is removed with the review, and can be claimed again', async (t) => {
  const { names, who, post, put, del, sql, uids } = await startWithCopies(t)
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${who.uid}, ${uids[0]}, 7200, now())`
  const review = { enjoyed: true, quality: 4, text: 'Calm and short, and the sea is beautiful.' }
  must(await put(`${GAMES}/${uids[0]}/review`, review, who))
  assert.deepEqual(must(await del(copy(uids[0]), who)), { game_uid: uids[0] })
  assert.deepEqual(await names(), ['cedar_x', 'Birch'])
  assert.deepEqual(refused(await del(copy(uids[0]), who)), [404, 4040])
  const [left] = await sql`select count(*)::int as reviews from reviews where game_uid = ${uids[0]}`
  assert.equal(left!.reviews, 0)
  assert.equal((await post(copy(uids[0]), undefined, who)).status, 201)
})

test('a copy that was bought or given is removed by its holder only', async (t) => {
  const { sql, del, get, game, player } = await sharedLibraryApp(t)
  const who = await player()
  const stranger = await player()
  for (const source of ['purchase', 'grant'] as const) {
    const { uid } = await game()
    await addCopy(sql, uid, who.uid, source)
    assert.deepEqual(refused(await del(copy(uid), stranger)), [404, 4040])
    assert.deepEqual(must(await del(copy(uid), who)), { game_uid: uid }, source)
    assert.deepEqual(refused(await del(copy(uid), who)), [404, 4040])
  }
  assert.equal(must(await get(LIBRARY, who)).total, 0)
})
