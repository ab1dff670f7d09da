import assert from 'node:assert/strict'
import { randomBytes, randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { bundleStatus } from '../../src/builds/bundle-check/bundle-check.ts'
import { startApp } from '../support/app.ts'
import { addAdmin, addCopy, type Listing, must } from '../support/builders.ts'
import { zip } from '../uploads/zips.ts'

test('bundle status is decided by ownership, then a copy, then the license of the pack', () => {
  const cases: [Parameters<typeof bundleStatus>[0], string][] = [
    [{ is_own: true, copy_source: null, license_kind: 'proprietary' }, 'owned'],
    [{ is_own: false, copy_source: 'purchase', license_kind: 'cc-by' }, 'licensed'],
    [{ is_own: false, copy_source: 'grant', license_kind: null }, 'licensed'],
    [{ is_own: false, copy_source: null, license_kind: 'cc0' }, 'licensed'],
    [{ is_own: false, copy_source: null, license_kind: 'cc-by' }, 'attribution'],
    [{ is_own: false, copy_source: 'free', license_kind: 'cc-by-sa' }, 'attribution'],
    [{ is_own: false, copy_source: 'free', license_kind: 'proprietary' }, 'licensed'],
    [{ is_own: false, copy_source: null, license_kind: 'paid' }, 'unlicensed'],
    [{ is_own: false, copy_source: null, license_kind: null }, 'unlicensed'],
  ]
  for (const [terms, status] of cases)
    assert.equal(bundleStatus(terms), status, JSON.stringify(terms))
})

test('finds pack files of 1 KB or more in a build by content, listing up to 5 paths', async (t) => {
  const app = await startApp(t)
  const { a, sql, get, patch } = app
  const owner = await a.verifiedDeveloper()
  const [exact, under, shared] = [randomBytes(1024), randomBytes(1023), randomBytes(2000)]
  const many = Array.from({ length: 7 }, () => randomBytes(1500))
  const pack = async (
    name: string,
    by: Listing['owner'],
    files: Buffer[],
    { license_kind = null as string | null, visibility = 'public' } = {},
  ) => {
    const listing = await a.listing({ owner: by, name, asset_type: 'game_asset' })
    await a.cleanBuild(listing, {
      version: '1',
      bytes: zip(files.map((body, i) => ({ name: `pack/${i}.png`, body, method: 0 }))),
    })
    await sql`
      update listings set visibility = ${visibility}, license_kind = ${license_kind}
      where uid = ${listing.uid}`
    return listing
  }
  const maker = await a.verifiedDeveloper()
  const many_pack = await pack('Many', maker, many, { license_kind: 'cc-by' })
  const exact_pack = await pack('Exact', maker, [exact, under], { license_kind: 'paid' })
  await pack('Only small', maker, [under])
  await pack('Hidden', maker, [exact], { visibility: 'draft' })
  const own_pack = await pack('Mine', owner, [shared], { visibility: 'draft' })
  // A game that contains the same file is not a pack.
  const other_game = await a.listing({ owner: maker, name: 'Other game' })
  await a.cleanBuild(other_game, { bytes: zip([{ name: 'x', body: exact, method: 0 }]) })
  const game = await a.listing({ owner })
  const entries = [
    ...many.map((body, i) => ({ name: `assets/m${i}.png`, body, method: 0 })),
    { name: 'a/exact', body: exact, method: 0 },
    { name: 'b/exact again', body: exact, method: 0 },
  ]
  const { build_id } = await a.cleanBuild(game, {
    bytes: zip([
      ...entries,
      { name: 'small', body: under, method: 0 },
      { name: 'shared', body: shared, method: 0 },
    ]),
  })
  const check = async (uid = game.uid, build = build_id, who = owner) =>
    get(`/api/v1/private/games/${uid}/builds/${build}/bundle-check`, who)
  const result = must(await check())
  assert.deepEqual(result, {
    build_id,
    matches: [
      {
        pack: { uid: many_pack.uid, name: 'Many' },
        status: 'attribution',
        files: 7,
        paths: [0, 1, 2, 3, 4].map((i) => `assets/m${i}.png`),
      },
      {
        pack: { uid: exact_pack.uid, name: 'Exact' },
        status: 'unlicensed',
        files: 2,
        paths: ['a/exact', 'b/exact again'],
      },
      { pack: { uid: own_pack.uid, name: 'Mine' }, status: 'owned', files: 1, paths: ['shared'] },
    ],
  })
  // A copy of any owner or admin makes the files licensed.
  const admin = await a.developer()
  await addAdmin(sql, game.uid, admin.uid)
  await addCopy(sql, exact_pack.uid, admin.uid, 'purchase')
  assert.equal(must(await check()).matches[1].status, 'licensed')
  // An admin of the game does not see hidden packs of its owner.
  const names = async () =>
    must(await check(game.uid, build_id, admin)).matches.map(({ pack }: any) => pack.name)
  assert.deepEqual(await names(), ['Many', 'Exact'])
  await addAdmin(sql, own_pack.uid, admin.uid, false)
  assert.deepEqual(await names(), ['Many', 'Exact'])
  await sql`update listing_admins set accepted_at = now() where game_uid = ${own_pack.uid}`
  assert.deepEqual(await names(), ['Many', 'Exact', 'Mine'])
  // A pack that is changed into a game no longer matches, and matches again when changed back.
  must(await patch(`/api/v1/private/games/${own_pack.uid}`, { asset_type: 'game' }, owner))
  assert.equal(must(await check()).matches.length, 2)
  must(await patch(`/api/v1/private/games/${own_pack.uid}`, { asset_type: 'dev_asset' }, owner))
  assert.equal(must(await check()).matches.length, 3)
  // A pack does not match its own files.
  const { builds } = must(await get(`/api/v1/private/games/${exact_pack.uid}/builds`, maker))
  assert.deepEqual(
    must(await check(exact_pack.uid, builds[0].build_id, maker)).matches.map(
      ({ pack }: any) => pack.name,
    ),
    ['Hidden'],
  )
  assert.deepEqual((await check(game.uid, randomUUID())).body.error.code, 4006)
  assert.deepEqual((await check(game.uid, build_id, maker)).body.error.code, 4040)
  // Players never see the matches.
  assert.doesNotMatch(
    JSON.stringify(must(await get(`/api/v1/public/games/${game.uid}`, owner))),
    /Exact/,
  )
})
