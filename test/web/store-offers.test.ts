import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually } from '../support/app.ts'
import { addCopy, must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { zip } from '../uploads/zips.ts'
import { startStore } from './fixtures.ts'

const sharedStore = sharedInFile(startStore)

test('a paid listing says that it is not for sale, and offers no download', async (t) => {
  const { a, published, sql, visitor, signedIn } = await sharedStore(t)
  const listing = await published({}, { price_cents: 999 })
  const { body } = await visitor().open(listing.path)
  assert.match(body, /Not for sale here yet/)
  assert.doesNotMatch(body, /href="\/download\//)
  const embed = (await visitor().open(`${listing.path}/embed`)).body
  assert.match(embed, /Not for sale here yet/)
  assert.doesNotMatch(embed, />Buy</)
  const player = await a.verified()
  const stranger = (await signedIn(player).open(listing.path)).body
  assert.doesNotMatch(stranger, /href="\/download\//)
  await addCopy(sql, listing.uid, player.uid, 'grant')
  const owned = (await signedIn(player).open(listing.path)).body
  assert.match(owned, new RegExp(`href="/download/${listing.file_uid}"`))
  assert.doesNotMatch(owned, /Not for sale/)
  const free = await published()
  assert.match((await visitor().open(free.path)).body, /href="\/download\//)
})

const webBuild = {
  version: '1.3.0',
  os: 'web',
  arch: 'universal',
  bytes: zip([{ name: 'index.html', body: 'Game' }]),
}

test('a browser build is offered to play, on the page and on other sites', async (t) => {
  const { a, published, visitor } = await sharedStore(t)
  const listing = await published()
  await a.cleanBuild(listing, webBuild)
  for (const [path, label] of [
    [listing.path, 'Play in the browser'],
    [`${listing.path}/embed`, 'Play now'],
  ] as const) {
    const { body } = await visitor().open(path)
    assert.match(body, new RegExp(`href="[^"]*${listing.path}/play"[^>]*>[^]*?${label}`))
  }
})

test('a store without origins for games says what a browser build is', async (t) => {
  const { a, published, visitor } = await startStore(t, { WEB_URL: 'http://store.example' })
  const listing = await published()
  await a.cleanBuild(listing, webBuild)
  const { body } = await visitor().open(listing.path)
  assert.match(body, /A build for web browsers/)
  assert.doesNotMatch(body, /Play in the browser/)
  assert.doesNotMatch((await visitor().open(`${listing.path}/embed`)).body, /Play/)
  assert.match((await visitor().open(`${listing.path}/play`)).body, /cannot show games/)
})

test('the beta is offered only where there is one, and then shows its build', async (t) => {
  const { a, published, signedIn } = await sharedStore(t)
  const listing = await published()
  const player = signedIn(await a.verified())
  await player.submit(`/games/${listing.uid}/claim`)
  assert.doesNotMatch((await player.open(listing.path)).body, /Join beta/)
  const { file_uid } = await a.cleanBuild(listing, { version: '2.0.0-beta', channel: 'beta' })
  const offered = (await player.open(listing.path)).body
  assert.match(offered, /Join beta/)
  assert.doesNotMatch(offered, new RegExp(`/download/${file_uid}`))
  assert.doesNotMatch((await player.open('/library')).body, new RegExp(`/download/${file_uid}`))
  await player.submit(`/games/${listing.uid}/channel`, { channel: 'beta' })
  for (const path of [listing.path, '/library'])
    assert.match((await player.open(path)).body, new RegExp(`/download/${file_uid}`), path)
  assert.equal((await player.open(`/download/${file_uid}`)).status, 302)
  await player.submit(`/games/${listing.uid}/channel`, { channel: 'stable' })
  assert.doesNotMatch((await player.open(listing.path)).body, new RegExp(`/download/${file_uid}`))
})

test('the gate of an adult listing is a missing page under another developer', async (t) => {
  const { a, published, patch, visitor, signedIn } = await sharedStore(t)
  const listing = await published()
  const url = `/api/v1/private/games/${listing.uid}`
  must(await patch(url, { adult: true }, listing.owner))
  const other = await a.verifiedDeveloper()
  for (const who of [visitor(), signedIn(await a.verified())]) {
    assert.equal((await who.open(listing.path)).status, 403)
    assert.equal((await who.open(`/${other.username}/${listing.vanity_name}`)).status, 404)
    assert.equal((await who.open(`/no-such-person/${listing.vanity_name}`)).status, 404)
  }
})

test('the search page sorts by popularity and rating, and filters by price and rating', async (t) => {
  const { get, published } = await sharedStore(t)
  const free = await published({ name: 'Free One' })
  const paid = await published({ name: 'Paid One' }, { price_cents: 500 })
  const open = async (query: string) => String((await get(`/search?${query}`)).body)
  const links = (body: string) => [free, paid].map(({ path }) => body.includes(`href="${path}"`))
  await eventually(
    'both listings in the search',
    async () => links(await open('price=free')).join() === 'true,false',
  )
  assert.deepEqual(links(await open('price=paid')), [false, true])
  const body = await open('sort=popular&price=free')
  assert.match(body, /<a href="[^"]*sort=popular[^"]*" aria-current="true">Popular</)
  assert.match(body, /sort=top_rated[^"]*">Top rated</)
  assert.match(body, /class="chip"[^>]*>Free<span class="sr">, remove filter/)
  assert.match(await open('rating=80'), /80% or more enjoyed it<span class="sr">, remove filter/)
  assert.doesNotMatch(await open('rating=85'), /enjoyed it<span class="sr">, remove filter/)
})
