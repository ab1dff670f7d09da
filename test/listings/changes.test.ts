import assert from 'node:assert/strict'
import { test } from 'node:test'
import { eventually, startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'

const sharedApp = sharedInFile(startApp)

test('one save records one change per affected listing, however many rows it writes', async (t) => {
  const { a, sql, put } = await sharedApp(t)
  const owner = await a.verifiedDeveloper()
  const { token } = owner
  const listing = await a.listing({ owner })
  const others = await Promise.all(
    Array.from({ length: 5 }, () => a.listing({ owner, asset_type: 'dev_asset' })),
  )
  await sql`update listings set visibility = 'public'`
  const count = async (uid: string) =>
    Number((await sql`select count(*) as n from listing_changes where game_uid = ${uid}`)[0]!.n)
  const before = await Promise.all([listing, ...others].map(({ uid }) => count(uid)))
  must(
    await put(
      `/api/v1/private/games/${listing.uid}/dependencies`,
      { dependencies: others.map(({ uid }) => ({ game: uid, kind: 'uses' })) },
      { token },
    ),
  )
  const after = await Promise.all([listing, ...others].map(({ uid }) => count(uid)))
  assert.deepEqual(
    after.map((n, i) => n - before[i]!),
    [1, 1, 1, 1, 1, 1],
  )
})

test('joining many change records leaves a newer one and changes the page freshness', async (t) => {
  const { a, sql, core } = await sharedApp(t)
  const [crowded, quiet] = [await a.listing(), await a.listing()]
  const count = async (uid: string) =>
    Number((await sql`select count(*) as n from listing_changes where game_uid = ${uid}`)[0]!.n)
  const fresh = async (uid: string) =>
    (await sql`select page_freshness(uid, version) as f from listings where uid = ${uid}`)[0]!
      .f as string
  await sql`delete from listing_changes`
  for (let n = 0; n < 501; n++)
    await sql`insert into listing_changes (game_uid) values (${crowded.uid})`
  for (let n = 0; n < 500; n++)
    await sql`insert into listing_changes (game_uid) values (${quiet.uid})`
  const [{ newest }] = (await sql`select max(seq) as newest from listing_changes`) as unknown as [
    { newest: string },
  ]
  const before = [await fresh(crowded.uid), await fresh(quiet.uid)]
  await core.jobs.send(sql, 'listings.join-changes')
  await eventually('one change record', async () => (await count(crowded.uid)) === 1)
  const [{ seq }] =
    (await sql`select seq from listing_changes where game_uid = ${crowded.uid}`) as unknown as [
      { seq: string },
    ]
  assert.ok(BigInt(seq) > BigInt(newest))
  assert.notEqual(await fresh(crowded.uid), before[0])
  assert.equal(await count(quiet.uid), 500)
  assert.equal(await fresh(quiet.uid), before[1])
})

test('a save without changes does not update updated_at', async (t) => {
  const { a, get, patch } = await sharedApp(t)
  const owner = await a.verifiedDeveloper()
  const { token } = owner
  const { uid } = await a.listing({ owner })
  const path = `/api/v1/private/games/${uid}`
  const before = must(await get(path, { token })).updated_at
  assert.equal(must(await patch(path, {}, { token })).updated_at, before)
  assert.notEqual(must(await patch(path, { tagline: 'Another' }, { token })).updated_at, before)
  const stranger = await a.verifiedDeveloper()
  assert.equal((await patch(path, {}, { token: stranger.token })).status, 404)
})
