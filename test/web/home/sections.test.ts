import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ago, startCatalog } from '../../catalog/fixtures.ts'
import { browser } from '../browser.ts'

const shownUids = (body: string) =>
  [...body.matchAll(/<h[23][^>]*><a href="\/[\w-]+\/(game-\d+)"/g)].map((match) => match[1]!)

/** The names of the listings in the section with this heading. */
const namesIn = (body: string, id: string) => {
  const section = body.split('<section ').find((text) => text.includes(`id="${id}"`)) ?? ''
  return [...section.matchAll(/>(Game \d+)</g)].map((match) => match[1]!)
}

test('home shows each listing once and none that often fails to start', async (t) => {
  const { get, createListing } = await startCatalog(t)
  const failing = await createListing({ band: 'problematic' })
  const listings = []
  for (let n = 0; n < 6; n++) listings.push(await createListing({ band: 'healthy' }))
  const { body } = await get('/')
  const names = shownUids(body)
  assert.equal(new Set(names).size, names.length, names.join(' '))
  assert.ok(names.length >= 5, names.join(' '))
  assert.ok(!body.includes(`>${failing.name}<`), 'a failing listing is on the page')
  assert.equal(namesIn(body, 'spotlight').length, 1)
  const { data } = (await get('/api/v1/public/shelves/new')).body
  assert.ok(
    data.items.some(({ uid }: { uid: string }) => uid === failing.uid),
    'the shelf of the API is unchanged',
  )
})

test('the spotlight is a popular game that starts, has a cover and is not adult', async (t) => {
  const { get, sql, createListing } = await startCatalog(t)
  const popular = async (fields: Record<string, unknown>, popularity: number) => {
    const listing = await createListing(fields)
    await sql`
      insert into download_popularity (game_uid, popularity, newest_at)
      values (${listing.uid}, ${popularity}, now())`
    return listing
  }
  await createListing()
  await popular({ band: 'mixed' }, 90)
  await popular({ band: 'problematic' }, 91)
  await popular({ adult: true }, 92)
  await popular({ visibility: 'invisible' }, 93)
  await popular({ asset_type: 'tool' }, 94)
  await popular({ os: [] }, 95)
  const without_cover = await popular({}, 96)
  await sql`delete from listing_images where game_uid = ${without_cover.uid} and slot = 'cover'`
  const best = await popular({ band: 'excellent' }, 20)
  const { body } = await get('/')
  assert.deepEqual(namesIn(body, 'spotlight'), [best.name])
  assert.match(body, /Popular this month/)
  assert.match(body, /<link rel="preload" as="image" type="image\/avif" fetchpriority="high"/)
})

test('a store without downloads shows one of its newest games large', async (t) => {
  const { get, createListing } = await startCatalog(t)
  const listing = await createListing()
  const { body } = await get('/')
  assert.deepEqual(namesIn(body, 'spotlight'), [listing.name])
  assert.doesNotMatch(body, /Popular this month/)
})

test('an empty store asks for the first game', async (t) => {
  const { get } = await startCatalog(t)
  const { body } = await get('/')
  assert.match(body, /Be the first/)
  assert.doesNotMatch(body, /id="spotlight"|id="feel"/)
})

test('home of a signed-in person has what they played last and what is new to them', async (t) => {
  const app = await startCatalog(t)
  const { sql, createListing, build, a } = app
  const player = await a.verified()
  const adult_player = await a.verified()
  await sql`
    update users
    set show_adult = true, adult_confirmed_at = now()
    where uid = ${adult_player.uid}`
  const copy = async (fields: Record<string, unknown>, created_at = ago(10)) => {
    const listing = await createListing(fields)
    await sql`update files set uploaded_at = ${ago(20)} where game_uid = ${listing.uid}`
    await sql`
      insert into licences (user_uid, game_uid, source, created_at)
      values (${player.uid}, ${listing.uid}, 'free', ${created_at})`
    return listing
  }
  const play = (game_uid: string, days: number) => sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${player.uid}, ${game_uid}, 7200, ${ago(days)})`
  const played = await copy({})
  const played_later = await copy({})
  const played_tool = await copy({ asset_type: 'tool' })
  const updated = await copy({})
  const unchanged = await copy({})
  const adult = await copy({ adult: true })
  const draft = await copy({ visibility: 'draft' })
  await play(played.uid, 5)
  await play(played_later.uid, 2)
  await play(played_tool.uid, 1)
  await play(adult.uid, 1)
  await play(draft.uid, 1)
  await build(updated.uid, { version: '2.5', uploaded_at: ago(1) })
  await build(played.uid, { version: '3.1', uploaded_at: ago(1) })
  await sql`
    insert into licences (user_uid, game_uid, source)
    values (${adult_player.uid}, ${adult.uid}, 'free')`
  await sql`
    insert into play_time (user_uid, game_uid, seconds, last_beat_at)
    values (${adult_player.uid}, ${adult.uid}, 10, now())`
  const open = async ({ token }: { token: string }): Promise<string> => {
    const person = browser(app)
    person.as(token)
    return (await person.open('/')).body
  }
  const body = await open(player)
  assert.deepEqual(namesIn(body, 'own-continue'), [played_later.name, played.name])
  assert.deepEqual(namesIn(body, 'own-updates'), [updated.name])
  assert.match(body, /Version 2\.5 since/)
  assert.match(body, /Version 3\.1 since/)
  for (const hidden of [adult, draft]) assert.ok(!body.includes(`>${hidden.name}<`))
  const names = shownUids(body)
  assert.equal(new Set(names).size, names.length, names.join(' '))
  assert.ok(names.includes(unchanged.vanity_name), 'other copies stay on the shelves')
  assert.deepEqual(namesIn(await open(adult_player), 'own-continue'), [adult.name])
  await sql`
    update licences set hidden_at = now()
    where game_uid in (${played_later.uid}, ${updated.uid})`
  const rest = await open(player)
  assert.deepEqual(namesIn(rest, 'own-continue'), [played.name], 'without hidden copies')
  assert.deepEqual(namesIn(rest, 'own-updates'), [])
  const other = await a.verified()
  assert.doesNotMatch(await open(other), /own-continue|own-updates/)
  assert.doesNotMatch((await app.get('/')).body, /own-continue|own-updates/)
})
