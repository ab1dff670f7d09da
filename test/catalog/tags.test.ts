import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TagCount } from '../../src/catalog/tags/queries.ts'
import { popularTags, readPrefix } from '../../src/catalog/tags/tags.ts'
import type { Core } from '../../src/core/runtime/core.ts'
import { repeatUses } from '../extstore/repeat-uses.ts'
import { eventually } from '../support/app.ts'
import { must, newAddress, refused } from '../support/builders.ts'
import { countStatuses, emptyCatalog, hidden, startCatalog } from './fixtures.ts'

const POPULAR = '/api/v1/public/tags/popular'

test('lists the most used tags first with their counts, equal counts by name', async (t) => {
  const { get, createListing } = await emptyCatalog(t)
  await createListing({ tags: ['pixel-art', 'space', 'cozy'] })
  await createListing({ tags: ['pixel-art', 'space'] })
  await createListing({ tags: ['pixel-art'], asset_type: 'mod' })
  assert.deepEqual(must(await get(POPULAR)), {
    tags: [
      { tag: 'pixel-art', count: 3 },
      { tag: 'space', count: 2 },
      { tag: 'cozy', count: 1 },
    ],
  })
})

test('only counts tags of listings that everyone sees, from the moment they do', async (t) => {
  const { get, createListing, updateListing } = await emptyCatalog(t)
  const { uid } = await createListing({ tags: ['secret'] })
  const counts = async () => must(await get(POPULAR)).tags
  assert.equal((await counts()).length, 1)
  for (const fields of hidden) {
    await updateListing(uid, fields)
    assert.deepEqual(await counts(), [], JSON.stringify(fields))
    await updateListing(uid, { visibility: 'public', adult: false })
    assert.equal((await counts()).length, 1)
  }
})

test('counts shown community tags, but not hidden, rare or repeated ones', async (t) => {
  const { get, createListing, sql } = await emptyCatalog(t)
  const { uid } = await createListing({ tags: ['mine'] })
  const vote = (tag: string, votes: number, hidden = false) =>
    sql`insert into community_tags ${sql({ game_uid: uid, tag, votes, hidden })}`
  await Promise.all([vote('theirs', 3), vote('few', 2), vote('hidden', 9, true), vote('mine', 5)])
  assert.deepEqual(must(await get(POPULAR)).tags, [
    { tag: 'mine', count: 1 },
    { tag: 'theirs', count: 1 },
  ])
})

test('normalizes the prefix like a tag and treats wildcards literally', async (t) => {
  const { get, createListing } = await emptyCatalog(t)
  await createListing({ tags: ['pixel-art', 'pixel', 'pirates', 'x-per-cent'] })
  const tagsWith = async (prefix: string) =>
    must(await get(`${POPULAR}?prefix=${encodeURIComponent(prefix)}`)).tags.map(
      ({ tag }: any) => tag,
    )
  assert.deepEqual(await tagsWith('pi'), ['pirates', 'pixel', 'pixel-art'])
  for (const typed of ['pixel-', 'Pixel ', ' pixel_', 'PIXEL-A', 'pixel  a'])
    assert.deepEqual(await tagsWith(typed), ['pixel-art'], typed)
  for (const none of ['pixel-arts', '%', '_%', '\\', "'", 'é', '[', '.*', 'x'.repeat(10_000)])
    assert.deepEqual(await tagsWith(none), [], none)
  assert.equal((await tagsWith('')).length, 4)
  assert.equal((await tagsWith('-')).length, 4)
  assert.equal(readPrefix('  __Ab c'), 'ab-c')
})

test('limit defaults to 20 and is clamped to 1 to 50; text returns 400', async (t) => {
  const { get, createListing } = await emptyCatalog(t)
  await createListing({ tags: Array.from({ length: 60 }, (_, n) => `tag-${n}`) })
  const count = async (query: string) => must(await get(POPULAR + query)).tags.length
  assert.deepEqual(
    [await count(''), await count('?limit=50'), await count('?limit=51'), await count('?limit=1')],
    [20, 50, 50, 1],
  )
  assert.deepEqual(
    [await count('?limit=0'), await count('?limit=-5'), await count('?limit=999999999999')],
    [1, 1, 50],
  )
  for (const limit of ['many', '1.5', ''])
    assert.deepEqual(refused(await get(`${POPULAR}?limit=${limit}`)), [400, 4000], limit)
  assert.deepEqual(refused(await get(`${POPULAR}?prefix=%00`)), [400, 4000])
  assert.deepEqual(refused(await get(`${POPULAR}?prefix=a&prefix=b`)), [400, 4000])
})

test('caches the counts of a large catalog for all prefixes', async (t) => {
  const { core, sql, createListing } = await startCatalog(t)
  await createListing({ tags: ['pixel', 'pirates'] })
  await createListing({ tags: ['pixel', 'space'] })
  const all = () =>
    Promise.all(
      ['', 'pi', 'pix', 'none'].map(async (prefix) => [...(await popularTags(core, prefix, 2))]),
    )
  const small = await all()
  await sql`alter sequence listings_asset_id_seq restart with 5001`
  await createListing({ tags: [] })
  assert.deepEqual(await all(), small)
  await createListing({ tags: ['pixel'] })
  // The new count appears after a while, without an explicit invalidation.
  const counted = await eventually(
    'the new count',
    async () => (await popularTags(core, 'pixel', 1))[0]!.count === 3,
  )
  assert.ok(counted)
})

/** A core with a large catalog whose tags have these counts. */
const largeCatalog = (counts: TagCount[]) =>
  ({ sql: async () => [{ highest: 10_000 }], read: async () => counts }) as unknown as Core

test('choosing tags stops at the limit and keeps the order', async () => {
  const counts = [5, 4, 3, 2].map((count, n) => ({ tag: `a${n}`, count }))
  const core = largeCatalog(counts)
  assert.deepEqual(await popularTags(core, 'a', 2), counts.slice(0, 2))
  assert.deepEqual(await popularTags(core, 'a3', 50), counts.slice(3))
  assert.deepEqual(await popularTags(largeCatalog([]), '', 5), [])
})

test('limits tag lists to 1,200 per minute for all clients, and 120 for an address', async (t) => {
  const { get, core } = await startCatalog(t, { PROXY_HOPS: '1' })
  const path = (n: number) => `${POPULAR}?prefix=${n}`
  const fromElsewhere = () => get(path(0), { headers: newAddress() })
  assert.deepEqual(await countStatuses(get, { count: 121 }, path), { 200: 120, 429: 1 })
  // The first address has used its share, which leaves 1,080 for the others.
  must(await repeatUses(core, 1200, 1079, fromElsewhere))
  must(await fromElsewhere())
  assert.deepEqual(refused(await fromElsewhere()), [429, 4290])
})
