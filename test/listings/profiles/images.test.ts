import assert from 'node:assert/strict'
import { test } from 'node:test'
import sharp from 'sharp'
import { MIB } from '../../../src/core/runtime/units.ts'
import { imageKey } from '../../../src/listings/media/url.ts'
import { renditionKey, renditionPath } from '../../../src/listings/renditions/rendition-rules.ts'
import { eventually, startApp } from '../../support/app.ts'
import { addCopy, must, PASSWORD, refused, storedKeys } from '../../support/builders.ts'
import { form, padPng, picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../../web/fixtures.ts'
import { hashOf } from '../media/fixtures.ts'
import { openImage } from '../media/rendition-fixtures.ts'
import { IMAGES, PROFILE, uploadImage } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

const REFUSED = [422, 4151]

test('an upload is cropped, reduced and stored without metadata', async (t) => {
  const app = await sharedApp(t)
  const person = await app.a.verified()
  // The left third is red, the rest blue. The tag says that viewers turn it by 90 degrees.
  const red = { create: { width: 400, height: 800, channels: 3 as const, background: '#ff0000' } }
  const bytes = await sharp({
    create: { width: 1200, height: 800, channels: 3, background: '#0000ff' },
  })
    .composite([{ input: red, left: 0, top: 0 }])
    .withExif({ IFD0: { Artist: 'Secret Name' } })
    .withMetadata({ orientation: 6 })
    .jpeg()
    .toBuffer()
  assert.ok((await sharp(bytes).metadata()).exif)
  const { avatar, banner } = must(await uploadImage(app, person, 'avatar', bytes))
  assert.equal(banner, '')
  const response = await fetch(avatar)
  assert.equal(response.headers.get('content-type'), 'image/webp')
  const stored = Buffer.from(await response.arrayBuffer())
  assert.ok(!stored.includes('Secret Name'))
  const metadata = await sharp(stored).metadata()
  assert.deepEqual([metadata.format, metadata.width, metadata.height], ['webp', 512, 512])
  assert.deepEqual(
    [metadata.exif, metadata.xmp, metadata.orientation],
    [undefined, undefined, undefined],
  )
  const pixels = await sharp(stored).removeAlpha().raw().toBuffer()
  const pixel = (x: number, y: number) => [...pixels.subarray((y * 512 + x) * 3).subarray(0, 3)]
  const [red_part, , no_blue] = pixel(256, 60)
  assert.ok(red_part! > 200 && no_blue! < 60, 'the turned image is cropped around its middle')
  const [no_red, , blue_part] = pixel(256, 200)
  assert.ok(blue_part! > 200 && no_red! < 60)
  const wide = await picture(2400, 1200, { format: 'webp' })
  const profile = must(await uploadImage(app, person, 'banner', wide))
  assert.equal(profile.avatar, avatar)
  const kept = Buffer.from(await (await fetch(profile.banner)).arrayBuffer())
  const { width, height } = await sharp(kept).metadata()
  assert.deepEqual([width, height], [1920, 480])
  assert.deepEqual(must(await app.get(PROFILE, person)), profile)
})

test('of an animation, the first frame is kept', async (t) => {
  const app = await sharedApp(t)
  const person = await app.a.verified()
  const frames = Buffer.concat([
    Buffer.alloc(256 * 256 * 3, Buffer.from([0, 200, 0])),
    Buffer.alloc(256 * 256 * 3, Buffer.from([200, 0, 0])),
  ])
  const animation = await sharp(frames, {
    raw: { width: 256, height: 512, channels: 3, pageHeight: 256 },
  })
    .webp({ delay: [100, 100], loop: 0 })
    .toBuffer()
  assert.equal((await sharp(animation, { animated: true }).metadata()).pages, 2)
  const { avatar } = must(await uploadImage(app, person, 'avatar', animation))
  const stored = Buffer.from(await (await fetch(avatar)).arrayBuffer())
  const metadata = await sharp(stored, { animated: true }).metadata()
  assert.deepEqual([metadata.pages ?? 1, metadata.width, metadata.height], [1, 256, 256])
  assert.ok((await sharp(stored).stats()).dominant.g > 150)
})

test('images of other types, sizes and forms are refused', async (t) => {
  const app = await sharedApp(t)
  const { a, post } = app
  const person = await a.verified()
  const send = async (kind: string, bytes: Uint8Array) =>
    refused(await uploadImage(app, person, kind, bytes))
  const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="512" height="512"></svg>'
  assert.deepEqual(await send('avatar', Buffer.from(svg)), REFUSED)
  assert.deepEqual(await send('avatar', await picture(512, 512, { format: 'gif' })), REFUSED)
  assert.deepEqual(await send('avatar', await picture(255, 256)), REFUSED)
  assert.deepEqual(await send('banner', await picture(1280, 319)), REFUSED)
  assert.deepEqual(await send('avatar', (await picture(512, 512)).subarray(0, 60)), REFUSED)
  const small = await picture(256, 256)
  assert.equal((await uploadImage(app, person, 'avatar', padPng(small, 10 * MIB))).status, 200)
  const large = await uploadImage(app, person, 'avatar', padPng(small, 10 * MIB + 1))
  assert.deepEqual([...refused(large), large.body.data.field], [...REFUSED, 'avatar'])
  assert.deepEqual(await send('cover', small), [400, 4150])
  const without_file = { token: person.token, ...(await form({ kind: 'avatar' })) }
  assert.deepEqual(refused(await post(IMAGES, undefined, without_file)), [400, 4037])
  const two = await form({ kind: 'avatar' }, [{ bytes: small }, { bytes: small }])
  assert.deepEqual(
    refused(await post(IMAGES, undefined, { token: person.token, ...two })),
    [400, 4150],
  )
  const unknown = await form({ kind: 'avatar', alt: 'x' }, [{ bytes: small }])
  assert.deepEqual(
    refused(await post(IMAGES, undefined, { token: person.token, ...unknown })),
    [400, 4150],
  )
  const nobody = await form({ kind: 'avatar' }, [{ bytes: small }])
  assert.equal((await post(IMAGES, undefined, nobody)).status, 401)
})

test('a replaced or removed image leaves the store with its renditions', async (t) => {
  const app = await startApp(t, {}, { renditions: true })
  const { a, get, del, core } = app
  const person = await a.verified()
  const first = hashOf(
    must(await uploadImage(app, person, 'avatar', await picture(300, 300))).avatar,
  )
  const rendition = { sha256: first, width: 160, format: 'avif' } as const
  await eventually(
    'the rendition',
    async () => (await core.storage.stat(renditionKey(rendition))) !== null,
  )
  const response = await fetch(app.url + renditionPath(rendition))
  assert.equal(response.status, 200)
  const { width } = await openImage(Buffer.from(await response.arrayBuffer())).metadata()
  assert.equal(width, 160)
  const second = hashOf(
    must(await uploadImage(app, person, 'avatar', await picture(300, 300))).avatar,
  )
  assert.notEqual(first, second)
  await eventually('the removal', async () => {
    const keys = await storedKeys(core)
    return !keys.some((key) => key.includes(first))
  })
  assert.equal((await get(renditionPath(rendition))).status, 404)
  assert.ok(await core.storage.stat(imageKey(second)))
  assert.deepEqual(must(await del(`${IMAGES}/avatar`, person)).avatar, '')
  await eventually('the removal of the second', async () =>
    (await storedKeys(core)).every((key) => !key.includes(second)),
  )
  for (const kind of ['avatar', 'banner', 'cover'])
    assert.equal((await del(`${IMAGES}/${kind}`, person)).status, 404, kind)
})

test('the same image of two people stays until both removed it', async (t) => {
  const app = await sharedApp(t)
  const { a, get, del, core } = app
  const [person, other] = [await a.verified(), await a.verified()]
  const bytes = await picture(256, 256)
  const { avatar } = must(await uploadImage(app, person, 'avatar', bytes))
  assert.equal(must(await uploadImage(app, other, 'avatar', bytes)).avatar, avatar)
  must(await del(`${IMAGES}/avatar`, person))
  await core.jobs.send(app.sql, 'listings.sweep-images')
  await eventually('the jobs', async () => {
    const open = await app.sql`
      select from pgboss.job
      where name in ('listings.remove-images', 'listings.sweep-images')
        and state in ('created', 'retry', 'active')`
    return open.length === 0
  })
  assert.equal((await get(new URL(avatar).pathname)).status, 200)
  must(await del(`${IMAGES}/avatar`, other))
  await eventually('the removal', async () => !(await core.storage.stat(imageKey(hashOf(avatar)))))
})

test('images are part of the personal data, and are removed with the account', async (t) => {
  const app = await sharedApp(t)
  const { a, post, core } = app
  const person = await a.verified()
  const { avatar } = must(await uploadImage(app, person, 'avatar', await picture(256, 256)))
  const account = '/api/v1/private/account'
  const { tables, images } = must(await post(`${account}/export`, { password: PASSWORD }, person))
  assert.equal(tables.profile_images[0].sha256, hashOf(avatar))
  const stored = Buffer.from(await (await fetch(avatar)).arrayBuffer())
  assert.deepEqual(images, [
    { kind: 'avatar', type: 'image/webp', base64: stored.toString('base64') },
  ])
  const { username } = person
  must(await post(`${account}/delete`, { username, password: PASSWORD }, person))
  await eventually('the removal', async () => !(await core.storage.stat(imageKey(hashOf(avatar)))))
})

test('an avatar shows with the listings of its owner, and with reviews of a public profile', async (t) => {
  const app = await startStore(t)
  const { a, get, put, sql, published } = app
  const listing = await published()
  const player = await a.verified()
  await addCopy(sql, listing.uid, player.uid, 'free')
  const review = { enjoyed: true, quality: 4, text: 'It floats.' }
  must(await put(`/api/v1/private/games/${listing.uid}/review`, review, player))
  const reviews = async () => must(await get(`/api/v1/public/games/${listing.uid}/reviews`)).items
  const { avatar } = must(await uploadImage(app, player, 'avatar', await picture(256, 256)))
  assert.equal('avatar' in (await reviews())[0], false, 'the profile is not public')
  must(await put(PROFILE, { is_public: true }, player))
  assert.equal((await reviews())[0].avatar, avatar)
  must(await put(PROFILE, { is_public: false }, player))
  assert.equal('avatar' in (await reviews())[0], false)
  const search = async () => must(await get('/api/v1/public/search')).items[0]
  await eventually('the listing', async () => (await search())?.creator_avatar === '')
  const own = must(await uploadImage(app, listing.owner, 'avatar', await picture(256, 256)))
  await eventually('the avatar', async () => (await search()).creator_avatar === own.avatar)
})
