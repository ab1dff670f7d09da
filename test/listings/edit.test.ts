import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must } from '../support/builders.ts'
import { MINE, PAGE, publicListing, refused } from './edit-fixtures.ts'

test('PATCH changes every field of a listing, alone or together, and the page shows it', async (t) => {
  const { a, patch, get } = await startApp(t)
  const { uid, owner } = await a.listing()
  const change = {
    name: 'New name',
    tagline: 'New line',
    description: '# New\n\ntext',
    vanity_name: 'new-name',
    status: 'released',
    asset_type: 'application',
    adult: true,
    indexable: false,
    visibility: 'invisible',
    price_cents: 999,
    license_kind: 'cc-by',
    demo_url: 'https://video.example/watch?v=1',
  }
  const changed = must(await patch(`${MINE}/${uid}`, change, owner))
  for (const page of [
    changed,
    must(await get(`${PAGE}/new-name`)),
    must(await get(`${MINE}/${uid}`, owner)),
  ])
    for (const [field, value] of Object.entries(change)) assert.deepEqual(page[field], value, field)
  assert.equal(
    must(await patch(`${MINE}/${uid}`, { tagline: '' }, owner)).name,
    'New name',
    'a field left out stays',
  )
})

test('accepts every field at its limits and rejects it beyond them', async (t) => {
  const { a, patch } = await startApp(t)
  const { uid, owner } = await a.listing()
  const fine: object[] = [
    { name: 'x'.repeat(80) },
    { tagline: 'x'.repeat(255) },
    { description: 'x'.repeat(20_000) },
    { vanity_name: 'a' },
    { vanity_name: 'x'.repeat(64) },
    { demo_url: '' },
    { demo_url: `http://v.example/${'x'.repeat(238)}` },
    { price_cents: 0 },
    { price_cents: 99 },
    { price_cents: 50_000 },
    { license_kind: null },
  ]
  for (const change of fine)
    assert.equal(
      (await patch(`${MINE}/${uid}`, change, owner)).status,
      200,
      JSON.stringify(change).slice(0, 60),
    )
  const wrong: [object, number, number][] = [
    [{ name: '' }, 400, 4000],
    [{ name: 'x'.repeat(81) }, 400, 4000],
    [{ tagline: 'x'.repeat(256) }, 400, 4000],
    [{ tagline: 'two\nlines' }, 400, 4000],
    [{ description: 'x'.repeat(20_001) }, 400, 4000],
    [{ vanity_name: '' }, 400, 4000],
    [{ vanity_name: 'x'.repeat(65) }, 400, 4000],
    [{ vanity_name: 'Upper' }, 400, 4000],
    [{ vanity_name: randomUUID() }, 400, 4000],
    [{ vanity_name: 'press' }, 400, 4000],
    [{ status: 'finished' }, 400, 4000],
    [{ asset_type: 'song' }, 400, 4000],
    [{ visibility: 'secret' }, 400, 4000],
    [{ adult: 'yes' }, 400, 4000],
    [{ unknown: 1 }, 400, 4000],
    [{ demo_url: 'ftp://x.example' }, 400, 4000],
    [{ demo_url: `http://v.example/${'x'.repeat(239)}` }, 400, 4000],
    [{ demo_url: 'https://user:pass@x.example' }, 400, 4000],
    [{ price_cents: 98 }, 422, 4050],
    [{ price_cents: 50_001 }, 422, 4050],
    [{ price_cents: -1 }, 422, 4050],
    [{ price_cents: 100.5 }, 422, 4050],
    [{ price_cents: '100' }, 422, 4050],
    [{ license_kind: 'gpl' }, 422, 4231],
  ]
  for (const [change, status, code] of wrong)
    assert.deepEqual(
      refused(await patch(`${MINE}/${uid}`, change, owner)),
      [status, code],
      JSON.stringify(change).slice(0, 60),
    )
})

test('rejects a vanity name that is taken, and a rename moves the page', async (t) => {
  const { a, patch, get } = await startApp(t)
  const one = await a.listing({ name: 'First' })
  const two = await a.listing({ owner: one.owner, name: 'Second' })
  assert.deepEqual(
    refused(await patch(`${MINE}/${two.uid}`, { vanity_name: 'first' }, one.owner)),
    [409, 4090],
  )
  must(await patch(`${MINE}/${one.uid}`, { vanity_name: 'first' }, one.owner))
  must(await patch(`${MINE}/first`, { vanity_name: 'moved' }, one.owner))
  assert.equal((await get(`${PAGE}/first`, one.owner)).status, 404)
  assert.equal(must(await get(`${PAGE}/moved`, one.owner)).uid, one.uid)
})

