import assert from 'node:assert/strict'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import sharp from 'sharp'
import { readConfig } from '../../../src/core/runtime/config.ts'
import { isImageHost, trustedOrigins } from '../../../src/extstore/client/image-hosts.ts'
import { type TimeBudget, timeBudget } from '../../../src/extstore/client/store.ts'
import { readScreenshots } from '../../../src/extstore/import/images.ts'
import { must } from '../../support/builders.ts'
import { claimingPng, picture } from '../../support/images.ts'
import { code } from '../fixtures.ts'
import { entry, sharedImportApp } from './fixtures.ts'

const startApp = sharedImportApp()

/** The actual sizes of an image of a listing. */
async function sizes({ url }: any, address: string) {
  const bytes = Buffer.from(
    await (await fetch(address.replace(/^https?:\/\/[^/]+/, url))).arrayBuffer(),
  )
  const { width, height, format } = await sharp(bytes).metadata()
  return { width, height, format, bytes }
}

test('skips screenshots under 1280x720, also by one pixel', async () => {
  const { app, preview, developer, shots } = await startApp()
  const names = ['b/1.1280x720.jpg', 'b/2.1279x720.jpg', 'b/3.1280x719.jpg', 'b/4.600x338.jpg']
  const report = must(await preview(await developer(), app({ screenshots: shots(...names) })))
  assert.deepEqual(
    report.screenshots.map(({ width, height, imported }: any) => [width, height, imported]),
    [
      [1280, 720, true],
      [1279, 720, false],
      [1280, 719, false],
      [600, 338, false],
    ],
  )
  assert.equal(report.screenshots[1].reason, 'The image is 1279x720; the minimum is 1280x720')
  assert.equal(entry(report, 'imported', 'gallery')!.value.length, 1)
})

test('keeps fitting screenshots, crops and resizes others, and makes cover and thumbnail of the first', async () => {
  const all = await startApp()
  const { app, imported, media, developer, shots, store } = all
  const who = await developer()
  const names = [
    'f/1.3840x2160.jpg',
    'f/2.1920x1080.jpg',
    'f/3.2560x1080.jpg',
    'f/4.1280x960.jpg',
    'f/5.2048x1152.jpg',
    'f/6.1920x1200.jpg',
    'f/7.1280x720.jpg',
  ]
  const { game_uid } = must(await imported(who, app({ screenshots: shots(...names) })))
  const { cover, thumbnail, gallery } = await media(who, game_uid)
  const made = await Promise.all(gallery.map(({ url }: any) => sizes(all, url)))
  assert.deepEqual(
    made.map(({ width, height }) => [width, height]),
    [
      [1920, 1080],
      [1920, 1080],
      [1920, 1080],
      [1280, 720],
      [2048, 1152],
      [1920, 1080],
      [1280, 720],
    ],
  )
  for (const at of [1, 4, 6])
    assert.deepEqual(
      made[at]!.bytes,
      Buffer.from(store.world.images.get(names[at]!)!.bytes),
      names[at],
    )
  assert.equal(cover, gallery[0].url)
  const { width, height, format } = await sizes(all, thumbnail)
  assert.deepEqual([width, height, format], [960, 540, 'jpeg'])
})

test('imports the first 20 usable screenshots in their order', async () => {
  const { app, imported, media, developer, shots } = await startApp()
  const who = await developer()
  const names = Array.from({ length: 26 }, (_, i) =>
    i < 3 ? `m/${i}.640x360.jpg` : `m/${i}.1280x720.jpg`,
  )
  const done = must(await imported(who, app({ screenshots: shots(...names) })))
  assert.equal((await media(who, done.game_uid)).gallery.length, 20)
  const used = done.screenshots.map(({ imported }: any) => imported)
  assert.deepEqual(used, [
    ...Array(3).fill(false),
    ...Array(20).fill(true),
    ...Array(3).fill(false),
  ])
  assert.equal(done.screenshots[25].reason, 'The gallery holds 20 images')
  assert.deepEqual(entry(done, 'imported', 'cover')!.value, shots(names[3]!)[0]!.path_full)
})

