import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { type Listing, must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'

const sharedApp = sharedInFile(startApp)

async function startDependencyApp(t: TestContext, packs: number) {
  const app = await sharedApp(t)
  const { a, sql, call } = app
  const game = await a.listing()
  const others: Listing[] = []
  for (let i = 0; i < packs; i++)
    others.push(await a.listing({ owner: game.owner, asset_type: 'game_asset', name: `Pack ${i}` }))
  const show = (visibility: string, ...uids: string[]) =>
    sql`update listings set visibility = ${visibility} where uid = any(${uids}::uuid[])`
  await show('public', ...others.map(({ uid }) => uid))
  const declare = (body: object) =>
    call('PATCH', `/api/v1/private/games/${game.uid}/dependencies`, { body, ...game.owner })
  const storedLinks = async () => {
    const links = await sql`
      select target_uid, kind
      from listing_dependencies
      where game_uid = ${game.uid}
      order by position`
    return links.map(({ kind, target_uid }) => `${kind} ${target_uid}`)
  }
  return { ...app, game, others, show, declare, storedLinks }
}

test('adding or removing one link leaves the others, including hidden ones', async (t) => {
  const { others, show, declare, storedLinks } = await startDependencyApp(t, 3)
  const [first, second, third] = others as [Listing, Listing, Listing]
  for (const { uid } of [first, second]) must(await declare({ game: uid, kind: 'uses' }))
  await show('draft', first.uid)
  assert.equal(
    must(await declare({ game: third.vanity_name, kind: 'uses' })).relations.uses.length,
    3,
  )
  must(await declare({ game: third.uid, kind: 'uses' }))
  assert.deepEqual(
    await storedLinks(),
    [first, second, third].map(({ uid }) => `uses ${uid}`),
  )
  must(await declare({ game: second.vanity_name, kind: 'uses', remove: true }))
  must(await declare({ game: first.uid, kind: 'uses', remove: true }))
  assert.deepEqual(await storedLinks(), [`uses ${third.uid}`])
  must(await declare({ game: third.uid, kind: 'made_with', remove: true }))
  assert.deepEqual(
    await storedLinks(),
    [`uses ${third.uid}`],
    'removing a link of another kind removed this one',
  )
})

test('a rejected link changes nothing', async (t) => {
  const { game, others, show, declare, storedLinks } = await startDependencyApp(t, 2)
  const [first, hidden] = others as [Listing, Listing]
  must(await declare({ game: first.uid, kind: 'uses' }))
  await show('draft', hidden.uid)
  for (const body of [
    { game: hidden.uid, kind: 'uses' },
    { game: game.uid, kind: 'uses' },
    { game: 'nobody', kind: 'uses' },
    { game: first.uid, kind: 'supports' },
    { game: first.uid, kind: 'likes' },
    { game: 7, kind: 'uses' },
  ])
    assert.equal((await declare(body)).status, 422, JSON.stringify(body))
  assert.deepEqual(
    refused(await declare({ game: first.uid, kind: 'uses', remove: 'yes' })),
    [400, 4000],
  )
  assert.deepEqual(await storedLinks(), [`uses ${first.uid}`])
})

test('accepts fifty links and rejects one more, and concurrent additions lose none', async (t) => {
  const { others, declare, storedLinks } = await startDependencyApp(t, 51)
  const answers = await Promise.all(
    others.slice(0, 50).map(({ uid }) => declare({ game: uid, kind: 'uses' })),
  )
  for (const answer of answers) must(answer)
  assert.equal(new Set(await storedLinks()).size, 50)
  const more = await declare({ game: others[50]!.uid, kind: 'uses' })
  assert.equal(more.status, 422)
  assert.equal((await storedLinks()).length, 50)
  must(await declare({ game: others[0]!.uid, kind: 'uses' }))
})
