import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { must } from '../../support/builders.ts'
import { picture, pngWithHeader } from '../../support/images.ts'
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

test('crops and resizes screenshots, and makes cover and thumbnail of the first', async () => {
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
      pngWithHeader(50_000, 50_000, Buffer.alloc(1000)),
      {},
      /damaged, truncated or too large/,
    ],
    'bad/wide.png': [
      pngWithHeader(8000, 4500, Buffer.alloc(1000)),
      {},
      /damaged, truncated or too large/,
    ],
    'bad/liar.png': [pngWithHeader(1920, 1080, Buffer.alloc(100)), {}, /damaged/],
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
    const screenshot = done.screenshots[index]
    if (reason) assert.match(screenshot.reason, reason, path)
    else assert.deepEqual([screenshot.imported, screenshot.width], [true, 1280], path)
  }
  for (const screenshot of done.screenshots.slice(Object.keys(files).length))
    assert.deepEqual(
      [screenshot.imported, screenshot.reason],
      [false, 'The image is not on an image host of the store'],
      screenshot.url,
    )
  assert.equal((await media(who, done.game_uid)).gallery.length, 3)
  assert.equal(entry(done, 'imported', 'cover')!.value, shots('bad/fine.gif')[0]!.path_full)
})

test('keeps the current images if no screenshot is usable', async () => {
  const { app, a, imported, media, developer } = await startApp()
  const who = await developer()
  const target = await a.listing({ owner: who })
  await a.images(target)
  const before = await media(who, target.uid)
  for (const screenshots of [undefined, [], null, 'x', [{ path_full: 5 }, null, {}]]) {
    const done = must(
      await imported(who, { ...app({ screenshots }), game_uid: target.uid, groups: ['images'] }),
    )
    assert.deepEqual(done.skipped.filter(({ group }: any) => group === 'images').length, 3)
    assert.deepEqual(await media(who, target.uid), before)
    must(await (await startApp()).del(`/api/v1/private/games/${target.uid}/steam`, who))
  }
})
