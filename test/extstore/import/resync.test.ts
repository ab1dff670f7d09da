import assert from 'node:assert/strict'
import { test } from 'node:test'
import { must } from '../../support/builders.ts'
import { entry, fieldsOf, sharedImportApp, withoutPictures } from './fixtures.ts'

const startApp = sharedImportApp()

const KEPT_REASON =
  'Edited since the last import. Send overwrite: true to replace it with the value of the store.'

/** Edits every field through the routes that people use. */
async function editAll({ patch, put, a, get }: any, who: any, uid: string) {
  const path = `/api/v1/private/games/${uid}`
  must(
    await patch(
      path,
      {
        name: 'Mine',
        tagline: 'Mine',
        description: 'Mine',
        status: 'prototype',
        price_cents: 999,
        adult: true,
      },
      who,
    ),
  )
  const taxonomy = {
    genres: ['card'],
    tags: ['x', 'y', 'z'],
    tone: ['cozy'],
    inputs: ['touch'],
    net: 'local',
    players_min: 2,
    players_max: 9,
  }
  must(
    await put(
      `${path}/taxonomy`,
      { ...taxonomy, session_bucket: '3h', content_warnings: ['drugs'] },
      who,
    ),
  )
  must(
    await put(
      `${path}/store-links`,
      { store_links: [{ platform: 'store_01', url: 'https://store.steampowered.com/app/1' }] },
      who,
    ),
  )
  const kit = {
    release_date: 'Soon',
    website_url: 'https://mine.example',
    trailer_url: 'https://mine.example/t',
    credits: [{ name: 'Me', role: 'Everything' }],
  }
  must(await put(`${path}/press`, kit, who))
  await a.images({ uid, owner: who })
  must(await get(path, who))
}

test('a resync keeps edited fields, and replaces them with overwrite', async () => {
  const all = await startApp()
  const { app, imported, preview, resync, snapshot, developer } = all
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, request))
  await editAll(all, who, game_uid)
  // The images of `a.images` were added to the gallery, so that all three slots differ.
  const before = await snapshot(who, game_uid)
  const seen = withoutPictures(must(await preview(who, { ...request, game_uid })))
  const done = must(await resync(who, game_uid, { web_api_key: request.web_api_key }))
  for (const list of ['imported', 'skipped', 'kept', 'not_imported', 'screenshots'])
    assert.deepEqual(done[list], seen[list], list)
  const edited = [
    'name',
    'tagline',
    'description',
    'genres',
    'tags',
    'tone',
    'inputs',
    'net',
    'players_min',
    'status',
    'cover',
    'thumbnail',
    'gallery',
  ]
  const more = [
    'release_date',
    'website_url',
    'trailer_url',
    'credits',
    'price_cents',
    'content_warnings',
    'store_link',
  ]
  assert.deepEqual(fieldsOf(done.kept), [...edited, ...more])
  for (const { reason } of done.kept) assert.equal(reason, KEPT_REASON)
  // The store has no session length or maximum of players, and never removes the adult mark.
  assert.deepEqual(fieldsOf(done.skipped), ['session_bucket', 'adult'])
  assert.deepEqual(entry(done, 'imported', 'players_max')!.value, 9)
  const price = entry(done, 'kept', 'price_cents')!
  assert.deepEqual([price.old, price.value], [999, 1499])
  const after = await snapshot(who, game_uid)
  assert.deepEqual({ ...after.page, updated_at: 0 }, { ...before.page, updated_at: 0 })
  assert.deepEqual([after.press, after.media], [before.press, before.media])

  const forced = must(
    await resync(who, game_uid, { web_api_key: request.web_api_key, overwrite: true }),
  )
  assert.deepEqual(forced.kept, [])
  const { page, press, media } = await snapshot(who, game_uid)
  assert.deepEqual(
    [page.name, page.status, page.price_cents, page.genres],
    [`Game of ${request.app_id}`, 'released', 1499, ['platformer', 'action']],
  )
  assert.deepEqual(
    [press.release_date, press.credits],
    [
      'Mar 2, 2024',
      [
        { name: 'Two Rooms', role: 'Developer and publisher' },
        { name: 'Me', role: 'Everything' },
      ],
    ],
  )
  assert.equal(media.gallery.length, 5)
  // The adult mark stays, and so do the fields that the store lacks.
  assert.deepEqual([page.adult, page.session_bucket, page.players_max], [true, '3h', 9])
})

