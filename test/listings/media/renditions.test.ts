import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import sharp from 'sharp'
import { removeUnused } from '../../../src/listings/media/edit.ts'
import { imageKey } from '../../../src/listings/media/url.ts'
import {
  byteBudgets,
  type Rendition,
  renditionKey,
  renditionPath,
} from '../../../src/listings/renditions/rendition-rules.ts'
import { MAX_WAIT_MS } from '../../../src/listings/renditions/store.ts'
import { eventually, startApp } from '../../support/app.ts'
import { must, storedKeys } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { hashOf, mediaRequests } from './fixtures.ts'
import { holdEncoder, noisyPng, openImage } from './rendition-fixtures.ts'

const IMMUTABLE = 'public, max-age=31536000, immutable'
const SHORT = 'public, max-age=10'

/** Without the role of a worker, no rendition is made. */
const NO_WORKER = { SLIPWAY_ROLES: 'api,upload,web' }

async function start(t: TestContext, env: Record<string, string> = {}) {
  const app = await startApp(t, env, { renditions: true })
  const { upload, remove } = mediaRequests(app)
  /** Uploads a cover; returns its listing, hash and address. */
  async function cover(bytes?: Buffer) {
    const listing = await app.a.listing()
    const file = { bytes: bytes ?? (await picture(1280, 720)) }
    const { cover: url } = must(await upload(listing, { kind: 'cover' }, [file]))
    return { listing, sha256: hashOf(url), original: new URL(url).pathname }
  }
  const open = async (rendition: Rendition, headers: Record<string, string> = {}) => {
    const path = renditionPath(rendition)
    const response = await fetch(app.url + path, { redirect: 'manual', headers })
    return {
      status: response.status,
      location: response.headers.get('location'),
      cache: response.headers.get('cache-control'),
      type: response.headers.get('content-type'),
      etag: response.headers.get('etag'),
      bytes: Buffer.from(await response.arrayBuffer()),
    }
  }
  const keys = () => storedKeys(app.core, 'image-renditions/')
  const ready = (rendition: Rendition) =>
    eventually(`rendition ${rendition.width}.${rendition.format}`, () =>
      app.core.storage.stat(renditionKey(rendition)).then((object) => object ?? undefined),
    )
  /** Waits until nothing is left to do that is due now. */
  const idle = () =>
    eventually('the end of the work', async () => {
      const jobs = await app.sql`
        select from pgboss.job
        where name = 'listings.make-renditions' and state in ('created', 'retry', 'active')
          and start_after <= now()`
      return jobs.length === 0
    })
  return { ...app, upload, remove, cover, open, keys, ready, idle }
}

test('an upload makes the small renditions, and the other ones when they are needed', async (t) => {
  const { cover, open, keys, ready, idle, sql } = await start(t)
  const { sha256 } = await cover()
  await ready({ sha256, width: 640, format: 'avif' })
  await idle()
  const early = [160, 320, 640].map((width) =>
    renditionKey({ sha256, width: width as 160, format: 'avif' }),
  )
  assert.deepEqual(await keys(), early.sort())
  const [late] = await sql`
    select data, extract(epoch from start_after - created_on)::int as seconds
    from pgboss.job
    where name = 'listings.make-renditions' and state = 'created'`
  assert.deepEqual(late!.data.sizes, [{ width: 1280, format: 'avif' }])
  assert.ok(Math.abs(late!.seconds - 60) < 5)
  for (const [width, format] of [
    [160, 'avif'],
    [640, 'avif'],
    [1280, 'avif'],
    [320, 'webp'],
    [1280, 'webp'],
  ] as const) {
    const rendition = { sha256, width, format }
    await open(rendition)
    await ready(rendition)
    const { status, cache, type, etag, bytes } = await open(rendition)
    assert.deepEqual([status, cache, type], [200, IMMUTABLE, `image/${format}`])
    const metadata = await openImage(bytes).metadata()
    assert.equal(metadata.format, format === 'avif' ? 'heif' : 'webp')
    assert.deepEqual([metadata.width, metadata.height], [width, (width * 9) / 16])
    const cached = await open(rendition, { 'if-none-match': etag! })
    assert.deepEqual([cached.status, cached.bytes.length], [304, 0])
  }
})

test('an address of no rendition answers 404, and enqueues no work', async (t) => {
  const { cover, get, sql } = await start(t, NO_WORKER)
  const { sha256 } = await cover(await picture(1024, 576))
  const count = async () =>
    (await sql`select from pgboss.job where name = 'listings.make-renditions'`).length
  const before = await count()
  for (const name of [
    // Wider than the original
    `${sha256}-1280-v1.avif`,
    `${sha256}-1920-v1.webp`,
    `${sha256}-500-v1.avif`,
    `${sha256}-640-v1.png`,
    `${sha256}-640-v1.heic`,
    `${'0'.repeat(64)}-640-v1.avif`,
    `${sha256}.png`,
    '..%2f..%2fimages',
  ])
    assert.equal((await get(`/media/renditions/${name}`)).status, 404, name)
  assert.equal(await count(), before)
})

