import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { fc } from '../../support/property.ts'
import { sharedInFile } from '../../support/shared.ts'
import { assertConsistent, galleryUids, type Media, mediaRequests } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('new gallery images are inserted at the given position, or at the end', async (t) => {
  const app = await sharedApp(t)
  const { upload, screenshots } = mediaRequests(app)
  const listing = await app.a.listing()
  let known: string[] = []
  const cases: [position: string | undefined, count: number, at: number][] = [
    [undefined, 2, 0],
    ['', 1, 2],
    ['0', 2, 0],
    ['1', 1, 1],
    ['6', 1, 6],
    ['9999', 1, 7],
  ]
  for (const [position, count, at] of cases) {
    const fields: Record<string, string> = {
      kind: 'gallery',
      ...(position === undefined ? {} : { position }),
    }
    const media: Media = must(await upload(listing, fields, await screenshots(count)))
    assertConsistent(media)
    const added = galleryUids(media).filter((uid) => !known.includes(uid))
    assert.equal(added.length, count)
    assert.deepEqual(galleryUids(media), known.toSpliced(at, 0, ...added), `position ${position}`)
    known = galleryUids(media)
  }
})

test('several images preserve the order of the request', async (t) => {
  const app = await sharedApp(t)
  const { upload, screenshots } = mediaRequests(app)
  const listing = await app.a.listing()
  const files = await screenshots(5)
  const urls = []
  for (const file of files) {
    const single = await app.a.listing({ owner: listing.owner })
    urls.push(must(await upload(single, { kind: 'gallery' }, [file])).gallery[0].url)
  }
  const media: Media = must(await upload(listing, { kind: 'gallery', position: '0' }, files))
  assert.deepEqual(
    media.gallery.map(({ url }) => url),
    urls,
  )
})

test('the gallery has at most 20 images, and accepts another after one is deleted', async (t) => {
  const app = await sharedApp(t)
  const { upload, screenshots, remove } = mediaRequests(app)
  const listing = await app.a.listing()
  must(await upload(listing, { kind: 'gallery' }, await screenshots(10)))
  const nine: Media = must(await upload(listing, { kind: 'gallery' }, await screenshots(9)))
  const extra = await screenshots(2)
  assert.deepEqual(refused(await upload(listing, { kind: 'gallery' }, extra)), [409, 4152])
  assert.equal(
    must(await upload(listing, { kind: 'gallery' }, extra.slice(0, 1))).gallery.length,
    20,
  )
  assert.deepEqual(refused(await upload(listing, { kind: 'gallery' }, extra.slice(1))), [409, 4152])
  assertConsistent(must(await remove(listing, galleryUids(nine)[5]!)))
  const full: Media = must(await upload(listing, { kind: 'gallery' }, extra.slice(1)))
  assert.equal(full.gallery.length, 20)
  assertConsistent(full)
  must(await upload(listing, { kind: 'cover' }, [{ bytes: await picture(1024, 576) }]))
})

test('accepts any order of the gallery that names every image once', async (t) => {
  const app = await sharedApp(t)
  const { order, read, upload, screenshots } = mediaRequests(app)
  const listing = await app.a.listing()
  const other: Media = must(
    await upload(await app.a.listing(), { kind: 'gallery' }, await screenshots(1)),
  )
  assert.deepEqual(must(await order(listing, [])).gallery, [])
  const known = galleryUids(must(await upload(listing, { kind: 'gallery' }, await screenshots(5))))
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray(known, { minLength: known.length }), async (sequence) => {
      const media: Media = must(await order(listing, sequence))
      assertConsistent(media)
      assert.deepEqual(galleryUids(media), sequence)
    }),
    { numRuns: 15 },
  )
  const now = galleryUids(await read(listing))
  const invalidOrders = [
    undefined,
    null,
    'x',
    {},
    [],
    now.slice(1),
    [...now, now[0]],
    [...now.slice(1), now[1]],
    [...now, randomUUID()],
    now.map(() => 1),
  ]
  for (const sequence of [
    ...invalidOrders,
    [...now.slice(1), ...galleryUids(other)],
    now.map((uid) => ({ uid })),
  ])
    assert.deepEqual(refused(await order(listing, sequence)), [422, 4154], JSON.stringify(sequence))
  assert.deepEqual(galleryUids(await read(listing)), now)
})

