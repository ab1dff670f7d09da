import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { SEARCH, stage } from './fixtures.ts'

test('2.2: only public listings are found, by their owner too', async (t) => {
  const app = await stage(t)
  for (const visibility of ['draft', 'owner', 'invisible', 'public'])
    await app.listed({ name: `Page ${visibility}`, visibility })
  await app.settled()
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

test('4.4: adult listings are for signed-in people who turned them on, by session and by key', async (t) => {
  const app = await stage(t)
  await app.listed({ name: 'Tame', tags: ['shared'] })
  await app.listed({ name: 'Wild zebra', adult: true, tags: ['shared'] })
  await app.settled()
  const person = await app.a.user()
  const { key } = await app.a.key('player', person, ['player:read'])
  const found = async (who?: { token: string }) => {
    const { items, total, facets } = await app.search('tags=shared&facets=tags', who)
    return [items.map(({ name }: any) => name).sort(), total, facets.tags[0].count]
  }
  assert.deepEqual(await found(), [['Tame'], 1, 1])
  assert.deepEqual(await found(person), [['Tame'], 1, 1])
  must(await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, person))
  assert.deepEqual(await found(person), [['Tame', 'Wild zebra'], 2, 2])
  assert.deepEqual(await found({ token: key }), [['Tame', 'Wild zebra'], 2, 2])
  assert.deepEqual(await found(), [['Tame'], 1, 1])
  assert.deepEqual(
    [await app.names('q=zebra'), await app.names('q=zebra', person)],
    [[], ['Wild zebra']],
  )
})

test('who sends a token sends a good one: bad ones are 401, those of agents 4033, and scopes count', async (t) => {
  const app = await stage(t)
  const bad = await app.get(SEARCH, { token: 'svc_sess_nonsense' })
  assert.deepEqual([bad.status, bad.headers['www-authenticate']], [401, 'Bearer'])
  const developer = await app.a.developer()
  const agent = await app.a.key('agent', developer, ['mcp:read'])
  assert.deepEqual([(await app.get(SEARCH, { token: agent.key })).body.error.code], [4033])
})

test('a stale index never shows a listing that is not public any more, and counts it out', async (t) => {
  const app = await stage(t)
  const uid = await app.listed({ name: 'Secret plans', tags: ['plans'] })
  await app.listed({ name: 'Open plans', tags: ['plans'] })
  const grown = await app.listed({ name: 'Grown plans', tags: ['plans'] })
  await app.settled()
  assert.equal((await app.search('q=plans')).total, 3)
  // Changes that leave no trace: the index will never hear of them.
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
    'the page is filled up from what comes after',
  )
  await app.sql.begin(async (tx) => {
    await tx`set local session_replication_role = replica`
    await tx`delete from listings where uid = ${uid}`
  })
  assert.deepEqual(await app.names('q=plans'), ['Open plans'])
})

test('a result always shows the listing as it is now, though the index may lag behind', async (t) => {
  const app = await stage(t)
  const uid = await app.listed({ name: 'Before', tags: ['moving'] })
  await app.settled()
  assert.deepEqual(await app.names('tags=moving'), ['Before'])
  await app.sql`update listings set name = 'After' where uid = ${uid}`
  assert.deepEqual(await app.names('tags=moving'), ['After'])
})