test('reports screenshots beyond the sixtieth', async () => {
  const { app, preview, developer, shots } = await startApp()
  const names = Array.from({ length: 62 }, (_, i) => `many/${i}.1280x720.jpg`)
  const { screenshots } = must(
    await preview(await developer(), app({ screenshots: shots(...names) })),
  )
  assert.deepEqual(
    screenshots.slice(59).map(({ reason }: any) => reason),
    [
      'The gallery holds 20 images',
      ...Array(2).fill('Only the first 60 screenshots of a page are imported'),
    ],
  )
})

test('imports a duplicate image once', async () => {
  const { app, preview, developer, shots, control } = await startApp()
  const bytes = await picture(1280, 720, { format: 'jpeg' })
  for (const path of ['twin/a.jpg', 'twin/b.jpg']) control.image({ path, bytes })
  const report = must(
    await preview(
      await developer(),
      app({ screenshots: shots('twin/a.jpg', 'twin/b.jpg', 'twin/a.jpg') }),
    ),
  )
  assert.deepEqual(
    report.screenshots.map(({ imported, reason }: any) => [imported, reason]),
    [
      [true, undefined],
      [false, 'The image is identical to an earlier one'],
    ],
  )
})

test('skips every kind of bad image with a reason and imports the others', async () => {
  const { app, imported, media, developer, shots, control, store } = await startApp()
  const who = await developer()
  const good = await picture(1280, 720, { format: 'png' })
  const jpeg = await picture(1920, 1080, { format: 'jpeg' })
  const files: Record<
    string,
    [Parameters<typeof control.image>[0]['bytes'] | undefined, object, RegExp | undefined]
  > = {
    'bad/html.jpg': [Buffer.from('<html>not here</html>'), {}, /not a PNG, JPEG, GIF or WebP/],
    'bad/svg.jpg': [
      Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1920" height="1080"/>'),
      { type: 'image/svg+xml' },
      /not a PNG/,
    ],
    'bad/tiff.jpg': [await sharp(good).tiff().toBuffer(), {}, /not a PNG/],
    'bad/empty.jpg': [Buffer.alloc(0), {}, /not a PNG/],
    'bad/bomb.png': [
      claimingPng(50_000, 50_000, Buffer.alloc(1000)),
      {},
      /damaged, truncated or too large/,
    ],
    'bad/wide.png': [
      claimingPng(8000, 4500, Buffer.alloc(1000)),
      {},
      /damaged, truncated or too large/,
    ],
    'bad/liar.png': [claimingPng(1920, 1080, Buffer.alloc(100)), {}, /damaged/],
    'bad/cut.jpg': [jpeg.subarray(0, jpeg.length / 2), {}, /damaged/],
    'bad/header.jpg': [jpeg.subarray(0, 12), {}, /damaged/],
    'bad/moved.jpg': [
      Buffer.alloc(0),
      { status: 302, headers: { location: `${store.url}/images/ok/1.1280x720.jpg` } },
      /redirects to another URL/,
    ],
    'bad/gone.jpg': [Buffer.alloc(0), { status: 404 }, /status 404/],
    'bad/secret.jpg': [Buffer.alloc(0), { status: 403 }, /status 403/],
    'bad/fine.gif': [await picture(1280, 720, { format: 'gif' }), {}, undefined],
    'bad/fine.webp': [
      await picture(1280, 720, { format: 'webp' }),
      { type: 'text/plain' },
      undefined,
    ],
    'bad/fine.png': [good, {}, undefined],
  }
  for (const [path, [bytes, more]] of Object.entries(files))
    control.image({ path, bytes: bytes!, ...more })
  const elsewhere = [
    'https://evil.example/x.jpg',
    'http://169.254.169.254/latest',
    `${store.url.replace('127.0.0.1', 'localhost')}/images/a.1280x720.jpg`,
    'file:///etc/passwd',
    'nonsense',
    store.url.replace(/:\d+$/, ':1'),
  ]
  const screenshots = [
    ...shots(...Object.keys(files)),
    ...elsewhere.map((path_full) => ({ path_full })),
  ]
  const done = must(await imported(who, app({ screenshots })))
  for (const [index, [path, [, , reason]]] of Object.entries(files).entries()) {
    const told = done.screenshots[index]
    if (reason) assert.match(told.reason, reason, path)
    else assert.deepEqual([told.imported, told.width], [true, 1280], path)
  }
  for (const told of done.screenshots.slice(Object.keys(files).length))
    assert.deepEqual(
      [told.imported, told.reason],
      [false, 'The image is not on an image host of the store'],
      told.url,
    )
  assert.equal((await media(who, done.game_uid)).gallery.length, 3)
  assert.equal(entry(done, 'imported', 'cover')!.value, shots('bad/fine.gif')[0]!.path_full)
})

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

