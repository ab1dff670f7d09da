import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { DAY_MS } from '../../../src/core/runtime/units.ts'
import { uuidv7 } from '../../../src/core/security/crypto.ts'
import { sweepTrailers } from '../../../src/listings/trailers/jobs.ts'
import { trailerLimits } from '../../../src/listings/trailers/trailer-rules.ts'
import { videoKey } from '../../../src/listings/trailers/url.ts'
import { eventually, runJob, startApp } from '../../support/app.ts'
import {
  addAdmin,
  type Listing,
  makePublic,
  must,
  refused,
  storedKeys,
} from '../../support/builders.ts'
import { picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import { EICAR } from '../../uploads/zips.ts'
import type { App } from '../fixtures.ts'
import {
  box,
  captionsFile,
  MP4,
  posterFile,
  trailerRequests,
  trailersOf,
  VTT,
  videoFile,
  WEBM,
} from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

const YOUTUBE = 'https://youtu.be/abcDEF_-123'
const pathOf = (url: string) => new URL(url).pathname
const trailerKeys = async ({ core }: App, { uid }: Listing) =>
  (await storedKeys(core, 'trailers/')).filter((key) => key.includes(uid))

test('a video with poster and captions is public once it is scanned', async (t) => {
  const app = await sharedApp(t)
  const { send, scanned } = trailerRequests(app)
  const listing = await app.a.listing()
  await makePublic(app.sql, listing.uid)
  const page = async () => must(await app.get(`/api/v1/public/games/${listing.uid}`)).trailers
  assert.deepEqual(await page(), [])
  const poster = await picture(1280, 720)
  const files = [videoFile(WEBM), posterFile(poster), captionsFile(VTT)]
  const sent = must(await send(listing, files, { title: 'Launch', language: 'de' }))
  assert.equal(sent.trailers_max, trailerLimits.max)
  await scanned(listing)
  const [trailer, ...others] = await page()
  assert.deepEqual(others, [])
  const { uid, url, poster: poster_url, captions, uploaded_at, ...facts } = trailer
  assert.deepEqual(facts, {
    kind: 'file',
    title: 'Launch',
    type: 'video/webm',
    size: WEBM.length,
    width: 320,
    height: 180,
    duration_seconds: 2,
    embed_url: null,
    embed_host: null,
  })
  assert.ok(Math.abs(Date.parse(uploaded_at) - Date.now()) < 60_000)
  assert.match(url, new RegExp(`/media/trailers/${uid}/[0-9a-f-]{36}\\.webm$`))
  assert.equal((await app.get(pathOf(poster_url))).status, 200)
  assert.deepEqual(
    captions.map(({ language }: { language: string }) => language),
    ['de'],
  )
  const captions_answer = await app.get(pathOf(captions[0].url))
  assert.equal(captions_answer.headers['content-type'], 'text/vtt; charset=utf-8')
  assert.equal(captions_answer.body, VTT)
  const bytes = Buffer.from(await (await fetch(app.url + pathOf(url))).arrayBuffer())
  assert.ok(bytes.equals(WEBM))
  assert.equal((await app.get(pathOf(url).replace('.webm', '.mp4'))).status, 404)
  // The sweep of images knows posters.
  assert.equal((await app.get(pathOf(poster_url))).headers['content-type'], 'image/png')
})

test('a video is served in ranges', async (t) => {
  const app = await sharedApp(t)
  const { clean } = trailerRequests(app)
  const listing = await app.a.listing()
  await makePublic(app.sql, listing.uid)
  const { url } = await clean(listing)
  const size = WEBM.length
  const read = async (range: string) => {
    const answer = await fetch(app.url + pathOf(url), { headers: { range } })
    const { headers } = answer
    const bytes = Buffer.from(await answer.arrayBuffer())
    return { status: answer.status, range: headers.get('content-range'), bytes, headers }
  }
  const first = await read('bytes=0-99')
  assert.deepEqual([first.status, first.range], [206, `bytes 0-99/${size}`])
  assert.ok(first.bytes.equals(WEBM.subarray(0, 100)))
  assert.equal(first.headers.get('accept-ranges'), 'bytes')
  assert.equal(first.headers.get('content-length'), '100')
  assert.equal(first.headers.get('content-type'), 'video/webm')
  assert.match(first.headers.get('cache-control')!, /^private/)
  const last = await read(`bytes=${size - 1}-`)
  assert.deepEqual([last.status, last.range], [206, `bytes ${size - 1}-${size - 1}/${size}`])
  assert.ok(last.bytes.equals(WEBM.subarray(-1)))
  const past = await read(`bytes=${size}-`)
  assert.deepEqual([past.status, past.range], [416, `bytes */${size}`])
  const whole = await app.get(pathOf(url))
  assert.deepEqual([whole.status, whole.headers['content-length']], [200, String(size)])
  const again = await app.get(pathOf(url), { headers: { 'if-none-match': whole.headers.etag! } })
  assert.equal(again.status, 304)
})

test('refuses what is not a video, a poster or captions, and keeps nothing of it', async (t) => {
  const app = await sharedApp(t)
  const { send, read } = trailerRequests(app)
  const listing = await app.a.listing()
  const video = videoFile(WEBM)
  const cases: [string, unknown[], ReturnType<typeof send>][] = [
    ['no video', [400, 4037], send(listing, [], { title: 'x' })],
    ['a video as text', [400, 4037], send(listing, [], { video: 'x' })],
    ['an empty video', [400, 4150], send(listing, [videoFile(Buffer.alloc(0))])],
    ['text', [400, 4150], send(listing, [videoFile(Buffer.from('hello'))])],
    ['a cut video', [400, 4150], send(listing, [videoFile(MP4.subarray(0, -1))])],
    ['two videos', [400, 4150], send(listing, [video, video])],
    ['an unknown file', [400, 4150], send(listing, [video, { ...video, name: 'film' }])],
    ['an unknown field', [400, 4150], send(listing, [video], { kind: 'x' })],
    ['a long title', [400, 4150], send(listing, [video], { title: 'x'.repeat(101) })],
    ['no language', [400, 4150], send(listing, [video, captionsFile(VTT)])],
    [
      'an unknown language',
      [400, 4150],
      send(listing, [video, captionsFile(VTT)], { language: 'German!' }),
    ],
    ['a language alone', [400, 4037], send(listing, [video], { language: 'de' })],
    [
      'captions of another format',
      [400, 4150],
      send(listing, [video, captionsFile('1\n00:01,0')], { language: 'de' }),
    ],
    [
      'large captions',
      [400, 4150],
      send(listing, [video, captionsFile(`${VTT}${'\n'.repeat(trailerLimits.captions_bytes)}`)], {
        language: 'de',
      }),
    ],
    ['a small poster', [422, 4151], send(listing, [video, posterFile(await picture(1279, 720))])],
  ]
  for (const [name, expected, answer] of cases)
    assert.deepEqual(refused(await answer), expected, name)
  assert.deepEqual((await read(listing)).trailers, [])
  assert.deepEqual(await trailerKeys(app, listing), [])
  const limit = `WEBVTT\n\n00:00.000 --> 00:01.000\n`
  const full = captionsFile(limit + 'x'.repeat(trailerLimits.captions_bytes - limit.length))
  must(await send(listing, [video, full], { language: 'de' }))
})

test('a video of 100 MB is accepted, and one byte more is not', async (t) => {
  const app = await sharedApp(t)
  const { send } = trailerRequests(app)
  const listing = await app.a.listing()
  const padded = (size: number) => {
    const padding = box('free', Buffer.alloc(size - MP4.length - 8))
    return videoFile(Buffer.concat([MP4, padding]))
  }
  assert.deepEqual(
    refused(await send(listing, [padded(trailerLimits.video_bytes + 1)])),
    [400, 4150],
  )
  assert.deepEqual(await trailerKeys(app, listing), [])
  const { trailers } = must(await send(listing, [padded(trailerLimits.video_bytes)]))
  assert.equal(trailers[0].size, trailerLimits.video_bytes)
})

test('a listing has at most four trailers, in the order of its editors', async (t) => {
  const app = await sharedApp(t)
  const { send, read } = trailerRequests(app)
  const listing = await app.a.listing()
  const add = (url: string) =>
    app.post(`${trailersOf(listing)}/outside`, { url, title: 'Teaser' }, listing.owner)
  for (let i = 0; i < trailerLimits.max - 1; i++) must(await add(YOUTUBE))
  must(await send(listing, [videoFile(MP4)]))
  assert.deepEqual(refused(await add(YOUTUBE)), [409, 4152])
  assert.deepEqual(refused(await send(listing, [videoFile(MP4)])), [409, 4152])
  assert.equal((await trailerKeys(app, listing)).length, 1)
  const uids = (await read(listing)).trailers.map(({ uid }: { uid: string }) => uid)
  const order = (body: unknown) =>
    app.put(`${trailersOf(listing)}/order`, { order: body }, listing.owner)
  for (const bad of [uids.slice(1), [...uids.slice(1), uids[1]], [...uids, uids[0]], 'x'])
    assert.deepEqual(refused(await order(bad)), [422, 4154], JSON.stringify(bad))
  const { trailers } = must(await order(uids.toReversed()))
  assert.deepEqual(
    trailers.map(({ uid, position }: { uid: string; position: number }) => [uid, position]),
    uids.toReversed().map((uid: string, i: number) => [uid, i]),
  )
  const left = must(await app.del(`${trailersOf(listing)}/${uids[1]}`, listing.owner)).trailers
  assert.deepEqual(
    left.map(({ position }: { position: number }) => position),
    [0, 1, 2],
  )
  must(await add(YOUTUBE))
  assert.deepEqual(refused(await add('https://example.org/video')), [400, 4150])
  const missing = `${trailersOf(listing)}/${randomUUID()}`
  assert.deepEqual(refused(await app.del(missing, listing.owner)), [404, 4040])
})

test('parts of a trailer are replaced and removed', async (t) => {
  const app = await sharedApp(t)
  const { send, clean, read, scanned } = trailerRequests(app)
  const listing = await app.a.listing()
  const poster = posterFile(await picture(1280, 720))
  const trailer = await clean(listing, [poster, captionsFile(VTT)], { language: 'de' })
  const part = `/${trailer.uid}`
  const at = `${trailersOf(listing)}${part}`
  must(await send(listing, [captionsFile(VTT)], { language: 'pt-br', title: 'Again' }, part))
  must(await send(listing, [captionsFile(VTT.replace('out', 'in'))], { language: 'de' }, part))
  const [changed] = (await read(listing)).trailers
  assert.deepEqual([changed.title, changed.url], ['Again', trailer.url])
  assert.deepEqual(
    changed.captions.map(({ language }: { language: string }) => language),
    ['de', 'pt-BR'],
  )
  const german = await app.get(pathOf(changed.captions[0].url), {
    headers: { cookie: `svc_session=${listing.owner.token}` },
  })
  assert.match(german.body, /The tide is in/)
  must(await send(listing, [videoFile(MP4)], {}, part))
  const [replaced] = await scanned(listing)
  assert.deepEqual([replaced.type, replaced.title], ['video/mp4', 'Again'])
  assert.notEqual(replaced.url, trailer.url)
  must(await app.del(`${at}/poster`, listing.owner))
  must(await app.del(`${at}/captions/de`, listing.owner))
  assert.deepEqual(refused(await app.del(`${at}/poster`, listing.owner)), [404, 4040])
  assert.deepEqual(refused(await app.del(`${at}/captions/de`, listing.owner)), [404, 4040])
  const [last] = (await read(listing)).trailers
  assert.deepEqual([last.poster, last.captions.length], ['', 1])
  assert.deepEqual(refused(await send(listing, [], {}, part)), [400, 4037])
  const outside = must(
    await app.post(`${trailersOf(listing)}/outside`, { url: YOUTUBE }, listing.owner),
  ).trailers[1]
  assert.equal(outside.embed_host, 'www.youtube-nocookie.com')
  assert.deepEqual(
    refused(await send(listing, [videoFile(MP4)], {}, `/${outside.uid}`)),
    [400, 4150],
  )
  must(await send(listing, [poster], {}, `/${outside.uid}`))
})

test('a video with a virus is never public, and its bytes are removed', async (t) => {
  const app = await sharedApp(t)
  const { send, scanned } = trailerRequests(app)
  const listing = await app.a.listing()
  await makePublic(app.sql, listing.uid)
  const bytes = Buffer.concat([MP4, box('free', Buffer.from(EICAR))])
  must(await send(listing, [videoFile(bytes)]))
  const [trailer] = await scanned(listing)
  assert.deepEqual([trailer.scan, trailer.scan_detail], ['infected', 'eicar_test_file in video'])
  assert.deepEqual(must(await app.get(`/api/v1/public/games/${listing.uid}`)).trailers, [])
  const cookie = `svc_session=${listing.owner.token}`
  assert.equal((await app.get(pathOf(trailer.url))).status, 404)
  assert.equal((await app.get(pathOf(trailer.url), { headers: { cookie } })).status, 404)
  await eventually('the removal', async () => !(await trailerKeys(app, listing)).length)
})

test('files of a trailer open for those for whom the page opens', async (t) => {
  const app = await sharedApp(t)
  const { clean, makeAdult } = trailerRequests(app)
  const listing = await app.a.listing()
  const { a, sql } = app
  const [admin, stranger, adult] = [await a.developer(), await a.user(), await a.user()]
  await addAdmin(sql, listing.uid, admin.uid)
  must(await app.put('/api/v1/private/settings/adult', { show: true, confirm_18: true }, adult))
  const { url, captions } = await clean(listing, [captionsFile(VTT)], { language: 'de' })
  const paths = [pathOf(url), pathOf(captions[0].url)]
  const statuses = async () => {
    const people = [undefined, stranger, adult, admin, listing.owner]
    const answers = people.map(async (person) => {
      const headers = person ? { cookie: `svc_session=${person.token}` } : undefined
      const [video, text] = await Promise.all(
        paths.map(async (path) => (await app.get(path, { headers })).status),
      )
      assert.equal(video, text)
      return video
    })
    return Promise.all(answers)
  }
  const set = (visibility: string) =>
    sql`update listings set visibility = ${visibility} where uid = ${listing.uid}`
  assert.deepEqual(await statuses(), [404, 404, 404, 200, 200], 'a draft')
  await makePublic(sql, listing.uid)
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 200], 'public')
  await set('invisible')
  assert.deepEqual(await statuses(), [200, 200, 200, 200, 200], 'unlisted')
  await set('owner')
  assert.deepEqual(await statuses(), [404, 404, 404, 404, 200], 'for its owner')
  await makePublic(sql, listing.uid)
  await makeAdult(listing.uid)
  assert.deepEqual(await statuses(), [404, 404, 200, 200, 200], 'adult')
  must(await app.del(`/api/v1/private/games/${listing.uid}`, listing.owner))
  assert.deepEqual(await statuses(), [404, 404, 404, 404, 404], 'deleted')
})