test('a parent is a listing or an external title, and is rejected in every case of 4233', async (t) => {
  const app = await startApp(t)
  const { a, patch, post, get } = app
  const game = await a.listing({ name: 'Parent game' })
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  const asset = await a.listing({ owner: game.owner, asset_type: 'game_asset' })
  const foreign_draft = await a.listing()
  const foreign_public = await publicListing(app)
  const set = (parent: unknown, uid = mod.uid) => patch(`${MINE}/${uid}`, { parent }, game.owner)

  const shown = (parent: { uid: string; vanity_name: string }) => ({
    game: {
      uid: parent.uid,
      vanity_name: parent.vanity_name,
      name: parent === game ? 'Parent game' : undefined,
      asset_type: 'game',
    },
  })
  assert.deepEqual(must(await set({ game: game.uid })).parent, shown(game), 'own, even as a draft')
  assert.deepEqual(must(await set({ game: 'parent-game' })).parent, shown(game), 'by name')
  assert.equal(
    must(await set({ game: foreign_public.uid })).parent.game.uid,
    foreign_public.uid,
    'a public one of somebody else',
  )
  assert.deepEqual(
    must(await set({ external_name: 'Elsewhere', external_url: 'https://elsewhere.example/game' }))
      .parent,
    {
      external_name: 'Elsewhere',
      external_url: 'https://elsewhere.example/game',
    },
  )
  assert.equal(must(await set(null)).parent, null)

  for (const [why, parent, uid] of [
    ['itself', { game: mod.uid }, mod.uid],
    ['not a game or application', { game: asset.uid }, mod.uid],
    ['missing', { game: randomUUID() }, mod.uid],
    ['a foreign draft', { game: foreign_draft.uid }, mod.uid],
    ['no link', { external_name: 'Elsewhere' }, mod.uid],
    [
      'plain http',
      { external_name: 'Elsewhere', external_url: 'http://elsewhere.example' },
      mod.uid,
    ],
    [
      'both forms',
      { game: game.uid, external_name: 'x', external_url: 'https://x.example' },
      mod.uid,
    ],
    ['neither form', {}, mod.uid],
    ['a string', 'parent-game', mod.uid],
    ['a game has none', { game: foreign_public.uid }, game.uid],
    [
      'a game has none elsewhere either',
      { external_name: 'x', external_url: 'https://x.example' },
      game.uid,
    ],
    ['an asset has none', { game: game.uid }, asset.uid],
  ] as const)
    assert.deepEqual(refused(await set(parent, uid)), [422, 4233], why)
  assert.deepEqual(
    (await set({ game: foreign_draft.uid })).body,
    (await set({ game: randomUUID() })).body,
    'a hidden listing is not told apart from none',
  )

  const born = must(
    await post(
      MINE,
      { name: 'Born with a parent', asset_type: 'tool', parent: { game: game.uid } },
      game.owner,
    ),
  )
  assert.equal(must(await get(`${MINE}/${born.game_uid}`, game.owner)).parent.game.uid, game.uid)
  assert.deepEqual(
    refused(
      await post(MINE, { name: 'X', asset_type: 'game', parent: { game: game.uid } }, game.owner),
    ),
    [422, 4233],
  )
})