test('keeps the current images if no screenshot is usable', async () => {
  const { app, a, imported, media, developer } = await startApp()
  const who = await developer()
  const mine = await a.listing({ owner: who })
  await a.images(mine)
  const before = await media(who, mine.uid)
  for (const screenshots of [undefined, [], null, 'x', [{ path_full: 5 }, null, {}]]) {
    const done = must(
      await imported(who, { ...app({ screenshots }), game_uid: mine.uid, groups: ['images'] }),
    )
    assert.deepEqual(done.skipped.filter(({ group }: any) => group === 'images').length, 3)
    assert.deepEqual(await media(who, mine.uid), before)
    must(await (await startApp()).del(`/api/v1/private/games/${mine.uid}/steam`, who))
  }
})

/** Every stored image. */
function objects(data_dir: string): string[] {
  const folder = join(data_dir, 'objects', 'images')
  return existsSync(folder)
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => /[0-9a-f]{64}$/.test(name))
        .toSorted()
    : []
}

for (const [what, fault] of Object.entries({
  'answers 500': { mode: 'status', status: 500 },
  'answers 429': { mode: 'status', status: 429 },
  'breaks off': { mode: 'truncated' },
  'hangs up': { mode: 'reset' },
} as const))
  test(`an image host that ${what} midway is 4243 and leaves everything unchanged`, async () => {
    const { app, a, imported, preview, whole, developer, get, control, shots, data_dir } =
      await startApp()
    const who = await developer()
    const mine = await a.listing({ owner: who })
    await a.images(mine)
    const before = { ...(await whole(who, mine.uid)), objects: objects(data_dir) }
    const names = Array.from(
      { length: 6 },
      (_, i) => `half/${what.replace(/ /g, '-')}/${i}.1280x720.jpg`,
    )
    const asked = app({ screenshots: shots(...names) })
    for (const ask of [preview, imported])
      for (const game_uid of [undefined, mine.uid]) {
        // The first images arrive.
        control.fault({ on: 'image', mode: 'delay', ms: 1, times: 3 })
        control.fault({ on: 'image', ...fault })
        assert.deepEqual(code(await ask(who, { ...asked, game_uid })), [502, 4243])
        control.clearFaults()
      }
    assert.deepEqual({ ...(await whole(who, mine.uid)), objects: objects(data_dir) }, before)
    assert.equal(must(await get('/api/v1/private/games', who)).items.length, 1)
    // The import succeeds once the store has recovered.
    must(await imported(who, { ...asked, game_uid: mine.uid }))
  })

