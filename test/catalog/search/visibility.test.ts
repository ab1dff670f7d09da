import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { emptySearch, SEARCH } from './fixtures.ts'

test('finds only public listings, even for their owner', async (t) => {
  const app = await emptySearch(t)
  for (const visibility of ['draft', 'owner', 'invisible', 'public'])
    await app.createListing({ name: `Page ${visibility}`, visibility })
  await app.waitForIndex()
  assert.deepEqual(await app.names('q=page'), ['Page public'])
  const [{ uid }] = (await app.sql`select owner_uid as uid from listings limit 1`) as any
  const [{ username }] = (await app.sql`select username from users where uid = ${uid}`) as any
  const { session } = must(
    await app.post('/api/v1/private/account/login', {
      login: username,
      password: 'correct horse battery',
    }),
  )
  assert.deepEqual(await app.names('q=page', session), ['Page public'])
})

test('shows adult listings only to viewers who turned them on, by session or key', async (t) => {
  const app = await emptySearch(t)
  await app.createListing({ name: 'Tame', tags: ['shared'] })
  await app.createListing({ name: 'Wild zebra', adult: true, tags: ['shared'] })
  await app.waitForIndex()
  const person = await app.a.user()
  const { key } = await app.a.key('player', person, ['player:read'])
  const visibleTo = async (who?: { token: string }) => {
    const { items, total, facets } = await app.search('tags=shared&facets=tags', who)
    return [items.map(({ name }: any) => name).sort(), total, facets.tags[0].count]
  }
  assert.deepEqual(await visibleTo(), [['Tame'], 1, 1])
  assert.deepEqual(await visibleTo(person), [['Tame'], 1, 1])
  must(await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, person))
  assert.deepEqual(await visibleTo(person), [['Tame', 'Wild zebra'], 2, 2])
  assert.deepEqual(await visibleTo({ token: key }), [['Tame', 'Wild zebra'], 2, 2])
  assert.deepEqual(await visibleTo(), [['Tame'], 1, 1])
  assert.deepEqual(
    [await app.names('q=zebra'), await app.names('q=zebra', person)],
    [[], ['Wild zebra']],
  )
})

test('rejects invalid tokens with 401 and agent tokens without the scope with 4033', async (t) => {
  const app = await emptySearch(t)
  const bad = await app.get(SEARCH, { token: 'svc_sess_nonsense' })
  assert.deepEqual([bad.status, bad.headers['www-authenticate']], [401, 'Bearer'])
  const developer = await app.a.developer()
  const agent = await app.a.key('agent', developer, ['mcp:read'])
  assert.deepEqual([(await app.get(SEARCH, { token: agent.key })).body.error.code], [4033])
})

test('a stale index neither shows nor counts a listing that is no longer public', async (t) => {
  const app = await emptySearch(t)
  const uid = await app.createListing({ name: 'Secret plans', tags: ['plans'] })
  await app.createListing({ name: 'Open plans', tags: ['plans'] })
  const grown = await app.createListing({ name: 'Grown plans', tags: ['plans'] })
  await app.waitForIndex()
  assert.equal((await app.search('q=plans')).total, 3)
  // These edits leave no change records, so the index stays stale.
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`update listings set visibility = 'draft' where uid = ${uid}`
    await tx`update listings set adult = true where uid = ${grown}`
  })
  for (const query of ['q=plans', 'tags=plans', 'q=secret', 'q=grown']) {
    const { items, total } = await app.search(query)
    assert.deepEqual(
      [items.map(({ name }: any) => name), total],
      query === 'q=secret' || query === 'q=grown' ? [[], 0] : [['Open plans'], 1],
    )
  }
  const { items } = await app.search('q=plans&page_size=1')
  assert.deepEqual(
    items.map(({ name }: any) => name),
    ['Open plans'],
    'the page was not filled with the next results',
  )
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`delete from listings where uid = ${uid}`
  })
  assert.deepEqual(await app.names('q=plans'), ['Open plans'])
})

test('a result shows the current listing even if the index lags behind', async (t) => {
  const app = await emptySearch(t)
  const uid = await app.createListing({ name: 'Before', tags: ['moving'] })
  await app.waitForIndex()
  assert.deepEqual(await app.names('tags=moving'), ['Before'])
  await app.sql`update listings set name = 'After' where uid = ${uid}`
  assert.deepEqual(await app.names('tags=moving'), ['After'])
})