test('an address of another encoder version shows the current rendition for a short time', async (t) => {
  const { cover, ready, url } = await start(t)
  const { sha256 } = await cover()
  await ready({ sha256, width: 640, format: 'avif' })
  const response = await fetch(`${url}/media/renditions/${sha256}-640-v7.avif`)
  assert.equal(response.status, 200)
  assert.equal(response.headers.get('cache-control'), SHORT)
  assert.equal(response.headers.get('etag'), null)
})

test('a grainy image of 6 MB fits the budget of each width', async (t) => {
  const { cover, open, ready } = await start(t)
  const bytes = await noisyPng()
  assert.ok(bytes.length > 6_000_000, `${bytes.length}`)
  const { sha256 } = await cover(bytes)
  for (const [width, format] of [
    [160, 'avif'],
    [320, 'avif'],
    [640, 'avif'],
    [1280, 'avif'],
    [320, 'webp'],
    [640, 'webp'],
  ] as const) {
    const rendition = { sha256, width, format }
    await open(rendition)
    const { size } = await ready(rendition)
    assert.ok(size <= byteBudgets[width], `${width}.${format} has ${size} bytes`)
  }
})

test('a rendition is available exactly while the original is, of a draft too', async (t) => {
  const { cover, upload, remove, open, get, ready, a } = await start(t)
  const bytes = await picture(1280, 720)
  const { listing, sha256, original } = await cover(bytes)
  const rendition = { sha256, width: 320, format: 'avif' } as const
  await ready(rendition)
  const statuses = async () => [(await get(original)).status, (await open(rendition)).status]
  assert.deepEqual(await statuses(), [200, 200], 'a draft')
  const other = await a.listing()
  must(await upload(other, { kind: 'cover' }, [{ bytes }]))
  must(await remove(listing, 'cover'))
  assert.deepEqual(await statuses(), [200, 200], 'another listing shows it')
  must(await remove(other, 'cover'))
  assert.deepEqual(await statuses(), [404, 404], 'no listing shows it')
  must(await upload(listing, { kind: 'cover' }, [{ bytes }]))
  assert.deepEqual(await statuses(), [200, 200], 'it is back')
})

test('renditions and placeholder are removed with their original, and not before', async (t) => {
  const { cover, remove, ready, keys, core, sql, idle } = await start(t)
  const used = await cover()
  const unused = await cover()
  for (const { sha256 } of [used, unused]) await ready({ sha256, width: 640, format: 'avif' })
  await idle()
  must(await remove(unused.listing, 'cover'))
  await core.jobs.send(sql, 'listings.remove-images', { sha256s: [used.sha256, unused.sha256] })
  await eventually('the removal', async () => !(await core.storage.stat(imageKey(unused.sha256))))
  // The transaction ends after the bytes are gone.
  await eventually('the commit', async () => {
    const previews = await sql`select from image_previews where sha256 = ${unused.sha256}`
    return previews.length === 0
  })
  assert.ok((await keys()).every((key) => key.includes(used.sha256)))
  assert.equal((await keys()).length, 3)
  const previews = await sql`select sha256 from image_previews`
  assert.deepEqual([...previews], [{ sha256: used.sha256 }])
})

test('the sweep finds renditions whose original is gone', async (t) => {
  const { core, sql, keys } = await start(t)
  const sha256 = 'cd'.repeat(32)
  const rendition = { sha256, width: 160, format: 'webp' } as const
  await core.storage.put(renditionKey(rendition), Buffer.from('bytes'))
  await core.jobs.send(sql, 'listings.sweep-images')
  const [job] = await eventually('the scheduled removal', async () => {
    const jobs = await sql`select data from pgboss.job where name = 'listings.remove-images'`
    return jobs.length > 0 && jobs
  })
  assert.deepEqual(job!.data, { sha256s: [sha256] })
  await removeUnused(core, sha256)
  assert.deepEqual(await keys(), [])
})

test('a rendition that is ready after its original was removed is not stored', async (t) => {
  const { cover, remove, core, keys, idle } = await start(t)
  const encoder = holdEncoder(t)
  const { listing, sha256 } = await cover()
  await eventually('the encoder', () => encoder.count() > 0)
  must(await remove(listing, 'cover'))
  await removeUnused(core, sha256)
  encoder.release()
  await idle()
  assert.deepEqual(await keys(), [])
})

test('a damaged original is sent as it is, and decoding is not tried again', async (t) => {
  const { cover, open, core, sql, idle } = await start(t, NO_WORKER)
  const { sha256, original } = await cover()
  await core.storage.put(imageKey(sha256), Buffer.from('not an image'))
  const rendition = { sha256, width: 640, format: 'webp' } as const
  await core.jobs.start(core)
  await idle()
  assert.deepEqual(await previewOf(), [{ decodable: false, placeholder: '' }])
  const { status, location, cache } = await open(rendition)
  assert.deepEqual([status, location, cache], [302, original, SHORT])
  const jobs = await sql`
    select from pgboss.job
    where name = 'listings.make-renditions' and state <> 'completed' and start_after <= now()`
  assert.equal(jobs.length, 0, 'it is tried again')
  async function previewOf() {
    return [...(await sql`select decodable, placeholder from image_previews`)]
  }
})