test('a resync updates fields that were not edited', async () => {
  const { app, imported, resync, listing, media, developer, control, shots } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, request))
  const first = await media(who, game_uid)
  control.page({
    app_id: request.app_id,
    data: {
      short_description: 'Now with rain.',
      release_date: { coming_soon: true, date: 'Later' },
      screenshots: shots('new/1.1280x720.jpg', 'new/2.1280x720.jpg'),
      categories: [{ id: 2, description: 'Single-player' }],
      is_free: true,
    },
  })
  const done = must(await resync(who, game_uid, { web_api_key: request.web_api_key }))
  assert.deepEqual(done.kept, [])
  const { old, value } = entry(done, 'imported', 'tagline')!
  assert.deepEqual([old, value], ['A platformer about light.', 'Now with rain.'])
  const page = await listing(who, game_uid)
  assert.deepEqual(
    [page.tagline, page.status, page.price_cents, page.net, page.players_max],
    ['Now with rain.', 'development', 0, 'offline', 1],
  )
  const second = await media(who, game_uid)
  assert.equal(second.gallery.length, 2)
  assert.notEqual(second.cover, first.cover)
})

test('keeps an edited field in later resyncs, also after one without its group', async () => {
  const { app, imported, resync, patch, listing, developer } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, request))
  const key = { web_api_key: request.web_api_key }
  must(
    await patch(`/api/v1/private/games/${game_uid}`, { tagline: 'Mine', status: 'prototype' }, who),
  )
  assert.deepEqual(fieldsOf(must(await resync(who, game_uid, { ...key, groups: ['text'] })).kept), [
    'tagline',
  ])
  assert.deepEqual(
    fieldsOf(must(await resync(who, game_uid, { ...key, groups: ['text', 'status'] })).kept),
    ['tagline', 'status'],
  )
  assert.deepEqual((await listing(who, game_uid)).tagline, 'Mine')
  // A field that is changed back to the value of the store no longer counts as edited.
  must(
    await patch(`/api/v1/private/games/${game_uid}`, { tagline: 'A platformer about light.' }, who),
  )
  assert.deepEqual(must(await resync(who, game_uid, { ...key, groups: ['text'] })).kept, [])
})

test('a field that was never imported counts as edited once it is written', async () => {
  const { app, imported, resync, put, listing, developer } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, { ...request, groups: ['text'] }))
  must(await put(`/api/v1/private/games/${game_uid}/taxonomy`, { tags: ['x', 'y', 'z'] }, who))
  const done = must(
    await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['taxonomy'] }),
  )
  assert.deepEqual(fieldsOf(done.kept), ['tags'])
  assert.deepEqual((await listing(who, game_uid)).genres, ['platformer', 'action'])
})

test('keeps minimum and maximum players together', async () => {
  const { app, imported, resync, put, listing, developer, control } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid } = must(await imported(who, { ...request, groups: ['taxonomy'] }))
  must(await put(`/api/v1/private/games/${game_uid}/taxonomy`, { players_min: 3 }, who))
  control.page({
    app_id: request.app_id,
    data: { categories: [{ id: 2, description: 'Single-player' }] },
  })
  const done = must(
    await resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['taxonomy'] }),
  )
  assert.deepEqual(fieldsOf(done.kept), ['players_min', 'players_max'])
  const { players_min, players_max } = await listing(who, game_uid)
  assert.deepEqual([players_min, players_max], [3, 4])
})

test('a first import replaces the fields of a listing except those the store lacks', async () => {
  const all = await startApp()
  const { app, a, imported, preview, snapshot, developer, put } = all
  const who = await developer()
  const target = await a.listing({ owner: who })
  await editAll(all, who, target.uid)
  const links = [
    { platform: 'store_02', url: 'https://www.gog.com/game/mine' },
    { platform: 'store_01', url: 'https://store.steampowered.com/app/1' },
  ]
  must(await put(`/api/v1/private/games/${target.uid}/store-links`, { store_links: links }, who))
  const request = { ...app(), game_uid: target.uid }
  const seen = must(await preview(who, request))
  assert.deepEqual(seen.target, {
    game_uid: target.uid,
    vanity_name: target.vanity_name,
    name: 'Mine',
    created: false,
  })
  assert.deepEqual(entry(seen, 'imported', 'tags')!.old, ['x', 'y', 'z'])
  const done = must(await imported(who, request))
  assert.deepEqual([done.created, done.kept, done.imported], [false, [], seen.imported])
  const { page, press, media } = await snapshot(who, target.uid)
  assert.deepEqual(
    [page.name, page.vanity_name, page.visibility],
    [`Game of ${request.app_id}`, target.vanity_name, 'draft'],
  )
  assert.equal(media.gallery.length, 5)
  assert.deepEqual(
    page.store_links.map(({ platform, url }: any) => [platform, url]),
    [
      ['store_01', `https://store.steampowered.com/app/${request.app_id}/`],
      ['store_02', 'https://www.gog.com/game/mine'],
    ],
  )
  assert.deepEqual(fieldsOf(press.credits.map(({ name }: any) => ({ field: name }))), [
    'Two Rooms',
    'Me',
  ])
})

