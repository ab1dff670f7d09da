import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type TimeBudget, timeBudget } from '../../../src/extstore/client/store.ts'
import { readScreenshots } from '../../../src/extstore/import/images.ts'
import { must, refused } from '../../support/builders.ts'
import { entry, sharedImportApp } from './fixtures.ts'
import { storedImages } from './stored-images.ts'

const startApp = sharedImportApp()

test('gives up on an endless response and imports the rest', async () => {
  const { app, imported, developer, shots, control } = await startApp()
  control.fault({ on: 'image', mode: 'endless', times: 1 })
  const done = must(
    await imported(await developer(), app({ screenshots: shots('e/1.1280x720.jpg') })),
  )
  control.clearFaults()
  assert.equal(done.screenshots[0].reason, 'The image is larger than 20 MB')
  assert.match(
    entry(done, 'skipped', 'gallery')!.reason!,
    /No screenshot of the store page can be used/,
  )
  assert.equal(entry(done, 'imported', 'name')!.field, 'name')
})

for (const [problem, fault] of Object.entries({
  'answers 500': { mode: 'status', status: 500 },
  'answers 429': { mode: 'status', status: 429 },
  'breaks off': { mode: 'truncated' },
  'hangs up': { mode: 'reset' },
} as const))
  test(`an image host that ${problem} midway is 4243 and leaves everything unchanged`, async () => {
    const { app, a, imported, preview, snapshot, developer, get, control, shots, data_dir } =
      await startApp()
    const who = await developer()
    const target = await a.listing({ owner: who })
    await a.images(target)
    const before = { ...(await snapshot(who, target.uid)), objects: storedImages(data_dir) }
    const names = Array.from(
      { length: 6 },
      (_, i) => `half/${problem.replace(/ /g, '-')}/${i}.1280x720.jpg`,
    )
    const request = app({ screenshots: shots(...names) })
    for (const send of [preview, imported])
      for (const game_uid of [undefined, target.uid]) {
        // The first images arrive.
        control.fault({ on: 'image', mode: 'delay', ms: 1, times: 3 })
        control.fault({ on: 'image', ...fault })
        assert.deepEqual(refused(await send(who, { ...request, game_uid })), [502, 4243])
        control.clearFaults()
      }
    assert.deepEqual(
      { ...(await snapshot(who, target.uid)), objects: storedImages(data_dir) },
      before,
    )
    assert.equal(must(await get('/api/v1/private/games', who)).items.length, 1)
    // The import succeeds once the store has recovered.
    must(await imported(who, { ...request, game_uid: target.uid }))
  })

test('stops fetching images after a failure, and does not block the next import', async () => {
  const { app, preview, developer, control, shots, store } = await startApp()
  const who = await developer()
  const request = app({
    screenshots: shots(...Array.from({ length: 20 }, (_, i) => `over/${i}.1280x720.jpg`)),
  })
  control.clearCalls()
  control.fault({ on: 'image', mode: 'status', status: 500 })
  assert.deepEqual(refused(await preview(who, request)), [502, 4243])
  control.clearFaults()
  const tries = store.world.calls.filter(({ call }) => call === 'image').length
  assert.ok(
    tries >= 2 && tries <= 8,
    `${tries} requests are not four images with up to two attempts each`,
  )
  must(await preview(who, request))
})

test('all images of a page share one time budget', async () => {
  const { control, shots, core, store } = await startApp()
  const urls = shots('late/1.1280x720.jpg', 'late/2.1280x720.jpg').map(({ path_full }) => path_full)
  const read = (budget: TimeBudget) => readScreenshots(core, urls, async () => {}, budget)
  control.clearCalls()
  await assert.rejects(read(timeBudget(0, [20_000, 20_000])), { kind: 'unreachable' })
  assert.deepEqual(store.world.calls, [])
  control.fault({ on: 'image', mode: 'stall' })
  await assert.rejects(read(timeBudget(200, [20_000, 20_000])), { kind: 'unreachable' })
  control.clearFaults()
  assert.equal((await read(timeBudget(20_000, [20_000]))).images.gallery.length, 2)
})

test('holds at most four images in memory until they are stored', async () => {
  const { shots, core } = await startApp()
  const urls = shots(...Array.from({ length: 12 }, (_, i) => `slow/${i}.1280x720.jpg`)).map(
    ({ path_full }) => path_full,
  )
  let now = 0
  let most = 0
  await readScreenshots(core, urls, async () => {
    most = Math.max(most, ++now)
    // Simulate a slow disk.
    await pause(150)
    now--
  })
  assert.equal(most, 4)
})

test('runs the imports and previews of a user one after the other', async () => {
  const { app, preview, developer, control, shots, store } = await startApp()
  const [who, other] = [await developer(), await developer()]
  const page = (name: string) => app({ screenshots: shots(`${name}.1280x720.jpg`) })
  const [first, second, third] = [page('line/1'), page('line/2'), page('line/3')]
  control.clearCalls()
  control.fault({ on: 'image', mode: 'delay', ms: 1500, times: 1 })
  const answers = [preview(who, first)]
  while (!store.world.calls.some(({ call }) => call === 'image')) await new Promise(setImmediate)
  answers.push(preview(who, second), preview(other, { ...third, groups: ['text'] }))
  must(await answers[2]!)
  const appCalls = () => store.world.calls.filter(({ call }) => call === 'apps').length
  assert.equal(appCalls(), 2, 'the second preview did not wait, or that of another user did')
  for (const answer of await Promise.all(answers)) must(answer)
  assert.equal(appCalls(), 3)
})

test('retries after one failure of an image host', async () => {
  const { app, imported, developer, control } = await startApp()
  control.fault({ on: 'image', mode: 'reset', times: 1 })
  assert.equal(
    must(await imported(await developer(), app())).screenshots.every(
      ({ imported }: any) => imported,
    ),
    true,
  )
  control.clearFaults()
})

test('a full disk is 5031 and leaves everything unchanged', async () => {
  const { app, imported, developer, get, core, data_dir, shots } = await startApp()
  const who = await developer()
  const request = app({
    screenshots: shots(...Array.from({ length: 6 }, (_, i) => `full/${i}.1280x720.jpg`)),
  })
  const before = storedImages(data_dir)
  const { put } = core.storage
  let remaining = 3
  core.storage.put = (...args: Parameters<typeof put>) =>
    remaining-- > 0
      ? put(...args)
      : Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  try {
    assert.deepEqual(refused(await imported(who, request)), [503, 5031])
  } finally {
    core.storage.put = put
  }
  assert.ok(remaining < 0)
  assert.deepEqual(storedImages(data_dir), before)
  assert.deepEqual(must(await get('/api/v1/private/games', who)).items, [])
  assert.equal(must(await imported(who, request)).created, true)
})

test('removes fetched images that an edit kept out', async () => {
  const { app, a, imported, resync, developer, data_dir, shots, control } = await startApp()
  const who = await developer()
  const request = app()
  const { game_uid, vanity_name } = must(await imported(who, request))
  await a.images({ uid: game_uid, vanity_name, owner: who })
  const before = storedImages(data_dir)
  control.page({
    app_id: request.app_id,
    data: { screenshots: shots('kept/1.1280x720.jpg', 'kept/2.1280x960.jpg') },
  })
  assert.equal(
    must(await resync(who, game_uid, { web_api_key: request.web_api_key })).kept.length,
    3,
  )
  assert.deepEqual(storedImages(data_dir), before)
})
