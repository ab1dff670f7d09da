import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, type Person, refused } from '../../support/builders.ts'
import { form, picture } from '../../support/images.ts'
import { sharedInFile } from '../../support/shared.ts'
import {
  assertConsistent,
  emptyMedia,
  galleryUids,
  type Media,
  mediaOf,
  mediaRequests,
} from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

test('a listing starts without images and returns those that are uploaded', async (t) => {
  const app = await sharedApp(t)
  const { read } = mediaRequests(app)
  const listing = await app.a.listing()
  assert.deepEqual(await read(listing), emptyMedia(listing))
  const uploaded = await app.a.images(listing)
  const media = await read(listing)
  assert.deepEqual(media, uploaded)
  assert.equal(media.gallery.length, 4)
  assertConsistent(media)
  const addresses = [media.cover, media.thumbnail, ...media.gallery.map(({ url }) => url)]
  assert.equal(new Set(addresses).size, 6)
  for (const address of addresses)
    assert.equal((await app.get(new URL(address).pathname)).status, 200, address)
  assert.deepEqual(must(await app.get(mediaOf({ uid: listing.vanity_name }), listing.owner)), media)
})

test('a new cover replaces the old one', async (t) => {
  const app = await sharedApp(t)
  const { upload } = mediaRequests(app)
  const listing = await app.a.listing()
  const covers = []
  for (let i = 0; i < 3; i++)
    covers.push(
      must(await upload(listing, { kind: 'cover' }, [{ bytes: await picture(1024, 576) }])).cover,
    )
  assert.equal(new Set(covers).size, 3)
  const rows =
    await app.sql`select slot, position from listing_images where game_uid = ${listing.uid}`
  assert.deepEqual([...rows], [{ slot: 'cover', position: 0 }])
})

test('an invalid form gets an error that names the problem, and nothing is saved', async (t) => {
  const app = await sharedApp(t)
  const { upload, read, screenshots } = mediaRequests(app)
  const listing = await app.a.listing()
  const good = { bytes: await picture(1280, 720) }
  const bad = { bytes: await picture(1279, 720) }
  const kind = 'gallery'
  const cases: [string, number, number, ReturnType<typeof upload>][] = [
    ['no file', 400, 4037, upload(listing, { kind }, [])],
    ['a file as text', 400, 4037, upload(listing, { kind, file: 'x' }, [])],
    [
      'a file under another name',
      400,
      4150,
      upload(listing, { kind }, [{ ...good, name: 'image' }]),
    ],
    ['no kind', 400, 4150, upload(listing, {}, [good])],
    ['an unknown kind', 400, 4150, upload(listing, { kind: 'avatar' }, [good])],
    [
      'an unknown kind after the file',
      400,
      4150,
      upload(listing, { kind: 'avatar' }, [good], { fields_last: true }),
    ],
    ['an unknown field', 400, 4150, upload(listing, { kind, postion: '1' }, [good])],
    ['two covers', 400, 4150, upload(listing, { kind: 'cover' }, [good, good])],
    [
      'two covers, then their kind',
      400,
      4150,
      upload(listing, { kind: 'cover' }, [good, good], { fields_last: true }),
    ],
    ['a place for a cover', 400, 4150, upload(listing, { kind: 'cover', position: '0' }, [good])],
    ['eleven images', 400, 4150, upload(listing, { kind }, Array(11).fill(good))],
    ['a bad second image', 422, 4151, upload(listing, { kind }, [good, bad])],
    [
      'a small image, then its kind',
      422,
      4151,
      upload(listing, { kind }, [{ bytes: await picture(1024, 576) }], { fields_last: true }),
    ],
    ...['-1', '1.5', 'x', '12345', ' 1'].map(
      (position) =>
        [`position ${position}`, 400, 4150, upload(listing, { kind, position }, [good])] as [
          string,
          number,
          number,
          any,
        ],
    ),
  ]
  for (const [problem, status, code, answer] of cases)
    assert.deepEqual(refused(await answer), [status, code], problem)
  assert.deepEqual((await upload(listing, { kind }, [good, bad])).body.data, {
    field: kind,
    file: 1,
  })
  assert.deepEqual(await read(listing), emptyMedia(listing))
  assert.equal(must(await upload(listing, { kind }, await screenshots(10))).gallery.length, 10)
})