test('concurrent first requests make one rendition', async (t) => {
  const { cover, open, ready, idle } = await start(t)
  const { sha256 } = await cover()
  await ready({ sha256, width: 640, format: 'avif' })
  await idle()
  const encoder = holdEncoder(t)
  const rendition = { sha256, width: 1280, format: 'avif' } as const
  const answers = Promise.all(Array.from({ length: 20 }, () => open(rendition)))
  await eventually('the encoder', () => encoder.count() > 0)
  encoder.release()
  for (const { status } of await answers) assert.ok(status === 200 || status === 302, `${status}`)
  await ready(rendition)
  await idle()
  assert.equal(encoder.count(), 1)
  assert.equal((await open(rendition)).status, 200)
})

test('a visitor does not wait for a slow encoder', async (t) => {
  const { cover, open, ready, idle } = await start(t)
  assert.ok(MAX_WAIT_MS < 300)
  const { sha256, original } = await cover()
  await ready({ sha256, width: 640, format: 'avif' })
  await idle()
  const encoder = holdEncoder(t)
  const rendition = { sha256, width: 1280, format: 'avif' } as const
  const started = performance.now()
  const nearest = await open(rendition)
  t.diagnostic(`answered after ${Math.round(performance.now() - started)} ms`)
  assert.deepEqual(
    [nearest.status, nearest.location, nearest.cache],
    [302, renditionPath({ ...rendition, width: 640 }), SHORT],
  )
  assert.equal(nearest.etag, null)
  const fresh = await cover()
  const none = await open({ sha256: fresh.sha256, width: 320, format: 'avif' })
  assert.deepEqual([none.status, none.location, none.cache], [302, fresh.original, SHORT])
  assert.notEqual(fresh.original, original)
  encoder.release()
  await ready(rendition)
  const { status, cache } = await open(rendition)
  assert.deepEqual([status, cache], [200, IMMUTABLE])
})

test('without a worker, the original is shown and one job waits', async (t) => {
  const { cover, open, sql } = await start(t, NO_WORKER)
  const { sha256, original } = await cover()
  for (let i = 0; i < 3; i++) {
    const { status, location } = await open({ sha256, width: 160, format: 'webp' })
    assert.deepEqual([status, location], [302, original])
  }
  const jobs = await sql`
    select from pgboss.job
    where name = 'listings.make-renditions' and data->'sizes'->0->>'format' = 'webp'`
  assert.equal(jobs.length, 1)
})

test('an opaque image gets a tiny placeholder, a transparent one none', async (t) => {
  const { cover, ready, open, sql } = await start(t)
  const opaque = await cover(await picture(1280, 720, { color: '#336699' }))
  const transparent = await cover(
    await sharp({
      create: {
        width: 1280,
        height: 720,
        channels: 4,
        background: { r: 9, g: 9, b: 9, alpha: 0.5 },
      },
    })
      .png()
      .toBuffer(),
  )
  for (const { sha256 } of [opaque, transparent])
    await ready({ sha256, width: 160, format: 'avif' })
  const previewOf = async (sha256: string) =>
    (await sql`select placeholder from image_previews where sha256 = ${sha256}`)[0]!.placeholder
  const placeholder: string = await previewOf(opaque.sha256)
  assert.ok(placeholder.length < 300, placeholder)
  const [, base64] = placeholder.match(/^data:image\/webp;base64,(.+)$/)!
  const { data, info } = await sharp(Buffer.from(base64!, 'base64'))
    .raw()
    .toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [16, 9])
  for (const [i, value] of [0x33, 0x66, 0x99].entries())
    assert.ok(Math.abs(data[i]! - value) < 12, `${data[i]} is not near ${value}`)
  assert.equal(await previewOf(transparent.sha256), '')
  const { bytes } = await open({ sha256: transparent.sha256, width: 160, format: 'avif' })
  assert.equal((await openImage(bytes).stats()).isOpaque, false)
})

test('an animation becomes its first frame, upright and in the size of the image', async (t) => {
  const { cover, ready, open } = await start(t)
  const frames = await Promise.all(
    ['#ff0000', '#0000ff'].map((color) => picture(1280, 720, { color })),
  )
  const gif = await sharp(frames, { join: { animated: true } })
    .gif()
    .toBuffer()
  const { sha256 } = await cover(gif)
  const rendition = { sha256, width: 160, format: 'avif' } as const
  await ready(rendition)
  const { data, info } = await openImage((await open(rendition)).bytes)
    .raw()
    .toBuffer({ resolveWithObject: true })
  assert.deepEqual([info.width, info.height], [160, 90])
  assert.ok(data[0]! > 200 && data[2]! < 60, 'the first frame is red')
})
