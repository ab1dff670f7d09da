import assert from 'node:assert/strict'
import { test } from 'node:test'
import { loggedIds, REQUEST_ID } from '../../core/runtime/logged-ids.ts'
import { must, refused } from '../../support/builders.ts'
import { startExtstoreApp } from '../fixtures.ts'
import { entry, sharedImportApp } from './fixtures.ts'

const startApp = sharedImportApp()

const faults = {
  'hangs up': { mode: 'reset' },
  'answers 500': { mode: 'status', status: 500 },
  'answers 503': { mode: 'status', status: 503 },
  'answers 429': { mode: 'status', status: 429 },
  'answers garbage': { mode: 'garbage' },
  'breaks off': { mode: 'truncated' },
  'never ends': { mode: 'endless' },
  'answers a list': { mode: 'answer', answer: [] },
  'answers nothing': { mode: 'answer', answer: {} },
  'answers null': { mode: 'answer', answer: null },
} as const

for (const call of ['apps', 'page'] as const)
  for (const [problem, fault] of Object.entries(faults))
    test(`a store whose ${call} ${problem} is 4243, and nothing is created`, async () => {
      const { app, preview, imported, developer, get, control } = await startApp()
      const who = await developer()
      const request = app()
      for (const send of [preview, imported]) {
        control.fault({ on: call, ...fault })
        const answer = await send(who, request)
        control.clearFaults()
        assert.deepEqual(refused(answer), [502, 4243])
        assert.ok(!JSON.stringify(answer).includes(request.web_api_key))
      }
      assert.deepEqual(must(await get('/api/v1/private/games', who)).items, [])
    })

test('a store that stalls is 4243', async () => {
  const { app, preview, developer, control } = await startApp()
  control.fault({ on: 'apps', mode: 'stall' })
  const answer = await preview(await developer(), app())
  control.clearFaults()
  assert.deepEqual(refused(answer), [502, 4243])
})

test('a key without apps is 4241, and an unreadable app does not hide others', async () => {
  const { app, preview, developer, control } = await startApp()
  const who = await developer()
  const request = { ...app(), groups: ['text'] }
  const answered = async (apps: unknown) => {
    control.fault({ on: 'apps', mode: 'answer', answer: { applist: { apps } } })
    const answer = await preview(who, request)
    control.clearFaults()
    return answer
  }
  for (const apps of [{}, { app: null }, { app: [] }, { app: [null, {}, { appid: 'x' }] }])
    assert.deepEqual(refused(await answered(apps)), [403, 4241], JSON.stringify(apps))
  must(
    await answered({
      app: [null, { appid: null }, { appid: request.app_id, app_type: 'game', app_name: 'Fine' }],
    }),
  )
  assert.deepEqual(refused(await answered({ app: 'x' })), [502, 4243])
})

test('a page of another app is 4243', async () => {
  const { app, preview, developer, control } = await startApp()
  const who = await developer()
  assert.deepEqual(refused(await preview(who, app({ steam_appid: 17 }))), [502, 4243])
  const request = app()
  for (const answer of [
    { 17: { success: true, data: { type: 'game' } } },
    { [request.app_id]: { success: true } },
    { [request.app_id]: { success: 'yes', data: {} } },
    { [request.app_id]: null },
  ]) {
    control.fault({ on: 'page', mode: 'answer', answer })
    assert.deepEqual(refused(await preview(who, request)), [502, 4243], JSON.stringify(answer))
    control.clearFaults()
  }
})

test('retries after a short failure of the store', async () => {
  const { app, preview, developer, control } = await startApp()
  const who = await developer()
  for (const on of ['apps', 'page', 'items', 'tags']) {
    control.fault({ on, mode: 'status', status: 503, times: 1 })
    const seen = must(await preview(who, { ...app(), groups: ['taxonomy'] }))
    assert.ok(entry(seen, 'imported', 'tags'), on)
    control.clearFaults()
  }
})

for (const call of ['items', 'tags'] as const)
  for (const [problem, fault] of Object.entries(faults))
    test(`continues without tags if ${call} ${problem}, and reports it`, async () => {
      const { app, imported, preview, listing, developer, control } = await startApp()
      const who = await developer()
      const request = { ...app(), groups: ['taxonomy', 'age'] }
      control.fault({ on: call, ...fault })
      const seen = must(await preview(who, request))
      const done = must(await imported(who, request))
      control.clearFaults()
      for (const report of [seen, done])
        for (const field of ['tags', 'tone'])
          assert.equal(
            entry(report, 'skipped', field)!.reason,
            'The tags of the store are not available right now. Sync again later.',
          )
      const page = await listing(who, done.game_uid)
      assert.deepEqual([page.tags, page.genres, page.net], [[], ['action'], 'online'])
      assert.deepEqual(page.content_warnings, ['violence', 'gore', 'language'])
    })

test('a failing database leaves everything unchanged', async (t) => {
  const { a, post, get, sql, store, core } = await startExtstoreApp(t)
  const ids = loggedIds(t, core)
  const who = await a.developer()
  store.control.app({ app_id: 77, name: 'Last moment' })
  const { key: web_api_key } = store.control.key({ apps: [77] })
  const listing = await a.listing({ owner: who })
  const before = must(await get(`/api/v1/private/games/${listing.uid}`, who))
  await sql.unsafe(`
    create function refuse_marks() returns trigger language plpgsql as $$
      begin raise exception 'disk on fire'; end $$;
    create trigger refuse_marks before insert on extstore_imports
      for each row execute function refuse_marks()`)
  for (const game_uid of [undefined, listing.uid])
    assert.deepEqual(
      refused(
        await post(
          '/api/v1/private/steam/import',
          { app_id: 77, web_api_key, game_uid, enable_auth: true },
          who,
        ),
      ),
      [503, 5031],
    )
  assert.equal(ids.length, 2)
  for (const id of ids) assert.match(String(id), REQUEST_ID)
  assert.deepEqual(must(await get(`/api/v1/private/games/${listing.uid}`, who)), before)
  assert.equal(must(await get('/api/v1/private/games', who)).items.length, 1)
  for (const table of [
    'extstore_links',
    'extstore_sign_in',
    'secrets',
    'press_kits',
    'listing_images',
    'listing_store_links',
  ]) {
    const [{ n }] = (await sql.unsafe(`select count(*)::int as n from ${table}`)) as any
    assert.equal(n, 0, table)
  }
  await sql.unsafe('drop trigger refuse_marks on extstore_imports')
  must(
    await post(
      '/api/v1/private/steam/import',
      { app_id: 77, web_api_key, game_uid: listing.uid },
      who,
    ),
  )
})

test('an import that is unlinked right afterwards still reports its result', async (t) => {
  const { a, post, sql, store } = await startExtstoreApp(t)
  store.control.app({ app_id: 78, name: 'Gone at once' })
  const { key: web_api_key } = store.control.key({ apps: [78] })
  await sql.unsafe(`
    create function unlink_at_once() returns trigger language plpgsql as $$
      begin delete from extstore_links where game_uid = new.game_uid; return null; end $$;
    create constraint trigger unlink_at_once after insert on extstore_links
      deferrable initially deferred
      for each row execute function unlink_at_once()`)
  const done = must(
    await post(
      '/api/v1/private/steam/import',
      { app_id: 78, web_api_key, groups: ['text'] },
      await a.developer(),
    ),
  )
  assert.equal(done.steam.app_id, 78)
  assert.deepEqual(await sql`select from extstore_links`.then(({ length }) => length), 0)
})
