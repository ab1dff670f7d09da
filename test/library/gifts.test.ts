import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startConsole } from '../operator/fixtures.ts'
import { addCopy, must, type Person, refused } from '../support/builders.ts'
import { GAMES, LIBRARY, libraryFixtures } from './fixtures.ts'

async function startGifts(t: TestContext) {
  const app = libraryFixtures(await startConsole(t))
  const give = (game_uid: string, { username }: Person, owner: Person, more = {}) =>
    app.post(`${GAMES}/${game_uid}/licences`, { username, ...more }, owner)
  const library = async (who: Person, query = '') => must(await app.get(`${LIBRARY}${query}`, who))
  return { ...app, give, library }
}

test('a gift names who gave it, until its holder removes it', async (t) => {
  const { give, library, game, player, del, post, signedIn } = await startGifts(t)
  const { uid, owner } = await game()
  const who = await player()
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  assert.equal((await library(who)).items[0].given_by, undefined)
  const giver = { uid: owner.uid, username: owner.username }
  assert.deepEqual(must(await give(uid, who, owner)).given_by, giver)
  assert.deepEqual((await library(who)).items[0].given_by, giver)
  const browser = signedIn(who)
  const page = await browser.open('/library')
  assert.match(page.body, new RegExp(`Gift from [^<]*${owner.username}`))
  assert.match(page.body, /Remove from library/)
  await browser.submit(`/library/${uid}/remove`)
  assert.equal((await library(who)).total, 0)
  must(await post(`${GAMES}/${uid}/library`, undefined, who))
  assert.equal((await library(who)).items[0].given_by, undefined, 'a free copy is no gift')
  assert.deepEqual(must(await del(`${GAMES}/${uid}/library`, who)), { game_uid: uid })
})

test('a copy that its holder bought is no gift, and an older gift names nobody', async (t) => {
  const { give, library, game, player, sql, signedIn } = await startGifts(t)
  const { uid, owner } = await game()
  const buyer = await player()
  await addCopy(sql, uid, buyer.uid, 'purchase')
  assert.equal(must(await give(uid, buyer, owner)).given_by, undefined)
  const holder = await player()
  await addCopy(sql, uid, holder.uid, 'grant')
  assert.equal((await library(holder)).items[0].given_by, undefined)
  assert.match((await signedIn(holder).open('/library')).body, /Given to you since/)
  assert.match((await signedIn(buyer).open('/library')).body, /You get no money back/)
})

test('a person gives at most so many copies a day, counting removed ones and bundles', async (t) => {
  const { give, game, player, post, del, set, sql, library } = await startGifts(t)
  const { uid, owner } = await game()
  const part = await game('public', owner)
  const edition = { slug: 'all', name: 'All', kind: 'bundle', price_cents: 500, active: true }
  must(
    await post(
      `${GAMES}/${uid}/editions`,
      { ...edition, sort_order: 0, bundle_asset_uids: [part.uid] },
      owner,
    ),
  )
  await set({ gifts_per_day: 4 })
  const first = await player()
  assert.equal((await give(uid, first, owner)).status, 201)
  assert.equal((await give(uid, first, owner)).status, 200, 'nothing new is free of charge')
  must(await del(`${GAMES}/${uid}/library`, first))
  const second = await player()
  must(await give(uid, second, owner, { edition: 'all' }))
  const third = await player()
  const bundle = await give(uid, third, owner, { edition: 'all' })
  assert.deepEqual(refused(bundle), [429, 4290])
  const wait = Number(bundle.headers['retry-after'])
  assert.ok(wait >= 1 && wait <= 86_400 && bundle.body.data.retry_after === wait)
  assert.match(bundle.body.error.message, /4 copies a day/)
  assert.equal((await library(third)).total, 0, 'a refused bundle gives nothing')

  const others = [third, await player(), await player()]
  const race = await Promise.all(others.map((person) => give(uid, person, owner)))
  assert.deepEqual(race.map(({ status }) => status).sort(), [201, 429, 429])
  assert.equal((await give(uid, first, (await game()).owner)).status, 404)
  const another = await game()
  assert.equal((await give(another.uid, first, another.owner)).status, 201)

  await sql`update gift_counts set day = day - 1`
  assert.equal((await give(uid, first, owner)).status, 201, 'the next day')
  await set({ gifts_per_day: 0 })
  assert.deepEqual(refused(await give(uid, await player(), owner)), [429, 4290])
})

test('a gift shows nothing of an adult listing without the opt-in of its holder', async (t) => {
  const { give, library, game, player, put, sql, signedIn, post, del } = await startGifts(t)
  const adult = await game()
  const calm = await game('public', adult.owner)
  const who = await player()
  const own = await player()
  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, own))
  await sql`update listings set adult = true, name = 'Velvet Nights' where uid = ${adult.uid}`
  must(await post(`${GAMES}/${adult.uid}/library`, undefined, own))
  must(await put('/api/v1/private/settings/adult', { show: false, confirm_18: true }, own))
  for (const { uid } of [adult, calm]) must(await give(uid, who, adult.owner))
  must(await give(adult.uid, adult.owner, adult.owner))

  const uids = ({ items }: any) => items.map(({ game_uid }: any) => game_uid)
  const without = await library(who, '?show=all')
  assert.deepEqual([uids(without), without.total], [[calm.uid], 1])
  assert.equal(without.adult_gifts_total, 1)
  assert.equal((await library(who, '?q=velvet&show=all')).total, 0, 'the search shows its name')
  must(await put(`${GAMES}/${adult.uid}/library/hidden`, { hidden: true }, who))
  assert.equal((await library(who)).hidden_total, 0)
  must(await put(`${GAMES}/${adult.uid}/library/hidden`, { hidden: false }, who))
  const page = (await signedIn(who).open('/library')).body
  assert.doesNotMatch(page, /Velvet/)
  assert.match(page, /1 gift with adult content is not shown.*href="\/settings#adult"/s)
  assert.deepEqual(uids(await library(own)), [adult.uid], 'their own choice stays')
  assert.deepEqual(uids(await library(adult.owner)), [adult.uid], 'editors see their listings')

  must(await put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, who))
  const opted = await library(who)
  assert.deepEqual([opted.total, opted.adult_gifts_total], [2, 0])
  must(await put('/api/v1/private/settings/adult', { show: false, confirm_18: true }, who))
  must(await del(`${GAMES}/${adult.uid}/library`, who))
  assert.equal((await library(who)).adult_gifts_total, 0)
})
