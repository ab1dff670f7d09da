import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../support/app.ts'
import { must, refused } from '../support/builders.ts'
import { sharedInFile } from '../support/shared.ts'
import { GAMES, PAGES } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('PATCH changes every field of a listing, alone or together', async (t) => {
  const { a, patch, get } = await sharedApp(t)
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
  const changed = must(await patch(`${GAMES}/${uid}`, change, owner))
  for (const page of [
    changed,
    must(await get(`${PAGES}/new-name`)),
    must(await get(`${GAMES}/${uid}`, owner)),
  ])
    for (const [field, value] of Object.entries(change)) assert.deepEqual(page[field], value, field)
  assert.equal(
    must(await patch(`${GAMES}/${uid}`, { tagline: '' }, owner)).name,
    'New name',
    'an omitted field was changed',
  )
})

test('accepts every field at its limits and rejects it beyond them', async (t) => {
  const { a, patch } = await sharedApp(t)
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
      (await patch(`${GAMES}/${uid}`, change, owner)).status,
      200,
      JSON.stringify(change).slice(0, 60),
    )
  const invalidChanges: [object, number, number][] = [
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
  for (const [change, status, code] of invalidChanges)
    assert.deepEqual(
      refused(await patch(`${GAMES}/${uid}`, change, owner)),
      [status, code],
      JSON.stringify(change).slice(0, 60),
    )
})

test('rejects a vanity name that is taken, and a rename moves the page', async (t) => {
  const { a, patch, get } = await sharedApp(t)
  const first = await a.listing({ name: 'First' })
  const second = await a.listing({ owner: first.owner, name: 'Second' })
  assert.deepEqual(
    refused(await patch(`${GAMES}/${second.uid}`, { vanity_name: 'first' }, first.owner)),
    [409, 4090],
  )
  must(await patch(`${GAMES}/${first.uid}`, { vanity_name: 'first' }, first.owner))
  must(await patch(`${GAMES}/first`, { vanity_name: 'moved' }, first.owner))
  assert.equal((await get(`${PAGES}/first`, first.owner)).status, 404)
  assert.equal(must(await get(`${PAGES}/moved`, first.owner)).uid, first.uid)
})

test('PUT taxonomy replaces only the given fields; unknown values are 4071', async (t) => {
  const { a, put, get } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const set = (body: unknown) => put(`${GAMES}/${uid}/taxonomy`, body, owner)
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
    system_requirements: [],
  }
  const stored = { ...full, tags: ['open-world', 'pixel-art', 'co-op'] }
  assert.deepEqual(must(await set(full)), stored)
  assert.deepEqual(must(await set({ tone: [] })), { ...stored, tone: [] })
  const page = must(await get(`${PAGES}/${uid}`, owner))
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
    assert.ok(answer.body.error.message.includes(field), `the message does not name ${field}`)
  }
  assert.deepEqual(
    refused(await set({ players_min: 5 })),
    [422, 4071],
    'players_min exceeds the stored players_max',
  )
  assert.deepEqual(
    must(await get(`${PAGES}/${uid}`, owner)).players_min,
    1,
    'a refused edit changed the listing',
  )
})

test('mod settings are normalized, and 4234 if invalid or for another type', async (t) => {
  const { a, put, get } = await sharedApp(t)
  const { uid, owner } = await a.listing({ asset_type: 'mod' })
  const set = (body: unknown, id = uid) => put(`${GAMES}/${id}/mod-settings`, body, owner)
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
  assert.equal(must(await get(`${PAGES}/${uid}`, owner)).mod_settings.loader, 'loader-x')
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
  assert.equal(must(await get(`${PAGES}/${game.uid}`, owner)).mod_settings, undefined)
})

test('concurrent saves by two editors are never mixed', async (t) => {
  const { a, put, get } = await sharedApp(t)
  const { uid, owner } = await a.listing()
  const save = (n: number) =>
    put(
      `${GAMES}/${uid}/taxonomy`,
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
    const page = must(await get(`${PAGES}/${uid}`, owner))
    const n = page.players_min
    assert.deepEqual(
      [page.tags, page.engines, page.players_max, page.authorship_credit],
      [[`a${n}`, `b${n}`, `c${n}`], [`engine-${n}`], n, `credit ${n}`],
    )
  }
  const links = (n: number) =>
    put(
      `${GAMES}/${uid}/engine-compat`,
      { ranges: Array.from({ length: n }, (_, i) => ({ engine: `e${n}-${i}` })) },
      owner,
    )
  await Promise.all([2, 3, 4, 5].map(links))
  const ranges = must(await get(`${PAGES}/${uid}`, owner)).engine_compat
  assert.ok(
    ranges.every(({ engine }: any) => engine.startsWith(`e${ranges.length}-`)),
    JSON.stringify(ranges),
  )
})
