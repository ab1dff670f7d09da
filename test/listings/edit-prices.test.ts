import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { addAdmin, must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, PAGES } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('rejects conflicting prices, editions and anonymous downloads', async (t) => {
  const { a, patch, put, post, del, get } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const other = await a.listing({ owner })
  const stranger = await a.listing()
  const editions = `${GAMES}/${uid}/editions`
  const anonymous = (body: unknown) => put(`${GAMES}/${uid}/anonymous-downloads`, body, owner)
  const page = async () => must(await get(`${PAGES}/${uid}`, owner))

  assert.deepEqual(refused(await anonymous({ enabled: true })), [400, 4109])
  assert.deepEqual(
    refused(await anonymous({ enabled: true, confirm_no_license: false })),
    [400, 4109],
  )
  assert.deepEqual(must(await anonymous({ enabled: true, confirm_no_license: true })), {
    anonymous_downloads: true,
  })
  assert.deepEqual(
    refused(await patch(`${GAMES}/${uid}`, { price_cents: 100 }, owner)),
    [409, 4114],
  )
  assert.deepEqual(
    refused(await post(editions, { slug: 's', name: 'S', price_cents: 100 }, owner)),
    [409, 4114],
  )
  assert.deepEqual(
    refused(await post(editions, { slug: 's', name: 'S', price_cents: 100, active: false }, owner)),
    [409, 4114],
  )
  must(await anonymous({ enabled: false }))

  must(await patch(`${GAMES}/${uid}`, { price_cents: 1500 }, owner))
  assert.deepEqual(
    refused(await anonymous({ enabled: true, confirm_no_license: true })),
    [409, 4113],
  )
  const standard = must(
    await post(editions, { slug: 'standard', name: 'Standard', price_cents: 2000 }, owner),
  )
  const deluxe = must(
    await post(
      editions,
      { slug: 'deluxe', name: 'Deluxe', kind: 'deluxe', price_cents: 1200, sort_order: 2 },
      owner,
    ),
  )
  assert.deepEqual(
    [(await page()).price_cents, (await page()).editions.map(({ slug }: any) => slug)],
    [1200, ['standard', 'deluxe']],
    'the price is not that of the cheapest active edition',
  )
  assert.deepEqual(
    refused(await patch(`${GAMES}/${uid}`, { price_cents: 500 }, owner)),
    [409, 4164],
  )
  must(await patch(`${editions}/${deluxe.uid}`, { active: false }, owner))
  assert.deepEqual([(await page()).price_cents, (await page()).editions.length], [2000, 1])
  must(await del(`${editions}/${standard.uid}`, owner))
  assert.equal(
    (await page()).price_cents,
    1500,
    'without an active edition the own price does not apply',
  )
  assert.deepEqual(
    must(await get(editions, owner)).editions.map(({ slug }: any) => slug),
    ['deluxe'],
  )

  for (const body of [
    { slug: 'Bad Slug', name: 'x', price_cents: 100 },
    { slug: 'x'.repeat(41), name: 'x', price_cents: 100 },
    { slug: 'x', name: '', price_cents: 100 },
    { slug: 'x', name: 'x'.repeat(81), price_cents: 100 },
    { slug: 'x', name: 'x', price_cents: 98 },
    { slug: 'x', name: 'x', price_cents: 50_001 },
    { slug: 'x', name: 'x', price_cents: 100, kind: 'gold' },
    { slug: 'x', name: 'x', price_cents: 100, sort_order: 101 },
    { slug: 'deluxe', name: 'x', price_cents: 100 },
    { slug: 'b', name: 'x', price_cents: 100, kind: 'bundle' },
    { slug: 'b', name: 'x', price_cents: 100, kind: 'bundle', bundle_asset_uids: [stranger.uid] },
    { slug: 'b', name: 'x', price_cents: 100, kind: 'bundle', bundle_asset_uids: [uid] },
  ])
    assert.deepEqual(refused(await post(editions, body, owner)), [422, 4155], JSON.stringify(body))
  assert.deepEqual(
    must(
      await post(
        editions,
        {
          slug: 'bundle',
          name: 'B',
          price_cents: 100,
          kind: 'bundle',
          bundle_asset_uids: [other.vanity_name],
        },
        owner,
      ),
    ).bundle_asset_uids,
    [other.uid],
  )
  for (let i = 0; i < 6; i++)
    must(await post(editions, { slug: `e${i}`, name: 'x', price_cents: 100 }, owner))
  assert.deepEqual(
    refused(await post(editions, { slug: 'ninth', name: 'x', price_cents: 100 }, owner)),
    [422, 4156],
  )
  assert.deepEqual(refused(await del(`${editions}/${randomUUID()}`, owner)), [404, 4040])
})

test('a project key or an admin cannot add listings beyond their access', async (t) => {
  const { a, post, patch, sql } = await sharedApp(t)
  const mod = await a.listing({ asset_type: 'mod' })
  const { owner } = mod
  const [game, other] = [await a.listing({ owner }), await a.listing({ owner })]
  const admin = await a.developer()
  await addAdmin(sql, mod.uid, admin.uid)
  const { key: token } = await a.key('agent', owner, ['mcp:write', 'mcp:money'], {
    game_uid: mod.uid,
  })
  const editions = `${GAMES}/${mod.uid}/editions`
  const body = {
    slug: 'all',
    name: 'All',
    price_cents: 100,
    kind: 'bundle',
    bundle_asset_uids: [game.uid],
  }
  for (const who of [{ token }, admin])
    assert.deepEqual(refused(await post(editions, body, who)), [422, 4155])
  const { uid } = must(await post(editions, body, owner))
  for (const who of [{ token }, admin]) {
    must(await patch(`${editions}/${uid}`, { bundle_asset_uids: [game.uid] }, who))
    const more = { bundle_asset_uids: [game.uid, other.uid] }
    assert.deepEqual(
      refused(await patch(`${editions}/${uid}`, more, who)),
      [422, 4155],
      'the caller added a listing',
    )
  }
  const parent = { parent: { game: game.uid } }
  assert.deepEqual(refused(await patch(`${GAMES}/${mod.uid}`, parent, { token })), [422, 4233])
  must(await patch(`${GAMES}/${mod.uid}`, parent, owner))
})

test('anonymous downloads can only be set on the website', async (t) => {
  const { a, put } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const { key } = await a.key('agent', owner, ['mcp:read', 'mcp:write'])
  assert.deepEqual(
    refused(
      await put(
        `${GAMES}/${uid}/anonymous-downloads`,
        { enabled: true, confirm_no_license: true },
        { token: key },
      ),
    ),
    [403, 4033],
  )
})