test('rejects a body that is not a form, or only part of one, as malformed', async (t) => {
  const app = await sharedApp(t)
  const listing = await app.a.listing()
  const complete = await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])
  const send = (call: object) =>
    app.call('POST', mediaOf(listing), { token: listing.owner.token, ...call })
  const twice = '--b\r\ncontent-disposition: form-data; name="kind"\r\n\r\ncover\r\n'
  const type = { 'content-type': 'multipart/form-data; boundary=b' }
  assert.deepEqual(refused(await send({ body: { kind: 'cover' } })), [400, 4037])
  assert.deepEqual(refused(await send({})), [400, 4037])
  assert.deepEqual(
    refused(await send({ ...complete, raw: complete.raw.subarray(0, -10) })),
    [400, 4037],
  )
  assert.deepEqual(
    refused(await send({ ...complete, headers: { 'content-type': 'multipart/form-data' } })),
    [400, 4037],
  )
  assert.deepEqual(refused(await send({ ...complete, headers: type })), [400, 4037])
  assert.deepEqual(
    refused(await send({ headers: type, raw: `${twice}${twice}--b--\r\n` })),
    [400, 4150],
  )
  assert.equal((await send(complete)).status, 200)
})

test('ignores an empty file input, as browsers send it', async (t) => {
  const app = await sharedApp(t)
  const listing = await app.a.listing()
  const part = (head: string, body: Uint8Array | string) =>
    Buffer.concat([
      Buffer.from(`--b\r\ncontent-disposition: form-data; ${head}\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ])
  const kind = part('name="kind"', 'cover')
  const none = part('name="file"; filename=""\r\ncontent-type: application/octet-stream', '')
  const image = part(
    'name="file"; filename="a.png"\r\ncontent-type: image/png',
    await picture(1024, 576),
  )
  const send = (...parts: Buffer[]) =>
    app.call('POST', mediaOf(listing), {
      token: listing.owner.token,
      headers: { 'content-type': 'multipart/form-data; boundary=b' },
      raw: Buffer.concat([...parts, Buffer.from('--b--\r\n')]),
    })
  assert.deepEqual(refused(await send(kind, none)), [400, 4037])
  assert.equal((await send(kind, none, image)).status, 200)
})

test('rejects a file beyond the limit of its slot while it is still being sent', async (t) => {
  const { a, url } = await sharedApp(t)
  const listing = await a.listing()
  const sending = request(`${url}${mediaOf(listing)}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${listing.owner.token}`,
      'content-type': 'multipart/form-data; boundary=b',
      connection: 'close',
    },
  })
  const field = '--b\r\ncontent-disposition: form-data; name="kind"\r\n\r\nthumbnail\r\n'
  sending.write(`${field}--b\r\ncontent-disposition: form-data; name="file"; filename="x"\r\n\r\n`)
  const answered = once(sending, 'response') as Promise<[IncomingMessage]>
  sending.write(Buffer.alloc(5 * 1024 * 1024 + 1))
  // The form is never completed: the response does not wait for its end.
  const [answer] = await answered
  assert.equal(answer.statusCode, 422)
  sending.destroy()
})

test('everyone outside the team gets the same 404 as for a missing listing', async (t) => {
  const app = await sharedApp(t)
  const { a, call, post } = app
  const listing = await a.listing()
  const image = galleryUids((await a.images(listing)) as Media)[0]!
  const [stranger, invited, admin] = [await a.developer(), await a.developer(), await a.developer()]
  for (const { username } of [invited, admin])
    must(
      await post(
        `/api/v1/private/games/${listing.uid}/admins`,
        { username },
        { token: listing.owner.token },
      ),
    )
  must(await post(`/api/v1/private/invites/${listing.uid}/accept`, {}, { token: admin.token }))
  const cover = await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])
  const requests = (uid: string) =>
    [
      ['GET', mediaOf({ uid }), {}],
      ['POST', mediaOf({ uid }), cover],
      ['PUT', `${mediaOf({ uid })}/order`, { body: { order: [] } }],
      ['DELETE', `${mediaOf({ uid })}/${image}`, {}],
      ['DELETE', `${mediaOf({ uid })}/cover`, {}],
    ] as const
  const callRoutes = async ({ token }: Partial<Person>, uid: string) => {
    const answers = []
    for (const [method, path, sent] of requests(uid))
      answers.push(await call(method, path, { ...sent, token }))
    return answers
  }
  const none = await callRoutes(stranger, randomUUID())
  for (const answer of none) assert.deepEqual(refused(answer), [404, 4040])
  for (const visibility of ['draft', 'public']) {
    await app.sql`update listings set visibility = ${visibility} where uid = ${listing.uid}`
    assert.deepEqual(await callRoutes(stranger, listing.uid), none)
    assert.deepEqual(await callRoutes(invited, listing.uid), none)
  }
  for (const answer of await callRoutes({}, listing.uid))
    assert.deepEqual(refused(answer), [401, 4010])
  assert.equal((await call('GET', mediaOf(listing), admin)).status, 200)
  assert.equal((await call('POST', mediaOf(listing), { ...cover, token: admin.token })).status, 200)
})

test('agents list, order and delete images as their scopes allow, and never upload', async (t) => {
  const app = await sharedApp(t)
  const { a, call } = app
  const listing = await a.listing()
  const other = await a.listing({ owner: listing.owner })
  const order = galleryUids((await a.images(listing)) as Media)
  const cover = await form({ kind: 'cover' }, [{ bytes: await picture(1024, 576) }])
  const token = async (scopes: string[], more = {}) =>
    (await a.key('agent', listing.owner, scopes, more)).key
  const callRoutes = async (token: string, uid = listing.uid) => {
    const read = await call('GET', mediaOf({ uid }), { token })
    const upload = await call('POST', mediaOf({ uid }), { ...cover, token })
    const put = await call('PUT', `${mediaOf({ uid })}/order`, {
      body: { order: uid === listing.uid ? order : [] },
      token,
    })
    const del = await call('DELETE', `${mediaOf({ uid })}/cover`, { token })
    return [read, upload, put, del].map(({ status, body }) => body.error?.code ?? status)
  }
  assert.deepEqual(await callRoutes(await token(['mcp:read'])), [200, 4033, 4031, 4031])
  assert.deepEqual(
    await callRoutes(await token(['mcp:read', 'mcp:catalog.write'])),
    [200, 4033, 200, 200],
  )
  assert.deepEqual(
    await callRoutes(await token(['mcp:write'], { game_uid: other.uid })),
    [4040, 4033, 4040, 4040],
  )
  assert.deepEqual(
    await callRoutes(await token(['mcp:write'], { game_uid: other.uid }), other.uid),
    [200, 4033, 200, 4040],
  )
  const player = (await a.key('player', listing.owner, ['player:read', 'player:write'])).key
  assert.deepEqual(await callRoutes(player), [4033, 4033, 4033, 4033])
})

test('a game has 60 image changes an hour, which rejected callers do not use up', async (t) => {
  const app = await sharedApp(t)
  const { a, put, get } = app
  const [listing, other] = [await a.listing(), await a.listing()]
  const change = (name: string, token: string) =>
    put(`${mediaOf({ uid: name })}/order`, { order: [] }, { token })
  const stranger = await a.developer()
  for (let i = 0; i < 5; i++) assert.equal((await change(listing.uid, stranger.token)).status, 404)
  for (let i = 0; i < 60; i++)
    assert.equal(
      (await change(i % 2 ? listing.uid : listing.vanity_name, listing.owner.token)).status,
      200,
      `${i}`,
    )
  for (const name of [listing.uid, listing.vanity_name]) {
    const answer = await change(name, listing.owner.token)
    assert.deepEqual(refused(answer), [429, 4290])
    assert.ok(Number(answer.headers['retry-after']) > 0)
  }
  const tool = await a.deployer(listing)
  assert.deepEqual(refused(await put('/api/v1/tool/media/order', { order: [] }, tool)), [429, 4290])
  assert.equal((await get(mediaOf(listing), listing.owner)).status, 200)
  assert.equal((await change(other.uid, other.owner.token)).status, 200)
})

test('a deploy key can change the images of its game like the website', async (t) => {
  const app = await sharedApp(t)
  const { read, publish } = mediaRequests(app)
  const { a, call, get, put, del } = app
  const [listing, other] = [await a.listing(), await a.listing()]
  await a.images(other)
  const TOOL = '/api/v1/tool/media'
  const tool = await a.deployer(listing)
  const send = async (kind: string, bytes: Buffer) => {
    const { headers, raw } = await form({ kind }, [{ bytes }])
    return call('POST', TOOL, { headers: { ...tool.headers, ...headers }, raw })
  }
  assert.deepEqual(must(await get(TOOL, tool)), emptyMedia(listing))
  must(await send('cover', await picture(1024, 576)))
  for (let i = 0; i < 4; i++) must(await send('gallery', await picture(1280, 720)))
  assert.deepEqual(refused(await send('gallery', await picture(960, 540))), [422, 4151])
  assert.deepEqual(refused(await send('banner', await picture(960, 540))), [400, 4150])
  const media: Media = must(await get(TOOL, tool))
  assertConsistent(media)
  assert.deepEqual(media, await read(listing))
  assert.deepEqual(
    galleryUids(must(await put(`${TOOL}/order`, { order: galleryUids(media).toReversed() }, tool))),
    galleryUids(media).toReversed(),
  )
  assert.deepEqual(refused(await put(`${TOOL}/order`, { order: [] }, tool)), [422, 4154])
  const theirs = galleryUids(await read(other))[0]!
  assert.deepEqual(refused(await del(`${TOOL}/${theirs}`, tool)), [404, 4040])
  await publish(listing)
  assert.deepEqual(refused(await del(`${TOOL}/cover`, tool)), [409, 4153])
  assert.deepEqual(refused(await del(`${TOOL}/${galleryUids(media)[0]}`, tool)), [422, 4225])
  await app.sql`update listings set visibility = 'draft' where uid = ${listing.uid}`
  assert.equal(must(await del(`${TOOL}/cover`, tool)).cover, '')
  assert.equal(must(await del(`${TOOL}/${galleryUids(media)[0]}`, tool)).gallery.length, 3)
  for (const [method, path] of [
    ['GET', TOOL],
    ['POST', TOOL],
    ['PUT', `${TOOL}/order`],
    ['DELETE', `${TOOL}/cover`],
  ] as const)
    assert.deepEqual(refused(await call(method, path)), [401, 4020], method)
})

test('a deploy key adds an image to the gallery once, also from two machines', async (t) => {
  const { a, call } = await sharedApp(t)
  const listing = await a.listing()
  const tool = await a.deployer(listing)
  const images = [await picture(1280, 720), await picture(1280, 720), await picture(1280, 720)]
  const send = async (pictures: Buffer[], fields: object = {}) => {
    const files = pictures.map((bytes) => ({ bytes }))
    const { headers, raw } = await form({ kind: 'gallery', ...fields }, files)
    const request = { headers: { ...tool.headers, ...headers }, raw }
    return must(await call('POST', '/api/v1/tool/media', request)) as Media
  }
  const [first, second] = await Promise.all([send(images.slice(0, 2)), send(images.slice(0, 2))])
  assert.deepEqual([first.gallery.length, second.gallery.length], [2, 2])
  const { gallery } = await send(images, { position: '0' })
  assert.equal(gallery.length, 3)
  assert.deepEqual(galleryUids({ ...first, gallery: gallery.slice(1) }), galleryUids(first))
})