test('deleting an image renumbers the rest, and deleting it again returns 404', async (t) => {
  const app = await sharedApp(t)
  const { read, remove } = mediaRequests(app)
  const [listing, other] = [await app.a.listing(), await app.a.listing()]
  const media = await app.a.images(listing)
  const [first, second, third, fourth] = galleryUids(media as Media)
  const rest: Media = must(await remove(listing, second!))
  assert.deepEqual(galleryUids(rest), [first, third, fourth])
  assertConsistent(rest)
  assert.equal(must(await remove(listing, 'cover')).cover, '')
  assert.equal(must(await remove(listing, 'thumbnail')).thumbnail, '')
  const theirs = await app.a.images(other)
  const cover_uid = (
    await app.sql`select uid from listing_images where game_uid = ${other.uid} and slot = 'cover'`
  )[0]!.uid
  for (const image of [
    second!,
    'cover',
    'thumbnail',
    'gallery',
    'x',
    randomUUID(),
    galleryUids(theirs as Media)[0]!,
  ])
    assert.deepEqual(refused(await remove(listing, image)), [404, 4040], image)
  assert.deepEqual(
    refused(await remove(other, cover_uid)),
    [404, 4040],
    'the cover was deleted by its uid',
  )
  assert.deepEqual(galleryUids(await read(listing)), [first, third, fourth])
  assert.deepEqual(await read(other), theirs)
})

test('a public page must keep its cover, thumbnail and four gallery images', async (t) => {
  const app = await sharedApp(t)
  const { read, remove, upload, publish, screenshots, order } = mediaRequests(app)
  const listing = await app.a.listing()
  const [first, ...others] = galleryUids((await app.a.images(listing)) as Media)
  await publish(listing)
  const before = await read(listing)
  for (const slot of ['cover', 'thumbnail'])
    assert.deepEqual(refused(await remove(listing, slot)), [409, 4153])
  const answer = await remove(listing, first!)
  assert.deepEqual(refused(answer), [422, 4225])
  assert.deepEqual(answer.body.data.new_errors, ['gallery'])
  assert.deepEqual(await read(listing), before, 'a refused deletion changed the images')

  must(await upload(listing, { kind: 'gallery' }, await screenshots(1)))
  assert.equal(must(await remove(listing, first!)).gallery.length, 4)
  assert.notEqual(
    must(await upload(listing, { kind: 'cover' }, [{ bytes: await picture(1024, 576) }])).cover,
    before.cover,
  )
  must(await order(listing, galleryUids(await read(listing)).toReversed()))
  await app.sql`update listings set visibility = 'invisible' where uid = ${listing.uid}`
  must(await remove(listing, 'cover'))
  must(await remove(listing, others[0]!))
})

test('concurrent changes leave a consistent gallery of at most 20 images', async (t) => {
  const app = await sharedApp(t)
  const { read, remove, upload, screenshots, order } = mediaRequests(app)
  const listing = await app.a.listing()
  const start = galleryUids(must(await upload(listing, { kind: 'gallery' }, await screenshots(4))))
  const batches = await Promise.all([7, 7, 7, 3].map((count) => screenshots(count)))
  const answers = await Promise.all([
    ...batches.map((files, i) => upload(listing, { kind: 'gallery', position: String(i) }, files)),
    ...batches.map((files) => upload(listing, { kind: 'cover' }, files.slice(0, 1))),
    remove(listing, start[0]!),
    remove(listing, start[0]!),
    order(listing, start.toReversed()),
    order(listing, start.slice(1)),
  ])
  for (const { status, body } of answers) {
    assert.ok([200, 404, 409, 422].includes(status), JSON.stringify(body))
    if (status === 200) assertConsistent(body.data)
  }
  const media = await read(listing)
  assertConsistent(media)
  const taken = answers.slice(0, 4).filter(({ status }) => status === 200).length
  assert.ok(taken >= 2 && taken < 4, `${taken} of 4 uploads were accepted`)
  assert.deepEqual(
    answers
      .slice(8, 10)
      .map(({ status }) => status)
      .sort(),
    [200, 404],
  )
  assert.ok(!galleryUids(media).includes(start[0]!))
  const covers = await app.sql`
    select count(*)::int as covers
    from listing_images
    where game_uid = ${listing.uid} and slot = 'cover'`
  assert.equal(covers[0]!.covers, 1)
})
