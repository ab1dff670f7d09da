import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chooseTags, popularTags, readPrefix } from '../../src/catalog/tags/tags.ts'
import { type Answer, eventually } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { flood, stage } from './fixtures.ts'

const POPULAR = '/api/v1/public/tags/popular'
const refused = ({ status, body }: Answer) => [status, body.error?.code]

test('4.3: the most used tags come first, each with how many listings use it, and equal ones by name', async (t) => {
  const { get, listing } = await stage(t)
  await listing({ tags: ['pixel-art', 'space', 'cozy'] })
  await listing({ tags: ['pixel-art', 'space'] })
  await listing({ tags: ['pixel-art'], asset_type: 'mod' })
  assert.deepEqual(must(await get(POPULAR)), {
    tags: [
      { tag: 'pixel-art', count: 3 },
      { tag: 'space', count: 2 },
      { tag: 'cozy', count: 1 },
    ],
  })
})

test('only listings that everyone sees count, and from the moment they are', async (t) => {
  const { get, listing, set } = await stage(t)
  const { uid } = await listing({ tags: ['secret'] })
  const counts = async () => must(await get(POPULAR)).tags
  assert.equal((await counts()).length, 1)
  for (const fields of [
    { visibility: 'draft' },
    { visibility: 'owner' },
    { visibility: 'invisible' },
    { adult: true },
  ]) {
    await set(uid, fields)
    assert.deepEqual(await counts(), [], JSON.stringify(fields))
    await set(uid, { visibility: 'public', adult: false })
    assert.equal((await counts()).length, 1)
  }
})

test('shown tags of players count with the developer’s; hidden ones, ones with two votes and repeats do not', async (t) => {
  const { get, listing, sql } = await stage(t)
  const { uid } = await listing({ tags: ['mine'] })
  const vote = (tag: string, votes: number, hidden = false) =>
    sql`insert into community_tags ${sql({ game_uid: uid, tag, votes, hidden })}`
  await Promise.all([vote('theirs', 3), vote('few', 2), vote('hidden', 9, true), vote('mine', 5)])
  assert.deepEqual(must(await get(POPULAR)).tags, [
    { tag: 'mine', count: 1 },
    { tag: 'theirs', count: 1 },
  ])
})

test('prefix takes what someone has typed, as a tag is spelled; wildcards are letters like any other', async (t) => {
  const { get, listing } = await stage(t)
  await listing({ tags: ['pixel-art', 'pixel', 'pirates', 'x-per-cent'] })
  const found = async (prefix: string) =>
    must(await get(`${POPULAR}?prefix=${encodeURIComponent(prefix)}`)).tags.map(
      ({ tag }: any) => tag,
    )
  assert.deepEqual(await found('pi'), ['pirates', 'pixel', 'pixel-art'])
  for (const typed of ['pixel-', 'Pixel ', ' pixel_', 'PIXEL-A', 'pixel  a'])
    assert.deepEqual(await found(typed), ['pixel-art'], typed)
  for (const none of ['pixel-arts', '%', '_%', '\\', "'", 'é', '[', '.*', 'x'.repeat(10_000)])
    assert.deepEqual(await found(none), [], none)
  assert.equal((await found('')).length, 4)
  assert.equal((await found('-')).length, 4)
  assert.equal(readPrefix('  __Ab c'), 'ab-c')
})

test('limit is 20 unless said and 50 at most; other numbers mean the nearest, words are 400', async (t) => {
  const { get, listing } = await stage(t)
  await listing({ tags: Array.from({ length: 60 }, (_, n) => `tag-${n}`) })
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

test('a large catalog counts seldom and chooses from the same counts', async (t) => {
  const { core, sql, listing } = await stage(t)
  await listing({ tags: ['pixel', 'pirates'] })
  await listing({ tags: ['pixel', 'space'] })
  const all = () =>
    Promise.all(
      ['', 'pi', 'pix', 'none'].map(async (prefix) => [...(await popularTags(core, prefix, 2))]),
    )
  const small = await all()
  await sql`alter sequence listings_asset_id_seq restart with 5001`
  await listing({ tags: [] })
  assert.deepEqual(await all(), small)
  await listing({ tags: ['pixel'] })
  // Not at once, but without being asked to forget.
  const counted = await eventually(
    'the new count',
    async () => (await popularTags(core, 'pixel', 1))[0]!.count === 3,
  )
  assert.ok(counted)
})

test('choosing stops at the limit and keeps the order', () => {
  const counts = [5, 4, 3, 2].map((count, n) => ({ tag: `a${n}`, count }))
  assert.deepEqual(chooseTags(counts, 'a', 2), counts.slice(0, 2))
  assert.deepEqual(chooseTags(counts, 'a3', 50), counts.slice(3))
  assert.deepEqual(chooseTags([], '', 5), [])
})

test('all callers together have 1,200 lists of tags a minute', async (t) => {
  const { get } = await stage(t)
  assert.deepEqual(await flood(get, 1201, (n) => `${POPULAR}?prefix=${n}`), { 200: 1200, 429: 1 })
})