test('changing to a type without a parent removes the parent', async (t) => {
  const { a, patch } = await startApp(t)
  const game = await a.listing()
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  must(await patch(`${MINE}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  assert.equal(
    must(await patch(`${MINE}/${mod.uid}`, { asset_type: 'plugin' }, game.owner)).parent.game.uid,
    game.uid,
    'a plugin keeps it',
  )
  assert.equal(
    must(await patch(`${MINE}/${mod.uid}`, { asset_type: 'dev_asset' }, game.owner)).parent,
    null,
  )
  assert.equal(
    must(await patch(`${MINE}/${mod.uid}`, { asset_type: 'mod' }, game.owner)).parent,
    null,
    'and it does not come back',
  )
})

test('a listing with children can only be a game or an application', async (t) => {
  const { a, patch } = await startApp(t)
  const game = await a.listing()
  const mod = await a.listing({ owner: game.owner, asset_type: 'mod' })
  must(await patch(`${MINE}/${mod.uid}`, { parent: { game: game.uid } }, game.owner))
  assert.deepEqual(
    refused(await patch(`${MINE}/${game.uid}`, { asset_type: 'tool' }, game.owner)),
    [409, 4090],
  )
  assert.equal(
    (await patch(`${MINE}/${game.uid}`, { asset_type: 'application' }, game.owner)).status,
    200,
  )
})

test('PUT taxonomy replaces only the given fields, and returns 4071 for unknown values', async (t) => {
  const { a, put, get } = await startApp(t)
  const { uid, owner } = await a.listing()
  const set = (body: unknown) => put(`${MINE}/${uid}/taxonomy`, body, owner)
  const full = {
    genres: ['rpg', 'puzzle'],
    tags: ['Open World', 'pixel_art', 'co-op'],
    tone: ['dark'],
    inputs: ['gamepad'],
    content_warnings: ['gore'],
    engines: ['engine-x'],
    session_bucket: '1h',
    net: 'online',
    players_min: 1,
    players_max: 4,
    authorship: 'human',
    authorship_credit: 'By us',
    ai_uses: ['code'],
    languages: [{ code: 'de', interface: true, audio: false, subtitles: true }],
    accessibility: ['subtitles'],
  }
  const stored = { ...full, tags: ['open-world', 'pixel-art', 'co-op'] }
  assert.deepEqual(must(await set(full)), stored)
  assert.deepEqual(must(await set({ tone: [] })), { ...stored, tone: [] })
  const page = must(await get(`${PAGE}/${uid}`, owner))
  for (const [field, value] of Object.entries({ ...stored, tone: [] }))
    assert.deepEqual(page[field], value, field)
  for (const [field, value] of Object.entries({
    genres: ['rpg', 'puzzle', 'card', 'idle'],
    tags: ['a', 'b'],
    tone: ['happy'],
    inputs: ['mouse'],
    content_warnings: ['spiders'],
    engines: ['a', 'b', 'c', 'd', 'e', 'f'],
    session_bucket: '2h',
    net: 'lan',
    players_min: 0,
    players_max: 65,
    authorship: 'robot',
    authorship_credit: 'x'.repeat(121),
    ai_uses: ['video'],
    colour: 'red',
  })) {
    const answer = await set({ [field]: value })
    assert.deepEqual(refused(answer), [422, 4071], field)
    assert.ok(answer.body.error.message.includes(field), `names ${field}`)
  }
  assert.deepEqual(
    refused(await set({ players_min: 5 })),
    [422, 4071],
    'above the stored players_max',
  )
  assert.deepEqual(
    must(await get(`${PAGE}/${uid}`, owner)).players_min,
    1,
    'a refused edit changes nothing',
  )
})

test('mod settings are normalized, only for mods and plugins, and rejected with 4234', async (t) => {
  const { a, put, get } = await startApp(t)
  const { uid, owner } = await a.listing({ asset_type: 'mod' })
  const set = (body: unknown, id = uid) => put(`${MINE}/${id}/mod-settings`, body, owner)
  assert.deepEqual(
    must(
      await set({
        install_path: './mods//mine/',
        loader: 'loader-x',
        instructions: 'x'.repeat(8000),
      }),
    ),
    {
      install_path: 'mods/mine',
      loader: 'loader-x',
      instructions: 'x'.repeat(8000),
    },
  )
  assert.equal(must(await get(`${PAGE}/${uid}`, owner)).mod_settings.loader, 'loader-x')
  for (const body of [
    { install_path: '/abs' },
    { install_path: 'a/../b' },
    { install_path: 'a\\b' },
    { install_path: 'C:/x' },
    { loader: 'Not A Slug' },
    { instructions: 'x'.repeat(8001) },
  ])
    assert.deepEqual(refused(await set(body)), [422, 4234], JSON.stringify(body).slice(0, 40))
  const game = await a.listing({ owner })
  assert.deepEqual(refused(await set({ install_path: 'x' }, game.uid)), [422, 4234])
  assert.equal(must(await get(`${PAGE}/${game.uid}`, owner)).mod_settings, undefined)
})

test('rejects conflicting prices, editions and anonymous downloads (4109, 4113, 4114, 4155, 4156, 4164)', async (t) => {
  const { a, patch, put, post, del, get } = await startApp(t)
  const { uid, owner } = await a.listing()
  const other = await a.listing({ owner })
  const stranger = await a.listing()
  const editions = `${MINE}/${uid}/editions`
  const anonymous = (body: unknown) => put(`${MINE}/${uid}/anonymous-downloads`, body, owner)
  const page = async () => must(await get(`${PAGE}/${uid}`, owner))

  assert.deepEqual(refused(await anonymous({ enabled: true })), [400, 4109])
  assert.deepEqual(
    refused(await anonymous({ enabled: true, confirm_no_license: false })),
    [400, 4109],
  )
  assert.deepEqual(must(await anonymous({ enabled: true, confirm_no_license: true })), {
    anonymous_downloads: true,
  })
  assert.deepEqual(refused(await patch(`${MINE}/${uid}`, { price_cents: 100 }, owner)), [409, 4114])
  assert.deepEqual(
    refused(await post(editions, { slug: 's', name: 'S', price_cents: 100 }, owner)),
    [409, 4114],
  )
  assert.deepEqual(
    refused(await post(editions, { slug: 's', name: 'S', price_cents: 100, active: false }, owner)),
    [409, 4114],
  )
  must(await anonymous({ enabled: false }))

  must(await patch(`${MINE}/${uid}`, { price_cents: 1500 }, owner))
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
    'the cheapest active edition is the price',
  )
  assert.deepEqual(refused(await patch(`${MINE}/${uid}`, { price_cents: 500 }, owner)), [409, 4164])
  must(await patch(`${editions}/${deluxe.uid}`, { active: false }, owner))
  assert.deepEqual([(await page()).price_cents, (await page()).editions.length], [2000, 1])
  must(await del(`${editions}/${standard.uid}`, owner))
  assert.equal((await page()).price_cents, 1500, 'without an active edition its own price holds')
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

test('a project key or an admin cannot add listings beyond their access to a bundle or as a parent', async (t) => {
  const { a, post, patch, sql } = await startApp(t)
  const one = await a.listing({ asset_type: 'mod' })
  const { owner } = one
  const [two, three] = [await a.listing({ owner }), await a.listing({ owner })]
  const admin = await a.developer()
  await sql`insert into listing_admins (game_uid, user_uid, accepted_at) values (${one.uid}, ${admin.uid}, now())`
  const { key: token } = await a.key('agent', owner, ['mcp:write', 'mcp:money'], {
    game_uid: one.uid,
  })
  const editions = `${MINE}/${one.uid}/editions`
  const body = {
    slug: 'all',
    name: 'All',
    price_cents: 100,
    kind: 'bundle',
    bundle_asset_uids: [two.uid],
  }
  for (const who of [{ token }, admin])
    assert.deepEqual(refused(await post(editions, body, who)), [422, 4155])
  const { uid } = must(await post(editions, body, owner))
  for (const who of [{ token }, admin]) {
    must(await patch(`${editions}/${uid}`, { bundle_asset_uids: [two.uid] }, who))
    const more = { bundle_asset_uids: [two.uid, three.uid] }
    assert.deepEqual(
      refused(await patch(`${editions}/${uid}`, more, who)),
      [422, 4155],
      'what is in may stay, and nothing comes in',
    )
  }
  const parent = { parent: { game: two.uid } }
  assert.deepEqual(refused(await patch(`${MINE}/${one.uid}`, parent, { token })), [422, 4233])
  must(await patch(`${MINE}/${one.uid}`, parent, owner))
})

test('anonymous downloads can only be set on the website', async (t) => {
  const { a, put } = await startApp(t)
  const { uid, owner } = await a.listing()
  const { key } = await a.key('agent', owner, ['mcp:read', 'mcp:write'])
  assert.deepEqual(
    refused(
      await put(
        `${MINE}/${uid}/anonymous-downloads`,
        { enabled: true, confirm_no_license: true },
        { token: key },
      ),
    ),
    [403, 4033],
  )
})

test('concurrent saves by two editors are never mixed', async (t) => {
  const { a, put, get } = await startApp(t)
  const { uid, owner } = await a.listing()
  const save = (n: number) =>
    put(
      `${MINE}/${uid}/taxonomy`,
      {
        tags: [`a${n}`, `b${n}`, `c${n}`],
        engines: [`engine-${n}`],
        players_min: n,
        players_max: n,
        authorship_credit: `credit ${n}`,
      },
      owner,
    )
  for (let round = 0; round < 5; round++) {
    await Promise.all([1, 2, 3, 4, 5, 6].map(save))
    const page = must(await get(`${PAGE}/${uid}`, owner))
    const n = page.players_min
    assert.deepEqual(
      [page.tags, page.engines, page.players_max, page.authorship_credit],
      [[`a${n}`, `b${n}`, `c${n}`], [`engine-${n}`], n, `credit ${n}`],
    )
  }
  const links = (n: number) =>
    put(
      `${MINE}/${uid}/engine-compat`,
      { ranges: Array.from({ length: n }, (_, i) => ({ engine: `e${n}-${i}` })) },
      owner,
    )
  await Promise.all([2, 3, 4, 5].map(links))
  const ranges = must(await get(`${PAGE}/${uid}`, owner)).engine_compat
  assert.ok(
    ranges.every(({ engine }: any) => engine.startsWith(`e${ranges.length}-`)),
    JSON.stringify(ranges),
  )
})