test('other people cannot read or change the trailers of a listing', async (t) => {
  const app = await sharedApp(t)
  const { send, read } = trailerRequests(app)
  const listing = await app.a.listing()
  const other = await app.a.verifiedDeveloper()
  const at = trailersOf(listing)
  assert.deepEqual(refused(await app.get(at, other)), [404, 4040])
  assert.deepEqual(refused(await app.post(`${at}/outside`, { url: YOUTUBE }, other)), [404, 4040])
  assert.deepEqual(refused(await send({ ...listing, owner: other }, [videoFile(MP4)])), [404, 4040])
  must(await app.post(`${at}/outside`, { url: YOUTUBE }, listing.owner))
  const own = await app.a.listing({ owner: other })
  const { uid } = (await read(listing)).trailers[0]
  assert.deepEqual(refused(await app.del(`${trailersOf(own)}/${uid}`, other)), [404, 4040])
})

test('the sweep removes videos that no trailer refers to, a day after they came', async (t) => {
  const app = await sharedApp(t)
  const { clean } = trailerRequests(app)
  const listing = await app.a.listing()
  await clean(listing)
  const [used] = await trailerKeys(app, listing)
  const keyOf = (at: number) => videoKey({ game_uid: listing.uid, object_uid: uuidv7(at) })
  const old = keyOf(Date.now() - 2 * DAY_MS)
  const young = keyOf(Date.now())
  for (const key of [old, young]) await app.core.storage.put(key, Buffer.from('video'))
  await runJob(app, sweepTrailers)
  assert.deepEqual(await trailerKeys(app, listing), [used, young].sort())
})
