import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { retention } from '../../src/core/runtime/retention.ts'
import { eventually, startApp } from '../support/app.ts'
import { type Listing, makePublic, must, refused } from '../support/builders.ts'

const GAMES = '/api/v1/private/games'
const CONFLICT = [409, 4090]

async function start(t: TestContext) {
  const app = await startApp(t)
  const open = (path: string) => app.get(path, { headers: { accept: 'text/html' } })
  const rename = (listing: Listing, vanity_name: string) =>
    app.patch(`${GAMES}/${listing.uid}`, { vanity_name }, listing.owner)
  /** Where a page redirects to, or its status. */
  async function targetOf(path: string) {
    const { status, headers } = await open(path)
    return status === 301 ? headers.location : status
  }
  const published = async (name: string) => {
    const listing = await app.a.listing({ name })
    await makePublic(app.sql, listing.uid)
    return listing
  }
  return { ...app, open, rename, targetOf, published }
}

test('links to the former address of a page lead to the present one', async (t) => {
  const { published, rename, targetOf, get, open, patch } = await start(t)
  const listing = await published('Old Name')
  const { username } = listing.owner
  assert.equal(await targetOf(`/${username}/old-name`), 200)
  must(await rename(listing, 'new-name'))
  const moved = `/${username}/new-name`
  assert.equal(await targetOf(`/${username}/old-name`), moved)
  assert.equal(await targetOf(`/${username}/old-name/reviews?page=2`), `${moved}/reviews?page=2`)
  assert.equal(await targetOf(`/${username.toUpperCase()}/Old-Name/press`), `${moved}/press`)
  assert.equal(await targetOf(moved), 200)
  const { headers } = await open(`/${username}/old-name`)
  assert.equal(headers['cache-control'], 'public, max-age=86400')
  assert.equal(await targetOf('/somebody-else/old-name'), 404)
  assert.equal(await targetOf(`/${username}/never-used`), 404)
  assert.equal((await get('/api/v1/public/games/old-name')).status, 404)

  must(await rename(listing, 'third-name'))
  for (const name of ['old-name', 'new-name'])
    assert.equal(await targetOf(`/${username}/${name}`), `/${username}/third-name`)
  must(await rename(listing, 'old-name'))
  assert.equal(await targetOf(`/${username}/old-name`), 200)
  assert.equal(await targetOf(`/${username}/third-name`), `/${username}/old-name`)

  must(await patch(`${GAMES}/${listing.uid}`, { visibility: 'draft' }, listing.owner))
  assert.equal(await targetOf(`/${username}/third-name`), 404, 'reveals a page that is hidden')
})

test('a former name of a published listing is reserved for it for a year', async (t) => {
  const { published, rename, targetOf, a, post, sql, core } = await start(t)
  const listing = await published('Old Name')
  const other = await a.listing()
  must(await rename(listing, 'new-name'))
  const setAge = (seconds: number) => sql`
    update former_names
    set changed_at = now() - ${retention.former_name_days} * interval '1 day'
      + ${seconds} * interval '1 second'
    where name = 'old-name'`
  const create = (fields: object) => post(GAMES, { name: 'Old Name', ...fields }, other.owner)

  await setAge(60)
  assert.deepEqual(refused(await rename(other, 'old-name')), CONFLICT)
  assert.deepEqual(refused(await create({ vanity_name: 'old-name' })), CONFLICT)
  assert.equal(must(await create({})).vanity_name, 'old-name-2')
  await core.jobs.send(sql, 'listings.sweep-former-names')
  assert.equal(
    await targetOf(`/${listing.owner.username}/old-name`),
    `/${listing.owner.username}/new-name`,
  )

  await setAge(-1)
  assert.equal(await targetOf(`/${listing.owner.username}/old-name`), 404)
  await core.jobs.send(sql, 'listings.sweep-former-names')
  await eventually('the sweep', async () => !(await sql`select from former_names`).length)
  must(await rename(other, 'old-name'))
})

test('a name that was never published, or whose listing was deleted, is free at once', async (t) => {
  const { published, rename, a, del } = await start(t)
  const draft = await a.listing({ name: 'First Idea' })
  must(await rename(draft, 'second-idea'))
  const other = await a.listing()
  must(await rename(other, 'first-idea'))

  const deleted = await published('Short Lived')
  must(await rename(deleted, 'long-lived'))
  assert.deepEqual(refused(await rename(other, 'short-lived')), CONFLICT)
  must(await del(`${GAMES}/${deleted.uid}`, deleted.owner))
  must(await rename(other, 'short-lived'))
})

test('a listing reserves at most ten former names', async (t) => {
  const { published, rename, sql, a } = await start(t)
  const listing = await published('Name 0')
  for (let n = 1; n <= 11; n++) must(await rename(listing, `name-${n}`))
  const names = await sql<{ name: string }[]>`select name from former_names order by changed_at`
  assert.deepEqual(
    names.map(({ name }) => name),
    Array.from({ length: 10 }, (_, n) => `name-${n + 1}`),
  )
  must(await rename(await a.listing(), 'name-0'))
})