test('keeps manual credits and removes imported ones that the store no longer names', async () => {
  const { app, imported, resync, put, press, developer, control } = await startApp()
  const who = await developer()
  const request = { ...app({ developers: ['Old'], publishers: [] }), groups: ['press'] }
  const { game_uid } = must(await imported(who, request))
  const names = async () => (await press(who, game_uid)).credits.map(({ name }: any) => name)
  const byHand = {
    credits: [
      { name: 'Old', role: 'Developer' },
      { name: 'Lee', role: 'Developer' },
    ],
  }
  must(await put(`/api/v1/private/games/${game_uid}/press`, byHand, who))
  const again = { web_api_key: request.web_api_key, groups: ['press'], overwrite: true }
  must(await resync(who, game_uid, again))
  assert.deepEqual(await names(), ['Old', 'Lee'])
  control.page({ app_id: request.app_id, data: { developers: ['New'], publishers: [] } })
  must(await resync(who, game_uid, { ...again, groups: ['text'] }))
  must(await resync(who, game_uid, again))
  assert.deepEqual(await names(), ['New', 'Lee'])
})

test('a resync sets its time, and two concurrent ones leave one consistent result', async () => {
  const { app, imported, resync, listing, developer } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid, steam } = must(
    await imported(who, { ...request, groups: ['text', 'taxonomy'] }),
  )
  const answers = await Promise.all(
    [1, 2, 3].map(() =>
      resync(who, game_uid, { web_api_key: request.web_api_key, groups: ['text', 'taxonomy'] }),
    ),
  )
  for (const answer of answers) assert.ok(must(answer).steam.last_synced_at >= steam.last_synced_at)
  assert.deepEqual((await listing(who, game_uid)).tags, ['platformer', 'indie', 'relaxing'])
})

test('does not shrink the gallery of a public listing below the minimum', async () => {
  const { app, a, imported, resync, patch, media, listing, control, shots } = await startApp()
  const who = await a.verifiedDeveloper()
  const request = app()
  const { game_uid, vanity_name } = must(await imported(who, request))
  await a.cleanBuild({ uid: game_uid, vanity_name, owner: who })
  must(await patch(`/api/v1/private/games/${game_uid}`, { visibility: 'public' }, who))
  const before = await media(who, game_uid)
  control.page({
    app_id: request.app_id,
    data: {
      screenshots: shots('few/1.1280x720.jpg', 'few/2.1280x720.jpg', 'few/3.1280x720.jpg'),
      short_description: 'Still here.',
    },
  })
  const done = must(await resync(who, game_uid, { web_api_key: request.web_api_key }))
  assert.match(
    entry(done, 'skipped', 'gallery')!.reason!,
    /^A value the listing check would refuse: .*at least 4.*has 3/,
  )
  const after = await media(who, game_uid)
  assert.deepEqual(after.gallery, before.gallery)
  assert.notEqual(after.cover, before.cover)
  assert.deepEqual(
    [(await listing(who, game_uid)).visibility, (await listing(who, game_uid)).tagline],
    ['public', 'Still here.'],
  )
})

test('skips the price if editions or open downloads determine it', async () => {
  const { app, a, post, put, imported, preview, listing, developer } = await startApp()
  const who = await developer()
  const sold = await a.listing({ owner: who })
  must(
    await post(
      `/api/v1/private/games/${sold.uid}/editions`,
      { slug: 'std', name: 'Standard', price_cents: 500, kind: 'standard' },
      who,
    ),
  )
  const request = { ...app(), groups: ['price'] }
  assert.match(
    entry(must(await preview(who, { ...request, game_uid: sold.uid })), 'skipped', 'price_cents')!
      .reason!,
    /editions/,
  )
  const open = await a.listing({ owner: who })
  must(
    await put(
      `/api/v1/private/games/${open.uid}/anonymous-downloads`,
      { enabled: true, confirm_no_license: true },
      who,
    ),
  )
  const done = must(await imported(who, { ...request, game_uid: open.uid }))
  assert.match(entry(done, 'skipped', 'price_cents')!.reason!, /without an account/)
  assert.equal((await listing(who, open.uid)).price_cents, 0)
})