test('stops fetching images after a failure, and does not block the next import', async () => {
  const { app, preview, developer, control, shots, store } = await startApp()
  const who = await developer()
  const asked = app({
    screenshots: shots(...Array.from({ length: 20 }, (_, i) => `over/${i}.1280x720.jpg`)),
  })
  control.clearCalls()
  control.fault({ on: 'image', mode: 'status', status: 500 })
  assert.deepEqual(code(await preview(who, asked)), [502, 4243])
  control.clearFaults()
  const tries = store.world.calls.filter(({ call }) => call === 'image').length
  assert.ok(tries >= 2 && tries <= 8, `four at once with two tries each, not ${tries}`)
  must(await preview(who, asked))
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
  let [now, most] = [0, 0]
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
  const asked = () => store.world.calls.filter(({ call }) => call === 'apps').length
  assert.equal(asked(), 2, 'the second waits for the first, and somebody else does not')
  for (const answer of await Promise.all(answers)) must(answer)
  assert.equal(asked(), 3)
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
  const asked = app({
    screenshots: shots(...Array.from({ length: 6 }, (_, i) => `full/${i}.1280x720.jpg`)),
  })
  const before = objects(data_dir)
  const { put } = core.storage
  let left = 3
  core.storage.put = (...put_what: Parameters<typeof put>) =>
    left-- > 0
      ? put(...put_what)
      : Promise.reject(Object.assign(new Error('no space left on device'), { code: 'ENOSPC' }))
  try {
    assert.deepEqual(code(await imported(who, asked)), [503, 5031])
  } finally {
    core.storage.put = put
  }
  assert.ok(left < 0)
  assert.deepEqual(objects(data_dir), before)
  assert.deepEqual(must(await get('/api/v1/private/games', who)).items, [])
  assert.equal(must(await imported(who, asked)).created, true)
})

test('removes fetched images that an edit kept out', async () => {
  const { app, a, imported, resync, developer, data_dir, shots, control } = await startApp()
  const who = await developer()
  const asked = app()
  const { game_uid, vanity_name } = must(await imported(who, asked))
  await a.images({ uid: game_uid, vanity_name, owner: who })
  const before = objects(data_dir)
  control.page({
    app_id: asked.app_id,
    data: { screenshots: shots('kept/1.1920x1080.jpg', 'kept/2.3840x2160.jpg') },
  })
  assert.equal(must(await resync(who, game_uid, { web_api_key: asked.web_api_key })).kept.length, 3)
  assert.deepEqual(objects(data_dir), before)
})

test('matches image hosts exactly or by suffix, and requires https except for loopback', () => {
  const hosts = [
    'images.example',
    'other.example:8443',
    '.cdn.example',
    '127.0.0.1:9000',
    '[::1]:9000',
  ]
  const good = [
    'https://images.example/a',
    'https://other.example:8443/',
    'https://a.cdn.example/x',
    'https://a.b.cdn.example/',
    'http://127.0.0.1:9000/x',
    'http://[::1]:9000/',
  ]
  const bad = [
    'http://images.example/a',
    'https://images.example:444/',
    'https://other.example/',
    'https://cdn.example/',
    'https://evilcdn.example/',
    'https://a.cdn.example.evil/',
    'https://a.cdn.example:8443/',
    'http://a.cdn.example/',
    'https://127.0.0.1:9000/',
    'http://127.0.0.1:9001/',
    'http://localhost:9000/',
    'https://user@images.example/',
    'https://images.example\\@evil/',
    'ftp://images.example/',
    'https://images.example/ x',
    '//images.example/',
    '',
    'x',
  ]
  for (const url of good) assert.equal(isImageHost(url, hosts), true, url)
  for (const url of bad) assert.equal(isImageHost(url, hosts), false, url)
  assert.deepEqual(trustedOrigins(hosts), [
    'https://images.example',
    'https://other.example:8443',
    'http://127.0.0.1:9000',
    'http://[::1]:9000',
  ])
})

test('the setting accepts hosts, hosts with ports and suffixes only', () => {
  const read = (value: string) => readConfig({ EXTSTORE_IMAGE_HOSTS: value }).extstore_image_hosts
  assert.deepEqual(read('A.example:443, b.example:8443,.c.example,127.0.0.1:9000'), [
    'a.example',
    'b.example:8443',
    '.c.example',
    '127.0.0.1:9000',
  ])
  assert.equal(readConfig({}).extstore_image_hosts, undefined)
  for (const bad of [
    ',',
    'https://a.example',
    'a.example/x',
    'a b',
    '*.a.example',
    '.',
    '.a:80',
    'a@b',
  ])
    assert.throws(() => read(bad), /EXTSTORE_IMAGE_HOSTS/, bad)
})
