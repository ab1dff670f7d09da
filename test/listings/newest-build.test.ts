import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareBuildVersions } from '../../src/builds/channels/build-order.ts'
import { versionKey } from '../../src/listings/listing/newest-build-queries.ts'
import { insertBuild } from '../catalog/fixtures.ts'
import { eventually, startApp } from '../support/app.ts'
import { makePublic, must } from '../support/builders.ts'
import { fc } from '../support/property.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

test('the newest stable build is the same for health, search, shelves and channels', async (t) => {
  const { a, get, sql } = await sharedApp(t)
  const owner = await a.verifiedDeveloper()
  const cases = {
    'by version, although an older one was registered later': [
      { os: 'linux', version: '1.10', band: 'healthy' },
      { os: 'windows', version: '1.9', band: 'mixed' },
    ],
    'a release is newer than its pre-release': [
      { os: 'linux', version: '2.0', band: 'healthy' },
      { os: 'windows', version: '2.0-rc.1', band: 'mixed' },
    ],
    'a file without a system stays beside newer ones': [
      { os: 'linux', version: '2.0', band: 'healthy' },
      { os: '', version: '1.0', band: 'mixed' },
    ],
    'by registration, if versions are equal': [
      { os: 'windows', version: '1.0', band: 'mixed', created_at: new Date(1000) },
      { os: 'linux', version: '1.0.0', band: 'healthy', created_at: new Date(2000) },
    ],
  }
  for (const [reason, builds] of Object.entries(cases)) {
    const listing = await a.listing({ owner })
    await makePublic(sql, listing.uid)
    await sql`update listings set session_bucket = '15m' where uid = ${listing.uid}`
    const uids = new Map<string, string>()
    for (const build of builds) {
      const { build_uid } = await insertBuild(sql, listing.uid, build)
      uids.set(build.band, build_uid)
    }
    assert.equal(must(await get(`/api/v1/public/games/${listing.uid}`)).health, 'healthy', reason)
    const { items: shelf } = must(await get('/api/v1/public/shelves/tonight?limit=24'))
    const card = shelf.find(({ uid }: { uid: string }) => uid === listing.uid)
    assert.equal(card?.health, 'healthy', reason)
    const result = await eventually('the search to find the listing', async () => {
      const { items } = must(await get('/api/v1/public/search?page_size=50'))
      return items.find(({ uid }: { uid: string }) => uid === listing.uid)
    })
    assert.equal(result.health, 'healthy', reason)
    const { channels } = must(await get(`/api/v1/private/games/${listing.uid}/channels`, owner))
    assert.equal(channels[0].build_id, uids.get('healthy'), reason)
  }
})

test('the database orders versions as the channels do', async (t) => {
  const { sql } = await sharedApp(t)
  const text = fc.oneof(
    fc.stringMatching(/^[vV]?\d{1,3}(\.\d{1,3}){0,3}(-[a-zA-Z]{1,4}(\.?\d{1,2}){0,2})?$/),
    fc.stringMatching(/^\d(\.0){0,3}(-|\+|-rc\+\d)?$/),
    fc.stringMatching(/^[0a\-.+ é]{0,8}$/),
    fc.string({ maxLength: 12 }),
  )
  const sample = fc.array(text, { minLength: 100, maxLength: 200, size: 'max' })
  const property = fc.asyncProperty(sample, async (versions) => {
    const rows = await sql<{ version: string; key: string }[]>`
      select v.version, ${versionKey(sql, sql`v.version`)} as key
      from unnest(${versions}::text[]) as v (version)`
    for (const a of rows)
      for (const b of rows)
        assert.equal(
          Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)),
          Math.sign(compareBuildVersions(a.version, b.version)),
          JSON.stringify([a, b]),
        )
  })
  await fc.assert(property, { numRuns: 20 })
})
