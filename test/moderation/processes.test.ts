import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { moderationTeam } from './fixtures.ts'

test('a decision has effect in every process within a second', async (t) => {
  const app = await startApp(t)
  const { DATABASE_URL, DATA_DIR } = app.settings
  const other = await startApp(t, { DATABASE_URL, DATA_DIR })
  const { decide } = await moderationTeam(app)
  const owner = await app.a.verifiedDeveloper()
  const listing = await app.a.listing({ owner, name: 'Second Lighthouse' })
  const { cover } = await app.a.images(listing)
  const { file_uid } = await app.a.cleanBuild(listing)
  await makePublic(app.sql, listing.uid)
  await app.sql`
    update listings
    set anonymous_downloads = true, genres = '{rpg}', tags = '{one,two}'
    where uid = ${listing.uid}`
  const path = new URL(must(await other.get(`/api/v1/public/downloads/${file_uid}`)).url)
  const signed = `${path.pathname}${path.search}`
  const missing = /Second Lighthouse/
  const lists = ['/', '/search?q=second%20lighthouse', '/feeds/new.atom', '/sitemap.xml']
  const texts = ['/', `/api/v1/public/search?q=second%20lighthouse`, `/${owner.username}`]
  const pages = [
    `/${owner.username}/${listing.vanity_name}`,
    `/api/v1/public/games/${listing.uid}`,
    new URL(cover).pathname,
    signed,
  ]
  const processes = [app, other]
  // Fill the caches of both processes.
  for (const { get } of processes)
    for (let times = 0; times < 2; times++)
      for (const address of [...lists, ...texts, ...pages]) await get(address)
  for (const { get } of processes)
    for (const address of pages) assert.equal((await get(address)).status, 200, address)
  await decide('listing', listing.uid, 'take_down')
  await pause(1000)
  for (const { get } of processes) {
    for (const address of pages) assert.equal((await get(address)).status, 404, address)
    for (const address of [...lists, ...texts])
      assert.doesNotMatch(JSON.stringify((await get(address)).body), missing, address)
  }
})

test('a suspension has effect in every process within a second', async (t) => {
  const app = await startApp(t)
  const other = await startApp(t, { DATABASE_URL: app.settings.DATABASE_URL })
  const { decide } = await moderationTeam(app)
  const person = await app.a.verified()
  for (const { get } of [app, other]) must(await get('/api/v1/private/account', person))
  await decide('person', person.uid, 'suspend', {
    suspension: { scope: 'everything', days: null },
  })
  await pause(1000)
  for (const { get } of [app, other])
    assert.equal((await get('/api/v1/private/account', person)).body.error?.code, 4284)
})
