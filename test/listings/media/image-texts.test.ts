import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import { startApp } from '../../support/app.ts'
import { must, refused } from '../../support/builders.ts'
import { sharedInFile } from '../../support/shared.ts'
import { startStore } from '../../web/fixtures.ts'
import { galleryUids, type Media, mediaOf, mediaRequests } from './fixtures.ts'

const sharedApp = sharedInFile(startApp)

const MAX_ALT = 250
const altsOf = ({ gallery }: Media) => gallery.map(({ alt }) => alt)

test('the texts of gallery images are sent with them, in the order of the files', async (t) => {
  const app = await sharedApp(t)
  const { upload, screenshots, read } = mediaRequests(app)
  const listing = await app.a.listing()
  must(await upload(listing, { kind: 'gallery', alt: ' A boat ' }, await screenshots(2)))
  assert.deepEqual(altsOf(await read(listing)), ['A boat', ''])
  const send = async (fields: [string, string][], count: number) => {
    const data = new FormData()
    for (const [name, value] of fields) data.append(name, value)
    for (const { bytes } of await screenshots(count))
      data.append('file', new Blob([bytes as never]), 'a.jpg')
    const response = await fetch(app.url + mediaOf(listing), {
      method: 'POST',
      headers: { authorization: `Bearer ${listing.owner.token}` },
      body: data,
    })
    const { error } = (await response.json()) as { error?: { code: number } }
    return [response.status, error?.code]
  }
  const two: [string, string][] = [
    ['alt', 'One'],
    ['alt', 'Two'],
  ]
  assert.deepEqual(await send([['kind', 'gallery'], ...two], 2), [200, undefined])
  assert.deepEqual(altsOf(await read(listing)), ['A boat', '', 'One', 'Two'])
  assert.deepEqual(await send([['kind', 'gallery'], ...two], 1), [400, 4150])
  const cover = await upload(listing, { kind: 'cover', alt: 'x' }, await screenshots(1))
  assert.deepEqual(refused(cover), [400, 4150])
})

test('the text of a gallery image can be changed and removed by its editors only', async (t) => {
  const app = await sharedApp(t)
  const { upload, screenshots, read } = mediaRequests(app)
  const listing = await app.a.listing()
  const media: Media = must(await upload(listing, { kind: 'gallery' }, await screenshots(1)))
  const url = `${mediaOf(listing)}/${galleryUids(media)[0]}`
  const change = (alt: unknown, path = url, who = listing.owner) => app.patch(path, { alt }, who)
  assert.deepEqual(altsOf(must(await change('A <b>boat</b>'))), ['A <b>boat</b>'])
  assert.equal(must(await change('x'.repeat(MAX_ALT))).gallery[0].alt.length, MAX_ALT)
  assert.deepEqual(refused(await change('x'.repeat(MAX_ALT + 1))), [400, 4150])
  assert.deepEqual(refused(await change('two\nlines')), [400, 4150])
  assert.deepEqual(refused(await change(7)), [400, 4150])
  assert.deepEqual(refused(await change('x', `${mediaOf(listing)}/cover`))[0], 404)
  assert.deepEqual(refused(await change('x', `${mediaOf(listing)}/${randomUUID()}`))[0], 404)
  const stranger = await app.a.verifiedDeveloper()
  assert.equal((await change('x', url, stranger)).status, 404)
  assert.deepEqual(altsOf(must(await change(''))), [''])
  assert.deepEqual(altsOf(await read(listing)), [''])
})

test('the text is in the API, on the page and in the press kit, escaped', async (t) => {
  const { published, get, patch, visitor } = await startStore(t)
  const listing = await published()
  const read = async () => must(await get(`/api/v1/public/games/${listing.uid}`))
  const [image] = (await read()).gallery
  const url = `/api/v1/private/games/${listing.uid}/media/${image.uid}`
  must(await patch(url, { alt: 'A "boat" & <tide>' }, listing.owner))
  assert.equal((await read()).gallery[0].alt, 'A "boat" & <tide>')
  assert.equal((await read()).gallery[1].alt, '')
  const press = must(await get(`/api/v1/public/games/${listing.uid}/press`))
  assert.equal(press.gallery[0].alt, 'A "boat" & <tide>')
  const { body } = await visitor().open(listing.path)
  const text = 'A &quot;boat&quot; &amp; &lt;tide&gt;'
  assert.ok(body.includes(`alt="${text}"`) && body.includes(`data-caption="${text}"`))
  assert.match(body, /alt="Screenshot 2 of/)
})
